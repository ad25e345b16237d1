package learning_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// openAtOnce opens n orders of one user for one course concurrently, on the given platforms
// in turn.
func openAtOnce(n int, ada learning.Actor, course string,
	on ...*roomtest.World) ([]sale.Order, []error) {
	ctx, cancel := context.WithTimeout(context.Background(), roomtest.Bound)
	defer cancel()
	orders := make([]sale.Order, n)
	errs := roomtest.Concurrently(n, func(i int) (err error) {
		orders[i], err = on[i%len(on)].Platform.Sales.OpenOrder(ctx, ada,
			sale.OrderRequest{CourseID: course})
		return err
	})
	return orders, errs
}

func TestOpenOrder_ConcurrentCallsOpenOneOrder(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		for name, on := range map[string][]*roomtest.World{"one process": {w},
			"two processes": {w, w.OtherInstance(t)}} {
			t.Run(name, func(t *testing.T) {
				course, ada := w.Course(t, "", 19_99), w.Person(t, "ada", core.Student)
				made := w.Sandbox.Gateway().OrdersCreated()
				orders, errs := openAtOnce(20, ada, course, on...)
				if diff := cmp.Diff(map[string]int{"": 20}, roomtest.CountErrors(errs)); diff != "" {
					t.Error(diff)
				}
				o := w.WantOneOrder(t, orders, errs)
				if n := w.Sandbox.Gateway().OrdersCreated() - made; n != 1 {
					t.Errorf("%d orders at the gateway", n)
				}
				at, err := w.Sandbox.Gateway().Order(o.OrderID)
				if err != nil || at.Amount != 1999 || at.Currency != "INR" ||
					at.Receipt != o.PurchaseID || at.Notes["purchaseId"] != o.PurchaseID {
					t.Errorf("the gateway has %+v, %v", at, err)
				}
				w.WantSold(t, course, 0, 0, 1)
			})
		}
	})
}

func TestOpenOrder_ManyUsersAndCoursesConcurrently(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld()
		var people []learning.Actor
		var courses []string
		for _, id := range []string{"a", "b", "c", "d", "e"} {
			people, courses = append(people, w.Person(t, id, core.Student)),
				append(courses, w.Course(t, "course-"+id, 10_00))
		}
		errs := roomtest.Concurrently(50, func(i int) error {
			_, err := w.Platform.Sales.OpenOrder(context.Background(), people[i%5],
				sale.OrderRequest{CourseID: courses[i/5%5]})
			return err
		})
		if diff := cmp.Diff(map[string]int{"": 50}, roomtest.CountErrors(errs)); diff != "" {
			t.Error(diff)
		}
		if n := w.Till.Orders(); n != 25 {
			t.Errorf("%d orders at the provider for 5 users and 5 courses", n)
		}
	})
}

// A failure of the first call must not fail the calls that wait for it.
func TestOpenOrder_WaitingCallsSurviveAFailureOfTheFirst(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld()
		on, late := w.LateInstance(t, w.OrderCalls)
		ada := w.Person(t, "ada", core.Student)
		for name, fault := range map[string]sandbox.Fault{
			"an error":                       {Kind: sandbox.FaultStatus},
			"no answer":                      {Kind: sandbox.FaultHang},
			"an answer lost after the order": {Kind: sandbox.FaultDrop, After: true},
			"no answer after the order":      {Kind: sandbox.FaultHang, After: true},
		} {
			if !w.CountsRequests(fault) {
				continue
			}
			t.Run(name, func(t *testing.T) {
				course := w.Course(t, "", 10_00)
				if late.Effects = w.OrderCalls; fault.After {
					late.Effects = w.Till.Orders
				}
				on.FailNextOrder(late, fault)
				orders, errs := openAtOnce(20, ada, course, on)
				if n := roomtest.CountErrors(errs)[""]; n != 19 {
					t.Errorf("%d of 20 have an order: %v", n, roomtest.CountErrors(errs))
				}
				w.WantOneOrder(t, orders, errs)
				w.WantSold(t, course, 0, 0, 1)
			})
		}
	})
}

// A connection that breaks once is no failure for the buyer, also if the gateway has made an order
// before.
func TestOpenOrder_ConnectionBreaksOnce_OpensAnOrder(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	ada := w.Person(t, "ada", core.Student)
	for _, after := range []bool{false, true} {
		course := w.Course(t, "", 499_00)
		w.Sandbox.Gateway().Faults().Next(1, sandbox.Fault{Kind: sandbox.FaultDrop, After: after})
		o := w.Order(t, ada, course)
		w.Pay(t, o.OrderID)
		w.WantSold(t, course, 0, 0, 1)
	}
}

var badAnswers = map[string]sandbox.Fault{
	"500":                       {Kind: sandbox.FaultStatus},
	"503":                       {Kind: sandbox.FaultStatus, Status: 503},
	"400":                       {Kind: sandbox.FaultStatus, Status: 400},
	"an invalid answer":         {Kind: sandbox.FaultNonsense},
	"empty":                     {Kind: sandbox.FaultEmpty},
	"a dropped connection":      {Kind: sandbox.FaultDrop},
	"no answer in time":         {Kind: sandbox.FaultHang},
	"500 after the order":       {Kind: sandbox.FaultStatus, After: true},
	"invalid after the order":   {Kind: sandbox.FaultNonsense, After: true},
	"dropped after the order":   {Kind: sandbox.FaultDrop, After: true},
	"no answer after the order": {Kind: sandbox.FaultHang, After: true},
}

func TestOpenOrder_FailingGatewayLeavesNoPurchase(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld()
		on, late := w.LateInstance(t, w.OrderCalls)
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", core.Student)
		before := w.Dump(t)
		for name, fault := range badAnswers {
			if !w.CountsRequests(fault) {
				continue
			}
			calls := w.OrderCalls()
			on.FailNextOrder(late, fault)
			o, err := on.Platform.Sales.OpenOrder(context.Background(), ada,
				sale.OrderRequest{CourseID: course})
			if n := w.OrderCalls() - calls; n != roomtest.RequestsOf(fault) {
				t.Fatalf("%s: the gateway was called %d times", name, n)
			}
			if public, ok := errors.AsType[*learning.Error](err); err == nil || ok {
				t.Errorf("%s: %+v, %v: want an internal error", name, o, public)
			}
			if diff := cmp.Diff(before, w.Dump(t)); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
		w.Order(t, ada, course)
		w.WantSold(t, course, 0, 0, 1)
	})
}

// If the caller cancels the request, a later request must return the order.
func TestOpenOrder_IsStoredAfterTheCallerHasCancelled(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", core.Student)
		ctx, leave := context.WithCancel(context.Background())
		defer leave()
		w.Sandbox.Gateway().OnOrder(func(sandbox.Order) { leave() })

		first, err := w.Platform.Sales.OpenOrder(ctx, ada, sale.OrderRequest{CourseID: course})
		if ctx.Err() == nil {
			t.Fatal("the call returned no error")
		}
		t.Logf("the caller who left was answered %+v, %v", first, err)
		w.WantSold(t, course, 0, 0, 1)
		w.Order(t, ada, course)
		if n := w.Sandbox.Gateway().OrdersCreated(); n != 1 {
			t.Errorf("%d orders at the gateway", n)
		}
	})
}

func TestOpenOrder_WaitingCallerCanCancel(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", core.Student)
		ctx, leave := context.WithCancel(context.Background())
		defer leave()
		waiting := make(chan error, 1)
		w.Sandbox.Gateway().OnOrder(func(sandbox.Order) {
			go func() {
				_, err := w.Platform.Sales.OpenOrder(ctx, ada, sale.OrderRequest{CourseID: course})
				waiting <- err
			}()
			leave()
			if err := <-waiting; !errors.Is(err, context.Canceled) {
				t.Errorf("the cancelled caller got %v", err)
			}
		})
		w.Order(t, ada, course)
	})
}

func TestOpenOrder_RequiresUserCourseAndGateway(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course := w.Course(t, "go", 499_00)
		free := w.Course(t, "free", 0)
		ada := w.Person(t, "ada", core.Student)
		w.Exec(t, "UPDATE courses SET is_published = 0 WHERE id = ?", w.Course(t, "draft", 499_00))
		gone := w.Person(t, "gone", core.Student)
		if err := w.Platform.System().ApplyIdentityEvent(context.Background(),
			people.IdentityEvent{
				SentAt: learningtest.Start, Type: people.UserDeleted,
				User: people.IdentityUser{ID: "gone"}}); err != nil {
			t.Fatal(err)
		}
		unpaid := w.OtherInstance(t, learningtest.WithPlatform(learning.Without("WithProvider")))
		before := w.Dump(t)
		for name, tt := range map[string]struct {
			on     *roomtest.World
			actor  learning.Actor
			course string
			want   error
		}{
			"not signed in": {w, learning.Actor{}, course,
				core.ErrUnauthenticated},
			"no user record": {w, learning.Actor{UserID: "new"}, course,
				people.ErrUserNotFound},
			"deleted user":                 {w, gone, course, people.ErrUserNotFound},
			"unknown course":               {w, ada, "none", catalog.ErrCourseNotFound},
			"a draft":                      {w, ada, "draft", catalog.ErrCourseNotFound},
			"a space at the end of the id": {w, ada, course + " ", catalog.ErrCourseNotFound},
			"no gateway":                   {unpaid, ada, course, payment.ErrNotConfigured},
			"no user record, free course": {w, learning.Actor{UserID: "new"}, free,
				people.ErrUserNotFound},
		} {
			if _, err := tt.on.Platform.Sales.OpenOrder(context.Background(), tt.actor,
				sale.OrderRequest{CourseID: tt.course}); !errors.Is(err, tt.want) {
				t.Errorf("%s: %v, want %v", name, err, tt.want)
			}
		}
		if diff := cmp.Diff(before, w.Dump(t)); diff != "" {
			t.Error(diff)
		}
	})
}

// accountReads counts the reads of account states.
type accountReads struct {
	learning.Store
	reads int
}

func (s *accountReads) AccountState(ctx context.Context,
	userID string) (core.AccountState, error) {
	s.reads++
	return s.Store.AccountState(ctx, userID)
}

// A request identifies its caller, so that the purchase needs no second read.
func TestOpenOrder_ReadsTheBuyerOnce(t *testing.T) {
	store := &accountReads{}
	w := roomtest.New(t, roomtest.SQLite(t),
		learningtest.WithStore(
			func(s learning.Store) learning.Store { store.Store = s; return store }))
	course := w.Course(t, "go", 499_00)
	w.Person(t, "ada", core.Student)
	for user, want := range map[string]error{"ada": nil, "unknown": people.ErrUserNotFound} {
		store.reads = 0
		actor, err := w.Platform.People.Identify(ctx(), people.Claims{UserID: user})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Platform.Sales.OpenOrder(ctx(), actor,
			sale.OrderRequest{CourseID: course}); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", user, err, want)
		}
		if want == nil && store.reads != 1 {
			t.Errorf("the buyer was read %d times", store.reads)
		}
	}
}
