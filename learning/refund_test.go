package learning_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/invariants"
	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/refund"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/study"
)

func TestRefundPurchase_PartsAndTheRest(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld((&roomtest.Receiver{}).Option())
		ada, boss := w.Person(t, "ada", core.Student), w.Person(t, "boss", core.Admin)
		sold := w.Sold(t, ada, w.Course(t, "go", 449_10))

		got, err := w.Refund(t, boss, sold.ID, 100_05)
		if err != nil || got.Status != purchase.Completed || got.RefundedAmount != 100_05 {
			t.Errorf("a part: %+v, %v", got, err)
		}
		w.WantSold(t, "go", 1, 1, 0)
		if _, err := w.Refund(t, boss, sold.ID, 349_06); !errors.Is(err,
			refund.ErrNotRefundable) {
			t.Errorf("more than what is left: %v", err)
		}
		got, err = w.Refund(t, boss, sold.ID, 0)
		if err != nil || got.Status != purchase.Refunded || got.RefundedAmount != 449_10 {
			t.Errorf("the rest: %+v, %v", got, err)
		}
		w.WantSold(t, "go", 0, 0, 0)
		w.WantBooks(t, sold.ID, purchase.Refunded, 449_10, 0)
		if _, err := w.Refund(t, boss, sold.ID, 0); !errors.Is(err, refund.ErrNotRefundable) {
			t.Errorf("nothing is left: %v", err)
		}
		if list := w.RefundsAt(t, sold.PaymentID); len(list) != 2 || list[0].Amount != 100_05 ||
			list[0].PurchaseID != sold.ID {
			t.Errorf("at the provider: %+v", list)
		}
		w.WantEvents(t, map[core.EventType]int{purchase.EventCompleted: 1,
			purchase.EventRefunded:        2,
			core.EventNotificationCreated: 2,
			study.EventEnrollmentCreated:  1, study.EventEnrollmentEnded: 1,
			catalog.EventCoursePublished: 1})
		w.Sold(t, ada, "go")
		w.WantSold(t, "go", 1, 1, 0)
		w.WantValidSales(t)
	})
}

func TestRefundPurchase_Refusals(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	ada, boss := w.Person(t, "ada", core.Student), w.Person(t, "boss", core.Admin)
	sold := w.Sold(t, ada, w.Course(t, "go", 10_00))
	free := w.Order(t, ada, w.Course(t, "free", 0))
	open := w.Order(t, ada, w.Course(t, "open", 10_00))
	one := core.Money(1_00)
	none := core.Money(0)
	long := strings.Repeat("x", refund.MaxReason+1)
	for name, test := range map[string]struct {
		actor    learning.Actor
		purchase string
		amount   *core.Money
		reason   string
		want     error
	}{
		"no caller":        {learning.Actor{}, sold.ID, nil, "", core.ErrUnauthenticated},
		"a student":        {ada, sold.ID, nil, "", core.ErrForbidden},
		"unknown":          {boss, "unknown", nil, "", purchase.ErrNotFound},
		"nothing":          {boss, sold.ID, &none, "", core.ErrInvalidRequest},
		"a long reason":    {boss, sold.ID, &one, long, core.ErrInvalidRequest},
		"a free course":    {boss, free.PurchaseID, nil, "", refund.ErrNotRefundable},
		"a part of a free": {boss, free.PurchaseID, &one, "", refund.ErrNotRefundable},
		"not paid":         {boss, open.PurchaseID, nil, "", refund.ErrNotRefundable},
	} {
		if _, err := w.Platform.Refunds.Refund(ctx(), test.actor,
			refund.Request{PurchaseID: test.purchase, Amount: test.amount,
				Reason: test.reason}); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
	without := w.OtherInstance(t, learningtest.WithPlatform(learning.Without("WithProvider")))
	if _, err := without.Refund(t, boss, sold.ID, 0); !errors.Is(err,
		payment.ErrNotConfigured) {
		t.Errorf("without a gateway: %v", err)
	}
	if n := w.Count(t, "refunds"); n != 0 {
		t.Errorf("%d refunds", n)
	}
}

// A refusal gives the reservation back. After any other failure the refund stays pending, a
// repeated call continues it, and reconciliation finds out.
func TestRefundPurchase_GatewayFails(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld()
		op := w.Till.Operations().CreateRefund
		lost := sandbox.Fault{Kind: sandbox.FaultDrop, On: op, After: true}
		ada, boss := w.Person(t, "ada", core.Student), w.Person(t, "boss", core.Admin)
		sold := w.Sold(t, ada, w.Course(t, "go", 10_00))
		faults := w.Till.Faults()

		// Stripe refuses with codes, of which the tests of package stripe are.
		if w.Till.Name() == payment.NameGateway {
			faults.Next(1, sandbox.Fault{Kind: sandbox.FaultStatus, Status: 400, On: op})
			if _, err := w.Refund(t, boss, sold.ID, 0); !errors.Is(err, refund.ErrNotRefundable) {
				t.Errorf("refused: %v", err)
			}
			w.WantBooks(t, sold.ID, purchase.Completed, 0, 0)
		}

		for _, status := range []int{500, 401, 409, 429} {
			faults.Next(1, sandbox.Fault{Kind: sandbox.FaultStatus, Status: status, On: op})
			if _, err := w.Refund(t, boss, sold.ID, 4_00); err == nil ||
				errors.Is(err, refund.ErrNotRefundable) {
				t.Errorf("status %d: %v", status, err)
			}
			w.WantBooks(t, sold.ID, purchase.Completed, 0, 4_00)
		}
		w.During(lost, func() {
			if _, err := w.Refund(t, boss, sold.ID, 4_00); err == nil {
				t.Error("the answer was lost and there is no error")
			}
		})
		if _, err := w.Refund(t, boss, sold.ID, 6_01); !errors.Is(err, refund.ErrNotRefundable) {
			t.Errorf("more than what is not reserved: %v", err)
		}
		if _, err := w.Refund(t, boss, sold.ID, 4_00); err != nil {
			t.Errorf("repeated: %v", err)
		}
		w.WantBooks(t, sold.ID, purchase.Completed, 4_00, 0)

		w.During(lost, func() {
			if _, err := w.Refund(t, boss, sold.ID, 0); err == nil {
				t.Error("the answer was lost and there is no error")
			}
		})
		// Continue the one that is pending, for which Stripe is asked first.
		first := w.Till.Operations().ListRefunds
		if w.Till.Name() == payment.NameGateway {
			first = op
		}
		faults.Next(1, sandbox.Fault{Kind: sandbox.FaultStatus, On: first})
		if _, err := w.Refund(t, boss, sold.ID, 0); err == nil {
			t.Error("the gateway fails and there is no error")
		}
		w.ReconcileRefunds(t, 1, 1)
		w.WantBooks(t, sold.ID, purchase.Refunded, 10_00, 0)
		w.ReconcileRefunds(t, 0, 0)
		if list := w.RefundsAt(t, sold.PaymentID); len(list) != 2 {
			t.Errorf("%d refunds at the gateway: %+v", len(list), list)
		}
	})
}

// lostRequest is the fault that each request for a refund is lost.
func lostRequest(w *roomtest.World) sandbox.Fault {
	return sandbox.Fault{Kind: sandbox.FaultDrop, On: w.Till.Operations().CreateRefund}
}

func TestReconcile_RequestsARefundThatTheGatewayDoesNotHave(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld()
		ada, boss := w.Person(t, "ada", core.Student), w.Person(t, "boss", core.Admin)
		sold := w.Sold(t, ada, w.Course(t, "go", 10_00))
		w.During(lostRequest(w), func() {
			if _, err := w.Refund(t, boss, sold.ID, 0); err == nil {
				t.Error("the request was lost and there is no error")
			}
		})
		w.WantLogged(t, "refund of unknown outcome", 1)
		found, err := w.Platform.System().ReconcilePurchases(ctx())
		if err != nil || found.CheckedRefunds != 0 {
			t.Errorf("a refund that may be in progress: %+v, %v", found, err)
		}
		w.Till.DelayRefund()
		w.ReconcileRefunds(t, 1, 0)
		list := w.RefundsAt(t, sold.PaymentID)
		if len(list) != 1 {
			t.Fatalf("at the gateway: %+v", list)
		}
		if _, err := w.Refund(t, boss, sold.ID, 0); err != nil { // still pending there
			t.Error(err)
		}
		w.WantBooks(t, sold.ID, purchase.Completed, 0, 10_00)
		roomtest.Must(t, w.Till.ProcessRefund(list[0].ID, sandbox.WithoutWebhook()))
		w.ReconcileRefunds(t, 1, 1)
		w.WantBooks(t, sold.ID, purchase.Refunded, 10_00, 0)
	})
}

func TestReconcile_RefundThatTheGatewayRefuses(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld()
		ada, boss := w.Person(t, "ada", core.Student), w.Person(t, "boss", core.Admin)
		sold := w.Sold(t, ada, w.Course(t, "go", 10_00))
		w.Sweep(t, 0, 0) // so that none is due, which would find the refund at the gateway
		w.During(lostRequest(w), func() {
			if _, err := w.Refund(t, boss, sold.ID, 0); err == nil {
				t.Error("the request was lost and there is no error")
			}
		})
		w.RefundQuietly(t, sold.PaymentID)
		w.ReconcileRefunds(t, 1, 1)
		w.WantLogged(t, "refund refused by the gateway", 1)
		w.WantBooks(t, sold.ID, purchase.Completed, 0, 0)
		w.MustTell(t, sandbox.RefundProcessed, w.RefundsAt(t, sold.PaymentID)[0])
		w.WantBooks(t, sold.ID, purchase.Refunded, 10_00, 0)
	})
}

func TestRefundPolicy_KeepsAccessAndRevokesTheCertificate(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t),
		learningtest.WithPlatform(learning.WithRefundPolicy(refund.Policy{KeepAccess: true,
			RevokeCertificate: true})))
	ada, boss := w.Person(t, "ada", core.Student), w.Person(t, "boss", core.Admin)
	sold := w.Sold(t, ada, w.Course(t, "go", 10_00))
	w.Completes(t, ada, "go")
	c := w.Generated(t, ada, "go")
	var err error
	if _, err := w.Refund(t, boss, sold.ID, 4_00); err != nil {
		t.Fatal(err)
	}
	if c, err = w.Platform.Certify.VerifyCertificate(ctx(), c.ID); err != nil || c.Revoked() {
		t.Errorf("after a partial refund: %+v, %v", c, err)
	}
	if _, err := w.Refund(t, boss, sold.ID, 0); err != nil {
		t.Fatal(err)
	}
	if c, err = w.Platform.Certify.VerifyCertificate(ctx(), c.ID); err != nil || !c.Revoked() ||
		!c.PDFStoredAt.IsZero() {
		t.Errorf("after the full refund: %+v, %v", c, err)
	}
	w.WantSold(t, "go", 1, 0, 0)
	w.WantValidSales(t)
}

// Access without payment is an invalid row, unless the host keeps the access: then a refund
// that fails leaves a purchase like any other.
func TestInvariants_AccessAfterARefundByEachPolicy(t *testing.T) {
	for _, keep := range []bool{true, false} {
		w := roomtest.New(t, roomtest.SQLite(t),
			learningtest.WithPlatform(
				learning.WithRefundPolicy(refund.Policy{KeepAccess: keep})))
		ada, boss := w.Person(t, "ada", core.Student), w.Person(t, "boss", core.Admin)
		sold := w.Sold(t, ada, w.Course(t, "go", 10_00))
		if _, err := w.Refund(t, boss, sold.ID, 0); err != nil {
			t.Fatal(err)
		}
		w.WantBooks(t, sold.ID, purchase.Refunded, 10_00, 0)
		unpaid := invariants.Courses["unpaid access"]
		if keep {
			w.Exec(t, "UPDATE refunds SET kept_access = 0")
		} else {
			w.Exec(t,
				"INSERT INTO enrollments (user_id, course_id, purchase_id, created_at, reason) "+
					"VALUES ('ada', 'go', ?, '2026-01-31 10:30:00', '')", sold.ID)
		}
		if n := w.Count(t, unpaid); n != 1 {
			t.Errorf("keep %v: %d enrolments without payment are found, want 1", keep, n)
		}
		if keep {
			w.Exec(t, "UPDATE refunds SET kept_access = 1")
			w.MustTell(t, sandbox.RefundFailed, w.RefundsAt(t, sold.PaymentID)[0])
			w.WantBooks(t, sold.ID, purchase.Completed, 0, 0)
			w.WantSold(t, "go", 1, 1, 0)
		}
	}
}

// What admins wrote about a user goes with the user; the refund and the reasons of others stay.
func TestUserDeleted_ReasonsOfRefundsAreRemoved(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld()
		boss, course := w.Person(t, "boss", core.Admin), w.Course(t, "go", 10_00)
		for _, name := range []string{"ada", "eve"} {
			sold := w.Sold(t, w.Person(t, name, core.Student), course)
			for _, part := range []core.Money{4_00, 0} {
				if _, err := w.Refund(t, boss, sold.ID, part); err != nil {
					t.Fatal(err)
				}
			}
		}
		w.DeleteUser(t, "ada")
		if kept, all := w.Count(t, "refunds WHERE reason = 'not satisfied'"),
			w.Count(t, "refunds"); kept != 2 || all != 4 {
			t.Errorf("%d of %d refunds have a reason", kept, all)
		}
		w.WantValidSales(t)
	})
}
