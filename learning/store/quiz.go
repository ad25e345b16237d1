package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/core"
)

type quizRow struct {
	ID           string    `db:"id"`
	CourseID     string    `db:"course_id"`
	ChapterID    string    `db:"chapter_id"`
	CourseTitle  string    `db:"course_title"`
	ChapterTitle string    `db:"chapter_title"`
	Version      int64     `db:"version"`
	CreatedAt    timestamp `db:"created_at"`
	UpdatedAt    timestamp `db:"updated_at"`
	Questions    []byte    `db:"questions"`
	ByHand       bool      `db:"is_by_hand"`
	Settings     *string   `db:"settings"`
}

const selectQuizzes = `
	SELECT q.id, q.course_id, q.chapter_id, c.title AS course_title, q.chapter_title, q.version,
		q.created_at, q.updated_at, q.questions, q.is_by_hand, q.settings
	FROM {quizzes} q JOIN {courses} c ON c.id = q.course_id
	WHERE q.is_removed = 0 AND q.course_id = ?`

func (r *quizRow) quiz() (assess.Quiz, error) {
	settings, err := parseSettings(r.Settings)
	if err != nil {
		return assess.Quiz{}, err
	}
	questions, err := parseQuestions(r.Questions)
	return assess.Quiz{
		ID:           r.ID,
		CourseID:     r.CourseID,
		ChapterID:    r.ChapterID,
		CourseTitle:  r.CourseTitle,
		ChapterTitle: r.ChapterTitle,
		Version:      r.Version,
		Questions:    questions,
		Settings:     settings,
		ByHand:       r.ByHand,
		CreatedAt:    r.CreatedAt.Time(),
		UpdatedAt:    r.UpdatedAt.Time(),
	}, err
}

// Quiz returns ErrNoRecord also for a quiz that was removed: see RemoveQuiz.
func (r reader) Quiz(ctx context.Context, courseID, chapterID string) (assess.Quiz, error) {
	var row quizRow
	err := r.q.Get(ctx, "read a quiz", &row, selectQuizzes+` AND q.chapter_id = ?`,
		key(courseID), key(chapterID))
	if err != nil {
		return assess.Quiz{}, err
	}
	return row.quiz()
}

func (r reader) Quizzes(ctx context.Context, courseID string) ([]assess.Quiz, error) {
	var rows []quizRow
	err := r.q.List(ctx, "read the quizzes of a course", &rows, selectQuizzes, key(courseID))
	if err != nil {
		return nil, err
	}
	quizzes := make([]assess.Quiz, len(rows))
	for i := range rows {
		if quizzes[i], err = rows[i].quiz(); err != nil {
			return nil, err
		}
	}
	return quizzes, nil
}

// QuizChapters lists the ids of the chapters that have a quiz.
func (r reader) QuizChapters(ctx context.Context, courseID string) (ids []string, err error) {
	err = r.q.List(ctx, "list the quizzes of a course", &ids,
		`SELECT chapter_id FROM {quizzes} WHERE course_id = ? AND is_removed = 0
		ORDER BY chapter_id`,
		key(courseID))
	return ids, err
}

// QuizByHand also reads a quiz that was removed.
func (r reader) QuizByHand(
	ctx context.Context, courseID, chapterID string,
) (byHand bool, err error) {
	err = r.q.Get(ctx, "read whether a quiz is by hand", &byHand,
		`SELECT is_by_hand FROM {quizzes} WHERE course_id = ? AND chapter_id = ?`,
		key(courseID), key(chapterID))
	if errors.Is(err, core.ErrNoRecord) { // the chapter never had a quiz
		err = nil
	}
	return byHand, err
}

// InsertQuiz returns ErrDuplicate if the chapter has a quiz, also a removed one.
func (t *tx) InsertQuiz(ctx context.Context, q assess.Quiz) error {
	questions, settings, err := formatQuiz(q)
	if err != nil {
		return err
	}
	return t.Insert(ctx, "insert a quiz", `
		INSERT INTO {quizzes} (id, course_id, chapter_id, chapter_title, version, created_at,
			updated_at, questions, is_by_hand, settings)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		key(q.ID), key(q.CourseID), key(q.ChapterID), q.ChapterTitle, q.Version,
		timestamp(q.CreatedAt), timestamp(q.UpdatedAt), questions, q.ByHand, settings)
}

// ReplaceQuestions also brings back a quiz that was removed. It adds 1 to the version, and does not
// use that of q. It returns ErrNoRecord if the chapter never had a quiz.
func (t *tx) ReplaceQuestions(ctx context.Context, q assess.Quiz) error {
	questions, settings, err := formatQuiz(q)
	if err != nil {
		return err
	}
	return t.MustUpdate(ctx, "replace the questions of a quiz", `
		UPDATE {quizzes}
		SET questions = ?, chapter_title = ?, updated_at = ?, version = version + 1,
			is_removed = 0, is_by_hand = ?, settings = ?
		WHERE course_id = ? AND chapter_id = ?`,
		questions, q.ChapterTitle, timestamp(q.UpdatedAt), q.ByHand, settings, key(q.CourseID), key(q.ChapterID))
}

// RemoveQuiz marks a quiz as removed, and returns false if the chapter has none. It keeps the row,
// because the results of the quiz have no title of their own, and because the versions of a later
// quiz of the chapter continue.
func (t *tx) RemoveQuiz(
	ctx context.Context, courseID, chapterID string, byHand bool,
) (bool, error) {
	return t.Update(ctx, "remove a quiz", `
		UPDATE {quizzes} SET questions = '[]', version = version + 1, is_removed = 1,
			is_by_hand = CASE WHEN is_by_hand > ? THEN is_by_hand ELSE ? END
		WHERE course_id = ? AND chapter_id = ? AND is_removed = 0`,
		byHand, byHand, key(courseID), key(chapterID))
}

// DeleteQuizzes deletes the quizzes of a course, also removed ones.
func (t *tx) DeleteQuizzes(ctx context.Context, courseID string) error {
	_, err := t.Exec(ctx, "delete the quizzes of a course",
		`DELETE FROM {quizzes} WHERE course_id = ?`, key(courseID))
	return err
}

// settingsJSON is the stored form of the settings of a quiz.
type settingsJSON struct {
	Draw        int               `json:"draw,omitempty"`
	Shuffle     bool              `json:"shuffle,omitempty"`
	Minutes     int               `json:"minutes,omitempty"`
	Attempts    int               `json:"attempts,omitempty"`
	PassPercent int               `json:"passPercent"`
	Review      assess.QuizReview `json:"review"`
}

// formatQuiz returns the questions and the settings of a quiz as they are stored. Settings that a
// quiz of the AI has are NULL.
func formatQuiz(q assess.Quiz) (questions string, settings *string, err error) {
	if questions, err = formatQuestions(q.Questions); err != nil {
		return "", nil, err
	}
	if q.Settings == assess.DefaultQuizSettings || q.Settings == (assess.QuizSettings{}) {
		return questions, nil, nil
	}
	text, err := json.Marshal(settingsJSON(q.Settings))
	if err != nil {
		return "", nil, fmt.Errorf("format the settings of a quiz: %w", err)
	}
	return questions, new(string(text)), nil
}

// parseSettings returns the settings of their stored form.
func parseSettings(text *string) (assess.QuizSettings, error) {
	if text == nil {
		return assess.DefaultQuizSettings, nil
	}
	var s settingsJSON
	if err := json.Unmarshal([]byte(*text), &s); err != nil {
		return assess.QuizSettings{}, fmt.Errorf("parse the settings of a quiz: %w", err)
	}
	return assess.QuizSettings(s), nil
}

// questionJSON is the stored form of a question. It is separate from the type of package learning,
// so that renaming a field there does not lose stored data. The fields before ID are all that a
// question with four options had in the first version, which still reads and writes them: what
// follows is left out where it follows from them.
type questionJSON struct {
	Text        string   `json:"text"`
	Options     []string `json:"options"`
	Correct     int      `json:"correct"` // of a single choice
	Explanation string   `json:"explanation"`

	ID        string              `json:"id,omitempty"`
	Kind      assess.QuestionKind `json:"kind,omitempty"` // of all but a single choice
	OptionIDs []string            `json:"optionIds,omitempty"`
	Answer    any                 `json:"answer,omitempty"` // of all but a single choice
	Tolerance float64             `json:"tolerance,omitempty"`
	Points    int                 `json:"points,omitempty"` // if more than 1
}

// storedQuestion returns the stored form of the question at an index.
func storedQuestion(i int, q assess.Question) questionJSON {
	s := questionJSON{
		Text:        q.Text,
		Options:     make([]string, len(q.Options)),
		Explanation: q.Solution.Explanation,
		Tolerance:   q.Solution.Tolerance,
	}
	ids := make([]string, len(q.Options))
	for j, option := range q.Options {
		s.Options[j], ids[j] = option.Text, option.ID
	}
	if q.Kind == assess.SingleChoice {
		s.Correct = q.OptionIndex(q.Solution.Answer)
	} else {
		s.Kind, s.Answer = q.Kind, q.Solution.Answer
	}
	if q.Points > 1 {
		s.Points = q.Points
	}
	// The ids, unless they follow from the indexes.
	plain := assess.NewQuestion(i, q.Text, s.Options, s.Correct, s.Explanation)
	if q.ID != plain.ID {
		s.ID = q.ID
	}
	if !slices.Equal(q.Options, plain.Options) {
		s.OptionIDs = ids
	}
	return s
}

// question returns the question at an index, which the stored form is of.
func (s questionJSON) question(i int) assess.Question {
	q := assess.NewQuestion(i, s.Text, s.Options, s.Correct, s.Explanation)
	q.ID = cmp.Or(s.ID, q.ID)
	q.Points = cmp.Or(s.Points, q.Points)
	for j, id := range s.OptionIDs {
		if j == s.Correct {
			q.Solution.Answer = id
		}
		q.Options[j].ID = id
	}
	if s.Kind != "" {
		q.Kind, q.Solution.Answer = s.Kind, assess.AnswerOfJSON(s.Answer)
	}
	q.Solution.Tolerance = s.Tolerance
	return q
}

// formatQuestions returns the text that is stored for the questions of a quiz.
func formatQuestions(list []assess.Question) (string, error) {
	questions := make([]questionJSON, len(list))
	for i, q := range list {
		questions[i] = storedQuestion(i, q)
	}
	return formatJSON("the questions of a quiz", questions)
}

// parseQuestions is the reverse of formatQuestions.
func parseQuestions(text []byte) ([]assess.Question, error) {
	var questions []questionJSON
	if err := json.Unmarshal(text, &questions); err != nil {
		return nil, fmt.Errorf("parse the questions of a quiz: %w", err)
	}
	list := make([]assess.Question, len(questions))
	for i, q := range questions {
		list[i] = q.question(i)
	}
	return list, nil
}
