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
// what was begun.
//
// Errors: [ErrForbidden], [ErrApplicationNotFound], [ErrAlreadyApproved],
// [ErrAlreadyRejected], [ErrBeingReviewed], [ErrCannotApprove].
func (p *Platform) Approve(ctx context.Context, actor Actor, id string) error {
	a, err := p.reviewable(ctx, actor, id)
	if err != nil {
		return err
	}
	s, err := p.store.Standing(ctx, a.UserID)
	if err != nil {
		return fmt.Errorf("read the applicant: %w", err)
	}
	if s.Decision.Role == Admin || s.Deleted {
		return ErrCannotApprove
	}
	if a, err = p.claimApplication(ctx, a, s.Decision.Role); err != nil {
		return err
	}
	return p.decide(ctx, a, Educator, func(ctx context.Context, tx Tx, at time.Time) (bool, error) {
		return tx.ApproveApplication(ctx, a.ID, a.Holder, at)
	})
}

// Reject turns an application down, with a reason that may be empty. Where an
// approval was begun and never finished, the role that the person had before is
// restored at the identity provider first. Errors as of [Platform.Approve].
func (p *Platform) Reject(ctx context.Context, actor Actor, id, reason string) error {
	if !isText(reason, 0, MaxRejectionReason) {
		return ErrInvalidRequest
	}
	a, err := p.reviewable(ctx, actor, id)
	if err != nil {
		return err
	}
	if a.Holder == "" {
		return p.rejectUnclaimed(ctx, a, reason)
	}
	if a, err = p.claimApplication(ctx, a, a.PreviousRole); err != nil {
		return err
	}
	return p.decide(ctx, a, a.PreviousRole, func(ctx context.Context, tx Tx, at time.Time) (bool, error) {
		return tx.RejectApplication(ctx, a.ID, a.Holder, reason, at)
	})
}

// reviewable reads an application that the actor may decide on now.
func (p *Platform) reviewable(ctx context.Context, actor Actor, id string) (Application, error) {
	if err := actor.RequireRole(Admin); err != nil {
		return Application{}, err
	}
	a, err := p.store.Application(ctx, id)
	if errors.Is(err, ErrNoRecord) {
		return Application{}, ErrApplicationNotFound
	}
	if err != nil {
		return Application{}, fmt.Errorf("read an application: %w", err)
	}
	if a.UserID == actor.UserID {
		return Application{}, ErrCannotApprove
	}
	return a, a.undecided(p.now())
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

// claimApplication makes this attempt the one that decides. The role from before
// the first claim stays noted, since an unfinished one may have changed it.
func (p *Platform) claimApplication(ctx context.Context, a Application, role Role) (Application, error) {
	if p.roles == nil {
		return Application{}, ErrIdentityNotConfigured
	}
	old, now := a.Holder, p.now()
	a.Holder, a.LeaseUntil = p.newID(), now.Add(p.timeout+leaseMargin)
	if old == "" {
		a.PreviousRole = ParseRole(string(role))
	}
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

// decide tells the provider the role that goes with a decision and commits both.
// It goes on when the caller goes away. When the provider fails, the claim is
// ended, not removed: whether the role was changed is not known.
func (p *Platform) decide(ctx context.Context, a Application, role Role, commit func(context.Context, Tx, time.Time) (bool, error)) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.timeout+leaseMargin)
	defer cancel()
	if err := p.grant(ctx, a.UserID, role); err != nil {
		return errors.Join(err, p.endClaim(ctx, a))
	}
	won := false
	err := p.inTxAgain(ctx, func(tx Tx) (err error) {
		if won, err = commit(ctx, tx, p.now()); err != nil || !won {
			return err
		}
		return decideRole(ctx, tx, a.UserID, Decision{Role: role, At: p.now()})
	})
	if err != nil {
		return fmt.Errorf("store the decision on an application: %w", err)
	}
	if !won {
		return p.lostTo(ctx, a.ID)
	}
	return nil
}

func (p *Platform) endClaim(ctx context.Context, a Application) error {
	err := p.store.InTx(ctx, func(tx Tx) error { return tx.EndApplicationClaim(ctx, a.ID, a.Holder, p.now()) })
	if err != nil {
		return fmt.Errorf("end the claim on an application: %w", err)
	}
	return nil
}

// rejectUnclaimed needs no provider: nobody has begun to approve.
func (p *Platform) rejectUnclaimed(ctx context.Context, a Application, reason string) error {
	won := false
	err := p.store.InTx(ctx, func(tx Tx) (err error) {
		won, err = tx.RejectApplication(ctx, a.ID, "", reason, p.now())
		return err
	})
	if err != nil {
		return fmt.Errorf("reject an application: %w", err)
	}
	if !won {
		return p.lostTo(ctx, a.ID)
	}
	return nil
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
// first.
func (p *Platform) MakeAdmin(ctx context.Context, userID string) error {
	if !validUserID(userID) {
		return ErrInvalidRequest
	}
	if err := p.grant(ctx, userID, Admin); err != nil {
		return err
	}
	err := p.inTxAgain(ctx, func(tx Tx) error { return decideRole(ctx, tx, userID, Decision{Role: Admin, At: p.now()}) })
	return said("store a role", err)
}
