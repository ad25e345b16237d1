package store

import (
	"context"

	"github.com/openlectern/openlectern/learning/community"
)

// InsertVote inserts a vote for a post, or for the reply with v.ReplyID if that is not "". It
// returns ErrDuplicate if the user has voted for it.
func (t *tx) InsertVote(ctx context.Context, v community.Vote) error {
	return t.Insert(ctx, "insert a vote",
		`INSERT INTO {votes} (post_id, reply_id, user_id, created_at) VALUES (?, ?, ?, ?)`,
		key(v.PostID), key(v.ReplyID), key(v.UserID), timestamp(v.CreatedAt))
}

// DeleteVote reports whether there was such a vote. Its time is not compared.
func (t *tx) DeleteVote(ctx context.Context, v community.Vote) (bool, error) {
	return t.Update(ctx, "delete a vote",
		`DELETE FROM {votes} WHERE post_id = ? AND reply_id = ? AND user_id = ?`,
		key(v.PostID), key(v.ReplyID), key(v.UserID))
}

// DeleteReplyVotes deletes the votes for one reply to a post.
func (t *tx) DeleteReplyVotes(ctx context.Context, postID, replyID string) error {
	_, err := t.Exec(ctx, "delete the votes of a reply",
		`DELETE FROM {votes} WHERE post_id = ? AND reply_id = ?`, key(postID), key(replyID))
	return err
}

// DeleteVotes deletes the votes for posts and for the replies to them.
func (t *tx) DeleteVotes(ctx context.Context, postIDs []string) error {
	_, err := t.Exec(ctx, "delete the votes of posts",
		`DELETE FROM {votes} WHERE post_id IN (`+placeholders(idBatchSize)+`)`,
		batchArgs(postIDs)...)
	return err
}
