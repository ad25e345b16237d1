package exchange

import (
	"slices"

	"github.com/openlectern/openlectern/internal/coursepackage"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/core"
)

// describeQuiz returns the description of a quiz. It has no ids: an answer names options by their
// indexes.
func describeQuiz(q assess.Quiz) *coursepackage.Quiz {
	described := &coursepackage.Quiz{Questions: make([]coursepackage.Question, len(q.Questions))}
	for i, question := range q.Questions {
		options := make([]string, len(question.Options))
		for j, option := range question.Options {
			options[j] = option.Text
		}
		d := coursepackage.Question{Question: question.Text, Options: options,
			Explanation: question.Solution.Explanation}
		if q.ByHand {
			d.Kind, d.Points = string(question.Kind), question.Points
			d.Answer, d.Tolerance = describedAnswer(question), question.Solution.Tolerance
		} else {
			d.CorrectIndex = new(question.OptionIndex(question.Solution.Answer))
		}
		described.Questions[i] = d
	}
	if q.ByHand {
		s := q.Settings
		described.Settings = &coursepackage.Settings{Draw: s.Draw, Shuffle: s.Shuffle,
			Minutes: s.Minutes, Attempts: s.Attempts, PassPercent: s.PassPercent,
			Review: string(s.Review)}
	}
	return described
}

// describedAnswer returns the answer of the solution with indexes in place of the ids of options.
// The indexes of a set are in order.
func describedAnswer(q assess.Question) any {
	right, isList := q.Solution.Answer.([]string)
	if !isList {
		if q.Kind == assess.SingleChoice {
			return float64(q.OptionIndex(q.Solution.Answer))
		}
		return q.Solution.Answer
	}
	var list []any
	if q.Kind == assess.TextQuestion {
		for _, text := range right {
			list = append(list, text)
		}
		return list
	}
	for i, option := range q.Options {
		if slices.Contains(right, option.ID) {
			list = append(list, float64(i))
		}
	}
	return list
}

// quiz returns a described quiz as it is stored, without what concerns its chapter. It returns
// [core.ErrInvalidRequest] if it is not valid.
func (in *packageImport) quiz(described coursepackage.Quiz) (assess.Quiz, error) {
	if described.Settings == nil {
		return writtenQuizOf(described)
	}
	s := described.Settings
	e := assess.QuizEdit{Settings: assess.QuizSettings{Draw: s.Draw, Shuffle: s.Shuffle, Minutes: s.Minutes,
		Attempts: s.Attempts, PassPercent: s.PassPercent, Review: assess.QuizReview(s.Review)}}
	for _, d := range described.Questions {
		if d.CorrectIndex != nil {
			return assess.Quiz{}, core.ErrInvalidRequest
		}
		e.Questions = append(e.Questions, questionOf(d))
	}
	e, err := e.Normal()
	return assess.Quiz{Questions: e.Questions, Settings: e.Settings, ByHand: true}, err
}

// questionOf returns a described question of a quiz that is written by hand.
func questionOf(d coursepackage.Question) assess.Question {
	q := assess.Question{Kind: assess.QuestionKind(d.Kind), Text: d.Question, Points: d.Points,
		Solution: &assess.Solution{Answer: assess.AnswerOfJSON(d.Answer), Tolerance: d.Tolerance,
			Explanation: d.Explanation}}
	for _, text := range d.Options {
		q.Options = append(q.Options, assess.Choice{Text: text})
	}
	return q
}

// writtenQuizOf returns a described quiz that follows the rules of one of the AI. It returns
// [core.ErrInvalidRequest] for any other.
func writtenQuizOf(described coursepackage.Quiz) (assess.Quiz, error) {
	var q assess.Quiz
	for i, d := range described.Questions {
		if len(d.Options) != assess.QuestionOptions || d.CorrectIndex == nil || *d.CorrectIndex < 0 ||
			*d.CorrectIndex >= assess.QuestionOptions || d.Kind != "" || d.Answer != nil ||
			d.Tolerance != 0 || d.Points != 0 {
			return assess.Quiz{}, core.ErrInvalidRequest
		}
		question := assess.NewQuestion(i, d.Question, d.Options, *d.CorrectIndex, d.Explanation)
		q.Questions = append(q.Questions, question.WithChanceIDs())
	}
	if count := len(q.Questions); count < 1 || count > assess.MaxQuestions ||
		len(assess.WrittenProblems(q.Questions)) > 0 {
		return assess.Quiz{}, core.ErrInvalidRequest
	}
	return q, nil
}
