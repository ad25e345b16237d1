package store

import (
	"context"
	"errors"

	"github.com/openlectern/openlectern/learning"
)

func (t *tx) get(ctx context.Context, action string, dest any, query string, args ...any) error {
	return t.statement(ctx, action, func(ctx context.Context) error {
		return invalidIDAsNoRows(t.conn.GetContext(ctx, dest, query, args...))
	})
}

func (t *tx) list(ctx context.Context, action string, dest any, query string, args ...any) error {
	return t.statement(ctx, action, func(ctx context.Context) error {
		return ignoreInvalidID(t.conn.SelectContext(ctx, dest, query, args...))
	})
}

func (t *tx) each(ctx context.Context, action string, dest []any, fn func() error, query string, args ...any) error {
	var stopped error
	err := t.statement(ctx, action, func(ctx context.Context) error {
		rows, err := t.conn.QueryContext(ctx, query, args...)
		if err != nil {
			return ignoreInvalidID(err)
		}
		stopped, err = scanRows(ctx, rows, dest, fn, rowTimer{})
		return err
	})
	return firstError(stopped, err)
}

// exec runs a statement that changes or deletes rows, and returns how many rows it matched.
func (t *tx) exec(ctx context.Context, action, query string, args ...any) (n int64, err error) {
	err = t.statement(ctx, action, func(ctx context.Context) (err error) {
		n, err = t.write(ctx, query, args...)
		return ignoreInvalidID(err)
	})
	return n, err
}

// insert adds a row. It returns learning.ErrDuplicate if a unique key has the value.
func (t *tx) insert(ctx context.Context, action, query string, args ...any) error {
	return t.statement(ctx, action, func(ctx context.Context) error {
		_, err := t.write(ctx, query, args...)
		return err
	})
}

// write sends a statement that writes, and returns how many rows it matched.
func (t *tx) write(ctx context.Context, query string, args ...any) (int64, error) {
	n, err := matchedRows(t.conn.ExecContext(ctx, query, args...))
	t.changed = t.changed || n > 0
	return n, err
}

// update changes or deletes the rows that match the WHERE clause, and reports whether
// there were any.
func (t *tx) update(ctx context.Context, action, query string, args ...any) (bool, error) {
	n, err := t.exec(ctx, action, query, args...)
	return n > 0, err
}

// mustUpdate is update that returns learning.ErrNoRecord if no row matches.
func (t *tx) mustUpdate(ctx context.Context, action, query string, args ...any) error {
	found, err := t.update(ctx, action, query, args...)
	if err == nil && !found {
		return noRecord(action)
	}
	return err
}

// statement runs one statement. If a statement of the transaction has failed, it returns
// that error and runs nothing.
func (t *tx) statement(ctx context.Context, action string, run func(ctx context.Context) error) error {
	if t.failed != nil {
		return t.failed
	}
	ctx, cancel := t.withDeadline(ctx)
	defer cancel()
	err := faultAt(ctx, t.inject, action)
	if err == nil {
		err = run(ctx)
	}
	err = t.dialect.wrapError(ctx, action, err)
	if err != nil && !errors.Is(err, learning.ErrNoRecord) {
		t.failed = err
	}
	return err
}

// withDeadline adds the deadline of the transaction to the context of a statement. Most
// statements use the context of InTx, for which boundCtx exists already.
func (t *tx) withDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if sameContext(ctx, t.callerCtx) {
		return t.boundCtx, func() {}
	}
	end, ok := t.boundCtx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	return context.WithDeadlineCause(ctx, end, ErrTimeout)
}
