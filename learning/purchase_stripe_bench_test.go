package learning_test

import (
	"fmt"
	"testing"

	"github.com/openlectern/openlectern/internal/baseline"
	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/stripe"
)

// BenchmarkPurchase_AtStripe opens, pays and completes purchases at Stripe. The baseline is the
// same at the gateway, and the question to Stripe for the state of an order, which a client's proof
// needs there: the signature of the gateway needs none.
func BenchmarkPurchase_AtStripe(b *testing.B) {
	enginetest.Each(b, enginetest.Dialects, func(b *testing.B, e enginetest.Engine) {
		k := learningtest.New(b, learningtest.WithDatabase(e.URL(b)))
		course, teacher := k.Course(b, "sky", 499_00), k.Person(b, "teacher", core.Admin)
		_, err := k.Platform.Catalog.EditCourse(b.Context(), teacher, course, catalog.CourseEdit{
			Version: 1, Prices: &[]catalog.Price{{Currency: "JPY", Amount: 4_900}}})
		roomtest.Must(b, err)
		config := k.Sandbox.Config()
		asked, err := stripe.New(config.StripeKey, config.StripePublishableKey,
			stripe.WithURL(config.URL+sandbox.StripePath))
		roomtest.Must(b, err)
		made := 0
		side := func(buy func(buyer core.Actor)) baseline.Side {
			var buyers []core.Actor
			return baseline.Side{
				Prepare: func(n int) {
					buyers = nil
					for range n {
						made++
						id := fmt.Sprint("buyer-", made)
						buyers = append(buyers, k.Person(b, id, core.Student))
					}
				},
				Do: func(n int) {
					for i := range n {
						buy(buyers[i])
					}
				},
			}
		}
		atStripe := func(buyer core.Actor) string {
			o, err := k.Platform.Sales.OpenOrder(b.Context(), buyer,
				sale.OrderRequest{CourseID: course, Currency: "JPY"})
			roomtest.Must(b, err)
			_, err = k.Sandbox.Stripe().Pay(o.OrderID, sandbox.WithoutWebhook())
			roomtest.Must(b, err)
			roomtest.Must(b, k.Platform.Sales.VerifyPayment(b.Context(), buyer,
				payment.Proof{OrderID: o.OrderID}))
			return o.OrderID
		}
		paid := atStripe(k.Person(b, "first", core.Student))
		atGateway := func(buyer core.Actor) {
			k.Buy(b, buyer, course)
			_, err := asked.Order(b.Context(), paid)
			roomtest.Must(b, err)
		}
		baseline.Run(b, 0.9, side(func(buyer core.Actor) { atStripe(buyer) }), side(atGateway))
	})
}
