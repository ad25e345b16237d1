//go:build linux

package faultbench

import (
	"errors"

	"github.com/openlectern/openlectern/internal/till"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// proofBody is the body with which a browser proves a payment.
func proofBody(p payment.Proof) body {
	b := body{"gateway_order_id": p.OrderID}
	if p.PaymentID != "" {
		b["gateway_payment_id"], b["gateway_signature"] = p.PaymentID, p.Signature
	}
	return b
}

// exceptRefused returns an error unless it says that the provider has refused what was asked for:
// visitors ask for what may be gone already.
func exceptRefused(err error) error {
	if errors.Is(err, till.ErrRefused) {
		return nil
	}
	return err
}

// decideRefunds lets the refunds of a payment fail, or processes those that are pending. It skips
// those that can no longer change. At Stripe a refund may fail that has succeeded.
func decideRefunds(at till.Till, paymentID string, fail bool) error {
	list, err := at.Refunds(paymentID)
	if err != nil {
		return err
	}
	decide := at.ProcessRefund
	if fail {
		decide = at.FailRefund
	}
	for _, r := range list {
		if err := exceptRefused(decide(r.ID)); err != nil {
			return err
		}
	}
	return nil
}

// captured calls a function for each captured payment at both providers, with its till. It returns
// an error if the sandbox does not know an order or payment that it has listed.
func captured(box *sandbox.Sandbox, each func(at till.Till, p till.Payment)) error {
	for _, at := range till.All(box) {
		payments, err := at.Captured()
		if err != nil {
			return err
		}
		for _, p := range payments {
			each(at, p)
		}
	}
	return nil
}
