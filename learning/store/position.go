package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

// enrolmentsOf returns the condition that a row is the enrolment of one of the positions, and its
// arguments.
func (d dialect) enrolmentsOf(list []study.LecturePosition) (condition string, args []any) {
	for _, p := range list {
		args = append(args, key(p.UserID), key(p.CourseID))
	}
	if len(list) == 1 { // for a list of one, an UPDATE of MariaDB would read and lock all rows
		return `e.user_id = ? AND e.course_id = ?`, args
	}
	return `(e.user_id, e.course_id) IN (` + d.RowList + `(?, ?)` +
		strings.Repeat(`, (?, ?)`, len(list)-1) + `)`, args
}

func (r reader) EnrolledVersions(
	ctx context.Context, list []study.LecturePosition, now time.Time,
) (map[study.EnrollmentKey]study.EnrolledVersion, error) {
	found := map[study.EnrollmentKey]study.EnrolledVersion{}
	var e study.EnrollmentKey
	var number int64
	var updatedAt timestamp
	var terms storedTerms
	enrolments, args := r.engine().enrolmentsOf(list)
	err := r.q.Each(ctx, "read the versions of courses of students",
		[]any{&e.UserID, &e.CourseID, &number, &updatedAt, &terms}, func() error {
			found[e] = study.EnrolledVersion{
				CourseVersion: catalog.CourseVersion{Number: number, UpdatedAt: updatedAt.Time()},
				IsGated:       terms.InOrder || terms.HasOpenings,
			}
			return nil
		}, `
		SELECT e.user_id, e.course_id, c.version, c.updated_at, c.terms
		FROM {enrollments} e`+r.engine().ForceIndex("PRIMARY")+`
			JOIN {courses} c ON c.id = e.course_id
			LEFT JOIN {users} u ON u.id = e.user_id
		WHERE `+enrolments+` AND u.deleted_at IS NULL
			AND (e.expires_at IS NULL OR e.expires_at > ?)`, append(args, timestamp(now))...)
	return found, err
}

// LectureIDsOf reads idBatchSize courses at a time, and holds one content at a time in memory.
func (r reader) LectureIDsOf(
	ctx context.Context, courseIDs []string,
) (map[string][]string, error) {
	byCourse := map[string][]string{}
	var courseID string
	var content []byte
	for chunk := range slices.Chunk(courseIDs, idBatchSize) {
		err := r.q.Each(ctx, "read the lectures of courses", []any{&courseID, &content},
			func() (err error) {
				byCourse[courseID], err = parseLectureIDs(content)
				return err
			}, `
			SELECT course_id, content FROM {course_contents}
			WHERE course_id IN (`+placeholders(idBatchSize)+`)`,
			batchArgs(chunk)...)
		if err != nil {
			return nil, err
		}
	}
	return byCourse, nil
}

// CompletedLecturesOf reads those of idBatchSize courses at a time.
func (r reader) CompletedLecturesOf(
	ctx context.Context, userID string, courseIDs []string,
) (map[string][]string, error) {
	byCourse := map[string][]string{}
	var courseID, lectureID string
	for chunk := range slices.Chunk(courseIDs, idBatchSize) {
		err := r.q.Each(ctx, "list the completed lectures of courses",
			[]any{&courseID, &lectureID}, func() error {
				byCourse[courseID] = append(byCourse[courseID], lectureID)
				return nil
			}, `
			SELECT course_id, lecture_id FROM {completed_lectures}
			WHERE user_id = ? AND course_id IN (`+placeholders(idBatchSize)+`)`,
			append([]any{key(userID)}, batchArgs(chunk)...)...)
		if err != nil {
			return nil, err
		}
	}
	return byCourse, nil
}

func (r reader) Positions(
	ctx context.Context, userID, courseID string,
) (map[string]core.Milliseconds, error) {
	byLecture := map[string]core.Milliseconds{}
	var lectureID string
	var at core.Milliseconds
	err := r.q.Each(ctx, "list positions", []any{&lectureID, &at}, func() error {
		byLecture[lectureID] = at
		return nil
	}, `
		SELECT lecture_id, milliseconds FROM {lecture_positions}
		WHERE user_id = ? AND course_id = ?`, key(userID), key(courseID))
	return byLecture, err
}

// RecentCourses lists a page of the courses of a student, the one that was used last first.
func (r reader) RecentCourses(
	ctx context.Context, userID string, page core.PageRequest,
) ([]study.EnrolledCourse, error) {
	return r.enrolledCourses(ctx, "list the recent courses of a student", userID,
		"enrollments_by_activity",
		order{columns: []string{"e.recent_at", "e.course_id"}, descending: true}, page)
}

// SetLastLectures runs one UPDATE for all enrolments. MySQL and MariaDB need the hint: they would
// look at the rows of each user in all indexes first, which takes ten times longer.
func (t *tx) SetLastLectures(ctx context.Context, list []study.LecturePosition) error {
	last := list[0].SavedAt
	var args []any
	for _, p := range list {
		if p.SavedAt.After(last) {
			last = p.SavedAt
		}
		args = append(args, key(p.UserID), key(p.CourseID), storedKey(p.LectureID))
	}
	enrolments, pairs := t.engine().enrolmentsOf(list)
	_, err := t.Exec(ctx, "set the last lectures of enrolments", `
		UPDATE {enrollments} AS e`+t.engine().ForceIndex("PRIMARY")+`
		SET last_lecture_id = CASE`+
		strings.Repeat(` WHEN e.user_id = ? AND e.course_id = ? THEN ?`, len(list))+` END,
			last_active_at = ?
		WHERE `+enrolments, append(append(args, timestamp(last)), pairs...)...)
	return err
}

var (
	positionKey    = []string{"user_id", "course_id", "lecture_id"}
	positionValues = []string{"milliseconds", "saved_at"}
)

// ReplacePositions runs one INSERT for all positions.
func (t *tx) ReplacePositions(ctx context.Context, list []study.LecturePosition) error {
	var args []any
	for _, p := range list {
		args = append(args, key(p.UserID), key(p.CourseID), key(p.LectureID), p.At,
			timestamp(p.SavedAt))
	}
	_, err := t.Exec(ctx, "replace positions", `
		INSERT INTO {lecture_positions} (user_id, course_id, lecture_id, milliseconds, saved_at)
		VALUES (?, ?, ?, ?, ?)`+strings.Repeat(`, (?, ?, ?, ?, ?)`, len(list)-1)+
		t.Dialect().ReplaceRow(positionKey, positionValues), args...)
	return err
}

// ForgetLastLectures changes all enrolments of the user, also those without a last lecture, so that
// it waits for transactions that set one.
func (t *tx) ForgetLastLectures(ctx context.Context, userID string) error {
	_, err := t.Exec(ctx, "remove the last lectures of a user", `
		UPDATE {enrollments} SET last_lecture_id = NULL, last_active_at = NULL WHERE user_id = ?`,
		key(userID))
	return err
}
