package learning

import (
	"context"
	"errors"
	"fmt"
)

// Complaints lists a page of the complaints with a status, or of all for "", the newest
// first. page.Limit must be from 1 to [MaxPageRows]. next is the position of the next page, or
// zero if there is none. Errors: [ErrUnauthenticated], [ErrForbidden], [ErrInvalidRequest].
func (p *Platform) Complaints(ctx context.Context, actor Actor, status ComplaintStatus, page Page) (list []Complaint, next Position, err error) {
	if err := actor.RequireRole(Admin); err != nil {
		return nil, Position{}, err
	}
	return readPage(ctx, "list the reports", page, func(ctx context.Context, page Page) ([]Complaint, error) {
		return p.store.Complaints(ctx, status, page)
	}, func(c Complaint) Position { return Position{At: c.CreatedAt, ID: c.ID} })
}

// DecideComplaint dismisses a complaint, or removes what was reported, which closes all
// complaints about it. A dismissed complaint can still be followed by a removal; a repeated
// decision changes nothing. Errors: [ErrUnauthenticated], [ErrForbidden],
// [ErrInvalidRequest], [ErrComplaintNotFound], [ErrComplaintRemoved].
func (p *Platform) DecideComplaint(ctx context.Context, actor Actor, id string, status ComplaintStatus) error {
	if err := actor.RequireRole(Admin); err != nil {
		return err
	}
	if status != ComplaintDismissed && status != ComplaintRemoved {
		return ErrInvalidRequest
	}
	c, err := p.store.Complaint(ctx, id)
	if errors.Is(err, ErrNoRecord) {
		return ErrComplaintNotFound
	}
	if err != nil {
		return fmt.Errorf("read a report: %w", err)
	}
	switch {
	case c.Status == status:
		return nil
	case c.Status == ComplaintRemoved:
		return ErrComplaintRemoved
	}
	return wrap("decide on a report", p.decideComplaint(ctx, actor, c, p.decision(actor, status)))
}

// decideComplaint stores a decision and carries it out.
func (p *Platform) decideComplaint(ctx context.Context, actor Actor, c Complaint, d ComplaintDecision) error {
	return p.inTxEvents(ctx, func(tx Tx, out *outbox) error {
		if err := tx.LockPost(ctx, c.PostID); err != nil {
			return err
		}
		decided, err := tx.DecideComplaint(ctx, c.ID, d)
		switch {
		case err != nil:
			return err
		case d.Status == ComplaintDismissed && !decided:
			return ErrComplaintRemoved
		case d.Status == ComplaintDismissed:
			return nil
		}
		return p.removeReported(ctx, tx, out, actor, c)
	})
}

// removeReported removes the post or the reply that a complaint is about, if it still
// exists. The post must be locked.
func (p *Platform) removeReported(ctx context.Context, tx Tx, out *outbox, actor Actor, c Complaint) error {
	post, err := tx.Post(ctx, c.PostID, actor.UserID)
	if err == nil && c.ReplyID == "" {
		return p.removePost(ctx, tx, out, actor, post)
	}
	if err == nil {
		_, err = tx.Reply(ctx, c.PostID, c.ReplyID, actor.UserID)
	}
	if errors.Is(err, ErrNoRecord) {
		return nil
	}
	if err != nil {
		return err
	}
	return p.removeReply(ctx, tx, actor, post, c.ReplyID)
}
