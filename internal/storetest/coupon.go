package storetest

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/offer"
	"github.com/openlectern/openlectern/learning/purchase"
)

var couponTests = []test{
	{"a coupon is read as it was stored, also with the longest texts", couponRoundTrip},
	{"a coupon that does not exist is ErrNoRecord", couponMissing},
	{"codes are unique", couponUnique},
	{"coupons are listed, of an educator or all, the newest first", couponList},
	{"a coupon is redeemed while it is active and valid, up to its limit", couponRedeem},
	{"a user redeems a coupon with one purchase, until that fails", couponOnce},
	{"a purchase changes its coupon, and holds a redemption or none", couponOfPurchase},
	{"a change leaves what it does not name", couponChange},
}

// coupon returns a coupon of 10 % for every course. The code is the id.
func coupon(id string) offer.Coupon {
	return offer.Coupon{ID: id, Code: id, PercentOff: 10_00, Active: true, CreatedAt: noon}
}

// keptCoupon checks a stored coupon, read by its id and by its code.
func (f *fixture) keptCoupon(want offer.Coupon) {
	f.t.Helper()
	got, err := f.Coupon(f.t.Context(), want.ID)
	equal(f.t, got, err, want)
	got, err = f.CouponByCode(f.t.Context(), want.Code)
	equal(f.t, got, err, want)
}

func couponRoundTrip(t *testing.T, f *fixture) {
	largest := offer.Coupon{ID: long(10), Code: strings.Repeat("C", offer.MaxCouponCode),
		AmountOff: offer.MaxCouponAmount, CourseID: long(10), StartsAt: noon,
		EndsAt:         time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC),
		MaxRedemptions: offer.MaxCouponRedemption,
		Redemptions:    offer.MaxCouponRedemption, CreatedAt: noon}
	for _, c := range []offer.Coupon{coupon("A"), largest} {
		f.add(c)
		f.keptCoupon(c)
	}
}

func couponMissing(t *testing.T, f *fixture) {
	f.add(coupon("A"))
	for _, id := range []string{"", "a", "A ", "none", "\xff"} {
		got, err := f.Coupon(t.Context(), id)
		missing(t, got, err)
		got, err = f.CouponByCode(t.Context(), id)
		missing(t, got, err)
		f.fails(core.ErrNoRecord, func(ctx context.Context, tx learning.Tx) error {
			_, err := tx.Coupon(ctx, id)
			return err
		})
	}
	f.fails(core.ErrNoRecord, func(ctx context.Context, tx learning.Tx) error {
		return tx.UpdateCoupon(ctx, "a", offer.CouponChange{Active: new(false)})
	})
}

func couponUnique(t *testing.T, f *fixture) {
	f.add(coupon("A"))
	again := coupon("B")
	again.Code = "A"
	f.fails(core.ErrDuplicate,
		func(ctx context.Context, tx learning.Tx) error { return tx.InsertCoupon(ctx, again) })
}

func couponList(t *testing.T, f *fixture) {
	list, err := f.Coupons(t.Context())
	equal(t, list, err, nil)
	own, others := course("own"), course("others")
	own.Educator.ID, others.Educator.ID = "ada", "eve"
	f.add(own, others)
	of := func(id, courseID string, age time.Duration) offer.Coupon {
		c := coupon(id)
		c.CourseID, c.CreatedAt = courseID, noon.Add(-age)
		f.add(c)
		return c
	}
	every := of("EVERY", "", 0)
	second := of("1", "own", time.Second)
	first := of("2", "own", time.Second)
	third := of("3", "own", time.Hour)
	unknown := of("4", "gone", 2*time.Hour)
	other := of("5", "others", 3*time.Hour)
	list, err = f.Coupons(t.Context())
	equal(t, list, err, []offer.Coupon{every, first, second, third, unknown, other})
	for id, want := range map[string][]offer.Coupon{"ada": {first, second, third},
		"eve": {other}, "Ada": nil, "": nil} {
		list, err = f.CouponsOf(t.Context(), id)
		equal(t, list, err, want)
	}
	for id, want := range map[string]int{"ada": 3, "eve": 1, "Ada": 0, "": 0} {
		n, err := f.CountCouponsOf(t.Context(), id)
		equal(t, n, err, want)
	}
}

func couponChange(t *testing.T, f *fixture) {
	c, other := coupon("A"), coupon("B")
	f.add(c, other)
	for _, change := range []offer.CouponChange{{}, {Active: new(false)}, {EndsAt: new(noon)},
		{MaxRedemptions: new(int64(7))},
		{Active: new(true), EndsAt: new(noon.Add(time.Microsecond)), MaxRedemptions: new(int64(8))},
		{MaxRedemptions: new(int64)}, {EndsAt: new(time.Time)}} {
		f.do(func(ctx context.Context, tx learning.Tx) error {
			return tx.UpdateCoupon(ctx, "A",
				change)
		})
		if change.Active != nil {
			c.Active = *change.Active
		}
		if change.EndsAt != nil {
			c.EndsAt = *change.EndsAt
		}
		if change.MaxRedemptions != nil {
			c.MaxRedemptions = *change.MaxRedemptions
		}
		f.keptCoupon(c)
		f.keptCoupon(other)
	}
}

// redeems redeems a coupon and checks whether that succeeds.
func (f *fixture) redeems(id string, at time.Time, want bool) {
	f.t.Helper()
	f.reports(want,
		func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.RedeemCoupon(ctx, id,
				at)
		})
}

func couponRedeem(t *testing.T, f *fixture) {
	limited := coupon("A")
	stopped := coupon("B")
	unlimited := coupon("C")
	limited.StartsAt = noon
	limited.EndsAt = noon.Add(time.Second)
	limited.MaxRedemptions = 2
	stopped.Active = false
	f.add(limited, stopped, unlimited)
	f.redeems("A", noon.Add(-time.Microsecond), false)
	f.redeems("A", noon.Add(time.Second), false)
	f.redeems("B", noon, false)
	f.redeems("D", noon, false)
	f.redeems("A", noon, true)
	f.redeems("A", noon.Add(time.Second-time.Microsecond), true)
	f.redeems("A", noon, false)
	add := func(id string, change int) {
		f.do(func(ctx context.Context, tx learning.Tx) error {
			return tx.AddToRedemptions(ctx, id,
				change)
		})
	}
	add("A", -1)
	f.redeems("A", noon, true)
	add("A", 1)
	add("D", 1) // of no coupon
	for range 3 {
		f.redeems("C", noon, true)
	}
	limited.Redemptions, unlimited.Redemptions = 3, 3
	for _, want := range []offer.Coupon{limited, stopped, unlimited} {
		f.keptCoupon(want)
	}
}

// couponPurchase returns a purchase of a course of its own with a coupon.
func couponPurchase(id, couponID string, status purchase.Status) purchase.Purchase {
	p := purchaseIn(id, status)
	p.CourseID, p.CouponID = "course of "+id, couponID
	p.HoldsCoupon = couponID != "" && (status.Open() || status == purchase.Completed)
	return p
}

// redeemedBy checks which purchase has redeemed the coupon A for the user of all purchases.
func (f *fixture) redeemedBy(want string) {
	f.t.Helper()
	got, err := f.RedeemingPurchase(f.t.Context(), "student", "A")
	if want == "" {
		missing(f.t, got, err)
	} else if err != nil || got.ID != want || got.CouponID != "A" {
		f.t.Errorf("the coupon is redeemed by %+v (%v), want %s", got, err, want)
	}
}

func couponOnce(t *testing.T, f *fixture) {
	f.redeemedBy("")
	f.add(couponPurchase("failed", "A", purchase.Failed),
		couponPurchase("refunded", "A", purchase.Refunded),
		couponPurchase("other", "B", purchase.Completed))
	f.redeemedBy("")
	f.add(couponPurchase("first", "A", purchase.Pending))
	f.redeemedBy("first")
	for _, status := range []purchase.Status{purchase.Created,
		purchase.Completed} {
		f.fails(core.ErrDuplicate, func(ctx context.Context, tx learning.Tx) error {
			return tx.InsertPurchase(ctx, couponPurchase("second", "A", status))
		})
	}
	byAnother := couponPurchase("by another", "A", purchase.Created)
	byAnother.UserID = "Student"
	f.add(byAnother)
	first := couponPurchase("first", "A", purchase.Pending)
	f.updates(true, first, failed(first))
	f.redeemedBy("")
	f.add(couponPurchase("second", "A", purchase.Completed))
	f.redeemedBy("second")
}

func couponOfPurchase(t *testing.T, f *fixture) {
	plain := couponPurchase("p", "", purchase.Created)
	f.add(plain, couponPurchase("q", "B", purchase.Pending))
	with := func(couponID string, holds bool) purchase.Purchase {
		p := plain
		p.CouponID, p.HoldsCoupon = couponID, holds
		return p
	}
	f.updates(true, plain, with("A", true))
	f.redeemedBy("p")
	f.fails(core.ErrDuplicate, func(ctx context.Context, tx learning.Tx) error {
		_, err := tx.UpdatePurchase(ctx, with("A", true), with("B", true))
		return err
	})
	f.updates(true, with("A", true), with("B", false)) // without a redemption
	f.redeemedBy("")
	f.updates(true, with("B", false), with("A", true))
	f.redeemedBy("p")
	f.updates(true, with("A", true), plain)
	f.redeemedBy("")
}
