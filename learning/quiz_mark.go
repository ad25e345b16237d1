package learning

// Mastery is the group of an attempt, by its percentage.
type Mastery string

// The groups, by the rounded percentage.
const (
	NeedsReview Mastery = "needs_review" // up to 40
	OnTrack     Mastery = "on_track"     // up to 75
	Mastered    Mastery = "mastered"
)

// MasteryOf returns the group of a rounded percentage.
func MasteryOf(percentage int) Mastery {
	switch {
	case percentage <= 40:
		return NeedsReview
	case percentage <= 75:
		return OnTrack
	default:
		return Mastered
	}
}

// markedQuiz is a result, and the answers that it counts as wrong.
type markedQuiz struct {
	QuizResult
	wrong []wrongAnswer // nil if recommendations must not name them
}

// mark compares answers with the solutions of a quiz. q must have been read with its version and
// its solutions in one query. Errors: [ErrQuizChanged] if the answers are to another version,
// [ErrAnswerCount] if there is not one for each question, and [ErrInvalidRequest] if one is the
// index of no option.
func (q Quiz) mark(a QuizAnswers) (markedQuiz, error) {
	// The answers must be those to this version, one for each question.
	switch {
	case a.Version != nil && *a.Version != q.Version:
		return markedQuiz{}, ErrQuizChanged
	case len(a.Answers) != len(q.Questions):
		return markedQuiz{}, ErrAnswerCount
	}

	// Collect the wrong answers. The score follows from them.
	m := markedQuiz{QuizResult: QuizResult{
		CourseID: q.CourseID, ChapterID: q.ChapterID, Version: q.Version,
		Answers: a.Answers, Total: len(q.Questions),
	}}
	for i, answer := range a.Answers {
		question := q.Questions[i]
		if answer < 0 || answer >= len(question.Options) {
			return markedQuiz{}, ErrInvalidRequest
		}
		chosen := question.Options[answer]
		isRight := question.isRight(chosen.ID)
		m.Marked = append(m.Marked, question.marked(isRight))
		if !isRight {
			m.wrong = append(m.wrong, wrongAnswer{Question: question.Text, Chosen: chosen.Text})
		}
	}
	m.Score = m.Total - len(m.wrong)
	m.Percentage = ratio(100*m.Score, m.Total)
	m.Mastery = MasteryOf(m.Percentage)
	m.Passed = m.Percentage >= q.Settings.PassPercent
	return m, nil
}

// marked returns the mark of an answer to the question.
func (q Question) marked(isRight bool) MarkedQuestion {
	return MarkedQuestion{ID: q.ID, Kind: q.Kind, Text: q.Text, Points: q.Points, IsRight: isRight}
}

// ratio returns n/of, rounded half away from zero, or 0 if of is not positive. n must not be
// negative.
func ratio(n, of int) int {
	if of <= 0 {
		return 0
	}
	return (2*n + of) / (2 * of) // n/of plus a half, without fractions
}
