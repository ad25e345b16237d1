package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/openlectern/openlectern/learning/study"
)

// CompletedLectures lists the lectures in the order of their completion.
func (r reader) CompletedLectures(
	ctx context.Context, userID, courseID string,
) ([]study.CompletedLecture, error) {
	var rows []struct {
		LectureID string    `db:"lecture_id"`
		At        timestamp `db:"completed_at"`
	}
	err := r.q.List(ctx, "list the completed lectures", &rows, `
		SELECT lecture_id, completed_at FROM {completed_lectures}
		WHERE user_id = ? AND course_id = ?
		ORDER BY completed_at, lecture_id`, key(userID), key(courseID))
	if err != nil {
		return nil, err
	}
	list := make([]study.CompletedLecture, len(rows))
	for i, row := range rows {
		list[i] = study.CompletedLecture{LectureID: row.LectureID, At: row.At.Time()}
	}
	return list, nil
}

// CourseCompleted reports whether there is a completion.
func (r reader) CourseCompleted(ctx context.Context, userID, courseID string) (bool, error) {
	return r.exists(ctx, "read the completion of a course",
		`SELECT 1 FROM {course_completions} WHERE user_id = ? AND course_id = ?`,
		key(userID), key(courseID))
}

// CompletedByCourse is CompletedLectures for all courses of a user. The keys are the ids of the
// courses; a course without a completed lecture is left out.
func (r reader) CompletedByCourse(
	ctx context.Context, userID string,
) (map[string][]study.CompletedLecture, error) {
	byCourse := map[string][]study.CompletedLecture{}
	var courseID, lectureID string
	var at timestamp
	err := r.q.Each(ctx, "list the completed lectures of all courses",
		[]any{&courseID, &lectureID, &at}, func() error {
			byCourse[courseID] = append(byCourse[courseID],
				study.CompletedLecture{LectureID: lectureID, At: at.Time()})
			return nil
		}, `
		SELECT course_id, lecture_id, completed_at
		FROM {completed_lectures}
		WHERE user_id = ?
		ORDER BY completed_at, lecture_id`,
		key(userID))
	return byCourse, err
}

// BegunLectureIDs returns the ids of all lectures of each course in which the user has completed a
// lecture, by the id of the course. A course that was deleted is left out. It holds one content at
// a time in memory.
func (r reader) BegunLectureIDs(ctx context.Context, userID string) (map[string][]string, error) {
	byCourse := map[string][]string{}
	var courseID string
	var content []byte
	err := r.q.Each(ctx, "read the lectures of begun courses", []any{&courseID, &content},
		func() (err error) {
			byCourse[courseID], err = parseLectureIDs(content)
			return err
		}, `
		SELECT cc.course_id, cc.content
		FROM (SELECT DISTINCT course_id FROM {completed_lectures} WHERE user_id = ?) l
		JOIN {course_contents} cc ON cc.course_id = l.course_id`,
		key(userID))
	return byCourse, err
}

// CompletionsOf reads those of idBatchSize enrolments at a time. It repeats the last one to fill a
// batch.
func (r reader) CompletionsOf(
	ctx context.Context, list []study.EnrollmentKey,
) (map[study.EnrollmentKey][]string, error) {
	completed := map[study.EnrollmentKey][]string{}
	var e study.EnrollmentKey
	var lectureID string
	for chunk := range slices.Chunk(list, idBatchSize) {
		var args []any
		for i := range idBatchSize {
			of := chunk[min(i, len(chunk)-1)]
			args = append(args, key(of.UserID), key(of.CourseID))
		}
		err := r.q.Each(ctx, "list the completed lectures of students",
			[]any{&e.UserID, &e.CourseID, &lectureID}, func() error {
				completed[e] = append(completed[e], lectureID)
				return nil
			}, `
			SELECT user_id, course_id, lecture_id FROM {completed_lectures}
			WHERE (user_id, course_id) IN (`+r.engine().RowList+`(?, ?)`+
				strings.Repeat(`, (?, ?)`, idBatchSize-1)+`)`, args...)
		if err != nil {
			return nil, err
		}
	}
	return completed, nil
}

func (t *tx) SetLastActivity(
	ctx context.Context, userID, courseID string, at time.Time,
) error {
	_, err := t.Exec(ctx, "set the last activity of an enrolment", `
		UPDATE {enrollments}
		SET last_active_at = CASE WHEN last_active_at > ? THEN last_active_at ELSE ? END
		WHERE user_id = ? AND course_id = ?`,
		timestamp(at), timestamp(at), key(userID), key(courseID))
	return err
}

// InsertCompletedLecture returns ErrDuplicate if the lecture is completed already.
func (t *tx) InsertCompletedLecture(
	ctx context.Context, userID, courseID string, l study.CompletedLecture,
) error {
	return t.Insert(ctx, "insert a completed lecture", `
		INSERT INTO {completed_lectures} (user_id, course_id, lecture_id, completed_at)
		VALUES (?, ?, ?, ?)`,
		key(userID), key(courseID), key(l.LectureID), timestamp(l.At))
}

func (t *tx) DeleteCompletedLecture(
	ctx context.Context, userID, courseID, lectureID string,
) error {
	_, err := t.Exec(ctx, "delete a completed lecture", `
		DELETE FROM {completed_lectures} WHERE user_id = ? AND course_id = ? AND lecture_id = ?`,
		key(userID), key(courseID), key(lectureID))
	return err
}

// InsertCourseCompletion returns ErrDuplicate if the completion is stored already.
func (t *tx) InsertCourseCompletion(
	ctx context.Context, userID, courseID string, at time.Time,
) error {
	return t.Insert(ctx, "insert the completion of a course", `
		INSERT INTO {course_completions} (user_id, course_id, completed_at) VALUES (?, ?, ?)`,
		key(userID), key(courseID), timestamp(at))
}
