package contracttest

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/offer"
)

// fixtureCoupons has three coupons that can be redeemed, one of them for every course, and one for
// each reason why a coupon cannot be. student and collector have redeemed one each.
var fixtureCoupons = []offer.Coupon{
	{ID: "coupon_go", Code: "GO-10", PercentOff: 10_00, CourseID: "course_go", MaxRedemptions: 5,
		Active: true},
	{ID: "coupon_every", Code: "EVERY_5", AmountOff: 5_00, Redemptions: 1, Active: true},
	{ID: "coupon_gift", Code: "GIFT", PercentOff: 100_00, CourseID: "course_go", StartsAt: day(5),
		EndsAt: day(31).AddDate(0, 1, 0), Active: true},
	{ID: "coupon_stopped", Code: "STOPPED", PercentOff: 12_50, CourseID: "course_go"},
	{ID: "coupon_ended", Code: "ENDED", AmountOff: 99, CourseID: "course_go", StartsAt: day(6),
		EndsAt: day(7), Active: true},
	{ID: "coupon_later", Code: "LATER", AmountOff: 1_00, CourseID: "course_go",
		StartsAt: day(31).AddDate(0, 0, 1), Active: true},
	{ID: "coupon_other", Code: "OTHER", PercentOff: 50_00, CourseID: "course_half",
		MaxRedemptions: 1, Active: true},
	{ID: "coupon_used_up", Code: "USED-UP", PercentOff: 1_00, MaxRedemptions: 1, Redemptions: 1,
		Active: true},
}

// insertCoupons stores fixtureCoupons, each created a minute after the previous one.
func insertCoupons(ctx context.Context, tx learning.Tx) error {
	for i, c := range fixtureCoupons {
		c.CreatedAt = day(5).Add(time.Duration(i) * time.Minute)
		if err := tx.InsertCoupon(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// couponGivens are the preconditions about coupons.
var couponGivens = []given{
	{exactly(`(\w+) has (\d+) more coupons`), func(s *Setup, _ *Case, args []string) {
		n, _ := strconv.Atoi(args[1]) // the pattern has digits only
		rows := make([]string, n)
		for i := range rows {
			rows[i] = fmt.Sprintf(
				"('more_%d', 'MORE-%[1]d', 100, 0, '%s', 0, 0, '2026-01-05 00:00:00.000000')", i,
				args[0])
		}
		s.SQL = append(s.SQL,
			"INSERT INTO {coupons} (id, code, percent_off, amount_off, course_id, "+
				"redemptions, is_active, created_at) VALUES "+
				strings.Join(rows, ", "))
	}},
}
