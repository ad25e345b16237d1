package offer

import (
	"context"
	"errors"
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

// MaxCouponsOfEducator is how many coupons the courses of an educator may have when the educator
// adds one. Admins may add more.
const MaxCouponsOfEducator = 1_000

// CreateCoupon adds a coupon: an educator for a course of their own, an admin for any
// course or for every course. An educator whose courses have [MaxCouponsOfEducator] coupons
// cannot add another one. Errors: [core.ErrUnauthenticated], [core.ErrForbidden],
// [core.ErrInvalidRequest], [catalog.ErrCourseNotFound], [ErrCouponExists], [ErrTooManyCoupons].
func (s *Service) CreateCoupon(
	ctx context.Context, actor core.Actor, n NewCoupon,
) (Coupon, error) {
	if err := actor.RequireRole(core.Educator, core.Admin); err != nil {
		return Coupon{}, err
	}

	// The coupon must be valid, and its course one that the actor may edit.
	c, err := n.Coupon(s.base.NewID(), s.base.Now())
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
func (s *Service) ChangeCoupon(
	ctx context.Context, actor core.Actor, id string, change CouponChange,
) (Coupon, error) {
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
	if _, err := c.Changed(change); err != nil { // only a check: see below
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

// ValidCoupon returns the coupon with a code for an offer, or the zero Coupon for "". Errors:
// [ErrCouponNotFound], and [ErrCouponUnusable] if the coupon is for another course, also
// for one of a bundle, or is not
// active or not valid now. It does not look at the redemptions.
func (s *ForRooms) ValidCoupon(ctx context.Context, o Offer, code string) (Coupon, error) {
	if strings.TrimSpace(code) == "" {
		return Coupon{}, nil
	}
	code, possible := CouponCode(code)
	if !possible {
		return Coupon{}, ErrCouponNotFound
	}
	c, err := s.store.CouponByCode(ctx, code)
	if err != nil {
		return Coupon{}, couponError(err)
	}
	isForOther := c.CourseID != "" && c.CourseID != o.CourseID
	if !c.IsValid(s.base.Now()) || isForOther {
		return Coupon{}, ErrCouponUnusable
	}
	return c, nil
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
	// DeleteCoupons deletes the coupons of a course.
	DeleteCoupons(ctx context.Context, courseID string) error
}

// RedeemTx counts redemptions of coupons.
type RedeemTx interface {
	// RedeemCoupon increments the redemptions of a coupon that is active and valid at a
	// time, if they are below its limit. It reports whether it did.
	RedeemCoupon(ctx context.Context, id string, at time.Time) (bool, error)
	// AddToRedemptions adds to the redemptions of a coupon, without regard to its limit.
	AddToRedemptions(ctx context.Context, id string, change int) error
}
