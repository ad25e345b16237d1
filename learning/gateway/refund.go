package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/openlectern/openlectern/internal/provider"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
)

// maxRefunds is how many refunds of a payment the gateway is asked for. If there are more, the rest
// is not read.
const maxRefunds = "100"

// refund is the JSON of a refund in answers and events.
type refund struct {
	ID        string      `json:"id"`
	PaymentID string      `json:"payment_id"`
	Amount    eventAmount `json:"amount"` // in the smallest unit
	Currency  string      `json:"currency"`
	Status    string      `json:"status"` // pending, processed, failed
	Notes     notes       `json:"notes"`
}

// newRefund is the JSON of a request for a refund.
type newRefund struct {
	Amount core.Money `json:"amount"` // in the smallest unit
	Notes  struct {
		PurchaseID string `json:"purchaseId"`
		RefundID   string `json:"refundId"`
	} `json:"notes"`
}

// of returns a refund as the platform takes it. It belongs to the payment, also if the answer does
// not name it. A missing amount is 0, and a status that is not known counts as pending.
func (r refund) of(paymentID string) payment.Refund {
	got := payment.Refund{ID: r.ID, PaymentID: paymentID, Currency: r.Currency,
		Status:   payment.RefundStatus(r.Status),
		RefundID: r.Notes.refundID, PurchaseID: r.Notes.purchaseID}
	if r.Amount.Money != nil {
		got.Amount = *r.Amount.Money
	}
	if got.Status != payment.RefundProcessed && got.Status != payment.RefundFailed {
		got.Status = payment.RefundPending
	}
	return got
}

// CreateRefund implements [payment.Refunds] as POST {URL}/v1/payments/{id}/refund with the
// header X-Refund-Idempotency. The answer must have an id. An amount or a currency in it must
// equal that of the request. The statuses 400, 404 and 422 are a refusal: all other failures
// say nothing about whether the refund was created.
func (c *Client) CreateRefund(ctx context.Context,
	r payment.NewRefund) (payment.Refund, error) {
	got, err := c.createRefund(ctx, r)
	if err != nil {
		return payment.Refund{}, fmt.Errorf("refund a payment: %w", err)
	}
	return got, nil
}

// createRefund is CreateRefund without the context of its errors.
func (c *Client) createRefund(ctx context.Context,
	r payment.NewRefund) (payment.Refund, error) {
	if !isPathPart(r.PaymentID) || r.ID == "" || r.Amount <= 0 {
		return payment.Refund{},
			errors.New("a refund needs an id, a payment and an amount of more than zero")
	}
	// The id of the refund is the idempotency key: a repeated request starts no other refund.
	asked := newRefund{Amount: r.Amount}
	asked.Notes.PurchaseID, asked.Notes.RefundID = r.PurchaseID, r.ID
	var got refund
	u := c.base.JoinPath("v1/payments", url.PathEscape(r.PaymentID), "refund")
	err := c.ask(ctx, http.MethodPost, u, http.Header{"X-Refund-Idempotency": {r.ID}}, asked, &got)
	// A refusal says that nothing was refunded. After another failure that is not known.
	if status, ok := errors.AsType[*provider.StatusError](err); ok && isRefusal(status.Status) {
		return payment.Refund{}, fmt.Errorf("%w: %w", payment.ErrRefundRefused, err)
	}
	if err != nil {
		return payment.Refund{}, err
	}
	// The answer must be about this refund; what it leaves out is not compared.
	created := got.of(r.PaymentID)
	switch {
	case got.ID == "" || got.PaymentID != "" && got.PaymentID != r.PaymentID:
		return payment.Refund{},
			fmt.Errorf("%w: it has no id or belongs to another payment", errInvalidAnswer)
	case got.Amount.Money != nil && created.Amount != r.Amount,
		got.Currency != "" && got.Currency != r.Currency:
		return payment.Refund{},
			fmt.Errorf("%w: its amount or currency differs", errInvalidAnswer)
	}
	// What the answer left out is what was asked for.
	created.Amount = r.Amount
	created.Currency = r.Currency
	created.RefundID = r.ID
	created.PurchaseID = r.PurchaseID
	return created, nil
}

// isRefusal reports whether a status says for sure that no refund was created. Others, such as 409
// and 5xx, leave that open. So do 401 and 403 here: the refund stays pending, and is requested
// again when the key is right.
func isRefusal(status int) bool {
	return status == http.StatusBadRequest || status == http.StatusNotFound ||
		status == http.StatusUnprocessableEntity
}

// Refunds implements [payment.Refunds] as GET {URL}/v1/payments/{id}/refunds. An answer
// without a list, or with a refund that has no id or belongs to another payment, is an error.
func (c *Client) Refunds(ctx context.Context, paymentID string) ([]payment.Refund, error) {
	list, err := c.refunds(ctx, paymentID)
	if err != nil {
		return nil, fmt.Errorf("list the refunds of a payment: %w", err)
	}
	return list, nil
}

// Disputes implements [payment.Refunds]. The gateway reports none.
func (c *Client) Disputes(context.Context, string) ([]payment.Dispute, error) {
	return nil, nil
}

// refunds is Refunds without the context of its errors. The list has at most maxRefunds refunds.
func (c *Client) refunds(ctx context.Context, paymentID string) ([]payment.Refund, error) {
	if !isPathPart(paymentID) {
		return nil, errors.New("not an id of a payment")
	}
	var got struct {
		Items []refund `json:"items"`
	}
	u := c.base.JoinPath("v1/payments", url.PathEscape(paymentID), "refunds")
	u.RawQuery = "count=" + maxRefunds
	var noHeaders http.Header
	if err := c.ask(ctx, http.MethodGet, u, noHeaders, nil, &got); err != nil {
		return nil, err
	}
	if got.Items == nil {
		return nil, fmt.Errorf("%w: it has no list", errInvalidAnswer)
	}
	list := make([]payment.Refund, 0, len(got.Items))
	for _, r := range got.Items {
		if r.ID == "" || (r.PaymentID != "" && r.PaymentID != paymentID) {
			return nil, fmt.Errorf("%w: a refund has no id or belongs to another payment",
				errInvalidAnswer)
		}
		list = append(list, r.of(paymentID))
	}
	return list, nil
}
