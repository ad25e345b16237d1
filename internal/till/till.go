// Package till has the payment providers of the sandbox behind one interface, as customers, the
// provider's own staff and the tests meet them: what is tested of money is tested with each.
package till

import (
	"context"
	"errors"

	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// ErrRefused says that a provider has refused what its own staff wanted.
var ErrRefused = errors.New("the provider refuses this")

// Till is a payment provider of a sandbox.
type Till interface {
	// Name is the name that purchases have of the provider.
	Name() string
	// Orders is how many orders were opened.
	Orders() int
	// Open opens an order for a purchase as the platform would, of an amount in paise.
	Open(purchaseID string, amount int64) (order string, err error)
	// Pay pays an order, and returns the id of the payment.
	Pay(order string, options ...sandbox.PayOption) (paymentID string, err error)
	// Fail lets a payment of an order fail, and Authorize begins one that is not captured.
	Fail(order string, options ...sandbox.PayOption) error
	Authorize(order string, options ...sandbox.PayOption) error
	// Proof is what a browser has in its hand after a payment. At Stripe that is the order only:
	// the platform asks.
	Proof(order, paymentID string) payment.Proof
	// Captured returns the captured payments with their refunds.
	Captured() ([]Payment, error)

	// Refund refunds a payment as the dashboard of the provider does: what is left of it, or the
	// amount of an option. Error: [ErrRefused] if less is left.
	Refund(paymentID string, options ...sandbox.PayOption) error
	// Refunds returns the refunds of a payment, the oldest first.
	Refunds(paymentID string) ([]Refund, error)
	// DelayRefund leaves the next refund that the platform requests pending.
	DelayRefund()
	// ProcessRefund and FailRefund decide about a refund. Error: [ErrRefused] if it can no longer
	// change.
	ProcessRefund(id string, options ...sandbox.PayOption) error
	FailRefund(id string, options ...sandbox.PayOption) error

	// PaidEvent and RefundEvent return the body of the webhook that tells of a captured payment, or
	// of a refund with its status. The refund need not exist.
	PaidEvent(order, paymentID string) ([]byte, error)
	RefundEvent(r Refund) ([]byte, error)
	// Signed is a webhook with a body, and Send sends it once to the URL of the sandbox.
	Signed(body []byte) payment.Webhook
	Send(ctx context.Context, body []byte) error

	// Faults make the operations of the API fail, which have these names.
	Faults() *sandbox.Faults
	Operations() Operations
	// OnOrder and OnRefund set a function that is called when the API has stored an order or a
	// refund, and has not answered. Nil removes it.
	OnOrder(fn func())
	OnRefund(fn func(Refund))
}

// Operations are the names of operations of a provider.
type Operations struct{ CreateOrder, CreateRefund, AskForPayment, ListRefunds string }

// Payment is a captured payment, as the provider has it.
type Payment struct {
	ID, PurchaseID   string
	Currency         string // such as "INR"
	Amount, Refunded int64  // in the smallest unit
	Refunds          []Refund
	// MayBeUnknown says that the platform need not have the payment: Stripe says of an order whose
	// payment was refunded wholly that it is closed, so that nothing is sold if the platform learns
	// of the payment only then.
	MayBeUnknown bool
}

// Refund is one of a payment, as the provider has it.
type Refund struct {
	ID, PaymentID string
	Key           string // its id at the platform, or "" if it was started at the provider
	PurchaseID    string // of its notes, likewise
	Amount        int64
	Currency      string
	Status        payment.RefundStatus
}

// MayBeUnknown says that the platform need not have the refund: one that the provider has started
// and that has failed changes nothing, also if its webhook came before the payment was known.
func (r Refund) MayBeUnknown() bool { return r.Key == "" && r.Status == payment.RefundFailed }

// All returns the tills of both providers of a sandbox.
func All(box *sandbox.Sandbox) []Till { return []Till{Gateway(box), Stripe(box)} }

// Named returns the till of the provider with a name.
func Named(box *sandbox.Sandbox, name string) Till {
	if name == NameStripe {
		return Stripe(box)
	}
	return Gateway(box)
}
