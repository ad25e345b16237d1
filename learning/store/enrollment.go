package store

import (
	"context"
	"errors"

	"github.com/openlectern/learning/learning"
)

// Enrolled tells whether a person is enrolled in a course.
func (r reader) Enrolled(ctx context.Context, userID, courseID string) (bool, error) {
	var one int
	err := r.q.get(ctx, "read an enrolment", &one, `SELECT 1 FROM enrollments WHERE user_id = ? AND course_id = ?`, key(userID), key(courseID))
	if errors.Is(err, learning.ErrNoRecord) {
		return false, nil
	}
	return err == nil, err
}

// InsertEnrollment adds one; learning.ErrDuplicate when the person is enrolled.
func (t *tx) InsertEnrollment(ctx context.Context, e learning.Enrollment) error {
	return t.insert(ctx, "insert an enrolment", `INSERT INTO enrollments (user_id, course_id, purchase_id, created_at) VALUES (?, ?, ?, ?)`,
		key(e.UserID), key(e.CourseID), key(e.PurchaseID), stamp(e.CreatedAt))
}
