package assess

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/openlectern/openlectern/internal/answertext"
	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
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
// indexes, as do those of questions that were stored without ids. In an attempt that shows options
// in another order, [Service.StartAttempt] replaces the ids of options that follow from
// indexes.
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

// optionID returns the id that NewQuestion gives an option. It tells the place of the option.
func optionID(index int) string { return fmt.Sprint("o", index+1) }

// WithChanceIDs returns the question with ids by chance for itself and its options.
func (q Question) WithChanceIDs() Question {
	q.ID = chanceID()
	return q.withOptionIDs(func(string) string { return chanceID() })
}

// withOptionIDs returns the question with other ids of its options, in the solution too. change
// returns the id in place of one.
func (q Question) withOptionIDs(change func(id string) string) Question {
	ids := make(map[string]string, len(q.Options))
	q.Options = slices.Clone(q.Options)
	for i, option := range q.Options {
		ids[option.ID] = change(option.ID)
		q.Options[i].ID = ids[option.ID]
	}
	if q.Solution == nil {
		return q
	}
	solution := *q.Solution
	switch right := solution.Answer.(type) {
	case string:
		solution.Answer = ids[right]
	case []string:
		set := make([]string, len(right))
		for i, id := range right {
			set[i] = ids[id]
		}
		slices.Sort(set)
		solution.Answer = set
	}
	q.Solution = &solution
	return q
}

// withoutPlaceIDs returns the question with ids by chance in place of those of options that an
// optionID is. Before ids were made by chance, options without one got the first that was free.
func (q Question) withoutPlaceIDs() Question {
	isPlaceID := func(id string) bool {
		for i := range q.Options {
			if id == optionID(i) {
				return true
			}
		}
		return false
	}
	if !slices.ContainsFunc(q.Options, func(c Choice) bool { return isPlaceID(c.ID) }) {
		return q
	}
	return q.withOptionIDs(func(id string) string {
		if isPlaceID(id) {
			return chanceID()
		}
		return id
	})
}

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

// Normal returns a question as it is stored: texts without outer space, an id by chance for it and
// for each option that has none, 1 point if it has 0, and the ids of options where the solution has
// indexes of them. It returns [core.ErrInvalidRequest] for a question that cannot be answered
// right.
func (q Question) Normal() (Question, error) {
	if q.Solution == nil {
		return Question{}, core.InvalidField("answer", "is required")
	}
	if q.ID == "" {
		q.ID = chanceID()
	}
	if q.Points == 0 {
		q.Points = 1
	}
	solution := *q.Solution
	q.Text = strings.TrimSpace(q.Text)
	solution.Explanation = strings.TrimSpace(solution.Explanation)
	options, err := normalOptions(q.Options)
	q.Options = options
	if err := cmp.Or(err, q.check(solution)); err != nil {
		return Question{}, err
	}
	var ok bool
	if solution.Answer, ok = q.normalSolution(solution.Answer); !ok {
		return Question{}, core.InvalidField("answer", "must be what is right for this kind")
	}
	q.Solution = &solution
	return q, nil
}

// check returns an error if the question, with its solution, is not within the limits, except for
// what is right.
func (q Question) check(solution Solution) error {
	// Options and a tolerance belong to their kinds only.
	hasOptions := q.Kind == SingleChoice || q.Kind == MultipleChoice
	isTolerance := solution.Tolerance >= 0 && isFinite(solution.Tolerance)
	return cmp.Or(
		core.Require(isQuestionID(q.ID), "questionId", fmt.Sprintf(
			"must have at most %d characters, of which the last is no space", catalog.MaxContentID)),
		core.RequireBetween("points", q.Points, 0, MaxPoints),
		core.RequireText("question", q.Text, 1, MaxQuestionText),
		core.RequireText("explanation", solution.Explanation, 0, MaxExplanation),
		core.Require(!hasOptions || len(q.Options) >= 2, "options", "must have at least 2 elements"),
		core.Require(hasOptions || len(q.Options) == 0, "options", "do not belong to this kind"),
		core.Require(isTolerance, "tolerance", "must be at least 0"),
		core.Require(q.Kind == NumberQuestion || solution.Tolerance == 0, "tolerance",
			"does not belong to this kind"))
}

// isQuestionID reports whether a question can have the id. The totals of questions have it as a
// key.
func isQuestionID(id string) bool {
	return catalog.IsContentID(id) && text.ValidID(id, 4*catalog.MaxContentID)
}

// normalOptions returns options with trimmed texts, and with ids: those that they have, or else ids
// by chance. It returns an error if there are too many, if two have the same id or text, or if one
// is invalid.
func normalOptions(list []Choice) (options []Choice, err error) {
	if err := core.RequireAtMost("options", list, MaxOptions); err != nil { // before ids are made
		return nil, err
	}
	ids, texts := map[string]bool{}, map[string]bool{}
	for i, c := range list {
		if c.ID == "" {
			c.ID = chanceID()
		}
		c.Text = strings.TrimSpace(c.Text)
		// An option is an object, or a text alone.
		at := fmt.Sprint("options/", i)
		err := cmp.Or(core.Require(!ids[c.ID] && !texts[c.Text], at,
			"must differ from the other options of the question"),
			core.RequireText(at, c.ID, 1, catalog.MaxContentID),
			core.RequireText(at, c.Text, 1, MaxOptionText))
		if err != nil {
			return nil, err
		}
		ids[c.ID], texts[c.Text] = true, true
		options = append(options, c)
	}
	return options, nil
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
		for i, entry := range list {
			texts[i] = strings.TrimSpace(entry)
			// A text of zero-width characters only would be the same as no answer.
			if !text.Is(entry, 1, MaxOptionText) || answertext.Plain(entry) == "" {
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

// IsAnswer reports whether a student may give an answer to the question, right or wrong.
func (q Question) IsAnswer(a Answer) bool {
	switch a := a.(type) {
	case string:
		switch q.Kind {
		case SingleChoice:
			return q.OptionIndex(a) >= 0
		case NumberQuestion, TextQuestion:
			return text.Is(a, 0, MaxOptionText)
		}
	case []string:
		isOption := func(id string) bool { return q.OptionIndex(id) >= 0 }
		return q.Kind == MultipleChoice && len(a) <= MaxOptions &&
			!slices.ContainsFunc(a, func(id string) bool { return !isOption(id) })
	case bool:
		return q.Kind == TrueFalse
	case float64:
		return q.Kind == NumberQuestion && isFinite(a)
	case []any: // an empty list of JSON is []string
		return false
	}
	return false
}

// WithoutSolutions returns a copy of the questions without their solutions, for students.
func WithoutSolutions(questions []Question) []Question {
	list := slices.Clone(questions)
	for i := range list {
		list[i].Solution = nil
	}
	return list
}

// chanceID returns 20 hexadecimal digits by chance, the id of a part of a quiz. Students see these
// ids, so they must not have the order in which they were made, as those of text.NewID have: it is
// the order of the author, who often writes the right option first.
func chanceID() string {
	var id [10]byte
	_, _ = rand.Read(id[:]) // never fails
	return hex.EncodeToString(id[:])
}
