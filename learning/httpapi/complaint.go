package httpapi

import (
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
)

// complaintJSON is a complaint (docs/api.md §11), with names and without ids of users.
type complaintJSON struct {
	_ struct{} `doc:"A user's report that a post or a reply breaks the rules."`

	ID     string `json:"_id"`
	PostID string `json:"postId"`
	// null for a complaint about the post itself
	ReplyID      *string `json:"replyId" jsonschema:"nullable" doc:"The id of the reply that was reported. Null if it is the post itself."`
	ReviewID     string  `json:"reviewId,omitempty" doc:"The id of the review that was reported. 'postId' is empty then. A report of a post has no such field."`
	CourseID     string  `json:"courseId,omitempty" doc:"The course of the post or the review. A report of a post in no course has no such field."`
	AuthorName   string  `json:"authorName" doc:"The name of who wrote what was reported, at present, plain text. Escape it. Empty if that is not known any more."`
	ReporterName string  `json:"reporterName" doc:"The name of who has reported it, at present, plain text. Escape it. It must not be shown to the author."`
	Reason       string  `json:"reason" doc:"Why it was reported, plain text. Escape it."`
	Excerpt      string  `json:"excerpt" doc:"Its first 200 characters, as it was then. Escape it."`
	Status       string  `json:"status" jsonschema:"enum=open,enum=dismissed,enum=removed" doc:"'open' until an admin decides, then 'dismissed'; 'removed' when what was reported has been deleted."`
	CreatedAt    instant `json:"createdAt"`
}

type complaintRequest struct {
	Reason  string `json:"reason" jsonschema:"minLength=1,maxLength=500" doc:"What is wrong with it."`
	ReplyID string `json:"replyId,omitempty" doc:"The reply. Without it, the post itself."`
}

// complain reports a post to the admins, or a reply to it if the request names one.
func (a *api) complain(c *call, in complaintRequest) (none, error) {
	return none{}, a.platform.Community.Complain(c.Context(), c.actor, c.Param("postId"),
		in.ReplyID,
		in.Reason)
}

type complaintsAnswer struct {
	Complaints []complaintJSON `json:"reports" doc:"The reports, the newest first."`
	Next       *string         `json:"nextCursor" jsonschema:"nullable"`
}

// complaints answers a page of the reports of the status in the query, or of all. It refuses an
// unknown status.
func (a *api) complaints(c *call, _ none) (complaintsAnswer, error) {
	values := c.URL.Query()
	status, known := community.ParseComplaintStatus(values.Get("status"))
	if !known && values.Get("status") != "" { // without a status, those of every status
		return complaintsAnswer{}, core.InvalidField("status", unknownWord)
	}
	page, err := pageOf(c, maxPageRows) // of maxPageRows rows if the query has no limit
	if err != nil {
		return complaintsAnswer{}, err
	}
	list, err := a.platform.Community.Complaints(c.Context(), c.actor, status, page)
	if err != nil {
		return complaintsAnswer{}, err
	}
	return complaintsAnswer{shaped(list.Rows, complaintOf), cursorOf(c, list.Next)}, nil
}

// complaintOf returns the wire shape of a complaint.
func complaintOf(c community.ComplaintReport) complaintJSON {
	return complaintJSON{
		ID:           c.ID,
		PostID:       c.PostID,
		ReplyID:      nullable(c.ReplyID),
		ReviewID:     c.ReviewID,
		CourseID:     c.CourseID,
		AuthorName:   c.AuthorName,
		ReporterName: c.ReporterName,
		Reason:       c.Reason,
		Excerpt:      c.Excerpt,
		Status:       string(c.Status),
		CreatedAt:    instant(c.CreatedAt),
	}
}

type decideComplaintRequest struct {
	Status string `json:"status" jsonschema:"enum=dismissed,enum=removed" doc:"'dismissed' if nothing is wrong; 'removed' to delete what was reported."`
}

// decideComplaint dismisses a complaint, or deletes what was reported.
func (a *api) decideComplaint(c *call, in decideComplaintRequest) (none, error) {
	return none{}, a.platform.Community.DecideComplaint(c.Context(), c.actor, c.Param("reportId"),
		community.ComplaintStatus(in.Status))
}
