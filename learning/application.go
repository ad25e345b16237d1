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

// ApplicationStatus is where the application of somebody who wants to teach
// stands (docs/api.md §9).
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

	// What the person was when they applied and, once somebody decides, just before
	// that.
	PreviousRole Role

	// Of a claim: who is deciding, and until when nobody else may. A holder whose
	// lease is over may have changed the role at the identity provider, or not.
	Holder     string
	LeaseUntil time.Time
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

// NewApplication is an application as somebody sends it.
type NewApplication struct {
	ProfessionalTitle string
	Bio               string
	Expertise         []string // at least one
	LinkedinURL       *string  // http(s) or without a scheme, or empty; nil keeps what was there before
}

// normal is what is kept of a new application: its texts without blanks around
// them; [ErrInvalidRequest] when it breaks a limit. It leaves n as it is.
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
		return address // "mailto:ada@example.com" and "javascript:0" are none
	}
	return whole
}

// Apply makes the actor's application, or makes a rejected one pending again; it
// tells which. Errors: [ErrUnauthenticated], [ErrInvalidRequest],
// [ErrApplicationPending], [ErrApplicationApproved].
func (p *Platform) Apply(ctx context.Context, actor Actor, n NewApplication) (a Application, again bool, err error) {
	if err := actor.Require(); err != nil {
		return Application{}, false, err
	}
	if n, err = n.normal(); err != nil {
		return Application{}, false, err
	}
	a, again, err = p.apply(ctx, actor, n)
	if errors.Is(err, ErrDuplicate) { // another attempt of the same person was faster: now it is seen
		a, again, err = p.apply(ctx, actor, n)
	}
	return a, again, wrap("apply", err)
}

func (p *Platform) apply(ctx context.Context, actor Actor, n NewApplication) (a Application, again bool, err error) {
	a, err = p.store.ApplicationOf(ctx, actor.UserID)
	switch again = err == nil; {
	case errors.Is(err, ErrNoRecord):
		a = Application{ID: p.newID(), UserID: actor.UserID, CreatedAt: p.now()}
	case err != nil:
		return Application{}, false, err
	case a.Status == ApplicationPending:
		return Application{}, false, ErrApplicationPending
	case a.Status == ApplicationApproved:
		return Application{}, false, ErrApplicationApproved
	}
	a.submit(actor, n, p.now())
	err = p.store.InTx(ctx, func(tx Tx) error { return putApplication(ctx, tx, a, again) })
	if err = p.unlessStored(ctx, a, err); err != nil {
		return Application{}, false, err
	}
	return a, again, nil
}

// submit takes over what was sent.
func (a *Application) submit(actor Actor, n NewApplication, now time.Time) {
	a.ProfessionalTitle, a.Bio, a.Expertise = n.ProfessionalTitle, n.Bio, n.Expertise
	if n.LinkedinURL != nil {
		a.LinkedinURL = *n.LinkedinURL
	}
	a.Status, a.RejectionReason, a.PreviousRole, a.UpdatedAt = ApplicationPending, "", ParseRole(string(actor.Role)), now
}

func putApplication(ctx context.Context, tx Tx, a Application, again bool) error {
	if !again {
		if err := tx.InsertApplication(ctx, a); err != nil {
			return err
		}
	} else if moved, err := tx.ResubmitApplication(ctx, a); err != nil {
		return err
	} else if !moved { // another attempt was faster
		return ErrApplicationPending
	}
	return stillHere(ctx, tx, a.UserID)
}

// unlessStored is the error of a transaction that was to leave an application as
// this, or nil when it is so all the same: the answer to COMMIT can be lost.
func (p *Platform) unlessStored(ctx context.Context, want Application, err error) error {
	if err == nil || isPublic(err) || errors.Is(err, ErrDuplicate) {
		return err
	}
	ctx, cancel := p.provider(context.WithoutCancel(ctx))
	defer cancel()
	a, readErr := p.store.Application(ctx, want.ID)
	if readErr == nil && a.Status == want.Status && a.RejectionReason == want.RejectionReason && a.UpdatedAt.Equal(want.UpdatedAt) {
		return nil
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

// ApplicationReader reads the applications of those who want to teach.
type ApplicationReader interface {
	Application(ctx context.Context, id string) (Application, error)
	ApplicationOf(ctx context.Context, userID string) (Application, error)
	// Applications lists those of one status, or all for "", the newest first.
	Applications(ctx context.Context, status ApplicationStatus) ([]Application, error)
}

// ApplicationWriter writes applications.
type ApplicationWriter interface {
	// InsertApplication adds one; [ErrDuplicate] when the person has one.
	InsertApplication(ctx context.Context, a Application) error
	// ResubmitApplication moves rejected to pending, with the content and the
	// previous role of a.
	ResubmitApplication(ctx context.Context, a Application) (bool, error)
	// ClaimApplication gives a pending application to the holder of a, with the
	// lease and the previous role of a, when it is still the old holder's ("" for
	// nobody's) and that one's lease was over at a time.
	ClaimApplication(ctx context.Context, a Application, oldHolder string, at time.Time) (bool, error)
	// EndApplicationClaim ends the lease of a holder at a time; the holder stays noted.
	EndApplicationClaim(ctx context.Context, id, holder string, at time.Time) error
	// DecideApplication moves a pending application to the status of a, with its
	// reason and time, when it is still the holder's of a ("" for nobody's).
	DecideApplication(ctx context.Context, a Application) (bool, error)
	// DeleteApplication removes a person's application, if there is one.
	DeleteApplication(ctx context.Context, userID string) error
}
