package purchase

import (
	"cmp"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
)

// ErrNotFound is the public failure of purchases.
var ErrNotFound = &core.Error{Kind: core.NotFound, Code: "purchase_not_found",
	Message: "Purchase not found"}

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
	Status      Status
	CreatedAt   time.Time
	UpdatedAt   time.Time
	CompletedAt time.Time // zero for a purchase that was never completed

	RefundedAmount core.Money // the sum of the processed refunds
	PendingRefunds core.Money // the sum of those whose outcome is not known
	CouponID       string     // "" for none
	// Metadata is of the host, which has opened the order with it.
	Metadata core.Metadata

	// ListPrice is the price before the discount of the course and the coupon, whose code
	// CouponCode is; 0 and "" for a purchase of before this was stored.
	ListPrice  core.Money
	CouponCode string

	// Attempt grows with each new price of a purchase that has no order yet: see
	// [payment.NewOrder].
	Attempt int
	// ClientSecret and CheckoutURL are those of a [payment.OpenedOrder]; "" after the purchase is
	// no longer open.
	ClientSecret string
	CheckoutURL  string

	HoldsCoupon   bool // the user cannot redeem the coupon with another purchase
	SharesPayment bool // the payment had completed another purchase before

	Source    string // of a sale that was made elsewhere, as Reference; else ""
	Reference string

	// TermDays and TermUntil are the terms of the course when the order was opened; see
	// [catalog.Terms]. ExpiresAt is the end of the access that the purchase gives, since its
	// completion; zero for no end. Those of a bundle are in its lines.
	TermDays  int
	TermUntil time.Time
	ExpiresAt time.Time

	// BundleID and BundleTitle, which is that of the moment when the order was opened, are "" for a
	// course. Lines are one for each course of the bundle that the buyer did not have then.
	BundleID    string
	BundleTitle string
	Lines       []Line
}

// OfferID returns the id of what was bought: a course or a bundle.
func (p Purchase) OfferID() string { return cmp.Or(p.CourseID, p.BundleID) }

// CourseIDs returns the courses that p gives.
func (p Purchase) CourseIDs() []string {
	if p.BundleID == "" {
		return []string{p.CourseID}
	}
	return CourseIDs(p.Lines)
}

// IsReturned reports whether the payment of p is or was returned instead of completing p, because
// its course had ended, or its coupon could not be redeemed again.
func (p Purchase) IsReturned() bool {
	return p.Status == Refunded && p.CompletedAt.IsZero()
}

// The following methods return a purchase after a transition. They decide nothing: that does the
// room which stores it.

// Opened returns p with its order at the provider.
func (p Purchase) Opened(order payment.OpenedOrder, at time.Time) Purchase {
	p.Status = Pending
	p.OrderID = order.ID
	p.ClientSecret, p.CheckoutURL = order.ClientSecret, order.CheckoutURL
	p.UpdatedAt = at
	return p
}

// Failed returns p after it was given up. It no longer holds the redemption of its coupon: the
// caller gives that back, or lets another purchase of the coupon have it.
func (p Purchase) Failed(at time.Time) Purchase {
	p.Status = Failed
	p.HoldsCoupon = false
	p.ClientSecret, p.CheckoutURL = "", ""
	p.UpdatedAt = at
	return p
}

// Completed returns p after a payment, or without one if the course is free: then paymentID is "".
// isShared means that the payment has completed another purchase before. If p has a coupon, it
// holds the redemption of it afterwards, which the caller takes if p did not hold it before.
func (p Purchase) Completed(paymentID string, isShared bool, at time.Time) Purchase {
	p.Status = Completed
	p.PaymentID = paymentID
	p.ClientSecret, p.CheckoutURL = "", ""
	p.SharesPayment = isShared
	p.HoldsCoupon = p.CouponID != ""
	p.UpdatedAt, p.CompletedAt = at, at
	return p
}

// Returned returns p after a late payment that is refunded at once, because the course has ended,
// or because the coupon of p could not be redeemed again. It no longer holds the redemption of its
// coupon, which the caller gives back. All of its amount is pending. CompletedAt stays zero, as
// IsReturned needs it. isShared is as in Completed.
func (p Purchase) Returned(paymentID string, isShared bool, at time.Time) Purchase {
	p.Status = Refunded
	p.PaymentID = paymentID
	p.SharesPayment = isShared
	p.HoldsCoupon = false
	p.ClientSecret, p.CheckoutURL = "", ""
	p.PendingRefunds = p.Amount
	p.Lines = Reserve(p.Lines, AllShares(p.Lines))
	p.UpdatedAt = at
	return p
}

// Refunded returns p after a report or a reservation of a refund. counted is added to what was
// refunded; it is negative if a refund that was counted has failed. released is subtracted from
// what is pending; it is negative if an amount becomes pending. After a full refund the user may
// redeem the coupon again, also if the refund fails later and p is completed again. The number of
// redemptions of the coupon stays.
func (p Purchase) Refunded(counted, released core.Money, at time.Time) Purchase {
	p.RefundedAmount, p.PendingRefunds = p.RefundedAmount+counted, p.PendingRefunds-released
	p.UpdatedAt = at
	switch {
	case p.IsReturned(): // it stays refunded, because it was never completed
	case p.RefundedAmount == p.Amount:
		p.Status, p.HoldsCoupon = Refunded, false
	default: // refunded in part or not at all, perhaps because a full refund has failed
		p.Status = Completed
	}
	return p
}

// Own is a purchase as its buyer sees it.
type Own struct {
	Purchase
	// CourseTitle is that of the course, the last one if it was deleted, or that of the bundle.
	CourseTitle string
}
