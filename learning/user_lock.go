package learning

import (
	"context"
	"errors"
	"fmt"

	"github.com/openlectern/openlectern/internal/lease"
	"github.com/openlectern/openlectern/internal/record"
)

// lockUser locks the record or the tombstone of a user. It is the first statement of every
// transaction that changes what a user owns: purchases, redemptions, refunds, enrolments and
// certificates. So the transactions of one user run one after the other, and each reads the whole
// state before it decides. On MySQL a read before the lock would fix what all later reads see. A
// user without a record has bought nothing, so that nothing needs to be locked then. What such a
// user can change all the same is changed in inUserTx.
func lockUser(ctx context.Context, tx Tx, userID string) error {
	_, err := tx.LockUser(ctx, userID) // whether there is a record does not matter: see above
	return err
}

// inUserTx runs fn in a transaction that has locked a user, also one whose record has not arrived,
// and stores what fn collects in changes. fn reads the whole state, decides by a function without
// side effects, and writes. If fn returns [ErrDuplicate], because a concurrent transaction has
// changed what it had read, it runs again in another transaction.
func (p *Platform) inUserTx(
	ctx context.Context, userID string, fn func(tx Tx, changes *txChanges) error,
) error {
	return record.RetryDuplicate(ctx, func() error {
		return p.inTxEvents(ctx, func(tx Tx, changes *txChanges) error {
			hasRecord, err := tx.LockUser(ctx, userID)
			if err == nil && !hasRecord && validID(userID, maxUserID) {
				// On MySQL transactions that lock a missing row do not exclude each other. They do
				// if they insert the same row, also if they delete it at once.
				l := p.leases.New("user:"+userID, p.timeout)
				if err = tx.InsertLease(ctx, l); err == nil {
					err = lease.Release(ctx, tx, l)
				}
			}
			if err != nil {
				return err
			}
			return fn(tx, changes)
		})
	})
}

// inUndeletedTx is inUserTx for what a deleted user must not leave. Error: [ErrUnauthenticated] if
// the user was deleted.
func (p *Platform) inUndeletedTx(
	ctx context.Context, userID string, fn func(tx Tx, changes *txChanges) error,
) error {
	return p.inUserTx(ctx, userID, func(tx Tx, changes *txChanges) error {
		if err := requireUndeleted(ctx, tx, userID); err != nil {
			return err
		}
		return fn(tx, changes)
	})
}

// account is the state of a user id with its application: all that decides in which totals of
// users it counts.
type account struct {
	AccountState
	Application Application // zero if there is none
}

// accountTotals returns what a user id adds to the totals:
//
//	users         1 for a record that is not deleted
//	educators     1 for such a record with the role educator or an approved application
//	applications  1 for a pending application, also without a record
func accountTotals(a account) (list []Total) {
	isUser := a.Known && !a.Deleted
	if isUser {
		list = append(list, Total{Kind: TotalUsers, Number: 1})
	}
	if isUser && (a.RoleAssignment.Role == Educator ||
		a.Application.Status == ApplicationApproved) {
		list = append(list, Total{Kind: TotalEducators, Number: 1})
	}
	if a.Application.Status == ApplicationPending {
		list = append(list, Total{Kind: TotalApplications, Number: 1})
	}
	return list
}

// accountChange is what a transaction has done to an account.
type accountChange struct {
	before, after account
	recordChanged bool
}

// inAccountTx runs fn in a transaction that has locked the account of a user, and counts the
// difference between the account before and the one that fn returns in the totals. It stores what
// fn collects in changes. If the lock or fn returns [ErrDuplicate], it begins again.
func (p *Platform) inAccountTx(
	ctx context.Context, userID string,
	fn func(tx Tx, changes *txChanges, before account) (after account, err error),
) error {
	return record.RetryDuplicate(ctx, func() error {
		return p.inTxEvents(ctx, func(tx Tx, changes *txChanges) error {
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
			changes.count(userID, totalsChange(accountTotals(before), accountTotals(after))...)
			return nil
		})
	})
}

// lockAccount locks the record of a user until the end of the transaction and returns the account.
// All changes of a record, a role or an application lock the record, so that they happen one after
// the other. lockAccount must come before the first read of the transaction, because a database
// that reads from a snapshot would return the state before the lock. It returns [ErrDuplicate] if
// another transaction has inserted the record since the lock found none: the caller must begin
// again.
func lockAccount(ctx context.Context, tx Tx, userID string) (account, error) {
	locked, err := tx.LockUser(ctx, userID)
	if err != nil {
		return account{}, err
	}
	a, err := readAccount(ctx, tx, userID)
	if err != nil {
		return account{}, err
	}
	// A tombstone inserted after the lock does no harm: callers refuse to change a deleted user.
	hasRecord := a.Known && !a.Deleted
	if hasRecord && !locked { // inserted after the lock
		return account{}, fmt.Errorf("lock a user: %w", ErrDuplicate)
	}
	return a, nil
}

// insertAccount inserts the record, or the tombstone, of a user who has neither, and returns the
// account as it was before: unknown, with the role and the application that the user may have
// without a record. The INSERT comes before the first read as the lock of lockAccount does: it
// waits for transactions that have locked the place of the record. It returns [ErrDuplicate] if
// another transaction has inserted the record: the caller must begin again.
func insertAccount(ctx context.Context, tx Tx, record User) (account, error) {
	if err := tx.InsertUser(ctx, record); err != nil {
		return account{}, err
	}

	a, err := readAccount(ctx, tx, record.ID)
	if err != nil {
		return account{}, err
	}

	// The read shows the inserted record, which was not there before: leave it out.
	before := account{Application: a.Application}
	before.RoleAssignment = a.RoleAssignment
	return before, nil
}

// readAccount reads an account that is locked.
func readAccount(ctx context.Context, tx Tx, userID string) (a account, err error) {
	if a.AccountState, err = tx.AccountState(ctx, userID); err != nil {
		return account{}, err
	}
	a.Application, err = tx.ApplicationOf(ctx, userID)
	if errors.Is(err, ErrNoRecord) { // the user has not applied
		return a, nil
	}
	return a, err
}

// lockUndeleted locks the record of a user, and returns [ErrUnauthenticated] if the user was
// deleted. Call it in a transaction after inserting a row of the user: a concurrent deletion, which
// locks the record first, either waits and deletes that row too, or is visible to this read. A user
// without a record is not deleted.
func lockUndeleted(ctx context.Context, tx Tx, userID string) error {
	if err := lockUser(ctx, tx, userID); err != nil {
		return err
	}
	return requireUndeleted(ctx, tx, userID)
}

// requireUndeleted returns [ErrUnauthenticated] if a user whose record the transaction has locked was
// deleted. The enrolments of a deleted user stay, so that they do not tell.
func requireUndeleted(ctx context.Context, tx Tx, userID string) error {
	s, err := tx.AccountState(ctx, userID)
	if err == nil && s.Deleted {
		err = ErrUnauthenticated
	}
	return err
}
