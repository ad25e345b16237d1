package assess

import (
	"fmt"

	"github.com/openlectern/openlectern/learning/core"
)

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
	wrong []WrongAnswer // nil if recommendations must not name them
}

// answered returns the answers to a quiz as those of an attempt. q must have been read with its
// version and its solutions in one query. Errors: [ErrQuizChanged] if the answers are to another
// version, [ErrAnswerCount] if there is not one for each question, and [core.ErrInvalidRequest] if
// one is the index of no option.
func (q Quiz) answered(a QuizAnswers) (QuizAttempt, error) {
	switch {
	case a.Version != nil && *a.Version != q.Version:
		return QuizAttempt{}, ErrQuizChanged
	case len(a.Answers) != len(q.Questions):
		return QuizAttempt{}, ErrAnswerCount
	}
	attempt := QuizAttempt{
		CourseID:     q.CourseID,
		ChapterID:    q.ChapterID,
		CourseTitle:  q.CourseTitle,
		ChapterTitle: q.ChapterTitle,
		Version:      q.Version,
		Questions:    q.Questions,
		Answers:      map[string]Answer{},
		PassPercent:  q.Settings.PassPercent,
		Review:       q.Settings.Review,
	}
	for i, answer := range a.Answers {
		question := q.Questions[i]
		if answer < 0 || answer >= len(question.Options) {
			return QuizAttempt{}, core.InvalidField(fmt.Sprint("answers/", i),
				"must be the index of an option")
		}
		attempt.Answers[question.ID] = question.Options[answer].ID
	}
	return attempt, nil
}

// mark compares the answers with the solutions. A question without an answer has no points.
func (a QuizAttempt) mark() markedQuiz {
	m := markedQuiz{QuizResult: QuizResult{ID: a.ID, UserID: a.UserID, CourseID: a.CourseID,
		ChapterID: a.ChapterID, Version: a.Version, Answers: []int{}}}
	for _, q := range a.Questions {
		given := a.Answers[q.ID]
		m.Total += q.Points
		marked := MarkedQuestion{ID: q.ID, Kind: q.Kind, Text: q.Text, Points: q.Points,
			IsRight: q.IsRightAnswer(given)}
		if took, isKnown := a.Times[q.ID]; isKnown {
			marked.Took = &took
		}
		m.Marked = append(m.Marked, marked)
		if marked.IsRight {
			m.Score += q.Points
			continue
		}
		m.wrong = append(m.wrong, WrongAnswer{Question: q.Text, Chosen: q.TextOf(given)})
	}
	m.Percentage = core.Ratio(100*m.Score, m.Total)
	m.Mastery = MasteryOf(m.Percentage)
	m.Passed = m.Percentage >= a.PassPercent
	return m
}
