package learning_test

import (
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/internal/till"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/refund"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/study"
)

// Webhooks of our own refund come before, after and without the answer, and repeatedly.
func TestReceiveWebhook_RefundIsCountedOnce(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld()
		ada, boss := w.Person(t, "ada", core.Student), w.Person(t, "boss", core.Admin)
		sold := w.Sold(t, ada, w.Course(t, "go", 10_00))

		w.Till.OnRefund(func(r till.Refund) { w.MustTell(t, sandbox.RefundProcessed, r) })
		if got, err := w.Refund(t, boss, sold.ID, 1_00); err != nil || got.RefundedAmount != 1_00 {
			t.Errorf("the webhook came before the answer: %+v, %v", got, err)
		}
		w.WantBooks(t, sold.ID, purchase.Completed, 1_00, 0)

		w.During(sandbox.Fault{Kind: sandbox.FaultDrop,
			On: w.Till.Operations().CreateRefund, After: true}, func() {
			if _, err := w.Refund(t, boss, sold.ID, 2_00); err == nil {
				t.Error("the answer was lost and there is no error")
			}
		})
		w.WantBooks(t, sold.ID, purchase.Completed, 3_00, 0)

		w.Till.OnRefund(nil)
		if _, err := w.Refund(t, boss, sold.ID, 0); err != nil {
			t.Error(err)
		}
		for range 2 {
			for _, r := range w.RefundsAt(t, sold.PaymentID) {
				w.MustTell(t, sandbox.RefundProcessed, r)
			}
		}
		w.WantBooks(t, sold.ID, purchase.Refunded, 10_00, 0)
		if n := w.Count(t, "refunds"); n != 3 {
			t.Errorf("%d refunds", n)
		}
	})
}

// A refund that was started at the gateway has no notes. It is found by its payment.
func TestReceiveWebhook_RefundStartedAtTheGateway(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld((&roomtest.Receiver{}).Option())
		sold := w.Sold(t, w.Person(t, "ada", core.Student), w.Course(t, "go", 10_00))
		part := w.RefundQuietly(t, sold.PaymentID, sandbox.WithAmount(4_00))
		w.MustTell(t, sandbox.RefundProcessed, part)
		w.WantBooks(t, sold.ID, purchase.Completed, 4_00, 0)
		w.WantSold(t, "go", 1, 1, 0)
		rest := w.RefundQuietly(t, sold.PaymentID, sandbox.WithAmount(6_00))
		w.MustTell(t, sandbox.RefundProcessed, rest)
		w.WantBooks(t, sold.ID, purchase.Refunded, 10_00, 0)
		w.WantSold(t, "go", 0, 0, 0)

		// A refund that fails is taken back, with the access that its last part ended.
		part = w.FailRefund(t, part)
		for range 2 {
			w.MustTell(t, sandbox.RefundFailed, part)
			w.MustTell(t, sandbox.RefundProcessed, part) // late
		}
		w.WantLogged(t, "counted refund failed at the gateway", 1)
		w.WantBooks(t, sold.ID, purchase.Completed, 6_00, 0)
		w.WantSold(t, "go", 1, 1, 0)
		w.WantEvents(t, map[core.EventType]int{catalog.EventCoursePublished: 1,
			purchase.EventCompleted:       1,
			core.EventNotificationCreated: 2,
			purchase.EventRefunded:        2, purchase.EventRefundFailed: 1,
			study.EventEnrollmentCreated: 2, study.EventEnrollmentEnded: 1})
	})
}

// An enrolment that a failed refund ended begins again. That it was ended, by whom and when, is
// kept each time.
func TestReceiveWebhook_FailedRefundsKeepTheHistory(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld()
		ada, boss := w.Person(t, "ada", core.Student), w.Person(t, "boss", core.Admin)
		sold := w.Sold(t, ada, w.Course(t, "go", 10_00))
		for round := range 2 {
			w.Clock.Advance(time.Minute)
			if _, err := w.Refund(t, boss, sold.ID, 0); err != nil {
				t.Fatal(err)
			}
			w.Clock.Advance(time.Minute)
			failed := w.FailRefund(t, w.RefundsAt(t, sold.PaymentID)[round])
			w.MustTell(t, sandbox.RefundFailed, failed)
			w.WantBooks(t, sold.ID, purchase.Completed, 0, 0)
			w.WantSold(t, "go", 1, 1, 0)
		}
		list := w.Reports(t, study.EnrollmentQuery{UserID: "ada"})
		if len(list) != 3 || !list[0].EndedAt.IsZero() {
			t.Fatalf("the enrolments are %+v", list)
		}
		for _, r := range list[1:] {
			if r.EndedBy != "boss" || r.EndReason == "" ||
				!r.EndedAt.Equal(r.CreatedAt.Add(time.Minute)) {
				t.Errorf("a past enrolment is %+v", r)
			}
		}
	})
}

func TestReceiveWebhook_RefundFailedFirst(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	sold := w.Sold(t, w.Person(t, "ada", core.Student), w.Course(t, "go", 10_00))
	failed := till.Refund{ID: "rfnd_1", PaymentID: sold.PaymentID, Amount: 10_00,
		Currency: "INR"}
	w.MustTell(t, sandbox.RefundFailed, failed)
	w.MustTell(t, sandbox.RefundProcessed, failed)
	w.WantBooks(t, sold.ID, purchase.Completed, 0, 0)
	w.WantSold(t, "go", 1, 1, 0)
}

// An admin or a new purchase has enrolled the user again before the refund fails.
func TestReceiveWebhook_RefundFailsAfterTheUserHasBoughtAgain(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	ada, boss := w.Person(t, "ada", core.Student), w.Person(t, "boss", core.Admin)
	first := w.Sold(t, ada, w.Course(t, "go", 10_00))
	if _, err := w.Refund(t, boss, first.ID, 0); err != nil {
		t.Fatal(err)
	}
	second := w.Sold(t, ada, "go")
	w.MustTell(t, sandbox.RefundFailed, w.RefundsAt(t, first.PaymentID)[0])
	w.WantBooks(t, first.ID, purchase.Completed, 0, 0)
	w.WantSold(t, "go", 1, 2, 0)

	// The enrolment passes to the purchase that is left.
	if _, err := w.Refund(t, boss, second.ID, 0); err != nil {
		t.Fatal(err)
	}
	w.WantBooks(t, second.ID, purchase.Refunded, 10_00, 0)
	w.WantSold(t, "go", 1, 1, 0)
}

func TestReceiveWebhook_RefundsThatCountNothing(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	sold := w.Sold(t, w.Person(t, "ada", core.Student), w.Course(t, "go", 10_00))
	refund := func(change func(r *till.Refund)) {
		r := till.Refund{ID: "rfnd_1", PaymentID: sold.PaymentID, Amount: 10_00, Currency: "INR"}
		change(&r)
		w.MustTell(t, sandbox.RefundProcessed, r)
	}
	refund(func(r *till.Refund) { r.PaymentID = "pay_unknown" })
	w.WantLogged(t, "refund of an unknown payment", 1)
	refund(func(r *till.Refund) { r.Currency = "USD" })
	refund(func(r *till.Refund) { r.Amount = 0 })
	w.WantLogged(t, "refund differs from its purchase", 2)
	refund(func(r *till.Refund) { r.ID = "id with a blank " })
	w.WantLogged(t, "refund whose ids cannot be kept", 1)
	refund(func(r *till.Refund) { r.ID = "" })
	w.WantBooks(t, sold.ID, purchase.Completed, 0, 0)

	refund(func(r *till.Refund) { r.Amount = 10_01 })
	w.WantLogged(t, "refund exceeds what was left of its purchase", 1)
	w.WantBooks(t, sold.ID, purchase.Refunded, 10_00, 0)
}

// The event of a refund comes before that of its payment: both are counted.
func TestReceiveWebhook_RefundBeforeItsPayment(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	o := w.Order(t, w.Person(t, "ada", core.Student), w.Course(t, "go", 10_00))
	paid := w.Pay(t, o.OrderID)
	if _, err := w.Sandbox.Gateway().Refund(paid.ID); err != nil {
		t.Fatal(err)
	}
	w.MustTell(t, sandbox.RefundProcessed, w.RefundsAt(t, paid.ID)[0])
	w.WantBooks(t, o.PurchaseID, purchase.Refunded, 10_00, 0)
	roomtest.Must(t, w.Report(paid))
	w.WantBooks(t, o.PurchaseID, purchase.Refunded, 10_00, 0)
	w.WantSold(t, "go", 0, 0, 0)
}

// A user has paid for a course twice. The refund of either purchase leaves the access.
func TestReceiveWebhook_RefundOfADoublePayment(t *testing.T) {
	for _, refundFirst := range []bool{true, false} {
		w := roomtest.New(t, roomtest.SQLite(t))
		ada, boss := w.Person(t, "ada", core.Student), w.Person(t, "boss", core.Admin)
		course := w.Course(t, "go", 10_00)
		old := w.Order(t, ada, course)
		w.SetPrice(t, course, 20_00)
		first := w.Sold(t, ada, course)
		if err := w.Platform.System().CapturePayment(ctx(),
			roomtest.CapturedPayment(old, w.Pay(t, old.OrderID).ID)); err != nil {
			t.Fatal(err)
		}
		w.WantLogged(t, "double payment", 1)
		refunded, kept := first.ID, old.PurchaseID
		if !refundFirst {
			refunded, kept = kept, refunded
		}
		if _, err := w.Refund(t, boss, refunded, 0); err != nil {
			t.Fatal(err)
		}
		w.WantSold(t, "go", 1, 1, 0)
		w.WantValidSales(t)
		if _, err := w.Refund(t, boss, kept, 0); err != nil {
			t.Fatal(err)
		}
		w.WantSold(t, "go", 0, 0, 0)
		w.WantValidSales(t)
	}
}

// An admin has ended the enrolment of the purchase that is left.
func TestRefundPurchase_EnrolmentThatWasEndedByHandStaysEnded(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	ada, boss := w.Person(t, "ada", core.Student), w.Person(t, "boss", core.Admin)
	first := w.Sold(t, ada, w.Course(t, "go", 10_00))
	w.End(t, true, ada.UserID, "go")
	second := w.Sold(t, ada, "go")
	for _, p := range []purchase.Purchase{second, first} {
		if _, err := w.Refund(t, boss, p.ID, 0); err != nil {
			t.Fatal(err)
		}
		w.WantSold(t, "go", 0, w.Count(t, "purchases WHERE status = 'completed'"), 0)
		w.WantValidSales(t)
	}
	// the refund did not end it
	w.MustTell(t, sandbox.RefundFailed, w.RefundsAt(t, first.PaymentID)[0])
	w.WantBooks(t, first.ID, purchase.Completed, 0, 0)
	w.WantSold(t, "go", 0, 1, 0)
}

// The notes of a refund that was started at the gateway name our refund of another purchase.
func TestReceiveWebhook_RefundWithTheNotesOfAnotherPurchase(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	ada, boss := w.Person(t, "ada", core.Student), w.Person(t, "boss", core.Admin)
	first, second := w.Sold(t, ada, w.Course(t, "go", 10_00)),
		w.Sold(t, ada, w.Course(t, "sql", 10_00))
	w.Sandbox.Gateway().Faults().Next(2,
		sandbox.Fault{Kind: sandbox.FaultDrop, On: sandbox.OpCreateRefund})
	if _, err := w.Refund(t, boss, first.ID, 4_00); err == nil {
		t.Error("the request was lost and there is no error")
	}
	pending, err := w.Store.PendingRefundsOf(ctx(), first.ID)
	if err != nil || len(pending) != 1 {
		t.Fatalf("%+v, %v", pending, err)
	}
	notes := map[string]string{"purchaseId": first.ID, "refundId": pending[0].ID}
	w.MustTell(t, sandbox.RefundProcessed,
		w.RefundQuietly(t, second.PaymentID, sandbox.WithAmount(4_00), sandbox.WithNotes(notes)))
	w.WantBooks(t, first.ID, purchase.Completed, 0, 4_00)
	w.WantBooks(t, second.ID, purchase.Completed, 4_00, 0)
}

// The certificate of a user who has paid twice stays after the refund of one payment.
func TestReceiveWebhook_RefundOfADoublePaymentKeepsTheCertificate(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t),
		learningtest.WithPlatform(
			learning.WithRefundPolicy(refund.Policy{RevokeCertificate: true})))
	ada, boss := w.Person(t, "ada", core.Student), w.Person(t, "boss", core.Admin)
	course := w.Course(t, "go", 10_00)
	old := w.Order(t, ada, course)
	w.SetPrice(t, course, 20_00)
	first := w.Sold(t, ada, course)
	if err := w.Platform.System().CapturePayment(ctx(),
		roomtest.CapturedPayment(old, w.Pay(t, old.OrderID).ID)); err != nil {
		t.Fatal(err)
	}
	w.Completes(t, ada, course)
	certificate := w.Generated(t, ada, course)
	for _, step := range []struct {
		purchase string
		revoked  bool
	}{{first.ID, false}, {old.PurchaseID, true}} {
		if _, err := w.Refund(t, boss, step.purchase, 0); err != nil {
			t.Fatal(err)
		}
		if c, err := w.Platform.Certify.VerifyCertificate(ctx(), certificate.ID); err != nil ||
			c.Revoked() != step.revoked {
			t.Errorf("revoked %v, want %v (%v)", c.Revoked(), step.revoked, err)
		}
	}
}
