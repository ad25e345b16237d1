package learning_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/purchase"
)

func TestComplete_ConcurrentReportsOfOnePaymentEnrolOnce(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld()
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", core.Student)
		paid := w.Pay(t, w.Order(t, ada, course).OrderID)
		revision := w.Revision(t)

		errs := roomtest.Concurrently(50, func(i int) error {
			if i%2 == 0 {
				return w.Platform.Sales.VerifyPayment(context.Background(), ada,
					w.Proof(paid.OrderID, paid.ID))
			}
			return w.Report(paid)
		})

		if diff := cmp.Diff(map[string]int{"": 50}, roomtest.CountErrors(errs)); diff != "" {
			t.Error(diff)
		}
		w.WantSold(t, course, 1, 1, 0)
		w.WantLogged(t, "double payment", 0)
		if n := w.Revision(t).Changes - revision.Changes; n != 1 {
			t.Errorf("the catalogue changed %d times", n)
		}
	})
}

// Each payment except the first must be refunded, so that it is logged.
func TestComplete_FirstPaymentOfAnOrderStays(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", core.Student)
		o := w.Order(t, ada, course)

		errs := roomtest.Concurrently(50, func(i int) error {
			id := fmt.Sprintf("pay_%d", i)
			if i%2 == 0 {
				return w.Platform.Sales.VerifyPayment(context.Background(), ada,
					w.Proof(o.OrderID, id))
			}
			return w.Platform.System().CapturePayment(context.Background(), roomtest.CapturedPayment(o, id))
		})

		if diff := cmp.Diff(map[string]int{"": 50}, roomtest.CountErrors(errs)); diff != "" {
			t.Error(diff)
		}
		w.WantSold(t, course, 1, 1, 0)
		w.WantLogged(t, `msg="double payment"`, 49)
		first := w.Purchase(t, o.PurchaseID).PaymentID
		w.WantLogged(t, "payment="+first+" ", 0)
		if err := w.Platform.System().CapturePayment(context.Background(),
			roomtest.CapturedPayment(o, "pay_late")); err != nil {
			t.Error(err)
		}
		if now := w.Purchase(t, o.PurchaseID).PaymentID; now != first || first == "" {
			t.Errorf("the payment was %q and is now %q", first, now)
		}
	})
}

func TestComplete_ManyBuyersOfOneCourseAreCountedOnce(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		const people = 30
		w := newWorld()
		course := w.Course(t, "go", 499_00)
		payments := make([]roomtest.Paid, people)
		for i := range payments {
			payments[i] = w.Pay(t, w.Order(t,
				w.Person(t, fmt.Sprintf("person-%d", i), core.Student), course).OrderID)
		}
		errs := roomtest.Concurrently(2*people, func(i int) error {
			return w.Report(payments[i%people])
		})
		if diff := cmp.Diff(map[string]int{"": 2 * people}, roomtest.CountErrors(errs)); diff != "" {
			t.Error(diff)
		}
		w.WantSold(t, course, people, people, 0)
	})
}

// A user has two orders for a course if its price has changed between them.
func TestComplete_TwoPaidOrdersEnrolOnceAndAreLogged(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", core.Student)
		old := w.Order(t, ada, course)
		w.SetPrice(t, course, 399_00)
		fresh := w.Order(t, ada, course)

		errs := roomtest.Concurrently(20, func(i int) error {
			if i%2 == 0 {
				return w.Platform.System().CapturePayment(context.Background(),
					roomtest.CapturedPayment(old, "pay_old"))
			}
			return w.Platform.Sales.VerifyPayment(context.Background(), ada,
				w.Proof(fresh.OrderID, "pay_new"))
		})

		if diff := cmp.Diff(map[string]int{"": 20}, roomtest.CountErrors(errs)); diff != "" {
			t.Error(diff)
		}
		w.WantSold(t, course, 1, 2, 0)
		w.WantLogged(t, "double payment", 1)
		for id, payment := range map[string]string{old.PurchaseID: "pay_old",
			fresh.PurchaseID: "pay_new"} {
			if got := w.Purchase(t, id).PaymentID; got != payment {
				t.Errorf("purchase %s has the payment %q, want %q", id, got, payment)
			}
		}
	})
}

func TestComplete_RefundedPurchaseStaysRefunded(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", core.Student)
		o := w.Order(t, ada, course)
		w.Exec(t,
			"UPDATE purchases SET status = 'refunded', is_open = NULL, completed_at = updated_at "+
				"WHERE id = ?", o.PurchaseID)
		before := w.Dump(t)

		if err := w.Platform.System().CapturePayment(context.Background(),
			roomtest.CapturedPayment(o, "pay_1")); err != nil {
			t.Error(err)
		}
		if err := w.Platform.Sales.VerifyPayment(context.Background(), ada,
			w.Proof(o.OrderID, "pay_1")); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(before, w.Dump(t)); diff != "" {
			t.Error(diff)
		}
		w.WantLogged(t, "payment for a refunded purchase", 2)
	})
}

func TestCapturePayment_CompletesEveryStateThatIsNotFinal(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		for _, status := range []string{"created", "pending", "failed"} {
			course, person := w.Course(t, "course-"+status, 499_00),
				w.Person(t, "buyer-of-"+status, core.Student)
			o := w.Order(t, person, course)
			open := any(1)
			if status == "failed" {
				open = nil
			}
			w.Exec(t, "UPDATE purchases SET status = ?, is_open = ? WHERE id = ?", status, open,
				o.PurchaseID)
			if err := w.Platform.System().CapturePayment(context.Background(),
				roomtest.CapturedPayment(o, "pay_"+status)); err != nil {
				t.Errorf("%s: %v", status, err)
			}
			w.WantSold(t, course, 1, 1, 0)
		}
	})
}

func TestVerifyPayment_RequiresTheOwnerAndAValidProof(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", core.Student)
		bob := w.Person(t, "bob", core.Student)
		o := w.Order(t, ada, course)
		before := w.Dump(t)
		good := w.Proof(o.OrderID, "pay_1")
		with := func(change func(*payment.Proof)) payment.Proof {
			p := good
			change(&p)
			return p
		}
		for name, tt := range map[string]struct {
			actor learning.Actor
			proof payment.Proof
			want  error
		}{
			"not signed in": {learning.Actor{}, good, core.ErrUnauthenticated},
			"another user":  {bob, good, purchase.ErrNotFound},
			"unknown order": {ada, w.Proof("order_unknown", "pay_1"),
				purchase.ErrNotFound},
			"another purchase": {ada,
				with(func(p *payment.Proof) { p.PurchaseID = "other" }),
				purchase.ErrNotFound},
			"no signature": {ada, with(func(p *payment.Proof) { p.Signature = "" }),
				core.ErrInvalidRequest},
			"long signature": {ada,
				with(func(p *payment.Proof) { p.Signature += "00" }),
				payment.ErrInvalidSignature},
			"wrong signature": {ada,
				with(func(p *payment.Proof) { p.PaymentID = "pay_2" }),
				payment.ErrInvalidSignature},
			"no payment": {ada, w.Proof(o.OrderID, ""),
				core.ErrInvalidRequest},
			"no order": {ada, w.Proof("", "pay_1"), core.ErrInvalidRequest},
			"payment in capital": {ada,
				with(func(p *payment.Proof) { p.PaymentID = "PAY_1" }),
				payment.ErrInvalidSignature},
		} {
			if err := w.Platform.Sales.VerifyPayment(context.Background(), tt.actor,
				tt.proof); !errors.Is(err, tt.want) {
				t.Errorf("%s: %v, want %v", name, err, tt.want)
			}
		}
		if diff := cmp.Diff(before, w.Dump(t)); diff != "" {
			t.Error(diff)
		}
		good.PurchaseID = o.PurchaseID
		if err := w.Platform.Sales.VerifyPayment(context.Background(), ada, good); err != nil {
			t.Errorf("the owner with the right purchase: %v", err)
		}
	})
}

// uncapturedGateway verifies every webhook, and reports a payment that is not captured.
type uncapturedGateway struct {
	roomtest.StubProvider
	paid payment.Payment
}

func (g uncapturedGateway) ReadWebhook(payment.Webhook) (payment.Event, error) {
	return payment.Event{Payment: g.paid}, nil
}

func TestReceiveWebhook_UncapturedPaymentCompletesNothing(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	o := w.Order(t, w.Person(t, "ada", core.Student), w.Course(t, "go", 10_00))
	paid := roomtest.CapturedPayment(o, "pay_1")
	paid.Captured = false
	on := w.OtherInstance(t,
		learningtest.WithPlatform(learning.WithProvider(uncapturedGateway{paid: paid})))
	if err := on.Platform.Sales.ReceiveWebhook(ctx(), payment.NameGateway, payment.Webhook{}); err != nil {
		t.Error(err)
	}
	w.WantSold(t, "go", 0, 0, 1)
}
