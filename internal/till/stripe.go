package till

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// NameStripe is the name that purchases have of Stripe.
const NameStripe = "stripe"

// The metadata of the platform at Stripe.
const (
	purchaseNote = "purchaseId"
	refundNote   = "refundId"
)

// atStripe is the till of Stripe. The id of a payment is that of its intent, which is the order.
type atStripe struct {
	*sandbox.Stripe
	box *sandbox.Sandbox
}

// Stripe returns the till of Stripe.
func Stripe(box *sandbox.Sandbox) Till { return atStripe{Stripe: box.Stripe(), box: box} }

func (atStripe) Name() string { return NameStripe }

func (s atStripe) Orders() int { return s.IntentsCreated() }

func (s atStripe) Open(purchaseID string, amount int64) (string, error) {
	p, err := s.CreateIntent(amount, "inr", map[string]string{purchaseNote: purchaseID})
	return p.ID, err
}

func (s atStripe) Pay(order string, options ...sandbox.PayOption) (string, error) {
	p, err := s.Stripe.Pay(order, options...)
	return p.ID, err
}

func (s atStripe) Fail(order string, options ...sandbox.PayOption) error {
	_, err := s.Stripe.Fail(order, options...)
	return err
}

func (s atStripe) Authorize(order string, options ...sandbox.PayOption) error {
	_, err := s.Stripe.Authorize(order, options...)
	return err
}

func (atStripe) Proof(order, _ string) payment.Proof { return payment.Proof{OrderID: order} }

func (s atStripe) Captured() (all []Payment, err error) {
	for _, intent := range s.Intents() {
		for _, charge := range s.Charges(intent.ID) {
			if !charge.Captured {
				continue
			}
			one := Payment{ID: intent.ID, PurchaseID: intent.Metadata[purchaseNote],
				Currency: strings.ToUpper(charge.Currency), Amount: charge.Amount,
				Refunded: charge.AmountRefunded, MayBeUnknown: charge.Refunded}
			for _, r := range s.Stripe.Refunds(intent.ID) {
				if r.Metadata[refundNote] != "" { // the platform has asked for it
					one.MayBeUnknown = false
				}
				one.Refunds = append(one.Refunds, stripeRefund(r))
			}
			all = append(all, one)
		}
	}
	return all, nil
}

// statuses are what the platform calls the statuses of Stripe.
var statuses = map[string]payment.RefundStatus{
	sandbox.StripeRefundPending:   payment.RefundPending,
	sandbox.StripeRefundSucceeded: payment.RefundProcessed,
	sandbox.StripeRefundFailed:    payment.RefundFailed,
}

func stripeRefund(r sandbox.StripeRefund) Refund {
	return Refund{ID: r.ID, PaymentID: r.PaymentIntent, Key: r.Metadata[refundNote],
		PurchaseID: r.Metadata[purchaseNote], Amount: r.Amount,
		Currency: strings.ToUpper(r.Currency), Status: statuses[r.Status]}
}

func (s atStripe) Refund(paymentID string, options ...sandbox.PayOption) error {
	_, err := s.Stripe.Refund(paymentID, options...)
	return refusedByStripe(err)
}

// refusedByStripe returns ErrRefused in place of an answer of the caller's fault.
func refusedByStripe(err error) error {
	if e, ok := errors.AsType[*sandbox.StripeError](err); ok && e.Status/100 == 4 {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return err
}

func (s atStripe) Refunds(paymentID string) (all []Refund, err error) {
	for _, r := range s.Stripe.Refunds(paymentID) {
		all = append(all, stripeRefund(r))
	}
	return all, nil
}

func (s atStripe) DelayRefund() {
	s.Faults().Next(1, sandbox.Fault{Kind: sandbox.FaultPending, On: sandbox.OpRefundIntent})
}

func (s atStripe) ProcessRefund(id string, options ...sandbox.PayOption) error {
	_, err := s.Stripe.ProcessRefund(id, options...)
	return refusedByStripe(err)
}

func (s atStripe) FailRefund(id string, options ...sandbox.PayOption) error {
	_, err := s.Stripe.FailRefund(id, options...)
	return refusedByStripe(err)
}

func (s atStripe) PaidEvent(order, _ string) ([]byte, error) {
	p, err := s.Intent(order)
	if err != nil {
		return nil, fmt.Errorf("find intent %q: %w", order, err)
	}
	return s.Event("payment_intent.succeeded", p)
}

// RefundEvent tells that a refund has changed. What it is now, the platform asks.
func (s atStripe) RefundEvent(r Refund) ([]byte, error) {
	about := sandbox.StripeRefund{ID: r.ID, PaymentIntent: r.PaymentID, Amount: r.Amount}
	for _, one := range s.Stripe.Refunds(r.PaymentID) {
		if one.ID == r.ID {
			about = one
		}
	}
	event := "refund.updated"
	if r.Status == payment.RefundFailed {
		event = "refund.failed"
	}
	return s.Event(event, about)
}

func (s atStripe) Signed(body []byte) payment.Webhook {
	signature := s.SignWebhook(body, s.box.Config().Clock())
	return payment.Webhook{Body: body, Header: func(string) string { return signature }}
}

func (s atStripe) Send(ctx context.Context, body []byte) error { return s.SendWebhook(ctx, body) }

func (atStripe) Operations() Operations {
	return Operations{CreateOrder: sandbox.OpCreateIntent, CreateRefund: sandbox.OpRefundIntent,
		AskForPayment: sandbox.OpGetIntent, ListRefunds: sandbox.OpIntentRefunds}
}

func (s atStripe) OnOrder(fn func()) {
	if fn == nil {
		s.OnIntent(nil)
		return
	}
	s.OnIntent(func(sandbox.PaymentIntent) { fn() })
}

func (s atStripe) OnRefund(fn func(Refund)) {
	if fn == nil {
		s.Stripe.OnRefund(nil)
		return
	}
	s.Stripe.OnRefund(func(r sandbox.StripeRefund) { fn(stripeRefund(r)) })
}
