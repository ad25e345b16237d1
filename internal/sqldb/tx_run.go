package sqldb

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/openlectern/openlectern/internal/backoff"
	"github.com/openlectern/openlectern/internal/sqldriver"
)

// A transaction runs at most maxTries times, or maxConflicts times if it conflicts with others,
// because the nodes of a cluster find a conflict at COMMIT only: of n transactions on one row, each
// on another node, one succeeds and n-1 run again. The longest pause before a retry doubles from
// firstPause to lastPause, and to conflictPause after conflicts.
const (
	maxTries      = 8
	maxConflicts  = 24
	firstPause    = 2 * time.Millisecond
	lastPause     = 50 * time.Millisecond
	conflictPause = 200 * time.Millisecond
)

// InTx runs fn in one transaction. If the transaction conflicts with another one (deadlock, lock
// time-out, busy file, conflict at COMMIT), or if the connection is lost before COMMIT, InTx runs
// all of it again: at most 8 times, or 24 times while servers end it because of conflicts. If ctx
// or Config.TxTimeout ends first, InTx returns the error of ctx or Errors.Timeout. The error of a
// transaction that was given up because of others matches Errors.Busy.
//
// Transactions of this process that lock one row wait for each other in their order ([Tx.Lock]), so
// that none of many waits until its time has run out.
//
// On a server a statement waits at most one second for a row that another transaction has
// locked, and on PostgreSQL 8 seconds after such a wait has timed out, so that it keeps its place
// among those that wait. A transaction whose wait timed out runs again only while fewer than half
// of the writing connections run such transactions, so that many transactions on one locked row
// leave connections to transactions on other rows.
//
// After a statement has failed, every other statement of the transaction returns the same error,
// and so does InTx, even if fn returns nil: on MySQL a deadlock ends the transaction, so that later
// statements would take effect on their own. Errors.NoRow does not count as a failure.
//
// ctx bounds the wait for a connection, the statements and the pauses. When it is done,
// the transaction is rolled back. InTx waits for a COMMIT that was sent.
func (db *DB) InTx(ctx context.Context, fn func(t *Tx) error) error {
	if db.isInsideHost(ctx) {
		return errInsideHost
	}
	boundCtx, cancel := db.dialect.withTimeout(ctx, db.txTimeout)
	defer cancel()
	boundCtx, end := db.observeTx(boundCtx) // end reports the result to Config.ObserveTx
	runs := 0
	err := errPanicked // reported if fn panics, because err is not set then
	defer func() { end(err, runs) }()
	err = db.run(ctx, boundCtx, db.marks, func(t *Tx) error {
		runs++
		return fn(t)
	})
	return err
}

// inTx is InTx without a deadline of its own, because a migration may take long, without
// Config.ObserveTx, and without a marker: if COMMIT is not answered, it returns
// Errors.UnknownOutcome.
func (db *DB) inTx(ctx context.Context, fn func(t *Tx) error) error {
	const marks = false
	return db.run(ctx, ctx, marks, fn)
}

// run implements InTx. callerCtx is the context of the caller, and boundCtx the one that
// bounds all tries. marks says whether a transaction that changes a row inserts a marker: the row
// from which [DB.resolve] learns whether a COMMIT without an answer took effect.
func (db *DB) run(callerCtx, boundCtx context.Context, marks bool, fn func(t *Tx) error) error {
	lockTimedOut := false
	// The functions of AfterCommit of the earlier runs that may have taken effect, which only
	// repeatable ones do before another run. The next run begins with them, because it may find
	// its change made already, and then it registers none.
	var hooks []func()
	for try := 0; ; try++ {
		// Run the transaction once. If COMMIT was not answered, find out whether it took effect.
		t := db.newTx(callerCtx, boundCtx, marks)
		t.hooks = hooks
		retry, err := db.try(boundCtx, t, lockTimedOut, fn)
		if t.unanswered != nil {
			retry, err = db.resolve(callerCtx, t)
			if t.repeatable {
				hooks = t.hooks
			}
		}

		// After a COMMIT, run the hooks, and remove old markers in one of many transactions. Return
		// an error that another run would meet again.
		if err == nil {
			for _, hook := range t.hooks {
				hook()
			}
			db.sweep(boundCtx, t)
			return nil
		}
		if !retry {
			return err
		}

		// Run it again after a pause, unless the tries or the time have run out. pause returns
		// false if the time has: then the error of the context is the reason to give up.
		tries, longest := maxTries, lastPause
		if db.dialect.failure(err) == sqldriver.Conflict {
			tries, longest = maxConflicts, conflictPause
		}
		if try+1 >= tries || !pause(boundCtx, min(firstPause<<try, longest)) {
			return fmt.Errorf("after %d tries: %w", try+1,
				firstError(db.dialect.contextError(boundCtx), err))
		}
		lockTimedOut = db.dialect.failure(err) == sqldriver.LockTimeout
	}
}

// pause sleeps for a random part of d ("full jitter"), so that transactions that
// collided do not collide again. It returns true after the sleep, and false if ctx is done first.
func pause(ctx context.Context, d time.Duration) bool {
	return backoff.Sleep(ctx, rand.N(d)) == nil
}

// try runs the transaction once. lockTimedOut says that the previous run waited for a row
// lock until the time-out; such a run takes a slot of lockWaitSlots. retry is true if the
// transaction was rolled back and may succeed in another run. If COMMIT was not answered, try sets
// t.unanswered, and the caller must find out the outcome.
//
// It sends SQL on a connection, and does not use *sql.Tx, because *sql.Tx rolls back in
// the background when ctx is done. Here the transaction has ended when try returns.
func (db *DB) try(
	ctx context.Context, t *Tx, lockTimedOut bool, fn func(t *Tx) error,
) (retry bool, err error) {
	// Take a slot, if the transaction may wait for a locked row again, and a connection.
	if lockTimedOut {
		select {
		case db.lockWaitSlots <- struct{}{}:
			defer func() { <-db.lockWaitSlots }()
		case <-ctx.Done():
			return false, fmt.Errorf("wait for a row lock: %w", db.dialect.contextError(ctx))
		}
	}
	release, err := db.writing.take(ctx, db.dialect)
	if err != nil {
		return false, err
	}
	defer release()
	conn, err := db.connection(ctx)
	if err != nil {
		return false, err
	}
	defer conn.Close()

	// Begin, run fn, and mark the transaction. A statement that has failed decides whether to run
	// the transaction again, also if fn returns another error or none.
	committed := false
	defer func() {
		if !committed { // also when fn panics
			t.rollback(ctx, conn)
		}
		t.leaveQueues()
	}()

	if retry, err = t.begin(ctx, conn, lockTimedOut); err != nil {
		return retry, err
	}
	if err = fn(t); err == nil && t.failed == nil {
		err = t.mark(ctx)
	}
	if t.failed != nil {
		return t.canRetry(t.failed), firstError(err, t.failed) // the error of fn, if it has one
	}
	// Do not commit when ctx is done, because t.commit would wait for the answer.
	if err = firstError(err, db.dialect.contextError(ctx)); err != nil {
		return false, err
	}

	// Commit. After an error the deferred function rolls back. That changes nothing if COMMIT took
	// effect without an answer.
	retry, err = t.commit(ctx)
	committed = err == nil
	return retry, err
}

// connection returns a connection of the pool for transactions. A new connection to a
// SQLite file reads the file, so that it fails while another process has it locked or
// recovers its WAL; connection then tries again.
func (db *DB) connection(ctx context.Context) (conn *sqlx.Conn, err error) {
	err = db.dialect.retryBusy(ctx, func() error {
		conn, err = db.writer.Connx(ctx)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("wait for a connection: %w",
			firstError(db.dialect.contextError(ctx), err))
	}
	return conn, nil
}
