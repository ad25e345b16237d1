package store

import (
	"context"
	"errors"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

// Enrolled reports whether the user is enrolled in the course.
func (r reader) Enrolled(ctx context.Context, userID, courseID string) (bool, error) {
	return r.exists(ctx, "read an enrolment",
		`SELECT 1 FROM {enrollments} WHERE user_id = ? AND course_id = ?`,
		key(userID), key(courseID))
}

// EnrollmentEndedAfter reports whether the user has a past enrolment in the course with a later
// end.
func (r reader) EnrollmentEndedAfter(
	ctx context.Context, userID, courseID string, at time.Time,
) (bool, error) {
	return r.exists(ctx, "read a past enrolment",
		`SELECT 1 FROM {past_enrollments} WHERE user_id = ? AND course_id = ? AND ended_at > ?
		LIMIT 1`,
		key(userID), key(courseID), timestamp(at))
}

// exists reports whether a query finds a row. The query must return at most one row, with a number.
func (r reader) exists(ctx context.Context, action, query string, args ...any) (bool, error) {
	var one int // the row has no value that is needed
	err := r.q.Get(ctx, action, &one, query, args...)
	if errors.Is(err, core.ErrNoRecord) {
		return false, nil
	}
	return err == nil, err
}

type enrollmentRow struct {
	UserID     string      `db:"user_id"`
	CourseID   string      `db:"course_id"`
	PurchaseID string      `db:"purchase_id"`
	Reason     string      `db:"reason"`
	GrantedBy  optionalKey `db:"granted_by"`
	GrantedAt  timestamp   `db:"granted_at"`
	CreatedAt  timestamp   `db:"created_at"`
	Metadata   metadata    `db:"metadata"`
	accessRow
}

// accessRow is when the access of an enrolment ends, and what an admin has decided about it.
type accessRow struct {
	ExpiresAt   timestamp   `db:"expires_at"`
	StepAt      timestamp   `db:"expiry_step_at"` // not of past enrolments
	FirstAt     timestamp   `db:"first_at"`       // likewise
	GrantEndsAt timestamp   `db:"grant_expires_at"`
	HasOverride bool        `db:"has_override"`
	OpenAll     bool        `db:"open_all"`
	DecidedBy   optionalKey `db:"override_by"`
	DecidedAt   timestamp   `db:"override_at"`
	WhyDecided  string      `db:"override_reason"`
}

// addTo sets the access of an enrolment.
func (r accessRow) addTo(e *study.Enrollment) {
	e.ExpiresAt, e.StepAt, e.FirstAt = r.ExpiresAt.Time(), r.StepAt.Time(), r.FirstAt.Time()
	e.GrantExpiresAt = r.GrantEndsAt.Time()
	e.Override = study.Override{
		HasOverride: r.HasOverride,
		OpenAll:     r.OpenAll,
		DecidedBy:   string(r.DecidedBy),
		DecidedAt:   r.DecidedAt.Time(),
		WhyDecided:  r.WhyDecided,
	}
}

const enrollmentColumns = `user_id, course_id, purchase_id, COALESCE(reason, '') AS reason,
	granted_by, granted_at, created_at, metadata, expires_at, grant_expires_at, has_override,
	open_all, override_by, override_at, COALESCE(override_reason, '') AS override_reason`

// presentColumns are those that past enrolments do not have.
const presentColumns = `, expiry_step_at, first_at`

func (r *enrollmentRow) enrollment() study.Enrollment {
	e := study.Enrollment{
		UserID:     r.UserID,
		CourseID:   r.CourseID,
		PurchaseID: r.PurchaseID,
		Reason:     r.Reason,
		GrantedBy:  string(r.GrantedBy),
		GrantedAt:  r.GrantedAt.Time(),
		CreatedAt:  r.CreatedAt.Time(),
		Metadata:   core.Metadata(r.Metadata),
	}
	r.addTo(&e)
	return e
}

// Enrollment returns ErrNoRecord if the user is not enrolled.
func (r reader) Enrollment(
	ctx context.Context, userID, courseID string,
) (study.Enrollment, error) {
	var row enrollmentRow
	err := r.q.Get(ctx, "read an enrolment", &row, `
		SELECT `+enrollmentColumns+presentColumns+` FROM {enrollments}
		WHERE user_id = ? AND course_id = ?`,
		key(userID), key(courseID))
	return row.enrollment(), err // zero after an error
}

// InsertEnrollment returns ErrDuplicate if the user is enrolled.
func (t *tx) InsertEnrollment(ctx context.Context, e study.Enrollment) error {
	return t.Insert(ctx, "insert an enrolment", `
		INSERT INTO {enrollments} (user_id, course_id, purchase_id, reason, granted_by, granted_at,
			created_at, metadata, expires_at, expiry_step_at, grant_expires_at, has_override,
			open_all, override_by, override_at, override_reason, first_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		key(e.UserID), key(e.CourseID), key(e.PurchaseID), optionalText(e.Reason),
		optionalKey(e.GrantedBy), optional(e.GrantedAt), timestamp(e.CreatedAt),
		metadata(e.Metadata), optional(e.ExpiresAt), optional(e.StepAt),
		optional(e.GrantExpiresAt), e.HasOverride, e.OpenAll, optionalKey(e.DecidedBy),
		optional(e.DecidedAt), optionalText(e.WhyDecided), optional(e.FirstAt))
}

// SetExpiry sets the end of an enrolment. It returns ErrNoRecord if there is none.
func (t *tx) SetExpiry(ctx context.Context, e study.Enrollment) error {
	return t.MustUpdate(ctx, "set the end of an enrolment", `
		UPDATE {enrollments} SET expires_at = ?, expiry_step_at = ?
		WHERE user_id = ? AND course_id = ?`,
		optional(e.ExpiresAt), optional(e.StepAt), key(e.UserID), key(e.CourseID))
}

// DueExpiries reads the beginning of an index.
func (r reader) DueExpiries(
	ctx context.Context, until time.Time, limit int,
) (due []study.EnrollmentKey, err error) {
	var e study.EnrollmentKey
	err = r.q.Each(ctx, "list the enrolments whose access ends", []any{&e.UserID, &e.CourseID},
		func() error { due = append(due, e); return nil }, `
		SELECT user_id, course_id FROM {enrollments}
		WHERE expiry_step_at <= ? ORDER BY expiry_step_at, user_id, course_id LIMIT ?`,
		timestamp(until), limit)
	return due, err
}

// Studied reads all that is asked for with one statement, because the player asks it for each page.
func (r reader) Studied(ctx context.Context, q study.StudiedQuery) (study.Studied, error) {
	const completed, submitted, positioned = "0", "1", "2"
	query, args := "", []any(nil)
	add := func(kind, milliseconds, table, more string) {
		if query != "" {
			query += " UNION ALL "
		}
		query += "SELECT " + kind + ", lecture_id, " + milliseconds + " FROM " + table +
			" WHERE user_id = ? AND course_id = ?" + more
		args = append(args, key(q.UserID), key(q.CourseID))
	}
	add(completed, "0", "{completed_lectures}", "")
	if q.Submitted {
		add(submitted, "0", "{submissions}", " AND status <> 'draft'")
	}
	if q.Positions {
		add(positioned, "milliseconds", "{lecture_positions}", "")
	}

	studied := study.Studied{Completed: map[string]bool{}, Submitted: map[string]bool{},
		Positions: map[string]core.Milliseconds{}}
	var kind, lectureID string
	var position core.Milliseconds
	err := r.q.Each(ctx, "read what a student has done", []any{&kind, &lectureID, &position},
		func() error {
			switch kind {
			case completed:
				studied.Completed[lectureID] = true
			case submitted:
				studied.Submitted[lectureID] = true
			default:
				studied.Positions[lectureID] = position
			}
			return nil
		}, query, args...)
	return studied, err
}

// FirstEnrollment reads an index, of which a user has few rows.
func (t *tx) FirstEnrollment(
	ctx context.Context, userID, courseID string,
) (at time.Time, err error) {
	var first timestamp
	err = t.q.Get(ctx, "read the first enrolment in a course", &first, `
		SELECT MIN(created_at) FROM {past_enrollments} WHERE user_id = ? AND course_id = ?`,
		key(userID), key(courseID))
	return first.Time(), err
}

// UpdateEnrollment sets all but the time, the end and the metadata of the enrolment. It returns
// ErrNoRecord if there is none.
func (t *tx) UpdateEnrollment(ctx context.Context, e study.Enrollment) error {
	return t.MustUpdate(ctx, "update an enrolment", `
		UPDATE {enrollments} SET purchase_id = ?, reason = ?, granted_by = ?, granted_at = ?,
			grant_expires_at = ?, has_override = ?, open_all = ?, override_by = ?, override_at = ?,
			override_reason = ?
		WHERE user_id = ? AND course_id = ?`,
		storedKey(e.PurchaseID), optionalText(e.Reason), optionalKey(e.GrantedBy),
		optional(e.GrantedAt), optional(e.GrantExpiresAt), e.HasOverride, e.OpenAll,
		optionalKey(e.DecidedBy), optional(e.DecidedAt), optionalText(e.WhyDecided),
		key(e.UserID), key(e.CourseID))
}

func (t *tx) SetEnrollmentMetadata(
	ctx context.Context, userID, courseID string, m core.Metadata,
) (bool, error) {
	return t.Update(ctx, "set the metadata of an enrolment",
		`UPDATE {enrollments} SET metadata = ? WHERE user_id = ? AND course_id = ?`,
		metadata(m), key(userID), key(courseID))
}

// enrolledRow is a course that a user is enrolled in.
type enrolledRow struct {
	courseRow
	Stars         *int      `db:"stars"`  // nil if the user has not rated it
	Review        string    `db:"review"` // only where reviewColumn is selected
	EnrolledAt    timestamp `db:"enrolled_at"`
	LastLectureID string    `db:"last_lecture_id"`
	LastActiveAt  timestamp `db:"last_active_at"`
	ExpiresAt     timestamp `db:"expires_at"`
	OpenAll       bool      `db:"open_all"`
	FirstAt       timestamp `db:"first_at"`
}

// reviewColumn is the column of what the user wrote, which lists do not read: it may be long.
const reviewColumn = `, COALESCE(r.review, '') AS review`

// selectEnrolled returns the beginning of a query for rows of enrolledRow. more is a further
// column, or ""; hint is one for the enrolments, or "".
func selectEnrolled(more, hint string) string {
	return `SELECT` + courseColumns + more + `, r.stars, e.created_at AS enrolled_at,
		COALESCE(e.last_lecture_id, '') AS last_lecture_id, e.last_active_at,
		e.expires_at, e.open_all, e.first_at
	FROM {enrollments} e` + hint + ` JOIN {courses} c ON c.id = e.course_id
		LEFT JOIN {users} u ON u.id = c.educator_id
		LEFT JOIN {ratings} r ON r.user_id = e.user_id AND r.course_id = e.course_id`
}

func (r *enrolledRow) enrolled() study.EnrolledCourse {
	c := study.EnrolledCourse{Course: r.course(), Review: r.Review,
		EnrolledAt: r.EnrolledAt.Time(), LastLectureID: r.LastLectureID,
		LastActiveAt: r.LastActiveAt.Time(), ExpiresAt: r.ExpiresAt.Time(), OpenAll: r.OpenAll,
		FirstAt: r.FirstAt.Time()}
	if r.Stars != nil {
		c.Stars = *r.Stars
	}
	return c
}

// EnrolledCourses lists a page of the courses of a student in the order of the enrolments, the
// oldest first.
func (r reader) EnrolledCourses(
	ctx context.Context, userID string, page core.PageRequest,
) ([]study.EnrolledCourse, error) {
	return r.enrolledCourses(ctx, "list the courses of a student", userID, "enrollments_by_user",
		order{columns: []string{"e.created_at", "e.course_id"}, descending: false}, page)
}

// enrolledCourses lists a page of the courses of a student in an order, which an index has.
func (r reader) enrolledCourses(
	ctx context.Context, action, userID, index string, o order, page core.PageRequest,
) ([]study.EnrolledCourse, error) {
	var f filter
	f.add(`e.user_id = ?`, key(userID))
	clauses, args := r.engine().pageClauses(f, o, page)
	var rows []enrolledRow
	err := r.q.List(ctx, action, &rows,
		selectEnrolled("", r.engine().pageHint(index, page))+clauses, args...)
	if err != nil {
		return nil, err
	}
	list := make([]study.EnrolledCourse, len(rows))
	for i := range rows {
		list[i] = rows[i].enrolled()
	}
	return list, nil
}

// EnrolledCourse returns ErrNoRecord if the user is not enrolled, or if there is no such course.
func (r reader) EnrolledCourse(
	ctx context.Context, userID, courseID string,
) (study.EnrolledCourse, error) {
	var row enrolledRow
	if err := r.q.Get(ctx, "read a course of a student", &row,
		selectEnrolled(reviewColumn, "")+` WHERE e.user_id = ? AND e.course_id = ?`, key(userID),
		key(courseID)); err != nil {
		return study.EnrolledCourse{}, err
	}
	return row.enrolled(), nil
}
