package learning

import (
	"context"
	"time"
)

// PurchaseStatus is the state of a purchase (docs/api.md §6).
type PurchaseStatus string

const (
	// PurchaseCreated has no order yet. The holder of its lease opens one at the gateway.
	PurchaseCreated PurchaseStatus = "created"
	// PurchasePending has an order that is not paid.
	PurchasePending PurchaseStatus = "pending"
	// PurchaseCompleted is paid, and the user is enrolled.
	PurchaseCompleted PurchaseStatus = "completed"
	// PurchaseFailed was replaced because the price changed. A late payment still
	// completes it.
	PurchaseFailed PurchaseStatus = "failed"
	// PurchaseRefunded is final. No payment completes it.
	PurchaseRefunded PurchaseStatus = "refunded"
)

// Open reports whether the status is created or pending.
func (s PurchaseStatus) Open() bool { return s == PurchaseCreated || s == PurchasePending }

// Purchase is the sale of one course to one user.
type Purchase struct {
	ID          string // also the receipt at the gateway
	UserID      string
	CourseID    string
	Amount      Money
	Currency    string
	OrderID     string // at the gateway; "" before the order is open, and for a free course
	PaymentID   string // of the payment that completed it
	Status      PurchaseStatus
	CreatedAt   time.Time
	UpdatedAt   time.Time
	CompletedAt time.Time
}

// Order is the data that a client's checkout needs to pay.
type Order struct {
	PurchaseID string
	OrderID    string // "" if the course was free
	KeyID      string // the gateway's public key id
	Amount     Money
	Currency   string
}

// purchaseReader reads purchases.
type purchaseReader interface {
	Purchase(ctx context.Context, id string) (Purchase, error)
	// PurchasesByOrder lists the purchases that have an order of the gateway, the
	// latest first. There are several only if the gateway repeats an order id.
	PurchasesByOrder(ctx context.Context, orderID string) ([]Purchase, error)
	// OpenPurchase reads the open purchase (created or pending) of a user and a course.
	OpenPurchase(ctx context.Context, userID, courseID string) (Purchase, error)
	// UnpaidPurchases lists at most limit purchases that have an order, are pending or
	// failed, and were created in [from, to), by creation time and id. The list starts
	// after the given purchase; the zero Purchase is before all.
	UnpaidPurchases(ctx context.Context, from, to time.Time, after Purchase, limit int) ([]Purchase, error)
}

// purchaseWriter writes purchases. Each transition is an UPDATE with the old state in
// its condition, and reports whether it changed the row. Those of a created purchase are
// for the holder of its lease.
type purchaseWriter interface {
	// InsertPurchase adds a purchase. It returns [ErrDuplicate] if the user has an open
	// purchase of the course, or if the payment has completed another purchase.
	InsertPurchase(ctx context.Context, p Purchase) error
	// RepricePurchase sets the amount and currency of a created purchase to those of p.
	RepricePurchase(ctx context.Context, p Purchase) (bool, error)
	// SetPurchaseOrder stores the order of a purchase and moves it from created to
	// pending.
	SetPurchaseOrder(ctx context.Context, id, orderID string, at time.Time) (bool, error)
	// DeleteCreatedPurchase deletes a created purchase.
	DeleteCreatedPurchase(ctx context.Context, id string) (bool, error)
	// FailPurchase moves pending to failed.
	FailPurchase(ctx context.Context, id string, at time.Time) (bool, error)
	// CompletePurchase moves created, pending or failed to completed. If firstUse is
	// true, it returns [ErrDuplicate] if the payment has completed another purchase.
	CompletePurchase(ctx context.Context, id, paymentID string, firstUse bool, at time.Time) (bool, error)
}
