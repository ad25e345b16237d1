// Package payment is what a payment provider must do for the platform (see [Provider]), and the
// desk at which rooms refund and sale ask one.
//
// It knows the currencies of the providers, and bounds the time of each question. It refuses ids
// that cannot be stored, and an order in a currency that no provider takes. It knows no purchase:
// which payment completes which purchase is decided in room sale. docs/providers.md says how to
// write an adapter, and the suite of package learningtest proves it. Begin reading at [Provider],
// and at
// [Desk] for how a room asks one.
package payment

import (
	"context"
	"errors"
	"regexp"

	"github.com/openlectern/openlectern/learning/core"
)

// The answers of a [Provider] that are no failures of it.
var (
	// ErrRefundRefused means that the provider has refused a refund and has not created it.
	ErrRefundRefused = errors.New("learning: the provider refused the refund")
	// ErrOrderPaid means that an order cannot be cancelled, because its payment has succeeded or is
	// being processed.
	ErrOrderPaid = errors.New("learning: the order is paid or its payment is being processed")
)

// The public failures of payments.
var (
	ErrInvalidSignature = &core.Error{Kind: core.Invalid, Code: "invalid_payment_signature",
		Message: "Invalid payment signature"}
	ErrIncomplete = &core.Error{Kind: core.Conflict, Code: "payment_incomplete",
		Message: "The payment is not complete yet"}
	ErrCurrencyNotSold = &core.Error{Kind: core.Conflict, Code: "currency_not_sold",
		Message: "This course is not sold in this currency"}
	ErrNotConfigured = &core.Error{Kind: core.Unavailable, Code: "gateway_not_configured",
		Message: "Payment gateway is not configured"}
)

// The providers of purchases that every platform knows. A free purchase has none, and a host may
// have more.
const (
	NameGateway = "gateway"
	NameManual  = "manual" // of a [SaleElsewhere]
)

// RefundStatus is the state of a refund (docs/api.md §6).
type RefundStatus string

const (
	// RefundPending is a refund whose outcome is not known. Its amount is reserved.
	RefundPending RefundStatus = "pending"
	// RefundProcessed is a refund that is counted.
	RefundProcessed RefundStatus = "processed"
	// RefundFailed is a refund that the gateway refused, or that failed there later.
	RefundFailed RefundStatus = "failed"
)

// Proof is what a client brings to show that an order is paid. A provider that asks its
// server needs the order only.
type Proof struct {
	PurchaseID string // optional; must match if it is set
	OrderID    string
	PaymentID  string
	Signature  string
}

// Provider takes payments and gives them back: the adapter to one payment provider, such as package
// gateway or package stripe. What each must do is docs/providers.md, and the suite of package
// learningtest proves it. All amounts are in the minor unit that ISO 4217 has for the currency,
// whatever the provider counts in. A late or invalid answer of the provider is an error, and never
// counts as "not paid". The platform calls no method inside a transaction.
type Provider interface {
	// Name names the provider in answers and in stored purchases: 1 to 20 of a-z, 0-9 and the
	// hyphen. A purchase stays with the provider of its name, so the name must not change.
	Name() string
	// KeyID is the public key that the client's checkout needs; "" for none.
	KeyID() string
	// Accepts says which amounts of a currency can be paid. It reports false for a currency that
	// the provider does not take.
	Accepts(currency string) (core.AmountRule, bool)

	Orders
	Refunds

	// CheckProof asks whether a payment that a client claims is made. It returns the captured
	// payment, [ErrInvalidSignature] if the proof is wrong, and [ErrIncomplete] if
	// the order is not paid yet.
	CheckProof(ctx context.Context, proof Proof) (Payment, error)
	// ReadWebhook checks the signature of a webhook, and returns what it reports. It returns
	// [core.ErrInvalidWebhook] if the signature is wrong, and [core.ErrMalformedEvent] if the
	// signature is right and the body is not an event. It needs no network.
	ReadWebhook(w Webhook) (Event, error)
}

// Orders is the part of a provider that opens and asks for orders.
type Orders interface {
	// CreateOrder opens an order. A repeated call with the same purchase and Attempt should return
	// the order of the first one.
	CreateOrder(ctx context.Context, o NewOrder) (OpenedOrder, error)
	// Order asks for the state of an order.
	Order(ctx context.Context, orderID string) (OrderReport, error)
	// CancelOrder makes an order that is not paid impossible to pay. It returns [ErrOrderPaid] if
	// that is too late, and nil if the order is cancelled already, or if the provider cannot cancel
	// orders: a late payment then completes its purchase, or is returned.
	CancelOrder(ctx context.Context, orderID string) error
}

// Refunds is the part of a provider that returns payments, and knows who disputes them. After an
// error other than [ErrRefundRefused] a refund may have been created.
type Refunds interface {
	// CreateRefund refunds an amount of a payment. A repeated call with the same id returns the
	// refund of the first one. It returns [ErrRefundRefused] if the provider has refused the
	// request, so that there is no such refund.
	CreateRefund(ctx context.Context, r NewRefund) (Refund, error)
	// Refunds lists the refunds of a payment, in any order.
	Refunds(ctx context.Context, paymentID string) ([]Refund, error)
	// Disputes lists the disputes of a payment; none if the provider has no disputes.
	Disputes(ctx context.Context, paymentID string) ([]Dispute, error)
}

// NewOrder is the request for an order at a provider.
type NewOrder struct {
	PurchaseID string // at most 40 characters
	// Attempt grows with each new price of the purchase. With PurchaseID it is the key by which the
	// provider knows a repeated request.
	Attempt  int
	UserID   string
	CourseID string // "" for a bundle
	BundleID string // "" for a course
	Title    string // of the course or the bundle; cut to the provider's limit by the adapter
	Amount   core.Money
	Currency string // ISO 4217
	// Language is the Accept-Language of the request; "" for none.
	Language string
	// Metadata is of the host. The provider gets what fits beside the notes above.
	Metadata core.Metadata
}

// OpenedOrder is an order as the provider has opened it.
type OpenedOrder struct {
	ID           string
	ClientSecret string // what the client's checkout needs beside the id; "" for none
	CheckoutURL  string // where the buyer pays; "" if the client shows the checkout itself
}

// OrderState is what can become of an order.
type OrderState int

const (
	// OrderOpen can be paid.
	OrderOpen OrderState = iota
	// OrderProcessing has a payment whose outcome is not known yet.
	OrderProcessing
	// OrderPaid has a captured payment.
	OrderPaid
	// OrderClosed can never be paid: it was cancelled, has expired, or was refused for good.
	OrderClosed
)

// OrderReport is what the provider says about an order.
type OrderReport struct {
	State    OrderState
	Payments []Payment // a captured one if the state is OrderPaid
}

// Payment is a payment as the provider reports it.
type Payment struct {
	ID         string
	OrderID    string      // "" if it has no order; it may belong to another system
	PurchaseID string      // from the notes; a browser may have written them
	Amount     *core.Money // nil if the provider does not report it
	Currency   string      // "" if the provider does not report it
	Captured   bool        // the money was taken and not refunded
	Pending    bool        // authorised or processing: it may still be captured
}

// NewRefund is the request for a refund at a provider.
type NewRefund struct {
	ID         string // the idempotency key, and a note
	PurchaseID string // a note
	PaymentID  string
	Amount     core.Money
	Currency   string // of the payment; compared with that of the answer
}

// Refund is a refund as the provider reports it.
type Refund struct {
	ID         string
	PaymentID  string
	Amount     core.Money // 0 if the provider does not report it
	Currency   string     // "" if the provider does not report it
	Status     RefundStatus
	RefundID   string // from the notes; "" if it was started at the provider
	PurchaseID string // from the notes
}

// Dispute is the objection of a buyer's bank to a payment, as the provider reports it.
type Dispute struct {
	ID       string
	Amount   core.Money
	Currency string
	Reason   string // in the words of the provider; may be ""
	Status   DisputeStatus
}

// DisputeStatus is the state of a dispute.
type DisputeStatus string

// A dispute is open until the bank decides. Won means that the payment stays.
const (
	DisputeOpen DisputeStatus = "open"
	DisputeWon  DisputeStatus = "won"
	DisputeLost DisputeStatus = "lost"
)

// Webhook is a request of a provider.
type Webhook struct {
	Body   []byte                   // exactly as it was sent
	Header func(name string) string // the value of a header; "" without it
}

// Event is what a webhook reports. It is zero if the platform does not need the event.
// An adapter fills in either what the event proves, or what has changed, about which the platform
// then asks: so neither the order nor the repetition of events matters.
type Event struct {
	// Payment is the payment that was captured. In the event of a refund it is the payment
	// of the refund, if the event has it.
	Payment Payment
	// Refund is the refund that was processed or that failed; the zero value in other events.
	Refund Refund

	ChangedOrder    string // the id of an order to ask for
	ChangedRefunds  string // the id of a payment whose refunds to ask for
	ChangedDisputes string // the id of a payment whose disputes to ask for
}

// IsName reports whether a text can be the name of a provider.
func IsName(name string) bool { return providerName.MatchString(name) }

var providerName = regexp.MustCompile(`^[a-z0-9-]{1,20}$`)
