package learning

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Approve makes an educator of the applicant. The application is claimed first
// (it stays pending to everyone), then the identity provider is told, then the
// decision is committed, so that a failed grant leaves it pending. Every step is
// safe to repeat: after a crash the claim expires, and approving again completes
// what was begun. An applicant who is an admin stays one.
//
// Errors: [ErrForbidden], [ErrApplicationNotFound], [ErrOwnApplication],
// [ErrAlreadyApproved], [ErrAlreadyRejected], [ErrBeingReviewed].
func (p *Platform) Approve(ctx context.Context, actor Actor, id string) error {
	a, s, err := p.reviewable(ctx, actor, id)
	if err != nil {
		return err
	}
	if s.Deleted { // with the application, after it was read
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

// Reject turns an application down, with a reason that may be empty. Where an
// approval was begun and never finished, the role that the person had before is
// restored at the identity provider first, or the role admin if they were made an
// admin since.
// Errors as of [Platform.Approve], and [ErrInvalidRequest].
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

// reviewable reads an application that the actor may decide on now, and what is
// known of the applicant.
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
	if err := a.undecided(p.now()); err != nil {
		return Application{}, AccountState{}, err
	}
	s, err := p.store.AccountState(ctx, a.UserID)
	if err != nil {
		return Application{}, AccountState{}, fmt.Errorf("read the applicant: %w", err)
	}
	return a, s, nil
}

// undecided says why an application cannot be decided on; nil when it can.
func (a Application) undecided(now time.Time) error {
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

// verdict is what is decided about an application.
type verdict struct {
	status ApplicationStatus
	reason string
	role   Role // that the applicant has from then on; "" when nothing is to be changed
}

// decide claims an application, tells the provider the role that goes with the
// verdict, and commits both. A verdict that changes no role needs no claim. When
// the provider fails, the claim is ended, not removed: whether the role was
// changed is not known.
func (p *Platform) decide(ctx context.Context, a Application, v verdict) (err error) {
	if v.role == "" {
		return p.conclude(ctx, a, v)
	}
	// The time runs from before the claim, so that it is over before the claim is:
	// nothing is told to the provider once somebody else may decide. It goes on when
	// the caller goes away.
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
	v.role = Admin // at the provider it may have been replaced just now
	if err := p.grant(ctx, a.UserID, v.role); err != nil {
		return errors.Join(err, p.endClaim(ctx, a))
	}
	return p.conclude(ctx, a, v)
}

// errMadeAdmin is returned by [Platform.conclude] if the applicant was made an admin
// after the application was claimed: that role is not replaced.
var errMadeAdmin = errors.New("learning: the applicant was made an admin meanwhile")

// claimApplication makes this attempt the one that decides.
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

// conclude commits a verdict, with the role if it has one.
func (p *Platform) conclude(ctx context.Context, a Application, v verdict) error {
	a.Status, a.RejectionReason, a.UpdatedAt = v.status, v.reason, p.now()
	won := false
	err := p.inTxAgain(ctx, func(tx Tx) (err error) {
		if v.role == "" {
			won, err = tx.DecideApplication(ctx, a)
			return err
		}
		s, err := userLock{a.UserID, true}.standing(ctx, tx)
		if err != nil {
			return err
		}
		if won, err = tx.DecideApplication(ctx, a); err != nil || !won {
			return err
		}
		if s.RoleAssignment.Role == Admin && v.role != Admin {
			return errMadeAdmin
		}
		return assignRole(ctx, tx, a.UserID, s.RoleAssignment, p.decision(v.role, s))
	})
	if errors.Is(err, errMadeAdmin) {
		return err
	}
	if err == nil && !won {
		return p.lostTo(ctx, a.ID)
	}
	return wrap("store the decision on an application", p.unlessStored(ctx, a, err))
}

// decision is one that is made here and now. It knows the one that stands, so it
// is not earlier, whatever clock that one was dated by.
func (p *Platform) decision(role Role, s AccountState) RoleAssignment {
	d := RoleAssignment{Role: role, At: p.now()}
	if s.RoleAssignment.At.After(d.At) {
		d.At = s.RoleAssignment.At
	}
	return d
}

// lostTo says what became of an application that somebody else decides on, or has.
func (p *Platform) lostTo(ctx context.Context, id string) error {
	a, err := p.store.Application(ctx, id)
	if errors.Is(err, ErrNoRecord) { // the person was deleted
		return ErrApplicationNotFound
	}
	if err != nil {
		return fmt.Errorf("read an application: %w", err)
	}
	if err := a.undecided(time.Time{}); err != nil {
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

// MakeAdmin makes somebody an administrator, at the identity provider and here.
// It asks nobody's leave: it is for the operator, since somebody must be the
// first. Errors: [ErrInvalidRequest], [ErrUserNotFound] for somebody deleted,
// [ErrIdentityNotConfigured].
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
	err = p.inTxAgain(ctx, func(tx Tx) error {
		s, err := userLock{userID, true}.standing(ctx, tx)
		if err != nil {
			return err
		}
		if s.Deleted {
			return ErrUserNotFound
		}
		replaced = s.RoleAssignment
		return assignRole(ctx, tx, userID, s.RoleAssignment, p.decision(Admin, s))
	})
	return replaced, err
}
