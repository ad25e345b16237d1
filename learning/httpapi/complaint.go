package httpapi

import "github.com/openlectern/openlectern/learning"

// complaintJSON is a complaint (docs/api.md §11), without user ids.
type complaintJSON struct {
	ID        string  `json:"_id"`
	PostID    string  `json:"postId"`
	ReplyID   *string `json:"replyId" jsonschema:"nullable"` // null for a complaint about the post itself
	Reason    string  `json:"reason"`
	Excerpt   string  `json:"excerpt"`
	Status    string  `json:"status" jsonschema:"enum=open,enum=dismissed,enum=removed"`
	CreatedAt instant `json:"createdAt"`
}

type complaintRequest struct {
	Reason  string `json:"reason" jsonschema:"minLength=1,maxLength=500"`
	ReplyID string `json:"replyId,omitempty"`
}

func (a *api) complain(c *call, in complaintRequest) (none, error) {
	return none{}, a.platform.Complain(c.Context(), c.actor, c.param("postId"), in.ReplyID, in.Reason)
}

type complaintsAnswer struct {
	Complaints []complaintJSON `json:"reports"`
	Next       *string         `json:"nextCursor" jsonschema:"nullable"`
}

func (a *api) complaints(c *call, _ none) (complaintsAnswer, error) {
	values := c.URL.Query()
	status, known := learning.ParseComplaintStatus(values.Get("status"))
	if !known && values.Get("status") != "" {
		return complaintsAnswer{}, learning.ErrInvalidRequest
	}
	page, err := pageOf(c, learning.MaxPageRows)
	if err != nil {
		return complaintsAnswer{}, err
	}
	list, next, err := a.platform.Complaints(c.Context(), c.actor, status, page)
	if err != nil {
		return complaintsAnswer{}, err
	}
	answer := complaintsAnswer{make([]complaintJSON, 0, len(list)), cursorOf(c, next)}
	for _, one := range list {
		answer.Complaints = append(answer.Complaints, complaintOf(one))
	}
	return answer, nil
}

func complaintOf(c learning.Complaint) complaintJSON {
	return complaintJSON{c.ID, c.PostID, nullable(c.ReplyID), c.Reason, c.Excerpt, string(c.Status), instant(c.CreatedAt)}
}

type decideComplaintRequest struct {
	Status string `json:"status" jsonschema:"enum=dismissed,enum=removed"`
}

func (a *api) decideComplaint(c *call, in decideComplaintRequest) (none, error) {
	return none{}, a.platform.DecideComplaint(c.Context(), c.actor, c.param("reportId"), learning.ComplaintStatus(in.Status))
}
