package learning

import (
	"context"
	"errors"
	"time"

	"github.com/openlectern/openlectern/internal/lease"
)

// renewedLease is a lease that [lease.Run] extends while this instance works. Another
// instance does not wait for it.
type renewedLease struct {
	*Platform
	name, holder string
	length       time.Duration
	taken        bool      // whether the lease was taken
	heldUntil    time.Time // when the lease expires, if another instance has it
}

// newRenewedLease returns a lease of the given length. It is not stored.
func (p *Platform) newRenewedLease(name string, length time.Duration) renewedLease {
	return renewedLease{Platform: p, name: name, holder: p.newID(), length: length}
}

// lease returns the lease, from now on.
func (r *renewedLease) lease() Lease {
	return Lease{Name: r.name, Holder: r.holder, ExpiresAt: r.now().Add(r.length)}
}

// Take takes the lease, or extends it. It returns [lease.ErrHeld] if another instance has
// it, because that instance does the work.
func (r *renewedLease) Take(ctx context.Context) (held bool, err error) {
	if r.taken {
		return r.extend(ctx, r.lease())
	}
	l := r.lease()
	old, err := r.store.Lease(ctx, l.Name)
	if err == nil && !old.Expired(r.now()) {
		r.heldUntil, err = old.ExpiresAt, lease.ErrHeld
	}
	if err == nil {
		err = r.store.InTx(ctx, func(tx Tx) error { return lease.Acquire(ctx, tx, old, l, r.now()) })
	}
	if errors.Is(err, ErrDuplicate) { // another instance took it first
		err = lease.ErrHeld
	}
	r.taken = err == nil
	return r.taken, err
}

// extend sets the time at which the lease expires to that of l. It reports whether this
// instance has the lease.
func (r *renewedLease) extend(ctx context.Context, l Lease) (held bool, err error) {
	err = r.store.InTx(ctx, func(tx Tx) (err error) {
		tx.Repeatable()
		held, err = tx.HoldLease(ctx, l)
		return err
	})
	return held, err
}
