package tutor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/internal/lease"
	"github.com/openlectern/openlectern/internal/singleflight"
	"github.com/openlectern/openlectern/learning/core"
)

// recordSource describes a record that is created at the first request. One caller of
// one instance creates it, and concurrent callers wait.
type recordSource[T any] struct {
	// find reads the record. It returns [core.ErrNoRecord] if there is none.
	find func(ctx context.Context) (T, error)
	// admit, if not nil, is asked for the caller that is about to create the record.
	admit Admission
	// create makes and stores the record, so that find finds it. Its context is done when
	// the last caller has left. Its error is that of all callers of this process, except
	// that a [core.RateLimited] error concerns only the caller that was admitted.
	//
	// An instance that was stopped for longer than its lease may come late, when another
	// one has stored the record: the store decides who was first.
	create func(ctx context.Context) error
}

// Admission decides whether a caller may begin an expensive operation that concurrent
// callers share, for example by a rate limit. It returns nil, or the error for that caller,
// such as a [core.RetryableError]. Of the callers that share the operation only the one that is
// about to begin it is asked, in its own goroutine and with its own context. If the
// Admission fails or panics, this concerns only that caller, and a waiting caller is next.
type Admission func(ctx context.Context) error

// findOrCreate returns a record that it finds, creates, or waits for. key must identify the record
// in all instances. findOrCreate gives up after the time of two attempts, by this caller or others,
// so that callers who wait one after the other do not add up the time limits of a provider that
// hangs.
func findOrCreate[T any](ctx context.Context, s *Service, key string,
	r recordSource[T]) (T, error) {
	// An attempt takes the time of a lease, which is that of the work and a margin, and one margin
	// more.
	attempt := s.gate.Timeout + 2*lease.Margin
	ctx, cancel := context.WithTimeout(ctx, 2*attempt)
	defer cancel()
	for created := false; ; { // created: this caller has begun the work that stores the record
		// Find the record.
		v, err := r.find(ctx)
		if created && errors.Is(err, core.ErrNoRecord) { // create has not stored it, or it was deleted
			return v, fmt.Errorf("%s was created and cannot be found", key)
		}
		if !errors.Is(err, core.ErrNoRecord) {
			return v, err
		}
		// Create it, or wait for the caller of this process that does, and look again. Only the
		// caller that begins the work calls beginCreation, so created stays false for the others.
		_, err = s.creations.DoAdmitted(ctx, key,
			func(ctx context.Context) (work singleflight.Work[struct{}], err error) {
				work, created, err = beginCreation(ctx, s, key, r)
				return work, err
			})
		if err != nil {
			return v, core.Wrap("make "+key, err)
		}
	}
}

// beginCreation takes the lease of a key, asks for admission, and returns the work that creates the
// record and releases the lease; then created is true. If another instance has created the record,
// created is false and the work does nothing. Unless created is true, it has released the lease.
func beginCreation[T any](ctx context.Context, s *Service, key string,
	r recordSource[T]) (work singleflight.Work[struct{}], created bool, err error) {
	l := &creationLease{leases: s.base.Leases, work: s.gate.Timeout}
	begun := false
	defer func() {
		if !begun { // also if find or admit panics
			l.release(ctx)
		}
	}()

	// Wait for the lease, or for the record of another instance.
	found, err := l.await(ctx, key, func() error { _, err := r.find(ctx); return err })
	if err != nil {
		return nil, false, err
	}
	if found { // no work: findOrCreate reads the record
		return func(context.Context) (none struct{}, err error) { return none, nil }, false, nil
	}

	// This caller is about to create it, so it must be admitted, for example by a rate limit.
	if r.admit != nil {
		if err := r.admit(ctx); err != nil {
			return nil, false, err
		}
	}

	// From here on the work releases the lease.
	begun = true
	return func(ctx context.Context) (none struct{}, err error) {
		defer l.release(ctx)
		return none, s.createRecord(ctx, r.create)
	}, true, nil
}

// createRecord calls create with the time limit of the AI. A [core.RateLimited] error is for the
// caller that was admitted: singleflight then lets another caller try.
func (s *Service) createRecord(ctx context.Context, create func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, s.gate.Timeout)
	defer cancel()
	err := create(ctx)
	if core.IsRateLimited(err) {
		err = singleflight.LeaderError(err)
	}
	return err
}

// creationLease is the lease to create a record.
type creationLease struct {
	leases *lease.Leases
	work   time.Duration // time limit of the creation
	lease  core.Lease    // the zero Lease unless this caller has it
}

// await waits until it has the lease of a key, or until find finds the record, and reports whether
// it was found. find returns nil if the record is there, and [core.ErrNoRecord] if it is not. After
// each try await looks for the record, because the last holder may have created it. So it may have
// the lease of a record that was found. The caller must call release in any case, also on an error.
func (l *creationLease) await(
	ctx context.Context, key string, find func() error,
) (found bool, err error) {
	err = lease.Poll(ctx, func() (done bool, err error) {
		// l.lease is set before Take and stays on an error, so that release deletes it: only the
		// answer to COMMIT may be lost.
		l.lease = l.leases.New(key, l.work)
		_, err = l.leases.Take(ctx, l.lease) // the result is the lease of another holder
		switch {
		case errors.Is(err, lease.ErrHeld): // by another instance
			l.lease = core.Lease{} // nothing to release
		case err != nil:
			return false, fmt.Errorf("take the lease of a record: %w", err)
		}
		err = find()
		found = err == nil
		if errors.Is(err, core.ErrNoRecord) {
			err = nil
		}
		hasLease := l.lease.Holder != ""
		return found || hasLease, err
	})
	return found, err
}

// release releases the lease, if this caller has it. It logs a failure: the lease then ends by its
// time.
func (l *creationLease) release(ctx context.Context) {
	if l.lease.Holder == "" {
		return
	}
	if err := l.leases.Release(ctx, l.lease); err != nil {
		l.leases.Log.ErrorContext(ctx, "release the lease of a record",
			"lease", l.lease.Name, "error", err)
	}
}
