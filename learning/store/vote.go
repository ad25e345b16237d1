package store

import (
	"context"

	"github.com/openlectern/openlectern/learning"
)

// InsertVote adds one; learning.ErrDuplicate when the person has voted for this.
func (t *tx) InsertVote(ctx context.Context, v learning.Vote) error {
	return t.insert(ctx, "insert a vote", `INSERT INTO votes (post_id, reply_id, user_id, created_at) VALUES (?, ?, ?, ?)`,
		key(v.PostID), key(v.ReplyID), key(v.UserID), timestamp(v.CreatedAt))
}

// DeleteVote removes one; it tells whether it was there.
func (t *tx) DeleteVote(ctx context.Context, v learning.Vote) (bool, error) {
	return t.update(ctx, "delete a vote", `DELETE FROM votes WHERE post_id = ? AND reply_id = ? AND user_id = ?`,
		key(v.PostID), key(v.ReplyID), key(v.UserID))
}

// DeleteVotes removes all of a post and of its replies.
func (t *tx) DeleteVotes(ctx context.Context, postID string) error {
	_, err := t.exec(ctx, "delete the votes of a post", `DELETE FROM votes WHERE post_id = ?`, key(postID))
	return err
}
