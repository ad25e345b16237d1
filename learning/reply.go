package learning

import (
	"context"
	"errors"
	"strings"
	"time"
)

// Reply is the answer of a user to a post.
type Reply struct {
	ID        string
	PostID    string
	Content   string // unchanged, with any markup; a front end must escape it
	Author    Person // the ID must not be shown to other users
	Upvotes   int
	CreatedAt time.Time
	UpdatedAt time.Time

	Upvoted bool // whether the actor of the query has voted for it
}

// IsBy reports whether the actor wrote the reply.
func (r Reply) IsBy(a Actor) bool { return a.SignedIn() && r.Author.ID == a.UserID }

// MaxReplyContent is the maximum length of a reply, in code points.
const MaxReplyContent = 3_000

// CreateReply adds a reply to a post. Errors: [ErrUnauthenticated],
// [ErrInvalidRequest], [ErrPostNotFound].
func (p *Platform) CreateReply(ctx context.Context, actor Actor, postID, content string) (created Reply, err error) {
	if err := actor.Require(); err != nil {
		return Reply{}, err
	}
	if content = strings.TrimSpace(content); !isText(content, 1, MaxReplyContent) {
		return Reply{}, ErrInvalidRequest
	}
	if !validID(postID, maxID) {
		return Reply{}, ErrPostNotFound
	}
	reply := Reply{ID: p.newID(), PostID: postID, Content: content, Author: Person{ID: actor.UserID}, CreatedAt: p.now(), UpdatedAt: p.now()}
	err = p.store.InTx(ctx, func(tx Tx) error {
		// The counter first, because it locks the post until the end of the transaction.
		if found, err := tx.IncrementReplies(ctx, postID); err != nil {
			return err
		} else if !found {
			return ErrPostNotFound
		}
		if err := tx.InsertReply(ctx, reply); err != nil {
			return err
		}
		created, err = tx.Reply(ctx, postID, reply.ID, actor.UserID)
		return err
	})
	return created, wrap("create a reply", err)
}

// findReply reads a reply to a post. It returns [ErrReplyNotFound] if there is none.
func findReply(ctx context.Context, tx Tx, post Post, id string, actor Actor) (Reply, error) {
	r, err := tx.Reply(ctx, post.ID, id, actor.UserID)
	if errors.Is(err, ErrNoRecord) {
		err = ErrReplyNotFound
	}
	return r, err
}

// replies lists the replies to a post, the accepted one first, then the oldest.
func (p *Platform) replies(actor Actor, to Post) *List[Reply] {
	const doing = "list the replies to a post"
	others := pagedList(doing, inPages(func(ctx context.Context, page Page) ([]Reply, error) {
		return p.store.Replies(ctx, to.ID, actor.UserID, page)
	}), func(r *Reply) Position { return Position{At: r.CreatedAt, ID: r.ID} })
	accepted := to.AcceptedReplyID
	next := func(ctx context.Context, rows int, fn func(Reply) error) (bool, error) {
		if accepted != "" {
			reply, err := p.store.Reply(ctx, to.ID, accepted, actor.UserID)
			if err != nil && !errors.Is(err, ErrNoRecord) {
				return false, wrap(doing, err)
			}
			if accepted = ""; err == nil {
				return true, fn(reply)
			}
		}
		return others.next(ctx, rows, func(r Reply) error {
			if r.ID == to.AcceptedReplyID {
				return nil
			}
			return fn(r)
		})
	}
	return &List[Reply]{next: next}
}
