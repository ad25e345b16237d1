package sqldb

import "context"

// The steps of a transaction that [DB.WithFaults] reports besides its statements.
const (
	stepBegin  = "begin a transaction"
	stepCommit = "COMMIT"
	stepAnswer = "answer to COMMIT"
)

// WithFaults returns a database with the connections of db that calls inject before each of its
// steps, for tests of what happens if the database fails. If inject returns an error, the
// step fails with it. inject must be safe for concurrent use. It may wait, or use other
// databases.
//
// A step is a statement, with the description that its errors begin with, such as "insert
// a purchase". The other steps are "begin a transaction", "COMMIT", and "answer to COMMIT",
// which comes after the transaction has taken effect: an error there means that the answer
// is lost. [DB.Ping] has no steps.
func (db *DB) WithFaults(inject func(ctx context.Context, step string) error) *DB {
	faulty := *db
	faulty.inject = inject
	faulty.pool = db.pool.withFaults(inject)
	faulty.anonymous = db.anonymous.withFaults(inject)
	faulty.urgent = db.urgent.withFaults(inject)
	faulty.marks = true // because answers can be lost now on SQLite too
	// because a fault that is meant for a transaction could meet a sweep by chance
	faulty.markersPerSweep = 0
	return &faulty
}

// withFaults returns a pool with the connections of p that calls inject before each statement.
func (p *Pool) withFaults(inject func(ctx context.Context, step string) error) *Pool {
	faulty := *p
	faulty.inject = inject
	return &faulty
}

// faultAt returns the error that a test injects at a step. It returns nil without an error, and if
// inject is nil, as it is outside tests.
func faultAt(ctx context.Context, inject func(context.Context, string) error, step string) error {
	if inject == nil {
		return nil
	}
	return inject(ctx, step)
}
