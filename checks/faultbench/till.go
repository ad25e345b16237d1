//go:build linux

package faultbench

import (
	"errors"

	"github.com/openlectern/openlectern/learning/sandbox"
)

// till is a payment provider of the sandbox, as visitors, its own staff and the books use it.
type till interface {
	// pay pays an order, and returns the id of the payment.
	pay(order string, options ...sandbox.PayOption) (payment string, err error)
	// proof is the body with which a browser proves a payment.
	proof(order, payment string) body
	// refund refunds a payment: what is left of it, or the amount of an option. If less is left, it
	// does nothing.
	refund(payment string, options ...sandbox.PayOption) error
	// delayRefund leaves the next refund that the platform requests pending.
	delayRefund()
	// decideRefunds lets the refunds of a payment fail, or processes those that are pending. It skips
	// those that can no longer change.
	decideRefunds(payment string, fail bool) error
	// recover ends all faults.
	recover()
	// captured returns the captured payments with their refunds.
	captured() ([]payment, error)
}

// payment is a captured payment, as the provider has it.
type payment struct {
	id, purchase     string
	currency         string // such as "INR"
	amount, refunded int64  // in the smallest unit
	refunds          []refund
	// mayBeUnknown says that the platform need not have the payment: Stripe says of an order whose
	// payment was refunded wholly that it is closed, so that nothing is sold if the platform learns of
	// the payment only then.
	mayBeUnknown bool
}

// refund is one of a payment, as the provider has it.
type refund struct {
	id     string
	key    string // its id at the platform, or "" if it was started at the provider
	amount int64
	status string // as the platform calls it
}

// mayBeUnknown says that the platform need not have the refund: one that the provider has started
// and that has failed changes nothing, also if its webhook came before the payment was known.
func (r refund) mayBeUnknown() bool { return r.key == "" && r.status == statusFailed }

// statusFailed is the status of a refund that has failed, at the gateway and at the platform.
const statusFailed = "failed"

// tillOf returns the till with the name that the answer to a purchase has.
func tillOf(box *sandbox.Sandbox, provider string) till {
	if provider == linkStripe {
		return cards{box.Stripe()}
	}
	return gateway{box.Gateway()}
}

// tills are those of both providers.
func tills(box *sandbox.Sandbox) []till {
	return []till{gateway{box.Gateway()}, cards{box.Stripe()}}
}

// captured calls a function for each captured payment at both providers, with its till. It returns
// an error if the sandbox does not know an order or payment that it has listed.
func captured(box *sandbox.Sandbox, each func(t till, p payment)) error {
	for _, t := range tills(box) {
		payments, err := t.captured()
		if err != nil {
			return err
		}
		for _, p := range payments {
			each(t, p)
		}
	}
	return nil
}

// gateway is the till of the payment gateway.
type gateway struct{ *sandbox.Gateway }

func (g gateway) pay(order string, options ...sandbox.PayOption) (string, error) {
	p, err := g.Pay(order, options...)
	return p.ID, err
}

func (g gateway) proof(order, payment string) body {
	return body{"gateway_order_id": order, "gateway_payment_id": payment,
		"gateway_signature": g.Signature(order, payment)}
}

func (g gateway) refund(payment string, options ...sandbox.PayOption) error {
	_, err := g.Refund(payment, options...)
	if errors.Is(err, sandbox.ErrRefundTooLarge) {
		return nil
	}
	return err
}

func (g gateway) delayRefund() {
	g.Faults().Next(1, sandbox.Fault{Kind: sandbox.FaultPending, On: sandbox.OpCreateRefund})
}

func (g gateway) decideRefunds(payment string, fail bool) error {
	list, err := g.Refunds(payment)
	if err != nil {
		return err
	}
	for _, r := range list {
		change := g.ProcessRefund
		if fail {
			change = g.FailRefund
		}
		if _, err := change(r.ID); err != nil && !errors.Is(err, sandbox.ErrRefundFinal) {
			return err
		}
	}
	return nil
}

func (g gateway) recover() { g.Faults().Clear() }

func (g gateway) captured() (all []payment, err error) {
	for _, o := range g.Orders() {
		payments, err := g.Payments(o.ID)
		if err != nil {
			return nil, err
		}
		for _, p := range payments {
			if !p.Captured {
				continue
			}
			refunds, err := g.Refunds(p.ID)
			if err != nil {
				return nil, err
			}
			one := payment{id: p.ID, purchase: o.Receipt, currency: p.Currency, amount: p.Amount,
				refunded: p.AmountRefunded}
			for _, r := range refunds {
				one.refunds = append(one.refunds,
					refund{id: r.ID, key: r.Key, amount: r.Amount, status: r.Status})
			}
			all = append(all, one)
		}
	}
	return all, nil
}
