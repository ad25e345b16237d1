package sqldb

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"
)

// The constants of markers. A marker is a row of learning_commits that a transaction inserts
// last, if it has changed a row: see the comment of the package.
const (
	// outcomeTimeout bounds the search for the outcome of one COMMIT.
	outcomeTimeout = 5 * time.Second
	// markerAge is how long a marker is kept. It must be longer than outcomeTimeout and the
	// difference between the clocks of two instances together.
	markerAge = time.Hour
	// markersPerSweep is the number of marked transactions for each sweep, on average, and
	// sweepSize the number of markers that one sweep removes at most. sweepSize is the
	// greater one, so that sweeps catch up after a burst of transactions.
	markersPerSweep = 1000
	sweepSize       = 5000
)

// mark inserts the marker of a transaction that has changed a row and is not repeatable. It inserts
// none if t.marks is false, as on SQLite, where each COMMIT has an answer.
func (t *Tx) mark(ctx context.Context) error {
	if !t.marks || !t.changed || t.repeatable {
		return nil
	}
	id, err := uuid.NewV7()
	if err != nil {
		return fmt.Errorf("mark a transaction: %w", err)
	}
	t.marker = id.String()
	const fenced = false
	return t.insertMarker(ctx, t.marker, fenced)
}

// insertMarker inserts a marker. A fenced one is no sign that a transaction was committed: it makes
// the transaction that inserts the same marker fail (isCommitted), or it is the lock of a row on a
// cluster (Lock).
func (t *Tx) insertMarker(ctx context.Context, id string, fenced bool) error {
	return t.Insert(ctx, "mark a transaction",
		`INSERT INTO {learning_commits} (id, fenced) VALUES (?, ?)`, id, fenced)
}

// resolve decides what follows a COMMIT that was not answered:
//
//	transaction                          result
//	is repeatable                        retry
//	is never marked (migrations)         Errors.UnknownOutcome
//	is not marked: it changed nothing    nil
//	its marker is in the table           nil: it was committed
//	its marker is not, and is fenced     retry: it was rolled back
//	no answer about it in time           Errors.UnknownOutcome
func (db *DB) resolve(ctx context.Context, t *Tx) (retry bool, err error) {
	err = fmt.Errorf("commit: %w", t.unanswered)
	switch {
	case t.repeatable:
		return true, err
	case !t.marks:
		return false, fmt.Errorf("%w: %w", db.dialect.errs.UnknownOutcome, err)
	case t.marker == "": // it has changed nothing
		return false, nil
	}

	// Look for the marker until the database answers or the time ends.
	ctx, cancel := db.dialect.withoutCancel(ctx, db.outcomeTimeout)
	defer cancel()
	for {
		committed, failure := db.isCommitted(ctx, t.marker)
		switch {
		case failure == nil && committed:
			return false, nil
		case failure == nil:
			return true, err
		case !pause(ctx, lastPause): // the time has run out
			return false, fmt.Errorf("%w: %w", db.dialect.errs.UnknownOutcome, err)
		}
	}
}

// isCommitted reports whether the transaction with a marker was committed. It inserts the
// same marker as a fence: if that succeeds, the transaction was not committed and cannot be
// committed any more, because its own marker would be a duplicate. While the server is still
// committing or rolling back, the INSERT waits for the lock of the transaction's marker.
func (db *DB) isCommitted(ctx context.Context, marker string) (bool, error) {
	// Insert the fence. If err is nil, it is stored, so that the transaction was not committed. If
	// err is not a duplicate either, nothing is known.
	const fenced = true
	err := db.inTx(ctx, func(t *Tx) error { return t.insertMarker(ctx, marker, fenced) })
	if !errors.Is(err, db.dialect.errs.Duplicate) {
		return false, err
	}

	// A duplicate is the marker of the transaction, or an earlier fence. Change it, so that a
	// COMMIT after that of the transaction is answered: a server with a synchronous standby answers
	// when the standby has both. It may show a marker that the standby does not have, such as after
	// a crash, and would lose it if the standby became the primary.
	var wasFenced bool // by an earlier call, whose COMMIT was not answered either
	err = db.inTx(ctx, func(t *Tx) error {
		err := t.MustUpdate(ctx, "confirm the marker of a transaction",
			`UPDATE {learning_commits} SET fenced = fenced WHERE id = ?`, Key(marker))
		if err != nil {
			return err
		}
		return t.Get(ctx, "read the marker of a transaction", &wasFenced,
			`SELECT fenced FROM {learning_commits} WHERE id = ?`, Key(marker))
	})
	return err == nil && !wasFenced, err
}

// sweep removes old markers, after one in markersPerSweep marked transactions. It ignores
// errors, because the next sweep removes the same markers.
func (db *DB) sweep(ctx context.Context, t *Tx) {
	if t.marker != "" && db.markersPerSweep > 0 && rand.N(db.markersPerSweep) == 0 { // 0 for none
		_ = db.removeMarkers(ctx, time.Now().Add(-markerAge))
	}
}

// removeMarkers removes the markers that were written before a time, at most sweepSize, the
// oldest first. Their ids sort in the order of time. The rows of [Tx.Lock] on a cluster do not
// matter: the transaction that inserts one deletes it. The transaction has no marker itself.
func (db *DB) removeMarkers(ctx context.Context, before time.Time) error {
	end := markerTime(before)
	return db.inTx(ctx, func(t *Tx) error {
		// End at the marker that follows sweepSize others, if there are so many.
		err := t.Get(ctx, "find old markers", &end,
			`SELECT id FROM {learning_commits} WHERE id < ? ORDER BY id LIMIT 1 OFFSET ?`, end,
			sweepSize)
		if err != nil && !errors.Is(err, db.dialect.errs.NoRow) {
			return err
		}
		_, err = t.Exec(ctx, "remove old markers",
			`DELETE FROM {learning_commits} WHERE id < ?`, end)
		return err
	})
}

// markerTime returns the beginning of the ids that the markers of a time have. As a text it sorts
// before all of them, and after the ids of all earlier times.
func markerTime(at time.Time) string {
	ms := at.UnixMilli() // the first 48 bits of a UUIDv7: 8 digits, a hyphen and 4 digits
	return fmt.Sprintf("%08x-%04x", ms>>16, ms&0xffff)
}
