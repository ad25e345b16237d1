package purchase_test

import (
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/purchase"
)

// decisionTime is the time of the decisions in these tests.
var decisionTime = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

func TestPurchase_Transitions(t *testing.T) {
	created := purchase.Purchase{ID: "p", Amount: 10, Status: purchase.Created, CouponID: "c",
		HoldsCoupon: true}
	pending := created.Opened(payment.OpenedOrder{ID: "o"}, decisionTime)
	completed := pending.Completed("pay", false, decisionTime)
	reserved := completed.Refunded(0, -4, decisionTime)
	part := reserved.Refunded(4, 4, decisionTime)
	full := part.Refunded(6, 0, decisionTime)
	again := full.Refunded(-6, 0, decisionTime)
	returned := pending.Failed(decisionTime).Returned("pay", true, decisionTime)
	for name, c := range map[string]struct {
		p                 purchase.Purchase
		status            purchase.Status
		holds             bool
		refunded, pending core.Money
	}{
		"opened":    {pending, purchase.Pending, true, 0, 0},
		"failed":    {pending.Failed(decisionTime), purchase.Failed, false, 0, 0},
		"completed": {completed, purchase.Completed, true, 0, 0},
		"reserved":  {reserved, purchase.Completed, true, 0, 4},
		"part":      {part, purchase.Completed, true, 4, 0},
		"full":      {full, purchase.Refunded, false, 10, 0},
		// the user may have redeemed it again
		"failed refund": {again, purchase.Completed, false, 4, 0},
		"returned":      {returned, purchase.Refunded, false, 0, 10},
		"returned, processed": {returned.Refunded(10, 10, decisionTime), purchase.Refunded,
			false, 10, 0},
		"returned, failed": {returned.Refunded(0, 10, decisionTime), purchase.Refunded,
			false, 0, 0},
		"completed without coupon": {
			purchase.Purchase{Amount: 1}.Completed("pay", false, decisionTime),
			purchase.Completed, false, 0, 0},
	} {
		got := c.p
		if got.Status != c.status || got.HoldsCoupon != c.holds ||
			got.RefundedAmount != c.refunded || got.PendingRefunds != c.pending {
			t.Errorf("%s: %+v", name, got)
		}
		if got.CompletedAt.IsZero() != (c.status != purchase.Completed && name != "full") {
			t.Errorf("%s: completed at %v", name, got.CompletedAt)
		}
	}
}
