package lease

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/openlectern/openlectern/internal/record"
)

// NameReader reads the lease of a name.
type NameReader interface {
	// Lease reads the lease of a name, also if it has expired. It returns the zero Lease
	// if there is none.
	Lease(ctx context.Context, name string) (Lease, error)
}

// Reader reads leases.
type Reader interface {
	NameReader
	// ExpiredLeases lists leases that expired before a time, the oldest first, at most
	// limit.
	ExpiredLeases(ctx context.Context, before time.Time, limit int) ([]Lease, error)
	// CountLeases counts the leases that expire after a time.
	CountLeases(ctx context.Context, after time.Time) (int64, error)
}

// Tx is a transaction that changes leases.
type Tx interface {
	Table
	// Repeatable declares that a second run of the transaction has the same effect.
	Repeatable()
}

// Store stores leases.
type Store interface {
	Reader
	// InTx runs fn in a transaction, more than once if another transaction is in its way.
	InTx(ctx context.Context, fn func(Tx) error) error
}

// Leases takes and releases leases for the goroutines of an instance. It is safe for concurrent
// use.
type Leases struct {
	Store Store
	Now   func() time.Time
	NewID func() string // of a holder
	Log   *slog.Logger
}

// New returns a lease for work that ends within the given time. It is not stored.
func (s *Leases) New(name string, work time.Duration) Lease {
	return New(name, s.NewID(), s.Now(), work)
}

// Take stores a lease that is free or expired. If another holder has a lease of this name, Take
// returns it together with [ErrHeld]; that lease is zero if the other holder took it after Take had
// read it. old is zero in all other cases. After another error l may be stored, because only the
// answer to COMMIT may be lost.
func (s *Leases) Take(ctx context.Context, l Lease) (old Lease, err error) {
	old, err = s.Store.Lease(ctx, l.Name)
	if err != nil {
		return Lease{}, err
	}
	if !old.Expired(s.Now()) {
		return old, ErrHeld
	}
	err = s.Store.InTx(ctx, func(tx Tx) error { return Acquire(ctx, tx, old, l, s.Now()) })
	if errors.Is(err, record.ErrDuplicate) { // another holder has inserted it since
		err = ErrHeld
	}
	return Lease{}, err
}

// Extend sets the time at which a lease expires to that of l. It returns false if the holder of l
// does not have the lease any more.
func (s *Leases) Extend(ctx context.Context, l Lease) (held bool, err error) {
	err = s.Store.InTx(ctx, func(tx Tx) (err error) {
		tx.Repeatable() // a second run sets the same time
		held, err = tx.HoldLease(ctx, l)
		return err
	})
	return held, err
}

// Release deletes a lease, also if ctx is done. It is no error if another holder has taken it over.
// If Release fails, the lease expires.
func (s *Leases) Release(ctx context.Context, l Lease) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), Margin)
	defer cancel()
	err := s.Store.InTx(ctx, func(tx Tx) error {
		_, err := tx.ReleaseLease(ctx, l) // false if another holder has taken it over
		return err
	})
	if err != nil {
		return fmt.Errorf("release a lease: %w", err)
	}
	return nil
}

// expiredPerRead is the number of expired leases that one transaction deletes.
const expiredPerRead = 100

// DeleteExpired deletes the leases that expired before a time. Their holders have crashed. A lease
// that another holder takes over meanwhile stays, because a lease is deleted with its holder only.
func (s *Leases) DeleteExpired(ctx context.Context, before time.Time) error {
	for {
		expired, err := s.Store.ExpiredLeases(ctx, before, expiredPerRead)
		if err != nil {
			return err
		}
		if len(expired) == 0 {
			return nil
		}
		err = s.Store.InTx(ctx, func(tx Tx) error {
			tx.Repeatable() // a second run finds nothing to delete
			for _, l := range expired {
				// false, if another holder has taken it over
				if _, err := tx.ReleaseLease(ctx, l); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		if len(expired) < expiredPerRead { // there are no more
			return nil
		}
	}
}

// Renewed is a [Renewable] lease of work that one instance does. Another instance does not wait
// for it.
type Renewed struct {
	HeldUntil time.Time // when the lease of another instance expires, if Take has found one

	leases       *Leases
	name, holder string
	length       time.Duration
	taken        bool // whether Take has taken it, so that Take extends it from then on
}

// NewRenewed returns a lease of the given length, with a holder of its own. It is not stored.
func (s *Leases) NewRenewed(name string, length time.Duration) *Renewed {
	return &Renewed{leases: s, name: name, holder: s.NewID(), length: length}
}

// Lease returns the lease with the time at which it expires if it is taken or extended now.
func (r *Renewed) Lease() Lease {
	return Lease{Name: r.name, Holder: r.holder, ExpiresAt: r.leases.Now().Add(r.length)}
}

// Take takes the lease at the first call, and extends it after that. If another instance has the
// lease at the first call, Take returns [ErrHeld], so that [Run] does not wait, because that
// instance does the work. Later Take returns false if another instance has taken the lease over.
func (r *Renewed) Take(ctx context.Context) (held bool, err error) {
	if r.taken {
		return r.leases.Extend(ctx, r.Lease())
	}
	old, err := r.leases.Take(ctx, r.Lease())
	r.HeldUntil = old.ExpiresAt // zero if no other instance has it
	r.taken = err == nil
	return r.taken, err
}

// Release releases the lease, and logs a failure.
func (r *Renewed) Release(ctx context.Context) {
	if err := r.leases.Release(ctx, r.Lease()); err != nil {
		r.leases.Log.WarnContext(ctx, "a lease was not released", "lease", r.name, "error", err)
	}
}
