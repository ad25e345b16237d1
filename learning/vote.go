package learning

import (
	"context"
	"time"
)

// Vote is a user's upvote of a post or, with a ReplyID, of a reply to it.
type Vote struct {
	PostID    string
	ReplyID   string
	UserID    string
	CreatedAt time.Time
}

// TogglePostVote adds the actor's upvote to a post, or removes it. It returns the new
// number of upvotes and whether the actor upvotes the post now. Errors: [ErrUnauthenticated], [ErrPostNotFound].
func (p *Platform) TogglePostVote(ctx context.Context, actor Actor, postID string) (upvotes int, upvoted bool, err error) {
	v := Vote{PostID: postID, UserID: actor.UserID, CreatedAt: p.now()}
	err = p.withLockedPost(ctx, actor, postID, func(tx Tx, _ *outbox, post Post) error {
		upvoted = !post.Upvoted
		upvotes = post.Upvotes + step(upvoted)
		return setVote(ctx, tx, v, upvoted, func(by int) error { return tx.AddToPostVotes(ctx, postID, by) })
	})
	return upvotes, upvoted, wrap("vote for a post", err)
}

// ToggleReplyVote adds the actor's upvote to a reply, or removes it. It returns the new
// number of upvotes and whether the actor upvotes the reply now. Errors: [ErrUnauthenticated], [ErrPostNotFound], [ErrReplyNotFound].
func (p *Platform) ToggleReplyVote(ctx context.Context, actor Actor, postID, replyID string) (upvotes int, upvoted bool, err error) {
	v := Vote{PostID: postID, ReplyID: replyID, UserID: actor.UserID, CreatedAt: p.now()}
	err = p.withLockedPost(ctx, actor, postID, func(tx Tx, _ *outbox, post Post) error {
		reply, err := findReply(ctx, tx, post, replyID, actor)
		if err != nil {
			return err
		}
		upvoted = !reply.Upvoted
		upvotes = reply.Upvotes + step(upvoted)
		return setVote(ctx, tx, v, upvoted, func(by int) error { return tx.AddToReplyVotes(ctx, replyID, by) })
	})
	return upvotes, upvoted, wrap("vote for a reply", err)
}

// setVote inserts or deletes a vote. It calls count with the change of the number.
func setVote(ctx context.Context, tx Tx, v Vote, upvoted bool, count func(by int) error) error {
	if upvoted {
		if err := tx.InsertVote(ctx, v); err != nil {
			return err
		}
		return count(step(upvoted))
	}
	gone, err := tx.DeleteVote(ctx, v)
	if err != nil || !gone {
		return err
	}
	return count(step(upvoted))
}

// step returns 1 if something is added, else -1.
func step(added bool) int {
	if added {
		return 1
	}
	return -1
}
