package httpapi

import (
	"iter"
	"math"
	"net/http"

	"github.com/openlectern/openlectern/internal/csvfile"
	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/core"
)

// studentResultJSON is a result as the educator of its course sees it (docs/api.md §12).
type studentResultJSON struct {
	_ struct{} `doc:"A result of a student."`

	ID           string   `json:"_id"`
	StudentID    string   `json:"studentId"`
	StudentName  string   `json:"studentName" doc:"The student's name. 'Deleted user' if the user was deleted."`
	StudentImage string   `json:"studentImage" doc:"The URL of the student's picture, or empty."`
	Score        int      `json:"score" doc:"The points of the correct answers."`
	Total        int      `json:"total" doc:"The points of all questions."`
	Percentage   int      `json:"percentage"`
	Passed       bool     `json:"passed" doc:"Whether the percentage reached that of the quiz."`
	StartedAt    *instant `json:"startedAt" jsonschema:"nullable" doc:"When the attempt began. Null if it was not stored then."`
	CreatedAt    instant  `json:"createdAt" doc:"When the answers were submitted."`
	Seconds      *int64   `json:"seconds" jsonschema:"nullable" doc:"From the start to the submission, or to the end if that was before. Null if the start was not stored."`
}

func studentResultOf(r assess.StudentResult) studentResultJSON {
	out := studentResultJSON{
		ID:           r.ID,
		StudentID:    r.Student.ID,
		StudentName:  r.Student.Name,
		StudentImage: r.Student.ImageURL,
		Score:        r.Score,
		Total:        r.Total,
		Percentage:   r.Percentage,
		Passed:       r.Passed,
		StartedAt:    nullableTime(r.StartedAt),
		CreatedAt:    instant(r.CreatedAt),
	}
	if !r.StartedAt.IsZero() {
		out.Seconds = new(r.Took.Seconds())
	}
	return out
}

type studentResultsAnswer struct {
	Results []studentResultJSON `json:"results" doc:"The newest first."`
	Next    *string             `json:"nextCursor" jsonschema:"nullable"`
}

// studentResults answers a page of the results of a quiz, or all of them as CSV.
func (a *api) studentResults(w http.ResponseWriter, c *call) error {
	read := func(page core.PageRequest) (core.Page[assess.StudentResult], error) {
		return a.platform.Assess.StudentResults(c.Context(), c.actor, c.Param("courseId"),
			c.Param("chapterId"), page)
	}
	isCSV, err := asksForCSV(c)
	if err != nil {
		return err
	}
	if !isCSV {
		return writePage(w, c, read, func(rows []assess.StudentResult, next nextCursor) any {
			return studentResultsAnswer{shaped(rows, studentResultOf), next.cursor}
		})
	}
	headings := []string{"studentId", "studentName", "score", "total", "percentage", "passed",
		"startedAt", "createdAt", "seconds"}
	rows := func(out *web.PartWriter) iter.Seq2[assess.StudentResult, error] {
		return pagedRows(out, read)
	}
	return writeCSV(w, c, "results.csv", headings, rows,
		func(row assess.StudentResult) []csvfile.Cell {
			r := studentResultOf(row)
			return []csvfile.Cell{csvfile.Text(r.StudentID), csvfile.Text(r.StudentName),
				csvfile.Int(r.Score), csvfile.Int(r.Total), csvfile.Int(r.Percentage),
				csvfile.Bool(r.Passed), csvTime(r.StartedAt), csvTime(&r.CreatedAt),
				csvfile.Number(r.Seconds)}
		})
}

// questionStatsJSON are the figures of a question of a quiz (docs/api.md §12).
type questionStatsJSON struct {
	_ struct{} `doc:"The figures of a question of a quiz."`

	ID             string   `json:"questionId"`
	Kind           string   `json:"kind" doc:"How it is answered. Empty if it is unknown."`
	Question       string   `json:"question" doc:"The present text, or for a question that the quiz does not have any more one that it had. Plain text. Escape it."`
	Given          int      `json:"given" doc:"How many attempts had the question."`
	Correct        int      `json:"correct" doc:"How many of them had the right answer."`
	Share          *float64 `json:"share" jsonschema:"nullable" doc:"'correct' divided by 'given', with three decimals. Null if 'given' is 0."`
	Discrimination *float64 `json:"discrimination" jsonschema:"nullable" doc:"The point-biserial correlation, from -1 to 1, of the right answer with the percentage of the attempt in its other questions, with three decimals: below 0 if those who are good in the others rather have it wrong. Null where it is not defined."`
	AverageSeconds *float64 `json:"averageSeconds" jsonschema:"nullable" doc:"How long it took on average until it had an answer, with one decimal. Null if that is unknown."`
}

func questionStatsOf(q assess.QuestionTotal) questionStatsJSON {
	return questionStatsJSON{
		ID:             q.QuestionID,
		Kind:           string(q.Kind),
		Question:       q.Text,
		Given:          q.Given,
		Correct:        q.Right,
		Share:          roundedIf(1000)(q.Share()),
		Discrimination: roundedIf(1000)(q.Discrimination()),
		AverageSeconds: roundedIf(10)(seconds(q.AverageTime())),
	}
}

// roundedIf returns a function that rounds a number to a fraction of 1/parts, or returns nil if the
// number is not defined.
func roundedIf(parts float64) func(value float64, ok bool) *float64 {
	return func(value float64, ok bool) *float64 {
		if !ok {
			return nil
		}
		return new(math.Round(value*parts)/parts + 0) // and not -0
	}
}

// seconds returns a number of milliseconds in seconds.
func seconds(milliseconds float64, ok bool) (float64, bool) { return milliseconds / 1000, ok }

type quizStatsAnswer struct {
	Attempts          int                 `json:"attempts" doc:"How many results there are."`
	AveragePercentage *float64            `json:"averagePercentage" jsonschema:"nullable" doc:"With one decimal. Null without attempts."`
	AverageSeconds    *float64            `json:"averageSeconds" jsonschema:"nullable" doc:"Of the attempts that were stored when they began, with one decimal. Null if there are none."`
	Questions         []questionStatsJSON `json:"questions" doc:"Those of the quiz in its order, and then those that it had before and that attempts had."`
}

// quizStats answers the figures of a quiz and its questions, or those of the questions as CSV.
func (a *api) quizStats(w http.ResponseWriter, c *call) error {
	isCSV, err := asksForCSV(c)
	if err != nil {
		return err
	}
	s, err := a.platform.Assess.QuizStats(c.Context(), c.actor, c.Param("courseId"),
		c.Param("chapterId"))
	if err != nil {
		return err
	}
	if !isCSV {
		return c.writeSuccess(w, quizStatsAnswer{
			Attempts:          s.Attempts,
			AveragePercentage: roundedIf(10)(s.AveragePercentage()),
			AverageSeconds:    roundedIf(10)(seconds(s.AverageTime())),
			Questions:         shaped(s.Questions, questionStatsOf),
		})
	}
	headings := []string{"questionId", "kind", "question", "given", "correct", "share",
		"discrimination", "averageSeconds"}
	rows := func(*web.PartWriter) iter.Seq2[assess.QuestionTotal, error] {
		return func(yield func(assess.QuestionTotal, error) bool) {
			for _, q := range s.Questions {
				if !yield(q, nil) {
					return
				}
			}
		}
	}
	return writeCSV(w, c, "questions.csv", headings, rows,
		func(row assess.QuestionTotal) []csvfile.Cell {
			q := questionStatsOf(row)
			return []csvfile.Cell{csvfile.Text(q.ID), csvfile.Word(q.Kind),
				csvfile.Text(q.Question),
				csvfile.Int(q.Given), csvfile.Int(q.Correct), csvfile.Number(q.Share),
				csvfile.Number(q.Discrimination), csvfile.Number(q.AverageSeconds)}
		})
}
