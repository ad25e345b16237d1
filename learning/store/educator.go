package store

import (
	"context"

	"github.com/openlectern/openlectern/learning"
)

// CoursesOf lists the courses of an educator, drafts too, the newest first.
func (r reader) CoursesOf(ctx context.Context, educatorID string) ([]learning.Course, error) {
	return r.courses(ctx, "list an educator's courses", ` WHERE c.educator_id = ? ORDER BY c.created_at DESC, c.id DESC`, key(educatorID))
}

// StudentsOf lists the enrolments in an educator's courses, the oldest first.
func (r reader) StudentsOf(ctx context.Context, educatorID string) ([]learning.TaughtStudent, error) {
	var rows []struct {
		Title      string    `db:"title"`
		UserID     string    `db:"user_id"`
		EnrolledAt timestamp `db:"created_at"`
		Name       *string   `db:"name"` // nil if there is no user
		ImageURL   *string   `db:"image_url"`
		DeletedAt  timestamp `db:"deleted_at"`
	}
	err := r.q.list(ctx, "list an educator's students", &rows, `
		SELECT c.title, e.user_id, e.created_at, u.name, u.image_url, u.deleted_at
		FROM courses c JOIN enrollments e ON e.course_id = c.id LEFT JOIN users u ON u.id = e.user_id
		WHERE c.educator_id = ? ORDER BY e.created_at, e.user_id, e.course_id`, key(educatorID))
	if err != nil {
		return nil, err
	}
	list := make([]learning.TaughtStudent, len(rows))
	for i, row := range rows {
		list[i] = learning.TaughtStudent{CourseTitle: row.Title, Student: person(row.UserID, row.Name, row.ImageURL, row.DeletedAt), EnrolledAt: row.EnrolledAt.time()}
	}
	return list, nil
}

// EarningsOf counts an educator's courses and sums their completed purchases in a
// currency.
func (r reader) EarningsOf(ctx context.Context, educatorID, currency string) (courses int, earned learning.Money, err error) {
	var row struct {
		Courses int            `db:"courses"`
		Earned  learning.Money `db:"earned"`
	}
	err = r.q.get(ctx, "sum up an educator's courses", &row, `
		SELECT (SELECT COUNT(*) FROM courses WHERE educator_id = ?) AS courses,
			(SELECT COALESCE(SUM(p.amount), 0) FROM courses c JOIN purchases p ON p.course_id = c.id
				WHERE c.educator_id = ? AND p.status = 'completed' AND p.currency = ?) AS earned`,
		key(educatorID), key(educatorID), currency)
	return row.Courses, row.Earned, err
}
