package learning_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/sandbox"
)

func TestRefundPurchase_TwiceAtOnce(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		instances := []*fixture{w, w.otherInstance(t)}
		ada, boss := w.Person(t, "ada", learning.Student), w.Person(t, "boss", learning.Admin)
		course := w.Course(t, "go", 10_00)
		for round := range 3 {
			sold := w.sold(t, ada, course)
			errs := concurrently(6, func(i int) error {
				_, err := instances[i%2].refund(t, boss, sold.ID, 0)
				return err
			})
			for _, err := range errs {
				if err != nil && !errors.Is(err, learning.ErrNotRefundable) {
					t.Errorf("round %d: %v", round, err)
				}
			}
			w.wantBooks(t, sold.ID, learning.PurchaseRefunded, 10_00, 0)
			if list := w.refundsAt(t, sold.PaymentID); len(list) != 1 {
				t.Errorf("%d refunds at the gateway: %+v", len(list), list)
			}
		}
		w.wantSold(t, "go", 0, 0, 0)
	})
}

// Parts are refunded at once. No more than what was paid is refunded, and each part once.
func TestRefundPurchase_PartsAtOnce(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		ada, boss := w.Person(t, "ada", learning.Student), w.Person(t, "boss", learning.Admin)
		sold := w.sold(t, ada, w.Course(t, "go", 40_00))
		errs := concurrently(6, func(i int) error {
			// no sum is 40.00, and the gateway refunds no rest below 1.00
			_, err := w.refund(t, boss, sold.ID, learning.Money(3_00+i*3_00))
			return err
		})
		for _, err := range errs {
			if err != nil && !errors.Is(err, learning.ErrNotRefundable) {
				t.Error(err)
			}
		}
		sum := learning.Money(0)
		for _, r := range w.refundsAt(t, sold.PaymentID) {
			sum += learning.Money(r.Amount)
		}
		w.wantBooks(t, sold.ID, learning.PurchaseCompleted, sum, 0)
		if _, err := w.refund(t, boss, sold.ID, 0); err != nil {
			t.Error(err)
		}
		w.wantBooks(t, sold.ID, learning.PurchaseRefunded, 40_00, 0)
	})
}

// A refund of ours, its webhooks, a late payment and the deletion of the user happen at once.
func TestRefundPurchase_BesideEverythingAtOnce(t *testing.T) {
	withEventsOnEngines(t, func(t *testing.T, w *fixture, _ *receiver) {
		boss := w.Person(t, "boss", learning.Admin)
		course := w.Course(t, "go", 10_00)
		const rounds = 4
		for round := range rounds {
			ada := w.Person(t, fmt.Sprint("ada-", round), learning.Student)
			late := w.order(t, ada, course)
			w.setPrice(t, course, learning.Money(20_00+round))
			sold := w.sold(t, ada, course)
			latePayment := w.pay(t, late.OrderID)
			w.Sandbox.Gateway().OnRefund(func(r sandbox.Refund) {
				w.mustTell(t,
					sandbox.RefundProcessed, r)
			})
			for _, err := range concurrently(4, func(i int) error {
				switch i {
				case 0:
					_, err := w.refund(t, boss, sold.ID, 0)
					return err
				case 1:
					return w.Platform.System().CapturePayment(ctx(),
						capturedPayment(late, latePayment.ID))
				case 2:
					return w.Platform.System().ApplyIdentityEvent(ctx(),
						learning.IdentityEvent{SentAt: w.Clock.Now(), Type: learning.UserDeleted,
							User: learning.IdentityUser{ID: ada.UserID}})
				default:
					return w.Platform.System().CapturePayment(ctx(),
						learning.Payment{ID: sold.PaymentID, OrderID: sold.OrderID,
							PurchaseID: sold.ID, Captured: true})
				}
			}) {
				if err != nil {
					t.Errorf("round %d: %v", round, err)
				}
			}
			w.wantBooks(t, sold.ID, learning.PurchaseRefunded, sold.Amount, 0)
			if list := w.refundsAt(t, sold.PaymentID); len(list) != 1 {
				t.Errorf("%d refunds at the gateway: %+v", len(list), list)
			}
		}
		w.wantSold(t, "go", rounds, rounds, 0) // each by the late payment
		w.wantValidEvents(t)
	})
}
