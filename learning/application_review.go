package learning

import (
	"context"
	"errors"
	"fmt"

	"github.com/openlectern/openlectern/internal/lease"
)

// Approve makes the applicant an educator. It takes the lease of the application,
// grants the role at the identity provider, and then stores the decision, so that
// the application stays pending if the grant fails. Every step can be repeated:
// after a crash the lease ends, and another approval completes the first one. An
// applicant who is an admin stays an admin.
//
// Errors: [ErrForbidden], [ErrApplicationNotFound], [ErrOwnApplication],
// [ErrAlreadyApproved], [ErrAlreadyRejected], [ErrBeingReviewed].
func (p *Platform) Approve(ctx context.Context, actor Actor, id string) error {
	a, s, err := p.reviewable(ctx, actor, id)
	if err != nil {
		return err
	}
	if s.Deleted { // the application was deleted too, after it was read
		return ErrApplicationNotFound
	}
	if a.ReviewID == "" && s.RoleAssignment.Role != "" {
		a.PreviousRole = s.RoleAssignment.Role
	}
	return p.decide(ctx, a, verdict{status: ApplicationApproved, role: approvedRole(a, s)})
}

// approvedRole returns the role that an approval grants; "" if it changes none. An
// admin keeps the role. If an approval was begun before the applicant was made an
// admin, the provider may have been told the role educator afterwards, so it is told
// the role admin again.
func approvedRole(a Application, s AccountState) Role {
	switch {
	case s.RoleAssignment.Role == Admin && a.ReviewID != "":
		return Admin
	case s.RoleAssignment.Role == Admin || a.PreviousRole == Admin:
		return ""
	}
	return Educator
}

// Reject rejects an application. The reason may be empty. If an approval was begun
// and not finished, Reject first restores the previous role of the user at the
// identity provider, or grants the role admin if the user was made an admin since.
// Errors: those of [Platform.Approve], and [ErrInvalidRequest].
func (p *Platform) Reject(ctx context.Context, actor Actor, id, reason string) error {
	if err := actor.RequireRole(Admin); err != nil {
		return err
	}
	if !isText(reason, 0, MaxRejectionReason) {
		return ErrInvalidRequest
	}
	a, s, err := p.reviewable(ctx, actor, id)
	if err != nil {
		return err
	}
	v := verdict{status: ApplicationRejected, reason: reason}
	if a.ReviewID != "" {
		v.role = restoredRole(a, s)
	}
	return p.decide(ctx, a, v)
}

// restoredRole returns the role that the applicant has after the rejection of an
// application whose approval was begun. The provider may have been told the role
// educator after the applicant was made an admin, so it is told the role admin again.
func restoredRole(a Application, s AccountState) Role {
	if s.RoleAssignment.Role == Admin {
		return Admin
	}
	return ParseRole(string(a.PreviousRole))
}

// reviewable returns an application that the actor may decide on now, and the
// account state of the applicant.
func (p *Platform) reviewable(ctx context.Context, actor Actor, id string) (Application, AccountState, error) {
	if err := actor.RequireRole(Admin); err != nil {
		return Application{}, AccountState{}, err
	}
	a, err := p.store.Application(ctx, id)
	switch {
	case errors.Is(err, ErrNoRecord):
		return Application{}, AccountState{}, ErrApplicationNotFound
	case err != nil:
		return Application{}, AccountState{}, fmt.Errorf("read an application: %w", err)
	case a.UserID == actor.UserID:
		return Application{}, AccountState{}, ErrOwnApplication
	}
	if err := p.checkReviewable(ctx, a); err != nil {
		return Application{}, AccountState{}, err
	}
	s, err := p.store.AccountState(ctx, a.UserID)
	if err != nil {
		return Application{}, AccountState{}, fmt.Errorf("read the applicant: %w", err)
	}
	return a, s, nil
}

// checkReviewable returns an error if the application is decided, or if another review
// holds its lease.
func (p *Platform) checkReviewable(ctx context.Context, a Application) error {
	if err := a.checkUndecided(); err != nil || a.ReviewID == "" {
		return err
	}
	l, err := p.store.Lease(ctx, a.leaseName())
	switch {
	case err != nil:
		return fmt.Errorf("read the lease of an application: %w", err)
	case !l.Expired(p.now()):
		return ErrBeingReviewed
	}
	return nil
}

// leaseName returns the name of the lease to review the application.
func (a Application) leaseName() string { return "application:" + a.ID }

// checkUndecided returns an error if the application is decided.
func (a Application) checkUndecided() error {
	switch a.Status {
	case ApplicationApproved:
		return ErrAlreadyApproved
	case ApplicationRejected:
		return ErrAlreadyRejected
	}
	return nil
}

// verdict is a decision on an application.
type verdict struct {
	status ApplicationStatus
	reason string
	role   Role // the new role of the applicant; "" to leave it unchanged
}

// decide takes the lease of an application, grants the role of the verdict at the
// provider, and stores the verdict. A verdict without a role needs no lease. If the
// provider fails, decide releases the lease.
func (p *Platform) decide(ctx context.Context, a Application, v verdict) error {
	if v.role == "" {
		return p.conclude(ctx, a, Lease{}, v)
	}
	// The time limit starts before the lease, so that it ends before the lease does:
	// the provider is not called while another review may hold the lease. The work
	// continues if the caller cancels the request.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.timeout+lease.Margin)
	defer cancel()
	a, l, err := p.beginReview(ctx, a)
	if err != nil {
		return err
	}
	err = p.grantAndConclude(ctx, a, l, v)
	if errors.Is(err, errMadeAdmin) {
		v.role = Admin // the grant may have replaced it at the provider
		err = p.grantAndConclude(ctx, a, l, v)
	}
	return err
}

// grantAndConclude grants the role of a verdict and stores the verdict. If the provider
// fails, it releases the lease.
func (p *Platform) grantAndConclude(ctx context.Context, a Application, l Lease, v verdict) error {
	if err := p.grant(ctx, a.UserID, v.role); err != nil {
		return errors.Join(err, p.releaseLease(ctx, l))
	}
	return p.conclude(ctx, a, l, v)
}

// errMadeAdmin is returned by [Platform.conclude] if the applicant was made an admin
// after the lease was taken. The role admin is not replaced.
var errMadeAdmin = errors.New("learning: the applicant became an admin during the approval")

// beginReview takes the lease of an application, and records the review.
func (p *Platform) beginReview(ctx context.Context, a Application) (Application, Lease, error) {
	if p.roles == nil {
		return Application{}, Lease{}, ErrIdentityNotConfigured
	}
	l, oldID := p.newLease(a.leaseName(), p.timeout), a.ReviewID
	a.ReviewID = l.Holder
	held, err := p.store.Lease(ctx, l.Name)
	if err != nil {
		return Application{}, Lease{}, fmt.Errorf("read the lease of an application: %w", err)
	}
	err = p.store.InTx(ctx, func(tx Tx) error {
		if err := lease.Acquire(ctx, tx, held, l, p.now()); err != nil {
			return err
		}
		begun, err := tx.BeginReview(ctx, a, oldID)
		if err == nil && !begun {
			err = lease.ErrHeld // another review was begun or concluded
		}
		return err
	})
	if errors.Is(err, lease.ErrHeld) || errors.Is(err, ErrDuplicate) {
		return Application{}, Lease{}, p.lostTo(ctx, a.ID)
	}
	return a, l, wrap("begin the review of an application", err)
}

// conclude stores a verdict. If the verdict has a role, conclude stores the role too,
// and releases the lease in the same transaction: a review that has lost its lease
// changes nothing. DecideApplication refuses it too, because another review has replaced
// the ReviewID. That guards a rejection without a lease, which must not be stored while
// an approval that was begun meanwhile calls the provider.
func (p *Platform) conclude(ctx context.Context, a Application, l Lease, v verdict) error {
	a.Status, a.RejectionReason, a.UpdatedAt = v.status, v.reason, p.now()
	won := false
	err := retryDuplicate(func() error {
		return p.inTxEvents(ctx, func(tx Tx, out *outbox) (err error) {
			won, err = p.storeVerdict(ctx, tx, out, a, l, v)
			return err
		})
	})
	switch {
	case errors.Is(err, errMadeAdmin):
		return err
	case errors.Is(err, lease.ErrLost), err == nil && !won:
		return p.lostTo(ctx, a.ID)
	}
	return wrap("store the decision on an application", err)
}

// decisionEvents has the events of the verdicts.
var decisionEvents = map[ApplicationStatus]EventType{
	ApplicationApproved: EventApplicationApproved,
	ApplicationRejected: EventApplicationRejected,
}

// storeVerdict stores a verdict in the transaction of conclude, and the role of the applicant if the
// verdict has one. It reports whether the application was to be decided by this review.
func (p *Platform) storeVerdict(ctx context.Context, tx Tx, out *outbox, a Application, l Lease, v verdict) (won bool, err error) {
	if v.role != "" {
		if err := lease.Release(ctx, tx, l); err != nil {
			return false, err
		}
	}
	before, err := lockAccount(ctx, tx, a.UserID)
	if err != nil {
		return false, err
	}
	if won, err = tx.DecideApplication(ctx, a); err != nil || !won {
		return won, err
	}
	// Without a record nothing is locked, but the UPDATE has found the application pending.
	before.Application.Status = ApplicationPending
	after := before
	after.Application.Status = v.status
	if v.role != "" {
		if before.RoleAssignment.Role == Admin && v.role != Admin {
			return false, errMadeAdmin
		}
		after.RoleAssignment, err = assignRole(ctx, tx, a.UserID, before.RoleAssignment, p.newAssignment(v.role, before.AccountState))
		if err != nil {
			return false, err
		}
	}
	out.application(decisionEvents[v.status], a)
	out.count(a.UserID, totalsChange(accountTotals(before), accountTotals(after))...)
	return true, nil
}

// newAssignment returns an assignment of a role at the present time. It is never
// earlier than the assignment in s, because that one may have the time of another
// clock.
func (p *Platform) newAssignment(role Role, s AccountState) RoleAssignment {
	d := RoleAssignment{Role: role, At: p.now()}
	if s.RoleAssignment.At.After(d.At) {
		d.At = s.RoleAssignment.At
	}
	return d
}

// lostTo returns the error for an application that another review decides on or has
// decided on.
func (p *Platform) lostTo(ctx context.Context, id string) error {
	a, err := p.store.Application(ctx, id)
	if errors.Is(err, ErrNoRecord) { // the user was deleted
		return ErrApplicationNotFound
	}
	if err != nil {
		return fmt.Errorf("read an application: %w", err)
	}
	if err := a.checkUndecided(); err != nil {
		return err
	}
	return ErrBeingReviewed
}
