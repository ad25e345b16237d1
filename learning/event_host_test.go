package learning_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/eventjson"
	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/store"
	"github.com/openlectern/openlectern/learning/study"
)

// newHost returns a fixture with a host that has a table in the same database.
func newHost(t *testing.T, database string, opts ...learningtest.Option) (*roomtest.World,
	*roomtest.RowWriter) {
	t.Helper()
	return newHostIn(t, roomtest.In(t, database), opts...)
}

// newHostIn is newHost in a world of a provider.
func newHostIn(t *testing.T, newWorld roomtest.NewWorld, opts ...learningtest.Option) (
	*roomtest.World, *roomtest.RowWriter) {
	t.Helper()
	b := &roomtest.RowWriter{}
	w := newWorld(append(opts, b.Option())...)
	b.Database = w.Database
	w.Exec(t, "CREATE TABLE host_rows (event_id VARCHAR(40), type VARCHAR(40), "+
		"purchase_id VARCHAR(40))")
	t.Cleanup(func() { w.Exec(t, "DROP TABLE host_rows") }) // the database is used again
	return w, b
}

// oneSale are the events of a course that is published and sold once.
var oneSale = map[core.EventType]int{
	catalog.EventCoursePublished: 1, purchase.EventCompleted: 1,
	study.EventEnrollmentCreated: 1,
}

func TestWithInTransaction_CommitsTogether(t *testing.T) {
	onAllEngines(t, func(t *testing.T, database string) {
		w, b := newHost(t, database)
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", core.Student)
		o := w.Order(t, ada, course)

		// The function gets all events of the change at once, and sees its rows.
		b.Set(func(ctx context.Context, tx core.HostTx, events []learning.Event) error {
			if len(events) != 2 {
				t.Errorf("got %+v", events)
			}
			if _, ok := ctx.Deadline(); !ok {
				t.Error("the context has no deadline")
			}
			var enrolled int
			err := store.SQL(tx).QueryRowContext(ctx,
				"SELECT COUNT(*) FROM enrollments WHERE user_id = 'ada'").Scan(&enrolled)
			if err == nil && enrolled != 1 {
				t.Errorf("sees %d enrolments", enrolled)
			}
			return err
		})
		for range 2 { // a repeated report changes nothing, and has no event
			err := w.Platform.System().CapturePayment(ctx(), roomtest.CapturedPayment(o, "pay_1"))
			if err != nil {
				t.Fatal(err)
			}
		}
		w.WantSold(t, course, 1, 1, 0)
		w.WantHostRows(t, b, oneSale)
		if n := w.Count(t, "host_rows WHERE purchase_id = ?", o.PurchaseID); n != 2 {
			t.Errorf("%d rows with the id of the purchase", n)
		}
		if n := w.Count(t, "event_deliveries"); n != 0 || b.Runs != 2 {
			t.Errorf("%d deliveries without a target, and %d calls", n, b.Runs)
		}
	})
}

// A payment is captured at the gateway, and the host refuses: the purchase stays open, until a
// later report or the reconciliation completes it.
func TestWithInTransaction_ErrorOrPanicRollsBack(t *testing.T) {
	onAllEngines(t, func(t *testing.T, database string) {
		w, b := newHost(t, database)
		ada := w.Person(t, "ada", core.Student)
		refused := errors.New("the books are closed")
		for name, refuse := range map[string]func(){
			"error": nil, "panic": func() { panic("the books are lost") },
		} {
			course := w.Course(t, name, 499_00)
			o := w.Order(t, ada, course)
			payment := w.Pay(t, o.OrderID)
			sold := b.Committed
			b.Set(func(ctx context.Context, tx core.HostTx, _ []learning.Event) error {
				_, err := store.SQL(tx).ExecContext(ctx,
					"INSERT INTO host_rows (event_id) VALUES ('rolled back')")
				if err != nil {
					t.Error(err)
				}
				tx.AfterCommit(func() { t.Error("AfterCommit was called without a commit") })
				if refuse != nil {
					refuse()
				}
				return refused
			})
			err := w.Platform.Sales.VerifyPayment(ctx(), ada, w.Proof(o.OrderID, payment.ID))
			failure, ok := errors.AsType[*core.HostError](err)
			if !ok || refuse == nil && failure.Err != refused || errors.Is(err, refused) {
				t.Errorf("%s: returned %v", name, err)
			}
			if err != nil && !strings.Contains(err.Error(),
				"the host's function for purchase.completed, enrollment.created: ") {
				t.Errorf("%s: the error does not name the events: %v", name, err)
			}
			w.WantSold(t, course, 0, 0, 1)
			if n := w.Count(t, "host_rows"); n != len(sold) {
				t.Errorf("%s: %d rows of the host, want %d", name, n, len(sold))
			}

			// The host works again.
			b.Set(nil)
			w.Clock.Advance(time.Hour)
			w.Reconcile(t, 1, 1)
			w.WantSold(t, course, 1, 1, 0)
		}
		w.WantHostRows(t, b, map[core.EventType]int{
			catalog.EventCoursePublished: 2, purchase.EventCompleted: 2,
			study.EventEnrollmentCreated: 2,
		})
		w.WantLogged(t, "the books are lost", 1) // the panic, with its stack
		w.WantLogged(t, "event_host_test.go", 1)
	})
}

// A buyer is never told of a payment that is not stored.
func TestWithInTransaction_HostEndsTheTransaction_ReturnsError(t *testing.T) {
	onAllEngines(t, func(t *testing.T, database string) {
		w, b := newHost(t, database)
		ada, course := w.Person(t, "ada", core.Student), w.Course(t, "go", 499_00)
		o := w.Order(t, ada, course)
		payment := w.Pay(t, o.OrderID)
		for _, text := range []string{
			"/* x */ ROLLBACK", "-- name: Cancel :exec\nROLLBACK", "SELECT 1; ROLLBACK",
		} {
			b.Set(func(ctx context.Context, tx core.HostTx, _ []learning.Event) error {
				_, _ = store.SQL(tx).ExecContext(ctx, text) // its error is ignored
				return nil
			})
			if err := w.Platform.Sales.VerifyPayment(ctx(), ada,
				w.Proof(o.OrderID, payment.ID)); err == nil {
				t.Errorf("%q: told of a success", text)
			}
			w.WantSold(t, course, 0, 0, 1)
		}
		b.Set(nil)
		if err := w.Platform.Sales.VerifyPayment(ctx(), ada,
			w.Proof(o.OrderID, payment.ID)); err != nil {
			t.Error(err)
		}
		w.WantSold(t, course, 1, 1, 0)
	})
}

// The errors of a host may be those by which the platform tells a repeated change, or one that is
// impossible. They must not be taken for these.
func TestHostError_IsNoErrorOfThePlatform(t *testing.T) {
	w, b := newHost(t, roomtest.SQLite(t))
	w.Publish(t, "go", roomtest.Chapter("one", "a"))
	ada, admin := w.Enrolls(t, "ada", "go"), w.Person(t, "admin", core.Admin)
	w.Person(t, "ben", core.Student)
	for _, cause := range []error{
		core.ErrDuplicate, core.ErrNoRecord, core.ErrMalformedEvent,
		study.ErrAlreadyEnrolled, core.ErrForbidden, core.ErrUnknownOutcome,
	} {
		before := b.Runs
		b.Set(func(context.Context, core.HostTx, []learning.Event) error {
			return fmt.Errorf("the host: %w", cause)
		})
		_, completed := w.Platform.Study.CompleteLecture(ctx(), ada, "go", "a")
		_, granted := w.Platform.Study.GrantEnrollment(ctx(), admin,
			study.Grant{UserID: "ben", CourseID: "go"})
		deleted := w.Platform.System().ApplyIdentityEvent(ctx(), people.IdentityEvent{
			Type: people.UserDeleted, User: people.IdentityUser{ID: "ben"}})
		for _, err := range []error{completed, granted, deleted} {
			if failure, ok := errors.AsType[*core.HostError](err); !ok ||
				!errors.Is(failure.Err, cause) || errors.Is(err, cause) {
				t.Errorf("%v: returned %v", cause, err)
			}
			if public, ok := errors.AsType[*learning.Error](err); ok {
				t.Errorf("%v: the answer is %v", cause, public)
			}
		}
		if n := b.Runs - before; n != 3 {
			t.Errorf("%v: the host was called %d times by three operations", cause, n)
		}
	}

	// That the database is busy is no error of the host.
	b.Set(func(context.Context, core.HostTx, []learning.Event) error { return store.ErrTimeout })
	if _, err := w.Platform.Study.GrantEnrollment(ctx(), admin,
		study.Grant{UserID: "ben", CourseID: "go"}); !errors.Is(err,
		core.ErrBusy) {
		t.Errorf("a time-out of the database is %v", err)
	}
}

func TestWithInTransaction_RunsAgainAfterAConflict(t *testing.T) {
	t.Parallel()
	enginetest.Each(t, enginetest.Servers, func(t *testing.T, e enginetest.Engine) {
		database := e.Reused(t)
		w, b := newHost(t, database)
		conflict := "SIGNAL SQLSTATE '40001'"
		if strings.HasPrefix(database, "postgres") {
			conflict = "DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40001'; END $$"
		}
		o := w.Order(t, w.Person(t, "ada", core.Student), w.Course(t, "go", 499_00))
		var runs atomic.Int64
		b.Set(func(ctx context.Context, tx core.HostTx, _ []learning.Event) error {
			_, err := store.SQL(tx).ExecContext(ctx,
				"INSERT INTO host_rows (event_id) VALUES ('each run')")
			if err != nil || runs.Add(1) > 1 {
				return err
			}
			_, err = store.SQL(tx).ExecContext(ctx, conflict)
			return err
		})
		err := w.Platform.System().CapturePayment(ctx(), roomtest.CapturedPayment(o, "pay_1"))
		if err != nil || runs.Load() != 2 {
			t.Errorf("ran %d times: %v", runs.Load(), err)
		}
		if n := w.Count(t, "host_rows WHERE event_id = 'each run'"); n != 1 {
			t.Errorf("%d rows of two runs", n)
		}
	})
}

// The transaction of a paid purchase is repeatable: without a host it runs again if COMMIT is not
// answered.
func TestWithInTransaction_AnswerToCommitLost(t *testing.T) {
	roomtest.AtTillsOnAllEngines(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		faults := &roomtest.FaultyStore{}
		w, b := newHostIn(t, newWorld, roomtest.WithFaultyStore(faults))
		paid := w.Pay(t, w.Order(t, w.Person(t, "ada", core.Student),
			w.Course(t, "go", 499_00)).OrderID)
		faults.FailOn(roomtest.LostAnswer)
		err := w.Report(paid)
		if broken := faults.Disarm(); err != nil || broken != roomtest.LostAnswer {
			t.Fatalf("failed at %q, and returned %v", broken, err)
		}
		w.WantSold(t, "go", 1, 1, 0)
		w.WantHostRows(t, b, oneSale)
		if b.Runs != 2 { // for the course, and once for the purchase
			t.Errorf("the host was called %d times", b.Runs)
		}
	})
}

// At each fault the host's rows and the change are committed together or not at all.
func TestWithInTransaction_FaultAtEachStep(t *testing.T) {
	roomtest.AtTillsRepeatedly(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		faults := &roomtest.FaultyStore{}
		w, b := newHostIn(t, newWorld, roomtest.WithFaultyStore(faults))
		for n := 1; ; n++ {
			id := fmt.Sprint("run-", n)
			o := w.Order(t, w.Person(t, id, core.Student), w.Course(t, id, 499_00))
			paid := w.Pay(t, o.OrderID)
			faults.FailAt(n)
			_ = w.Report(paid)
			broken := faults.Disarm()
			rows := w.Count(t, "host_rows WHERE purchase_id = ?", o.PurchaseID)
			if sold := w.Count(t, "enrollments WHERE course_id = ?", id); rows != 2*sold {
				t.Errorf("%s: %d enrolments and %d rows of the host", broken, sold, rows)
			}
			if broken == "" {
				break
			}
			err := w.Report(paid)
			if n := w.Count(t, "host_rows WHERE purchase_id = ?", o.PurchaseID); n != 2 {
				t.Errorf("%s: %d rows of the host after a repetition: %v", broken, n, err)
			}
		}
		if n := len(b.Committed); n != w.Count(t, "host_rows") {
			t.Errorf("AfterCommit had %d events", n)
		}
	})
}

// The host gets the events that a target gets, whatever happens at the same time.
func TestWithInTransaction_GetsEachEventOnce(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		r, p := &roomtest.Receiver{}, &roomtest.Renderer{}
		w, b := newHost(t, database, r.Option(), p.Option())
		w.EachEvent(t, 8)
		laterEvents(t, w)
		w.DeliverEvents(t, -1)
		byID := func(a, b learning.Event) int { return strings.Compare(a.ID, b.ID) }
		delivered := slices.SortedFunc(slices.Values(r.Events()), byID)
		told := slices.SortedFunc(slices.Values(b.Committed), byID)
		if diff := cmp.Diff(delivered, told); diff != "" {
			t.Errorf("events of a target and of the host (-target +host):\n%s", diff)
		}
		if n := w.Count(t, "host_rows"); n != len(told) {
			t.Errorf("%d rows of %d events", n, len(told))
		}
		seen := map[core.EventType]bool{}
		for _, e := range told {
			seen[e.Type] = true
		}
		if len(seen) != len(eventjson.Types) {
			t.Errorf("only %v were told", seen)
		}
	})
}

func TestWithInTransaction_OneSaleOfProofsAndWebhooksAtOnce(t *testing.T) {
	roomtest.AtTillsOnAllEngines(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w, b := newHostIn(t, newWorld)
		ada := w.Person(t, "ada", core.Student)
		paid := w.Pay(t, w.Order(t, ada, w.Course(t, "go", 499_00)).OrderID)
		errs := roomtest.Concurrently(8, func(i int) error {
			if i%2 == 0 {
				return w.Platform.Sales.VerifyPayment(ctx(), ada, w.Proof(paid.OrderID, paid.ID))
			}
			return w.Report(paid)
		})
		if diff := cmp.Diff(map[string]int{"": 8}, roomtest.CountErrors(errs)); diff != "" {
			t.Error(diff)
		}
		w.WantSold(t, "go", 1, 1, 0)
		w.WantHostRows(t, b, oneSale)
	})
}

// wrappedStore is a store of a host that wraps transactions, too.
type wrappedStore struct{ learning.Store }

type wrappedTx struct{ learning.Tx }

func (s wrappedStore) InTx(ctx context.Context, fn func(tx learning.Tx) error) error {
	return s.Store.InTx(ctx, func(tx learning.Tx) error { return fn(wrappedTx{tx}) })
}

func TestWithInTransaction_WrappedStore(t *testing.T) {
	w, b := newHost(t, roomtest.SQLite(t), learningtest.WithStore(
		func(s learning.Store) learning.Store { return wrappedStore{s} }))
	w.Publish(t, "go", roomtest.Chapter("one", "a"))
	w.Enrolls(t, "ada", "go")
	w.WantHostRows(t, b, map[core.EventType]int{catalog.EventCoursePublished: 1,
		purchase.EventCompleted: 1, study.EventEnrollmentCreated: 1})
}

func TestWithInTransaction_CallsInTheOrderOfTheOptions(t *testing.T) {
	var calls []string
	failed := errors.New("failed")
	call := func(name string, err error) learning.Option {
		return learning.WithInTransaction(
			func(_ context.Context, _ core.HostTx, events []learning.Event) error {
				calls = append(calls, name+" "+string(events[0].Type))
				clear(events) // each function has its own
				return err
			})
	}
	w := roomtest.New(t, roomtest.SQLite(t), learningtest.WithPlatform(call("first", nil),
		call("second", failed), call("third", nil)))
	_, err := w.Platform.Catalog.AddCourse(ctx(), w.Person(t, "educator", core.Educator),
		catalog.NewCourse{Title: "Go", Published: true, Content: []catalog.Chapter{
			roomtest.Chapter("one", "a")}}, learningtest.Thumbnail(t))
	if _, ok := errors.AsType[*core.HostError](err); !ok {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"first course.published", "second course.published"},
		calls); diff != "" {
		t.Error(diff)
	}
	if n := w.Count(t, "courses"); n != 0 {
		t.Errorf("%d courses", n)
	}
}

func TestWithInTransaction_RefusesCallsOfThePlatform(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, b := newHost(t, database)
		w.Publish(t, "go", roomtest.Chapter("one", "a"))
		admin := w.Person(t, "admin", core.Admin)
		w.Person(t, "ben", core.Student)
		b.Set(func(ctx context.Context, _ core.HostTx, _ []learning.Event) error {
			_, err := w.Platform.Study.GrantEnrollment(ctx, admin,
				study.Grant{UserID: "ben", CourseID: "go"})
			if err == nil || !strings.Contains(err.Error(), "inside a transaction") {
				t.Errorf("an operation inside the transaction returned %v", err)
			}
			return err
		})
		_, err := w.Platform.Study.GrantEnrollment(ctx(), admin,
			study.Grant{UserID: "ben", CourseID: "go"})
		if _, ok := errors.AsType[*core.HostError](err); !ok {
			t.Errorf("returned %v", err)
		}
	})
}
