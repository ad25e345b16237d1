package people

import (
	"time"

	"github.com/openlectern/openlectern/learning/core"
)

// ApplicationStatus is the state of an application to become an educator
// (docs/api.md §9).
type ApplicationStatus string

// The states of an application.
const (
	ApplicationPending  ApplicationStatus = "pending"
	ApplicationApproved ApplicationStatus = "approved"
	ApplicationRejected ApplicationStatus = "rejected"
)

// ParseApplicationStatus returns the status with the text s. It returns false if there
// is no such status.
func ParseApplicationStatus(s string) (ApplicationStatus, bool) {
	status := ApplicationStatus(s)
	return status, status == ApplicationPending || status == ApplicationApproved ||
		status == ApplicationRejected
}

// Application is a user's request to become an educator. It is a part of the account, because it
// decides in which totals the user counts; package staff has what is done with it. A user has at
// most one. A user who was rejected and applies again overwrites it.
type Application struct {
	ID                string
	UserID            string
	ProfessionalTitle string
	Bio               string
	Expertise         []string
	LinkedinURL       string
	Status            ApplicationStatus
	RejectionReason   string
	CreatedAt         time.Time
	UpdatedAt         time.Time

	// PreviousRole is the role of the user at the time of the application. A review
	// replaces it by the role at the start of the review.
	PreviousRole core.Role

	// ReviewID is the lease holder of the review that was begun last, or "" if none was
	// begun. It stays until a decision is stored, because the review may have changed
	// the role at the identity provider.
	ReviewID string
}
