package learning

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// ApplicationStatus is where the application of somebody who wants to teach
// stands (interface.md, "Educator application").
type ApplicationStatus string

// The states of an application.
const (
	ApplicationPending  ApplicationStatus = "pending"
	ApplicationApproved ApplicationStatus = "approved"
	ApplicationRejected ApplicationStatus = "rejected"
)

// ParseApplicationStatus reads a status; false for a word that is none.
func ParseApplicationStatus(s string) (ApplicationStatus, bool) {
	status := ApplicationStatus(s)
	return status, status == ApplicationPending || status == ApplicationApproved || status == ApplicationRejected
}

// Application is what somebody wrote in order to become an educator. There is
// one a person: who was rejected and applies again changes it.
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

	// Of a claim: who is deciding, until when nobody else may, and which role the
	// person had before. A holder whose lease is over may have changed the role at
	// the identity provider, or not.
	Holder       string
	LeaseUntil   time.Time
	PreviousRole Role
}

// Limits of an application (contract.md §9), in code points.
const (
	MaxProfessionalTitle = 200
	MaxBio               = 5_000
	MaxExpertise         = 20 // entries
	MaxExpertiseEntry    = 100
	MaxLinkedinURL       = 2_000
	MaxRejectionReason   = 1_000
)

// NewApplication is an application as somebody sends it.
type NewApplication struct {
	ProfessionalTitle string
	Bio               string
	Expertise         []string // at least one
	LinkedinURL       *string  // http(s), or empty; nil keeps what was there before
}

func (n NewApplication) valid() bool {
	if !isText(n.ProfessionalTitle, 1, MaxProfessionalTitle) || !isText(n.Bio, 1, MaxBio) || len(n.Expertise) < 1 || len(n.Expertise) > MaxExpertise {
		return false
	}
	for _, e := range n.Expertise {
		if !isText(e, 1, MaxExpertiseEntry) {
			return false
		}
	}
	return n.LinkedinURL == nil || *n.LinkedinURL == "" || isWebURL(*n.LinkedinURL)
}

// Apply makes the actor's application, or makes a rejected one pending again; it
// tells which. Errors: [ErrUnauthenticated], [ErrInvalidRequest],
// [ErrApplicationPending], [ErrApplicationApproved].
func (p *Platform) Apply(ctx context.Context, actor Actor, n NewApplication) (a Application, again bool, err error) {
	if err := actor.Require(); err != nil {
		return Application{}, false, err
	}
	if !n.valid() {
		return Application{}, false, ErrInvalidRequest
	}
	err = p.inTxAgain(ctx, func(tx Tx) (err error) {
		a, err = tx.ApplicationOf(ctx, actor.UserID)
		if again = err == nil; again {
			return p.reapply(ctx, tx, &a, n)
		}
		if !errors.Is(err, ErrNoRecord) {
			return err
		}
		a = p.newApplication(actor, n)
		return tx.InsertApplication(ctx, a)
	})
	return a, again, said("apply", err)
}

func (p *Platform) newApplication(actor Actor, n NewApplication) Application {
	now := p.now()
	a := Application{ID: p.newID(), UserID: actor.UserID, Status: ApplicationPending, CreatedAt: now}
	a.fill(n, now)
	return a
}

// fill takes over what was submitted.
func (a *Application) fill(n NewApplication, now time.Time) {
	a.ProfessionalTitle, a.Bio, a.Expertise = n.ProfessionalTitle, n.Bio, slices.Clone(n.Expertise)
	if n.LinkedinURL != nil {
		a.LinkedinURL = strings.TrimSpace(*n.LinkedinURL)
	}
	a.RejectionReason, a.UpdatedAt = "", now
}

// reapply makes a rejected application pending, with new content.
func (p *Platform) reapply(ctx context.Context, tx Tx, a *Application, n NewApplication) error {
	switch a.Status {
	case ApplicationPending:
		return ErrApplicationPending
	case ApplicationApproved:
		return ErrApplicationApproved
	}
	a.fill(n, p.now())
	a.Status = ApplicationPending
	moved, err := tx.ResubmitApplication(ctx, *a)
	if err == nil && !moved { // somebody else's attempt was faster
		return ErrApplicationPending
	}
	return err
}

// ApplicationOf is the actor's own application; nil when there is none.
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

// Applications lists the applications of one status, or all for "", the newest
// first, for an admin.
func (p *Platform) Applications(ctx context.Context, actor Actor, status ApplicationStatus) ([]Application, error) {
	if err := actor.RequireRole(Admin); err != nil {
		return nil, err
	}
	list, err := p.store.Applications(ctx, status)
	if err != nil {
		return nil, fmt.Errorf("list the applications: %w", err)
	}
	return list, nil
}

// said adds what was being done to an internal error; a public one stays as it is.
func said(doing string, err error) error {
	var public *Error
	if err == nil || errors.As(err, &public) {
		return err
	}
	return fmt.Errorf("%s: %w", doing, err)
}
