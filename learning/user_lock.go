package learning

import (
	"context"
	"errors"
	"fmt"
)

// lockUser locks the record or the tombstone of a user. It is the first statement of every
// transaction that changes what a user owns: purchases, redemptions, refunds, enrolments and
// certificates. So the transactions of one user run one after the other, and each reads the whole
// state before it decides. On MySQL a read before the lock would fix what all later reads see. A
// user without a record has bought nothing, so nothing is locked then.
func lockUser(ctx context.Context, tx Tx, userID string) error {
	_, err := tx.LockUser(ctx, userID)
	return err
}

// inUserTx runs fn in a transaction that has locked a user. fn reads the whole state, decides by a
// function without side effects, and writes. By the rule of [retryDuplicate] it may run again.
func (p *Platform) inUserTx(
	ctx context.Context, userID string, fn func(tx Tx, out *outbox) error,
) error {
	return retryDuplicate(func() error {
		return p.inTxEvents(ctx, func(tx Tx, out *outbox) error {
			if err := lockUser(ctx, tx, userID); err != nil {
				return err
			}
			return fn(tx, out)
		})
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
	if isUser && (a.RoleAssignment.Role == Educator || a.Application.Status == ApplicationApproved) {
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
	record        bool // whether the record of the user is another one now
}

// inAccountTx runs fn in a transaction that has locked the account of a user, and counts the
// difference between the account before and the one that fn returns in the totals. By the rule of
// [retryDuplicate] it may run fn again.
func (p *Platform) inAccountTx(
	ctx context.Context, userID string,
	fn func(tx Tx, out *outbox, before account) (after account, err error),
) error {
	return retryDuplicate(func() error {
		return p.inTxEvents(ctx, func(tx Tx, out *outbox) error {
			before, err := lockAccount(ctx, tx, userID)
			if err != nil {
				return err
			}
			after, err := fn(tx, out, before)
			if err != nil {
				return err
			}
			out.count(userID, totalsChange(accountTotals(before), accountTotals(after))...)
			return nil
		})
	})
}

// lockAccount locks the record of a user until the end of the transaction and returns the account.
// All changes of a record, a role or an application lock the record, so that they happen one after
// the other. lockAccount must come before the first read of the transaction, because a database
// that reads from a snapshot would return the state before the lock. It returns [ErrDuplicate] if
// another transaction has inserted the record, by the rule of [retryDuplicate].
func lockAccount(ctx context.Context, tx Tx, userID string) (account, error) {
	locked, err := tx.LockUser(ctx, userID)
	if err != nil {
		return account{}, err
	}
	a, err := readAccount(ctx, tx, userID)
	if err == nil && a.Known && !a.Deleted && !locked {
		err = fmt.Errorf("lock a user: %w", ErrDuplicate)
	}
	return a, err
}

// insertAccount inserts the record of a user who has none, and returns the account before. The
// INSERT comes before the first read as the lock of lockAccount does: it waits for transactions
// that have locked the place of the record. It returns [ErrDuplicate] if another transaction has
// inserted the record.
func insertAccount(ctx context.Context, tx Tx, record User) (account, error) {
	if err := tx.InsertUser(ctx, record); err != nil {
		return account{}, err
	}
	a, err := readAccount(ctx, tx, record.ID)
	a.AccountState = AccountState{RoleAssignment: a.RoleAssignment}
	return a, err
}

// readAccount reads an account that is locked.
func readAccount(ctx context.Context, tx Tx, userID string) (a account, err error) {
	if a.AccountState, err = tx.AccountState(ctx, userID); err != nil {
		return account{}, err
	}
	a.Application, err = tx.ApplicationOf(ctx, userID)
	if errors.Is(err, ErrNoRecord) {
		return a, nil
	}
	return a, err
}

// requireNotDeleted returns [ErrUnauthenticated] if the user was deleted. Call it in a
// transaction after inserting a row of the user: a concurrent deletion either waits for
// that row and deletes it, or is visible to this read.
func requireNotDeleted(ctx context.Context, tx Tx, userID string) error {
	s, err := tx.AccountState(ctx, userID)
	if err == nil && s.Deleted {
		return ErrUnauthenticated
	}
	return err
}
