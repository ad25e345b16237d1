package learning_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// repriced returns a fixture with an open order of ada for a course whose price has changed
// after the order.
func repriced(t *testing.T, database string,
	price learning.Money) (w *fixture, ada learning.Actor, old learning.Order) {
	w = newFixture(t, database)
	ada = w.Person(t, "ada", learning.Student)
	old = w.order(t, ada, w.Course(t, "go", 499_00))
	w.setPrice(t, "go", price)
	return w, ada, old
}

func (w *fixture) wantStatus(t *testing.T, purchaseID string, want learning.PurchaseStatus) {
	t.Helper()
	if got := w.purchase(t, purchaseID).Status; got != want {
		t.Errorf("purchase %s is %s, want %s", purchaseID, got, want)
	}
}

func TestOpenOrder_PriceChanged(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w, ada, old := repriced(t, database, 399_00)
		fresh := w.order(t, ada, "go")
		if fresh.OrderID == old.OrderID || fresh.PurchaseID == old.PurchaseID ||
			fresh.Amount != 399_00 {
			t.Errorf("the old order is %+v, the new one %+v", old, fresh)
		}
		w.wantStatus(t, old.PurchaseID, learning.PurchaseFailed)
		w.wantSold(t, "go", 0, 0, 1)

		late := w.pay(t, old.OrderID)
		if err := w.Platform.System().CapturePayment(context.Background(),
			capturedPayment(old, late.ID)); err != nil {
			t.Fatal(err)
		}
		w.wantStatus(t, old.PurchaseID, learning.PurchaseCompleted)
		w.wantSold(t, "go", 1, 1, 1)
		if _, err := w.Platform.OpenOrder(context.Background(), ada,
			learning.OrderRequest{CourseID: "go"}); !errors.Is(err, learning.ErrAlreadyEnrolled) {
			t.Errorf("open an order again: %v", err)
		}
	})
}

func TestOpenOrder_PriceChangedAfterPayment(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		for _, price := range []learning.Money{399_00, 0} {
			w, ada, old := repriced(t, database, price)
			paid := w.pay(t, old.OrderID)
			made := w.Sandbox.Gateway().OrdersCreated()
			_, errs := openAtOnce(10, ada, "go", w)
			if diff := cmp.Diff(map[string]int{learning.ErrAlreadyEnrolled.Error(): 10},
				countErrors(errs)); diff != "" {
				t.Error(diff)
			}
			w.wantSold(t, "go", 1, 1, 0)
			if got := w.purchase(t, old.PurchaseID).PaymentID; got != paid.ID {
				t.Errorf("the payment is %q, want %q", got, paid.ID)
			}
			w.wantLogged(t, "double payment", 0)
			if n := w.Sandbox.Gateway().OrdersCreated() - made; n != 0 {
				t.Errorf("%d more orders", n)
			}
			w.exec(t, "DELETE FROM purchases")
			w.exec(t, "DELETE FROM enrollments")
			w.exec(t, "DELETE FROM courses")
			w.exec(t, "DELETE FROM course_contents")
			w.exec(t, "DELETE FROM search_words")
		}
	})
}

func TestOpenOrder_PriceChangedAfterRefund(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w, ada, old := repriced(t, database, 399_00)
		if _, err := w.Sandbox.Gateway().Refund(w.pay(t, old.OrderID).ID); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Sandbox.Gateway().Fail(w.order(t, ada, "go").OrderID,
			sandbox.WithoutWebhook()); err != nil {
			t.Fatal(err)
		}
		w.setPrice(t, "go", 299_00)
		if o := w.order(t, ada, "go"); o.Amount != 299_00 {
			t.Errorf("the order is %+v", o)
		}
		w.wantStatus(t, old.PurchaseID, learning.PurchaseFailed)
		w.wantSold(t, "go", 0, 0, 1)
	})
}

func TestOpenOrder_CourseBecomesFree(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w, ada, old := repriced(t, database, 0)
		orders, errs := openAtOnce(20, ada, "go", w, w.otherInstance(t))
		if diff := cmp.Diff(map[string]int{"": 1, learning.ErrAlreadyEnrolled.Error(): 19},
			countErrors(errs)); diff != "" {
			t.Error(diff)
		}
		for i, o := range orders {
			if errs[i] == nil && (o.OrderID != "" || o.Amount != 0) {
				t.Errorf("the order is %+v", o)
			}
		}
		w.wantStatus(t, old.PurchaseID, learning.PurchaseFailed)
		w.wantSold(t, "go", 1, 1, 0)
	})
}

// If it is unknown whether the old order was paid, no other order may be opened.
func TestOpenOrder_PriceChangedGatewayFails(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w, ada, old := repriced(t, database, 399_00)
		before := w.dump(t)
		for _, kind := range []sandbox.FaultKind{sandbox.FaultStatus, sandbox.FaultNonsense,
			sandbox.FaultEmpty, sandbox.FaultDrop} {
			// net/http repeats a GET whose connection breaks.
			w.Sandbox.Gateway().Faults().Next(-1,
				sandbox.Fault{Kind: kind, On: sandbox.OpListPayments})
			if o, err := w.Platform.OpenOrder(context.Background(), ada,
				learning.OrderRequest{CourseID: "go"}); err == nil {
				t.Errorf("%s: %+v", kind, o)
			}
			w.Sandbox.Gateway().Faults().Clear()
			if diff := cmp.Diff(before, w.dump(t)); diff != "" {
				t.Errorf("%s: %s", kind, diff)
			}
		}
		if o := w.order(t, ada, "go"); o.OrderID == old.OrderID {
			t.Error("the old order was returned")
		}
	})
}

func TestOpenOrder_CurrencyChanged(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w, ada, old := repriced(t, database, 499_00)
		euro := w.otherInstance(t, learningtest.WithPlatform(learning.WithCurrency("EUR")))
		if o := euro.order(t, ada, "go"); o.Currency != "EUR" || o.OrderID == old.OrderID {
			t.Errorf("the order is %+v", o)
		}
		w.wantStatus(t, old.PurchaseID, learning.PurchaseFailed)
	})
}

// Prices change while users open orders and pay: each user who paid is enrolled exactly once.
func TestOpenOrder_ConcurrentPriceChanges(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w, ada, old := repriced(t, database, 399_00)
		paid := w.pay(t, old.OrderID)
		ctx, cancel := context.WithTimeout(context.Background(), bound)
		defer cancel()
		prices := []int64{499_00, 399_00, 0}
		errs := concurrently(30, func(i int) error {
			switch i % 3 {
			case 0:
				_, err := w.db.Exec("UPDATE courses SET price = ? WHERE id = 'go'", prices[i/3%3])
				return err
			case 1:
				_, err := w.Platform.OpenOrder(ctx, ada, learning.OrderRequest{CourseID: "go"})
				if errors.Is(err, learning.ErrAlreadyEnrolled) {
					return nil
				}
				return err
			default:
				return w.Platform.System().CapturePayment(ctx, capturedPayment(old, paid.ID))
			}
		})
		if diff := cmp.Diff(map[string]int{"": 30}, countErrors(errs)); diff != "" {
			t.Error(diff)
		}
		if n := w.students(t, "go"); n != 1 {
			t.Errorf("%d students", n)
		}
		w.wantStatus(t, old.PurchaseID, learning.PurchaseCompleted)
		if n := w.count(t, "purchases WHERE is_open = 1"); n > 1 {
			t.Errorf("%d open purchases", n)
		}
	})
}

func TestOpenOrder_FreeCourse(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		for name, on := range map[string]*fixture{"with a gateway": w,
			"without one": w.otherInstance(t,
				learningtest.WithPlatform(learning.Without("WithGateway")))} {
			t.Run(name, func(t *testing.T) {
				course, ada := w.Course(t, "", 0), w.Person(t, "ada", learning.Student)
				revision := on.revision(t)
				orders, errs := openAtOnce(20, ada, course, on)
				if diff := cmp.Diff(map[string]int{"": 1, learning.ErrAlreadyEnrolled.Error(): 19},
					countErrors(errs)); diff != "" {
					t.Error(diff)
				}
				on.wantSold(t, course, 1, 1, 0)
				for i, o := range orders {
					if errs[i] == nil && (o.OrderID != "" || o.Amount != 0 || o.PurchaseID == "" ||
						o.Currency != "INR") {
						t.Errorf("the order is %+v", o)
					}
				}
				if n := on.revision(t).Changes - revision.Changes; n != 1 {
					t.Errorf("the catalogue changed %d times", n)
				}
			})
		}
		for _, op := range []string{sandbox.OpCreateOrder, sandbox.OpListPayments} {
			if n := w.Sandbox.Gateway().Faults().Calls(op); n != 0 {
				t.Errorf("%d calls of %s", n, op)
			}
		}
	})
}
