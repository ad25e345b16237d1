package store

import (
	"context"

	"github.com/openlectern/openlectern/learning"
)

type pastEnrollmentRow struct {
	ID         string      `db:"id"`
	UserID     string      `db:"user_id"`
	CourseID   string      `db:"course_id"`
	PurchaseID string      `db:"purchase_id"`
	Reason     string      `db:"reason"`
	GrantedBy  optionalKey `db:"granted_by"`
	CreatedAt  timestamp   `db:"created_at"`
	EndedAt    timestamp   `db:"ended_at"`
	EndedBy    optionalKey `db:"ended_by"`
	EndReason  string      `db:"end_reason"`
}

const selectPastEnrollments = `
	SELECT id, user_id, course_id, purchase_id, COALESCE(reason, '') AS reason, granted_by, created_at,
		ended_at, ended_by, COALESCE(end_reason, '') AS end_reason
	FROM past_enrollments`

// PastEnrollment reads an enrolment that ended.
func (r reader) PastEnrollment(ctx context.Context, id string) (learning.PastEnrollment, error) {
	var row pastEnrollmentRow
	if err := r.q.get(ctx, "read a past enrolment", &row, selectPastEnrollments+` WHERE id = ?`, key(id)); err != nil {
		return learning.PastEnrollment{}, err
	}
	return row.pastEnrollment(), nil
}

func (r *pastEnrollmentRow) pastEnrollment() learning.PastEnrollment {
	return learning.PastEnrollment{ID: r.ID, EndedAt: r.EndedAt.time(), EndedBy: string(r.EndedBy), EndReason: r.EndReason,
		Enrollment: learning.Enrollment{UserID: r.UserID, CourseID: r.CourseID, PurchaseID: r.PurchaseID,
			Reason: r.Reason, GrantedBy: string(r.GrantedBy), CreatedAt: r.CreatedAt.time()}}
}

// InsertPastEnrollment copies the enrolment of a user in a course, with the end in e, and
// reports whether there is one. If e.PurchaseID is not "", it copies only an enrolment that
// this purchase created.
func (t *tx) InsertPastEnrollment(ctx context.Context, e learning.PastEnrollment) (bool, error) {
	var f filter
	f.add(`user_id = ?`, key(e.UserID))
	f.add(`course_id = ?`, key(e.CourseID))
	if e.PurchaseID != "" {
		f.add(`purchase_id = ?`, key(e.PurchaseID))
	}
	return t.update(ctx, "insert a past enrolment", `
		INSERT INTO past_enrollments (id, user_id, course_id, purchase_id, reason, granted_by, created_at, ended_at, ended_by, end_reason)
		SELECT ?, user_id, course_id, purchase_id, reason, granted_by, created_at, ?, ?, ? FROM enrollments`+f.where(),
		append([]any{key(e.ID), timestamp(e.EndedAt), optionalKey(e.EndedBy), optionalText(e.EndReason)}, f.args...)...)
}

// ForgetEnrollmentReasons removes the reasons of admins from the enrolments of a user.
func (t *tx) ForgetEnrollmentReasons(ctx context.Context, userID string) error {
	_, err := t.exec(ctx, "remove the reasons of enrolments", `UPDATE enrollments SET reason = NULL WHERE user_id = ? AND reason IS NOT NULL`, key(userID))
	return err
}

// ForgetPastEnrollmentReasons removes the reasons of admins from the past enrolments of a
// user.
func (t *tx) ForgetPastEnrollmentReasons(ctx context.Context, userID string) error {
	_, err := t.exec(ctx, "remove the reasons of past enrolments", `UPDATE past_enrollments SET reason = NULL, end_reason = NULL WHERE user_id = ?`, key(userID))
	return err
}

// DeleteEnrollment deletes an enrolment. It reports whether there was one.
func (t *tx) DeleteEnrollment(ctx context.Context, userID, courseID string) (bool, error) {
	return t.update(ctx, "delete an enrolment", `DELETE FROM enrollments WHERE user_id = ? AND course_id = ?`, key(userID), key(courseID))
}
