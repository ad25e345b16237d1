package learning_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/refund"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/stripe"
	"github.com/openlectern/openlectern/learning/study"

	"github.com/openlectern/openlectern/learning"
)

// abroad adds a course that is sold in yen, which Stripe takes.
func abroad(t *testing.T, w *roomtest.World) string {
	t.Helper()
	w.Course(t, "abroad", 499_00)
	w.Edit(t, "abroad", catalog.CourseEdit{Prices: &[]catalog.Price{{Currency: "JPY", Amount: 900}}})
	return "abroad"
}

// permutations returns each order of the numbers below n.
func permutations(n int) (all [][]int) {
	if n == 0 {
		return [][]int{nil}
	}
	for _, shorter := range permutations(n - 1) {
		for at := range n {
			next := append(append(append([]int{}, shorter[:at]...), n-1), shorter[at:]...)
			all = append(all, next)
		}
	}
	return all
}

// Whatever order the events of one payment come in, and however often, the end is the same: what
// counts is what Stripe says when it is asked.
func TestReceiveWebhook_StripeEventsInAnyOrder(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	course, stripe := abroad(t, w), w.Sandbox.Stripe()
	for i, order := range permutations(5) {
		buyer := w.Person(t, fmt.Sprintf("buyer-%d", i), core.Student)
		o := w.OrderIn(t, buyer, course, "JPY")
		paid, err := stripe.Pay(o.OrderID, sandbox.WithoutWebhook())
		roomtest.Must(t, err)
		refund, err := stripe.Refund(o.OrderID, sandbox.WithAmount(300),
			sandbox.WithoutWebhook())
		roomtest.Must(t, err)
		dispute, err := stripe.Dispute(o.OrderID, sandbox.WithoutWebhook())
		roomtest.Must(t, err)
		won, err := stripe.WinDispute(dispute.ID, sandbox.WithoutWebhook())
		roomtest.Must(t, err)
		events := []func(){
			func() { w.MustTellStripe(t, "payment_intent.processing", paid) },
			func() { w.MustTellStripe(t, "payment_intent.succeeded", paid) },
			func() { w.MustTellStripe(t, "refund.created", refund) },
			func() { w.MustTellStripe(t, "charge.dispute.created", dispute) },
			func() { w.MustTellStripe(t, "charge.dispute.closed", won) },
		}
		for _, at := range order {
			events[at]()
			events[at]() // twice
		}
		// A refund that came before its payment is found by the next search.
		w.MustTellStripe(t, "refund.updated", refund)
		w.MustTellStripe(t, "charge.dispute.updated", dispute)
		got, err := w.Store.Purchase(ctx(), o.PurchaseID)
		roomtest.Must(t, err)
		disputes, err := w.Store.DisputesOf(ctx(), o.PurchaseID)
		roomtest.Must(t, err)
		enrolled, err := w.Store.Enrolled(ctx(), buyer.UserID, course)
		roomtest.Must(t, err)
		if got.Status != purchase.Completed || got.RefundedAmount != 300 || !enrolled ||
			len(disputes) != 1 || disputes[0].Status != payment.DisputeWon {
			t.Fatalf("events in the order %v: %s, %d refunded, enrolled %v, %+v", order, got.Status,
				got.RefundedAmount, enrolled, disputes)
		}
	}
}

// One payment that many reports race to complete enrols once, with Stripe as with the gateway.
func TestVerifyPayment_StripeReportsRace(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course, buyer := abroad(t, w), w.Person(t, "ada", core.Student)
		o := w.OrderIn(t, buyer, course, "JPY")
		proof := payment.Proof{OrderID: o.OrderID}
		if err := w.Platform.Sales.VerifyPayment(ctx(), buyer, proof); !errors.Is(err,
			payment.ErrIncomplete) {
			t.Errorf("before the payment: %v, want payment.ErrIncomplete", err)
		}
		paid, err := w.Sandbox.Stripe().Pay(o.OrderID, sandbox.WithoutWebhook())
		roomtest.Must(t, err)
		roomtest.Must(t, errors.Join(roomtest.Concurrently(8, func(i int) error {
			if i%2 == 0 {
				return w.Platform.Sales.VerifyPayment(ctx(), buyer, proof)
			}
			return w.TellStripe("payment_intent.succeeded", paid)
		})...))
		w.WantSold(t, course, 1, 1, 0)
	})
}

// Nobody is kept from buying by an order that nobody can pay, nor pays twice.
func TestOpenOrder_StripeIsAskedAboutOldOrders(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	course, stripe := abroad(t, w), w.Sandbox.Stripe()
	again := func(buyer core.Actor) (sale.Order, error) {
		w.Clock.Advance(6 * time.Minute)
		return w.Platform.Sales.OpenOrder(ctx(), buyer,
			sale.OrderRequest{CourseID: course, Currency: "JPY"})
	}

	// An open one is answered again, with its secret; a closed one is replaced.
	ada := w.Person(t, "ada", core.Student)
	first := w.OrderIn(t, ada, course, "JPY")
	if same, err := again(ada); err != nil || same != first || first.ClientSecret == "" {
		t.Errorf("an open order: %+v, %v; the first one %+v", same, err, first)
	}
	_, err := stripe.Cancel(first.OrderID, sandbox.WithoutWebhook())
	roomtest.Must(t, err)
	other, err := again(ada)
	if err != nil || other.OrderID == first.OrderID || other.PurchaseID == first.PurchaseID {
		t.Errorf("after it was closed: %+v, %v", other, err)
	}

	// One that was paid completes, without a webhook.
	_, err = stripe.Pay(other.OrderID, sandbox.WithoutWebhook())
	roomtest.Must(t, err)
	if _, err := again(ada); !errors.Is(err, study.ErrAlreadyEnrolled) {
		t.Errorf("after it was paid: %v", err)
	}
	w.WantSold(t, course, 1, 1, 0)

	// Another currency replaces the order, and cancels it at Stripe.
	bob := w.Person(t, "bob", core.Student)
	yen := w.OrderIn(t, bob, course, "JPY")
	w.OrderIn(t, bob, course, "INR")
	if intent, err := stripe.Intent(yen.OrderID); err != nil || intent.Status != "canceled" {
		t.Errorf("the order in yen is %q, %v", intent.Status, err)
	}
}

// soldInYen returns a course that ada has bought at Stripe.
func soldInYen(
	t *testing.T, policy refund.DisputePolicy,
) (w *roomtest.World, course string, buyer core.Actor, o sale.Order) {
	t.Helper()
	w = roomtest.New(t, roomtest.SQLite(t),
		learningtest.WithPlatform(learning.WithDisputePolicy(policy)))
	course, buyer = abroad(t, w), w.Person(t, "ada", core.Student)
	o = w.OrderIn(t, buyer, course, "JPY")
	_, err := w.Sandbox.Stripe().Pay(o.OrderID, sandbox.WithoutWebhook())
	roomtest.Must(t, err)
	roomtest.Must(t, w.Platform.Sales.VerifyPayment(ctx(), buyer,
		payment.Proof{OrderID: o.OrderID}))
	return w, course, buyer, o
}

// A dispute ends the access only if the host wants that, and gives it back when it is won.
func TestReceiveWebhook_DisputePolicy(t *testing.T) {
	for _, ends := range []bool{false, true} {
		w, course, buyer, o := soldInYen(t, refund.DisputePolicy{EndAccess: ends})
		stripe := w.Sandbox.Stripe()
		var got []bool
		enrolled := func() {
			t.Helper()
			is, err := w.Store.Enrolled(ctx(), buyer.UserID, course)
			roomtest.Must(t, err)
			got = append(got, is)
		}
		first, err := stripe.Dispute(o.OrderID, sandbox.WithoutWebhook())
		roomtest.Must(t, err)
		w.MustTellStripe(t, "charge.dispute.created", first)
		enrolled()
		_, err = stripe.WinDispute(first.ID, sandbox.WithoutWebhook())
		roomtest.Must(t, err)
		w.MustTellStripe(t, "charge.dispute.closed", first)
		enrolled()
		if diff := cmp.Diff([]bool{!ends, true}, got); diff != "" {
			t.Errorf("access ends: %v (-want +got):\n%s", ends, diff)
		}
	}
}

// A dispute that is won while all is refunded gives nothing back. If the refund fails then, the
// buyer has paid, and gets back what the dispute had ended. What an admin has ended stays so.
func TestReceiveWebhook_RefundFailsAfterAWonDispute(t *testing.T) {
	for _, isEndedByAdmin := range []bool{false, true} {
		w, course, buyer, o := soldInYen(t, refund.DisputePolicy{EndAccess: true})
		stripe := w.Sandbox.Stripe()
		if isEndedByAdmin {
			w.End(t, true, buyer.UserID, course)
		}
		opened, err := stripe.Dispute(o.OrderID, sandbox.WithoutWebhook())
		roomtest.Must(t, err)
		w.MustTellStripe(t, "charge.dispute.created", opened)
		_, err = w.Refund(t, roomtest.Boss, o.PurchaseID, 0)
		roomtest.Must(t, err)
		_, err = stripe.WinDispute(opened.ID, sandbox.WithoutWebhook())
		roomtest.Must(t, err)
		w.MustTellStripe(t, "charge.dispute.closed", opened)
		if is, err := w.Store.Enrolled(ctx(), buyer.UserID, course); is || err != nil {
			t.Fatalf("after the refund: enrolled %t, %v", is, err)
		}
		failed, err := stripe.FailRefund(stripe.Refunds(o.OrderID)[0].ID, sandbox.WithoutWebhook())
		roomtest.Must(t, err)
		w.MustTellStripe(t, "refund.failed", failed)
		is, err := w.Store.Enrolled(ctx(), buyer.UserID, course)
		if is == isEndedByAdmin || err != nil {
			t.Errorf("ended by an admin %t: enrolled %t, %v", isEndedByAdmin, is, err)
		}
		w.WantValidSales(t)
	}
}

// A proof of an order that no purchase has asks no provider over the network: the order is not
// found, or, if there is a gateway, its signature is wrong.
func TestVerifyPayment_UnknownOrderWithStripeOnly(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	c := w.Sandbox.Config()
	cards, err := stripe.New(c.StripeKey, c.StripePublishableKey,
		stripe.WithURL("http://127.0.0.1:1"))
	roomtest.Must(t, err)
	only := w.OtherInstance(t, learningtest.WithPlatform(learning.Without("WithProvider"),
		learning.WithProvider(cards)))
	ada := w.Person(t, "ada", core.Student)
	for _, orderID := range []string{"pi_unknown", "", "a\x00b"} {
		err := only.Platform.Sales.VerifyPayment(ctx(), ada, payment.Proof{OrderID: orderID})
		if !errors.Is(err, purchase.ErrNotFound) {
			t.Errorf("%q: %v, want purchase.ErrNotFound", orderID, err)
		}
	}

	// What Stripe cannot take is refused when the course is saved, and not when it is bought.
	tooMuch := core.Money(1_000_000_00)
	_, err = only.TryEdit(roomtest.Teacher, only.Course(t, "dear", 10_00),
		catalog.CourseEdit{Price: &tooMuch})
	if !errors.Is(err, core.ErrInvalidRequest) {
		t.Errorf("a price of more than Stripe takes: %v", err)
	}
}
