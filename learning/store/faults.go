package store

import "context"

// The steps of a transaction that [Store.WithFaults] reports besides its statements.
const (
	stepBegin  = "begin a transaction"
	stepCommit = "COMMIT"
	stepAnswer = "answer to COMMIT"
)

// WithFaults returns a store with the connections of s that calls inject before each of its
// steps, for tests of what happens if the database fails. If inject returns an error, the
// step fails with it. inject must be safe for concurrent use. It may wait, or use other
// stores.
//
// A step is a statement, with the description that its errors begin with, such as "insert
// a purchase". The other steps are "begin a transaction", "COMMIT", and "answer to COMMIT",
// which comes after the transaction has taken effect: an error there means that the answer
// is lost. [Store.Ping] has no steps.
func (s *Store) WithFaults(inject func(ctx context.Context, step string) error) *Store {
	faulty := *s
	faulty.inject = inject
	faulty.pool = s.pool.withFaults(inject)
	faulty.anonymous = s.anonymous.withFaults(inject)
	faulty.urgent = s.urgent.withFaults(inject)
	faulty.reader = reader{classed{
		ordinary:  faulty.pool,
		anonymous: faulty.anonymous,
		urgent:    faulty.urgent,
	}}
	faulty.marks = true        // because answers can be lost now on SQLite too
	faulty.markersPerSweep = 0 // because a fault that is meant for a transaction could meet a sweep by chance
	return &faulty
}

// withFaults returns a pool with the connections of p that calls inject before each statement.
func (p *pool) withFaults(inject func(ctx context.Context, step string) error) *pool {
	faulty := *p
	faulty.inject = inject
	return &faulty
}

// faultAt returns the error that inject injects at a step, or nil.
func faultAt(ctx context.Context, inject func(context.Context, string) error, step string) error {
	if inject == nil {
		return nil
	}
	return inject(ctx, step)
}
