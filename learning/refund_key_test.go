package learning_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/refund"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// keyed returns a request for a part of a purchase with a key.
func keyed(purchaseID, key string, amount core.Money) refund.Request {
	return refund.Request{PurchaseID: purchaseID, Key: key, Amount: &amount}
}

func TestRefundPurchase_KeyIsAnsweredOnce(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		ada, boss := w.Person(t, "ada", core.Student), w.Person(t, "boss", core.Admin)
		other := w.Person(t, "other-admin", core.Admin)
		sold := w.Sold(t, ada, w.Course(t, "go", 10_00))

		first, err := w.Platform.Refunds.Refund(ctx(), boss, keyed(sold.ID, "k", 4_00))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Refund(t, boss, sold.ID, 1_00); err != nil {
			t.Fatal(err)
		}
		for _, admin := range []learning.Actor{boss, other} { // the scope is the purchase
			again, err := w.Platform.Refunds.Refund(ctx(), admin, keyed(sold.ID, "k", 4_00))
			if err != nil || again.RefundedAmount != first.RefundedAmount ||
				again.Status != first.Status {
				t.Errorf("the answers are %+v and %+v: %v", first, again, err)
			}
		}
		w.WantBooks(t, sold.ID, purchase.Completed, 5_00, 0)
		if _, err := w.Platform.Refunds.Refund(ctx(), boss,
			keyed(sold.ID, "k", 5_00)); !errors.Is(err, refund.ErrKeyReused) {
			t.Errorf("another amount: %v", err)
		}

		// A refusal is kept too, although it would be possible later.
		if _, err := w.Platform.Refunds.Refund(ctx(), boss,
			keyed(sold.ID, "too-much", 6_00)); !errors.Is(err, refund.ErrNotRefundable) {
			t.Errorf("too much: %v", err)
		}
		w.MustTell(t, sandbox.RefundFailed, w.RefundsAt(t, sold.PaymentID)[0])
		if _, err := w.Platform.Refunds.Refund(ctx(), boss,
			keyed(sold.ID, "too-much", 6_00)); !errors.Is(err, refund.ErrNotRefundable) {
			t.Errorf("too much, again: %v", err)
		}
		w.WantBooks(t, sold.ID, purchase.Completed, 1_00, 0)

		// After a day the key is free, and another purchase may use it at once.
		w.Clock.Advance(24*time.Hour + time.Second)
		if _, err := w.Platform.Refunds.Refund(ctx(), boss,
			keyed(sold.ID, "k", 5_00)); err != nil {
			t.Errorf("after a day: %v", err)
		}
		w.WantBooks(t, sold.ID, purchase.Completed, 6_00, 0)
		second := w.Sold(t, ada, w.Course(t, "sql", 10_00))
		if _, err := w.Platform.Refunds.Refund(ctx(), boss,
			keyed(second.ID, "k", 1_00)); err !=
			nil {
			t.Errorf("another purchase: %v", err)
		}
		w.Clock.Advance(24*time.Hour + time.Second)
		if err := w.Platform.System().Tidy(ctx()); err != nil {
			t.Fatal(err)
		}
		if n := w.Count(t, "refund_keys"); n != 0 {
			t.Errorf("%d old keys are left", n)
		}
	})
}

// After an unexpected error the same key continues the same refund, whatever became of it.
func TestRefundPurchase_KeyContinuesAfterAFailure(t *testing.T) {
	for name, fault := range map[string]sandbox.Fault{
		"request lost": {Kind: sandbox.FaultDrop},
		"answer lost":  {Kind: sandbox.FaultDrop, After: true},
	} {
		t.Run(name, func(t *testing.T) {
			roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
				w := newWorld()
				boss := w.Person(t, "boss", core.Admin)
				sold := w.Sold(t, w.Person(t, "ada", core.Student), w.Course(t, "go", 10_00))
				fault.On = w.Till.Operations().CreateRefund
				w.During(fault, func() {
					if _, err := w.Platform.Refunds.Refund(ctx(), boss,
						keyed(sold.ID, "k", 4_00)); err == nil {
						t.Error("there is no error")
					}
				})
				// another refund in between
				if _, err := w.Refund(t, boss, sold.ID, 1_00); err != nil {
					t.Fatal(err)
				}
				got, err := w.Platform.Refunds.Refund(ctx(), boss, keyed(sold.ID, "k", 4_00))
				if err != nil || got.RefundedAmount != 5_00 {
					t.Errorf("%+v, %v", got, err)
				}
				w.WantBooks(t, sold.ID, purchase.Completed, 5_00, 0)
				if list := w.RefundsAt(t, sold.PaymentID); len(list) != 2 {
					t.Errorf("%d refunds at the gateway", len(list))
				}
			})
		})
	}
}

func TestRefundPurchase_OneKeyAtOnce(t *testing.T) {
	roomtest.AtTillsOnAllEngines(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld()
		instances := []*roomtest.World{w, w.OtherInstance(t)}
		boss, ada := w.Person(t, "boss", core.Admin), w.Person(t, "ada", core.Student)
		course := w.Course(t, "go", 10_00)
		for range 3 {
			sold := w.Sold(t, ada, course)
			answers := make([]purchase.Purchase, 8)
			errs := roomtest.Concurrently(len(answers), func(i int) (err error) {
				answers[i], err = instances[i%2].Platform.Refunds.Refund(ctx(), boss,
					keyed(sold.ID, "k", 10_00))
				return err
			})
			if diff := cmp.Diff(map[string]int{"": len(answers)}, roomtest.CountErrors(errs)); diff != "" {
				t.Error(diff)
			}
			for _, a := range answers {
				if a.Status != purchase.Refunded || a.RefundedAmount != 10_00 {
					t.Errorf("an answer is %+v", a)
				}
			}
			if list := w.RefundsAt(t, sold.PaymentID); len(list) != 1 {
				t.Errorf("%d refunds at the gateway", len(list))
			}
		}
	})
}

func TestRefundPurchase_KeyFaultAtEachStep(t *testing.T) {
	sold := map[string]purchase.Purchase{}
	s := &roomtest.Scenario{
		Prepare: func(t *testing.T, w roomtest.FaultRun) {
			sold[w.ID] = w.Sold(t, w.Person(t, "buyer-"+w.ID, core.Student),
				w.Course(t, w.ID, 10_00))
		},
		Do: func(t *testing.T, w roomtest.FaultRun) error {
			_, err := w.Platform.Refunds.Refund(ctx(), roomtest.Boss,
				keyed(sold[w.ID].ID, "k", 4_00))
			return err
		},
		Check: func(t *testing.T, w roomtest.FaultRun) {
			w.WantBooks(t, sold[w.ID].ID, purchase.Completed, 4_00, 0)
			if list := w.RefundsAt(t, sold[w.ID].PaymentID); len(list) != 1 {
				t.Errorf("%d refunds at the gateway", len(list))
			}
		},
		// until the repetition
		Leaves: []string{"purchases", "refunds", "refund_keys", "leases", "totals", "papers",
			"notifications", "decisions"},
		Steps: []string{"lock a user", "read the key of a refund", "insert a refund", "insert a decision",
			"insert the key of a refund", "store the answer to the request of a refund"},
	}
	roomtest.AtTillsRepeatedly(t, s.RunIn)
}

func TestRefundPurchase_InvalidKeys(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	sold := w.Sold(t, w.Person(t, "ada", core.Student), w.Course(t, "go", 10_00))
	for _, key := range []string{"with blank", "é", "\x00", "a\n", strings.Repeat("k", 256)} {
		if _, err := w.Platform.Refunds.Refund(ctx(), roomtest.Boss,
			keyed(sold.ID, key, 1_00)); !errors.Is(err, core.ErrInvalidRequest) {
			t.Errorf("%q: %v", key, err)
		}
	}
	if _, err := w.Platform.Refunds.Refund(ctx(), roomtest.Boss,
		keyed("unknown", "k", 1_00)); !errors.Is(err, purchase.ErrNotFound) {
		t.Errorf("unknown purchase: %v", err)
	}
	if _, err := w.Platform.Refunds.Refund(ctx(), roomtest.Boss,
		keyed(sold.ID, strings.Repeat("~", 255), 1_00)); err != nil {
		t.Error(err)
	}
}
