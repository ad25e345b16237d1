package purchase

import (
	"context"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

// The events of purchases. Amount is what was paid, what was refunded, or what stands again,
// because a refund has failed at the gateway after it was counted. What the events of completed
// purchases and failed refunds add up to, less that of the refunds, is the revenue after each
// commit. A failed purchase is one whose order was closed or refused for good; a late payment may
// still complete it.
const (
	EventCompleted     core.EventType = "purchase.completed"
	EventFailed        core.EventType = "purchase.failed"
	EventRefunded      core.EventType = "purchase.refunded"
	EventRefundFailed  core.EventType = "purchase.refund_failed"
	EventDisputed      core.EventType = "purchase.disputed"
	EventDisputeClosed core.EventType = "purchase.dispute_closed"
)

// AddEvent adds an event of a purchase. title is that of its course.
func AddEvent(changes *core.Changes, t core.EventType, p Purchase, title string) {
	changes.Add(t, "purchase", p.ID, EventData(p, title))
}

// EventData returns the data of an event of a purchase.
func EventData(p Purchase, title string) core.EventData {
	return core.EventData{PurchaseID: p.ID, UserID: p.UserID, CourseID: p.CourseID,
		CourseTitle: title, BundleID: p.BundleID, Lines: LineEvents(p.Lines),
		Amount: p.Amount, Currency: p.Currency, PaymentID: p.PaymentID,
		Provider: p.Provider, ListPrice: p.ListPrice,
		Discount: max(0, p.ListPrice-p.Amount), CouponCode: p.CouponCode, Metadata: p.Metadata}
}

// TitleOf returns the title of what was bought, for events.
func TitleOf(ctx context.Context, courses *catalog.ForRooms, p Purchase) (string, error) {
	if p.BundleID != "" {
		return p.BundleTitle, nil
	}
	return courses.EventTitle(ctx, p.CourseID)
}
