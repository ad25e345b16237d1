package httpapi

import (
	"time"

	"github.com/openlectern/openlectern/learning"
)

// couponJSON is a coupon as educators and admins see it (docs/api.md §6).
type couponJSON struct {
	ID             string   `json:"_id"`
	Code           string   `json:"code"`
	PercentOff     *decimal `json:"percentOff,omitempty"` // or amountOff
	AmountOff      *decimal `json:"amountOff,omitempty"`
	CourseID       *string  `json:"courseId" jsonschema:"nullable"`
	StartsAt       *instant `json:"startsAt" jsonschema:"nullable"`
	EndsAt         *instant `json:"endsAt" jsonschema:"nullable"`
	MaxRedemptions *int64   `json:"maxRedemptions" jsonschema:"nullable"`
	Redemptions    int64    `json:"redemptions"`
	Active         bool     `json:"isActive"`
	CreatedAt      instant  `json:"createdAt"`
}

func couponOf(c learning.Coupon) couponJSON {
	one := couponJSON{ID: c.ID, Code: c.Code, CourseID: nullable(c.CourseID), StartsAt: nullableTime(c.StartsAt), EndsAt: nullableTime(c.EndsAt),
		Redemptions: c.Redemptions, Active: c.Active, CreatedAt: instant(c.CreatedAt)}
	one.PercentOff, one.AmountOff = couponOff(c)
	if c.MaxRedemptions != 0 {
		one.MaxRedemptions = &c.MaxRedemptions
	}
	return one
}

// couponOff returns by how much a coupon reduces a price, in per cent or in major units. The
// other one is nil.
func couponOff(c learning.Coupon) (percent, amount *decimal) {
	if c.PercentOff != 0 {
		return new(decimal(c.PercentOff)), nil
	}
	return nil, new(decimal(c.AmountOff))
}

type newCouponRequest struct {
	Code           string  `json:"code" jsonschema:"minLength=3,maxLength=40"`
	PercentOff     decimal `json:"percentOff,omitempty" jsonschema:"minimum=0.01,maximum=100"`
	AmountOff      decimal `json:"amountOff,omitempty" jsonschema:"minimum=0.01,maximum=10000000"`
	CourseID       string  `json:"courseId,omitempty" jsonschema:"maxLength=200"`
	StartsAt       instant `json:"startsAt,omitempty"`
	EndsAt         instant `json:"endsAt,omitempty"`
	MaxRedemptions int64   `json:"maxRedemptions,omitempty" jsonschema:"minimum=1,maximum=1000000000"`
	Active         *bool   `json:"isActive,omitempty"`
}

type couponAnswer struct {
	Coupon couponJSON `json:"coupon"`
}

func (a *api) createCoupon(c *call, in newCouponRequest) (couponAnswer, error) {
	coupon, err := a.platform.CreateCoupon(c.Context(), c.actor, learning.NewCoupon{
		Code: in.Code, PercentOff: learning.Percent(in.PercentOff), AmountOff: learning.Money(in.AmountOff), CourseID: in.CourseID,
		StartsAt: time.Time(in.StartsAt), EndsAt: time.Time(in.EndsAt), MaxRedemptions: in.MaxRedemptions, Active: in.Active == nil || *in.Active,
	})
	return couponAnswer{couponOf(coupon)}, err
}

type couponsAnswer struct {
	Coupons []couponJSON `json:"coupons"`
}

func (a *api) listCoupons(c *call, _ none) (couponsAnswer, error) {
	list, err := a.platform.Coupons(c.Context(), c.actor)
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
	Active         *bool     `json:"isActive,omitempty"`
	EndsAt         **instant `json:"endsAt,omitempty" jsonschema:"nullable"`
	MaxRedemptions **int64   `json:"maxRedemptions,omitempty" jsonschema:"minimum=1,maximum=1000000000,nullable"`
}

func (a *api) changeCoupon(c *call, in changeCouponRequest) (couponAnswer, error) {
	change := learning.CouponChange{Active: in.Active, MaxRedemptions: orZero(in.MaxRedemptions)}
	change.EndsAt = (*time.Time)(orZero(in.EndsAt))
	coupon, err := a.platform.ChangeCoupon(c.Context(), c.actor, c.param("couponId"), change)
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
	CourseID   string `json:"courseId" jsonschema:"minLength=1,maxLength=200"`
	CouponCode string `json:"couponCode,omitempty" jsonschema:"maxLength=200"`
}

type quoteAnswer struct {
	Currency string            `json:"currency"`
	Price    decimal           `json:"price"`
	Discount decimal           `json:"discount"`
	Total    decimal           `json:"total"`
	Coupon   *quotedCouponJSON `json:"coupon" jsonschema:"nullable"`
}

// quotedCouponJSON is a coupon as buyers see it.
type quotedCouponJSON struct {
	Code       string   `json:"code"`
	PercentOff *decimal `json:"percentOff,omitempty"` // or amountOff
	AmountOff  *decimal `json:"amountOff,omitempty"`
}

func (a *api) quote(c *call, in quoteRequest) (quoteAnswer, error) {
	q, err := a.platform.Quote(c.Context(), c.actor, in.CourseID, in.CouponCode)
	if err != nil {
		return quoteAnswer{}, err
	}
	answer := quoteAnswer{q.Currency, decimal(q.Price), decimal(q.Discount()), decimal(q.Total), nil}
	if q.Coupon.ID != "" {
		answer.Coupon = &quotedCouponJSON{Code: q.Coupon.Code}
		answer.Coupon.PercentOff, answer.Coupon.AmountOff = couponOff(q.Coupon)
	}
	return answer, nil
}
