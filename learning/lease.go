package learning

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/internal/lease"
)

// Lease is an exclusive right of a holder, in all instances, until it expires: to open
// an order, to review an application, to call the AI. It has a Name, a Holder, which is
// an id that differs for each lease that was ever taken, and the time ExpiresAt.
type Lease = lease.Lease

// newLease returns a lease for work that ends within the given time. It is not stored.
func (p *Platform) newLease(name string, work time.Duration) Lease {
	return lease.New(name, p.newID(), p.now(), work)
}

// releaseLease releases a lease, also if ctx is done. If that fails, the lease expires.
func (p *Platform) releaseLease(ctx context.Context, l Lease) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lease.Margin)
	defer cancel()
	err := p.store.InTx(ctx, func(tx Tx) error {
		_, err := tx.ReleaseLease(ctx, l)
		return err
	})
	return wrap("release a lease", err)
}

// deleteExpiredLeases deletes the leases of holders that have crashed. A lease that another
// holder takes over meanwhile stays, because a lease is deleted with its holder only.
func (p *Platform) deleteExpiredLeases(ctx context.Context) error {
	for {
		expired, err := p.store.ExpiredLeases(ctx, p.now().Add(-leaseKept), leftoversPerRead)
		if err != nil || len(expired) == 0 {
			return err
		}
		err = p.store.InTx(ctx, func(tx Tx) error {
			tx.Repeatable()
			for _, l := range expired {
				if _, err := tx.ReleaseLease(ctx, l); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil || len(expired) < leftoversPerRead {
			return err
		}
	}
}

// leaseReader reads leases.
type leaseReader interface {
	// Lease reads the lease of a name, also if it has expired. It returns the zero Lease
	// if there is none.
	Lease(ctx context.Context, name string) (Lease, error)
	// ExpiredLeases lists leases that expired before a time, the oldest first, at most
	// limit.
	ExpiredLeases(ctx context.Context, before time.Time, limit int) ([]Lease, error)
	// CountLeases counts the leases that expire after a time.
	CountLeases(ctx context.Context, after time.Time) (int64, error)
}

// leaseWriter writes leases. The affected row decides who holds a lease.
type leaseWriter interface {
	// InsertLease stores a lease. It returns [ErrDuplicate] if there is one with its
	// name.
	InsertLease(ctx context.Context, l Lease) error
	// TakeOverLease replaces the lease with the name of l if that had expired at the
	// given time. It reports whether it did.
	TakeOverLease(ctx context.Context, l Lease, at time.Time) (bool, error)
	// HoldLease sets the time at which the lease expires to that of l, if its holder is
	// that of l. It reports whether it did. A transaction that uses a lease calls it, so
	// that no other holder can take the lease over before the transaction ends.
	HoldLease(ctx context.Context, l Lease) (bool, error)
	// ReleaseLease deletes the lease, if its holder is that of l. It reports whether it
	// did.
	ReleaseLease(ctx context.Context, l Lease) (bool, error)
}
