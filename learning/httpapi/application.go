package httpapi

import (
	"net/http"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/staff"
)

type applyRequest struct {
	ProfessionalTitle string   `json:"professionalTitle" jsonschema:"minLength=1,maxLength=200" doc:"A profession, plain text."`
	Bio               string   `json:"bio" jsonschema:"minLength=1,maxLength=5000" doc:"What the applicant has done, plain text."`
	Expertise         []string `json:"expertise" jsonschema:"minItems=1,maxItems=20" doc:"What the applicant can teach: 1 to 20 entries of at most 100 characters."`
	LinkedinURL       *string  `json:"linkedinUrl,omitempty" jsonschema:"maxLength=2000" doc:"The URL of a profile. Without a scheme it gets 'https://'."`
}

// applicationJSON is an application (docs/api.md §9).
type applicationJSON struct {
	ID string `json:"_id"`
	// empty in the applicant's own view
	UserID            string   `json:"userId,omitempty" doc:"The applicant. Only admins get it."`
	ProfessionalTitle string   `json:"professionalTitle" doc:"A profession. Escape it."`
	Bio               string   `json:"bio" doc:"What the applicant has done. Escape it."`
	Expertise         []string `json:"expertise" doc:"What the applicant can teach."`
	LinkedinURL       string   `json:"linkedinUrl" doc:"The URL of a profile. Empty if there is none."`
	Status            string   `json:"status" jsonschema:"enum=pending,enum=approved,enum=rejected" doc:"'pending' until an admin decides."`
	RejectionReason   string   `json:"rejectionReason" doc:"Why the application was rejected. Empty if no reason was given, or if it is not rejected."`
	CreatedAt         instant  `json:"createdAt"`
}

type applyAnswer struct {
	Message     string          `json:"message"`
	Application applicationJSON `json:"application"`
}

// apply sends an application, or sends it again after a rejection; the message says which.
func (a *api) apply(c *call, in applyRequest) (applyAnswer, error) {
	sent, err := a.platform.Staff.Apply(c.Context(), c.actor, staff.NewApplication{
		ProfessionalTitle: in.ProfessionalTitle, Bio: in.Bio, Expertise: in.Expertise,
		LinkedinURL: in.LinkedinURL,
	})
	if err != nil {
		return applyAnswer{}, err
	}
	message := "Application submitted successfully."
	if sent.IsAgain {
		message = "Application resubmitted successfully."
	}
	return applyAnswer{message, applicationOf(sent.Application)}, nil
}

type applicationStatusAnswer struct {
	// null if there is none
	Application *applicationJSON `json:"application" jsonschema:"nullable" doc:"The application. Null if the caller has not applied."`
}

// applicationStatus answers the caller's application, or null. It leaves out the user id.
func (a *api) applicationStatus(c *call, _ none) (applicationStatusAnswer, error) {
	own, err := a.platform.Staff.ApplicationOf(c.Context(), c.actor)
	if err != nil || own == nil {
		return applicationStatusAnswer{}, err
	}
	answer := applicationOf(*own)
	answer.UserID = "" // only admins get it
	return applicationStatusAnswer{&answer}, nil
}

type applicationsAnswer struct {
	Applications []applicationJSON `json:"applications" doc:"The applications, the newest first."`
	Next         nextCursor        `json:"nextCursor,omitzero"`
}

// listApplications answers the applications of the status in the query, or those of every status:
// one page of them if the query has a limit or a cursor. It refuses an unknown status, so that a
// misspelt one does not answer an empty list.
func (a *api) listApplications(w http.ResponseWriter, c *call) error {
	var status people.ApplicationStatus
	if word := c.URL.Query().Get("status"); word != "" {
		known := false
		if status, known = people.ParseApplicationStatus(word); !known {
			return core.InvalidField("status", unknownWord)
		}
	}
	return listing[people.Application, applicationJSON]{
		field: "applications",
		page: func(page core.PageRequest) (core.Page[people.Application], error) {
			return a.platform.Staff.Applications(c.Context(), c.actor, status, page)
		},
		shape: applicationOf,
		answer: func(rows []applicationJSON, next nextCursor) any {
			return applicationsAnswer{rows, next}
		},
	}.write(w, c)
}

// applicationOf returns the wire shape of an application, with the user id, which only admins
// get.
func applicationOf(a people.Application) applicationJSON {
	return applicationJSON{
		ID:                a.ID,
		UserID:            a.UserID,
		ProfessionalTitle: a.ProfessionalTitle,
		Bio:               a.Bio,
		Expertise:         a.Expertise,
		LinkedinURL:       a.LinkedinURL,
		Status:            string(a.Status),
		RejectionReason:   a.RejectionReason,
		CreatedAt:         instant(a.CreatedAt),
	}
}

// approveApplication makes the applicant an educator. The message is answered if there is no error.
func (a *api) approveApplication(c *call, _ none) (messageAnswer, error) {
	return messageAnswer{"Application approved. Educator role granted."},
		a.platform.Staff.Approve(c.Context(), c.actor, c.Param("id"))
}

type rejectRequest struct {
	Reason string `json:"reason,omitempty" jsonschema:"maxLength=1000" doc:"The applicant may read it."`
}

// rejectApplication rejects an application. The message is answered if there is no error.
func (a *api) rejectApplication(c *call, in rejectRequest) (messageAnswer, error) {
	return messageAnswer{"Application rejected."},
		a.platform.Staff.Reject(c.Context(), c.actor, c.Param("id"), in.Reason)
}
