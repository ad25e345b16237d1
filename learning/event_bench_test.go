package learning_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/baseline"
	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/purchase"
)

// BenchmarkOutbox measures what events cost: a captured payment completes a purchase, with
// a target of events and without one ("bare"). The events are not delivered.
func BenchmarkOutbox(b *testing.B) {
	for _, e := range enginetest.All[:2] {
		for _, clients := range []int{1, 8, 32} {
			b.Run(fmt.Sprintf("%s/clients=%d", e.Name, clients), func(b *testing.B) {
				url := e.URL(b)
				with := learningtest.New(b, learningtest.WithDatabase(url), (&roomtest.Receiver{}).Option())
				without := learningtest.New(b, learningtest.WithDatabase(url),
					learningtest.WithSandbox(with.Sandbox))
				course := with.Course(b, "go", 499_00)
				side := func(k *learningtest.Kit) baseline.Side {
					var paid []payment.Payment
					run := baseline.Parallel(b, clients, func(_, i int) error {
						return k.Platform.System().CapturePayment(b.Context(), paid[i])
					})
					return baseline.Side{Prepare: func(n int) {
						paid = unpaidOrders(b, k, course,
							n)
					}, Do: run}
				}
				baseline.Run(b, 0.5, side(with), side(without))
			})
		}
	}
}

// unpaidOrders stores n purchases with an order, each of another user, and returns their
// payments.
func unpaidOrders(b *testing.B, k *learningtest.Kit, course string, n int) []payment.Payment {
	b.Helper()
	at := time.Now()
	paid := make([]payment.Payment, n)
	err := k.Store.InTx(b.Context(), func(tx learning.Tx) error {
		for i := range n {
			id := fmt.Sprintf("%x-%d", at.UnixNano(), i)
			paid[i] = payment.Payment{ID: id, OrderID: id, PurchaseID: id, Captured: true}
			p := purchase.Purchase{ID: id, UserID: id, CourseID: course, Amount: 499_00,
				Currency: "INR", OrderID: id,
				Status: purchase.Pending, CreatedAt: at, UpdatedAt: at}
			if err := tx.InsertPurchase(b.Context(), p); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return paid
}
