package staff

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/openlectern/openlectern/internal/paging"
	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
)

// The public failures of applications.
var (
	ErrApplicationNotFound = &core.Error{Kind: core.NotFound, Code: "application_not_found",
		Message: "Application not found"}
	ErrApplicationPending = &core.Error{Kind: core.Conflict, Code: "application_pending",
		Message: "You already have a pending application."}
	ErrApplicationApproved = &core.Error{Kind: core.Conflict, Code: "application_approved",
		Message: "Your application has already been approved."}
	ErrAlreadyApproved = &core.Error{Kind: core.Conflict, Code: "already_approved",
		Message: "Application is already approved."}
	ErrAlreadyRejected = &core.Error{Kind: core.Conflict, Code: "already_rejected",
		Message: "Application is already rejected."}
	ErrBeingReviewed = &core.Error{Kind: core.Conflict, Code: "being_reviewed",
		Message: "Application is being reviewed."}
	ErrOwnApplication = &core.Error{Kind: core.Conflict, Code: "own_application",
		Message: "You cannot decide on your own application."}
)

// The events of applications.
const (
	EventApplicationSubmitted core.EventType = "application.submitted"
	EventApplicationApproved  core.EventType = "application.approved"
	EventApplicationRejected  core.EventType = "application.rejected"
)

// Limits of an application (docs/api.md §9), in code points.
const (
	MaxProfessionalTitle = 200
	MaxBio               = 5_000
	MaxExpertise         = 20 // entries
	MaxExpertiseEntry    = 100
	MaxLinkedinURL       = catalog.MaxLectureURL
	MaxRejectionReason   = 1_000
)

// NewApplication is the content of an application that a user sends.
type NewApplication struct {
	ProfessionalTitle string
	Bio               string
	Expertise         []string // at least one
	LinkedinURL       *string  // http(s) or without a scheme, or empty; nil keeps the stored value
}

// normal returns a copy of n whose texts have no leading or trailing space, and whose web address
// has a scheme: see withScheme. It returns [core.ErrInvalidRequest] if n exceeds a limit, if
// another text is blank, or if the web address is neither empty nor valid.
func (n NewApplication) normal() (NewApplication, error) {
	n.ProfessionalTitle = strings.TrimSpace(n.ProfessionalTitle)
	n.Bio = strings.TrimSpace(n.Bio)
	n.Expertise = slices.Clone(n.Expertise)
	if n.LinkedinURL != nil {
		n.LinkedinURL = new(withScheme(strings.TrimSpace(*n.LinkedinURL)))
	}

	for i, e := range n.Expertise {
		n.Expertise[i] = strings.TrimSpace(e)
	}

	// Check the texts after they are trimmed.
	hasURL := n.LinkedinURL == nil || *n.LinkedinURL == "" || text.IsWebURL(*n.LinkedinURL)
	err := cmp.Or(
		core.RequireText("professionalTitle", n.ProfessionalTitle, 1, MaxProfessionalTitle),
		core.RequireText("bio", n.Bio, 1, MaxBio),
		core.Require(len(n.Expertise) >= 1, "expertise", "must have at least 1 element"),
		core.RequireAtMost("expertise", n.Expertise, MaxExpertise),
		core.EachIn("expertise", n.Expertise, func(entry string) error {
			return core.RequireText("", entry, 1, MaxExpertiseEntry)
		}),
		core.Require(hasURL, "linkedinUrl", text.WebURLRule))
	if err != nil {
		return NewApplication{}, err
	}
	return n, nil
}

// withScheme returns a web address with "https://" before it if it has no scheme,
// such as "www.linkedin.com/in/ada". Other texts are returned as they are.
func withScheme(address string) string {
	whole := "https://" + strings.TrimPrefix(address, "//") // "//host" has no scheme either
	u, err := url.Parse(whole)
	hasScheme := strings.Contains(address, "://")
	if err != nil || hasScheme {
		return address
	}
	// "mailto:ada@example.com" and "javascript:0" have a scheme too. With "https://" before it, the
	// first one has a user, and the second one a host without a dot.
	isWebAddress := u.User == nil && strings.Contains(u.Hostname(), ".")
	if !isWebAddress {
		return address
	}
	return whole
}

// Submission is the result of [Service.Apply].
type Submission struct {
	people.Application
	IsAgain bool // whether it replaces a rejected application
}

// Apply creates the actor's application. If the actor has a rejected application, it becomes
// pending again with the new content. Errors: [core.ErrUnauthenticated], also if the user was
// deleted since the actor was identified, [core.ErrInvalidRequest], [ErrApplicationPending],
// [ErrApplicationApproved].
func (s *Service) Apply(
	ctx context.Context, actor core.Actor, n NewApplication,
) (Submission, error) {
	if err := actor.Require(); err != nil {
		return Submission{}, err
	}
	n, err := n.normal()
	if err != nil {
		return Submission{}, err
	}

	// The transaction has locked the account of the user and read it: before. It may run again, so
	// sent is set anew in each run.
	var sent Submission
	err = people.ChangeOfAccount(ctx, s.base, actor.UserID,
		func(tx Tx, changes *core.Changes, before people.Account) (people.Account, error) {
			if err := decideApply(before); err != nil {
				return before, err
			}

			// A rejected application keeps its id and its time of creation.
			sent = Submission{Application: before.Application, IsAgain: before.Application.ID != ""}
			if !sent.IsAgain {
				sent.Application = people.Application{ID: s.base.NewID(), UserID: actor.UserID,
					CreatedAt: s.base.Now()}
			}
			submit(&sent.Application, actor, n, s.base.Now())

			// Store it, with its event, which changes collects. ChangeOfAccount counts the
			// difference between before and after in the totals, such as that of the pending
			// applications.
			after := before
			after.Application = sent.Application
			addApplicationEvent(changes, EventApplicationSubmitted, sent.Application)
			return after, putApplication(ctx, tx, before.Application, sent.Application)
		})
	if err != nil {
		return Submission{}, core.Wrap("apply", err)
	}
	return sent, nil
}

// decideApply returns nil if the user may apply:
//
//	account    application  result
//	deleted    any          ErrUnauthenticated
//	any other  none         nil: it is inserted
//	any other  rejected     nil: it is pending again
//	any other  pending      ErrApplicationPending
//	any other  approved     ErrApplicationApproved
func decideApply(a people.Account) error {
	switch {
	case a.Deleted:
		return core.ErrUnauthenticated
	case a.Application.Status == people.ApplicationPending:
		return ErrApplicationPending
	case a.Application.Status == people.ApplicationApproved:
		return ErrApplicationApproved
	}
	return nil
}

// submit sets the content of n, and the status pending. It keeps the LinkedIn address if n has
// none.
func submit(a *people.Application, actor core.Actor, n NewApplication, now time.Time) {
	a.ProfessionalTitle = n.ProfessionalTitle
	a.Bio = n.Bio
	a.Expertise = n.Expertise
	if n.LinkedinURL != nil {
		a.LinkedinURL = *n.LinkedinURL
	}

	// An admin decides again. PreviousRole is for a rejection after an approval that was
	// interrupted: it restores that role.
	a.Status = people.ApplicationPending
	a.RejectionReason = ""
	a.UpdatedAt = now
	a.PreviousRole = core.ParseRole(string(actor.Role)) // Student if the actor's role is not known
}

// putApplication inserts a if before is zero. Otherwise before is the rejected application of the
// user as it was read, and a replaces it. Errors: [core.ErrDuplicate] if a concurrent call has
// inserted one, after which ChangeOfAccount runs the transaction again, and [ErrApplicationPending]
// if a concurrent call has replaced before.
func putApplication(ctx context.Context, tx Tx, before, a people.Application) error {
	if before.ID == "" {
		return tx.InsertApplication(ctx, a)
	}
	updated, err := tx.UpdateApplication(ctx, before, a)
	if err == nil && !updated {
		// A concurrent call has changed the application since it was read. That is possible if the
		// user has no record to lock.
		err = ErrApplicationPending
	}
	return err
}

// ApplicationOf returns the actor's application, or nil if there is none. Error:
// [core.ErrUnauthenticated].
func (s *Service) ApplicationOf(
	ctx context.Context, actor core.Actor,
) (*people.Application, error) {
	if err := actor.Require(); err != nil {
		return nil, err
	}
	a, err := s.store.ApplicationOf(ctx, actor.UserID)
	if errors.Is(err, core.ErrNoRecord) {
		return nil, nil // the actor has not applied
	}
	if err != nil {
		return nil, fmt.Errorf("read an application: %w", err)
	}
	return &a, nil
}

// Applications returns a page of the applications with a status, or of all if it is "", the newest
// first. Errors: [core.ErrUnauthenticated], [core.ErrForbidden], [core.ErrInvalidRequest] if page
// has no valid limit.
func (s *Service) Applications(
	ctx context.Context, actor core.Actor, status people.ApplicationStatus, page core.PageRequest,
) (core.Page[people.Application], error) {
	if err := actor.RequireRole(core.Admin); err != nil {
		return core.Page[people.Application]{}, err
	}
	read := func(ctx context.Context, page core.PageRequest) ([]people.Application, error) {
		return s.store.Applications(ctx, status, page)
	}
	// The next page begins after the position of the last row.
	return paging.ReadPage(ctx, "list the applications", page, read,
		func(a people.Application) core.Position {
			return core.Position{At: a.CreatedAt,
				ID: a.ID}
		})
}

// applicationReader reads applications.
type applicationReader interface {
	Application(ctx context.Context, id string) (people.Application, error)
	people.ApplicantReader
	// Applications lists a page of those with a status, or of all if it is "", the newest first.
	Applications(ctx context.Context, status people.ApplicationStatus,
		page core.PageRequest) ([]people.Application, error)
}

// applicationWriter writes applications.
type applicationWriter interface {
	// InsertApplication adds an application. It returns [core.ErrDuplicate] if the user has
	// one.
	InsertApplication(ctx context.Context, a people.Application) error
	// UpdateApplication stores the changes from before to after, which must have the same id,
	// user and time of creation, if the stored application has the status, the review and the
	// time of change of before. It reports whether it did.
	UpdateApplication(ctx context.Context, before, after people.Application) (bool, error)
	// DeleteApplication deletes the application of a user, if there is one.
	DeleteApplication(ctx context.Context, userID string) error
}

// addApplicationEvent adds an event of an application.
func addApplicationEvent(changes *core.Changes, t core.EventType, a people.Application) {
	changes.Add(t, "user", a.UserID, core.EventData{ApplicationID: a.ID, UserID: a.UserID})
}
