package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
)

// paymentJSON is the JSON of a payment.
type paymentJSON struct {
	ID             string      `json:"id"`
	OrderID        string      `json:"order_id"`
	Amount         *core.Money `json:"amount"` // in the smallest unit
	AmountRefunded core.Money  `json:"amount_refunded"`
	Currency       string      `json:"currency"`
	// created, authorized, captured, refunded, failed
	Status       string `json:"status"`
	RefundStatus string `json:"refund_status"` // "", partial, full
	Notes        notes  `json:"notes"`
}

// Order implements [payment.Orders] as GET {URL}/v1/orders/{id}/payments. An order with a captured
// payment is paid, one with an authorized payment is processing, and any other is open.
// An answer without a list, or with a payment that has no id or belongs to another
// order, is an error, because a paid order must not count as unpaid.
func (c *Client) Order(ctx context.Context, orderID string) (payment.OrderReport, error) {
	list, err := c.payments(ctx, orderID)
	if err != nil {
		return payment.OrderReport{}, fmt.Errorf("list the payments of an order: %w", err)
	}
	report := payment.OrderReport{State: payment.OrderOpen}
	for _, p := range list {
		paid := p.of(orderID)
		report.Payments = append(report.Payments, paid)
		switch {
		case paid.Captured:
			report.State = payment.OrderPaid
		case p.Status == "authorized" && report.State == payment.OrderOpen:
			report.State = payment.OrderProcessing
		}
	}
	return report, nil
}

// payments lists the payments of an order.
func (c *Client) payments(ctx context.Context, orderID string) ([]paymentJSON, error) {
	if !isPathPart(orderID) {
		return nil, errors.New("not an id of an order")
	}
	var got struct {
		Items []paymentJSON `json:"items"`
	}
	u := c.base.JoinPath("v1/orders", url.PathEscape(orderID), "payments")
	var noHeaders http.Header
	if err := c.ask(ctx, http.MethodGet, u, noHeaders, nil, &got); err != nil {
		return nil, err
	}
	if got.Items == nil {
		return nil, fmt.Errorf("%w: it has no list", errInvalidAnswer)
	}
	for _, p := range got.Items {
		if p.ID == "" || (p.OrderID != "" && p.OrderID != orderID) {
			return nil, fmt.Errorf("%w: a payment has no id or belongs to another order",
				errInvalidAnswer)
		}
	}
	return got.Items, nil
}

// isPathPart reports whether an id can be a part of the path of a URL. An empty id and one of dots
// only, such as .., would change the path, and url.PathEscape does not escape dots.
func isPathPart(id string) bool { return strings.Trim(id, ".") != "" }

// of returns a payment as the platform takes it. It belongs to the order, also if the answer does
// not name it. A payment that is created or authorized may still be captured, and is pending.
func (p paymentJSON) of(orderID string) payment.Payment {
	return payment.Payment{
		ID: p.ID, OrderID: orderID, PurchaseID: p.Notes.purchaseID, Amount: p.Amount,
		Currency: p.Currency,
		Captured: p.kept(), Pending: p.Status == "created" || p.Status == "authorized",
	}
}

// kept reports whether the payment is captured and not fully refunded. A partial refund
// does not undo a purchase. A full refund does, also while the status is still captured.
func (p paymentJSON) kept() bool {
	hasRest := p.AmountRefunded <= 0 || (p.Amount != nil && p.AmountRefunded < *p.Amount)
	return p.Status == "captured" && p.RefundStatus != "full" && hasRest
}

// notes are the notes of a payment. A browser can write them. The gateway sends an object,
// or [] if there are none; only strings under purchaseId and refundId are used.
type notes struct{ purchaseID, refundID string }

// UnmarshalJSON returns no error: invalid notes count as no notes.
func (n *notes) UnmarshalJSON(b []byte) error {
	var object map[string]json.RawMessage
	if json.Unmarshal(b, &object) == nil {
		// A note that is missing or of another type stays "".
		_ = json.Unmarshal(object["purchaseId"], &n.purchaseID)
		_ = json.Unmarshal(object["refundId"], &n.refundID)
	}
	return nil
}
