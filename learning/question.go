package learning

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// QuestionKind says how a question is answered.
type QuestionKind string

// The kinds of questions.
const (
	SingleChoice   QuestionKind = "single"   // with one of its options
	MultipleChoice QuestionKind = "multiple" // with a set of its options
	TrueFalse      QuestionKind = "true-false"
	NumberQuestion QuestionKind = "number"
	TextQuestion   QuestionKind = "text"
)

// Question is a question of a quiz.
type Question struct {
	ID       string // unique in its quiz
	Kind     QuestionKind
	Text     string
	Options  []Choice  // of SingleChoice and MultipleChoice, else nil
	Points   int       // for the right answer; any other answer has 0
	Solution *Solution // nil if the caller may not see it
}

// Choice is an option of a question.
type Choice struct {
	ID   string // unique in its question
	Text string
}

// Solution is the part of a question that students do not see.
type Solution struct {
	Answer      Answer  // the right one
	Tolerance   float64 // of NumberQuestion: how far a right answer may be from Answer
	Explanation string
}

// Answer is an answer to a question, or nil for none. Its Go type follows from the kind:
//
//	kind            answer of a student            in a Solution
//	SingleChoice    string, the id of an option    the same
//	MultipleChoice  []string, ids of options       the same, one at least
//	TrueFalse       bool                           the same
//	NumberQuestion  float64, or a string of a      float64
//	                number and a unit
//	TextQuestion    string                         []string, which are all right
type Answer any

// Limits of questions (docs/api.md §12). Lengths count code points.
const (
	QuestionOptions = 4  // of a question of the AI
	MaxQuestions    = 20 // of a quiz of the AI
	MaxQuestionBank = 500
	MaxOptions      = 10
	MaxAnswerTexts  = 20 // that are right
	MaxPoints       = 100
	MaxQuestionText = 1_000
	MaxOptionText   = 500
	MaxExplanation  = 2_000
)

// NewQuestion returns a question with one right option and one point, as the AI writes it. index is
// that of the question in its quiz, and correct that of the right option. The ids follow from the
// indexes, as do those of questions that were stored without ids.
func NewQuestion(index int, text string, options []string, correct int,
	explanation string) Question {
	q := Question{
		ID:       fmt.Sprint("q", index+1),
		Kind:     SingleChoice,
		Text:     text,
		Points:   1,
		Solution: &Solution{Answer: optionID(correct), Explanation: explanation},
	}
	for i, option := range options {
		q.Options = append(q.Options, Choice{ID: optionID(i), Text: option})
	}
	return q
}

// optionID returns the id of an option that has none of its own.
func optionID(index int) string { return fmt.Sprint("o", index+1) }

// OptionIndex returns the index of the option with an id, or -1 if there is none.
func (q Question) OptionIndex(id Answer) int {
	return slices.IndexFunc(q.Options, func(c Choice) bool { return c.ID == id })
}

// AnswerOfJSON returns the answer that a decoded JSON value is. The question decides later whether
// it can be an answer to it.
func AnswerOfJSON(value any) Answer {
	list, isList := value.([]any)
	if !isList {
		return value
	}
	texts := make([]string, len(list))
	for i, item := range list {
		text, isText := item.(string)
		if !isText {
			return value
		}
		texts[i] = text
	}
	return texts
}

// normal returns a question as it is stored: texts without outer space, an id for it and for each
// option that has none, 1 point if it has 0, and the ids of options where the solution has indexes
// of them. newID generates the id of the question. It returns [ErrInvalidRequest] for a question
// that cannot be answered right.
func (q Question) normal(newID func() string) (Question, error) {
	if q.ID == "" {
		q.ID = newID()
	}
	if q.Points == 0 {
		q.Points = 1
	}
	solution := *q.Solution
	q.Text = strings.TrimSpace(q.Text)
	solution.Explanation = strings.TrimSpace(solution.Explanation)
	options, ok := normalOptions(q.Options)
	q.Options = options
	if !ok || !isQuestionID(q.ID) || q.Points < 0 || q.Points > MaxPoints ||
		!isText(q.Text, 1, MaxQuestionText) || !isText(solution.Explanation, 0, MaxExplanation) {
		return Question{}, ErrInvalidRequest
	}

	// Options and a tolerance belong to their kinds only.
	hasOptions := q.Kind == SingleChoice || q.Kind == MultipleChoice
	isOptionCount := len(options) >= 2
	isTolerance := solution.Tolerance >= 0 && !math.IsInf(solution.Tolerance, 0)
	if hasOptions != isOptionCount || !hasOptions && len(options) > 0 || !isTolerance ||
		q.Kind != NumberQuestion && solution.Tolerance != 0 {
		return Question{}, ErrInvalidRequest
	}
	if solution.Answer, ok = q.normalSolution(solution.Answer); !ok {
		return Question{}, ErrInvalidRequest
	}
	q.Solution = &solution
	return q, nil
}

// isQuestionID reports whether a question can have the id. The totals of questions have it as a key.
func isQuestionID(id string) bool { return isContentID(id) && validID(id, 4*MaxContentID) }

// normalOptions returns options with trimmed texts, and with ids. It returns false if there are too
// many, if two have the same id or text, or if one is invalid.
func normalOptions(list []Choice) (options []Choice, ok bool) {
	if len(list) > MaxOptions { // before ids are made, which takes the square of the number
		return nil, false
	}
	ids, texts := map[string]bool{"": true}, map[string]bool{}
	for _, c := range list {
		ids[c.ID] = true
	}
	used := map[string]bool{}
	for _, c := range list {
		// The first free id, so that an option without one gets none of another.
		for i := 0; c.ID == ""; i++ {
			if id := optionID(i); !ids[id] {
				c.ID, ids[id] = id, true
			}
		}
		c.Text = strings.TrimSpace(c.Text)
		if used[c.ID] || texts[c.Text] || !isContentID(c.ID) || !isText(c.Text, 1, MaxOptionText) {
			return nil, false
		}
		used[c.ID], texts[c.Text] = true, true
		options = append(options, c)
	}
	return options, true
}

// normalSolution returns the answer of a solution in its Go type. It returns false if the kind of
// the question has no such answer.
func (q Question) normalSolution(a Answer) (normal Answer, ok bool) {
	switch q.Kind {
	case SingleChoice:
		return q.optionOf(a)
	case MultipleChoice:
		return q.normalSet(a)
	case TrueFalse:
		normal, ok = a.(bool)
	case NumberQuestion:
		normal, ok = numberOf(a)
	case TextQuestion:
		list, _ := a.([]string)
		texts := make([]string, len(list))
		for i, text := range list {
			texts[i] = strings.TrimSpace(text)
			if !isText(text, 1, MaxOptionText) {
				return nil, false
			}
		}
		normal, ok = texts, len(texts) > 0 && len(texts) <= MaxAnswerTexts
	}
	return normal, ok
}

// normalSet returns the ids of a set of options that a solution names, each once.
func (q Question) normalSet(a Answer) (ids Answer, ok bool) {
	var list []any
	switch a := a.(type) {
	case []string:
		for _, id := range a {
			list = append(list, id)
		}
	case []any:
		list = a
	}
	var set []string
	for _, item := range list {
		id, isOption := q.optionOf(item)
		if !isOption {
			return nil, false
		}
		set = append(set, id.(string))
	}
	slices.Sort(set)
	set = slices.Compact(set)
	return set, len(set) > 0
}

// optionOf returns the id of the option that a solution names by its id or its index.
func (q Question) optionOf(a Answer) (id Answer, ok bool) {
	index := q.OptionIndex(a)
	if number, isNumber := a.(float64); isNumber && number == math.Trunc(number) &&
		number >= 0 && number < float64(len(q.Options)) {
		index = int(number)
	}
	if index < 0 {
		return nil, false
	}
	return q.Options[index].ID, true
}

// hasTwoAnswers reports whether there are only two answers, so that a wrong one tells the solution.
func (q Question) hasTwoAnswers() bool {
	return q.Kind == TrueFalse || q.Kind == SingleChoice && len(q.Options) == 2
}

// isAnswer reports whether a student may give an answer to the question, right or wrong.
func (q Question) isAnswer(a Answer) bool {
	switch a := a.(type) {
	case string:
		switch q.Kind {
		case SingleChoice:
			return q.OptionIndex(a) >= 0
		case NumberQuestion, TextQuestion:
			return isText(a, 0, MaxOptionText)
		}
	case []string:
		isOption := func(id string) bool { return q.OptionIndex(id) >= 0 }
		return q.Kind == MultipleChoice && len(a) <= MaxOptions &&
			!slices.ContainsFunc(a, func(id string) bool { return !isOption(id) })
	case bool:
		return q.Kind == TrueFalse
	case float64:
		return q.Kind == NumberQuestion
	case []any: // an empty list of JSON is []string
		return false
	}
	return false
}

// withoutSolutions returns a copy of the questions without their solutions, for students.
func withoutSolutions(questions []Question) []Question {
	list := slices.Clone(questions)
	for i := range list {
		list[i].Solution = nil
	}
	return list
}
