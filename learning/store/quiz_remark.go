package store

import (
	"context"

	"github.com/openlectern/openlectern/learning/assess"
)

type remarkRow struct {
	CourseID  string        `db:"course_id"`
	ChapterID string        `db:"chapter_id"`
	Version   int64         `db:"version"`
	Mode      assess.Remark `db:"mode"`
	IsWaiting bool          `db:"is_waiting"`
	After     string        `db:"after_user_id"`
	CreatedAt timestamp     `db:"created_at"`
}

const selectRemarks = `
	SELECT course_id, chapter_id, version, mode, is_waiting, after_user_id, created_at
	FROM {quiz_remarks}`

func (r *remarkRow) remark() assess.QuizRemark {
	return assess.QuizRemark{
		CourseID:  r.CourseID,
		ChapterID: r.ChapterID,
		Version:   r.Version,
		Mode:      r.Mode,
		IsWaiting: r.IsWaiting,
		After:     r.After,
		CreatedAt: r.CreatedAt.Time(),
	}
}

func (r reader) QuizRemark(
	ctx context.Context, courseID, chapterID string,
) (assess.QuizRemark, error) {
	var row remarkRow
	err := r.q.Get(ctx, "read what is marked anew", &row,
		selectRemarks+` WHERE course_id = ? AND chapter_id = ?`, key(courseID), key(chapterID))
	if err != nil {
		return assess.QuizRemark{}, err
	}
	return row.remark(), nil
}

func (r reader) RemarksWaiting(
	ctx context.Context, limit int,
) (list []assess.QuizRemark, err error) {
	var rows []remarkRow
	err = r.q.List(ctx, "list what is marked anew", &rows, selectRemarks+`
		WHERE is_waiting = 1 ORDER BY created_at, course_id, chapter_id LIMIT ?`, limit)
	for i := range rows {
		list = append(list, rows[i].remark())
	}
	return list, err
}

func (r reader) RemarksWait(ctx context.Context) (bool, error) {
	return r.exists(ctx, "look for quizzes to mark anew",
		`SELECT 1 FROM {quiz_remarks} WHERE is_waiting = 1 LIMIT 1`)
}

func (r reader) AttemptStudents(
	ctx context.Context, remark assess.QuizRemark, limit int,
) (userIDs []string, err error) {
	err = r.q.List(ctx, "list the students of a quiz", &userIDs, `
		SELECT DISTINCT user_id FROM {quiz_attempts}
		WHERE course_id = ? AND chapter_id = ? AND user_id > ? ORDER BY user_id LIMIT ?`,
		key(remark.CourseID), key(remark.ChapterID), key(remark.After), limit)
	return userIDs, err
}

func (r reader) AttemptsToRemark(
	ctx context.Context, remark assess.QuizRemark, userID string, after, limit int,
) ([]assess.AttemptState, error) {
	var rows []struct {
		attemptRow
		Score      int            `db:"score"`
		Total      int            `db:"total"`
		Percentage int            `db:"percentage"`
		Mastery    assess.Mastery `db:"mastery"`
		Passed     bool           `db:"is_passed"`
		MarkedAt   timestamp      `db:"marked_at"`
		Took       int64          `db:"milliseconds"`
		Marked     []byte         `db:"marked"` // NULL in a result of an earlier version
	}
	err := r.q.List(ctx, "list the attempts to mark anew", &rows, `
		SELECT `+attemptColumns+`, r.score, r.total, r.percentage, r.mastery, r.is_passed,
			r.created_at AS marked_at, COALESCE(r.milliseconds, 0) AS milliseconds,
			r.questions AS marked`+joinAttempt+`
		JOIN {quiz_results} r ON r.id = a.id
		WHERE a.user_id = ? AND a.course_id = ? AND a.chapter_id = ? AND a.number > ?
			AND a.version < ? AND a.submitted_at IS NOT NULL
		ORDER BY a.number LIMIT ?`,
		key(userID), key(remark.CourseID), key(remark.ChapterID), after, remark.Version, limit)
	if err != nil {
		return nil, err
	}
	list := make([]assess.AttemptState, len(rows))
	for i := range rows {
		row := &rows[i]
		if list[i].QuizAttempt, err = row.attempt(); err != nil {
			return nil, err
		}
		score := quizScoreRow{ID: row.ID, Version: row.Version, Score: row.Score, Total: row.Total,
			Percentage: row.Percentage, Mastery: row.Mastery, Passed: row.Passed,
			CreatedAt: row.MarkedAt, StartedAt: row.StartedAt, Took: row.Took}
		result := score.result(row.UserID, row.CourseID, row.ChapterID)
		if row.Marked != nil {
			if result.Marked, err = parseMarked(row.Marked); err != nil {
				return nil, err
			}
		}
		list[i].Result = &result
	}
	return list, nil
}

func (t *tx) SetQuizRemark(ctx context.Context, r assess.QuizRemark) error {
	_, err := t.Exec(ctx, "have a quiz marked anew", `
		INSERT INTO {quiz_remarks} (course_id, chapter_id, version, mode, is_waiting, after_user_id,
			created_at)
		VALUES (?, ?, ?, ?, ?, ?, ?)`+t.Dialect().ReplaceRow([]string{"course_id", "chapter_id"},
		[]string{"version", "mode", "is_waiting", "after_user_id", "created_at"}),
		key(r.CourseID), key(r.ChapterID), r.Version, string(r.Mode), r.IsWaiting, key(r.After),
		timestamp(r.CreatedAt))
	return err
}

func (t *tx) MoveQuizRemark(
	ctx context.Context, from string, r assess.QuizRemark,
) (bool, error) {
	return t.Update(ctx, "go on with marking a quiz anew", `
		UPDATE {quiz_remarks} SET is_waiting = ?, after_user_id = ?
		WHERE course_id = ? AND chapter_id = ? AND version = ? AND is_waiting = 1
			AND after_user_id = ?`,
		r.IsWaiting, storedKey(r.After), key(r.CourseID), key(r.ChapterID), r.Version, key(from))
}

func (t *tx) ReplaceQuizMark(ctx context.Context, r assess.QuizResult) error {
	questions, err := formatMarked(r.Marked)
	if err != nil {
		return err
	}
	return t.MustUpdate(ctx, "mark a result anew", `
		UPDATE {quiz_results} SET score = ?, total = ?, percentage = ?, mastery = ?, is_passed = ?,
			recommendations = ?, questions = ?
		WHERE id = ?`,
		r.Score, r.Total, r.Percentage, string(r.Mastery), r.Passed, r.Recommendations, questions,
		key(r.ID))
}

func (t *tx) SetAttemptQuestions(
	ctx context.Context, id string, questions []assess.Question,
) error {
	text, err := formatQuestions(questions)
	if err != nil {
		return err
	}
	return t.MustUpdate(ctx, "give an attempt another key",
		`UPDATE {quiz_attempts} SET questions = ? WHERE id = ?`, text, key(id))
}

func (t *tx) DeleteQuizRemarks(ctx context.Context, courseID string) error {
	_, err := t.Exec(ctx, "delete what is marked anew of a course",
		`DELETE FROM {quiz_remarks} WHERE course_id = ?`, key(courseID))
	return err
}
