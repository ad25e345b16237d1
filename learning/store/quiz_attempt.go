package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/core"
)

type attemptRow struct {
	ID           string            `db:"id"`
	UserID       string            `db:"user_id"`
	CourseID     string            `db:"course_id"`
	ChapterID    string            `db:"chapter_id"`
	CourseTitle  string            `db:"course_title"`
	ChapterTitle string            `db:"chapter_title"`
	Number       int               `db:"number"`
	Version      int64             `db:"version"`
	KeyVersion   int64             `db:"key_version"`
	PassPercent  int               `db:"pass_percent"`
	Review       assess.QuizReview `db:"review"`
	Left         *int              `db:"attempts_left"`
	StartedAt    timestamp         `db:"started_at"`
	EndsAt       timestamp         `db:"ends_at"`
	SubmittedAt  timestamp         `db:"submitted_at"`
	Questions    []byte            `db:"questions"`
	Answers      []byte            `db:"answers"`
	SavedAt      timestamp         `db:"saved_at"`
	Times        []byte            `db:"times"` // NULL until a question has an answer
}

// selectAttempt begins with the attempt, whose quiz may have been deleted with its course.
const (
	selectAttempt = `
	SELECT ` + attemptColumns + joinAttempt
	attemptColumns = `a.id, a.user_id, a.course_id, a.chapter_id,
		COALESCE(c.title, '') AS course_title,
		COALESCE(q.chapter_title, '') AS chapter_title, a.number, a.version,
		COALESCE(m.version, 0) AS key_version, a.pass_percent,
		a.review, a.attempts_left, a.started_at, a.ends_at, a.submitted_at, a.questions, a.answers,
		a.saved_at, a.times`
	joinAttempt = `
	FROM {quiz_attempts} a LEFT JOIN {courses} c ON c.id = a.course_id
		LEFT JOIN {quizzes} q ON q.course_id = a.course_id AND q.chapter_id = a.chapter_id
		LEFT JOIN {quiz_remarks} m ON m.course_id = a.course_id AND m.chapter_id = a.chapter_id`
)

func (r reader) Attempt(ctx context.Context, id string) (assess.QuizAttempt, error) {
	var row attemptRow
	if err := r.q.Get(ctx, "read an attempt", &row, selectAttempt+` WHERE a.id = ?`,
		key(id)); err != nil {
		return assess.QuizAttempt{}, err
	}
	return row.attempt()
}

func (r reader) LatestAttempt(
	ctx context.Context, userID, courseID, chapterID string,
) (assess.QuizAttempt, error) {
	var row attemptRow
	err := r.q.Get(ctx, "read the latest attempt", &row, selectAttempt+`
		WHERE a.user_id = ? AND a.course_id = ? AND a.chapter_id = ?
		ORDER BY a.number DESC LIMIT 1`, key(userID), key(courseID), key(chapterID))
	if err != nil {
		return assess.QuizAttempt{}, err
	}
	return row.attempt()
}

// attempt returns the attempt of a row, or an error if its JSON is damaged.
func (r *attemptRow) attempt() (assess.QuizAttempt, error) {
	a := assess.QuizAttempt{
		ID:           r.ID,
		UserID:       r.UserID,
		CourseID:     r.CourseID,
		ChapterID:    r.ChapterID,
		CourseTitle:  r.CourseTitle,
		ChapterTitle: r.ChapterTitle,
		Number:       r.Number,
		Version:      r.Version,
		KeyVersion:   r.KeyVersion,
		Answers:      map[string]assess.Answer{},
		PassPercent:  r.PassPercent,
		Review:       r.Review,
		Left:         r.Left,
		StartedAt:    r.StartedAt.Time(),
		EndsAt:       r.EndsAt.Time(),
		SubmittedAt:  r.SubmittedAt.Time(),
		SavedAt:      r.SavedAt.Time(),
	}
	if r.Times != nil {
		if err := json.Unmarshal(r.Times, &a.Times); err != nil {
			return a, fmt.Errorf("parse the times of an attempt: %w", err)
		}
	}
	var answers map[string]any
	if err := json.Unmarshal(r.Answers, &answers); err != nil {
		return a, fmt.Errorf("parse the answers of an attempt: %w", err)
	}
	for id, answer := range answers {
		a.Answers[id] = assess.AnswerOfJSON(answer)
	}
	var err error
	a.Questions, err = parseQuestions(r.Questions)
	return a, err
}

// QuizAttempts begins with the results, of which those without a start have no attempt.
func (r reader) QuizAttempts(
	ctx context.Context, userID, courseID, chapterID string, page core.PageRequest,
) ([]assess.AttemptState, error) {
	var f filter
	f.add(`r.user_id = ? AND r.course_id = ? AND r.chapter_id = ?`,
		key(userID), key(courseID), key(chapterID))
	clauses, args := r.engine().pageClauses(f,
		order{columns: []string{"r.created_at", "r.id"}, descending: true}, page)
	var rows []struct {
		quizScoreRow
		BegunAt timestamp `db:"begun_at"`
		EndsAt  timestamp `db:"ends_at"`
	}
	err := r.q.List(ctx, "list attempts", &rows, `
		SELECT`+quizScoreColumns+`, a.started_at AS begun_at, a.ends_at
		FROM {quiz_results} r`+r.engine().pageHint("quiz_results_by_user_and_chapter", page)+`
			LEFT JOIN {quiz_attempts} a ON a.id = r.id`+clauses, args...)
	if err != nil {
		return nil, err
	}
	list := make([]assess.AttemptState, len(rows))
	for i, row := range rows {
		result := row.result(userID, courseID, chapterID)
		list[i] = assess.AttemptState{Result: &result, QuizAttempt: assess.QuizAttempt{
			ID: row.ID, StartedAt: row.BegunAt.Time(), EndsAt: row.EndsAt.Time(),
			SubmittedAt: result.CreatedAt,
		}}
	}
	return list, nil
}

func (r reader) AttemptsOver(
	ctx context.Context, at time.Time, after core.Position, limit int,
) ([]assess.QuizAttempt, error) {
	var rows []struct {
		ID     string    `db:"id"`
		UserID string    `db:"user_id"`
		EndsAt timestamp `db:"ends_at"`
	}
	err := r.q.List(ctx, "list attempts whose time is over", &rows, `
		SELECT id, user_id, ends_at FROM {quiz_attempts}
		WHERE submitted_at IS NULL AND ends_at <= ? AND ends_at >= ? AND (ends_at > ? OR id > ?)
		ORDER BY ends_at, id LIMIT ?`,
		timestamp(at), timestamp(after.At), timestamp(after.At), after.ID, limit)
	if err != nil {
		return nil, err
	}
	list := make([]assess.QuizAttempt, len(rows))
	for i, row := range rows {
		list[i] = assess.QuizAttempt{ID: row.ID, UserID: row.UserID, EndsAt: row.EndsAt.Time()}
	}
	return list, nil
}

func (t *tx) InsertQuizAttempt(ctx context.Context, a assess.QuizAttempt) error {
	questions, err := formatQuestions(a.Questions)
	if err != nil {
		return err
	}
	answers, err := formatAnswers(a.Answers)
	if err != nil {
		return err
	}
	times, err := formatTimes(a.Times)
	if err != nil {
		return err
	}
	return t.Insert(ctx, "insert an attempt", `
		INSERT INTO {quiz_attempts} (id, user_id, course_id, chapter_id, number, version,
			pass_percent, review, attempts_left, started_at, ends_at, submitted_at, questions,
			answers, saved_at, times)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		key(a.ID), key(a.UserID), key(a.CourseID), key(a.ChapterID), a.Number, a.Version,
		a.PassPercent, string(a.Review), a.Left, timestamp(a.StartedAt), optional(a.EndsAt),
		optional(a.SubmittedAt), questions, answers, optional(a.SavedAt), times)
}

// formatAnswers returns the JSON of answers.
func formatAnswers(answers map[string]assess.Answer) (string, error) {
	if answers == nil {
		answers = map[string]assess.Answer{} // {} and not null
	}
	text, err := json.Marshal(answers)
	if err != nil {
		return "", fmt.Errorf("format the answers of an attempt: %w", err)
	}
	return string(text), nil
}

// formatTimes returns the JSON of the times of questions, nil if there are none.
func formatTimes(times map[string]core.Milliseconds) (*string, error) {
	if len(times) == 0 {
		return nil, nil
	}
	text, err := json.Marshal(times)
	if err != nil {
		return nil, fmt.Errorf("format the times of an attempt: %w", err)
	}
	return new(string(text)), nil
}

func (t *tx) LockAttempt(ctx context.Context, id string) (bool, error) {
	return t.Lock(ctx, "attempt", id, `UPDATE {quiz_attempts} SET number = number WHERE id = ?`)
}

// SetAnswers returns ErrNoRecord if there is no such attempt.
func (t *tx) SetAnswers(ctx context.Context, a assess.QuizAttempt) error {
	answers, err := formatAnswers(a.Answers)
	if err != nil {
		return err
	}
	times, err := formatTimes(a.Times)
	if err != nil {
		return err
	}
	return t.MustUpdate(ctx, "save answers",
		`UPDATE {quiz_attempts} SET answers = ?, saved_at = ?, times = ? WHERE id = ?`,
		answers, optional(a.SavedAt), times, key(a.ID))
}

func (t *tx) SubmitAttempt(ctx context.Context, id string, at time.Time) (bool, error) {
	return t.Update(ctx, "submit an attempt",
		`UPDATE {quiz_attempts} SET submitted_at = ? WHERE id = ? AND submitted_at IS NULL`,
		timestamp(at), key(id))
}

func (t *tx) EndAttempts(ctx context.Context, userID, courseID string, at time.Time) error {
	_, err := t.Exec(ctx, "end the attempts of a student", `
		UPDATE {quiz_attempts} SET ends_at = ?
		WHERE user_id = ? AND course_id = ? AND submitted_at IS NULL AND ends_at IS NULL`,
		timestamp(at), key(userID), key(courseID))
	return err
}

func (t *tx) DeleteAttempts(ctx context.Context, userID string) error {
	_, err := t.Exec(ctx, "delete the attempts of a user",
		`DELETE FROM {quiz_attempts} WHERE user_id = ?`, key(userID))
	return err
}
