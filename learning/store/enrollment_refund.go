package store

import (
	"context"
	"time"
)

// LockEnrollment locks an enrolment until the transaction ends. It reports whether there is
// one.
func (t *tx) LockEnrollment(ctx context.Context, userID, courseID string) (bool, error) {
	return t.update(ctx, "lock an enrolment", `UPDATE enrollments SET created_at = created_at WHERE user_id = ? AND course_id = ?`, key(userID), key(courseID))
}

// completedPurchases selects the completed purchases of a user and a course whose enrolment
// has not ended.
const completedPurchases = ` FROM purchases p WHERE p.user_id = ? AND p.course_id = ? AND p.status = 'completed'
	AND NOT EXISTS (SELECT 1 FROM past_enrollments a WHERE a.user_id = p.user_id AND a.course_id = p.course_id AND a.purchase_id = p.id
		AND a.restored_at IS NULL)`

// MoveEnrollment moves the enrolment that a purchase gave to another completed purchase of
// the user and the course whose enrolment has not ended. It reports whether it did. The
// statement reads the purchases as an UPDATE does, so that it waits for a concurrent
// transaction that completes one.
func (t *tx) MoveEnrollment(ctx context.Context, userID, courseID, purchaseID string) (bool, error) {
	user, course := key(userID), key(courseID)
	return t.update(ctx, "move an enrolment to another purchase", `
		UPDATE enrollments SET purchase_id = (SELECT MIN(p.id)`+completedPurchases+`)
		WHERE user_id = ? AND course_id = ? AND purchase_id = ? AND EXISTS (SELECT 1`+completedPurchases+`)`,
		user, course, user, course, key(purchaseID), user, course)
}

// RestorePastEnrollment records that the past enrolment that a purchase gave is given back. It
// reports whether there was one.
func (t *tx) RestorePastEnrollment(ctx context.Context, userID, courseID, purchaseID string, at time.Time) (bool, error) {
	return t.update(ctx, "restore a past enrolment", `UPDATE past_enrollments SET restored_at = ?
		WHERE user_id = ? AND course_id = ? AND purchase_id = ? AND restored_at IS NULL`,
		timestamp(at), key(userID), key(courseID), key(purchaseID))
}
