package learning

import (
	"context"
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

// userLock locks the record of a user, so that a deletion and the changes of a role
// happen one after the other.
type userLock struct {
	userID string
	// known means that the user had a record before the transaction. If it is false, no
	// row is locked: the INSERT of the record decides which transaction is first. An
	// UPDATE that matches no row would lock the gap in which other records are inserted.
	known bool
}

// lockState locks the record until the end of the transaction and returns the account
// state. It must be the first read of the transaction, because a database that reads
// from a snapshot would return the state before the lock. It returns [ErrDuplicate] if
// another transaction has inserted the record. The caller must use
// [Platform.inTxRetry].
func (l userLock) lockState(ctx context.Context, tx Tx) (s AccountState, err error) {
	locked := false
	if l.known {
		if locked, err = tx.LockUser(ctx, l.userID); err != nil {
			return AccountState{}, err
		}
	}
	s, err = tx.AccountState(ctx, l.userID)
	if err == nil && s.Known && !s.Deleted && !locked {
		err = fmt.Errorf("lock a user: %w", ErrDuplicate)
	}
	return s, err
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
