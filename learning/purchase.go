package learning

import (
	"errors"
	"time"
)

// PurchaseStatus is where a purchase stands (contract.md §6).
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

// errPaymentUsed: a payment has completed another purchase already.
var errPaymentUsed = errors.New("learning: the payment completed another purchase")
