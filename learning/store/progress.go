package store

import (
	"context"

	"github.com/openlectern/learning/learning"
)

// CompletedLectures lists the lectures of a course that a person has completed, in
// the order of time, by id on a tie.
func (r reader) CompletedLectures(ctx context.Context, userID, courseID string) ([]learning.CompletedLecture, error) {
	var rows []struct {
		LectureID string `db:"lecture_id"`
		At        stamp  `db:"completed_at"`
	}
	err := r.q.list(ctx, "list the completed lectures", &rows, `
		SELECT lecture_id, completed_at FROM completed_lectures WHERE user_id = ? AND course_id = ?
		ORDER BY completed_at, lecture_id`, key(userID), key(courseID))
	if err != nil {
		return nil, err
	}
	list := make([]learning.CompletedLecture, len(rows))
	for i, row := range rows {
		list[i] = learning.CompletedLecture{LectureID: row.LectureID, At: row.At.time()}
	}
	return list, nil
}

// InsertCompletedLecture adds one; learning.ErrDuplicate when it is completed.
func (t *tx) InsertCompletedLecture(ctx context.Context, userID, courseID string, l learning.CompletedLecture) error {
	return t.insert(ctx, "insert a completed lecture", `
		INSERT INTO completed_lectures (user_id, course_id, lecture_id, completed_at) VALUES (?, ?, ?, ?)`,
		key(userID), key(courseID), key(l.LectureID), stamp(l.At))
}
