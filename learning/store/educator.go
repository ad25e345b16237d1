package store

import (
	"context"

	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/staff"
)

// CoursesOf lists the courses of an educator, the newest first, with drafts.
func (r reader) CoursesOf(
	ctx context.Context, educatorID string, page core.PageRequest,
) ([]catalog.Course, error) {
	var f filter
	f.add(`c.educator_id = ?`, key(educatorID))
	clauses, args := r.engine().pageClauses(f,
		order{columns: []string{"c.created_at", "c.id"}, descending: true}, page)
	from := ` FROM {courses} c` + r.engine().pageHint("courses_of_educator", page)
	return r.coursesFrom(ctx, "list an educator's courses", from, clauses, args...)
}

// CoursesWithStudents lists the ids of the courses of an educator that have a student, in their
// order: at most limit ids that follow the id after. "" is before the first.
func (r reader) CoursesWithStudents(
	ctx context.Context, educatorID, after string, limit int,
) (ids []string, err error) {
	err = r.q.List(ctx, "list an educator's courses with students", &ids, `
		SELECT id FROM {courses}
		WHERE educator_id = ? AND id > ? AND students > 0
		ORDER BY id LIMIT ?`,
		key(educatorID), key(after), limit)
	return ids, err
}

// studentOrder returns the order of the students of a course, and the index that has it.
func studentOrder(sort staff.StudentSort) (o order, index string) {
	switch sort {
	case staff.StudentsActive:
		return order{columns: []string{"e.recent_at", "e.user_id"}, descending: true},
			"enrollments_of_course_by_activity"
	case staff.StudentsRecent:
		return order{columns: []string{"e.created_at", "e.user_id"}, descending: true},
			"enrollments_by_course"
	}
	return order{columns: []string{"e.created_at", "e.user_id"}}, "enrollments_by_course"
}

// StudentsIn lists no students if the course is not one of the educator. Those with a rare word
// must be sorted; others are read from an index in their order. A student without a record has a
// placeholder as the name.
func (r reader) StudentsIn(
	ctx context.Context, s staff.StudentSelection, page core.PageRequest,
) ([]staff.TaughtStudent, error) {
	var f filter
	o, index := studentOrder(s.Sort)
	f.add(`e.course_id = ? AND c.educator_id = ?`, key(s.CourseID), key(s.EducatorID))
	tables, args := searchedStudents.from(r.engine(), s.Words, r.engine().ForceIndex(index), &f)
	clauses, pageArgs := r.engine().pageClauses(f, o.of(s.Words), page)
	var rows []struct {
		CourseID     string    `db:"course_id"`
		Title        string    `db:"title"`
		Version      int64     `db:"version"`
		UpdatedAt    timestamp `db:"updated_at"`
		Lectures     int       `db:"lectures"`
		UserID       string    `db:"user_id"`
		EnrolledAt   timestamp `db:"created_at"`
		LastActiveAt timestamp `db:"last_active_at"`
		ExpiresAt    timestamp `db:"expires_at"`
		Name         *string   `db:"name"` // nil if there is no user
		ImageURL     *string   `db:"image_url"`
		DeletedAt    timestamp `db:"deleted_at"`
	}
	err := r.q.List(ctx, "list an educator's students", &rows, `
		SELECT e.course_id, c.title, c.version, c.updated_at, c.lectures, e.user_id, e.created_at,
			e.last_active_at, e.expires_at, u.name, u.image_url, u.deleted_at`+tables+`
			JOIN {courses} c ON c.id = e.course_id
			LEFT JOIN {users} u ON u.id = e.user_id`+clauses, append(args, pageArgs...)...)
	if err != nil {
		return nil, err
	}
	list := make([]staff.TaughtStudent, len(rows))
	for i, row := range rows {
		list[i] = staff.TaughtStudent{
			CourseID:    row.CourseID,
			CourseTitle: row.Title,
			Version: catalog.CourseVersion{Number: row.Version,
				UpdatedAt: row.UpdatedAt.Time()},
			Lectures:     row.Lectures,
			Student:      person(row.UserID, row.Name, row.ImageURL, row.DeletedAt),
			EnrolledAt:   row.EnrolledAt.Time(),
			LastActiveAt: row.LastActiveAt.Time(),
			ExpiresAt:    row.ExpiresAt.Time(),
		}
	}
	return list, nil
}

// StudentsEnd does not look at the educator.
func (r reader) StudentsEnd(
	ctx context.Context, s staff.StudentSelection, after core.Position, rows int,
) (core.Position, error) {
	var f filter
	f.add(`e.course_id = ?`, key(s.CourseID))
	o, index := studentOrder(s.Sort)
	return r.endOf(ctx, "find the end of a page of students",
		` FROM {enrollments} e`+r.engine().ForceIndex(index), f, o, after, rows)
}

// StudentIn returns ErrNoRecord if the user is not enrolled.
func (r reader) StudentIn(
	ctx context.Context, userID, courseID string,
) (staff.StudentProgress, error) {
	var row struct {
		EnrolledAt   timestamp `db:"created_at"`
		LastActiveAt timestamp `db:"last_active_at"`
		Name         *string   `db:"name"` // nil if there is no user
		ImageURL     *string   `db:"image_url"`
		DeletedAt    timestamp `db:"deleted_at"`
	}
	err := r.q.Get(ctx, "read a student of a course", &row, `
		SELECT e.created_at, e.last_active_at, u.name, u.image_url, u.deleted_at
		FROM {enrollments} e LEFT JOIN {users} u ON u.id = e.user_id
		WHERE e.user_id = ? AND e.course_id = ?`, key(userID), key(courseID))
	if err != nil {
		return staff.StudentProgress{}, err
	}
	return staff.StudentProgress{
		Student:      person(userID, row.Name, row.ImageURL, row.DeletedAt),
		EnrolledAt:   row.EnrolledAt.Time(),
		LastActiveAt: row.LastActiveAt.Time(),
	}, nil
}

// Waiting sums up the totals of the courses of an educator.
func (r reader) Waiting(ctx context.Context, educatorID string) (staff.Waiting, error) {
	var rows []struct {
		Kind   core.TotalKind `db:"kind"`
		Number int            `db:"number"`
	}
	err := r.q.List(ctx, "count what waits for an educator", &rows, `
		SELECT t.kind, SUM(t.number) AS number
		FROM {courses} c JOIN {totals} t ON t.course_id = c.id
		WHERE c.educator_id = ?
			AND t.kind IN ('waiting submissions', 'waiting questions', 'waiting reviews')
		GROUP BY t.kind`, key(educatorID))
	number := map[core.TotalKind]int{} // a kind without rows has the total 0
	for _, row := range rows {
		number[row.Kind] = row.Number
	}
	return staff.Waiting{
		Submissions: number[assess.TotalWaitingSubmissions],
		Questions:   number[community.TotalWaitingQuestions],
		Reviews:     number[community.TotalWaitingReviews],
	}, err
}

// TaughtTotals counts all courses of an educator, drafts too, and sums up what they earned in a
// currency. The part of a total of sales is its currency.
func (r reader) TaughtTotals(
	ctx context.Context, educatorID, currency string,
) (staff.TaughtTotals, error) {
	var row struct {
		Courses int        `db:"courses"`
		Earned  core.Money `db:"earned"`
	}
	err := r.q.Get(ctx, "sum up an educator's courses", &row, `
		SELECT (SELECT COUNT(*) FROM {courses} WHERE educator_id = ?) AS courses,
			(SELECT COALESCE(SUM(t.amount), 0)
				FROM {courses} c JOIN {totals} t ON t.course_id = c.id
				WHERE c.educator_id = ? AND t.kind = 'course sales' AND t.part = ?) AS earned`,
		key(educatorID), key(educatorID), currency)
	return staff.TaughtTotals{Courses: row.Courses, Earnings: row.Earned}, err
}
