package stripe

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
)

// refund is the JSON of a refund.
type refund struct {
	ID            string            `json:"id"`
	Amount        int64             `json:"amount"`
	Currency      string            `json:"currency"` // in small letters
	Metadata      map[string]string `json:"metadata"`
	PaymentIntent reference         `json:"payment_intent"`
	Status        string            `json:"status"`
}

// statuses are the statuses of refunds. All others, such as pending and requires_action, are of
// refunds whose outcome is not known.
var statuses = map[string]payment.RefundStatus{
	"succeeded": payment.RefundProcessed,
	"failed":    payment.RefundFailed,
	"canceled":  payment.RefundFailed,
}

// of returns a refund as the platform takes it. It must be one of the payment.
func (r refund) of(paymentID string) (payment.Refund, error) {
	if r.ID == "" || r.PaymentIntent != "" && string(r.PaymentIntent) != paymentID {
		return payment.Refund{},
			fmt.Errorf("%w: a refund has no id or belongs to another payment", errInvalidAnswer)
	}
	amount, err := fromStripe(r.Amount, r.Currency)
	if err != nil {
		return payment.Refund{}, err
	}
	got := payment.Refund{ID: r.ID, PaymentID: paymentID, Amount: amount,
		Currency: strings.ToUpper(r.Currency), Status: payment.RefundPending,
		RefundID: r.Metadata[refundNote], PurchaseID: r.Metadata[purchaseNote]}
	if status, ok := statuses[r.Status]; ok {
		got.Status = status
	}
	return got, nil
}

// CreateRefund implements [payment.Refunds]. It first looks for the refund among those of the
// payment, because Stripe forgets an idempotency key after a day. Then it sends POST /v1/refunds
// with the id of the refund as key. The answer must be about this payment, with the amount and the
// currency of the request.
func (c *Client) CreateRefund(ctx context.Context, r payment.NewRefund) (payment.Refund, error) {
	got, err := c.createRefund(ctx, r)
	if err != nil {
		return payment.Refund{}, fmt.Errorf("refund a PaymentIntent: %w", err)
	}
	return got, nil
}

// createRefund is CreateRefund without the context of its errors.
func (c *Client) createRefund(ctx context.Context, r payment.NewRefund) (payment.Refund, error) {
	if !isPathPart(r.PaymentID) || r.ID == "" {
		return payment.Refund{}, errors.New("a refund needs an id and a payment")
	}
	amount, err := toStripe(r.Amount, r.Currency)
	if err != nil {
		return payment.Refund{}, err
	}
	// An earlier request may have created it.
	existing, err := c.refunds(ctx, r.PaymentID)
	if err != nil {
		return payment.Refund{}, err
	}
	for _, one := range existing {
		if one.RefundID == r.ID {
			return same(one, r)
		}
	}
	form := url.Values{"payment_intent": {r.PaymentID}, "amount": {strconv.FormatInt(amount, 10)},
		"metadata[" + refundNote + "]": {r.ID}}
	if r.PurchaseID != "" {
		form.Set("metadata["+purchaseNote+"]", r.PurchaseID)
	}
	var got refund
	err = c.post(ctx, "v1/refunds", form, r.ID, &got)
	// A refusal says that nothing was refunded. After another failure that is not known.
	if f, ok := errors.AsType[*failure](err); ok && f.isRefusal() {
		return payment.Refund{}, fmt.Errorf("%w: %w", payment.ErrRefundRefused, err)
	}
	if err != nil {
		return payment.Refund{}, err
	}
	created, err := got.of(r.PaymentID)
	if err != nil {
		return payment.Refund{}, err
	}
	return same(created, r)
}

// same returns a refund if it has the amount and the currency of the request.
func same(got payment.Refund, asked payment.NewRefund) (payment.Refund, error) {
	if got.Amount != asked.Amount || got.Currency != asked.Currency {
		return payment.Refund{}, fmt.Errorf("%w: its amount or currency differs",
			errInvalidAnswer)
	}
	got.RefundID, got.PurchaseID = asked.ID, asked.PurchaseID
	return got, nil
}

// Refunds implements [payment.Refunds] as GET /v1/refunds, newest first. An answer without a list,
// or with a refund that has no id or belongs to another payment, is an error.
func (c *Client) Refunds(ctx context.Context, paymentID string) ([]payment.Refund, error) {
	all, err := c.refunds(ctx, paymentID)
	if err != nil {
		return nil, fmt.Errorf("list the refunds of a PaymentIntent: %w", err)
	}
	return all, nil
}

// refunds is Refunds without the context of its errors.
func (c *Client) refunds(ctx context.Context, paymentID string) ([]payment.Refund, error) {
	got, err := list(ctx, c, "v1/refunds", paymentID, func(r refund) string { return r.ID })
	if err != nil {
		return nil, err
	}
	all := make([]payment.Refund, 0, len(got))
	for _, r := range got {
		one, err := r.of(paymentID)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// dispute is the JSON of a dispute.
type dispute struct {
	ID       string `json:"id"`
	Amount   int64  `json:"amount"`
	Currency string `json:"currency"` // in small letters
	Reason   string `json:"reason"`
	Status   string `json:"status"`
}

// disputeStatuses are the statuses of closed disputes. The payment stays after one that was
// prevented, because what the buyer got back is a refund then, and after a warning that was closed,
// which has not become a dispute. All others are open.
var disputeStatuses = map[string]payment.DisputeStatus{
	"won":            payment.DisputeWon,
	"prevented":      payment.DisputeWon,
	"warning_closed": payment.DisputeWon,
	"lost":           payment.DisputeLost,
}

// Disputes implements [payment.Refunds] as GET /v1/disputes, newest first.
func (c *Client) Disputes(ctx context.Context, paymentID string) ([]payment.Dispute, error) {
	got, err := list(ctx, c, "v1/disputes", paymentID, func(d dispute) string { return d.ID })
	all := make([]payment.Dispute, 0, len(got))
	for _, d := range got {
		var amount core.Money
		if amount, err = fromStripe(d.Amount, d.Currency); err != nil {
			break
		}
		status, isClosed := disputeStatuses[d.Status]
		if !isClosed {
			status = payment.DisputeOpen
		}
		all = append(all, payment.Dispute{ID: d.ID, Amount: amount,
			Currency: strings.ToUpper(d.Currency), Reason: d.Reason, Status: status})
	}
	if err != nil {
		return nil, fmt.Errorf("list the disputes of a PaymentIntent: %w", err)
	}
	return all, nil
}
