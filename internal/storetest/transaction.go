package storetest

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/purchase"
)

var transactionTests = []test{
	{"the database answers", txPing},
	{"changes of fn are visible after the commit, all of them, and not before", txCommit},
	{"a transaction knows whether it has written a row", txChanged},
	{"an error of fn rolls back and is returned unchanged", txError},
	{"a panic of fn rolls back and continues", txPanic},
	{"a context that is cancelled in fn rolls back", txCancelled},
	{"with a cancelled context fn is not called", txCancelledBefore},
	{"an error of a statement that fn ignores rolls back", txSwallowed},
	{"a missing row does not abort the transaction", txNotFound},
	{"hooks run in order, once, after the commit", txHooks},
	{"hooks of a transaction that fails do not run", txHooksFailed},
	{"a failed transaction leaves no connection open", txConnections},
	{"a function of the host decides with the transaction", txHost},
}

var errOwn = errors.New("storetest: an error of fn")

// change executes several statements on several tables. changed checks whether they took effect.
func change(ctx context.Context, tx learning.Tx) error {
	if err := tx.InsertCourse(ctx, course("c"), chapters); err != nil {
		return err
	}
	if err := tx.InsertUser(ctx, user("u")); err != nil {
		return err
	}
	return tx.InsertPurchase(ctx, purchaseIn("p", purchase.Pending))
}

// changed checks that all rows of change exist, if want is true, or that none does.
func changed(t *testing.T, f *fixture, want bool) {
	t.Helper()
	_, courseErr := f.Course(t.Context(), "c")
	_, contentErr := f.CourseContent(t.Context(), "c")
	_, userErr := f.User(t.Context(), "u")
	_, purchaseErr := f.Purchase(t.Context(), "p")
	for _, err := range []error{courseErr, contentErr, userErr, purchaseErr} {
		if there := !errors.Is(err, core.ErrNoRecord); there != want || (there && err != nil) {
			t.Errorf("a row exists: %v (%v), want %v", there, err, want)
		}
	}
}

// txHost calls a function of the host, and not its statements, which package sqldb tests: the suite
// knows no table of a host.
func txHost(t *testing.T, f *fixture) {
	for _, own := range []error{errOwn, nil} {
		hooks := 0
		err := f.InTx(t.Context(), func(tx learning.Tx) error {
			if err := change(t.Context(), tx); err != nil {
				return err
			}
			return tx.WithHost(t.Context(), func(ctx context.Context, host core.HostTx) error {
				if _, ok := ctx.Deadline(); !ok {
					t.Error("the context has no deadline")
				}
				host.AfterCommit(func() { hooks++ })
				return own
			})
		})
		if err != own || own == nil && hooks != 1 || own != nil && hooks != 0 {
			t.Errorf("with %v it returned %v, and called %d hooks", own, err, hooks)
		}
		changed(t, f, own == nil)
	}
}

func txChanged(t *testing.T, f *fixture) {
	err := f.InTx(t.Context(), func(tx learning.Tx) error {
		if _, err := tx.AccountState(t.Context(), "u"); err != nil || tx.Changed() {
			t.Errorf("after a read: changed %v, %v", tx.Changed(), err)
		}
		if matched, err := tx.LockUser(t.Context(), "u"); err != nil || matched || tx.Changed() {
			t.Errorf("after an UPDATE of no row: changed %v, %v", tx.Changed(), err)
		}
		if err := change(t.Context(), tx); err != nil || !tx.Changed() {
			t.Errorf("after a write: changed %v, %v", tx.Changed(), err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func txPing(t *testing.T, f *fixture) {
	if err := f.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.Ping(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Ping with a cancelled context: %v", err)
	}
}

func txCommit(t *testing.T, f *fixture) {
	f.do(func(ctx context.Context, tx learning.Tx) error {
		if err := change(ctx, tx); err != nil {
			return err
		}
		inside, err := tx.Purchase(ctx, "p")
		equal(t, inside, err, purchaseIn("p", purchase.Pending))
		changed(t, f, false) // f reads outside the transaction
		return nil
	})
	changed(t, f, true)
}

func txError(t *testing.T, f *fixture) {
	err := f.try(func(ctx context.Context, tx learning.Tx) error {
		return errors.Join(change(ctx, tx), errOwn)
	})
	if !errors.Is(err, errOwn) {
		t.Errorf("got the error %v", err)
	}
	changed(t, f, false)
	f.do(change)
	changed(t, f, true)
}

func txPanic(t *testing.T, f *fixture) {
	func() {
		defer func() {
			if got := recover(); got != "boom" {
				t.Errorf("recovered %v", got)
			}
		}()
		_ = f.try(func(ctx context.Context, tx learning.Tx) error {
			if err := change(ctx, tx); err != nil {
				t.Error(err)
			}
			panic("boom")
		})
	}()
	changed(t, f, false)
	f.do(change)
	changed(t, f, true)
}

func txCancelled(t *testing.T, f *fixture) {
	// The context is cancelled before a statement, and fn returns or ignores its error.
	for _, swallow := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		runs := 0
		err := f.InTx(ctx, func(tx learning.Tx) error {
			runs++
			if err := change(ctx, tx); err != nil {
				t.Error(err)
			}
			cancel()
			err := tx.InsertUser(ctx, user("late"))
			if !errors.Is(err, context.Canceled) {
				t.Errorf("a statement with a cancelled context: %v", err)
			}
			if swallow {
				return nil
			}
			return err
		})
		if !errors.Is(err, context.Canceled) || runs != 1 {
			t.Errorf("fn was called %d times, and InTx returned %v", runs, err)
		}
		changed(t, f, false)
	}

	// The context is cancelled between the last statement and COMMIT.
	ctx, cancel := context.WithCancel(t.Context())
	err := f.InTx(ctx, func(tx learning.Tx) error {
		defer cancel()
		return change(ctx, tx)
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got the error %v", err)
	}
	changed(t, f, false)
	f.do(change)
	changed(t, f, true)
}

func txCancelledBefore(t *testing.T, f *fixture) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := f.InTx(ctx, func(learning.Tx) error {
		t.Error("fn was called")
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("InTx: %v", err)
	}
	if _, err := f.Course(ctx, "c"); !errors.Is(err, context.Canceled) {
		t.Errorf("Course: %v", err)
	}
	if _, err := f.publishedCourses(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Courses: %v", err)
	}
}

func txSwallowed(t *testing.T, f *fixture) {
	f.add(user("taken"))
	f.fails(core.ErrDuplicate, func(ctx context.Context, tx learning.Tx) error {
		if err := change(ctx, tx); err != nil {
			return err
		}
		if err := tx.InsertUser(ctx, user("taken")); !errors.Is(err, core.ErrDuplicate) {
			t.Errorf("got the error %v", err)
		}
		if err := tx.InsertUser(ctx, user("another")); !errors.Is(err, core.ErrDuplicate) {
			t.Errorf("a statement after one that failed: %v", err)
		}
		if _, err := tx.Course(ctx, "c"); !errors.Is(err, core.ErrDuplicate) {
			t.Errorf("a read after a statement that failed: %v", err)
		}
		return nil
	})
	changed(t, f, false)
	got, err := f.User(t.Context(), "another")
	missing(t, got, err)
}

func txNotFound(t *testing.T, f *fixture) {
	f.do(func(ctx context.Context, tx learning.Tx) error {
		_, err := tx.Course(ctx, "c")
		missing(t, "", err)
		_, err = tx.User(ctx, "u ")
		missing(t, "", err)
		_, err = tx.OpenPurchase(ctx, "student", "course")
		missing(t, "", err)
		return change(ctx, tx)
	})
	changed(t, f, true)
}

func txHooks(t *testing.T, f *fixture) {
	var order []string
	f.do(func(ctx context.Context, tx learning.Tx) error {
		tx.AfterCommit(func() {
			changed(t, f, true)
			order = append(order, "first")
		})
		tx.AfterCommit(func() { order = append(order, "second") })
		order = append(order, "fn")
		return change(ctx, tx)
	})
	if want := []string{"fn", "first", "second"}; !slices.Equal(order, want) {
		t.Errorf("the hooks ran in the order %v, want %v", order, want)
	}
}

func txHooksFailed(t *testing.T, f *fixture) {
	hook := func() { t.Error("a hook ran") }
	f.fails(errOwn, func(ctx context.Context, tx learning.Tx) error {
		tx.AfterCommit(hook)
		return errOwn
	})
	f.add(user("u"))
	f.fails(core.ErrDuplicate, func(ctx context.Context, tx learning.Tx) error {
		tx.AfterCommit(hook)
		_ = tx.InsertUser(ctx, user("u"))
		return nil
	})
	func() {
		defer func() { _ = recover() }()
		_ = f.try(func(_ context.Context, tx learning.Tx) error {
			tx.AfterCommit(hook)
			panic("boom")
		})
	}()
}

func txConnections(t *testing.T, f *fixture) {
	f.add(user("taken"))
	for range 50 { // more than the connections of a pool
		f.fails(core.ErrDuplicate,
			func(ctx context.Context, tx learning.Tx) error {
				return tx.InsertUser(ctx,
					user("taken"))
			})
		func() {
			defer func() { _ = recover() }()
			_ = f.try(func(context.Context, learning.Tx) error { panic("boom") })
		}()
		ctx, cancel := context.WithCancel(t.Context())
		_ = f.InTx(ctx, func(tx learning.Tx) error {
			cancel()
			return tx.InsertUser(ctx, user("v"))
		})
	}
	f.do(change)
	changed(t, f, true)
}
