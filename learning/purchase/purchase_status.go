package purchase

// Status is the state of a purchase (docs/api.md §6).
type Status string

const (
	// PurchaseCreated has no order yet. The holder of its lease opens one at the gateway.
	Created Status = "created"
	// PurchasePending has an order that is not paid.
	Pending Status = "pending"
	// PurchaseCompleted is paid, and the user is enrolled.
	Completed Status = "completed"
	// PurchaseFailed was replaced because the price or the coupon changed, or its order was closed
	// by the provider, or, with a coupon, not paid in time. A late payment still completes it, or
	// is returned.
	Failed Status = "failed"
	// PurchaseRefunded was refunded completely, or its payment is being returned because its
	// course has ended or its coupon could not be redeemed again: see [Purchase.IsReturned]. No
	// payment completes it. If the gateway reports later that a refund of a completed purchase
	// failed, the purchase is completed again.
	Refunded Status = "refunded"
)

// Open reports whether the status is created or pending.
func (s Status) Open() bool { return s == Created || s == Pending }
