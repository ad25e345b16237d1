package learning_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/internal/till"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/refund"
	"github.com/openlectern/openlectern/learning/sandbox"
)

func TestRefundPurchase_TwiceAtOnce(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld()
		instances := []*roomtest.World{w, w.OtherInstance(t)}
		ada, boss := w.Person(t, "ada", core.Student), w.Person(t, "boss", core.Admin)
		course := w.Course(t, "go", 10_00)
		for round := range 3 {
			sold := w.Sold(t, ada, course)
			errs := roomtest.Concurrently(6, func(i int) error {
				_, err := instances[i%2].Refund(t, boss, sold.ID, 0)
				return err
			})
			for _, err := range errs {
				if err != nil && !errors.Is(err, refund.ErrNotRefundable) {
					t.Errorf("round %d: %v", round, err)
				}
			}
			w.WantBooks(t, sold.ID, purchase.Refunded, 10_00, 0)
			if list := w.RefundsAt(t, sold.PaymentID); len(list) != 1 {
				t.Errorf("%d refunds at the provider: %+v", len(list), list)
			}
		}
		w.WantSold(t, "go", 0, 0, 0)
	})
}

// Parts are refunded at once. No more than what was paid is refunded, and each part once.
func TestRefundPurchase_PartsAtOnce(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld()
		ada, boss := w.Person(t, "ada", core.Student), w.Person(t, "boss", core.Admin)
		sold := w.Sold(t, ada, w.Course(t, "go", 40_00))
		errs := roomtest.Concurrently(6, func(i int) error {
			// no sum is 40.00, and the gateway refunds no rest below 1.00
			_, err := w.Refund(t, boss, sold.ID, core.Money(3_00+i*3_00))
			return err
		})
		for _, err := range errs {
			if err != nil && !errors.Is(err, refund.ErrNotRefundable) {
				t.Error(err)
			}
		}
		sum := core.Money(0)
		for _, r := range w.RefundsAt(t, sold.PaymentID) {
			sum += core.Money(r.Amount)
		}
		w.WantBooks(t, sold.ID, purchase.Completed, sum, 0)
		if _, err := w.Refund(t, boss, sold.ID, 0); err != nil {
			t.Error(err)
		}
		w.WantBooks(t, sold.ID, purchase.Refunded, 40_00, 0)
	})
}

// A refund of ours, its webhooks, a late payment and the deletion of the user happen at once.
func TestRefundPurchase_BesideEverythingAtOnce(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld((&roomtest.Receiver{}).Option())
		boss := w.Person(t, "boss", core.Admin)
		course := w.Course(t, "go", 10_00)
		const rounds = 4
		paidLate := 0
		for round := range rounds {
			ada := w.Person(t, fmt.Sprint("ada-", round), core.Student)
			late := w.Order(t, ada, course)
			w.SetPrice(t, course, core.Money(20_00+round))
			sold := w.Sold(t, ada, course)
			latePayment, isTaken := w.PayLate(t, late.OrderID)
			w.Till.OnRefund(func(r till.Refund) { w.MustTell(t, sandbox.RefundProcessed, r) })
			for _, err := range roomtest.Concurrently(4, func(i int) error {
				switch i {
				case 0:
					_, err := w.Refund(t, boss, sold.ID, 0)
					return err
				case 1:
					if !isTaken {
						return nil
					}
					paidLate++
					return w.Report(latePayment)
				case 2:
					return w.Platform.System().ApplyIdentityEvent(ctx(),
						people.IdentityEvent{SentAt: w.Clock.Now(), Type: people.UserDeleted,
							User: people.IdentityUser{ID: ada.UserID}})
				default:
					return w.Report(roomtest.Paid{ID: sold.PaymentID, OrderID: sold.OrderID})
				}
			}) {
				if err != nil {
					t.Errorf("round %d: %v", round, err)
				}
			}
			w.WantBooks(t, sold.ID, purchase.Refunded, sold.Amount, 0)
			if list := w.RefundsAt(t, sold.PaymentID); len(list) != 1 {
				t.Errorf("%d refunds at the provider: %+v", len(list), list)
			}
		}
		w.WantSold(t, "go", paidLate, paidLate, 0)
		w.WantValidEvents(t)
	})
}
