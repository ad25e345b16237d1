package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/openlectern/openlectern/internal/sqldb"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/core"
)

// markedJSON is the stored form of the mark of a question, in the column questions of a result.
type markedJSON struct {
	ID      string             `json:"id"`
	Points  int                `json:"points"`
	IsRight bool               `json:"right,omitempty"`
	Took    *core.Milliseconds `json:"ms,omitempty"`
}

// formatMarked returns the JSON of the marks of questions, nil for no marks.
func formatMarked(list []assess.MarkedQuestion) (*string, error) {
	if list == nil {
		return nil, nil
	}
	rows := make([]markedJSON, len(list))
	for i, q := range list {
		rows[i] = markedJSON{ID: q.ID, Points: q.Points, IsRight: q.IsRight, Took: q.Took}
	}
	text, err := json.Marshal(rows)
	if err != nil {
		return nil, fmt.Errorf("format the marks of questions: %w", err)
	}
	return new(string(text)), nil
}

// parseMarked is the reverse of formatMarked. The marks have neither kind nor text.
func parseMarked(text []byte) ([]assess.MarkedQuestion, error) {
	var rows []markedJSON
	if err := json.Unmarshal(text, &rows); err != nil {
		return nil, fmt.Errorf("parse the marks of questions: %w", err)
	}
	list := make([]assess.MarkedQuestion, len(rows))
	for i, q := range rows {
		list[i] = assess.MarkedQuestion{ID: q.ID, Points: q.Points, IsRight: q.IsRight,
			Took: q.Took}
	}
	return list, nil
}

// The columns of the table question_totals: those of its key, and those that are added to.
var (
	questionTotalKey  = []string{"course_id", "chapter_id", "question_id", "slot"}
	questionTotalSums = []string{"given", "correct", "compared", "compared_correct", "rest",
		"rest_squares", "rest_correct", "timed", "milliseconds"}
)

// sumsOf returns pointers to the sums in the order of questionTotalSums.
func sumsOf(s *assess.QuestionSums) []any {
	return []any{&s.Given, &s.Right, &s.Compared, &s.ComparedRight, &s.Rest, &s.RestSquares,
		&s.RestRight, &s.Timed, &s.Time}
}

// QuestionTotals sums up the slots of each question.
func (r reader) QuestionTotals(
	ctx context.Context, courseID, chapterID string,
) (list []assess.QuestionTotal, err error) {
	var t assess.QuestionTotal // each row is scanned into it, and then copied
	t.CourseID, t.ChapterID = courseID, chapterID
	err = r.q.Each(ctx, "sum up the questions of a quiz",
		append([]any{&t.QuestionID, &t.Kind, &t.Text}, sumsOf(&t.QuestionSums)...), func() error {
			list = append(list, t)
			return nil
		}, `
		SELECT question_id, MAX(kind), MAX(question),
			SUM(`+strings.Join(questionTotalSums, `), SUM(`)+`)
		FROM {question_totals} WHERE course_id = ? AND chapter_id = ?
		GROUP BY question_id ORDER BY question_id`,
		key(courseID), key(chapterID))
	return list, err
}

// AddToQuestionTotals adds all changes in one statement, in the slot of the row. A total without a
// row begins at 0, and takes the kind and the text.
func (t *tx) AddToQuestionTotals(
	ctx context.Context, rowID string, changes []assess.QuestionTotal,
) error {
	var args []any
	for _, c := range changes {
		args = append(args, key(c.CourseID), key(c.ChapterID), key(c.QuestionID), slotOf(rowID),
			string(c.Kind), c.Text)
		args = append(args, sumsOf(&c.QuestionSums)...)
	}
	columns := slices.Concat(questionTotalKey, []string{"kind", "question"}, questionTotalSums)
	row := `(` + placeholders(len(columns)) + `)`
	_, err := t.Exec(ctx, "add to the totals of questions", `
		INSERT INTO {question_totals} (`+strings.Join(columns, `, `)+`)
		VALUES `+row+strings.Repeat(`, `+row, len(changes)-1)+
		t.Dialect().AddToRow("question_totals", questionTotalKey, questionTotalSums), args...)
	return err
}

func (t *tx) DeleteQuestionTotals(ctx context.Context, courseID string) error {
	_, err := t.Exec(ctx, "delete the totals of the questions of a course",
		`DELETE FROM {question_totals} WHERE course_id = ?`, key(courseID))
	return err
}

// WrongQuestionTotals compares the totals of idBatchSize courses at a time, so that it holds no
// more in memory. For each time it reads the totals and the marks in one statement, as WrongTotals
// does, and sums up the marks here, because they are JSON.
func (r reader) WrongQuestionTotals(
	ctx context.Context,
) (wrong []assess.QuestionTotal, err error) {
	ctx = sqldb.WithReadTimeout(ctx, recountTime)
	var courses []string
	err = r.q.List(ctx, "list the courses with totals of questions", &courses, `
		SELECT course_id FROM {quiz_results} WHERE questions IS NOT NULL
		UNION SELECT course_id FROM {question_totals}`)
	if err != nil {
		return nil, err
	}
	slices.Sort(courses)
	for chunk := range slices.Chunk(courses, idBatchSize) {
		part, err := r.wrongQuestionTotals(ctx, chunk)
		if err != nil {
			return nil, err
		}
		wrong = append(wrong, part...)
	}
	return wrong, nil
}

// wrongQuestionTotals is WrongQuestionTotals for some courses.
func (r reader) wrongQuestionTotals(
	ctx context.Context, courses []string,
) (wrong []assess.QuestionTotal, err error) {
	type question struct{ course, chapter, id string }
	sums := map[question]*assess.QuestionSums{}
	add := func(t assess.QuestionTotal, factor int) {
		q := question{t.CourseID, t.ChapterID, t.QuestionID}
		if sums[q] == nil {
			sums[q] = &assess.QuestionSums{}
		}
		sums[q].Add(t.QuestionSums, factor)
	}

	// A row is a slot of a total, which is subtracted, or a result, whose marks are added.
	var t assess.QuestionTotal
	var result assess.QuizResult
	var marked []byte
	dest := append([]any{&t.CourseID, &t.ChapterID, &t.QuestionID, &result.Score, &result.Total,
		&marked}, sumsOf(&t.QuestionSums)...)
	in := `(` + placeholders(idBatchSize) + `)`
	err = r.q.Each(ctx, "compare the totals of questions with the results", dest, func() error {
		if marked == nil {
			add(t, -1)
			return nil
		}
		list, err := parseMarked(marked)
		if err != nil {
			return err
		}
		result.CourseID, result.ChapterID, result.Marked = t.CourseID, t.ChapterID, list
		for _, change := range result.QuestionTotals() {
			add(change, 1)
		}
		return nil
	}, `
		SELECT course_id, chapter_id, question_id, 0 AS score, 0 AS total, NULL AS questions,
			`+strings.Join(questionTotalSums, `, `)+`
		FROM {question_totals} WHERE course_id IN `+in+`
		UNION ALL
		SELECT course_id, chapter_id, '', score, total, questions`+
		strings.Repeat(`, 0`, len(questionTotalSums))+`
		FROM {quiz_results} WHERE questions IS NOT NULL AND course_id IN `+in,
		append(batchArgs(courses), batchArgs(courses)...)...)
	if err != nil {
		return nil, err
	}
	for q, s := range sums {
		if *s != (assess.QuestionSums{}) {
			wrong = append(wrong, assess.QuestionTotal{CourseID: q.course, ChapterID: q.chapter,
				QuestionID: q.id, QuestionSums: *s})
		}
	}
	slices.SortFunc(wrong, func(a, b assess.QuestionTotal) int {
		return cmp.Or(cmp.Compare(a.CourseID, b.CourseID), cmp.Compare(a.ChapterID, b.ChapterID),
			cmp.Compare(a.QuestionID, b.QuestionID))
	})
	return wrong, nil
}
