package people

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

// DecisionAdminMade says that the host has made a user an admin.
const DecisionAdminMade core.DecisionKind = "admin.made"

// AssignRole stores the assignment d unless a later one is stored, and returns the one that is
// stored now. Of two with the same time, the one stored last wins. stored is the assignment at the
// start of the transaction. If it is zero, AssignRole inserts, because an UPDATE that matches no
// row would lock the gap in which other transactions insert. It then returns [core.ErrDuplicate] if
// another transaction has inserted one since: the caller must begin again.
func AssignRole(ctx context.Context, tx RoleWriter, userID string,
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

// GrantsRoles reports whether roles can be granted at the identity provider.
func (s *ForRooms) GrantsRoles() bool { return s.ports.Roles != nil }

// GrantRole writes a role at the identity provider. It stores nothing. Error:
// [ErrRolesNotConfigured].
func (s *ForRooms) GrantRole(ctx context.Context, userID string, role core.Role) error {
	if s.ports.Roles == nil {
		return ErrRolesNotConfigured
	}
	ctx, cancel := s.base.Provider(ctx)
	defer cancel()
	if err := s.ports.Roles.GrantRole(ctx, userID, role); err != nil {
		return fmt.Errorf("grant a role at the identity provider: %w", err)
	}
	return nil
}

// MakeAdmin grants a user the role admin, at the identity provider and in the store.
// An operator uses it to create the first admin. Errors: [core.ErrInvalidRequest],
// [ErrUserNotFound] if the user was deleted, [ErrRolesNotConfigured].
func (s System) MakeAdmin(ctx context.Context, userID string) error {
	return s.service.makeAdmin(ctx, userID)
}

// makeAdmin is [System.MakeAdmin].
func (s *Service) makeAdmin(ctx context.Context, userID string) error {
	if err := core.Require(text.ValidID(userID, core.MaxUserID), "userId",
		"must be the id of a user"); err != nil {
		return err
	}
	state, err := s.store.AccountState(ctx, userID)
	switch {
	case err != nil:
		return fmt.Errorf("read a user: %w", err)
	case state.Deleted:
		return ErrUserNotFound
	}

	// Grant the role, and then store it.
	if err := s.ForRooms().GrantRole(ctx, userID, core.Admin); err != nil {
		return err
	}
	replaced, err := s.storeAdmin(ctx, userID)
	if err != nil {
		return core.Wrap("store a role", err)
	}

	// Grant it again if another role was stored meanwhile, because a concurrent approval may also
	// have granted that role after this call had granted admin.
	isUnchanged := replaced == state.RoleAssignment
	if isUnchanged || replaced.Role == core.Admin {
		return nil
	}
	return s.ForRooms().GrantRole(ctx, userID, core.Admin)
}

// storeAdmin stores that a user is an admin, and returns the role assignment that this
// replaces; zero for none. Error: [ErrUserNotFound], if the user was deleted.
func (s *Service) storeAdmin(ctx context.Context,
	userID string) (replaced core.RoleAssignment, err error) {
	err = ChangeOfAccount(ctx, s.base, userID, func(
		tx Tx, changes *core.Changes, before Account,
	) (Account, error) {
		after := before
		if before.Deleted {
			return after, ErrUserNotFound
		}
		replaced = before.RoleAssignment
		if replaced.Role != core.Admin {
			changes.Decide(core.Decision{Kind: DecisionAdminMade, UserID: userID})
		}
		var err error
		// The new assignment is not earlier than the stored one, so that it replaces that.
		after.RoleAssignment, err = AssignRole(ctx, tx, userID, replaced,
			s.ForRooms().NewAssignment(core.Admin, before.AccountState))
		return after, err
	})
	return replaced, err
}

// NewAssignment returns an assignment of a role at the present time. It is never earlier than the
// assignment in state, which may have the time of another clock, because of two assignments the
// later one counts. Of two with the same time, the one that is stored last counts.
func (s *ForRooms) NewAssignment(role core.Role, state core.AccountState) core.RoleAssignment {
	return core.RoleAssignment{Role: role, At: core.Latest(s.base.Now(), state.RoleAssignment.At)}
}

// RoleWriter writes the role assignments of users.
type RoleWriter interface {
	// UpdateRole replaces the role assignment of a user unless it is later than d, and
	// gives it the place of the user's record in the list of its role. It reports whether
	// it did.
	UpdateRole(ctx context.Context, userID string, d core.RoleAssignment) (bool, error)
	// InsertRole stores the first role assignment of a user.
	InsertRole(ctx context.Context, userID string, d core.RoleAssignment) error
}
