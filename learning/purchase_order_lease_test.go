package learning_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/faultystore"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// lease is how long the leases of these tests last.
const lease = 15 * time.Second

// countedLooks calls a function after a hundred reads of the open purchase. By then every
// caller has seen the lease.
type countedLooks struct {
	learning.Store
	looks atomic.Int64
	then  func()
}

func (s *countedLooks) OpenPurchase(ctx context.Context,
	userID, courseID string) (learning.Purchase, error) {
	if s.looks.Add(1) == 100 {
		s.then()
	}
	return s.Store.OpenPurchase(ctx, userID, courseID)
}

func TestOpenOrder_TakesOverAfterLease(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		store := &countedLooks{}
		w := newFixture(t, database,
			learningtest.WithStore(
				func(s learning.Store) learning.Store { store.Store = s; return store }))
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", learning.Student)
		created := w.abandoned(t, ada, course, 499_00)
		w.Clock.Advance(lease - time.Microsecond)
		store.then = func() {
			if n := w.Sandbox.Gateway().OrdersCreated(); n != 0 {
				t.Errorf("%d orders were opened while the lease ran", n)
			}
			w.Clock.Advance(time.Microsecond)
		}

		orders, errs := openAtOnce(20, ada, course, w, w.otherInstance(t))

		if diff := cmp.Diff(map[string]int{"": 20}, countErrors(errs)); diff != "" {
			t.Error(diff)
		}
		if store.looks.Load() < 100 {
			t.Error("no caller waited for the end of the lease")
		}
		if o := w.wantOneOrder(t, orders, errs); o.PurchaseID != created.ID {
			t.Errorf("the order is that of purchase %s, want that of the taken-over one",
				o.PurchaseID)
		}
		if n := w.Sandbox.Gateway().OrdersCreated(); n != 1 {
			t.Errorf("%d orders at the gateway", n)
		}
	})
}

// late calls fn after the gateway has created the first order and before it answers.
func (w *fixture) late(fn func()) {
	var orders atomic.Int64
	w.Sandbox.Gateway().OnOrder(func(sandbox.Order) {
		if orders.Add(1) == 1 {
			fn()
		}
	})
}

func TestOpenOrder_LateHolderGetsTheOrderOfItsSuccessor(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		successor := w.otherInstance(t)
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", learning.Student)
		var second learning.Order
		w.late(func() {
			w.Clock.Advance(time.Minute)
			second = successor.order(t, ada, course)
		})
		first := w.order(t, ada, course)
		w.wantOneOrder(t, []learning.Order{first, second}, []error{nil, nil})
		w.wantSold(t, course, 0, 0, 1)
		if n := w.Sandbox.Gateway().OrdersCreated(); n != 2 {
			t.Errorf(
				"%d orders at the gateway, want those of the first holder and of its successor", n)
		}
	})
}

func TestOpenOrder_LateFailureDoesNotAffectTheSuccessor(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", learning.Student)
		asked, failed := make(chan struct{}), make(chan struct{})
		var second learning.Order
		done := make(chan error, 1)
		var orders atomic.Int64
		w.Sandbox.Gateway().Faults().Next(1,
			sandbox.Fault{Kind: sandbox.FaultStatus, On: sandbox.OpCreateOrder, After: true})
		w.Sandbox.Gateway().OnOrder(func(sandbox.Order) {
			if orders.Add(1) == 2 {
				close(asked)
				<-failed
				return
			}
			w.Clock.Advance(time.Minute)
			go func() {
				var err error
				second, err = w.Platform.OpenOrder(context.Background(), ada,
					learning.OrderRequest{CourseID: course})
				done <- err
			}()
			<-asked
		})

		_, err := w.Platform.OpenOrder(context.Background(), ada,
			learning.OrderRequest{CourseID: course})
		close(failed)
		if err == nil {
			t.Error("the first holder did not fail")
		}
		if err := <-done; err != nil {
			t.Fatalf("the successor failed: %v", err)
		}
		w.wantOneOrder(t, []learning.Order{second}, []error{nil})
		if n := w.Sandbox.Gateway().OrdersCreated(); n != 2 {
			t.Errorf("%d orders at the gateway: the successor lost its lease", n)
		}
	})
}

func TestOpenOrder_TakeOverUsesTheCurrentPrice(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", learning.Student)
		w.abandoned(t, ada, course, 999_00)
		w.Clock.Advance(lease)
		o := w.order(t, ada, course)
		at, err := w.Sandbox.Gateway().Order(o.OrderID)
		if err != nil || at.Amount != 499_00 || o.Amount != 499_00 ||
			w.purchase(t, o.PurchaseID).Amount != 499_00 {
			t.Errorf("the order is %+v, the gateway's %+v, %v", o, at, err)
		}
	})
}

func TestOpenOrder_TakeOverOfACourseThatBecameFree(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		course, ada := w.Course(t, "go", 0), w.Person(t, "ada", learning.Student)
		w.abandoned(t, ada, course, 999_00)
		w.Clock.Advance(lease)
		_, errs := openAtOnce(10, ada, course, w)
		if diff := cmp.Diff(map[string]int{"": 1, learning.ErrAlreadyEnrolled.Error(): 9},
			countErrors(errs)); diff != "" {
			t.Error(diff)
		}
		w.wantSold(t, course, 1, 1, 0)
	})
}

// The event of a gateway can arrive before the answer to the order. It may lack the order.
func TestOpenOrder_PaidBeforeTheGatewayAnswers(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", learning.Student)
		w.Sandbox.Gateway().OnOrder(func(o sandbox.Order) {
			err := w.Platform.System().CapturePayment(context.Background(), learning.Payment{
				ID: "pay_1", PurchaseID: o.Receipt, Amount: new(learning.Money(o.Amount)),
				Currency: o.Currency, Captured: true})
			if err != nil {
				t.Error(err)
			}
		})
		if o, err := w.Platform.OpenOrder(context.Background(), ada,
			learning.OrderRequest{CourseID: course}); !errors.Is(err, learning.ErrAlreadyEnrolled) {
			t.Errorf("%+v, %v", o, err)
		}
		w.wantSold(t, course, 1, 1, 0)
	})
}

// The late holder gets its order while the successor still waits for its own.
func TestOpenOrder_LostLeaseStoresNoOrder(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", learning.Student)
		caller, leave := context.WithCancel(ctx())
		w.late(func() {
			w.exec(t, "UPDATE leases SET holder = 'successor'")
			leave()
		})
		if o, err := w.Platform.OpenOrder(caller, ada,
			learning.OrderRequest{CourseID: course}); err == nil {
			t.Errorf("the late holder got %+v", o)
		}
		if n := w.count(t, "purchases WHERE status = 'created' AND order_id IS NULL"); n != 1 {
			t.Errorf("the purchase of the successor was changed: %v", w.rows(t, "purchases"))
		}
		if n := w.count(t, "leases WHERE holder = 'successor'"); n != 1 {
			t.Errorf("the leases are %v", w.rows(t, "leases"))
		}
	})
}

// The call that was to open the order deletes its expired lease, which it does without the lock of
// the user, at the moment at which another call takes the lease over: that call begins again. SQLite
// runs one transaction at a time.
func TestOpenOrder_LeaseReleasedWhileItIsTakenOver(t *testing.T) {
	enginetest.Each(t, enginetest.Servers, func(t *testing.T, e enginetest.Engine) {
		w := newFixture(t, e.Reused(t))
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", learning.Student)
		w.abandoned(t, ada, course, 499_00)
		w.Clock.Advance(lease)
		release := sync.OnceFunc(func() {
			if _, err := w.db.Exec("DELETE FROM leases"); err != nil {
				t.Error(err)
			}
		})
		other := w.otherInstance(t, learningtest.WithStore(func(s learning.Store) learning.Store {
			return faultystore.With(s, func(_ context.Context, step string) error {
				if step == "take over a lease" {
					release()
				}
				return nil
			})
		}))
		order, err := other.Platform.OpenOrder(ctx(), ada, learning.OrderRequest{CourseID: course})
		if err != nil || order.OrderID == "" {
			t.Errorf("got %+v, %v", order, err)
		}
		w.wantSold(t, course, 0, 0, 1)
	})
}
