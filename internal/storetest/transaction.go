package storetest

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/openlectern/openlectern/learning"
)

var transactionTests = []test{
	{"the database answers", txPing},
	{"what fn did is there after its end, all of it, and not before", txCommit},
	{"an error of fn undoes everything and comes back as it is", txError},
	{"a panic of fn undoes everything and goes on", txPanic},
	{"a context that ends in fn undoes everything", txCancelled},
	{"a context that has ended runs nothing", txCancelledBefore},
	{"an error that fn swallows undoes everything all the same", txSwallowed},
	{"a row that is not found spoils nothing", txNotFound},
	{"hooks run in order, once, after the commit", txHooks},
	{"hooks of a transaction that fails do not run", txHooksFailed},
	{"no failure costs a connection", txConnections},
}

var errOwn = errors.New("storetest: an error of fn")

// change is a piece of work of several statements on several tables.
func change(ctx context.Context, tx learning.Tx) error {
	if err := tx.InsertCourse(ctx, course("c"), chapters); err != nil {
		return err
	}
	if err := tx.InsertUser(ctx, user("u")); err != nil {
		return err
	}
	return tx.InsertPurchase(ctx, purchase("p", learning.PurchasePending))
}

// changed checks that everything of change is there, or nothing.
func changed(t *testing.T, w *world, want bool) {
	t.Helper()
	_, courseErr := w.Course(t.Context(), "c")
	_, contentErr := w.CourseContent(t.Context(), "c")
	_, userErr := w.User(t.Context(), "u")
	_, purchaseErr := w.Purchase(t.Context(), "p")
	for _, err := range []error{courseErr, contentErr, userErr, purchaseErr} {
		if there := !errors.Is(err, learning.ErrNoRecord); there != want || (there && err != nil) {
			t.Errorf("a row is there: %v (%v), want %v", there, err, want)
		}
	}
}

func txPing(t *testing.T, w *world) {
	if err := w.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.Ping(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Ping with a context that has ended: %v", err)
	}
}

func txCommit(t *testing.T, w *world) {
	w.do(func(ctx context.Context, tx learning.Tx) error {
		if err := change(ctx, tx); err != nil {
			return err
		}
		inside, err := tx.Purchase(ctx, "p")
		equal(t, inside, err, purchase("p", learning.PurchasePending))
		changed(t, w, false)
		return nil
	})
	changed(t, w, true)
}

func txError(t *testing.T, w *world) {
	err := w.try(func(ctx context.Context, tx learning.Tx) error {
		return errors.Join(change(ctx, tx), errOwn)
	})
	if !errors.Is(err, errOwn) {
		t.Errorf("got the error %v", err)
	}
	changed(t, w, false)
	w.do(change)
	changed(t, w, true)
}

func txPanic(t *testing.T, w *world) {
	func() {
		defer func() {
			if got := recover(); got != "boom" {
				t.Errorf("recovered %v", got)
			}
		}()
		_ = w.try(func(ctx context.Context, tx learning.Tx) error {
			if err := change(ctx, tx); err != nil {
				t.Error(err)
			}
			panic("boom")
		})
	}()
	changed(t, w, false)
	w.do(change)
	changed(t, w, true)
}

func txCancelled(t *testing.T, w *world) {
	for _, swallow := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		runs := 0
		err := w.InTx(ctx, func(tx learning.Tx) error {
			runs++
			if err := change(ctx, tx); err != nil {
				t.Error(err)
			}
			cancel()
			err := tx.InsertUser(ctx, user("late"))
			if !errors.Is(err, context.Canceled) {
				t.Errorf("a statement after the end of its context: %v", err)
			}
			if swallow {
				return nil
			}
			return err
		})
		if !errors.Is(err, context.Canceled) || runs != 1 {
			t.Errorf("fn ran %d times and InTx returned %v", runs, err)
		}
		changed(t, w, false)
	}
	// Between the last statement and COMMIT.
	ctx, cancel := context.WithCancel(t.Context())
	err := w.InTx(ctx, func(tx learning.Tx) error {
		defer cancel()
		return change(ctx, tx)
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got the error %v", err)
	}
	changed(t, w, false)
	w.do(change)
	changed(t, w, true)
}

func txCancelledBefore(t *testing.T, w *world) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := w.InTx(ctx, func(learning.Tx) error {
		t.Error("fn was run")
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("InTx: %v", err)
	}
	if _, err := w.Course(ctx, "c"); !errors.Is(err, context.Canceled) {
		t.Errorf("Course: %v", err)
	}
	if _, err := w.PublishedCourses(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("PublishedCourses: %v", err)
	}
}

func txSwallowed(t *testing.T, w *world) {
	w.add(user("taken"))
	w.fails(learning.ErrDuplicate, func(ctx context.Context, tx learning.Tx) error {
		if err := change(ctx, tx); err != nil {
			return err
		}
		if err := tx.InsertUser(ctx, user("taken")); !errors.Is(err, learning.ErrDuplicate) {
			t.Errorf("got the error %v", err)
		}
		if err := tx.InsertUser(ctx, user("another")); !errors.Is(err, learning.ErrDuplicate) {
			t.Errorf("a statement after one that failed: %v", err)
		}
		if _, err := tx.Course(ctx, "c"); !errors.Is(err, learning.ErrDuplicate) {
			t.Errorf("a read after a statement that failed: %v", err)
		}
		return nil
	})
	changed(t, w, false)
	got, err := w.User(t.Context(), "another")
	missing(t, got, err)
}

func txNotFound(t *testing.T, w *world) {
	w.do(func(ctx context.Context, tx learning.Tx) error {
		_, err := tx.Course(ctx, "c")
		missing(t, "", err)
		_, err = tx.User(ctx, "u ")
		missing(t, "", err)
		_, err = tx.OpenPurchase(ctx, "student", "course")
		missing(t, "", err)
		return change(ctx, tx)
	})
	changed(t, w, true)
}

func txHooks(t *testing.T, w *world) {
	var order []string
	w.do(func(ctx context.Context, tx learning.Tx) error {
		tx.AfterCommit(func() {
			changed(t, w, true)
			order = append(order, "first")
		})
		tx.AfterCommit(func() { order = append(order, "second") })
		order = append(order, "fn")
		return change(ctx, tx)
	})
	if want := []string{"fn", "first", "second"}; !slices.Equal(order, want) {
		t.Errorf("ran in the order %v, want %v", order, want)
	}
}

func txHooksFailed(t *testing.T, w *world) {
	hook := func() { t.Error("a hook ran") }
	w.fails(errOwn, func(ctx context.Context, tx learning.Tx) error {
		tx.AfterCommit(hook)
		return errOwn
	})
	w.add(user("u"))
	w.fails(learning.ErrDuplicate, func(ctx context.Context, tx learning.Tx) error {
		tx.AfterCommit(hook)
		_ = tx.InsertUser(ctx, user("u"))
		return nil
	})
	func() {
		defer func() { _ = recover() }()
		_ = w.try(func(_ context.Context, tx learning.Tx) error {
			tx.AfterCommit(hook)
			panic("boom")
		})
	}()
}

func txConnections(t *testing.T, w *world) {
	w.add(user("taken"))
	for range 50 { // more than a pool has connections
		w.fails(learning.ErrDuplicate, func(ctx context.Context, tx learning.Tx) error { return tx.InsertUser(ctx, user("taken")) })
		func() {
			defer func() { _ = recover() }()
			_ = w.try(func(context.Context, learning.Tx) error { panic("boom") })
		}()
		ctx, cancel := context.WithCancel(t.Context())
		_ = w.InTx(ctx, func(tx learning.Tx) error {
			cancel()
			return tx.InsertUser(ctx, user("v"))
		})
	}
	w.do(change)
	changed(t, w, true)
}
