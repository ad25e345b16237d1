package sqldb

import (
	"context"
	"errors"
)

// Get implements [Querier]. An invalid id is Errors.NoRow, because no row has it.
func (t *Tx) Get(ctx context.Context, action string, dest any, query string, args ...any) error {
	return t.statement(ctx, action, func(ctx context.Context) error {
		return invalidIDAsNoRows(t.Conn.GetContext(ctx, dest, query, args...))
	})
}

// List implements [Querier]. An invalid id matches no row.
func (t *Tx) List(ctx context.Context, action string, dest any, query string, args ...any) error {
	return t.statement(ctx, action, func(ctx context.Context) error {
		return ignoreInvalidID(t.Conn.SelectContext(ctx, dest, query, args...))
	})
}

// Each implements [Querier]. An error of fn is not the error of a statement, so that later
// statements of the transaction run. An invalid id matches no row.
func (t *Tx) Each(
	ctx context.Context, action string, dest []any, fn func() error, query string, args ...any,
) error {
	var stopped error // of fn
	err := t.statement(ctx, action, func(ctx context.Context) error {
		rows, err := t.Conn.QueryContext(ctx, query, args...)
		if err != nil {
			return ignoreInvalidID(err)
		}
		// No time-out for a row: the deadline of the transaction bounds the wait.
		stopped, err = scanRows(ctx, rows, dest, fn, rowTimer{})
		return err
	})
	return firstError(stopped, err)
}

// Exec runs a statement that changes or deletes rows, and returns how many rows it matched. An
// invalid id matches none.
func (t *Tx) Exec(ctx context.Context, action, query string, args ...any) (n int64, err error) {
	err = t.statement(ctx, action, func(ctx context.Context) (err error) {
		n, err = t.write(ctx, query, args...)
		return ignoreInvalidID(err)
	})
	return n, err
}

// Insert adds one row. It returns Errors.Duplicate if a unique key has the value, ErrInvalidID for
// an invalid id, and ErrUnstorableText.
func (t *Tx) Insert(ctx context.Context, action, query string, args ...any) error {
	return t.statement(ctx, action, func(ctx context.Context) error {
		n, err := t.write(ctx, query+t.dialect.insertOnce, args...)
		if err == nil && n != 1 {
			return t.dialect.errs.Duplicate // insertOnce has left out the row
		}
		return err
	})
}

// InsertAll adds any number of rows in one statement. It returns Errors.Duplicate, and adds none,
// if a unique key has the value of one of them. Its other errors are those of Insert.
func (t *Tx) InsertAll(ctx context.Context, action, query string, args ...any) error {
	return t.statement(ctx, action, func(ctx context.Context) error {
		_, err := t.write(ctx, query, args...)
		return err
	})
}

// write sends a statement that writes, returns how many rows it matched, and sets t.changed if it
// matched any.
func (t *Tx) write(ctx context.Context, query string, args ...any) (int64, error) {
	if hasUnstorableText(args) {
		return 0, ErrUnstorableText
	}
	n, err := matchedRows(t.Conn.ExecContext(ctx, query, args...)) // 0 after an error
	t.changed = t.changed || n > 0
	return n, err
}

// Update changes or deletes the rows that match the WHERE clause, and reports whether
// there were any.
func (t *Tx) Update(ctx context.Context, action, query string, args ...any) (bool, error) {
	n, err := t.Exec(ctx, action, query, args...)
	return n > 0, err
}

// MustUpdate is Update that returns Errors.NoRow if no row matches.
func (t *Tx) MustUpdate(ctx context.Context, action, query string, args ...any) error {
	found, err := t.Update(ctx, action, query, args...)
	if err == nil && !found {
		return t.dialect.noRow(action)
	}
	return err
}

// statement calls run, which sends one statement, with the deadline of the transaction. It returns
// the error of run after the action, as one of [Errors] if there is one for it. If an earlier
// statement of the transaction has failed, it returns that error and calls nothing. It keeps a new
// error for the next calls, unless that is Errors.NoRow.
func (t *Tx) statement(
	ctx context.Context, action string, run func(ctx context.Context) error,
) error {
	if t.failed != nil {
		return t.failed
	}
	ctx, cancel := t.withDeadline(ctx)
	defer cancel()
	err := faultAt(ctx, t.inject, action) // of a test, in place of the statement
	if err == nil {
		err = run(ctx)
	}
	err = t.dialect.wrapError(ctx, action, err)
	if err != nil && !errors.Is(err, t.dialect.errs.NoRow) {
		t.failed = err
	}
	return err
}

// withDeadline adds the deadline of the transaction to the context of a statement. Most
// statements use the context of InTx, for which boundCtx exists already. A transaction of inTx may
// have no deadline; withDeadline then returns ctx.
func (t *Tx) withDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if sameContext(ctx, t.callerCtx) {
		return t.boundCtx, func() {}
	}
	end, ok := t.boundCtx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	return context.WithDeadlineCause(ctx, end, t.dialect.errs.Timeout)
}
