package sale

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

// The public failures of coupons.
var (
	ErrCouponNotFound = &core.Error{Kind: core.NotFound, Code: "coupon_not_found",
		Message: "Coupon not found"}
	ErrCouponUnusable = &core.Error{Kind: core.Conflict, Code: "coupon_unusable",
		Message: "This coupon cannot be used"}
	ErrCouponExists = &core.Error{Kind: core.Conflict, Code: "coupon_exists",
		Message: "A coupon with this code already exists"}
	ErrTooManyCoupons = &core.Error{Kind: core.Conflict, Code: "too_many_coupons",
		Message: "Your courses have 1,000 coupons, which is the maximum. Change one of them, or " +
			"ask an admin to add this one."}
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

	// MaxCouponsOfEducator is how many coupons the courses of an educator may have when the
	// educator adds one. Admins may add more.
	MaxCouponsOfEducator = 1_000
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

// couponCode returns a code as it is stored: in upper case, without leading and trailing space. It
// reports false if no coupon can have the code: it is too short or too long, or has characters
// other than ASCII letters, digits, "-" and "_".
func couponCode(code string) (string, bool) {
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

// coupon returns the coupon that n describes. It returns [core.ErrInvalidRequest] if n exceeds
// a limit, has not exactly one discount, or ends before it starts. It does not look at the course.
func (n NewCoupon) coupon(id string, now time.Time) (Coupon, error) {
	code, hasValidCode := couponCode(n.Code)
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

// changed returns the coupon after a change. It returns [core.ErrInvalidRequest] if the change
// exceeds a limit, or sets an end that is not after the start.
func (c Coupon) changed(change CouponChange) (Coupon, error) {
	if change.Active != nil {
		c.Active = *change.Active
	}
	if change.EndsAt != nil {
		c.EndsAt = couponTime(*change.EndsAt)
	}
	if change.MaxRedemptions != nil {
		c.MaxRedemptions = *change.MaxRedemptions
	}

	// An end that is not changed was checked when it was stored.
	err := c.checkLimit()
	if change.EndsAt != nil {
		err = cmp.Or(c.checkEnd(), err)
	}
	if err != nil {
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

// CreateCoupon adds a coupon: an educator for a course of their own, an admin for any
// course or for every course. An educator whose courses have [MaxCouponsOfEducator] coupons
// cannot add another one. Errors: [core.ErrUnauthenticated], [core.ErrForbidden],
// [core.ErrInvalidRequest], [catalog.ErrCourseNotFound], [ErrCouponExists], [ErrTooManyCoupons].
func (s *Service) CreateCoupon(ctx context.Context, actor core.Actor, n NewCoupon) (Coupon,
	error) {
	if err := actor.RequireRole(core.Educator, core.Admin); err != nil {
		return Coupon{}, err
	}

	// The coupon must be valid, and its course one that the actor may edit.
	c, err := n.coupon(s.base.NewID(), s.base.Now())
	if err != nil {
		return Coupon{}, err
	}
	if err := s.requireCouponCourse(ctx, actor, c.CourseID); err != nil {
		return Coupon{}, err
	}
	err = s.base.InTx(ctx, func(tx Tx) error {
		// Lock the educator, so that two transactions do not count the same coupons. The coupons of
		// admins are not limited.
		if actor.Role != core.Admin {
			if err := core.LockUser(ctx, tx, actor.UserID); err != nil {
				return err
			}
		}
		// Lock the course, because a concurrent deletion would leave the coupon.
		if c.CourseID != "" {
			if err := catalog.LockCourse(ctx, tx, c.CourseID); err != nil {
				return err
			}
		}
		// Count after the locks, so that no concurrent call adds a coupon after the count.
		if actor.Role != core.Admin {
			count, err := tx.CountCouponsOf(ctx, actor.UserID)
			if err == nil && count >= MaxCouponsOfEducator {
				err = ErrTooManyCoupons
			}
			if err != nil {
				return err
			}
		}
		return tx.InsertCoupon(ctx, c)
	})
	if errors.Is(err, core.ErrDuplicate) { // another coupon has the code
		return Coupon{}, ErrCouponExists
	}
	if err != nil {
		return Coupon{}, core.Wrap("add a coupon", err)
	}
	return c, nil
}

// requireCouponCourse returns nil if the actor may make and change coupons of a course, or of
// every course for "". Errors: [core.ErrUnauthenticated], [core.ErrForbidden],
// [catalog.ErrCourseNotFound].
func (s *Service) requireCouponCourse(ctx context.Context, actor core.Actor,
	courseID string) error {
	if courseID == "" {
		return actor.RequireRole(core.Admin)
	}
	_, err := s.catalog.Editable(ctx, actor, courseID)
	return err
}

// Coupons lists the coupons of the actor's own courses, or all for an admin, the newest
// first. Errors: [core.ErrUnauthenticated], [core.ErrForbidden].
func (s *Service) Coupons(ctx context.Context, actor core.Actor) (list []Coupon, err error) {
	if err := actor.RequireRole(core.Educator, core.Admin); err != nil {
		return nil, err
	}
	if actor.Role == core.Admin {
		list, err = s.store.Coupons(ctx)
	} else {
		list, err = s.store.CouponsOf(ctx, actor.UserID)
	}
	return list, core.Wrap("list the coupons", err)
}

// ChangeCoupon changes a coupon and returns it: an educator one of their own courses, an
// admin any. Redemptions above a new limit stay. Errors: [core.ErrUnauthenticated],
// [core.ErrForbidden], [core.ErrInvalidRequest], [ErrCouponNotFound].
func (s *Service) ChangeCoupon(ctx context.Context, actor core.Actor, id string,
	change CouponChange) (Coupon, error) {
	if err := actor.RequireRole(core.Educator, core.Admin); err != nil {
		return Coupon{}, err
	}

	// The actor must be allowed to change it, and the coupon must be valid after the change.
	c, err := s.store.Coupon(ctx, id)
	if err != nil {
		return Coupon{}, couponError(err)
	}
	if err := s.requireCouponCourse(ctx, actor, c.CourseID); err != nil {
		return Coupon{}, err
	}
	if _, err := c.changed(change); err != nil { // only a check: see below
		return Coupon{}, err
	}

	// Write only the fields of the change, and not the whole coupon: another call may have redeemed
	// it meanwhile, which must not be lost. Then read what is stored.
	err = s.base.InTx(ctx, func(tx Tx) (err error) {
		if err := tx.UpdateCoupon(ctx, id, change); err != nil {
			return err
		}
		c, err = tx.Coupon(ctx, id)
		return err
	})
	if err != nil {
		return Coupon{}, couponError(err)
	}
	return c, nil
}

// couponError returns the error of an operation on a coupon for an error of the store:
// [ErrCouponNotFound] for [core.ErrNoRecord], and another one with the action before it. err must
// not be nil.
func couponError(err error) error {
	if errors.Is(err, core.ErrNoRecord) {
		return ErrCouponNotFound
	}
	return core.Wrap("use a coupon", err)
}

// couponReader reads coupons.
type couponReader interface {
	Coupon(ctx context.Context, id string) (Coupon, error)
	// CouponByCode reads the coupon with a code in upper case.
	CouponByCode(ctx context.Context, code string) (Coupon, error)
	// Coupons lists all coupons, the newest first.
	Coupons(ctx context.Context) ([]Coupon, error)
	// CouponsOf lists the coupons of the courses of an educator, the newest first.
	CouponsOf(ctx context.Context, educatorID string) ([]Coupon, error)
	// CountCouponsOf counts the coupons of the courses of an educator.
	CountCouponsOf(ctx context.Context, educatorID string) (int, error)
}

// couponWriter writes coupons.
type couponWriter interface {
	// InsertCoupon adds a coupon. It returns [core.ErrDuplicate] if there is one with its code.
	InsertCoupon(ctx context.Context, c Coupon) error
	// UpdateCoupon changes a coupon. It returns [core.ErrNoRecord] if there is no such coupon.
	UpdateCoupon(ctx context.Context, id string, change CouponChange) error
	// RedeemCoupon increments the redemptions of a coupon that is active and valid at a
	// time, if they are below its limit. It reports whether it did.
	RedeemCoupon(ctx context.Context, id string, at time.Time) (bool, error)
	// AddToRedemptions adds to the redemptions of a coupon, without regard to its limit.
	AddToRedemptions(ctx context.Context, id string, change int) error
	// DeleteCoupons deletes the coupons of a course.
	DeleteCoupons(ctx context.Context, courseID string) error
}
