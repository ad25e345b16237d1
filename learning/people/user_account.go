package people

import (
	"context"
	"errors"
	"fmt"

	"github.com/openlectern/openlectern/internal/record"
	"github.com/openlectern/openlectern/learning/core"
)

// The totals of users.
const (
	TotalUsers        core.TotalKind = "users"        // who are not deleted
	TotalEducators    core.TotalKind = "educators"    // of these users
	TotalApplications core.TotalKind = "applications" // that are pending
)

// Account is the state of a user id with its application: all that decides in which totals of
// users it counts.
type Account struct {
	core.AccountState
	Application Application // zero if there is none
}

// accountTotals returns what a user id adds to the totals:
//
//	users         1 for a record that is not deleted
//	educators     1 for such a record with the role educator or an approved application
//	applications  1 for a pending application, also without a record
func accountTotals(a Account) (list []core.Total) {
	isUser := a.Known && !a.Deleted
	if isUser {
		list = append(list, core.Total{Kind: TotalUsers, Number: 1})
	}
	if isUser && (a.RoleAssignment.Role == core.Educator ||
		a.Application.Status == ApplicationApproved) {
		list = append(list, core.Total{Kind: TotalEducators, Number: 1})
	}
	if a.Application.Status == ApplicationPending {
		list = append(list, core.Total{Kind: TotalApplications, Number: 1})
	}
	return list
}

// AccountTx is a transaction that reads and locks accounts.
type AccountTx interface {
	core.Tx
	ApplicantReader
}

// ApplicantReader reads what a user has applied for.
type ApplicantReader interface {
	// ApplicationOf reads the application of a user.
	ApplicationOf(ctx context.Context, userID string) (Application, error)
}

// accountChange is what a transaction has done to an account.
type accountChange struct {
	before, after Account
	recordChanged bool
}

// ChangeOfAccount runs fn in a transaction that has locked the account of a user, and counts the
// difference between the account before and the one that fn returns in the totals. It stores what
// fn collects in changes. If the lock or fn returns [core.ErrDuplicate], it begins again.
func ChangeOfAccount[T AccountTx](
	ctx context.Context, base core.Base[T], userID string,
	fn func(tx T, changes *core.Changes, before Account) (after Account, err error),
) error {
	return record.RetryDuplicate(ctx, func() error {
		return base.Change(ctx, func(tx T, changes *core.Changes) error {
			// Lock and read the account.
			before, err := lockAccount(ctx, tx, userID)
			if err != nil {
				return err
			}
			// Let fn decide and write, and count the difference.
			after, err := fn(tx, changes, before)
			if err != nil {
				return err
			}
			changes.Count(userID, core.TotalsChange(accountTotals(before), accountTotals(after))...)
			return nil
		})
	})
}

// lockAccount locks the record of a user until the end of the transaction and returns the account.
// All changes of a record, a role or an application lock the record, so that they happen one after
// the other. lockAccount must come before the first read of the transaction, because a database
// that reads from a snapshot would return the state before the lock. It returns [core.ErrDuplicate]
// if another transaction has inserted the record since the lock found none: the caller must begin
// again.
func lockAccount(ctx context.Context, tx AccountTx, userID string) (Account, error) {
	locked, err := tx.LockUser(ctx, userID)
	if err != nil {
		return Account{}, err
	}
	a, err := readAccount(ctx, tx, userID)
	if err != nil {
		return Account{}, err
	}
	// A tombstone inserted after the lock does no harm: callers refuse to change a deleted user.
	hasRecord := a.Known && !a.Deleted
	if hasRecord && !locked { // inserted after the lock
		return Account{}, fmt.Errorf("lock a user: %w", core.ErrDuplicate)
	}
	return a, nil
}

// insertAccount inserts the record, or the tombstone, of a user who has neither, and returns the
// account as it was before: unknown, with the role and the application that the user may have
// without a record. The INSERT comes before the first read as the lock of lockAccount does: it
// waits for transactions that have locked the place of the record. It returns [core.ErrDuplicate]
// if another transaction has inserted the record: the caller must begin again.
func insertAccount(ctx context.Context, tx Tx, record User) (Account, error) {
	if err := tx.InsertUser(ctx, record); err != nil {
		return Account{}, err
	}

	a, err := readAccount(ctx, tx, record.ID)
	if err != nil {
		return Account{}, err
	}

	// The read shows the inserted record, which was not there before: leave it out.
	before := Account{Application: a.Application}
	before.RoleAssignment = a.RoleAssignment
	return before, nil
}

// readAccount reads an account that is locked.
func readAccount(ctx context.Context, tx AccountTx, userID string) (a Account, err error) {
	if a.AccountState, err = tx.AccountState(ctx, userID); err != nil {
		return Account{}, err
	}
	a.Application, err = tx.ApplicationOf(ctx, userID)
	if errors.Is(err, core.ErrNoRecord) { // the user has not applied
		return a, nil
	}
	return a, err
}
