package store

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/due"
)

type dueRow struct {
	ID         string    `db:"id"`
	CourseID   string    `db:"course_id"`
	LectureID  string    `db:"lecture_id"`
	AfterDays  int       `db:"after_days"`
	DueAt      timestamp `db:"due_at"`
	NextAt     timestamp `db:"next_at"`
	ToldAt     timestamp `db:"told_at"`
	ToldUserID string    `db:"told_user_id"`
}

const selectDues = `
	SELECT id, course_id, lecture_id, COALESCE(after_days, 0) AS after_days, due_at, next_at,
		told_at, told_user_id
	FROM {assignment_dues}`

// dues reads due times.
func (r reader) dues(
	ctx context.Context, what, clauses string, args ...any,
) (list []due.AssignmentDue, err error) {
	var rows []dueRow
	err = r.q.List(ctx, what, &rows, selectDues+clauses, args...)
	for _, row := range rows {
		list = append(list, due.AssignmentDue{
			ID:        row.ID,
			CourseID:  row.CourseID,
			LectureID: row.LectureID,
			AfterDays: row.AfterDays,
			DueAt:     row.DueAt.Time(),
			NextAt:    row.NextAt.Time(),
			ToldTo:    core.Position{At: row.ToldAt.Time(), ID: row.ToldUserID},
		})
	}
	return list, err
}

func (r reader) DuesOf(ctx context.Context, courseID string) ([]due.AssignmentDue, error) {
	return r.dues(ctx, "list the due times of a course", ` WHERE course_id = ?`, key(courseID))
}

func (r reader) DuesAt(
	ctx context.Context, now time.Time, limit int,
) ([]due.AssignmentDue, error) {
	return r.dues(ctx, "list due times", `
		WHERE next_at <= ? ORDER BY next_at, course_id, lecture_id LIMIT ?`, timestamp(now), limit)
}

func (r reader) StudentsDue(
	ctx context.Context, d due.AssignmentDue, w due.DueWindow, limit int,
) ([]core.Position, error) {
	var f filter
	f.add(`e.course_id = ?`, key(d.CourseID))
	f.add(`e.created_at >= ?`, timestamp(w.From))
	f.add(`e.created_at < ?`, timestamp(w.Until))
	f.add(`(e.expires_at IS NULL OR e.expires_at > ?)`, timestamp(w.Now))
	f.add(`NOT EXISTS (SELECT 1 FROM {submissions} s WHERE s.user_id = e.user_id
		AND s.course_id = e.course_id AND s.lecture_id = ? AND s.submitted_at IS NOT NULL)`,
		key(d.LectureID))
	return r.studentsToTell(ctx, "list the students to tell of a due time", f,
		core.PageRequest{After: d.ToldTo, Limit: limit})
}

func (r reader) FirstEnrolled(
	ctx context.Context, courseID string, since time.Time,
) (time.Time, error) {
	var at timestamp
	err := r.q.Get(ctx, "read the first enrolment since a time", &at, `
		SELECT created_at FROM {enrollments} WHERE course_id = ? AND created_at >= ?
		ORDER BY created_at LIMIT 1`, key(courseID), timestamp(since))
	if errors.Is(err, core.ErrNoRecord) {
		err = nil
	}
	return at.Time(), err
}

// dueColumns are the columns of a due time, those of the primary key first.
var dueColumns = []string{"course_id", "lecture_id", "id", "after_days", "due_at", "next_at",
	"told_at", "told_user_id"}

// SetDues stores idBatchSize at a time.
func (t *tx) SetDues(ctx context.Context, list []due.AssignmentDue) error {
	row := `(` + placeholders(len(dueColumns)) + `)`
	for chunk := range slices.Chunk(list, idBatchSize) {
		var args []any
		for _, d := range chunk {
			var days *int
			if d.AfterDays > 0 {
				days = &d.AfterDays
			}
			args = append(args, key(d.CourseID), key(d.LectureID), key(d.ID), days,
				optional(d.DueAt), optional(d.NextAt), optional(d.ToldTo.At), key(d.ToldTo.ID))
		}
		_, err := t.Exec(ctx, "store due times", `
			INSERT INTO {assignment_dues} (`+strings.Join(dueColumns, `, `)+`)
			VALUES `+row+strings.Repeat(`, `+row, len(chunk)-1)+
			t.Dialect().ReplaceRow(dueColumns[:2], dueColumns[2:]), args...)
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) MoveDue(ctx context.Context, from, to due.AssignmentDue) (bool, error) {
	return t.Update(ctx, "move a due time", `
		UPDATE {assignment_dues} SET next_at = ?, told_at = ?, told_user_id = ?
		WHERE course_id = ? AND lecture_id = ? AND next_at = ? AND told_user_id = ?`,
		optional(to.NextAt), optional(to.ToldTo.At), storedKey(to.ToldTo.ID), key(from.CourseID),
		key(from.LectureID), timestamp(from.NextAt), key(from.ToldTo.ID))
}

// DeleteDuesIn deletes idBatchSize at a time.
func (t *tx) DeleteDuesIn(ctx context.Context, courseID string, lectureIDs []string) error {
	for chunk := range slices.Chunk(lectureIDs, idBatchSize) {
		_, err := t.Exec(ctx, "delete the due times of lectures", `
			DELETE FROM {assignment_dues}
			WHERE course_id = ? AND lecture_id IN (`+placeholders(idBatchSize)+`)`,
			append([]any{key(courseID)}, batchArgs(chunk)...)...)
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) DeleteDues(ctx context.Context, courseID string) error {
	_, err := t.Exec(ctx, "delete the due times of a course",
		`DELETE FROM {assignment_dues} WHERE course_id = ?`, key(courseID))
	return err
}
