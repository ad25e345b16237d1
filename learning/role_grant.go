package learning

import (
	"context"
	"fmt"
)

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
// An operator uses it to create the first admin. Errors: [ErrInvalidRequest],
// [ErrUserNotFound] if the user was deleted, [ErrIdentityNotConfigured].
func (s System) MakeAdmin(ctx context.Context, userID string) error {
	return s.platform.makeAdmin(ctx, userID)
}

func (p *Platform) makeAdmin(ctx context.Context, userID string) error {
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
	return p.grant(ctx, userID, Admin) // because a concurrent approval may have written another role
}

// storeAdmin stores that a user is an admin, and returns the role assignment that this
// replaces.
func (p *Platform) storeAdmin(ctx context.Context, userID string) (replaced RoleAssignment, err error) {
	err = retryDuplicate(func() error {
		return p.inTxEvents(ctx, func(tx Tx, out *outbox) error {
			before, err := lockAccount(ctx, tx, userID)
			if err != nil {
				return err
			}
			if before.Deleted {
				return ErrUserNotFound
			}
			replaced = before.RoleAssignment
			after := before
			after.RoleAssignment, err = assignRole(ctx, tx, userID, replaced, p.newAssignment(Admin, before.AccountState))
			if err != nil {
				return err
			}
			out.count(userID, totalsChange(accountTotals(before), accountTotals(after))...)
			return nil
		})
	})
	return replaced, err
}
