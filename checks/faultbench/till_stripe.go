//go:build linux

package faultbench

import (
	"errors"
	"strings"

	"github.com/openlectern/openlectern/learning/sandbox"
)

// cards is the till of Stripe.
type cards struct{ *sandbox.Stripe }

// The metadata of the platform at Stripe.
const (
	purchaseNote = "purchaseId"
	refundNote   = "refundId"
)

func (c cards) pay(order string, options ...sandbox.PayOption) (string, error) {
	p, err := c.Pay(order, options...)
	return p.ID, err
}

// proof is the order only: the platform asks Stripe.
func (cards) proof(order, _ string) body { return body{"gateway_order_id": order} }

func (c cards) refund(payment string, options ...sandbox.PayOption) error {
	_, err := c.Refund(payment, options...)
	return exceptRefused(err)
}

// exceptRefused returns an error unless it says that Stripe has refused what was asked for.
func exceptRefused(err error) error {
	if refused, ok := errors.AsType[*sandbox.StripeError](err); ok && refused.Status/100 == 4 {
		return nil
	}
	return err
}

func (c cards) delayRefund() {
	c.Faults().Next(1, sandbox.Fault{Kind: sandbox.FaultPending, On: sandbox.OpRefundIntent})
}

// decideRefunds implements till. At Stripe a refund may fail that has succeeded.
func (c cards) decideRefunds(payment string, fail bool) error {
	for _, r := range c.Refunds(payment) {
		change := c.ProcessRefund
		if fail {
			change = c.FailRefund
		}
		if _, err := change(r.ID); exceptRefused(err) != nil {
			return err
		}
	}
	return nil
}

func (c cards) recover() { c.Faults().Clear() }

// statusAtPlatform is what the platform calls a status of Stripe.
var statusAtPlatform = map[string]string{
	sandbox.StripeRefundPending:   "pending",
	sandbox.StripeRefundSucceeded: "processed",
	sandbox.StripeRefundFailed:    statusFailed,
}

func (c cards) captured() (all []payment, err error) {
	for _, intent := range c.Intents() {
		for _, charge := range c.Charges(intent.ID) {
			if !charge.Captured {
				continue
			}
			one := payment{id: intent.ID, purchase: intent.Metadata[purchaseNote],
				currency: strings.ToUpper(charge.Currency), amount: charge.Amount,
				refunded: charge.AmountRefunded, mayBeUnknown: charge.Refunded}
			for _, r := range c.Refunds(intent.ID) {
				if r.Metadata[refundNote] != "" { // the platform has asked for it
					one.mayBeUnknown = false
				}
				one.refunds = append(one.refunds, refund{id: r.ID, key: r.Metadata[refundNote],
					amount: r.Amount, status: statusAtPlatform[r.Status]})
			}
			all = append(all, one)
		}
	}
	return all, nil
}
