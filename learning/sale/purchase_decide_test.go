package sale

import (
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/offer"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/study"
)

// decisionTime is the time of the decisions in these tests.
var decisionTime = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

func TestDecidePayment(t *testing.T) {
	by := func(courseID string, status PurchaseStatus) Purchase {
		return Purchase{ID: "other", CourseID: courseID, Status: status}
	}
	past := decisionTime.Add(-time.Hour)
	for _, c := range []struct {
		status     PurchaseStatus
		coupon     string
		isUsed     bool
		isProven   bool
		isRefunded bool      // after it was completed
		kept       time.Time // the end of the course by the terms of the order
		present    time.Time // and by the present ones
		redeemed   Purchase
		want       paymentResult
	}{
		{status: PurchaseCompleted, isProven: true, want: paymentRepeated},
		{status: PurchaseRefunded, isRefunded: true, isUsed: true, want: paymentRepeated},
		{status: PurchaseRefunded, isUsed: true, want: paymentIsReturned},
		{status: PurchasePending, isUsed: true, want: paymentRefused},
		{status: PurchaseFailed, coupon: "c", isUsed: true, want: paymentRefused},
		{status: PurchasePending, isUsed: true, isProven: true, want: paymentCompletes},
		{status: PurchaseCreated, coupon: "c", want: paymentCompletes},
		{status: PurchasePending, coupon: "c", want: paymentCompletes},
		{status: PurchaseFailed, want: paymentCompletes},
		{status: PurchasePending, kept: past, want: paymentCompletes},
		{status: PurchasePending, kept: decisionTime.Add(1), present: past,
			want: paymentCompletes},
		{status: PurchasePending, kept: past, present: past, want: paymentReturns},
		{status: PurchaseFailed, kept: decisionTime, present: decisionTime, want: paymentReturns},
		{status: PurchaseCompleted, kept: past, present: past, want: paymentRepeated},
		{status: PurchaseFailed, coupon: "c", isProven: true, want: paymentRedeems},
		{status: PurchaseFailed, coupon: "c", redeemed: by("go", PurchasePending),
			want: paymentReplaces},
		{status: PurchaseFailed, coupon: "c", redeemed: by("go", PurchaseCompleted),
			want: paymentReturns},
		{status: PurchaseFailed, coupon: "c", redeemed: by("sql", PurchaseCreated),
			want: paymentReturns},
	} {
		s := paymentState{redeemed: c.redeemed, PurchaseState: PurchaseState{
			Purchase: Purchase{CourseID: "go", Status: c.status, CouponID: c.coupon,
				TermUntil: c.kept},
			PaymentUsed: c.isUsed,
			CourseTerms: catalog.Terms{Until: c.present},
		}}
		if c.status == PurchaseCompleted || c.isRefunded {
			s.CompletedAt = decisionTime
		}
		if got := decidePayment(s, c.isProven, decisionTime); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

func TestDecideOrder(t *testing.T) {
	ten := offer.Coupon{ID: "ten"}
	forever := study.Enrollment{UserID: "ada"}
	ending := study.Enrollment{UserID: "ada", ExpiresAt: decisionTime.Add(study.RenewBefore)}
	lasting := study.Enrollment{UserID: "ada", ExpiresAt: decisionTime.Add(study.RenewBefore + 1)}
	ended := study.Enrollment{UserID: "ada", ExpiresAt: decisionTime}
	decided := ending // by an admin
	decided.HasOverride = true
	usedUp := offer.Coupon{ID: "ten", MaxRedemptions: 1, Redemptions: 1}
	open := func(orderID, couponID string, amount core.Money) Purchase {
		return Purchase{
			ID: "open", CourseID: "go", Status: PurchasePending, OrderID: orderID,
			CouponID:    couponID,
			HoldsCoupon: couponID != "", Amount: amount, Currency: "INR",
		}
	}
	held := func(id, courseID string, status PurchaseStatus) Purchase {
		return Purchase{ID: id, CourseID: courseID, Status: status, CouponID: "ten",
			HoldsCoupon: true}
	}
	alive := core.Lease{Name: "order:open", Holder: "h", ExpiresAt: decisionTime.Add(time.Second)}
	dead := core.Lease{Name: "order:open", Holder: "h", ExpiresAt: decisionTime}
	for name, c := range map[string]struct {
		state  orderState
		coupon offer.Coupon
		price  core.Money
		want   orderStep
	}{
		"enrolled, whatever else": {orderState{enrolled: forever, open: open("o", "", 5)}, ten,
			5, refuseEnrolled},
		"redeemed by a newer open one": {orderState{redeemed: held("new", "go", PurchaseCreated)},
			ten, 5, awaitOrder},
		"redeemed for another course": {orderState{redeemed: held("other", "sql",
			PurchasePending)}, ten, 5, refuseCoupon},
		"redeemed with a completed one": {orderState{redeemed: held("done", "go",
			PurchaseCompleted)}, ten, 5, refuseCoupon},
		"redeemed with the open one": {orderState{open: open("o", "ten", 5),
			redeemed: held("open", "go", PurchasePending)}, ten, 5, answerOpen},
		"held by the open one, used up": {orderState{open: open("o", "ten", 5),
			redeemed: held("open", "go", PurchasePending)}, usedUp, 5, answerOpen},
		"used up, and an order without": {orderState{open: open("o", "", 5)}, usedUp, 4,
			refuseCoupon},
		// the transaction finds out
		"used up, and no order": {orderState{}, usedUp, 4, createOrder},
		"the same offer": {orderState{open: open("o", "", 5)}, offer.Coupon{}, 5,
			answerOpen},
		"another price": {orderState{open: open("o", "", 5)}, offer.Coupon{}, 6,
			replaceOrder},
		"another coupon": {orderState{open: open("o", "five", 5)}, ten, 5,
			replaceOrder},
		"free now": {orderState{open: open("o", "", 5)}, offer.Coupon{}, 0,
			replaceOrder},
		"being opened": {orderState{open: open("", "", 5), lease: alive},
			offer.Coupon{}, 5, awaitOrder},
		"being opened, and free now": {orderState{open: open("", "", 5), lease: alive},
			offer.Coupon{}, 0, awaitOrder},
		"abandoned, and free now": {orderState{open: open("", "", 5), lease: dead},
			offer.Coupon{}, 0, enrolFree},
		"abandoned": {orderState{open: open("", "", 5), lease: dead},
			offer.Coupon{}, 6, takeOver},
		"abandoned, and its lease deleted": {orderState{open: open("", "", 5)}, offer.Coupon{}, 5,
			takeOver},
		"access ends soon":     {orderState{enrolled: ending}, offer.Coupon{}, 5, createOrder},
		"access ends later":    {orderState{enrolled: lasting}, offer.Coupon{}, 5, refuseEnrolled},
		"an admin has decided": {orderState{enrolled: decided}, offer.Coupon{}, 5, refuseEnrolled},
		"access has ended":     {orderState{enrolled: ended}, offer.Coupon{}, 0, enrolFree},
		"free":                 {orderState{}, offer.Coupon{}, 0, enrolFree},
		"first":                {orderState{}, offer.Coupon{}, 5, createOrder},
	} {
		want := wanted{userID: "ada", Offer: offer.Offer{CourseID: "go"}, coupon: c.coupon,
			Price: offer.Price{Amount: c.price, Currency: "INR"}}
		if got := decideOrder(c.state, want, decisionTime); got != c.want {
			t.Errorf("%s: step %d, want %d", name, got, c.want)
		}
	}
	other := wanted{Offer: offer.Offer{CourseID: "go"},
		Price: offer.Price{Amount: 5, Currency: "EUR"}}
	if got := decideOrder(orderState{open: open("o", "", 5)}, other, decisionTime); got !=
		replaceOrder {
		t.Errorf("another currency: step %d", got)
	}
}

// Every transition of a purchase leaves what it does not concern.
func TestPurchase_Transitions(t *testing.T) {
	created := Purchase{ID: "p", Amount: 10, Status: PurchaseCreated, CouponID: "c",
		HoldsCoupon: true}
	pending := created.opened(payment.OpenedOrder{ID: "o"}, decisionTime)
	completed := pending.completed("pay", false, decisionTime)
	reserved := completed.refunded(0, -4, decisionTime)
	part := reserved.refunded(4, 4, decisionTime)
	full := part.refunded(6, 0, decisionTime)
	again := full.refunded(-6, 0, decisionTime)
	returned := pending.failed(decisionTime).returned("pay", true, decisionTime)
	for name, c := range map[string]struct {
		p                 Purchase
		status            PurchaseStatus
		holds             bool
		refunded, pending core.Money
	}{
		"opened":    {pending, PurchasePending, true, 0, 0},
		"failed":    {pending.failed(decisionTime), PurchaseFailed, false, 0, 0},
		"completed": {completed, PurchaseCompleted, true, 0, 0},
		"reserved":  {reserved, PurchaseCompleted, true, 0, 4},
		"part":      {part, PurchaseCompleted, true, 4, 0},
		"full":      {full, PurchaseRefunded, false, 10, 0},
		// the user may have redeemed it again
		"failed refund": {again, PurchaseCompleted, false, 4, 0},
		"returned":      {returned, PurchaseRefunded, false, 0, 10},
		"returned, processed": {returned.refunded(10, 10, decisionTime), PurchaseRefunded,
			false, 10, 0},
		"returned, failed": {returned.refunded(0, 10, decisionTime), PurchaseRefunded,
			false, 0, 0},
		"completed without coupon": {Purchase{Amount: 1}.completed("pay", false, decisionTime),
			PurchaseCompleted, false, 0, 0},
	} {
		got := c.p
		if got.Status != c.status || got.HoldsCoupon != c.holds ||
			got.RefundedAmount != c.refunded || got.PendingRefunds != c.pending {
			t.Errorf("%s: %+v", name, got)
		}
		if got.CompletedAt.IsZero() != (c.status != PurchaseCompleted && name != "full") {
			t.Errorf("%s: completed at %v", name, got.CompletedAt)
		}
	}
}
