package learning

import (
	"context"
	"errors"
	"fmt"
	"time"
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
	if a.Holder == "" && s.RoleAssignment.Role != "" {
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
	case s.RoleAssignment.Role == Admin && a.Holder != "":
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
	if a.Holder != "" {
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
	if err := a.checkUndecided(p.now()); err != nil {
		return Application{}, AccountState{}, err
	}
	s, err := p.store.AccountState(ctx, a.UserID)
	if err != nil {
		return Application{}, AccountState{}, fmt.Errorf("read the applicant: %w", err)
	}
	return a, s, nil
}

// checkUndecided returns an error if the application is decided, or if another
// review holds the lease at the time now.
func (a Application) checkUndecided(now time.Time) error {
	switch {
	case a.Status == ApplicationApproved:
		return ErrAlreadyApproved
	case a.Status == ApplicationRejected:
		return ErrAlreadyRejected
	case a.Holder != "" && now.Before(a.LeaseUntil):
		return ErrBeingReviewed
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
// provider fails, decide ends the lease but keeps the holder recorded, because the
// provider may have changed the role.
func (p *Platform) decide(ctx context.Context, a Application, v verdict) (err error) {
	if v.role == "" {
		return p.conclude(ctx, a, v)
	}
	// The time limit starts before the lease, so that it ends before the lease does:
	// the provider is not called while another review may hold the lease. The work
	// continues if the caller cancels the request.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.timeout+leaseMargin)
	defer cancel()
	if a, err = p.claimApplication(ctx, a); err != nil {
		return err
	}
	if err := p.grant(ctx, a.UserID, v.role); err != nil {
		return errors.Join(err, p.endClaim(ctx, a))
	}
	err = p.conclude(ctx, a, v)
	if !errors.Is(err, errMadeAdmin) {
		return err
	}
	v.role = Admin // the grant above may have replaced it at the provider
	if err := p.grant(ctx, a.UserID, v.role); err != nil {
		return errors.Join(err, p.endClaim(ctx, a))
	}
	return p.conclude(ctx, a, v)
}

// errMadeAdmin is returned by [Platform.conclude] if the applicant was made an admin
// after the lease was taken. The role admin is not replaced.
var errMadeAdmin = errors.New("learning: the applicant was made an admin meanwhile")

// claimApplication takes the lease of an application.
func (p *Platform) claimApplication(ctx context.Context, a Application) (Application, error) {
	if p.roles == nil {
		return Application{}, ErrIdentityNotConfigured
	}
	old, now := a.Holder, p.now()
	a.Holder, a.LeaseUntil = p.newID(), now.Add(p.timeout+leaseMargin)
	won := false
	err := p.store.InTx(ctx, func(tx Tx) (err error) {
		won, err = tx.ClaimApplication(ctx, a, old, now)
		return err
	})
	if err != nil {
		return Application{}, fmt.Errorf("claim an application: %w", err)
	}
	if !won {
		return Application{}, p.lostTo(ctx, a.ID)
	}
	return a, nil
}

func (p *Platform) endClaim(ctx context.Context, a Application) error {
	err := p.store.InTx(ctx, func(tx Tx) error { return tx.EndApplicationClaim(ctx, a.ID, a.Holder, p.now()) })
	if err != nil {
		return fmt.Errorf("end the claim on an application: %w", err)
	}
	return nil
}

// conclude stores a verdict, and its role if it has one.
func (p *Platform) conclude(ctx context.Context, a Application, v verdict) error {
	a.Status, a.RejectionReason, a.UpdatedAt = v.status, v.reason, p.now()
	won := false
	err := p.inTxRetry(ctx, func(tx Tx) (err error) {
		if v.role == "" {
			won, err = tx.DecideApplication(ctx, a)
			return err
		}
		s, err := userLock{a.UserID, true}.lockState(ctx, tx)
		if err != nil {
			return err
		}
		if won, err = tx.DecideApplication(ctx, a); err != nil || !won {
			return err
		}
		if s.RoleAssignment.Role == Admin && v.role != Admin {
			return errMadeAdmin
		}
		return assignRole(ctx, tx, a.UserID, s.RoleAssignment, p.newAssignment(v.role, s))
	})
	if errors.Is(err, errMadeAdmin) {
		return err
	}
	if err == nil && !won {
		return p.lostTo(ctx, a.ID)
	}
	return wrap("store the decision on an application", p.confirmStored(ctx, a, err))
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
	if err := a.checkUndecided(time.Time{}); err != nil {
		return err
	}
	return ErrBeingReviewed
}

// grant writes a role at the identity provider.
func (p *Platform) grant(ctx context.Context, userID string, role Role) error {
	if p.roles == nil {
		return ErrIdentityNotConfigured
	}
	ctx, cancel := p.provider(ctx)
	defer cancel()
	if err := p.roles.GrantRole(ctx, userID, role); err != nil {
		return fmt.Errorf("grant a role at the identity provider: %w", err)
	}
	return nil
}

// MakeAdmin grants a user the role admin, at the identity provider and in the store.
// It performs no authorization check, because an operator uses it to create the
// first admin. Errors: [ErrInvalidRequest], [ErrUserNotFound] if the user was
// deleted, [ErrIdentityNotConfigured].
func (p *Platform) MakeAdmin(ctx context.Context, userID string) error {
	if !validID(userID, maxUserID) {
		return ErrInvalidRequest
	}
	s, err := p.store.AccountState(ctx, userID)
	switch {
	case err != nil:
		return fmt.Errorf("read a user: %w", err)
	case s.Deleted:
		return ErrUserNotFound
	}
	if err := p.grant(ctx, userID, Admin); err != nil {
		return err
	}
	replaced, err := p.storeAdmin(ctx, userID)
	if err != nil || replaced == s.RoleAssignment || replaced.Role == Admin {
		return wrap("store a role", err)
	}
	return p.grant(ctx, userID, Admin) // an approval decided meanwhile may have granted another role since
}

// storeAdmin stores that a user is an admin, and returns the role assignment that this
// replaces.
func (p *Platform) storeAdmin(ctx context.Context, userID string) (replaced RoleAssignment, err error) {
	err = p.inTxRetry(ctx, func(tx Tx) error {
		s, err := userLock{userID, true}.lockState(ctx, tx)
		if err != nil {
			return err
		}
		if s.Deleted {
			return ErrUserNotFound
		}
		replaced = s.RoleAssignment
		return assignRole(ctx, tx, userID, s.RoleAssignment, p.newAssignment(Admin, s))
	})
	return replaced, err
}
