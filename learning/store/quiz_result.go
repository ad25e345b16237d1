package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/core"
)

// quizScoreRow is a result without its answers and recommendations.
type quizScoreRow struct {
	ID         string         `db:"id"`
	Version    int64          `db:"version"`
	Score      int            `db:"score"`
	Total      int            `db:"total"`
	Percentage int            `db:"percentage"`
	Mastery    assess.Mastery `db:"mastery"`
	Passed     bool           `db:"is_passed"`
	CreatedAt  timestamp      `db:"created_at"`
	StartedAt  timestamp      `db:"started_at"`
	Took       int64          `db:"milliseconds"`
}

const quizScoreColumns = ` r.id, r.version, r.score, r.total, r.percentage, r.mastery, r.is_passed,
			r.created_at, r.started_at, COALESCE(r.milliseconds, 0) AS milliseconds`

// result returns the result of the row, with the ids that the row does not have.
func (r *quizScoreRow) result(userID, courseID, chapterID string) assess.QuizResult {
	return assess.QuizResult{
		ID:         r.ID,
		UserID:     userID,
		CourseID:   courseID,
		ChapterID:  chapterID,
		Version:    r.Version,
		Score:      r.Score,
		Total:      r.Total,
		Percentage: r.Percentage,
		Mastery:    r.Mastery,
		Passed:     r.Passed,
		CreatedAt:  r.CreatedAt.Time(),
		StartedAt:  r.StartedAt.Time(),
		Took:       core.Milliseconds(r.Took),
	}
}

type quizResultRow struct {
	quizScoreRow
	Answers         []byte `db:"answers"`
	Recommendations string `db:"recommendations"`
}

const quizResultColumns = quizScoreColumns + `, r.answers, r.recommendations`

// QuizResult reads a result with its ids.
func (r reader) QuizResult(ctx context.Context, id string) (assess.QuizResult, error) {
	var row struct {
		quizResultRow
		UserID    string `db:"user_id"`
		CourseID  string `db:"course_id"`
		ChapterID string `db:"chapter_id"`
	}
	err := r.q.Get(ctx, "read a quiz result", &row, `
		SELECT user_id, course_id, chapter_id,`+quizResultColumns+`
		FROM {quiz_results} r WHERE id = ?`, key(id))
	if err != nil {
		return assess.QuizResult{}, err
	}
	return row.result(row.UserID, row.CourseID, row.ChapterID)
}

func (r reader) CountQuizResults(
	ctx context.Context, userID, courseID, chapterID string,
) (n int, err error) {
	err = r.q.Get(ctx, "count the results of a quiz", &n, `
		SELECT COUNT(*) FROM {quiz_results}
		WHERE user_id = ? AND course_id = ? AND chapter_id = ?`,
		key(userID), key(courseID), key(chapterID))
	return n, err
}

// UnpassedQuizzes ignores quizzes that were removed.
func (r reader) UnpassedQuizzes(
	ctx context.Context, userID, courseID string,
) (chapterIDs []string, err error) {
	err = r.q.List(ctx, "list the quizzes that a user has not passed", &chapterIDs, `
		SELECT q.chapter_id FROM {quizzes} q
		WHERE q.course_id = ? AND q.is_removed = 0 AND q.is_by_hand = 1
			AND NOT EXISTS (SELECT 1 FROM {quiz_results} r WHERE r.user_id = ?
				AND r.course_id = q.course_id AND r.chapter_id = q.chapter_id
				AND r.is_passed = 1)
		ORDER BY q.chapter_id`,
		key(courseID), key(userID))
	return chapterIDs, err
}

// QuizResults lists the latest results first.
func (r reader) QuizResults(
	ctx context.Context, userID, courseID, chapterID string,
) ([]assess.QuizResult, error) {
	var rows []quizResultRow
	err := r.q.List(ctx, "list the results of a quiz", &rows, `
		SELECT`+quizResultColumns+`
		FROM {quiz_results} r
		WHERE user_id = ? AND course_id = ? AND chapter_id = ?
		ORDER BY created_at DESC, id DESC`,
		key(userID), key(courseID), key(chapterID))
	if err != nil {
		return nil, err
	}
	list := make([]assess.QuizResult, len(rows))
	for i := range rows {
		if list[i], err = rows[i].result(userID, courseID, chapterID); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (r reader) LatestQuizResult(
	ctx context.Context, userID, courseID, chapterID string,
) (assess.QuizResult, error) {
	var row quizResultRow
	err := r.q.Get(ctx, "read the latest result of a quiz", &row, `
		SELECT`+quizResultColumns+`
		FROM {quiz_results} r
		WHERE user_id = ? AND course_id = ? AND chapter_id = ?
		ORDER BY created_at DESC, id DESC LIMIT 1`,
		key(userID), key(courseID), key(chapterID))
	if err != nil {
		return assess.QuizResult{}, err
	}
	return row.result(userID, courseID, chapterID)
}

// result returns the result of the row, with the ids that the row does not have. It returns an
// error if the text of the answers is damaged.
func (r *quizResultRow) result(userID, courseID, chapterID string) (assess.QuizResult, error) {
	result := r.quizScoreRow.result(userID, courseID, chapterID)
	result.Recommendations = r.Recommendations
	if err := json.Unmarshal(r.Answers, &result.Answers); err != nil {
		return assess.QuizResult{}, fmt.Errorf("parse the answers of an attempt: %w", err)
	}
	return result, nil
}

// QuizMarks lists a page of the marks of a user in all courses, the latest first.
func (r reader) QuizMarks(
	ctx context.Context, userID string, page core.PageRequest,
) ([]assess.QuizMark, error) {
	var f filter
	f.add(`r.user_id = ?`, key(userID))
	return r.quizMarks(ctx, r.engine().pageHint("quiz_results_by_user", page), f, page)
}

// CourseQuizMarks lists all marks of a user in a course, the latest first.
func (r reader) CourseQuizMarks(
	ctx context.Context, userID, courseID string,
) ([]assess.QuizMark, error) {
	var f filter
	f.add(`r.user_id = ? AND r.course_id = ?`, key(userID), key(courseID))
	const noHint = ""
	wholeList := core.PageRequest{}
	return r.quizMarks(ctx, noHint, f, wholeList)
}

// quizMarks lists the marks that f selects. hint follows the table of the results. Each result
// has its quiz and its course: the outer joins make engines begin with the results, so that
// they read no more of them than a page.
func (r reader) quizMarks(
	ctx context.Context, hint string, f filter, page core.PageRequest,
) ([]assess.QuizMark, error) {
	clauses, args := r.engine().pageClauses(f,
		order{columns: []string{"r.created_at", "r.id"}, descending: true}, page)
	var rows []struct {
		ID           string         `db:"id"`
		CourseID     string         `db:"course_id"`
		ChapterID    string         `db:"chapter_id"`
		CourseTitle  string         `db:"course_title"`
		ChapterTitle string         `db:"chapter_title"`
		Percentage   int            `db:"percentage"`
		Mastery      assess.Mastery `db:"mastery"`
		Passed       bool           `db:"is_passed"`
		IsByHand     bool           `db:"is_by_hand"`
		CreatedAt    timestamp      `db:"created_at"`
		StartedAt    timestamp      `db:"started_at"`
	}
	err := r.q.List(ctx, "list a user's quiz results", &rows, `
		SELECT r.id, r.course_id, r.chapter_id, COALESCE(c.title, '') AS course_title,
			COALESCE(q.chapter_title, '') AS chapter_title, r.percentage, r.mastery, r.is_passed,
			COALESCE(q.is_by_hand, 0) AS is_by_hand, r.created_at, r.started_at
		FROM {quiz_results} r`+hint+
		` LEFT JOIN {quizzes} q ON q.course_id = r.course_id AND q.chapter_id = r.chapter_id
			LEFT JOIN {courses} c ON c.id = r.course_id`+clauses, args...)
	if err != nil {
		return nil, err
	}
	list := make([]assess.QuizMark, len(rows))
	for i, row := range rows {
		list[i] = assess.QuizMark{
			ID:           row.ID,
			CourseID:     row.CourseID,
			ChapterID:    row.ChapterID,
			CourseTitle:  row.CourseTitle,
			ChapterTitle: row.ChapterTitle,
			Percentage:   row.Percentage,
			Mastery:      row.Mastery,
			CreatedAt:    row.CreatedAt.Time(),
			IsAttempt:    !row.StartedAt.Time().IsZero(),
		}
		if row.IsByHand {
			list[i].Passed = &row.Passed
		}
	}
	return list, nil
}

// QuizInsights sums up the attempts of each quiz of an educator that was attempted, those with most
// attempts first. It reads the totals of quizzes: their part is the chapter, their number that of
// the attempts, and their amount the sum of the percentages.
func (r reader) QuizInsights(
	ctx context.Context, educatorID string,
) ([]assess.QuizInsight, error) {
	var rows []struct {
		CourseID     string `db:"course_id"`
		ChapterID    string `db:"chapter_id"`
		CourseTitle  string `db:"course_title"`
		ChapterTitle string `db:"chapter_title"`
		Attempts     int    `db:"attempts"`
		Percentages  int    `db:"percentages"`
		NeedsReview  int    `db:"needs_review"`
		OnTrack      int    `db:"on_track"`
		Mastered     int    `db:"mastered"`
	}
	err := r.q.List(ctx, "sum up the quizzes of an educator", &rows, `
		SELECT q.course_id, q.chapter_id, c.title AS course_title, q.chapter_title,
			SUM(t.number) AS attempts, SUM(t.amount) AS percentages,
			SUM(CASE WHEN t.kind = 'attempts needs_review' THEN t.number ELSE 0 END)
				AS needs_review,
			SUM(CASE WHEN t.kind = 'attempts on_track' THEN t.number ELSE 0 END) AS on_track,
			SUM(CASE WHEN t.kind = 'attempts mastered' THEN t.number ELSE 0 END) AS mastered
		FROM {courses} c JOIN {quizzes} q ON q.course_id = c.id
			JOIN {totals} t ON t.course_id = q.course_id AND t.part = q.chapter_id
			AND t.kind IN ('attempts needs_review', 'attempts on_track', 'attempts mastered')
		WHERE c.educator_id = ?
		GROUP BY q.course_id, q.chapter_id, c.title, q.chapter_title HAVING SUM(t.number) > 0
		ORDER BY attempts DESC, q.course_id, q.chapter_id`,
		key(educatorID))
	if err != nil {
		return nil, err
	}
	list := make([]assess.QuizInsight, len(rows))
	for i, row := range rows {
		list[i] = assess.QuizInsight{
			CourseID:     row.CourseID,
			ChapterID:    row.ChapterID,
			CourseTitle:  row.CourseTitle,
			ChapterTitle: row.ChapterTitle,
			Attempts:     row.Attempts,
			Percentages:  row.Percentages,
			NeedsReview:  row.NeedsReview,
			OnTrack:      row.OnTrack,
			Mastered:     row.Mastered,
		}
	}
	return list, nil
}

func (t *tx) InsertQuizResult(ctx context.Context, r assess.QuizResult) error {
	answers, err := json.Marshal(append([]int{}, r.Answers...)) // [] for nil, not null
	if err != nil {
		return fmt.Errorf("format the answers of an attempt: %w", err)
	}
	questions, err := formatMarked(r.Marked)
	if err != nil {
		return err
	}
	var took *int64 // NULL without a start
	if !r.StartedAt.IsZero() {
		took = new(int64(r.Took))
	}
	return t.Insert(ctx, "insert a quiz result", `
		INSERT INTO {quiz_results} (id, user_id, course_id, chapter_id, version, score, total,
			percentage, mastery, is_passed, created_at, started_at, milliseconds, answers,
			recommendations, questions)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		key(r.ID), key(r.UserID), key(r.CourseID), key(r.ChapterID), r.Version, r.Score, r.Total,
		r.Percentage, string(r.Mastery), r.Passed,
		timestamp(r.CreatedAt), optional(r.StartedAt), took, string(answers), r.Recommendations,
		questions)
}

// SetRecommendations returns ErrNoRecord if there is no such result.
func (t *tx) SetRecommendations(ctx context.Context, resultID, text string) error {
	return t.MustUpdate(ctx, "store recommendations",
		`UPDATE {quiz_results} SET recommendations = ? WHERE id = ?`, text, key(resultID))
}

// ForgetQuizAnswers keeps the marks of questions.
func (t *tx) ForgetQuizAnswers(ctx context.Context, userID, recommendations string) error {
	_, err := t.Exec(ctx, "forget the answers of a user",
		`UPDATE {quiz_results} SET answers = '[]', recommendations = ? WHERE user_id = ?`,
		recommendations, key(userID))
	return err
}

// StudentResults lists the latest results first.
func (r reader) StudentResults(
	ctx context.Context, courseID, chapterID string, page core.PageRequest,
) ([]assess.StudentResult, error) {
	var f filter
	f.add(`r.course_id = ? AND r.chapter_id = ?`, key(courseID), key(chapterID))
	clauses, args := r.engine().pageClauses(f,
		order{columns: []string{"r.created_at", "r.id"}, descending: true}, page)
	var rows []struct {
		quizScoreRow
		UserID    string    `db:"user_id"`
		Name      *string   `db:"name"` // nil if there is no user
		ImageURL  *string   `db:"image_url"`
		DeletedAt timestamp `db:"deleted_at"`
	}
	err := r.q.List(ctx, "list the results of students", &rows, `
		SELECT r.user_id,`+quizScoreColumns+`, u.name, u.image_url, u.deleted_at
		FROM {quiz_results} r`+r.engine().pageHint("quiz_results_of_chapter", page)+`
			LEFT JOIN {users} u ON u.id = r.user_id`+clauses, args...)
	if err != nil {
		return nil, err
	}
	list := make([]assess.StudentResult, len(rows))
	for i, row := range rows {
		list[i] = assess.StudentResult{
			Student:    person(row.UserID, row.Name, row.ImageURL, row.DeletedAt),
			QuizResult: row.result(row.UserID, courseID, chapterID),
		}
	}
	return list, nil
}

// QuizProgress reads the results of one user.
func (r reader) QuizProgress(
	ctx context.Context, userID, courseID string,
) (list []assess.QuizProgress, err error) {
	var q assess.QuizProgress // each row is scanned into it, and then copied
	var last timestamp
	var passed int
	dest := []any{&q.ChapterID, &q.Attempts, &q.Best, &passed, &last}
	err = r.q.Each(ctx, "sum up the quiz results of a student", dest, func() error {
		q.Passed, q.LastAt = passed == 1, last.Time()
		list = append(list, q)
		return nil
	}, `
		SELECT chapter_id, COUNT(*), MAX(percentage), MAX(is_passed), MAX(created_at)
		FROM {quiz_results} WHERE user_id = ? AND course_id = ?
		GROUP BY chapter_id ORDER BY chapter_id`, key(userID), key(courseID))
	return list, err
}

// QuizSums reads the totals of the quiz, whose part is the chapter.
func (r reader) QuizSums(
	ctx context.Context, courseID, chapterID string,
) (s assess.QuizSums, err error) {
	var row struct {
		Attempts    int   `db:"attempts"`
		Percentages int   `db:"percentages"`
		Timed       int   `db:"timed"`
		Time        int64 `db:"milliseconds"`
	}
	err = r.q.Get(ctx, "sum up a quiz", &row, `
		SELECT COALESCE(SUM(CASE WHEN kind <> 'attempt time' THEN number ELSE 0 END), 0)
				AS attempts,
			COALESCE(SUM(CASE WHEN kind <> 'attempt time' THEN amount ELSE 0 END), 0)
				AS percentages,
			COALESCE(SUM(CASE WHEN kind = 'attempt time' THEN number ELSE 0 END), 0) AS timed,
			COALESCE(SUM(CASE WHEN kind = 'attempt time' THEN amount ELSE 0 END), 0)
				AS milliseconds
		FROM {totals}
		WHERE course_id = ? AND part = ? AND kind IN ('attempts needs_review',
			'attempts on_track', 'attempts mastered', 'attempt time')`,
		key(courseID), key(chapterID))
	if errors.Is(err, core.ErrNoRecord) { // no row can have such an id
		err = nil
	}
	return assess.QuizSums{Attempts: row.Attempts, Percentages: row.Percentages,
		Timed: row.Timed, Time: core.Milliseconds(row.Time)}, err
}
