package community

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/core"
)

// The public failures of complaints.
var (
	ErrComplaintNotFound = &core.Error{Kind: core.NotFound, Code: "report_not_found",
		Message: "Report not found"}
	ErrComplaintRemoved = &core.Error{Kind: core.Conflict, Code: "report_removed",
		Message: "What was reported has been removed already."}
)

// Complaint is the report of a user that a post, a reply or a review breaks the rules
// (docs/api.md §11). The API calls it a report.
type Complaint struct {
	ID         string
	PostID     string
	ReplyID    string // "" if the complaint is about the post itself
	ReviewID   string // of a complaint about a review, which has no PostID and ReplyID; else ""
	CourseID   string // of the post or the review; "" for none
	AuthorID   string // of what was reported; "" if it was removed before this was stored
	ReporterID string // must not be shown to other users; "" if the user was deleted
	Reason     string
	Excerpt    string // the beginning of what was reported, as it was then
	Status     ComplaintStatus
	CreatedAt  time.Time

	// the user who decided or who deleted what was reported; "" while it is open, and if its course
	// was deleted
	DecidedBy string
	DecidedAt time.Time // zero while it is open
}

// ComplaintStatus is the state of a complaint.
type ComplaintStatus string

// The states of a complaint.
const (
	ComplaintOpen      ComplaintStatus = "open"
	ComplaintDismissed ComplaintStatus = "dismissed" // an admin found nothing wrong
	ComplaintRemoved   ComplaintStatus = "removed"   // what was reported was deleted
)

// ParseComplaintStatus returns the status with the text s. It returns false if there is no
// such status.
func ParseComplaintStatus(s string) (ComplaintStatus, bool) {
	status := ComplaintStatus(s)
	return status, status == ComplaintOpen || status == ComplaintDismissed ||
		status == ComplaintRemoved
}

// Limits of a complaint (docs/api.md §11), in code points.
const (
	MaxComplaintReason = 500
	maxExcerpt         = 200
)

// ComplaintDecision is the end of a complaint: who decided what, and when.
type ComplaintDecision struct {
	Status ComplaintStatus
	By     string
	At     time.Time
}

// decision returns the decision of the actor, made now, that ends a complaint with a status.
func (s *Service) decision(actor core.Actor, status ComplaintStatus) ComplaintDecision {
	return ComplaintDecision{Status: status, By: actor.UserID, At: s.base.Now()}
}

// Complain reports a post, or one of its replies if replyID is not "", to the admins. A
// repeated complaint of a user about the same post or reply changes nothing. Errors:
// [core.ErrUnauthenticated], [core.ErrInvalidRequest], [ErrPostNotFound], [ErrReplyNotFound].
func (s *Service) Complain(ctx context.Context, actor core.Actor,
	postID, replyID, reason string) error {
	if err := actor.Require(); err != nil {
		return err
	}
	reason = strings.TrimSpace(reason)
	if err := core.RequireText("reason", reason, 1, MaxComplaintReason); err != nil {
		return err
	}
	c := Complaint{ID: s.base.NewID(), PostID: postID, ReplyID: replyID, ReporterID: actor.UserID,
		Reason: reason, Status: ComplaintOpen, CreatedAt: s.base.Now()}

	// Keep the beginning of what is reported, because it may be deleted later. The post stays
	// locked, so that a concurrent deletion, which closes the complaints about it, comes before or
	// after.
	err := s.withLockedPost(ctx, actor, postID, func(tx Tx, changes *core.Changes, post Post) error {
		c.CourseID, c.AuthorID = post.CourseID, post.Author.ID
		c.Excerpt = text.Truncate(post.Title+"\n"+post.Content, maxExcerpt)
		if replyID != "" {
			reply, err := findReply(ctx, tx, post, replyID, actor)
			if err != nil {
				return err
			}
			c.AuthorID, c.Excerpt = reply.Author.ID, text.Truncate(reply.Content, maxExcerpt)
		}
		changes.Count(c.ID, openComplaints(1))
		return tx.InsertComplaint(ctx, c)
	})

	// The user has reported this before: a repeated complaint changes nothing.
	if errors.Is(err, core.ErrDuplicate) {
		return nil
	}
	return core.Wrap("report a post", err)
}

// openComplaints returns what a number of open complaints adds to their total.
func openComplaints(number int) core.Total {
	return core.Total{Kind: TotalOpenComplaints, Number: number}
}

// closeComplaints closes the open complaints about a reply or, if replyID is "", about a post and
// its replies, because the actor has removed what they are about. Without a post, replyID is the id
// of a review. The post or the review must be locked.
func (s *Service) closeComplaints(
	ctx context.Context, tx Tx, changes *core.Changes, actor core.Actor, postID, replyID string,
) error {
	closed, err := tx.CloseComplaints(ctx, postID, replyID, s.decision(actor, ComplaintRemoved))
	changes.Count(replyID, openComplaints(-closed))
	return err
}

// complaintReader reads complaints.
type complaintReader interface {
	Complaint(ctx context.Context, id string) (Complaint, error)
	// ComplaintReports lists a page of the complaints with a status, or of all for "", the newest
	// first.
	ComplaintReports(ctx context.Context, status ComplaintStatus,
		page core.PageRequest) ([]ComplaintReport, error)
	// OpenComplaints lists the open complaints about a reply or, if replyID is "", about a post and
	// its replies. Without a post, replyID is the id of a review.
	OpenComplaints(ctx context.Context, postID, replyID string) ([]Complaint, error)
}

// complaintWriter writes complaints.
type complaintWriter interface {
	// InsertComplaint adds an open complaint. It returns [core.ErrDuplicate] if the reporter
	// has complained about this post or reply.
	InsertComplaint(ctx context.Context, c Complaint) error
	// DecideComplaint stores a decision on a complaint that has a status. It reports whether it
	// did.
	DecideComplaint(ctx context.Context, id string, from ComplaintStatus,
		d ComplaintDecision) (bool, error)
	// CloseComplaints stores a decision on the open complaints about a reply or, if
	// replyID is "", on those about a post and its replies. Without a post, replyID is the id of a
	// review. It returns how many there were.
	CloseComplaints(ctx context.Context, postID, replyID string, d ComplaintDecision) (int, error)
	// ClosePostComplaints stores a decision on the open complaints about posts and their replies,
	// at most postsPerDelete posts. It returns how many there were.
	ClosePostComplaints(ctx context.Context, postIDs []string, d ComplaintDecision) (int, error)
	// ForgetReporter removes a user's id from the complaints of that user.
	ForgetReporter(ctx context.Context, userID string) error
}
