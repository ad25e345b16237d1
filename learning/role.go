package learning

import (
	"context"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/core"
)

// Claims is the content of a verified session token.
type Claims struct {
	UserID   string    // "sub" of a JWT: the stable id of the user
	Role     core.Role // "" if the token has no statement about roles
	IssuedAt time.Time // "iat" of a JWT: when the role was read; zero if the token has none
}

// roleOf returns the role of a caller with these claims: that of the token if no role is stored, or
// if the token was issued later than the stored one; else the stored one. Later means in a later
// second, because tokens count whole seconds and a token of the same second may be older. A token
// without an issue time or a role never replaces the stored one. So an approval takes effect with
// the old token, and the role of a later token is used again.
func roleOf(d core.RoleAssignment, c Claims) core.Role {
	isLater := !c.IssuedAt.IsZero() && c.IssuedAt.Unix() > d.At.Unix()
	if d.At.IsZero() || (isLater && c.Role != "") {
		return core.ParseRole(string(c.Role))
	}
	return d.Role
}

// assignRole stores the assignment d unless a later one is stored, and returns the one that is
// stored now. Of two with the same time, the one stored last wins. stored is the assignment at the
// start of the transaction. If it is zero, assignRole inserts, because an UPDATE that matches no
// row would lock the gap in which other transactions insert. It then returns [core.ErrDuplicate] if
// another transaction has inserted one since: the caller must begin again.
func assignRole(ctx context.Context, tx Tx, userID string,
	stored, d core.RoleAssignment) (core.RoleAssignment, error) {
	if stored.At.IsZero() {
		return d, tx.InsertRole(ctx, userID, d)
	}
	replaced, err := tx.UpdateRole(ctx, userID, d)
	if err != nil {
		return stored, err
	}
	if !replaced { // the stored one is later
		return stored, nil
	}
	return d, nil
}

// grant writes a role at the identity provider. It stores nothing. Error:
// [ErrRolesNotConfigured].
func (p *Platform) grant(ctx context.Context, userID string, role core.Role) error {
	if p.roles == nil {
		return ErrRolesNotConfigured
	}
	ctx, cancel := p.base.Provider(ctx)
	defer cancel()
	if err := p.roles.GrantRole(ctx, userID, role); err != nil {
		return fmt.Errorf("grant a role at the identity provider: %w", err)
	}
	return nil
}

// MakeAdmin grants a user the role admin, at the identity provider and in the store.
// An operator uses it to create the first admin. Errors: [core.ErrInvalidRequest],
// [ErrUserNotFound] if the user was deleted, [ErrRolesNotConfigured].
func (s System) MakeAdmin(ctx context.Context, userID string) error {
	return s.platform.makeAdmin(ctx, userID)
}

// makeAdmin is [System.MakeAdmin].
func (p *Platform) makeAdmin(ctx context.Context, userID string) error {
	if !text.ValidID(userID, core.MaxUserID) {
		return core.ErrInvalidRequest
	}
	s, err := p.store.AccountState(ctx, userID)
	switch {
	case err != nil:
		return fmt.Errorf("read a user: %w", err)
	case s.Deleted:
		return ErrUserNotFound
	}

	// Grant the role, and then store it.
	if err := p.grant(ctx, userID, core.Admin); err != nil {
		return err
	}
	replaced, err := p.storeAdmin(ctx, userID)
	if err != nil {
		return core.Wrap("store a role", err)
	}

	// Grant it again if another role was stored meanwhile, because a concurrent approval may also
	// have granted that role after this call had granted admin.
	isUnchanged := replaced == s.RoleAssignment
	if isUnchanged || replaced.Role == core.Admin {
		return nil
	}
	return p.grant(ctx, userID, core.Admin)
}

// storeAdmin stores that a user is an admin, and returns the role assignment that this
// replaces; zero for none. Error: [ErrUserNotFound], if the user was deleted.
func (p *Platform) storeAdmin(ctx context.Context,
	userID string) (replaced core.RoleAssignment, err error) {
	err = p.inAccountTx(ctx, userID, func(tx Tx, _ *core.Changes, before account) (account, error) {
		after := before
		if before.Deleted {
			return after, ErrUserNotFound
		}
		replaced = before.RoleAssignment
		var err error
		// The new assignment is not earlier than the stored one, so that it replaces that.
		after.RoleAssignment, err = assignRole(ctx, tx, userID, replaced,
			p.newAssignment(core.Admin, before.AccountState))
		return after, err
	})
	return replaced, err
}
