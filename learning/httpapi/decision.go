package httpapi

import (
	"github.com/openlectern/openlectern/learning/staff"
)

// decisionJSON is a decision of staff (docs/api.md §10).
type decisionJSON struct {
	_ struct{} `doc:"What a member of the staff has decided. It has the ids of what it is about."`

	ID            string  `json:"_id"`
	Kind          string  `json:"kind" jsonschema:"enum=admin.made,enum=application.approved,enum=application.rejected,enum=enrollment.granted,enum=enrollment.changed,enum=enrollment.ended,enum=attempts.changed,enum=refund.started,enum=sale.recorded,enum=report.dismissed,enum=report.removed,enum=post.removed,enum=reply.removed" doc:"What was decided."`
	ActorID       string  `json:"actorId" doc:"Who has decided: a user, or 'service:' and the name of a service of the host. Empty if the host has decided by a command."`
	ActorName     string  `json:"actorName" doc:"The name of that user, at present, or of the service, plain text. Escape it. 'Deleted user' if the user was deleted."`
	UserID        string  `json:"userId" doc:"Whom it concerns, such as the author of what was removed. Empty if that is not known."`
	UserName      string  `json:"userName" doc:"As the other name."`
	CourseID      string  `json:"courseId,omitempty"`
	CourseTitle   string  `json:"courseTitle,omitempty" doc:"The title that the course has now. If it was deleted, that of then."`
	ChapterID     string  `json:"chapterId,omitempty"`
	PurchaseID    string  `json:"purchaseId,omitempty"`
	RefundID      string  `json:"refundId,omitempty"`
	ApplicationID string  `json:"applicationId,omitempty"`
	PostID        string  `json:"postId,omitempty"`
	ReplyID       string  `json:"replyId,omitempty"`
	ReviewID      string  `json:"reviewId,omitempty"`
	ReportID      string  `json:"reportId,omitempty"`
	Reason        string  `json:"reason" doc:"What was written, or the reason of the report; empty if nothing, and after the user or the course was deleted. Escape it."`
	CreatedAt     instant `json:"createdAt"`
}

type decisionsAnswer struct {
	Decisions []decisionJSON `json:"decisions" doc:"The newest first."`
	Next      *string        `json:"nextCursor" jsonschema:"nullable"`
}

// decisions answers a page of the decisions that the query selects by user and by course.
func (a *api) decisions(c *call, _ none) (decisionsAnswer, error) {
	page, err := pageOf(c, maxPageRows) // of maxPageRows rows if the query has no limit
	if err != nil {
		return decisionsAnswer{}, err
	}
	values := c.URL.Query()
	query := staff.DecisionQuery{UserID: values.Get("userId"), CourseID: values.Get("courseId")}
	list, err := a.platform.Staff.Decisions(c.Context(), c.actor, query, page)
	return decisionsAnswer{shaped(list.Rows, decisionOf), cursorOf(c, list.Next)}, err
}

// decisionOf returns the wire shape of a decision.
func decisionOf(d staff.Decision) decisionJSON {
	return decisionJSON{
		ID:            d.ID,
		Kind:          string(d.Kind),
		ActorID:       d.ActorID,
		ActorName:     d.ActorName,
		UserID:        d.UserID,
		UserName:      d.UserName,
		CourseID:      d.CourseID,
		CourseTitle:   d.CourseTitle,
		ChapterID:     d.ChapterID,
		PurchaseID:    d.PurchaseID,
		RefundID:      d.RefundID,
		ApplicationID: d.ApplicationID,
		PostID:        d.PostID,
		ReplyID:       d.ReplyID,
		ReviewID:      d.ReviewID,
		ReportID:      d.ReportID,
		Reason:        d.Reason,
		CreatedAt:     instant(d.CreatedAt),
	}
}
