package offer

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

// Coupon reduces the price of one course, or of every course, for users who know its code
// (docs/api.md §6). Either PercentOff or AmountOff is positive, and the other one is 0.
type Coupon struct {
	ID             string
	Code           string // in upper case; unique
	PercentOff     core.Percent
	AmountOff      core.Money
	CourseID       string    // "" for every course
	StartsAt       time.Time // zero if it is valid from the beginning
	EndsAt         time.Time // not valid any more at this time; zero if it does not end
	MaxRedemptions int64     // 0 for no limit
	Redemptions    int64     // open, completed and refunded purchases with the coupon
	Active         bool
	CreatedAt      time.Time
}

// Limits of a coupon (docs/api.md §6).
const (
	MinCouponCode       = 3 // characters
	MaxCouponCode       = 40
	MaxCouponAmount     = catalog.MaxCoursePrice
	MaxCouponPercent    = core.Percent(100_00)
	MaxCouponRedemption = 1_000_000_000
)

// NewCoupon is the data of a coupon that an educator or an admin sends. The fields have
// the meaning of those of [Coupon]. The code may have lower case letters.
type NewCoupon struct {
	Code           string
	PercentOff     core.Percent
	AmountOff      core.Money
	CourseID       string
	StartsAt       time.Time
	EndsAt         time.Time
	MaxRedemptions int64
	Active         bool
}

// CouponChange is a change of a coupon. Fields that are nil stay unchanged.
type CouponChange struct {
	Active         *bool
	EndsAt         *time.Time // the zero time removes the end
	MaxRedemptions *int64     // 0 removes the limit
}

// CouponCode returns a code as it is stored: in upper case, without leading and trailing space. It
// reports false if no coupon can have the code: it is too short or too long, or has characters
// other than ASCII letters, digits, "-" and "_".
func CouponCode(code string) (string, bool) {
	code = strings.TrimSpace(code)
	if len(code) < MinCouponCode || len(code) > MaxCouponCode {
		return "", false
	}
	invalid := func(r rune) bool {
		return (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' &&
			r != '_'
	}
	return strings.ToUpper(code), !strings.ContainsFunc(code, invalid)
}

// Coupon returns the coupon that n describes. It returns [core.ErrInvalidRequest] if n exceeds
// a limit, has not exactly one discount, or ends before it starts. It does not look at the course.
func (n NewCoupon) Coupon(id string, now time.Time) (Coupon, error) {
	code, hasValidCode := CouponCode(n.Code)
	c := Coupon{ID: id, Code: code, PercentOff: n.PercentOff, AmountOff: n.AmountOff,
		CourseID: n.CourseID, StartsAt: couponTime(n.StartsAt),
		EndsAt: couponTime(n.EndsAt), MaxRedemptions: n.MaxRedemptions, Active: n.Active,
		CreatedAt: now}

	// It has one discount, within the limits, and ends after it starts.
	err := cmp.Or(
		core.Require(hasValidCode, "code", fmt.Sprintf("must have %d to %d letters A to Z, digits, "+
			"hyphens and underscores", MinCouponCode, MaxCouponCode)),
		core.Require((n.PercentOff == 0) != (n.AmountOff == 0), "percentOff",
			"or amountOff must be sent, and not both"),
		core.Require(n.PercentOff >= 0 && n.PercentOff <= MaxCouponPercent, "percentOff",
			fmt.Sprint("must be between 0 and ", MaxCouponPercent)),
		core.Require(n.AmountOff >= 0 && n.AmountOff <= MaxCouponAmount, "amountOff",
			fmt.Sprint("must be between 0 and ", MaxCouponAmount)),
		core.Require(core.IsStorableTime(c.StartsAt), "startsAt", core.StorableTimeRule),
		c.checkEnd(), c.checkLimit())
	if err != nil {
		return Coupon{}, err
	}
	return c, nil
}

// Changed returns the coupon after a change. It returns [core.ErrInvalidRequest] if the change
// exceeds a limit, or sets an end that is not after the start.
func (c Coupon) Changed(change CouponChange) (Coupon, error) {
	if change.Active != nil {
		c.Active = *change.Active
	}
	if change.EndsAt != nil {
		c.EndsAt = couponTime(*change.EndsAt)
	}
	if change.MaxRedemptions != nil {
		c.MaxRedemptions = *change.MaxRedemptions
	}

	// What is not changed was checked when it was stored.
	if err := cmp.Or(c.checkEnd(), c.checkLimit()); err != nil {
		return Coupon{}, err
	}
	return c, nil
}

// couponTime returns a time as the store keeps it: UTC, in microseconds.
func couponTime(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// checkLimit returns an error unless the coupon may be redeemed so often. 0 is no limit.
func (c Coupon) checkLimit() error {
	return core.RequireBetween("maxRedemptions", c.MaxRedemptions, 0, MaxCouponRedemption)
}

// checkEnd returns an error unless the end can be stored, and comes after the start if the coupon
// has both times.
func (c Coupon) checkEnd() error {
	endsAfterStart := c.StartsAt.IsZero() || c.EndsAt.IsZero() || c.EndsAt.After(c.StartsAt)
	return cmp.Or(core.Require(core.IsStorableTime(c.EndsAt), "endsAt", core.StorableTimeRule),
		core.Require(endsAfterStart, "endsAt", "must be after startsAt"))
}

// IsValid reports whether the coupon is active and valid at a time.
func (c Coupon) IsValid(at time.Time) bool {
	return c.Active && !at.Before(c.StartsAt) && (c.EndsAt.IsZero() || at.Before(c.EndsAt))
}

// IsUsedUp reports whether the coupon has a limit of redemptions and has reached it.
func (c Coupon) IsUsedUp() bool {
	return c.MaxRedemptions != 0 && c.Redemptions >= c.MaxRedemptions
}

// Redeem takes a redemption of the coupon of a purchase, if it has one, in the transaction that
// inserts the purchase. couponID is "" for none. It returns [ErrCouponUnusable] if the coupon
// allows no more.
func Redeem(ctx context.Context, tx RedeemTx, couponID string, at time.Time) error {
	if couponID == "" {
		return nil
	}
	redeemed, err := tx.RedeemCoupon(ctx, couponID, at)
	if err == nil && !redeemed {
		err = ErrCouponUnusable
	}
	return err
}

// GiveBack subtracts the redemption of a purchase from those of its coupon, if it holds one. Call
// it once, in the transaction in which the purchase fails, is deleted, or gets another coupon,
// which the caller stores.
func GiveBack(ctx context.Context, tx RedeemTx, couponID string, isHeld bool) error {
	if !isHeld {
		return nil
	}
	return tx.AddToRedemptions(ctx, couponID, -1)
}
