package sale

import (
	"context"
	"errors"

	"github.com/openlectern/openlectern/learning/core"
)

// ErrRefundRefused means that the gateway has refused a refund and has not created it.
var ErrRefundRefused = errors.New("learning: the gateway refused the refund")

// NewOrder is the request for an order at the payment gateway.
type NewOrder struct {
	Amount     core.Money // in the smallest unit
	Currency   string     // ISO 4217
	PurchaseID string     // becomes the receipt (at most 40 characters) and a note
	Title      string     // of the course, a note; cut to the gateway's limit by the gateway
	// Metadata is of the host. The gateway gets what fits beside the notes above.
	Metadata core.Metadata
}

// Payment is a payment as the gateway reports it.
type Payment struct {
	ID         string
	OrderID    string      // "" if it has no order; it may belong to another system
	PurchaseID string      // from the notes; a browser may have written them
	Amount     *core.Money // nil if the gateway does not report it
	Currency   string      // "" if the gateway does not report it
	Captured   bool        // the money was taken and not refunded
	Pending    bool        // authorised or processing: it may still be captured
}

// NewRefund is the request for a refund at the payment gateway.
type NewRefund struct {
	ID         string // the idempotency key, and a note
	PurchaseID string // a note
	PaymentID  string
	Amount     core.Money
	Currency   string // of the payment; compared with that of the answer
}

// GatewayRefund is a refund as the gateway reports it.
type GatewayRefund struct {
	ID         string
	PaymentID  string
	Amount     core.Money // 0 if the gateway does not report it
	Currency   string     // "" if the gateway does not report it
	Status     RefundStatus
	RefundID   string // from the notes; "" if it was started at the gateway
	PurchaseID string // from the notes
}

// GatewayEvent is what a webhook of the gateway reports. It is zero if the platform does not
// need the event.
type GatewayEvent struct {
	// Payment is the payment that was captured. In the event of a refund it is the payment
	// of the refund, if the event has it.
	Payment Payment
	// Refund is the refund that was processed or that failed; the zero value in other events.
	Refund GatewayRefund
}

// Gateway is the payment gateway (package gateway).
type Gateway interface {
	Orders
	Refunds
	PaymentVerifier
}

// Orders is the part of a gateway that needs the network. A late or invalid answer is an
// error.
type Orders interface {
	// CreateOrder opens an order and returns its id.
	CreateOrder(ctx context.Context, o NewOrder) (orderID string, err error)
	// Payments lists the payments of an order.
	Payments(ctx context.Context, orderID string) ([]Payment, error)
}

// Refunds is the part of a gateway that returns payments. A late or invalid answer is an
// error. After an error other than [ErrRefundRefused] the refund may have been created.
type Refunds interface {
	// CreateRefund refunds an amount of a payment. A repeated call with the same id returns
	// the refund of the first one. It returns [ErrRefundRefused] if the gateway has refused
	// the request, so that there is no such refund.
	CreateRefund(ctx context.Context, r NewRefund) (GatewayRefund, error)
	// Refunds lists the refunds of a payment.
	Refunds(ctx context.Context, paymentID string) ([]GatewayRefund, error)
}

// PaymentVerifier is the part of a gateway that needs no network.
type PaymentVerifier interface {
	// KeyID is the public key id that the client's checkout needs.
	KeyID() string
	// VerifyPayment checks the signature that the checkout gave to the client.
	VerifyPayment(orderID, paymentID, signature string) bool
	// VerifyWebhook checks the signature over the exact body of a webhook, and returns what
	// it reports. It returns [core.ErrInvalidWebhook] if the signature is wrong, and
	// [core.ErrMalformedEvent] if the signature is right and the body is not an event.
	VerifyWebhook(body []byte, signature string) (GatewayEvent, error)
}
