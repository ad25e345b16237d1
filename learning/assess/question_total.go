package assess

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/openlectern/openlectern/learning/core"
)

// TotalQuestions is the kind by which learning.System.RecountTotals returns the correction of a
// [QuestionTotal], whose sums are kept beside the totals: Number is that of the attempts, Amount
// that of the right answers, and Part the chapter and the question.
const TotalQuestions core.TotalKind = "questions"

// MarkedQuestion is the mark of one question of an attempt.
type MarkedQuestion struct {
	ID      string
	Kind    QuestionKind // "" in a result that is read
	Text    string       // as Kind
	Points  int          // for the right answer
	IsRight bool
	Took    *core.Milliseconds // until it had an answer; nil if that is unknown
}

// QuestionTotal sums up the attempts that had a question. It is kept as a [core.Total] is: it
// changes in the transaction that marks an attempt, and learning.System.RecountTotals compares it
// with the results.
type QuestionTotal struct {
	CourseID   string
	ChapterID  string
	QuestionID string
	Kind       QuestionKind // when the first attempts were marked; "" if only a recount knows it
	Text       string       // as Kind
	QuestionSums
}

// QuestionSums are the sums of a [QuestionTotal].
type QuestionSums struct {
	Given int // attempts that had the question
	Right int // those with the right answer

	// Compared are the attempts that had other questions too, and ComparedRight those of them with
	// the right answer. The rest of an attempt is its rounded percentage in its other questions.
	Compared      int
	ComparedRight int
	Rest          int // the sum of the rests of Compared
	RestSquares   int // of their squares
	RestRight     int // of the rests of ComparedRight

	Timed int               // attempts of which the time is known that the question took
	Time  core.Milliseconds // the sum of these times
}

// Add adds other sums; with -1 as the factor it subtracts them.
func (s *QuestionSums) Add(other QuestionSums, factor int) {
	s.Given += factor * other.Given
	s.Right += factor * other.Right
	s.Compared += factor * other.Compared
	s.ComparedRight += factor * other.ComparedRight
	s.Rest += factor * other.Rest
	s.RestSquares += factor * other.RestSquares
	s.RestRight += factor * other.RestRight
	s.Timed += factor * other.Timed
	s.Time += core.Milliseconds(factor) * other.Time
}

// Share returns the share of the attempts with the right answer, or false if there are none.
func (s QuestionSums) Share() (share float64, ok bool) {
	return float64(s.Right) / float64(s.Given), s.Given > 0
}

// Discrimination returns the point-biserial correlation of the right answer with the rest of the
// attempt: 1 if just the attempts that are good in the other questions have it right, and below 0
// if rather the others have. It is the correlation with the rest and not with the whole attempt,
// because the question is a part of the whole, and would correlate with itself. It returns false
// where the correlation is not defined: if all answers are right or all wrong, or all rests equal.
func (s QuestionSums) Discrimination() (r float64, ok bool) {
	n := float64(s.Compared)
	right, rest := float64(s.ComparedRight)/n, float64(s.Rest)/n // means
	variance := float64(s.RestSquares)/n - rest*rest
	isVaried := s.ComparedRight > 0 && s.ComparedRight < s.Compared &&
		s.RestSquares*s.Compared != s.Rest*s.Rest
	if !isVaried {
		return 0, false
	}
	r = (float64(s.RestRight)/n - right*rest) / math.Sqrt(right*(1-right)*variance)
	return max(-1, min(r, 1)), true
}

// AverageTime returns the mean time that the question took, or false if none is known.
func (s QuestionSums) AverageTime() (mean float64, ok bool) {
	return float64(s.Time) / float64(s.Timed), s.Timed > 0
}

// QuestionTotals returns what a result adds to the totals of its questions, in the order of their
// ids, which all transactions use so that they do not deadlock. It is nil for a result of an
// earlier version, which has not stored the marks.
func (r QuizResult) QuestionTotals() (list []QuestionTotal) {
	for _, q := range r.Marked {
		t := QuestionTotal{CourseID: r.CourseID, ChapterID: r.ChapterID, QuestionID: q.ID,
			Kind: q.Kind, Text: q.Text, QuestionSums: QuestionSums{Given: 1}}
		score := r.Score // of the other questions
		if q.IsRight {
			t.Right, score = 1, score-q.Points
		}
		if total := r.Total - q.Points; total > 0 {
			rest := core.Ratio(100*score, total)
			t.Compared, t.ComparedRight = 1, t.Right
			t.Rest, t.RestSquares, t.RestRight = rest, rest*rest, t.Right*rest
		}
		if q.Took != nil {
			t.Timed, t.Time = 1, *q.Took
		}
		list = append(list, t)
	}
	slices.SortFunc(list, func(a, b QuestionTotal) int {
		return cmp.Compare(a.QuestionID, b.QuestionID)
	})
	return list
}

// AsTotal returns the correction of a question as RecountTotals returns it.
func (t QuestionTotal) AsTotal() core.Total {
	return core.Total{Kind: TotalQuestions, CourseID: t.CourseID,
		Part: t.ChapterID + " " + t.QuestionID, Number: t.Given, Amount: int64(t.Right)}
}

// questionTotalReader reads the totals of questions.
type questionTotalReader interface {
	// QuestionTotals lists the totals of the questions of a quiz in the order of their ids.
	QuestionTotals(ctx context.Context, courseID, chapterID string) ([]QuestionTotal, error)
	// WrongQuestionTotals returns what must be added to the totals of questions so that they are
	// right, without Kind and Text: the difference between the results and the totals, each at one
	// moment.
	WrongQuestionTotals(ctx context.Context) ([]QuestionTotal, error)
}

// questionTotalWriter changes the totals of questions.
type questionTotalWriter interface {
	// AddToQuestionTotals adds changes to the totals of questions. changes must not be empty, and
	// must have the order of course, chapter and question without repetitions. For rowID see
	// AddToTotals.
	AddToQuestionTotals(ctx context.Context, rowID string, changes []QuestionTotal) error
	// DeleteQuestionTotals deletes the totals of the questions of a course.
	DeleteQuestionTotals(ctx context.Context, courseID string) error
}
