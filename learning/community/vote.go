package community

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/learning/core"
)

// Vote is a user's upvote of a post or, with a ReplyID, of a reply to it.
type Vote struct {
	PostID    string
	ReplyID   string
	UserID    string
	CreatedAt time.Time
}

// TogglePostVote adds the actor's upvote to a post, or removes it. It returns the post with its new
// Upvotes and Upvoted. Errors: [core.ErrUnauthenticated],
// [ErrPostNotFound].
func (s *Service) TogglePostVote(ctx context.Context, actor core.Actor,
	postID string) (voted Post, err error) {
	v := Vote{PostID: postID, UserID: actor.UserID, CreatedAt: s.base.Now()}
	err = s.withLockedPost(ctx, actor, postID, func(tx Tx, _ *core.Changes, post Post) error {
		post.Upvoted = !post.Upvoted
		post.Upvotes += step(post.Upvoted)
		voted = post
		return setVote(ctx, tx, v, post.Upvoted,
			func(by int) error { return tx.AddToPostVotes(ctx, postID, by) })
	})
	return voted, core.Wrap("vote for a post", err)
}

// ToggleReplyVote adds the actor's upvote to a reply, or removes it. It returns the reply with its
// new Upvotes and Upvoted. Errors: [core.ErrUnauthenticated],
// [ErrPostNotFound], [ErrReplyNotFound].
func (s *Service) ToggleReplyVote(ctx context.Context, actor core.Actor,
	postID, replyID string) (voted Reply, err error) {
	v := Vote{PostID: postID, ReplyID: replyID, UserID: actor.UserID, CreatedAt: s.base.Now()}
	err = s.withLockedPost(ctx, actor, postID, func(tx Tx, _ *core.Changes, post Post) error {
		reply, err := findReply(ctx, tx, post, replyID, actor)
		if err != nil {
			return err
		}
		reply.Upvoted = !reply.Upvoted
		reply.Upvotes += step(reply.Upvoted)
		voted = reply
		return setVote(ctx, tx, v, reply.Upvoted,
			func(by int) error { return tx.AddToReplyVotes(ctx, replyID, by) })
	})
	return voted, core.Wrap("vote for a reply", err)
}

// setVote inserts the vote if upvoted, else deletes it. It calls count with the change of the
// number of upvotes, 1 or -1, unless there was no vote to delete. The post must be locked, so that
// the actor has no vote yet if upvoted.
func setVote(ctx context.Context, tx Tx, v Vote, upvoted bool, count func(by int) error) error {
	if upvoted {
		if err := tx.InsertVote(ctx, v); err != nil {
			return err
		}
		return count(1)
	}
	deleted, err := tx.DeleteVote(ctx, v)
	if err != nil {
		return err
	}
	if !deleted { // a precaution: the number changes only with a row
		return nil
	}
	return count(-1)
}

// step returns 1 if something is added, else -1.
func step(added bool) int {
	if added {
		return 1
	}
	return -1
}
