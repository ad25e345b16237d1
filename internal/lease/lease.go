// Package lease has the rules of exclusive rights that end by themselves. A lease is a
// row with a name, a holder and a time after which another holder may take it over, so
// that a process that dies keeps no other from its work.
//
// A lease alone does not exclude other holders, because a holder that was stopped for a
// while may continue after its lease was taken over. Therefore the transaction that uses
// a lease changes its row by name and holder, and the affected row decides whether the
// lease is still held.
package lease

import (
	"context"
	"errors"
	"time"
)

// Margin is the part of a lease after the time limit of the work. It is the time to
// store the result and to release the lease.
const Margin = 5 * time.Second

// Lease is the exclusive right of a holder until it expires. The zero Lease has no
// holder and is expired at any time.
type Lease struct {
	Name      string // of the right
	Holder    string // differs for each lease that was ever taken
	ExpiresAt time.Time
}

// New returns a lease, from now on, for work that ends within the given time.
func New(name, holder string, now time.Time, work time.Duration) Lease {
	return Lease{Name: name, Holder: holder, ExpiresAt: now.Add(work + Margin)}
}

// Expired reports whether another holder may take the lease over at the time now.
func (l Lease) Expired(now time.Time) bool { return !now.Before(l.ExpiresAt) }

var (
	// ErrHeld means that another holder has the lease.
	ErrHeld = errors.New("the lease is held by another")
	// ErrLost means that the holder does not have the lease any more.
	ErrLost = errors.New("the lease was lost to another holder")
)

// Table is the table of leases in one transaction.
type Table interface {
	// InsertLease stores a lease. It returns an error if there is one with its name.
	InsertLease(ctx context.Context, l Lease) error
	// TakeOverLease replaces a lease with the name of l that has expired. It reports
	// whether there was one.
	TakeOverLease(ctx context.Context, l Lease, now time.Time) (bool, error)
	// HoldLease sets the time at which the lease expires to that of l. It reports whether
	// the holder of l has the lease.
	HoldLease(ctx context.Context, l Lease) (bool, error)
	// ReleaseLease deletes the lease. It reports whether the holder of l had it.
	ReleaseLease(ctx context.Context, l Lease) (bool, error)
}

// Acquire takes l for its holder. old is the lease of this name as it was read before: outside the
// transaction, because a transaction must not begin with a read of a row that it changes, or after
// another row was locked. old is zero if there was none. Acquire returns [ErrHeld] if another
// holder has the lease or has taken it since. If another transaction has inserted the lease since,
// it returns the error of InsertLease.
func Acquire(ctx context.Context, t Table, old, l Lease, now time.Time) error {
	switch {
	case old.Holder == "": // the lease has no row
		return t.InsertLease(ctx, l)
	case !old.Expired(now):
		return ErrHeld
	}
	taken, err := t.TakeOverLease(ctx, l, now)
	return orElse(taken, err, ErrHeld)
}

// Hold returns [ErrLost] if the holder of l does not have it any more. It is the check
// of a transaction that uses a lease. Another transaction cannot take the lease over
// before this one ends, because Hold changes the row.
func Hold(ctx context.Context, t Table, l Lease) error {
	held, err := t.HoldLease(ctx, l)
	return orElse(held, err, ErrLost)
}

// Release is [Hold], and deletes the lease, so that another holder can take it at once.
func Release(ctx context.Context, t Table, l Lease) error {
	held, err := t.ReleaseLease(ctx, l)
	return orElse(held, err, ErrLost)
}

// orElse returns err. If err is nil and the statement has changed no row, it returns none, the
// error for that case.
func orElse(changed bool, err, none error) error {
	if err == nil && !changed {
		return none
	}
	return err
}
