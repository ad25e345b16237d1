package roomtest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/invariants"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/offer"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/sale"
)

// Buys opens an order with a coupon and fails the test if there is an error.
func (w *World) Buys(t *testing.T, who core.Actor, courseID, code string) sale.Order {
	t.Helper()
	o, err := w.Platform.Sales.OpenOrder(ctx(), who,
		sale.OrderRequest{CourseID: courseID, CouponCode: code})
	if err != nil {
		t.Fatalf("open an order with the coupon %q: %v", code, err)
	}
	return o
}

// WantRedeemed checks the redemptions of a coupon, and that the redemptions of all coupons are
// the numbers of their purchases.
func (w *World) WantRedeemed(t *testing.T, couponID string, want int64) {
	t.Helper()
	c, err := w.Store.Coupon(ctx(), couponID)
	if err != nil || c.Redemptions != want {
		t.Errorf("the coupon has %d redemptions, want %d: %v", c.Redemptions, want, err)
	}
	for _, name := range []string{"redemptions", "held in vain", "students"} {
		if n := w.Count(t, invariants.Courses[name]); n != 0 {
			t.Errorf("%s: %d invalid rows", name, n)
		}
	}
}

// WantUnusable checks that a coupon is refused.
func (w *World) WantUnusable(t *testing.T, who core.Actor, courseID, code string) {
	t.Helper()
	if o, err := w.Platform.Sales.OpenOrder(ctx(), who,
		sale.OrderRequest{CourseID: courseID, CouponCode: code}); !errors.Is(err,
		offer.ErrCouponUnusable) {
		t.Errorf("the order is %+v, the error %v", o, err)
	}
}

// Abandons leaves a created purchase with a coupon, whose instance died, and advances the clock
// to the end of its lease.
func (w *World) Abandons(t *testing.T, who core.Actor,
	course, couponID string) purchase.Purchase {
	t.Helper()
	p := w.Abandoned(t, who, course, 449_10)
	w.Exec(t, "UPDATE purchases SET coupon_id = ?, holds_coupon = 1 WHERE id = ?", couponID, p.ID)
	w.Exec(t, "UPDATE coupons SET redemptions = redemptions + 1 WHERE id = ?", couponID)
	w.Clock.Advance(Lease)
	return p
}

// WantReturned checks that the payment of an order was returned, and that the order had no other
// effect.
func (w *World) WantReturned(t *testing.T, o sale.Order) {
	t.Helper()
	w.WantBooks(t, o.PurchaseID, purchase.Refunded, o.Amount, 0)
	p := w.Purchase(t, o.PurchaseID)
	if !p.CompletedAt.IsZero() || p.HoldsCoupon || !p.IsReturned() {
		t.Errorf("the purchase is %+v", p)
	}
	if n := w.Count(t, "enrollments WHERE purchase_id = ?", o.PurchaseID) +
		w.Count(t, "past_enrollments WHERE purchase_id = ?", o.PurchaseID); n != 0 {
		t.Errorf("it gave %d enrolments", n)
	}
	if n := w.Count(t, "event_deliveries WHERE subject = ?", "purchase:"+o.PurchaseID); n != 0 {
		t.Errorf("it wrote %d events", n)
	}
	if list := w.RefundsAt(t, p.PaymentID); len(list) != 1 || list[0].Amount != int64(o.Amount) {
		t.Errorf("the refunds at the gateway are %+v", list)
	}
}

// Coupon creates a coupon as an admin. It is active.
func (w *World) Coupon(t *testing.T, n offer.NewCoupon) offer.Coupon {
	t.Helper()
	n.Active = true
	c, err := w.Platform.Offers.CreateCoupon(ctx(), Boss, n)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// SeedCoupons adds n coupons of a course with numbers from first on.
func (w *World) SeedCoupons(t *testing.T, courseID string, first, n int) {
	t.Helper()
	rows := make([]string, n)
	for i := range rows {
		rows[i] = fmt.Sprintf(
			"('seeded_%d', 'SEEDED-%[1]d', 100, 0, '%s', 0, 1, '2026-01-05 00:00:00.000000')",
			first+i, courseID)
	}
	w.Exec(t,
		"INSERT INTO coupons (id, code, percent_off, amount_off, course_id, redemptions, "+
			"is_active, created_at) VALUES "+strings.Join(rows, ", "))
}
