package store

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/offer"
)

type couponRow struct {
	ID             string       `db:"id"`
	Code           string       `db:"code"`
	PercentOff     core.Percent `db:"percent_off"`
	AmountOff      core.Money   `db:"amount_off"`
	CourseID       optionalKey  `db:"course_id"` // "" for all courses
	StartsAt       timestamp    `db:"starts_at"`
	EndsAt         timestamp    `db:"ends_at"`
	MaxRedemptions *int64       `db:"max_redemptions"` // nil for no limit
	Redemptions    int64        `db:"redemptions"`
	Active         bool         `db:"is_active"`
	CreatedAt      timestamp    `db:"created_at"`
}

const selectCoupons = `
	SELECT k.id, k.code, k.percent_off, k.amount_off, k.course_id, k.starts_at, k.ends_at,
		k.max_redemptions, k.redemptions, k.is_active, k.created_at
	FROM {coupons} k`

func (r reader) Coupon(ctx context.Context, id string) (offer.Coupon, error) {
	return r.coupon(ctx, "read a coupon", ` WHERE k.id = ?`, key(id))
}

// CouponByCode reads the coupon with a code, which must be in upper case.
func (r reader) CouponByCode(ctx context.Context, code string) (offer.Coupon, error) {
	return r.coupon(ctx, "read the coupon of a code", ` WHERE k.code = ?`, key(code))
}

// coupon reads the coupon that where selects. The table of the coupons is k.
func (r reader) coupon(
	ctx context.Context, action, where string, args ...any,
) (offer.Coupon, error) {
	var row couponRow
	if err := r.q.Get(ctx, action, &row, selectCoupons+where, args...); err != nil {
		return offer.Coupon{}, err
	}
	return row.coupon(), nil
}

// Coupons lists all coupons, the newest first.
func (r reader) Coupons(ctx context.Context) ([]offer.Coupon, error) {
	return r.coupons(ctx, "list the coupons", ` ORDER BY k.created_at DESC, k.id DESC`)
}

// CouponsOf lists the coupons of the courses of an educator, the newest first. A coupon for all
// courses is not among them.
func (r reader) CouponsOf(ctx context.Context, educatorID string) ([]offer.Coupon, error) {
	return r.coupons(ctx, "list the coupons of an educator", `
		JOIN {courses} c ON c.id = k.course_id
		WHERE c.educator_id = ?
		ORDER BY k.created_at DESC, k.id DESC`,
		key(educatorID))
}

// CountCouponsOf counts the coupons that CouponsOf lists.
func (r reader) CountCouponsOf(ctx context.Context, educatorID string) (n int, err error) {
	err = r.q.Get(ctx, "count the coupons of an educator", &n, `
		SELECT COUNT(*)
		FROM {courses} c JOIN {coupons} k ON k.course_id = c.id
		WHERE c.educator_id = ?`,
		key(educatorID))
	return n, err
}

// coupons lists coupons. clauses follow the table of the coupons, which is k.
func (r reader) coupons(
	ctx context.Context, action, clauses string, args ...any,
) ([]offer.Coupon, error) {
	var rows []couponRow
	if err := r.q.List(ctx, action, &rows, selectCoupons+clauses, args...); err != nil {
		return nil, err
	}
	list := make([]offer.Coupon, len(rows))
	for i := range rows {
		list[i] = rows[i].coupon()
	}
	return list, nil
}

func (r *couponRow) coupon() offer.Coupon {
	c := offer.Coupon{
		ID:          r.ID,
		Code:        r.Code,
		PercentOff:  r.PercentOff,
		AmountOff:   r.AmountOff,
		CourseID:    string(r.CourseID),
		StartsAt:    r.StartsAt.Time(),
		EndsAt:      r.EndsAt.Time(),
		Redemptions: r.Redemptions,
		Active:      r.Active,
		CreatedAt:   r.CreatedAt.Time(),
	}
	if r.MaxRedemptions != nil {
		c.MaxRedemptions = *r.MaxRedemptions
	}
	return c
}

// InsertCoupon returns ErrDuplicate if there is a coupon with the code.
func (t *tx) InsertCoupon(ctx context.Context, c offer.Coupon) error {
	var limit *int64 // NULL, which is no limit
	if c.MaxRedemptions != 0 {
		limit = &c.MaxRedemptions
	}
	return t.Insert(ctx, "insert a coupon", `
		INSERT INTO {coupons} (id, code, percent_off, amount_off, course_id, starts_at, ends_at,
			max_redemptions, redemptions, is_active, created_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		key(c.ID), key(c.Code), c.PercentOff, c.AmountOff, optionalKey(c.CourseID),
		optional(c.StartsAt), optional(c.EndsAt), limit, c.Redemptions,
		c.Active, timestamp(c.CreatedAt))
}

// UpdateCoupon keeps what is nil in change. The zero time and the limit 0 mean that there is none:
// both are stored as NULL. It returns ErrNoRecord if there is no such coupon.
func (t *tx) UpdateCoupon(ctx context.Context, id string, change offer.CouponChange) error {
	var endsAt time.Time
	if change.EndsAt != nil {
		endsAt = *change.EndsAt
	}
	limit := change.MaxRedemptions // nil is NULL, which the statement uses only if it is to change
	if limit != nil && *limit == 0 {
		limit = nil
	}
	return t.MustUpdate(ctx, "change a coupon", `
		UPDATE {coupons} SET is_active = COALESCE(?, is_active),
			ends_at = CASE WHEN ? = 1 THEN ? ELSE ends_at END,
			max_redemptions = CASE WHEN ? = 1 THEN ? ELSE max_redemptions END
		WHERE id = ?`,
		change.Active, change.EndsAt != nil, optional(endsAt), change.MaxRedemptions != nil, limit,
		key(id))
}

// RedeemCoupon counts a redemption. It changes nothing, and returns false, if the coupon cannot be
// redeemed at that time: it is not active, has not begun, has ended, has reached its limit, or does
// not exist.
func (t *tx) RedeemCoupon(ctx context.Context, id string, at time.Time) (bool, error) {
	return t.Update(ctx, "redeem a coupon", `
		UPDATE {coupons} SET redemptions = redemptions + 1
		WHERE id = ? AND is_active = 1
			AND (starts_at IS NULL OR starts_at <= ?)
			AND (ends_at IS NULL OR ends_at > ?)
			AND (max_redemptions IS NULL OR redemptions < max_redemptions)`,
		key(id), timestamp(at), timestamp(at))
}

// AddToRedemptions adds change, which may be negative, to the number of redemptions. It is no error
// if the coupon was deleted with its course.
func (t *tx) AddToRedemptions(ctx context.Context, id string, change int) error {
	_, err := t.Update(ctx, "count a redemption",
		`UPDATE {coupons} SET redemptions = redemptions + ? WHERE id = ?`, change, key(id))
	return err
}

func (t *tx) DeleteCoupons(ctx context.Context, courseID string) error {
	_, err := t.Exec(ctx, "delete the coupons of a course",
		`DELETE FROM {coupons} WHERE course_id = ?`, key(courseID))
	return err
}
