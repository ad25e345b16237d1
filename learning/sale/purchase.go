package sale

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/line"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/study"
)

// The public failures of purchases.
var (
	ErrPurchaseNotFound = &core.Error{Kind: core.NotFound, Code: "purchase_not_found",
		Message: "Purchase not found"}
	ErrPaymentReturned = &core.Error{Kind: core.Conflict, Code: "payment_returned",
		Message: "This coupon cannot be used any more. Your payment is being refunded."}
	ErrPaymentOfEnded = &core.Error{Kind: core.Conflict, Code: "payment_of_ended",
		Message: "This course has ended. Your payment is being refunded."}
	ErrPaymentProcessing = &core.Error{Kind: core.Conflict, Code: "payment_processing",
		Message: "Your payment is being processed"}
)

// The totals of sales: completed purchases, and the sum of what was paid less what was refunded.
const (
	TotalSales       core.TotalKind = "sales"        // by currency
	TotalDailySales  core.TotalKind = "daily sales"  // by currency and UTC day of completion
	TotalCourseSales core.TotalKind = "course sales" // by course and currency
)

// The events of purchases. Amount is what was paid, what was refunded, or what stands again,
// because a refund has failed at the gateway after it was counted. What the events of completed
// purchases and failed refunds add up to, less that of the refunds, is the revenue after each
// commit. A failed purchase is one whose order was closed or refused for good; a late payment may
// still complete it.
const (
	EventPurchaseCompleted    core.EventType = "purchase.completed"
	EventPurchaseFailed       core.EventType = "purchase.failed"
	EventPurchaseRefunded     core.EventType = "purchase.refunded"
	EventPurchaseRefundFailed core.EventType = "purchase.refund_failed"
	EventPurchaseDisputed     core.EventType = "purchase.disputed"
	EventDisputeClosed        core.EventType = "purchase.dispute_closed"
)

// PurchaseStatus is the state of a purchase: see [line.PurchaseStatus].
type PurchaseStatus = line.PurchaseStatus

// The states of purchases.
const (
	PurchaseCreated   = line.PurchaseCreated
	PurchasePending   = line.PurchasePending
	PurchaseCompleted = line.PurchaseCompleted
	PurchaseFailed    = line.PurchaseFailed
	PurchaseRefunded  = line.PurchaseRefunded
)

// Purchase is the sale of one course, or of a bundle, to one user.
type Purchase struct {
	ID          string // also the receipt at the gateway
	UserID      string
	CourseID    string // "" for a bundle
	Amount      core.Money
	Currency    string
	Provider    string // that takes the payment; "" for a free course
	OrderID     string // at the gateway; "" before the order is open, and for a free course
	PaymentID   string // of the payment that completed it
	Status      PurchaseStatus
	CreatedAt   time.Time
	UpdatedAt   time.Time
	CompletedAt time.Time // zero for a purchase that was never completed

	RefundedAmount core.Money // the sum of the processed refunds
	PendingRefunds core.Money // the sum of those whose outcome is not known
	CouponID       string     // "" for none
	// Metadata is of the host, which has opened the order with it; see [OrderRequest].
	Metadata core.Metadata

	// ListPrice is the price before the discount of the course and the coupon, whose code CouponCode
	// is; 0 and "" for a purchase of before this was stored.
	ListPrice  core.Money
	CouponCode string

	// Attempt grows with each new price of a purchase that has no order yet; see [NewOrder].
	Attempt      int
	ClientSecret string // of the order, see [OpenedOrder]; "" after the purchase is no longer open
	CheckoutURL  string // the same

	HoldsCoupon   bool // the user cannot redeem the coupon with another purchase
	SharesPayment bool // the payment had completed another purchase before

	Source    string // of a [SaleElsewhere], as Reference; else ""
	Reference string

	// TermDays and TermUntil are the terms of the course when the order was opened; see
	// [catalog.Terms]. ExpiresAt is the end of the access that the purchase gives, since its
	// completion; zero for no end.
	// Those of a bundle are in its lines.
	TermDays  int
	TermUntil time.Time
	ExpiresAt time.Time

	// BundleID and BundleTitle, which is that of the moment when the order was opened, are "" for a
	// course. Lines are one for each course of the bundle that the buyer did not have then.
	BundleID    string
	BundleTitle string
	Lines       []line.Line
}

// OfferID returns the id of what was bought: a course or a bundle.
func (p Purchase) OfferID() string { return cmp.Or(p.CourseID, p.BundleID) }

// IsReturned reports whether the payment of p is or was returned instead of completing p, because
// its course had ended, or its coupon could not be redeemed again.
func (p Purchase) IsReturned() bool {
	return p.Status == PurchaseRefunded && p.CompletedAt.IsZero()
}

// The following methods return a purchase after a transition. They decide nothing: see
// decidePayment, decideOrder and decideRefund.

// opened returns p with its order at the provider.
func (p Purchase) opened(order payment.OpenedOrder, at time.Time) Purchase {
	p.Status = PurchasePending
	p.OrderID = order.ID
	p.ClientSecret, p.CheckoutURL = order.ClientSecret, order.CheckoutURL
	p.UpdatedAt = at
	return p
}

// createdAt returns p as if it was created at a time.
func (p Purchase) createdAt(at time.Time) Purchase {
	p.CreatedAt = at
	for i := range p.Lines {
		p.Lines[i].CreatedAt = at
	}
	return p
}

// nextAttempt returns the Attempt of after, which takes over p: another one only if there is
// something else to pay, so that the provider knows a repeated request.
func (p Purchase) nextAttempt(after Purchase) int {
	if p.Amount == after.Amount && p.Currency == after.Currency && p.Provider == after.Provider {
		return p.Attempt
	}
	return p.Attempt + 1
}

// order returns what the buyer needs to pay p. keyID is the public key of its provider.
func (p Purchase) order(keyID string) Order {
	return Order{PurchaseID: p.ID, Provider: p.Provider, OrderID: p.OrderID, KeyID: keyID,
		ClientSecret: p.ClientSecret, CheckoutURL: p.CheckoutURL, Amount: p.Amount,
		Currency: p.Currency}
}

// failed returns p after it was given up. It no longer holds the redemption of its coupon: the
// caller gives that back, or lets another purchase of the coupon have it.
func (p Purchase) failed(at time.Time) Purchase {
	p.Status = PurchaseFailed
	p.HoldsCoupon = false
	p.ClientSecret, p.CheckoutURL = "", ""
	p.UpdatedAt = at
	return p
}

// completed returns p after a payment, or without one if the course is free: then paymentID is "".
// isShared means that the payment has completed another purchase before. If p has a coupon, it
// holds the redemption of it afterwards, which the caller takes if p did not hold it before.
func (p Purchase) completed(paymentID string, isShared bool, at time.Time) Purchase {
	p.Status = PurchaseCompleted
	p.PaymentID = paymentID
	p.ClientSecret, p.CheckoutURL = "", ""
	p.SharesPayment = isShared
	p.HoldsCoupon = p.CouponID != ""
	p.UpdatedAt, p.CompletedAt = at, at
	return p
}

// returned returns p after a late payment that is refunded at once, because the course has ended, or
// because the coupon of p could not be redeemed again. It no longer holds the redemption of its
// coupon, which the caller gives back. All of its amount is pending. CompletedAt stays zero, as IsReturned needs
// it. isShared is as in completed.
func (p Purchase) returned(paymentID string, isShared bool, at time.Time) Purchase {
	p.Status = PurchaseRefunded
	p.PaymentID = paymentID
	p.SharesPayment = isShared
	p.HoldsCoupon = false
	p.ClientSecret, p.CheckoutURL = "", ""
	p.PendingRefunds = p.Amount
	p.Lines = line.Reserve(p.Lines, line.All(p.Lines))
	p.UpdatedAt = at
	return p
}

// refunded returns p after a report or a reservation of a refund. counted is added to what was
// refunded; it is negative if a refund that was counted has failed. released is subtracted from
// what is pending; it is negative if an amount becomes pending. After a full refund the user may
// redeem the coupon again, also if the refund fails later and p is completed again. The number of
// redemptions of the coupon stays.
func (p Purchase) refunded(counted, released core.Money, at time.Time) Purchase {
	p.RefundedAmount, p.PendingRefunds = p.RefundedAmount+counted, p.PendingRefunds-released
	p.UpdatedAt = at
	switch {
	case p.IsReturned(): // it stays refunded, because it was never completed
	case p.RefundedAmount == p.Amount:
		p.Status, p.HoldsCoupon = PurchaseRefunded, false
	default: // refunded in part or not at all, perhaps because a full refund has failed
		p.Status = PurchaseCompleted
	}
	return p
}

// fullRefund returns a pending refund of the whole payment of p.
func (p Purchase) fullRefund(id string, at time.Time) Refund {
	return Refund{
		ID: id, PurchaseID: p.ID, PaymentID: p.PaymentID, Provider: p.Provider, Amount: p.Amount,
		Currency: p.Currency, Status: payment.RefundPending, CreatedAt: at, UpdatedAt: at,
		Shares: line.All(p.Lines),
	}
}

// Order is the data that a client's checkout needs to pay.
type Order struct {
	PurchaseID string
	Provider   string // as that of a [Purchase]
	OrderID    string // "" if the course was free
	KeyID      string // the public key of the provider
	// ClientSecret and CheckoutURL are those of an [OpenedOrder].
	ClientSecret string
	CheckoutURL  string
	Amount       core.Money
	Currency     string
}

// PurchaseState is a purchase with what a payment or a refund of it depends on.
type PurchaseState struct {
	Purchase
	Enrollment    study.Enrollment // of the user in the course; zero if there is none
	PaymentUsed   bool             // whether the payment in question has completed another purchase
	CourseDeleted bool
	CourseTerms   catalog.Terms // at present; zero for a deleted course
	// Parts are the lines of a bundle with what of the above is theirs.
	Parts []line.Part
}

// purchaseReader reads purchases, with their lines.
type purchaseReader interface {
	Purchase(ctx context.Context, id string) (Purchase, error)
	// PurchaseState reads a purchase with what completing it by a payment depends on.
	// paymentID may be "".
	PurchaseState(ctx context.Context, id, paymentID string) (PurchaseState, error)
	// PurchasesByOrder lists the purchases that have an order of the gateway, the
	// latest first. There are several only if the gateway repeats an order id.
	PurchasesByOrder(ctx context.Context, orderID string) ([]Purchase, error)
	// PurchaseOfReference reads the purchase of a [SaleElsewhere].
	PurchaseOfReference(ctx context.Context, source, reference string) (Purchase, error)
	OwnPurchaseReader
	// OpenPurchase reads the open purchase (created or pending) of a user and an offer.
	OpenPurchase(ctx context.Context, userID, offerID string) (Purchase, error)
	// PurchasesByPayment lists the purchases that a payment has completed, the first
	// completed one first. There are several only if the gateway repeats an order id.
	PurchasesByPayment(ctx context.Context, paymentID string) ([]Purchase, error)
	study.CauseReader
	// RedeemingPurchase reads the purchase, open or completed, with which a user has
	// redeemed a coupon.
	RedeemingPurchase(ctx context.Context, userID, couponID string) (Purchase, error)
	// UnpaidPurchases lists at most limit purchases that have an order, are pending or
	// failed, and were created in [from, to), by creation time and id. The list starts
	// after the given purchase; the zero Purchase is before all.
	UnpaidPurchases(ctx context.Context, from, to time.Time, after Purchase,
		limit int) ([]Purchase, error)
	// OpenPurchasesWithCoupon lists a page of the open purchases that hold a redemption and
	// were created before a time, the oldest first.
	OpenPurchasesWithCoupon(ctx context.Context, before time.Time,
		page core.PageRequest) ([]Purchase, error)
	// PaidPurchases lists at most limit purchases that a payment has completed, also
	// refunded ones, and that were created before a time, by creation time and id. The list
	// starts after the given position.
	PaidPurchases(ctx context.Context, before time.Time, after core.Position,
		limit int) ([]Purchase, error)
}

// purchaseWriter writes purchases, without their lines.
type purchaseWriter interface {
	lineWriter
	// InsertPurchase adds a purchase. It returns [core.ErrDuplicate] if the user has an open
	// purchase of the course, if the payment has completed another purchase, if the user has
	// redeemed the coupon with another purchase, or if another one has the reference.
	InsertPurchase(ctx context.Context, p Purchase) error
	// UpdatePurchase stores after in place of before. It reports whether it did: not if the
	// stored status, order, coupon, refunded amount or pending amount is no longer that of
	// before. Errors: those of InsertPurchase.
	UpdatePurchase(ctx context.Context, before, after Purchase) (bool, error)
	// DeletePurchase deletes a purchase that has the status and the coupon of p. It reports
	// whether it did.
	DeletePurchase(ctx context.Context, p Purchase) (bool, error)
}

// storePurchase replaces before, which was read in the transaction after locking the user, by
// after. It returns [core.ErrDuplicate] if a program that does not lock users has changed the
// purchase meanwhile: Base.ChangeOfUser then runs the transaction again.
func storePurchase(ctx context.Context, tx Tx, before, after Purchase) error {
	stored, err := tx.UpdatePurchase(ctx, before, after)
	if err == nil && !stored {
		err = fmt.Errorf("store a purchase: %w", core.ErrDuplicate)
	}
	if err != nil {
		return err
	}
	return storeLines(ctx, tx, before, after)
}

// addPurchaseEvent adds an event of a purchase. title is that of its course.
func addPurchaseEvent(changes *core.Changes, t core.EventType, p Purchase, title string) {
	changes.Add(t, "purchase", p.ID, purchaseData(p, title))
}

// purchaseData returns the data of an event of a purchase.
func purchaseData(p Purchase, title string) core.EventData {
	return core.EventData{PurchaseID: p.ID, UserID: p.UserID, CourseID: p.CourseID,
		CourseTitle: title, BundleID: p.BundleID, Lines: line.Events(p.Lines),
		Amount: p.Amount, Currency: p.Currency, PaymentID: p.PaymentID,
		Provider: p.Provider, ListPrice: p.ListPrice,
		Discount: max(0, p.ListPrice-p.Amount), CouponCode: p.CouponCode, Metadata: p.Metadata}
}

// countSale adds what the transition of a purchase changes in the totals of sales. before is zero
// for a new purchase.
func countSale(changes *core.Changes, before, after Purchase) {
	changes.Count(after.ID, core.TotalsChange(saleTotals(before), saleTotals(after))...)
}

// DailySalesPart returns the part of the [TotalDailySales] of a day.
func DailySalesPart(currency string, day time.Time) string {
	return currency + " " + day.UTC().Format(time.DateOnly)
}

// saleTotals returns what a purchase adds to the totals of sales:
//
//	status                              number  amount
//	completed                           1       what was paid less what was refunded
//	created, pending, failed, refunded  0       0
//
// A completed purchase counts in its currency, in the day of its completion, and in its course,
// also if that was deleted. One of a bundle counts in each of its courses with its line.
func saleTotals(p Purchase) []core.Total {
	if p.Status != PurchaseCompleted {
		return nil
	}
	sale := core.Total{Kind: TotalSales, Part: p.Currency, Number: 1,
		Amount: int64(p.Amount - p.RefundedAmount)}
	ofCourse, ofDay := sale, sale
	ofCourse.Kind, ofCourse.CourseID = TotalCourseSales, p.CourseID
	totals := []core.Total{sale, ofCourse}
	if p.BundleID != "" {
		totals = totals[:1]
	}
	for _, l := range p.Lines {
		ofCourse.CourseID, ofCourse.Amount = l.CourseID, int64(l.Amount-l.RefundedAmount)
		totals = append(totals, ofCourse)
	}
	if p.CompletedAt.IsZero() { // a version before the first release did not store it
		return totals
	}
	ofDay.Kind, ofDay.Part = TotalDailySales, DailySalesPart(p.Currency, p.CompletedAt)
	return append(totals, ofDay)
}
