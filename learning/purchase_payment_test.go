package learning_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/learningtest"
)

func TestComplete_ConcurrentReportsOfOnePaymentEnrolOnce(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", learning.Student)
		o := w.order(t, ada, course)
		revision := w.revision(t)

		errs := concurrently(50, func(i int) error {
			if i%2 == 0 {
				return w.Platform.VerifyPayment(context.Background(), ada,
					w.proof(o.OrderID, "pay_1"))
			}
			return w.Platform.System().CapturePayment(context.Background(),
				capturedPayment(o, "pay_1"))
		})

		if diff := cmp.Diff(map[string]int{"": 50}, countErrors(errs)); diff != "" {
			t.Error(diff)
		}
		w.wantSold(t, course, 1, 1, 0)
		w.wantLogged(t, "double payment", 0)
		if n := w.revision(t).Changes - revision.Changes; n != 1 {
			t.Errorf("the catalogue changed %d times", n)
		}
	})
}

// Each payment except the first must be refunded, so that it is logged.
func TestComplete_FirstPaymentOfAnOrderStays(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", learning.Student)
		o := w.order(t, ada, course)

		errs := concurrently(50, func(i int) error {
			id := fmt.Sprintf("pay_%d", i)
			if i%2 == 0 {
				return w.Platform.VerifyPayment(context.Background(), ada, w.proof(o.OrderID, id))
			}
			return w.Platform.System().CapturePayment(context.Background(), capturedPayment(o, id))
		})

		if diff := cmp.Diff(map[string]int{"": 50}, countErrors(errs)); diff != "" {
			t.Error(diff)
		}
		w.wantSold(t, course, 1, 1, 0)
		w.wantLogged(t, `msg="double payment"`, 49)
		first := w.purchase(t, o.PurchaseID).PaymentID
		w.wantLogged(t, "payment="+first+" ", 0)
		if err := w.Platform.System().CapturePayment(context.Background(),
			capturedPayment(o, "pay_late")); err != nil {
			t.Error(err)
		}
		if now := w.purchase(t, o.PurchaseID).PaymentID; now != first || first == "" {
			t.Errorf("the payment was %q and is now %q", first, now)
		}
	})
}

func TestComplete_ManyBuyersOfOneCourseAreCountedOnce(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		const people = 30
		w := newFixture(t, database)
		course := w.Course(t, "go", 499_00)
		orders := make([]learning.Order, people)
		for i := range orders {
			orders[i] = w.order(t, w.Person(t, fmt.Sprintf("person-%d", i), learning.Student),
				course)
		}
		errs := concurrently(2*people, func(i int) error {
			i %= people
			return w.Platform.System().CapturePayment(context.Background(),
				capturedPayment(orders[i], fmt.Sprintf("pay_%d", i)))
		})
		if diff := cmp.Diff(map[string]int{"": 2 * people}, countErrors(errs)); diff != "" {
			t.Error(diff)
		}
		w.wantSold(t, course, people, people, 0)
	})
}

// A user has two orders for a course if its price has changed between them.
func TestComplete_TwoPaidOrdersEnrolOnceAndAreLogged(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", learning.Student)
		old := w.order(t, ada, course)
		w.setPrice(t, course, 399_00)
		fresh := w.order(t, ada, course)

		errs := concurrently(20, func(i int) error {
			if i%2 == 0 {
				return w.Platform.System().CapturePayment(context.Background(),
					capturedPayment(old, "pay_old"))
			}
			return w.Platform.VerifyPayment(context.Background(), ada,
				w.proof(fresh.OrderID, "pay_new"))
		})

		if diff := cmp.Diff(map[string]int{"": 20}, countErrors(errs)); diff != "" {
			t.Error(diff)
		}
		w.wantSold(t, course, 1, 2, 0)
		w.wantLogged(t, "double payment", 1)
		for id, payment := range map[string]string{old.PurchaseID: "pay_old",
			fresh.PurchaseID: "pay_new"} {
			if got := w.purchase(t, id).PaymentID; got != payment {
				t.Errorf("purchase %s has the payment %q, want %q", id, got, payment)
			}
		}
	})
}

func TestComplete_RefundedPurchaseStaysRefunded(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", learning.Student)
		o := w.order(t, ada, course)
		w.exec(t,
			"UPDATE purchases SET status = 'refunded', is_open = NULL, completed_at = updated_at "+
				"WHERE id = ?", o.PurchaseID)
		before := w.dump(t)

		if err := w.Platform.System().CapturePayment(context.Background(),
			capturedPayment(o, "pay_1")); err != nil {
			t.Error(err)
		}
		if err := w.Platform.VerifyPayment(context.Background(), ada,
			w.proof(o.OrderID, "pay_1")); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(before, w.dump(t)); diff != "" {
			t.Error(diff)
		}
		w.wantLogged(t, "payment for a refunded purchase", 2)
	})
}

func TestCapturePayment_CompletesEveryStateThatIsNotFinal(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		for _, status := range []string{"created", "pending", "failed"} {
			course, person := w.Course(t, "course-"+status, 499_00),
				w.Person(t, "buyer-of-"+status, learning.Student)
			o := w.order(t, person, course)
			open := any(1)
			if status == "failed" {
				open = nil
			}
			w.exec(t, "UPDATE purchases SET status = ?, is_open = ? WHERE id = ?", status, open,
				o.PurchaseID)
			if err := w.Platform.System().CapturePayment(context.Background(),
				capturedPayment(o, "pay_"+status)); err != nil {
				t.Errorf("%s: %v", status, err)
			}
			w.wantSold(t, course, 1, 1, 0)
		}
	})
}

func TestVerifyPayment_RequiresTheOwnerAndAValidProof(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", learning.Student)
		bob := w.Person(t, "bob", learning.Student)
		o := w.order(t, ada, course)
		before := w.dump(t)
		good := w.proof(o.OrderID, "pay_1")
		with := func(change func(*learning.PaymentProof)) learning.PaymentProof {
			p := good
			change(&p)
			return p
		}
		for name, tt := range map[string]struct {
			actor learning.Actor
			proof learning.PaymentProof
			want  error
		}{
			"not signed in": {learning.Actor{}, good, learning.ErrUnauthenticated},
			"another user":  {bob, good, learning.ErrPurchaseNotFound},
			"unknown order": {ada, w.proof("order_unknown", "pay_1"),
				learning.ErrPurchaseNotFound},
			"another purchase": {ada,
				with(func(p *learning.PaymentProof) { p.PurchaseID = "other" }),
				learning.ErrPurchaseNotFound},
			"no signature": {ada, with(func(p *learning.PaymentProof) { p.Signature = "" }),
				learning.ErrInvalidPaymentSignature},
			"long signature": {ada,
				with(func(p *learning.PaymentProof) { p.Signature += "00" }),
				learning.ErrInvalidPaymentSignature},
			"wrong signature": {ada,
				with(func(p *learning.PaymentProof) { p.PaymentID = "pay_2" }),
				learning.ErrInvalidPaymentSignature},
			"no payment": {ada, w.proof(o.OrderID, ""),
				learning.ErrInvalidPaymentSignature},
			"no order": {ada, w.proof("", "pay_1"), learning.ErrInvalidPaymentSignature},
			"payment in capital": {ada,
				with(func(p *learning.PaymentProof) { p.PaymentID = "PAY_1" }),
				learning.ErrInvalidPaymentSignature},
		} {
			if err := w.Platform.VerifyPayment(context.Background(), tt.actor,
				tt.proof); !errors.Is(err, tt.want) {
				t.Errorf("%s: %v, want %v", name, err, tt.want)
			}
		}
		if diff := cmp.Diff(before, w.dump(t)); diff != "" {
			t.Error(diff)
		}
		good.PurchaseID = o.PurchaseID
		if err := w.Platform.VerifyPayment(context.Background(), ada, good); err != nil {
			t.Errorf("the owner with the right purchase: %v", err)
		}
	})
}

// uncapturedGateway verifies every webhook, and reports a payment that is not captured.
type uncapturedGateway struct {
	learning.Gateway
	paid learning.Payment
}

func (g uncapturedGateway) VerifyWebhook([]byte, string) (learning.GatewayEvent, error) {
	return learning.GatewayEvent{Payment: g.paid}, nil
}

func TestReceiveGatewayWebhook_UncapturedPaymentCompletesNothing(t *testing.T) {
	w := newFixture(t, sqlite(t))
	o := w.order(t, w.Person(t, "ada", learning.Student), w.Course(t, "go", 10_00))
	paid := capturedPayment(o, "pay_1")
	paid.Captured = false
	on := w.otherInstance(t,
		learningtest.WithPlatform(learning.WithGateway(uncapturedGateway{paid: paid})))
	if err := on.Platform.ReceiveGatewayWebhook(ctx(), nil, ""); err != nil {
		t.Error(err)
	}
	w.wantSold(t, "go", 0, 0, 1)
}
