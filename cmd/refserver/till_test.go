package main

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/till"
	"github.com/openlectern/openlectern/learning/gateway"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// sellers are the providers, each with the settings of a server that sells there only. Everything
// about money that a crash or a race may hurt is tested with each.
var sellers = map[string]seller{"gateway": atGateway, "Stripe": atStripe}

type seller func(*sandbox.Sandbox) (till.Till, environment)

// onTills runs a test with a deployment at each provider, on the engines of onEngines.
func onTills(t *testing.T, test func(t *testing.T, c *deployment), more ...environment) {
	enginetest.Each(t, enginetest.Shared(t.Name()), func(t *testing.T, e enginetest.Engine) {
		eachSeller(t, func(t *testing.T, sells seller) {
			t.Parallel()
			test(t, newDeploymentAt(t, e.URL(t), sells, more...))
		})
	})
}

// eachSeller runs a test with each provider.
func eachSeller(t *testing.T, test func(t *testing.T, sells seller)) {
	for name, sells := range sellers {
		t.Run(name, func(t *testing.T) { test(t, sells) })
	}
}

// notify sends a webhook of the provider to a server, once.
func (c *deployment) notify(ctx context.Context, server string, body []byte) (answer, error) {
	// The path has the name of the provider.
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, server+"/"+c.till.Name(),
		bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	r.Header.Set("Content-Type", "application/json")
	for _, name := range []string{gateway.SignatureHeader, "Stripe-Signature"} {
		if value := c.till.Signed(body).Header(name); value != "" {
			r.Header.Set(name, value)
		}
	}
	return send(r), nil
}

// atGateway is the provider of a server without settings of its own.
func atGateway(box *sandbox.Sandbox) (till.Till, environment) { return till.Gateway(box), nil }

func atStripe(box *sandbox.Sandbox) (till.Till, environment) {
	c := box.Config()
	return till.Stripe(box), environment{
		"LEARNING_GATEWAY_KEY_ID":         "",
		"LEARNING_GATEWAY_KEY_SECRET":     "",
		"LEARNING_GATEWAY_URL":            "",
		"LEARNING_GATEWAY_WEBHOOK_SECRET": "",
		"LEARNING_STRIPE_KEY":             c.StripeKey,
		"LEARNING_STRIPE_PUBLISHABLE_KEY": c.StripePublishableKey,
		"LEARNING_STRIPE_WEBHOOK_SECRET":  c.StripeWebhookSecret,
		"LEARNING_STRIPE_URL":             c.URL + sandbox.StripePath,
		"LEARNING_STRIPE_CURRENCIES":      "INR",
	}
}

// proofBody is the body with which a client proves a payment.
func proofBody(p payment.Proof) string {
	fields := map[string]string{"gateway_order_id": p.OrderID, "gateway_payment_id": p.PaymentID,
		"gateway_signature": p.Signature}
	maps.DeleteFunc(fields, func(_, value string) bool { return value == "" })
	body, err := json.Marshal(fields)
	if err != nil {
		panic(err) // strings can be encoded
	}
	return string(body)
}

// untold are the options of a refund that is started at the provider, and not told. The amount 0 is
// all that is left.
func untold(amount int64) []sandbox.PayOption {
	options := []sandbox.PayOption{sandbox.WithoutWebhook()}
	if amount != 0 {
		options = append(options, sandbox.WithAmount(amount))
	}
	return options
}
