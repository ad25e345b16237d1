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
	// PurchaseFailed was replaced because the price or the coupon changed. A late payment
	// still completes it.
	PurchaseFailed PurchaseStatus = "failed"
	// PurchaseRefunded was refunded completely. No payment completes it. If the gateway
	// reports later that a refund failed, the purchase is completed again.
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

	RefundedAmount Money  // the sum of the processed refunds
	PendingRefunds Money  // the sum of those whose outcome is not known
	CouponID       string // "" for none
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
	// PurchasesByPayment lists the purchases that a payment has completed, the first
	// completed one first. There are several only if the gateway repeats an order id.
	PurchasesByPayment(ctx context.Context, paymentID string) ([]Purchase, error)
	// RedeemingPurchase reads the purchase, open or completed, with which a user has
	// redeemed a coupon.
	RedeemingPurchase(ctx context.Context, userID, couponID string) (Purchase, error)
	// UnpaidPurchases lists at most limit purchases that have an order, are pending or
	// failed, and were created in [from, to), by creation time and id. The list starts
	// after the given purchase; the zero Purchase is before all.
	UnpaidPurchases(ctx context.Context, from, to time.Time, after Purchase, limit int) ([]Purchase, error)
	// PaidPurchases lists at most limit purchases that a payment has completed, also
	// refunded ones, and that were created before a time, by creation time and id. The list
	// starts after the given position.
	PaidPurchases(ctx context.Context, before time.Time, after Position, limit int) ([]Purchase, error)
}

// purchaseWriter writes purchases. Each transition is an UPDATE with the old state in
// its condition, and reports whether it changed the row. Those of a created purchase are
// for the holder of its lease.
type purchaseWriter interface {
	// InsertPurchase adds a purchase. It returns [ErrDuplicate] if the user has an open
	// purchase of the course, if the payment has completed another purchase, or if the user
	// has redeemed the coupon with another purchase.
	InsertPurchase(ctx context.Context, p Purchase) error
	// RepricePurchase sets the amount, currency and coupon of a created purchase with the
	// coupon oldCouponID to those of p. It returns [ErrDuplicate] if the user has redeemed
	// the coupon with another purchase.
	RepricePurchase(ctx context.Context, p Purchase, oldCouponID string) (bool, error)
	// SetPurchaseOrder stores the order of a purchase and moves it from created to
	// pending.
	SetPurchaseOrder(ctx context.Context, id, orderID string, at time.Time) (bool, error)
	// DeleteCreatedPurchase deletes a created purchase with a coupon, or without one for "".
	DeleteCreatedPurchase(ctx context.Context, id, couponID string) (bool, error)
	// FailPurchase moves pending to failed. The user may redeem the coupon again.
	FailPurchase(ctx context.Context, id string, at time.Time) (bool, error)
	// CompletePurchase moves created, pending or failed to completed. If firstUse is
	// true, it returns [ErrDuplicate] if the payment has completed another purchase.
	CompletePurchase(ctx context.Context, id, paymentID string, firstUse bool, at time.Time) (bool, error)
	// RedeemAgain reports whether a purchase is failed and has a coupon, and locks its row.
	// If exclusive is true, the user cannot redeem the coupon again, and RedeemAgain returns
	// [ErrDuplicate] if the user has redeemed it with another purchase.
	RedeemAgain(ctx context.Context, id string, exclusive bool) (bool, error)
}
