package community

import (
	"context"
	"errors"
	"iter"
	"strings"
	"time"

	"github.com/openlectern/openlectern/internal/paging"
	"github.com/openlectern/openlectern/learning/core"
)

// Reply is the answer of a user to a post.
type Reply struct {
	ID        string
	PostID    string
	Content   string      // unchanged, with any markup; a front end must escape it
	Author    core.Person // the ID must not be shown to other users
	Upvotes   int
	CreatedAt time.Time
	UpdatedAt time.Time
	EditedAt  time.Time // when the author last changed the content; zero for never
	// AuthorRole is that of the author, as in [Post].
	AuthorRole core.Role

	Upvoted bool // whether the actor of the query has voted for it
}

// IsBy reports whether the actor wrote the reply.
func (r Reply) IsBy(a core.Actor) bool { return a.SignedIn() && r.Author.ID == a.UserID }

// MaxReplyContent is the maximum length of a reply, in code points.
const MaxReplyContent = 3_000

// CreateReply adds a reply to a post. Errors: [core.ErrUnauthenticated],
// [core.ErrInvalidRequest], [ErrPostNotFound].
func (s *Service) CreateReply(ctx context.Context, actor core.Actor,
	postID, content string) (created Reply, err error) {
	if err := actor.Require(); err != nil {
		return Reply{}, err
	}
	content = strings.TrimSpace(content)
	if err := core.RequireText("content", content, 1, MaxReplyContent); err != nil {
		return Reply{}, err
	}
	reply := Reply{ID: s.base.NewID(), PostID: postID, Content: content,
		Author: core.Person{ID: actor.UserID}, AuthorRole: actor.Role,
		CreatedAt: s.base.Now(), UpdatedAt: s.base.Now()}
	err = s.withLockedPost(ctx, actor, postID, func(tx Tx, changes *core.Changes, post Post) error {
		addReplyEvent(changes, post, reply)
		if err := notifyOfReply(ctx, tx, changes, NotifyReplyCreated, post.Author.ID, actor, post,
			reply.ID); err != nil {
			return err
		}
		if _, err := tx.AddToReplyCount(ctx, postID, 1); err != nil {
			return err
		}
		if err := tx.InsertReply(ctx, reply); err != nil {
			return err
		}
		// Read it with the name and the role of its author.
		created, err = tx.Reply(ctx, postID, reply.ID, actor.UserID)
		if err != nil {
			return err
		}
		return countStaffReply(ctx, tx, changes, post, created, 1)
	})
	return created, core.Wrap("create a reply", err)
}

// EditReply changes the content of the actor's reply, and returns the reply with its post. Errors:
// [core.ErrUnauthenticated], [core.ErrInvalidRequest], [ErrPostNotFound], [ErrReplyNotFound],
// [ErrNotReplyAuthor].
func (s *Service) EditReply(
	ctx context.Context, actor core.Actor, postID, replyID, content string,
) (edited Reply, of Post, err error) {
	content = strings.TrimSpace(content)
	if err := core.RequireText("content", content, 1, MaxReplyContent); err != nil {
		return Reply{}, Post{}, err
	}
	err = s.withLockedPost(ctx, actor, postID, func(tx Tx, _ *core.Changes, post Post) error {
		reply, err := findReply(ctx, tx, post, replyID, actor)
		if err != nil {
			return err
		}
		if !reply.IsBy(actor) {
			return ErrNotReplyAuthor
		}
		reply.Content, reply.UpdatedAt, reply.EditedAt = content, s.base.Now(), s.base.Now()
		edited, of = reply, post
		return tx.EditReply(ctx, reply)
	})
	return edited, of, core.Wrap("edit a reply", err)
}

// DeleteReply removes a reply with its votes. The actor must be its author or an admin. If
// it was the accepted reply, the post has none any more and stays resolved. Errors:
// [core.ErrUnauthenticated], [ErrPostNotFound], [ErrReplyNotFound], [ErrNotReplyAuthor].
func (s *Service) DeleteReply(ctx context.Context, actor core.Actor, postID,
	replyID string) error {
	err := s.withLockedPost(ctx, actor, postID, func(tx Tx, changes *core.Changes, post Post) error {
		reply, err := findReply(ctx, tx, post, replyID, actor)
		if err != nil {
			return err
		}
		if !reply.IsBy(actor) && actor.Role != core.Admin {
			return ErrNotReplyAuthor
		}
		if !reply.IsBy(actor) {
			changes.Decide(core.Decision{Kind: DecisionReplyRemoved, ActorID: actor.UserID,
				UserID: reply.Author.ID,
				DecisionIDs: core.DecisionIDs{CourseID: post.CourseID, PostID: post.ID,
					ReplyID: replyID}})
		}
		return s.removeReply(ctx, tx, changes, actor, post, reply)
	})
	return core.Wrap("delete a reply", err)
}

// removeReply removes a reply with its votes, and closes the complaints about it in the name of
// actor. If it was the accepted reply, the post has none afterwards. The post must be locked.
func (s *Service) removeReply(
	ctx context.Context, tx Tx, changes *core.Changes, actor core.Actor, post Post, reply Reply,
) error {
	replyID := reply.ID
	if post.AcceptedReplyID == replyID {
		post.AcceptedReplyID, post.UpdatedAt = "", s.base.Now()
		if err := tx.UpdatePost(ctx, post); err != nil {
			return err
		}
	}
	if err := s.closeComplaints(ctx, tx, changes, actor, post.ID, replyID); err != nil {
		return err
	}
	if err := tx.DeleteReplyVotes(ctx, post.ID, replyID); err != nil {
		return err
	}
	if err := tx.DeleteReply(ctx, replyID); err != nil {
		return err
	}
	if err := tx.DeleteReplyNotifications(ctx, post.ID, replyID); err != nil {
		return err
	}
	if _, err := tx.AddToReplyCount(ctx, post.ID, -1); err != nil { // it exists, as it is locked
		return err
	}
	return countStaffReply(ctx, tx, changes, post, reply, -1)
}

// countStaffReply adds by to the replies of staff of a post in a course, if the reply is one: of
// the educator of the course or of an admin. The question may begin or end to wait by that. The
// post must be locked.
func countStaffReply(
	ctx context.Context, tx Tx, changes *core.Changes, post Post, reply Reply, by int,
) error {
	if post.CourseID == "" || reply.AuthorRole == core.Student {
		return nil
	}
	after := post
	after.StaffReplies += by
	changes.Count(post.ID, core.TotalsChange(post.totals(), after.totals())...)
	return tx.AddToStaffReplies(ctx, post.ID, by)
}

// findReply reads a reply to a post, with whether the actor has voted for it. It returns
// [ErrReplyNotFound] if there is none.
func findReply(ctx context.Context, tx Tx, post Post, id string, actor core.Actor) (Reply, error) {
	r, err := tx.Reply(ctx, post.ID, id, actor.UserID)
	if errors.Is(err, core.ErrNoRecord) {
		err = ErrReplyNotFound
	}
	return r, err
}

// replies returns the replies to a post, the accepted one first, then the oldest.
func (s *Service) replies(ctx context.Context, actor core.Actor, to Post) iter.Seq2[Reply, error] {
	const action = "list the replies to a post"
	read := func(ctx context.Context, page core.PageRequest) ([]Reply, error) {
		return s.store.Replies(ctx, to.ID, actor.UserID, page)
	}
	inTime := paging.PagesOf(ctx, action, read,
		func(r Reply) core.Position { return core.Position{At: r.CreatedAt, ID: r.ID} })
	return func(yield func(Reply, error) bool) {
		// The accepted reply comes first, unless it was deleted after the post was read.
		if to.AcceptedReplyID != "" {
			reply, err := s.store.Reply(ctx, to.ID, to.AcceptedReplyID, actor.UserID)
			deleted := errors.Is(err, core.ErrNoRecord)
			// On another error paging.YieldRows yields that in place of the reply, and returns
			// false.
			if !deleted && !paging.YieldRows([]Reply{reply}, core.Wrap(action, err), yield) {
				return
			}
		}
		// The others follow.
		for reply, err := range inTime {
			if err == nil && reply.ID == to.AcceptedReplyID {
				continue
			}
			if !yield(reply, err) {
				return
			}
		}
	}
}

// addReplyEvent adds the event of a new reply to a post.
func addReplyEvent(changes *core.Changes, to Post, r Reply) {
	changes.Add(EventReplyCreated, "user", r.Author.ID, core.EventData{PostID: to.ID, ReplyID: r.ID,
		UserID: r.Author.ID, CourseID: to.CourseID, LectureID: to.LectureID})
}
