package stripe_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// Stripe does what every payment provider must do, also in a currency without decimals, and in one
// that Stripe counts otherwise.
func TestClient_IsAProvider(t *testing.T) {
	for _, currency := range []string{"INR", "JPY", "UGX", "KWD", "MGA"} {
		t.Run(currency, func(t *testing.T) {
			c, s := newSandbox(t, sandbox.Config{})
			sign := func(body []byte) payment.Webhook {
				header := http.Header{}
				header.Set("Stripe-Signature", s.SignWebhook(body, time.Now()))
				return payment.Webhook{Body: body, Header: header.Get}
			}
			do := func(t *testing.T, err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			learningtest.Provider(t, c, learningtest.ProviderPeer{
				Currency: currency,
				Pay: func(t *testing.T, orderID string) payment.Proof {
					_, err := s.Pay(orderID)
					do(t, err)
					return payment.Proof{OrderID: orderID}
				},
				Paid: func(t *testing.T, orderID string) payment.Webhook {
					p, err := s.Intent(orderID)
					do(t, err)
					body, err := s.Event("payment_intent.succeeded", p)
					do(t, err)
					return sign(body)
				},
				Sign: sign,
				Process: func(t *testing.T, orderID string) {
					_, err := s.Process(orderID)
					do(t, err)
				},
				Close: func(t *testing.T, orderID string) {
					_, err := s.Cancel(orderID)
					do(t, err)
				},
				Dispute: func(t *testing.T, paymentID string) {
					_, err := s.Dispute(paymentID)
					do(t, err)
				},
			})
		})
	}
}
