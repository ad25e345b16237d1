package learning_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/study"
)

// repriced returns a fixture with an open order of ada for a course whose price has changed
// after the order.
func repriced(t *testing.T, newWorld roomtest.NewWorld,
	price core.Money) (w *roomtest.World, ada learning.Actor, old sale.Order) {
	w = newWorld()
	ada = w.Person(t, "ada", core.Student)
	old = w.Order(t, ada, w.Course(t, "go", 499_00))
	w.SetPrice(t, "go", price)
	return w, ada, old
}

func TestOpenOrder_PriceChanged(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w, ada, old := repriced(t, newWorld, 399_00)
		fresh := w.Order(t, ada, "go")
		if fresh.OrderID == old.OrderID || fresh.PurchaseID == old.PurchaseID ||
			fresh.Amount != 399_00 {
			t.Errorf("the old order is %+v, the new one %+v", old, fresh)
		}
		w.WantStatus(t, old.PurchaseID, purchase.Failed)
		w.WantSold(t, "go", 0, 0, 1)

		late, isTaken := w.PayLate(t, old.OrderID)
		if !isTaken {
			return
		}
		roomtest.Must(t, w.Report(late))
		w.WantStatus(t, old.PurchaseID, purchase.Completed)
		w.WantSold(t, "go", 1, 1, 1)
		if _, err := w.Platform.Sales.OpenOrder(context.Background(), ada,
			sale.OrderRequest{CourseID: "go"}); !errors.Is(err, study.ErrAlreadyEnrolled) {
			t.Errorf("open an order again: %v", err)
		}
	})
}

func TestOpenOrder_PriceChangedAfterPayment(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		for _, price := range []core.Money{399_00, 0} {
			w, ada, old := repriced(t, newWorld, price)
			paid := w.Pay(t, old.OrderID)
			made := w.Till.Orders()
			_, errs := openAtOnce(10, ada, "go", w)
			if diff := cmp.Diff(map[string]int{study.ErrAlreadyEnrolled.Error(): 10},
				roomtest.CountErrors(errs)); diff != "" {
				t.Error(diff)
			}
			w.WantSold(t, "go", 1, 1, 0)
			if got := w.Purchase(t, old.PurchaseID).PaymentID; got != paid.ID {
				t.Errorf("the payment is %q, want %q", got, paid.ID)
			}
			w.WantLogged(t, "double payment", 0)
			if n := w.Till.Orders() - made; n != 0 {
				t.Errorf("%d more orders", n)
			}
			w.Exec(t, "DELETE FROM purchases")
			w.Exec(t, "DELETE FROM enrollments")
			w.Exec(t, "DELETE FROM courses")
			w.Exec(t, "DELETE FROM course_contents")
			w.Exec(t, "DELETE FROM search_words")
		}
	})
}

func TestOpenOrder_PriceChangedAfterRefund(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w, ada, old := repriced(t, newWorld, 399_00)
		w.RefundQuietly(t, w.Pay(t, old.OrderID).ID)
		roomtest.Must(t, w.Till.Fail(w.Order(t, ada, "go").OrderID, sandbox.WithoutWebhook()))
		w.SetPrice(t, "go", 299_00)
		if o := w.Order(t, ada, "go"); o.Amount != 299_00 {
			t.Errorf("the order is %+v", o)
		}
		w.WantStatus(t, old.PurchaseID, purchase.Failed)
		w.WantSold(t, "go", 0, 0, 1)
	})
}

func TestOpenOrder_CourseBecomesFree(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w, ada, old := repriced(t, newWorld, 0)
		orders, errs := openAtOnce(20, ada, "go", w, w.OtherInstance(t))
		if diff := cmp.Diff(map[string]int{"": 1, study.ErrAlreadyEnrolled.Error(): 19},
			roomtest.CountErrors(errs)); diff != "" {
			t.Error(diff)
		}
		for i, o := range orders {
			if errs[i] == nil && (o.OrderID != "" || o.Amount != 0) {
				t.Errorf("the order is %+v", o)
			}
		}
		w.WantStatus(t, old.PurchaseID, purchase.Failed)
		w.WantSold(t, "go", 1, 1, 0)
	})
}

// If it is unknown whether the old order was paid, no other order may be opened.
func TestOpenOrder_PriceChangedGatewayFails(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w, ada, old := repriced(t, newWorld, 399_00)
		before := w.Dump(t)
		for _, kind := range []sandbox.FaultKind{sandbox.FaultStatus, sandbox.FaultNonsense,
			sandbox.FaultEmpty, sandbox.FaultDrop} {
			// net/http repeats a GET whose connection breaks.
			w.Till.Faults().Next(-1, sandbox.Fault{Kind: kind,
				On: w.Till.Operations().AskForPayment})
			if o, err := w.Platform.Sales.OpenOrder(context.Background(), ada,
				sale.OrderRequest{CourseID: "go"}); err == nil {
				t.Errorf("%s: %+v", kind, o)
			}
			w.Till.Faults().Clear()
			if diff := cmp.Diff(before, w.Dump(t)); diff != "" {
				t.Errorf("%s: %s", kind, diff)
			}
		}
		if o := w.Order(t, ada, "go"); o.OrderID == old.OrderID {
			t.Error("the old order was returned")
		}
	})
}

func TestOpenOrder_CurrencyChanged(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w, ada, old := repriced(t, newWorld, 499_00)
		euro := w.OtherInstance(t, learningtest.WithPlatform(learning.WithCurrency("EUR")))
		if o := euro.Order(t, ada, "go"); o.Currency != "EUR" || o.OrderID == old.OrderID {
			t.Errorf("the order is %+v", o)
		}
		w.WantStatus(t, old.PurchaseID, purchase.Failed)
	})
}

// Prices change while users open orders and pay: each user who paid is enrolled exactly once.
func TestOpenOrder_ConcurrentPriceChanges(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w, ada, old := repriced(t, newWorld, 399_00)
		paid := w.Pay(t, old.OrderID)
		ctx, cancel := context.WithTimeout(context.Background(), roomtest.Bound)
		defer cancel()
		prices := []int64{499_00, 399_00, 0}
		errs := roomtest.Concurrently(30, func(i int) error {
			switch i % 3 {
			case 0:
				_, err := w.DB.Exec("UPDATE courses SET price = ? WHERE id = 'go'", prices[i/3%3])
				return err
			case 1:
				_, err := w.Platform.Sales.OpenOrder(ctx, ada, sale.OrderRequest{CourseID: "go"})
				if errors.Is(err, study.ErrAlreadyEnrolled) {
					return nil
				}
				return err
			default:
				return w.Report(paid)
			}
		})
		if diff := cmp.Diff(map[string]int{"": 30}, roomtest.CountErrors(errs)); diff != "" {
			t.Error(diff)
		}
		if n := w.Students(t, "go"); n != 1 {
			t.Errorf("%d students", n)
		}
		w.WantStatus(t, old.PurchaseID, purchase.Completed)
		if n := w.Count(t, "purchases WHERE is_open = 1"); n > 1 {
			t.Errorf("%d open purchases", n)
		}
	})
}

func TestOpenOrder_FreeCourse(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		for name, on := range map[string]*roomtest.World{"with a gateway": w,
			"without one": w.OtherInstance(t,
				learningtest.WithPlatform(learning.Without("WithProvider")))} {
			t.Run(name, func(t *testing.T) {
				course, ada := w.Course(t, "", 0), w.Person(t, "ada", core.Student)
				revision := on.Revision(t)
				orders, errs := openAtOnce(20, ada, course, on)
				if diff := cmp.Diff(map[string]int{"": 1, study.ErrAlreadyEnrolled.Error(): 19},
					roomtest.CountErrors(errs)); diff != "" {
					t.Error(diff)
				}
				on.WantSold(t, course, 1, 1, 0)
				for i, o := range orders {
					if errs[i] == nil && (o.OrderID != "" || o.Amount != 0 || o.PurchaseID == "" ||
						o.Currency != "INR") {
						t.Errorf("the order is %+v", o)
					}
				}
				if n := on.Revision(t).Changes - revision.Changes; n != 1 {
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
