package httpapi

import (
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/offer"
	"github.com/openlectern/openlectern/learning/sale"
)

// couponJSON is a coupon as educators and admins see it (docs/api.md §6).
type couponJSON struct {
	_ struct{} `doc:"A code that reduces the price of a course, after the course's own discount."`

	ID   string `json:"_id"`
	Code string `json:"code" doc:"The code, in upper case."`
	// or amountOff
	PercentOff     *decimal `json:"percentOff,omitempty" doc:"Only of a coupon without 'amountOff'."`
	AmountOff      *decimal `json:"amountOff,omitempty" doc:"Only of a coupon without 'percentOff'."`
	CourseID       *string  `json:"courseId" jsonschema:"nullable" doc:"The course that the coupon is for. Null if it is for every course."`
	StartsAt       *instant `json:"startsAt" jsonschema:"nullable" doc:"From when on the coupon is valid. Null if it is valid from the beginning."`
	EndsAt         *instant `json:"endsAt" jsonschema:"nullable" doc:"When the coupon stops being valid. Null if it does not end."`
	MaxRedemptions *int64   `json:"maxRedemptions" jsonschema:"nullable" doc:"How often the coupon can be redeemed. Null if there is no limit."`
	Redemptions    int64    `json:"redemptions" doc:"The number of purchases with the coupon that are open, completed or refunded."`
	Active         bool     `json:"isActive" doc:"Whether the coupon can be redeemed. An educator or an admin can set it to false."`
	CreatedAt      instant  `json:"createdAt"`
}

// couponOf returns the wire shape of a coupon. What the coupon lacks, such as an end or a limit,
// is null.
func couponOf(c offer.Coupon) couponJSON {
	one := couponJSON{ID: c.ID, Code: c.Code, CourseID: nullable(c.CourseID),
		StartsAt: nullableTime(c.StartsAt), EndsAt: nullableTime(c.EndsAt),
		Redemptions: c.Redemptions, Active: c.Active, CreatedAt: instant(c.CreatedAt)}
	one.PercentOff, one.AmountOff = couponOff(c)
	if c.MaxRedemptions != 0 {
		one.MaxRedemptions = &c.MaxRedemptions
	}
	return one
}

// couponOff returns by how much a coupon reduces a price, in per cent or in major units. The
// other one is nil.
func couponOff(c offer.Coupon) (percent, amount *decimal) {
	if c.PercentOff != 0 {
		return new(decimal(c.PercentOff)), nil
	}
	return nil, new(decimal(c.AmountOff))
}

type newCouponRequest struct {
	_ struct{} `doc:"A new coupon. It has either 'percentOff' or 'amountOff'."`

	Code           string  `json:"code" jsonschema:"minLength=3,maxLength=40" doc:"3 to 40 letters A to Z, digits, hyphens and underscores, in upper or lower case. It must be unique."`
	PercentOff     decimal `json:"percentOff,omitempty" jsonschema:"minimum=0.01,maximum=100" doc:"The reduction in per cent."`
	AmountOff      decimal `json:"amountOff,omitempty" jsonschema:"minimum=0.01,maximum=10000000" doc:"The reduction as an amount."`
	CourseID       string  `json:"courseId,omitempty" jsonschema:"maxLength=200" doc:"The course that the coupon is for. Without it, every course: for admins only."`
	StartsAt       instant `json:"startsAt,omitempty" doc:"Without it, the coupon is valid from the beginning."`
	EndsAt         instant `json:"endsAt,omitempty" doc:"Without it, the coupon does not end."`
	MaxRedemptions int64   `json:"maxRedemptions,omitempty" jsonschema:"minimum=1,maximum=1000000000" doc:"How often the coupon can be redeemed. Without it there is no limit."`
	Active         *bool   `json:"isActive,omitempty" doc:"Whether it can be redeemed. Without it: true."`
}

type couponAnswer struct {
	Coupon couponJSON `json:"coupon"`
}

// createCoupon creates a coupon, which is active unless the request says otherwise. If there is an
// error, the answer is not sent.
func (a *api) createCoupon(c *call, in newCouponRequest) (couponAnswer, error) {
	coupon, err := a.platform.Offers.CreateCoupon(c.Context(), c.actor, offer.NewCoupon{
		Code: in.Code, PercentOff: core.Percent(in.PercentOff),
		AmountOff: core.Money(in.AmountOff), CourseID: in.CourseID,
		StartsAt: time.Time(in.StartsAt), EndsAt: time.Time(in.EndsAt),
		MaxRedemptions: in.MaxRedemptions, Active: in.Active == nil || *in.Active,
	})
	return couponAnswer{couponOf(coupon)}, err
}

type couponsAnswer struct {
	Coupons []couponJSON `json:"coupons" doc:"The coupons, the newest first."`
}

// listCoupons answers the coupons of the caller's courses, or all for an admin.
func (a *api) listCoupons(c *call, _ none) (couponsAnswer, error) {
	list, err := a.platform.Offers.Coupons(c.Context(), c.actor)
	if err != nil {
		return couponsAnswer{}, err
	}
	answer := couponsAnswer{make([]couponJSON, 0, len(list))}
	for _, one := range list {
		answer.Coupons = append(answer.Coupons, couponOf(one))
	}
	return answer, nil
}

// changeCouponRequest is a change of a coupon. A pointer to nil is null, which removes the end
// or the limit.
type changeCouponRequest struct {
	_ struct{} `doc:"A change of a coupon. What is not sent stays unchanged."`

	Active         *bool     `json:"isActive,omitempty" doc:"Whether the coupon can be redeemed."`
	EndsAt         **instant `json:"endsAt,omitempty" jsonschema:"nullable" doc:"Later than 'startsAt'. Null removes the end."`
	MaxRedemptions **int64   `json:"maxRedemptions,omitempty" jsonschema:"minimum=1,maximum=1000000000,nullable" doc:"How often the coupon can be redeemed. It may be less than 'redemptions'. Null removes the limit."`
}

// changeCoupon changes a coupon, and answers it as it is now. For the platform nil leaves a field
// as it is, and a pointer to zero removes the end or the limit. If there is an error, the answer is
// not sent.
func (a *api) changeCoupon(c *call, in changeCouponRequest) (couponAnswer, error) {
	change := offer.CouponChange{Active: in.Active, MaxRedemptions: orZero(in.MaxRedemptions)}
	change.EndsAt = (*time.Time)(orZero(in.EndsAt))
	coupon, err := a.platform.Offers.ChangeCoupon(c.Context(), c.actor, c.Param("couponId"), change)
	return couponAnswer{couponOf(coupon)}, err
}

// orZero returns nil for a field that is not there, and a pointer to zero for null.
func orZero[T any](field **T) *T {
	switch {
	case field == nil:
		return nil
	case *field == nil:
		return new(T)
	}
	return *field
}

type quoteRequest struct {
	CourseID   string `json:"courseId,omitempty" jsonschema:"minLength=1,maxLength=200" doc:"A published course. Required unless there is a bundleId."`
	BundleID   string `json:"bundleId,omitempty" jsonschema:"minLength=1,maxLength=200" doc:"A bundle that is for sale, in place of courseId."`
	CouponCode string `json:"couponCode,omitempty" jsonschema:"maxLength=200" doc:"The code of a coupon, in upper or lower case. Without it, or if it is empty, the price without a coupon."`
	Currency   string `json:"currency,omitempty" jsonschema:"maxLength=3" doc:"One in which the course or the bundle has a price. Without it, or if it is empty, that of the platform."`
}

type quoteAnswer struct {
	_ struct{} `doc:"The price of a course or a bundle for the caller."`

	Currency string            `json:"currency"`
	Price    amount            `json:"price" doc:"The price before the discount."`
	Discount amount            `json:"discount" doc:"What the discount and the coupon take off together: 'price' less 'total', an amount and not per cent."`
	Total    amount            `json:"total" doc:"What a purchase costs: 0, or at least the smallest amount that can be paid, which is 1 at the gateway."`
	Coupon   *quotedCouponJSON `json:"coupon" jsonschema:"nullable" doc:"Null without a coupon."`
}

// quotedCouponJSON is a coupon as buyers see it.
type quotedCouponJSON struct {
	Code string `json:"code" doc:"The code, in upper case."`
	// or amountOff
	PercentOff *decimal `json:"percentOff,omitempty" doc:"Only of a coupon without 'amountOff'."`
	AmountOff  *decimal `json:"amountOff,omitempty" doc:"Only of a coupon without 'percentOff'."`
}

// quote answers the price of a course or a bundle, with the coupon if the request names one.
func (a *api) quote(c *call, in quoteRequest) (quoteAnswer, error) {
	if err := requireOffer(in.CourseID, in.BundleID); err != nil {
		return quoteAnswer{}, err
	}
	q, err := a.platform.Sales.Quote(c.Context(), c.actor, sale.QuoteRequest{
		CourseID: in.CourseID, BundleID: in.BundleID, CouponCode: in.CouponCode, Currency: in.Currency})
	if err != nil {
		return quoteAnswer{}, err
	}
	answer := quoteAnswer{
		Currency: q.Currency,
		Price:    amountOf(q.Price, q.Currency),
		Discount: amountOf(q.Discount(), q.Currency),
		Total:    amountOf(q.Total, q.Currency),
		Coupon:   nil,
	}
	if q.Coupon.ID != "" {
		answer.Coupon = &quotedCouponJSON{Code: q.Coupon.Code}
		answer.Coupon.PercentOff, answer.Coupon.AmountOff = couponOff(q.Coupon)
	}
	return answer, nil
}
