package learning

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
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
	return status, status == ApplicationPending || status == ApplicationApproved || status == ApplicationRejected
}

// Application is a user's request to become an educator. A user has at most one. A
// user who was rejected and applies again overwrites it.
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
	PreviousRole Role

	// ReviewID is the lease holder of the review that was begun last, or "" if none was
	// begun. It stays until a decision is stored, because the review may have changed
	// the role at the identity provider.
	ReviewID string
}

// Limits of an application (docs/api.md §9), in code points.
const (
	MaxProfessionalTitle = 200
	MaxBio               = 5_000
	MaxExpertise         = 20 // entries
	MaxExpertiseEntry    = 100
	MaxLinkedinURL       = MaxLectureURL
	MaxRejectionReason   = 1_000
)

// NewApplication is the content of an application that a user sends.
type NewApplication struct {
	ProfessionalTitle string
	Bio               string
	Expertise         []string // at least one
	LinkedinURL       *string  // http(s) or without a scheme, or empty; nil keeps the stored value
}

// normal returns a copy of n whose texts have no leading or trailing space. It
// returns [ErrInvalidRequest] if n exceeds a limit.
func (n NewApplication) normal() (NewApplication, error) {
	n.ProfessionalTitle, n.Bio, n.Expertise = strings.TrimSpace(n.ProfessionalTitle), strings.TrimSpace(n.Bio), slices.Clone(n.Expertise)
	if n.LinkedinURL != nil {
		n.LinkedinURL = new(withScheme(strings.TrimSpace(*n.LinkedinURL)))
	}
	valid := isText(n.ProfessionalTitle, 1, MaxProfessionalTitle) && isText(n.Bio, 1, MaxBio) &&
		len(n.Expertise) >= 1 && len(n.Expertise) <= MaxExpertise &&
		(n.LinkedinURL == nil || *n.LinkedinURL == "" || isWebURL(*n.LinkedinURL))
	for i, e := range n.Expertise {
		n.Expertise[i] = strings.TrimSpace(e)
		valid = valid && isText(n.Expertise[i], 1, MaxExpertiseEntry)
	}
	if !valid {
		return NewApplication{}, ErrInvalidRequest
	}
	return n, nil
}

// withScheme returns a web address with "https://" before it if it has no scheme,
// such as "www.linkedin.com/in/ada". Other texts are returned as they are.
func withScheme(address string) string {
	whole := "https://" + strings.TrimPrefix(address, "//")
	u, err := url.Parse(whole)
	if err != nil || strings.Contains(address, "://") || u.User != nil || !strings.Contains(u.Hostname(), ".") {
		return address // "mailto:ada@example.com" and "javascript:0" are not web addresses
	}
	return whole
}

// Submission is the result of [Platform.Apply].
type Submission struct {
	Application
	IsAgain bool // whether it replaces a rejected application
}

// Apply creates the actor's application. If the actor has a rejected application, it becomes pending
// again with the new content. Errors: [ErrUnauthenticated], [ErrInvalidRequest],
// [ErrApplicationPending], [ErrApplicationApproved].
func (p *Platform) Apply(ctx context.Context, actor Actor, n NewApplication) (Submission, error) {
	if err := actor.Require(); err != nil {
		return Submission{}, err
	}
	n, err := n.normal()
	if err != nil {
		return Submission{}, err
	}
	var s Submission
	err = p.inAccountTx(ctx, actor.UserID, func(tx Tx, out *outbox, before account) (account, error) {
		// Decide: see decideApply.
		after := before
		if err := decideApply(before); err != nil {
			return after, err
		}
		s = Submission{Application: before.Application, IsAgain: before.Application.ID != ""}
		if !s.IsAgain {
			s.Application = Application{ID: p.newID(), UserID: actor.UserID, CreatedAt: p.now()}
		}
		s.submit(actor, n, p.now())

		// Store the application.
		after.Application = s.Application
		out.application(EventApplicationSubmitted, s.Application)
		return after, putApplication(ctx, tx, s.Application, s.IsAgain)
	})
	if err != nil {
		return Submission{}, wrap("apply", err)
	}
	return s, nil
}

// decideApply returns nil if the user may apply:
//
//	account    application  result
//	deleted    any          ErrUnauthenticated
//	any other  none         nil: it is inserted
//	any other  rejected     nil: it is pending again
//	any other  pending      ErrApplicationPending
//	any other  approved     ErrApplicationApproved
func decideApply(a account) error {
	switch {
	case a.Deleted:
		return ErrUnauthenticated
	case a.Application.Status == ApplicationPending:
		return ErrApplicationPending
	case a.Application.Status == ApplicationApproved:
		return ErrApplicationApproved
	}
	return nil
}

// submit sets the content of n, and the status pending.
func (a *Application) submit(actor Actor, n NewApplication, now time.Time) {
	a.ProfessionalTitle, a.Bio, a.Expertise = n.ProfessionalTitle, n.Bio, n.Expertise
	if n.LinkedinURL != nil {
		a.LinkedinURL = *n.LinkedinURL
	}
	a.Status, a.RejectionReason, a.UpdatedAt = ApplicationPending, "", now
	a.PreviousRole = ParseRole(string(actor.Role))
}

// putApplication inserts an application, or replaces the rejected one.
func putApplication(ctx context.Context, tx Tx, a Application, again bool) error {
	if !again {
		return tx.InsertApplication(ctx, a)
	}
	moved, err := tx.ResubmitApplication(ctx, a)
	if err == nil && !moved { // a concurrent call resubmitted it, of a user without a record
		err = ErrApplicationPending
	}
	return err
}

// ApplicationOf returns the actor's application, or nil if there is none.
func (p *Platform) ApplicationOf(ctx context.Context, actor Actor) (*Application, error) {
	if err := actor.Require(); err != nil {
		return nil, err
	}
	a, err := p.store.ApplicationOf(ctx, actor.UserID)
	if errors.Is(err, ErrNoRecord) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read an application: %w", err)
	}
	return &a, nil
}

// Applications lists the applications with a status, or all if it is "", the newest
// first. Only an admin may call it.
func (p *Platform) Applications(
	actor Actor, status ApplicationStatus,
) (*List[Application], error) {
	if err := actor.RequireRole(Admin); err != nil {
		return nil, err
	}
	return pagedList("list the applications", inPages(p.applicationsWith(status)),
		func(a *Application) Position { return Position{At: a.CreatedAt, ID: a.ID} }), nil
}

// ApplicationsPage returns a page of [Platform.Applications], and the position after which the
// next one begins, zero at the end. Errors: [ErrUnauthenticated], [ErrForbidden],
// [ErrInvalidRequest].
func (p *Platform) ApplicationsPage(ctx context.Context, actor Actor, status ApplicationStatus, page Page) ([]Application, Position, error) {
	if err := actor.RequireRole(Admin); err != nil {
		return nil, Position{}, err
	}
	return readPage(ctx, "list the applications", page, p.applicationsWith(status),
		func(a Application) Position { return Position{At: a.CreatedAt, ID: a.ID} })
}

func (p *Platform) applicationsWith(
	status ApplicationStatus,
) func(context.Context, Page) ([]Application, error) {
	return func(ctx context.Context, page Page) ([]Application, error) {
		return p.store.Applications(ctx, status, page)
	}
}

// applicationReader reads applications.
type applicationReader interface {
	Application(ctx context.Context, id string) (Application, error)
	ApplicationOf(ctx context.Context, userID string) (Application, error)
	// Applications lists those with a status, or all if it is "", the newest first: a page,
	// or the whole list for the zero page.
	Applications(ctx context.Context, status ApplicationStatus, page Page) ([]Application, error)
}

// applicationWriter writes applications.
type applicationWriter interface {
	// InsertApplication adds an application. It returns [ErrDuplicate] if the user has
	// one.
	InsertApplication(ctx context.Context, a Application) error
	// ResubmitApplication moves rejected to pending, with the content and the previous
	// role of a. It reports whether it did.
	ResubmitApplication(ctx context.Context, a Application) (bool, error)
	// BeginReview sets the review and previous role of a, if the application is pending
	// and its review is oldID ("" for none). It reports whether it did. It is for the
	// holder of the lease.
	BeginReview(ctx context.Context, a Application, oldID string) (bool, error)
	// DecideApplication moves a pending application to the status of a, with its reason
	// and time, if its review is that of a ("" for none). It reports whether it did.
	DecideApplication(ctx context.Context, a Application) (bool, error)
	// DeleteApplication deletes the application of a user, if there is one.
	DeleteApplication(ctx context.Context, userID string) error
}
