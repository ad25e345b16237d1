package learning_test

import (
	"context"

	"github.com/openlectern/openlectern/learning"
)

func (r faultyReader) Group(ctx context.Context, id, viewerID string) (learning.Group, error) {
	return read(r.b, "Group", func() (learning.Group, error) { return r.Reader.Group(ctx, id, viewerID) })
}

func (r faultyReader) Post(ctx context.Context, id, viewerID string) (learning.Post, error) {
	return read(r.b, "Post", func() (learning.Post, error) { return r.Reader.Post(ctx, id, viewerID) })
}

func (r faultyReader) Reply(ctx context.Context, postID, id, viewerID string) (learning.Reply, error) {
	return read(r.b, "Reply", func() (learning.Reply, error) { return r.Reader.Reply(ctx, postID, id, viewerID) })
}

func (t *faultyTx) InsertGroup(ctx context.Context, g learning.Group, nameKey string) error {
	return t.write("InsertGroup", func() error { return t.tx.InsertGroup(ctx, g, nameKey) })
}

func (t *faultyTx) LockGroup(ctx context.Context, id string) error {
	return t.write("LockGroup", func() error { return t.tx.LockGroup(ctx, id) })
}

func (t *faultyTx) AddToMemberCount(ctx context.Context, id string, by int) error {
	return t.write("AddToMemberCount", func() error { return t.tx.AddToMemberCount(ctx, id, by) })
}

func (t *faultyTx) AddToPostCount(ctx context.Context, id string, by int) (bool, error) {
	return read(t.b, "AddToPostCount", func() (bool, error) { return t.tx.AddToPostCount(ctx, id, by) })
}

func (t *faultyTx) InsertMembership(ctx context.Context, m learning.Membership) error {
	return t.write("InsertMembership", func() error { return t.tx.InsertMembership(ctx, m) })
}

func (t *faultyTx) DeleteMembership(ctx context.Context, groupID, userID string) (bool, error) {
	return read(t.b, "DeleteMembership", func() (bool, error) { return t.tx.DeleteMembership(ctx, groupID, userID) })
}

func (t *faultyTx) InsertPost(ctx context.Context, p learning.Post) error {
	return t.write("InsertPost", func() error { return t.tx.InsertPost(ctx, p) })
}

func (t *faultyTx) LockPost(ctx context.Context, id string) error {
	return t.write("LockPost", func() error { return t.tx.LockPost(ctx, id) })
}

func (t *faultyTx) MarkPost(ctx context.Context, p learning.Post) error {
	return t.write("MarkPost", func() error { return t.tx.MarkPost(ctx, p) })
}

func (t *faultyTx) IncrementReplies(ctx context.Context, id string) (bool, error) {
	return read(t.b, "IncrementReplies", func() (bool, error) { return t.tx.IncrementReplies(ctx, id) })
}

func (t *faultyTx) AddToPostVotes(ctx context.Context, id string, by int) error {
	return t.write("AddToPostVotes", func() error { return t.tx.AddToPostVotes(ctx, id, by) })
}

func (t *faultyTx) DeletePost(ctx context.Context, id string) error {
	return t.write("DeletePost", func() error { return t.tx.DeletePost(ctx, id) })
}

func (t *faultyTx) InsertReply(ctx context.Context, r learning.Reply) error {
	return t.write("InsertReply", func() error { return t.tx.InsertReply(ctx, r) })
}

func (t *faultyTx) AddToReplyVotes(ctx context.Context, id string, by int) error {
	return t.write("AddToReplyVotes", func() error { return t.tx.AddToReplyVotes(ctx, id, by) })
}

func (t *faultyTx) DeleteReplies(ctx context.Context, postID string) error {
	return t.write("DeleteReplies", func() error { return t.tx.DeleteReplies(ctx, postID) })
}

func (t *faultyTx) InsertVote(ctx context.Context, v learning.Vote) error {
	return t.write("InsertVote", func() error { return t.tx.InsertVote(ctx, v) })
}

func (t *faultyTx) DeleteVote(ctx context.Context, v learning.Vote) (bool, error) {
	return read(t.b, "DeleteVote", func() (bool, error) { return t.tx.DeleteVote(ctx, v) })
}

func (t *faultyTx) DeleteVotes(ctx context.Context, postID string) error {
	return t.write("DeleteVotes", func() error { return t.tx.DeleteVotes(ctx, postID) })
}
