package learning

import (
	"context"
	"time"
)

// PurchaseStatus is where a purchase stands (docs/api.md §6).
type PurchaseStatus string

const (
	// PurchaseCreated is a claim: somebody is opening an order at the gateway.
	PurchaseCreated PurchaseStatus = "created"
	// PurchasePending has an order that waits for a payment.
	PurchasePending PurchaseStatus = "pending"
	// PurchaseCompleted is paid, and the person is enrolled.
	PurchaseCompleted PurchaseStatus = "completed"
	// PurchaseFailed was given up, because the price had changed. A late payment
	// completes it still.
	PurchaseFailed PurchaseStatus = "failed"
	// PurchaseRefunded is final: no payment completes it again.
	PurchaseRefunded PurchaseStatus = "refunded"
)

// Open tells whether the purchase is the one that a person is about to pay.
func (s PurchaseStatus) Open() bool { return s == PurchaseCreated || s == PurchasePending }

// Purchase is the sale of one course to one person.
type Purchase struct {
	ID          string // also the receipt at the gateway
	UserID      string
	CourseID    string
	Amount      Money
	Currency    string
	OrderID     string // at the gateway; "" for a claim, and for what was free
	PaymentID   string // of the payment that completed it
	Status      PurchaseStatus
	CreatedAt   time.Time
	UpdatedAt   time.Time
	CompletedAt time.Time

	// Of a claim: who opens the order, and until when nobody else may.
	Holder     string
	LeaseUntil time.Time
}

// Order is what a client's checkout needs in order to pay.
type Order struct {
	PurchaseID string
	OrderID    string // "" when the course was free: there is nothing to pay
	KeyID      string // the gateway's public key id
	Amount     Money
	Currency   string
}

// PurchaseReader reads purchases.
type PurchaseReader interface {
	Purchase(ctx context.Context, id string) (Purchase, error)
	// PurchasesByOrder lists the purchases that have an order of the gateway, the
	// latest first. It is one, or none, unless the gateway gives an order id twice.
	PurchasesByOrder(ctx context.Context, orderID string) ([]Purchase, error)
	// OpenPurchase reads the one open purchase (created or pending) of a person
	// and a course.
	OpenPurchase(ctx context.Context, userID, courseID string) (Purchase, error)
	// UnpaidPurchases lists purchases that have an order, are pending or failed,
	// and were created in [from, to), after the given one (in the order of creation
	// time and id; the zero Purchase is before all), at most limit.
	UnpaidPurchases(ctx context.Context, from, to time.Time, after Purchase, limit int) ([]Purchase, error)
}

// PurchaseWriter writes purchases. Each transition names the state it starts
// from, and the affected row decides who made it.
type PurchaseWriter interface {
	// InsertPurchase adds one; [ErrDuplicate] when the person has an open one for
	// the course already, or the payment has completed another purchase.
	InsertPurchase(ctx context.Context, p Purchase) error
	// TakeOverPurchase gives a claim that had expired at a time to a new holder,
	// with the amount, currency and lease of p, when it is still the old holder's.
	TakeOverPurchase(ctx context.Context, p Purchase, oldHolder string) (bool, error)
	// SetPurchaseOrder turns the holder's claim into a pending purchase.
	SetPurchaseOrder(ctx context.Context, id, holder, orderID string, at time.Time) (bool, error)
	// DeletePurchaseClaim removes the holder's claim that got no order.
	DeletePurchaseClaim(ctx context.Context, id, holder string) (bool, error)
	// FailPurchase moves pending to failed.
	FailPurchase(ctx context.Context, id string, at time.Time) (bool, error)
	// CompletePurchase moves created, pending or failed to completed, never
	// refunded. With firstUse it returns [ErrDuplicate] when the payment has
	// completed another purchase; without, one payment completes any number.
	CompletePurchase(ctx context.Context, id, paymentID string, firstUse bool, at time.Time) (bool, error)
}
