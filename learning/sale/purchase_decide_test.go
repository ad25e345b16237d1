package sale

import (
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/offer"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/study"
)

// decisionTime is the time of the decisions in these tests.
var decisionTime = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

func TestDecidePayment(t *testing.T) {
	by := func(courseID string, status purchase.Status) purchase.Purchase {
		return purchase.Purchase{ID: "other", CourseID: courseID, Status: status}
	}
	past := decisionTime.Add(-time.Hour)
	for _, c := range []struct {
		status     purchase.Status
		coupon     string
		isUsed     bool
		isProven   bool
		isRefunded bool      // after it was completed
		kept       time.Time // the end of the course by the terms of the order
		present    time.Time // and by the present ones
		redeemed   purchase.Purchase
		want       paymentResult
	}{
		{status: purchase.Completed, isProven: true, want: paymentRepeated},
		{status: purchase.Refunded, isRefunded: true, isUsed: true, want: paymentRepeated},
		{status: purchase.Refunded, isUsed: true, want: paymentIsReturned},
		{status: purchase.Pending, isUsed: true, want: paymentRefused},
		{status: purchase.Failed, coupon: "c", isUsed: true, want: paymentRefused},
		{status: purchase.Pending, isUsed: true, isProven: true, want: paymentCompletes},
		{status: purchase.Created, coupon: "c", want: paymentCompletes},
		{status: purchase.Pending, coupon: "c", want: paymentCompletes},
		{status: purchase.Failed, want: paymentCompletes},
		{status: purchase.Pending, kept: past, want: paymentCompletes},
		{status: purchase.Pending, kept: decisionTime.Add(1), present: past,
			want: paymentCompletes},
		{status: purchase.Pending, kept: past, present: past, want: paymentReturns},
		{status: purchase.Failed, kept: decisionTime, present: decisionTime, want: paymentReturns},
		{status: purchase.Completed, kept: past, present: past, want: paymentRepeated},
		{status: purchase.Failed, coupon: "c", isProven: true, want: paymentRedeems},
		{status: purchase.Failed, coupon: "c", redeemed: by("go", purchase.Pending),
			want: paymentReplaces},
		{status: purchase.Failed, coupon: "c", redeemed: by("go", purchase.Completed),
			want: paymentReturns},
		{status: purchase.Failed, coupon: "c", redeemed: by("sql", purchase.Created),
			want: paymentReturns},
	} {
		s := paymentState{redeemed: c.redeemed, State: purchase.State{
			Purchase: purchase.Purchase{CourseID: "go", Status: c.status, CouponID: c.coupon,
				TermUntil: c.kept},
			PaymentUsed: c.isUsed,
			CourseTerms: catalog.Terms{Until: c.present},
		}}
		if c.status == purchase.Completed || c.isRefunded {
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
	open := func(orderID, couponID string, amount core.Money) purchase.Purchase {
		return purchase.Purchase{
			ID: "open", CourseID: "go", Status: purchase.Pending, OrderID: orderID,
			CouponID:    couponID,
			HoldsCoupon: couponID != "", Amount: amount, Currency: "INR",
		}
	}
	held := func(id, courseID string, status purchase.Status) purchase.Purchase {
		return purchase.Purchase{ID: id, CourseID: courseID, Status: status, CouponID: "ten",
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
		"redeemed by a newer open one": {orderState{redeemed: held("new", "go", purchase.Created)},
			ten, 5, awaitOrder},
		"redeemed for another course": {orderState{redeemed: held("other", "sql",
			purchase.Pending)}, ten, 5, refuseCoupon},
		"redeemed with a completed one": {orderState{redeemed: held("done", "go",
			purchase.Completed)}, ten, 5, refuseCoupon},
		"redeemed with the open one": {orderState{open: open("o", "ten", 5),
			redeemed: held("open", "go", purchase.Pending)}, ten, 5, answerOpen},
		"held by the open one, used up": {orderState{open: open("o", "ten", 5),
			redeemed: held("open", "go", purchase.Pending)}, usedUp, 5, answerOpen},
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
