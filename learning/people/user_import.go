package people

import (
	"context"

	"github.com/openlectern/openlectern/learning/core"
)

// ImportUser inserts the record of a user of another system, and reports whether it did: a record
// that is there stays as it is. A deleted user is [ErrUserNotFound]: a deletion is permanent.
// Without a name it gets the one that it would have by an event.
// u.ChangedAt should be long ago, so that every event of the identity provider replaces the record.
// It returns [core.ErrDuplicate] if a concurrent transaction has inserted the record; the
// transaction must then run again.
func (s *ForRooms) ImportUser(
	ctx context.Context, tx Tx, changes *core.Changes, u User,
) (bool, error) {
	state, err := tx.AccountState(ctx, u.ID)
	if err == nil && state.Deleted {
		err = ErrUserNotFound
	}
	if err != nil || state.Known {
		return false, err
	}
	u.Name = nameOr(u.Name, u.Email)
	before, err := insertAccount(ctx, tx, u)
	if err != nil {
		return false, err
	}
	// A role that was stored before the record gets its place in the list of users.
	if !before.RoleAssignment.At.IsZero() {
		if _, err := tx.UpdateRole(ctx, u.ID, before.RoleAssignment); err != nil {
			return false, err
		}
	}
	after := before
	after.Known = true
	changes.Count(u.ID, core.TotalsChange(accountTotals(before), accountTotals(after))...)
	return true, tx.UserChanged(ctx, u.ID)
}
