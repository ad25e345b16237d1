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
	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/study"
)

// countedLooks calls a function after a hundred reads of the open purchase. By then every
// caller has seen the lease.
type countedLooks struct {
	learning.Store
	looks atomic.Int64
	then  func()
}

func (s *countedLooks) OpenPurchase(ctx context.Context,
	userID, courseID string) (purchase.Purchase, error) {
	if s.looks.Add(1) == 100 {
		s.then()
	}
	return s.Store.OpenPurchase(ctx, userID, courseID)
}

func TestOpenOrder_TakesOverAfterLease(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		store := &countedLooks{}
		w := newWorld(
			learningtest.WithStore(
				func(s learning.Store) learning.Store { store.Store = s; return store }))
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", core.Student)
		created := w.Abandoned(t, ada, course, 499_00)
		w.Clock.Advance(roomtest.Lease - time.Microsecond)
		store.then = func() {
			if n := w.Till.Orders(); n != 0 {
				t.Errorf("%d orders were opened while the lease ran", n)
			}
			w.Clock.Advance(time.Microsecond)
		}

		orders, errs := openAtOnce(20, ada, course, w, w.OtherInstance(t))

		if diff := cmp.Diff(map[string]int{"": 20}, roomtest.CountErrors(errs)); diff != "" {
			t.Error(diff)
		}
		if store.looks.Load() < 100 {
			t.Error("no caller waited for the end of the lease")
		}
		if o := w.WantOneOrder(t, orders, errs); o.PurchaseID != created.ID {
			t.Errorf("the order is that of purchase %s, want that of the taken-over one",
				o.PurchaseID)
		}
		if n := w.Till.Orders(); n != 1 {
			t.Errorf("%d orders at the gateway", n)
		}
	})
}

// At the gateway only: Stripe refuses the request of a successor while it answers the first one.
func TestOpenOrder_LateHolderGetsTheOrderOfItsSuccessor(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		successor := w.OtherInstance(t)
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", core.Student)
		var second sale.Order
		w.Late(func() {
			w.Clock.Advance(time.Minute)
			second = successor.Order(t, ada, course)
		})
		first := w.Order(t, ada, course)
		w.WantOneOrder(t, []sale.Order{first, second}, []error{nil, nil})
		w.WantSold(t, course, 0, 0, 1)
		if n := w.Till.Orders(); n != 2 {
			t.Errorf(
				"%d orders at the gateway, want those of the first holder and of its successor", n)
		}
	})
}

// At the gateway only: Stripe refuses the request of a successor while it answers the first one.
func TestOpenOrder_LateFailureDoesNotAffectTheSuccessor(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", core.Student)
		asked, failed := make(chan struct{}), make(chan struct{})
		var second sale.Order
		done := make(chan error, 1)
		var orders atomic.Int64
		w.Till.Faults().Next(1, sandbox.Fault{Kind: sandbox.FaultStatus,
			On: w.Till.Operations().CreateOrder, After: true})
		w.Till.OnOrder(func() {
			if orders.Add(1) == 2 {
				close(asked)
				<-failed
				return
			}
			w.Clock.Advance(time.Minute)
			go func() {
				var err error
				second, err = w.Platform.Sales.OpenOrder(context.Background(), ada,
					sale.OrderRequest{CourseID: course})
				done <- err
			}()
			<-asked
		})

		_, err := w.Platform.Sales.OpenOrder(context.Background(), ada,
			sale.OrderRequest{CourseID: course})
		close(failed)
		if err == nil {
			t.Error("the first holder did not fail")
		}
		if err := <-done; err != nil {
			t.Fatalf("the successor failed: %v", err)
		}
		w.WantOneOrder(t, []sale.Order{second}, []error{nil})
		if n := w.Till.Orders(); n != 2 {
			t.Errorf("%d orders at the gateway: the successor lost its lease", n)
		}
	})
}

func TestOpenOrder_TakeOverUsesTheCurrentPrice(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", core.Student)
		w.Abandoned(t, ada, course, 999_00)
		w.Clock.Advance(roomtest.Lease)
		o := w.Order(t, ada, course)
		at, err := w.Sandbox.Gateway().Order(o.OrderID)
		if err != nil || at.Amount != 499_00 || o.Amount != 499_00 ||
			w.Purchase(t, o.PurchaseID).Amount != 499_00 {
			t.Errorf("the order is %+v, the gateway's %+v, %v", o, at, err)
		}
	})
}

func TestOpenOrder_TakeOverOfACourseThatBecameFree(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course, ada := w.Course(t, "go", 0), w.Person(t, "ada", core.Student)
		w.Abandoned(t, ada, course, 999_00)
		w.Clock.Advance(roomtest.Lease)
		_, errs := openAtOnce(10, ada, course, w)
		if diff := cmp.Diff(map[string]int{"": 1, study.ErrAlreadyEnrolled.Error(): 9},
			roomtest.CountErrors(errs)); diff != "" {
			t.Error(diff)
		}
		w.WantSold(t, course, 1, 1, 0)
	})
}

// releasedLease is a store for whose next release of a lease another call was faster.
type releasedLease struct {
	learning.Store
	isReleased atomic.Bool
}

func (s *releasedLease) InTx(ctx context.Context, fn func(tx learning.Tx) error) error {
	return s.Store.InTx(ctx, func(tx learning.Tx) error { return fn(releasedLeaseTx{tx, s}) })
}

type releasedLeaseTx struct {
	learning.Tx
	store *releasedLease
}

func (t releasedLeaseTx) ReleaseLease(ctx context.Context, l core.Lease) (bool, error) {
	if t.store.isReleased.CompareAndSwap(true, false) {
		return false, nil
	}
	return t.Tx.ReleaseLease(ctx, l)
}

// The call that was to open the order ends late, after another one has read its lease.
func TestOpenOrder_FreeWhileTheCallBeforeEnds(t *testing.T) {
	store := &releasedLease{}
	w := roomtest.New(t, roomtest.SQLite(t), learningtest.WithStore(
		func(s learning.Store) learning.Store { store.Store = s; return store }))
	course, ada := w.Course(t, "go", 0), w.Person(t, "ada", core.Student)
	w.Abandoned(t, ada, course, 999_00)
	w.Clock.Advance(roomtest.Lease)
	store.isReleased.Store(true)
	w.Order(t, ada, course)
	w.WantSold(t, course, 1, 1, 0)
	if store.isReleased.Load() {
		t.Error("no lease was released")
	}
}

// The event of a gateway can arrive before the answer to the order. It may lack the order.
func TestOpenOrder_PaidBeforeTheGatewayAnswers(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", core.Student)
		w.Sandbox.Gateway().OnOrder(func(o sandbox.Order) {
			err := w.Platform.System().CapturePayment(context.Background(), payment.Payment{
				ID: "pay_1", PurchaseID: o.Receipt, Amount: new(core.Money(o.Amount)),
				Currency: o.Currency, Captured: true})
			if err != nil {
				t.Error(err)
			}
		})
		if o, err := w.Platform.Sales.OpenOrder(context.Background(), ada,
			sale.OrderRequest{CourseID: course}); !errors.Is(err, study.ErrAlreadyEnrolled) {
			t.Errorf("%+v, %v", o, err)
		}
		w.WantSold(t, course, 1, 1, 0)
	})
}

// The late holder gets its order while the successor still waits for its own.
func TestOpenOrder_LostLeaseStoresNoOrder(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld()
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", core.Student)
		caller, leave := context.WithCancel(ctx())
		w.Late(func() {
			w.Exec(t, "UPDATE leases SET holder = 'successor'")
			leave()
		})
		if o, err := w.Platform.Sales.OpenOrder(caller, ada,
			sale.OrderRequest{CourseID: course}); err == nil {
			t.Errorf("the late holder got %+v", o)
		}
		if n := w.Count(t, "purchases WHERE status = 'created' AND order_id IS NULL"); n != 1 {
			t.Errorf("the purchase of the successor was changed: %v", w.Rows(t, "purchases"))
		}
		if n := w.Count(t, "leases WHERE holder = 'successor'"); n != 1 {
			t.Errorf("the leases are %v", w.Rows(t, "leases"))
		}
	})
}

// The call that was to open the order deletes its expired lease, which it does without the lock of
// the user, at the moment at which another call takes the lease over: that call begins again.
// SQLite runs one transaction at a time.
func TestOpenOrder_LeaseReleasedWhileItIsTakenOver(t *testing.T) {
	enginetest.Each(t, enginetest.Servers, func(t *testing.T, e enginetest.Engine) {
		w := roomtest.New(t, e.Reused(t))
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", core.Student)
		w.Abandoned(t, ada, course, 499_00)
		w.Clock.Advance(roomtest.Lease)
		release := sync.OnceFunc(func() {
			if _, err := w.DB.Exec("DELETE FROM leases"); err != nil {
				t.Error(err)
			}
		})
		other := w.OtherInstance(t, learningtest.WithStore(func(s learning.Store) learning.Store {
			return faultystore.With(s, func(_ context.Context, step string) error {
				if step == "take over a lease" {
					release()
				}
				return nil
			})
		}))
		order, err := other.Platform.Sales.OpenOrder(ctx(), ada,
			sale.OrderRequest{CourseID: course})
		if err != nil || order.OrderID == "" {
			t.Errorf("got %+v, %v", order, err)
		}
		w.WantSold(t, course, 0, 0, 1)
	})
}
