package qti

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/openlectern/openlectern/internal/coursepackage"
)

const (
	maxPoints = 100
	// maxParts is into how many questions an item of pairs or blanks is split, and maxPrefix how
	// long the text is that each of them repeats, in bytes.
	maxParts  = 50
	maxPrefix = 10_000
	// maxPairOptions is how many options a question for a pair has. Of more, those after the right
	// one and the first ones are left out.
	maxPairOptions = 10
)

// What is lost of a quiz that is imported.
const (
	lostMedia = "pictures and other media of questions are not imported"
	lostSplit = "a question for pairs or for several blanks is one question for each here, which " +
		"share its points"
	lostPartial    = "a wrong answer has no points here, and a right one all: parts are not imported"
	lostCase       = "capital and small letters are the same here"
	lostBound      = "a number at the bound of the right ones is right here"
	lostPoints     = "a question has 1 to 100 whole points here: others were rounded"
	lostComments   = "a question has one explanation here: other feedback is not imported"
	lostHints      = "a question has no hint here"
	lostOptions    = "a question has at most 10 options here: others were left out"
	lostTexts      = "a quiz has questions only: put them into a lecture"
	lostBanks      = "the file does not have them: export the quiz with its questions"
	lostReferences = "the questions are in another file: export the quiz with its questions"
	lostQuizzes    = "the file has several quizzes, and the first one was read: import each by itself"

	lostSectionTexts = "a section has questions only: put them into a lecture or the questions"
)

// losses are the reasons in the order in which they are named, and what is lost. %d is of how many.
var losses = []struct{ reason, what string }{
	{lostSplit, "%d of the questions as a whole"}, {lostMedia, "a part of %d of the questions"},
	{lostPartial, "a part of the points of %d of the questions"},
	{lostCase, "a condition of %d of the questions"},
	{lostBound, "a bound of %d of the questions"}, {lostPoints, "the points of %d of the questions"},
	{lostOptions, "options of %d of the questions"},
	{lostComments, "feedback of %d of the questions"},
	{lostHints, "the hints of %d of the questions"}, {lostTexts, "the instructions of the quiz"},
	{lostSectionTexts, "the texts of %d of the sections"},
	{lostBanks, "questions of %d banks"}, {lostReferences, "questions that the file only names"},
	{lostQuizzes, "%d other quizzes"},
}

// questions returns the questions that an item becomes and what is lost of it, or why it cannot be
// imported.
func (it *item) questions(in *reading) (list []coursepackage.Question, lost []string, why string) {
	if why := it.kind.why(); why != "" {
		return nil, nil, why
	}
	q := &question{item: it}
	switch count := len(it.responses); {
	case count == 0:
		return nil, nil, "it asks for no answer"
	case slices.ContainsFunc(it.responses, func(r *response) bool { return r.isOrder() }):
		it.kind = order
		return nil, nil, order.why()
	case slices.ContainsFunc(it.responses, (*response).asksPlace):
		it.kind = place
		return nil, nil, place.why()
	case count == 1:
		r := it.responses[0]
		text := it.text(nil)
		if r.text != "" && it.kind != blanks && it.kind != dropdowns {
			text = strings.TrimSpace(text + "\n" + r.text)
		}
		one, why := q.read(r, text, 0)
		if why != "" {
			return nil, nil, why
		}
		list = []coursepackage.Question{one}
	default:
		if list, why = q.split(in); why != "" {
			return nil, nil, why
		}
	}

	// Add what concerns the item as a whole.
	explanation, isLost := it.explanation(q.right)
	if isLost {
		q.lose(lostComments)
	}
	points, isExact := q.points()
	if !isExact {
		q.lose(lostPoints)
	}
	for i := range list {
		list[i].Explanation = explanation
		list[i].Points = max(1, int(math.Round(float64(points)/float64(len(list)))))
	}
	if it.hasMedia {
		q.lose(lostMedia)
	}
	if it.hasHint {
		q.lose(lostHints)
	}
	return list, q.lost, ""
}

func (r *response) isOrder() bool { return r.cardinality == "ordered" }

// asksPlace reports whether a response is a place in a picture, or another that no question has.
func (r *response) asksPlace() bool {
	return r.isPlace || r.element == "response_xy" || !r.hasOptions && r.fields == 0 &&
		r.element != "response_str" && r.element != "response_num" && r.element != "response_lid"
}

// question is an item while its questions are made.
type question struct {
	*item
	right []condition // those of all its responses
	score float64     // that the right answers to all its responses give, or MaxFloat64
	lost  []string
}

// addScore adds the score of the right answer to a response, which fulfils these conditions: all of
// them if the response is of several options, or else one.
func (q *question) addScore(right []condition, isMultiple bool) {
	sum, most := 0.0, 0.0
	for _, c := range right {
		sum, most = sum+c.score, max(most, c.score)
		isMultiple = isMultiple && c.isAdded
	}
	if isMultiple {
		most = sum
	}
	q.score += most
}

func (q *question) lose(reason string) {
	if !slices.Contains(q.lost, reason) {
		q.lost = append(q.lost, reason)
	}
}

// split returns a question for each pair or blank of an item.
func (q *question) split(in *reading) (list []coursepackage.Question, why string) {
	marks := q.marks()
	text := q.text(marks)
	switch {
	case len(q.responses) > maxParts:
		return nil, "it has more than 50 pairs or blanks: split it"
	case len(text) > maxPrefix:
		return nil, "its text is too long to be repeated for each of its pairs or blanks: split it"
	}
	byResponse := q.byResponse()
	for _, r := range q.responses {
		if err := in.b.Steps(len(text)); err != nil {
			in.err = err
			return nil, "it could not be read"
		}
		asked := marks[r] + " = ?"
		if isPair := r.text != "" && !strings.Contains(text, "["+line(r.text)+"]"); isPair {
			asked = r.text + " ↔ ?"
		}
		one, why := q.readOf(r, strings.TrimSpace(text+"\n"+asked), len(q.rights), byResponse[r])
		if why != "" {
			return nil, "one of its pairs or blanks cannot be imported, because " + why
		}
		list = append(list, one)
	}
	q.lose(lostSplit)
	return list, ""
}

// byResponse returns the conditions that concern each response, with the tests of that only.
func (q *question) byResponse() map[*response][]condition {
	owner := map[string]*response{}
	for _, r := range q.responses {
		for _, id := range r.ids {
			if owner[id] == nil {
				owner[id] = r
			}
		}
	}
	all := map[*response][]condition{}
	for _, c := range q.conditions {
		tests := map[*response][]test{}
		for _, t := range c.tests {
			if r := owner[t.response]; r != nil {
				tests[r] = append(tests[r], t)
			}
		}
		for r, list := range tests {
			one := c
			one.tests = list
			all[r] = append(all[r], one)
		}
	}
	return all
}

// read returns the question of the only response of an item.
func (q *question) read(
	r *response, text string, rights int,
) (one coursepackage.Question, why string) {
	var list []condition
	ids := map[string]bool{}
	for _, o := range r.options {
		ids[o.id] = true
	}
	for _, c := range q.conditions {
		// Blackboard has a condition for the feedback to each option, which names no answer.
		c.tests = slices.DeleteFunc(slices.Clone(c.tests), func(t test) bool {
			return t.value == "" && ids[t.response]
		})
		if len(c.tests) > 0 {
			list = append(list, c)
		}
	}
	return q.readOf(r, text, rights, list)
}

// readOf returns the question of a response, whose conditions these are. rights is how many right
// sides of pairs the item has.
func (q *question) readOf(
	r *response, text string, rights int, conditions []condition,
) (one coursepackage.Question, why string) {
	one = coursepackage.Question{Question: text, Points: 1}
	if r.hasOptions && strings.HasPrefix(q.fields["question_type"], "fill_in_multiple_blanks") {
		return one, setTexts(&one, r.options)
	}
	right, isPartial := rightOf(conditions, r, len(q.responses) > 1, q.kind == severalOptions)
	if len(right) == 0 {
		if !r.hasOptions && q.kind != number && len(q.responses) == 1 {
			q.kind = essay
		}
		return one, "it has no right answer, so a person must mark it: make it an assignment"
	}
	if isPartial {
		q.lose(lostPartial)
	}
	q.right = append(q.right, right...)
	q.addScore(right, r.cardinality == "multiple" || q.kind == severalOptions)
	a := answer{question: q, right: right}
	if r.hasOptions {
		return one, a.choice(&one, r, rights)
	}
	return one, a.blank(&one, r)
}

// setTexts sets the options of a blank as the accepted texts, all of which Canvas means as right.
func setTexts(one *coursepackage.Question, options []option) (why string) {
	var accepted []any
	isKnown := map[string]bool{}
	for _, o := range options {
		if o.text != "" && !isKnown[o.text] {
			isKnown[o.text] = true
			accepted = append(accepted, o.text)
		}
	}
	if len(accepted) == 0 {
		return "a blank has no right text"
	}
	one.Kind, one.Answer = "text", accepted
	return ""
}

// rightOf returns the conditions that the right answer to a response fulfils. isPartial is whether
// others have points too, which are parts of the right answer or less.
//
//	conditions                              the right ones
//	one is named correct, or gives all      those
//	some have points that are added, and    all with points
//	  several options may be right
//	some have points                        those with the most
//	none has, and one shows the feedback    those
//	  "correct" (Sakai)
//	none says how much it gives, and the    all
//	  item has several responses (Blackboard)
func rightOf(
	list []condition, r *response, isOfSeveral, isMultiple bool,
) (right []condition, isPartial bool) {
	var named, scored, shown, plain []condition
	areAdded, best := true, 0.0
	for _, c := range list {
		switch {
		case c.isCorrect && (c.score > 0 || !c.hasScore):
			named = append(named, c)
		case c.score > 0:
			scored = append(scored, c)
			areAdded, best = areAdded && c.isAdded, max(best, c.score)
		case slices.ContainsFunc(c.feedback, func(id string) bool {
			return strings.EqualFold(id, "correct")
		}):
			shown = append(shown, c)
		case !c.hasScore:
			plain = append(plain, c)
		}
	}
	isMultiple = isMultiple || r.cardinality == "multiple"
	switch {
	case len(named) > 0:
		return named, len(scored) > 0 && !isOfSeveral
	case areAdded && len(scored) > 1 && isMultiple && r.hasOptions:
		return scored, true
	case len(scored) > 0:
		right = slices.DeleteFunc(slices.Clone(scored), func(c condition) bool {
			return c.score < best
		})
		return right, len(right) < len(scored)
	case len(shown) > 0:
		return shown, false
	case isOfSeveral:
		return plain, false
	}
	return nil, false
}

// pointFields are the fields of metadata that may have the points of a question.
var pointFields = []string{weightField, "points_possible", "qmd_absolutescore_max",
	"qmd_weighting", "qmd_score_max", "qmd_maximumscore", "point_value", "points"}

// points returns the points of an item. isExact is false if they were rounded. An item that does
// not say it has those that its right answer gives, unless these are per cent.
func (q *question) points() (points int, isExact bool) {
	const percent = 100
	text := q.sectionPoints
	for _, field := range pointFields {
		number, err := strconv.ParseFloat(q.fields[field], 64)
		isSaid := err == nil && (number > 0 || number == 0 && (field == weightField ||
			field == "points_possible")) // Blackboard has 0 and -1 for none
		if text == "" && isSaid {
			text = q.fields[field]
		}
	}
	if text == "" {
		score := q.score
		maximum, err := strconv.ParseFloat(q.maximum, 64)
		if score >= math.MaxFloat64 && err == nil {
			score = maximum
		}
		if score <= 0 || score >= percent-1 || err == nil && maximum == percent {
			return 1, true
		}
		text = strconv.FormatFloat(score, 'g', -1, 64)
	}
	number, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(number) {
		return 1, false
	}
	rounded := min(max(math.Round(number), 1), maxPoints)
	return int(rounded), rounded == number
}

// explanation returns the explanation of an item: its general feedback, or that to the right
// answer, or its solution. isLost is whether it has other feedback.
func (it *item) explanation(right []condition) (text string, isLost bool) {
	byID := map[string]string{}
	others := map[string]bool{}
	for _, f := range it.feedback {
		if f.text != "" {
			byID[strings.ToLower(f.id)] = f.text
			others[f.text] = true
		}
	}
	names := []string{generalComment, "general", it.label}
	for _, c := range right {
		names = append(names, c.feedback...)
	}
	for _, name := range append(names, "correct_fb", "correct", "mastery", "solution") {
		if text = byID[strings.ToLower(name)]; name != "" && text != "" {
			return text, len(others) > 1
		}
	}
	return "", len(others) > 0
}
