package main

import (
	"context"
	"fmt"
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// till is the payment provider of a deployment, as its buyers meet it.
type till interface {
	// settings are those of a server that sells by this provider only.
	settings() environment
	// pay pays an order without telling the platform, and returns the id of the payment.
	pay(orderID string) (paymentID string, err error)
	// proof is the body with which a client proves a payment.
	proof(orderID, paymentID string) string
	// tell sends the webhook of a payment once.
	tell(ctx context.Context, orderID, paymentID string) error
	// orders are those that were opened, and ordersAskedTwice how many the platform opens by asking
	// again for one that it has not seen.
	orders() int
	ordersAskedTwice() int
	captures() (map[string][]string, error) // payments by purchase
	onOrder(fn func())                      // nil removes it
	onRefund(fn func())
	refunds(paymentID string) (int, error)
	// refund is one that is started at the provider, and not told. The amount 0 is all that is
	// left.
	refund(paymentID string, amount int64) error
	// faults can end the operations with these names.
	faults() (at *sandbox.Faults, createRefund, askForPayment string)
}

// tills are the providers. Everything about money that a crash or a race may hurt is tested with
// each.
var tills = map[string]func(box *sandbox.Sandbox) till{
	"gateway": func(box *sandbox.Sandbox) till { return gatewayTill{box} },
	"Stripe":  func(box *sandbox.Sandbox) till { return stripeTill{box} },
}

// onTills runs a test with a deployment at each provider, on the engines of onEngines.
func onTills(t *testing.T, test func(t *testing.T, c *deployment)) {
	enginetest.Each(t, enginetest.Shared(t.Name()), func(t *testing.T, e enginetest.Engine) {
		for name, open := range tills {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				test(t, newDeploymentAt(t, e.URL(t), open))
			})
		}
	})
}

type gatewayTill struct{ box *sandbox.Sandbox }

func (g gatewayTill) settings() environment { return nil }

func (g gatewayTill) pay(orderID string) (string, error) {
	p, err := g.box.Gateway().Pay(orderID, sandbox.WithoutWebhook())
	return p.ID, err
}

func (g gatewayTill) proof(orderID, paymentID string) string {
	return fmt.Sprintf(`{"gateway_order_id":%q,"gateway_payment_id":%q,"gateway_signature":%q}`,
		orderID, paymentID, g.box.Gateway().Signature(orderID, paymentID))
}

func (g gatewayTill) tell(ctx context.Context, orderID, paymentID string) error {
	list, err := g.box.Gateway().Payments(orderID)
	if err != nil {
		return err
	}
	for _, p := range list {
		if p.ID != paymentID {
			continue
		}
		body, err := g.box.Gateway().Event(sandbox.PaymentCapturedEvent, p)
		if err != nil {
			return err
		}
		return g.box.Gateway().SendWebhook(ctx, body)
	}
	return fmt.Errorf("no payment %s of %s", paymentID, orderID)
}

func (g gatewayTill) orders() int { return g.box.Gateway().OrdersCreated() }

func (g gatewayTill) ordersAskedTwice() int { return 2 }

func (g gatewayTill) captures() (map[string][]string, error) {
	all := map[string][]string{}
	for _, o := range g.box.Gateway().Orders() {
		payments, err := g.box.Gateway().Payments(o.ID)
		if err != nil {
			return nil, err
		}
		for _, p := range payments {
			if p.Captured {
				all[o.Receipt] = append(all[o.Receipt], p.ID)
			}
		}
	}
	return all, nil
}

func (g gatewayTill) onOrder(fn func()) {
	g.box.Gateway().OnOrder(func(sandbox.Order) { fn() })
}

func (g gatewayTill) onRefund(fn func()) {
	if fn == nil {
		g.box.Gateway().OnRefund(nil)
		return
	}
	g.box.Gateway().OnRefund(func(sandbox.Refund) { fn() })
}

func (g gatewayTill) refunds(paymentID string) (int, error) {
	list, err := g.box.Gateway().Refunds(paymentID)
	return len(list), err
}

func (g gatewayTill) refund(paymentID string, amount int64) error {
	_, err := g.box.Gateway().Refund(paymentID, untold(amount)...)
	return err
}

// untold are the options of a refund of an amount.
func untold(amount int64) []sandbox.PayOption {
	options := []sandbox.PayOption{sandbox.WithoutWebhook()}
	if amount != 0 {
		options = append(options, sandbox.WithAmount(amount))
	}
	return options
}

func (g gatewayTill) faults() (*sandbox.Faults, string, string) {
	return g.box.Gateway().Faults(), sandbox.OpCreateRefund, sandbox.OpListPayments
}

type stripeTill struct{ box *sandbox.Sandbox }

func (s stripeTill) settings() environment {
	c := s.box.Config()
	return environment{
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

// pay returns the id of the intent, which is that of its payment.
func (s stripeTill) pay(orderID string) (string, error) {
	p, err := s.box.Stripe().Pay(orderID, sandbox.WithoutWebhook())
	return p.ID, err
}

// proof is the order only: the platform asks Stripe.
func (s stripeTill) proof(orderID, _ string) string {
	return fmt.Sprintf(`{"gateway_order_id":%q}`, orderID)
}

func (s stripeTill) tell(ctx context.Context, orderID, _ string) error {
	p, err := s.box.Stripe().Intent(orderID)
	if err != nil {
		return err
	}
	body, err := s.box.Stripe().Event("payment_intent.succeeded", p)
	if err != nil {
		return err
	}
	return s.box.Stripe().SendWebhook(ctx, body)
}

func (s stripeTill) orders() int { return s.box.Stripe().IntentsCreated() }

// ordersAskedTwice: Stripe knows the request by its key.
func (s stripeTill) ordersAskedTwice() int { return 1 }

func (s stripeTill) captures() (map[string][]string, error) {
	all := map[string][]string{}
	for _, p := range s.box.Stripe().Intents() {
		for _, charge := range s.box.Stripe().Charges(p.ID) {
			if charge.Captured {
				purchase := p.Metadata["purchaseId"]
				all[purchase] = append(all[purchase], p.ID)
			}
		}
	}
	return all, nil
}

func (s stripeTill) onOrder(fn func()) {
	s.box.Stripe().OnIntent(func(sandbox.PaymentIntent) { fn() })
}

func (s stripeTill) onRefund(fn func()) {
	if fn == nil {
		s.box.Stripe().OnRefund(nil)
		return
	}
	s.box.Stripe().OnRefund(func(sandbox.StripeRefund) { fn() })
}

func (s stripeTill) refunds(paymentID string) (int, error) {
	return len(s.box.Stripe().Refunds(paymentID)), nil
}

func (s stripeTill) refund(paymentID string, amount int64) error {
	_, err := s.box.Stripe().Refund(paymentID, untold(amount)...)
	return err
}

func (s stripeTill) faults() (*sandbox.Faults, string, string) {
	return s.box.Stripe().Faults(), sandbox.OpRefundIntent, sandbox.OpGetIntent
}
