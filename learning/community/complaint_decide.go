package community

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/openlectern/openlectern/internal/paging"
	"github.com/openlectern/openlectern/internal/record"
	"github.com/openlectern/openlectern/learning/core"
)

// The decisions of admins about what users have written. DecisionPostRemoved and
// DecisionReplyRemoved are removals without a report.
const (
	DecisionReportDismissed core.DecisionKind = "report.dismissed"
	DecisionReportRemoved   core.DecisionKind = "report.removed"
	DecisionPostRemoved     core.DecisionKind = "post.removed"
	DecisionReplyRemoved    core.DecisionKind = "reply.removed"
)

// kind returns the kind of the decision as it is listed.
func (d ComplaintDecision) kind() core.DecisionKind {
	if d.Status == ComplaintRemoved {
		return DecisionReportRemoved
	}
	return DecisionReportDismissed
}

// ComplaintReport is a complaint as administrators see it.
type ComplaintReport struct {
	Complaint
	AuthorName   string // of who wrote what was reported; "" if AuthorID is ""
	ReporterName string
}

// Complaints returns a page of the complaints with a status, or of all for "", the newest first.
// Errors: [core.ErrUnauthenticated], [core.ErrForbidden], [core.ErrInvalidRequest] if page has no
// valid limit.
func (s *Service) Complaints(
	ctx context.Context, actor core.Actor, status ComplaintStatus, page core.PageRequest,
) (core.Page[ComplaintReport], error) {
	if err := actor.RequireRole(core.Admin); err != nil {
		return core.Page[ComplaintReport]{}, err
	}
	read := func(ctx context.Context, page core.PageRequest) ([]ComplaintReport, error) {
		return s.store.ComplaintReports(ctx, status, page)
	}
	// The next page begins after the position of the last row.
	return paging.ReadPage(ctx, "list the reports", page, read,
		func(c ComplaintReport) core.Position { return core.Position{At: c.CreatedAt, ID: c.ID} })
}

// DecideComplaint dismisses a complaint, or removes what was reported, which closes all
// complaints about it. A dismissed complaint can still be followed by a removal; a repeated
// decision changes nothing. status must be [ComplaintDismissed] or [ComplaintRemoved]. Errors:
// [core.ErrUnauthenticated], [core.ErrForbidden], [core.ErrInvalidRequest] for another status,
// [ErrComplaintNotFound], and [ErrComplaintRemoved] for a dismissal after a removal.
func (s *Service) DecideComplaint(ctx context.Context, actor core.Actor, id string,
	status ComplaintStatus) error {
	if err := actor.RequireRole(core.Admin); err != nil {
		return err
	}
	isDecision := status == ComplaintDismissed || status == ComplaintRemoved
	if err := core.Require(isDecision, "status", "must be dismissed or removed"); err != nil {
		return err
	}
	c, err := s.store.Complaint(ctx, id)
	if errors.Is(err, core.ErrNoRecord) {
		return ErrComplaintNotFound
	}
	if err != nil {
		return fmt.Errorf("read a report: %w", err)
	}

	// A repeated decision changes nothing, and what was removed stays removed.
	switch {
	case c.Status == status:
		return nil
	case c.Status == ComplaintRemoved:
		return ErrComplaintRemoved
	}
	err = record.RetryDuplicate(ctx, func() error {
		return s.decideComplaint(ctx, actor, c, s.decision(actor, status))
	})
	return core.Wrap("decide on a report", err)
}

// decideComplaint stores a decision, and if it is a removal, removes what was reported. It returns
// [ErrComplaintRemoved] for a dismissal after a concurrent removal, and [core.ErrDuplicate] if the
// complaint has changed since the transaction has read it.
func (s *Service) decideComplaint(ctx context.Context, actor core.Actor, c Complaint,
	d ComplaintDecision) error {
	return s.base.Change(ctx, func(tx Tx, changes *core.Changes) error {
		// Lock the post or review, so that its deletion, which decides on the complaint too, comes
		// before or after.
		lock, id := tx.LockPost, c.PostID
		if c.ReviewID != "" {
			lock, id = tx.LockReview, c.ReviewID
		}
		if err := lock(ctx, id); err != nil {
			return err
		}
		// Read the complaint again. What a concurrent decision has made of it stays.
		c, err := tx.Complaint(ctx, c.ID)
		switch {
		case err != nil:
			return err
		case d.Status == ComplaintDismissed && c.Status == ComplaintRemoved:
			return ErrComplaintRemoved
		case c.Status == d.Status:
			return nil
		}

		closed := []Complaint{c}
		if d.Status == ComplaintRemoved { // which closes the others about it
			others, err := tx.OpenComplaints(ctx, c.PostID, cmp.Or(c.ReplyID, c.ReviewID))
			if err != nil {
				return err
			}
			closed = append(closed, others...)
		}
		decided, err := tx.DecideComplaint(ctx, c.ID, c.Status, d)
		if err == nil && !decided { // nothing is left to be locked, and another decision was first
			err = core.ErrDuplicate
		}
		if err != nil {
			return err
		}
		changes.Decide(core.Decision{Kind: d.kind(), ActorID: d.By, UserID: c.AuthorID,
			DecisionIDs: core.DecisionIDs{CourseID: c.CourseID, PostID: c.PostID,
				ReplyID: c.ReplyID, ReviewID: c.ReviewID, ReportID: c.ID}})
		if c.Status == ComplaintOpen {
			changes.Count(c.ID, openComplaints(-1))
		}
		notifyReporters(changes, d, closed)
		if d.Status == ComplaintDismissed {
			return nil
		}
		return s.removeReported(ctx, tx, changes, actor, c)
	})
}

// removeReported removes the post or the reply that a complaint is about, in the name of actor.
// That closes the other complaints about it. If it was removed before, removeReported does nothing.
// The post must be locked.
func (s *Service) removeReported(ctx context.Context, tx Tx, changes *core.Changes,
	actor core.Actor,
	c Complaint) error {
	if c.ReviewID != "" {
		return s.removeReview(ctx, tx, changes, actor, c.ReviewID)
	}
	post, err := tx.Post(ctx, c.PostID, actor.UserID) // as the actor sees it
	if err == nil && c.ReplyID == "" {
		return s.removePost(ctx, tx, changes, actor, post)
	}
	var reply Reply
	if err == nil {
		reply, err = tx.Reply(ctx, c.PostID, c.ReplyID, actor.UserID)
	}

	// Another call has removed the post or the reply.
	if errors.Is(err, core.ErrNoRecord) {
		return nil
	}
	if err != nil {
		return err
	}
	return s.removeReply(ctx, tx, changes, actor, post, reply)
}
