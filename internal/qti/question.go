package qti

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/openlectern/openlectern/internal/coursepackage"
)

// item is a question.
type item struct {
	Title        string  `xml:"title,attr"`
	Fields       []field `xml:"itemmetadata>qtimetadata>qtimetadatafield"`
	Presentation block   `xml:"presentation"`
	Processing   []struct {
		Conditions []condition `xml:"respcondition"`
	} `xml:"resprocessing"`
	Feedback []feedback `xml:"itemfeedback"`
}

// block is a part of what is shown, which may have parts itself.
type block struct {
	Materials []material `xml:"material"`
	Mats      []block    `xml:"flow_mat"`
	Flows     []block    `xml:"flow"`
	Choices   []choice   `xml:"response_lid"`
	Blanks    []blank    `xml:"response_str"`
	Numbers   []blank    `xml:"response_num"`
	Points    []struct{} `xml:"response_xy"`
	Groups    []struct{} `xml:"response_grp"`
}

// choice is a response of one option or of several.
type choice struct {
	block
	Cardinality string `xml:"rcardinality,attr"`
	Render      struct {
		Labels []label `xml:"response_label"`
		Flows  []struct {
			Labels []label `xml:"response_label"`
		} `xml:"flow_label"`
	} `xml:"render_choice"`
}

type label struct {
	block
	ID string `xml:"ident,attr"`
}

// blank is a response of a text or a number.
type blank struct {
	block
	Renders []struct {
		Type   string     `xml:"fibtype,attr"`
		Labels []struct{} `xml:"response_label"`
	} `xml:"render_fib"`
}

// condition is what a response gets if it is fulfilled.
type condition struct {
	Test test `xml:"conditionvar"`
	Sets []struct {
		Action string `xml:"action,attr"`
		Value  string `xml:",chardata"`
	} `xml:"setvar"`
	Shows []struct {
		ID string `xml:"linkrefid,attr"`
	} `xml:"displayfeedback"`
}

// score returns how much a response gets.
func (c condition) score() (score float64, isAdded bool) {
	for _, set := range c.Sets {
		number, err := strconv.ParseFloat(line(set.Value), 64)
		if err == nil && !math.IsNaN(number) && number > score {
			score, isAdded = number, strings.EqualFold(set.Action, "Add")
		}
	}
	return score, isAdded
}

// test is a condition on a response, which may have tests itself.
type test struct {
	Equal     []equal    `xml:"varequal"`
	AtLeast   []string   `xml:"vargte"`
	AtMost    []string   `xml:"varlte"`
	More      []struct{} `xml:"vargt"`
	Less      []struct{} `xml:"varlt"`
	Subset    []struct{} `xml:"varsubset"`
	Substring []struct{} `xml:"varsubstring"`
	And       []test     `xml:"and"`
	Or        []test     `xml:"or"`
	Not       []test     `xml:"not"`
}

type equal struct {
	Case string `xml:"case,attr"`
	Text string `xml:",chardata"`
}

// addTo adds what a test asks, also within and and or, to all: what must be equal, and the other
// tests. It adds what a not contains to not. It appends, because a list that is copied for each of
// its elements takes minutes for a document of 8 MiB.
func (t test) addTo(all, not *test) {
	all.Equal = append(all.Equal, t.Equal...)
	all.AtLeast = append(all.AtLeast, t.AtLeast...)
	all.AtMost = append(all.AtMost, t.AtMost...)
	all.More, all.Less = append(all.More, t.More...), append(all.Less, t.Less...)
	all.Subset = append(all.Subset, t.Subset...)
	all.Substring = append(all.Substring, t.Substring...)
	all.Or = append(all.Or, t.Or...)
	for _, inner := range slices.Concat(t.And, t.Or) {
		inner.addTo(all, not)
	}
	for _, inner := range t.Not {
		inner.addTo(not, &test{}) // what a not within a not contains is not read
	}
}

type feedback struct {
	ID string `xml:"ident,attr"`
	block
	Solutions []block `xml:"solution>solutionmaterial"`
}

// materials returns what a block shows, with that of its inner blocks.
func (b block) materials() []material {
	list := b.Materials
	for _, inner := range slices.Concat(b.Mats, b.Flows) {
		list = append(list, inner.materials()...)
	}
	return list
}

// addResponsesTo adds the responses of a block and of its inner blocks to another.
func (b block) addResponsesTo(all *block) {
	all.Choices = append(all.Choices, b.Choices...)
	all.Blanks = append(all.Blanks, b.Blanks...)
	all.Numbers = append(all.Numbers, b.Numbers...)
	all.Points = append(all.Points, b.Points...)
	all.Groups = append(all.Groups, b.Groups...)
	for _, inner := range b.Flows {
		inner.addResponsesTo(all)
	}
}

// text returns the text of the question, or its title if it has none.
func (it item) text() string {
	text, _ := textOf(it.Presentation.materials())
	if text == "" {
		return line(it.Title)
	}
	return text
}

// What is lost of a question that is imported.
const (
	lostMedia    = "pictures, formulas and other media of questions are not imported"
	lostPartial  = "a wrong answer has no points here, and a right one all: parts are not imported"
	lostCase     = "capital and small letters are the same here"
	lostPoints   = "a question has 1 to 100 whole points here: others were rounded"
	lostComments = "a question has one explanation here: other feedback is not imported"
)

// lostReasons are the reasons in the order in which they are named.
var lostReasons = []string{lostMedia, lostPartial, lostCase, lostPoints, lostComments}

// question returns the question of an item, or why it cannot be imported. lose is called with each
// reason for which a part of it is lost.
func (it item) question(lose func(reason string)) (q coursepackage.Question, why string) {
	var shown block
	it.Presentation.addResponsesTo(&shown)
	text, hasMedia := textOf(it.Presentation.materials())
	q.Question = text
	if text == "" {
		q.Question = line(it.Title)
	}

	right, isPartial, areAdded := it.best()
	all := answer{conditions: right, areAdded: areAdded && len(right) > 1}
	blanks := slices.Concat(shown.Blanks, shown.Numbers)
	switch count := len(shown.Choices) + len(blanks); {
	case len(shown.Points)+len(shown.Groups) > 0 || count > 1:
		return q, "it asks several answers, an order, pairs or a place in a picture"
	case count == 0:
		return q, "it asks for no answer"
	case len(right) == 0:
		return q, "it has no right answer, so a person must mark it: make it an assignment"
	case len(blanks) == 1:
		isNumber := len(shown.Numbers) == 1
		hasMedia = withMedia(blanks[0].block, &q, hasMedia)
		why = all.blank(&q, blanks[0], isNumber, lose)
	default:
		hasMedia = withMedia(shown.Choices[0].block, &q, hasMedia)
		var media bool
		media, why = all.choice(&q, shown.Choices[0], it.isTrueFalse())
		hasMedia = hasMedia || media
		isPartial = isPartial || all.areAdded
	}
	if why != "" {
		return q, why
	}
	comment, isLost, media := it.comment(right)
	q.Explanation = comment
	points, isExact := it.points()
	q.Points = points
	for reason, isTrue := range map[string]bool{lostMedia: hasMedia || media,
		lostPartial: isPartial, lostPoints: !isExact, lostComments: isLost} {
		if isTrue {
			lose(reason)
		}
	}
	return q, ""
}

// best returns the conditions of the most points, and whether there are others, for parts of the
// right answer. areAdded tells whether each condition with points adds them to a sum.
func (it item) best() (right []condition, isPartial, areAdded bool) {
	areAdded = true
	best := 0.0
	for _, p := range it.Processing {
		for _, c := range p.Conditions {
			score, isAdded := c.score()
			if score == 0 {
				continue
			}
			isPartial = isPartial || len(right) > 0 && score != best
			areAdded = areAdded && isAdded
			switch {
			case score > best:
				best, right = score, []condition{c}
			case score == best:
				right = append(right, c)
			}
		}
	}
	return right, isPartial, areAdded
}

// withMedia adds the text within a response to the question. It reports whether there are media, or
// hasMedia.
func withMedia(b block, q *coursepackage.Question, hasMedia bool) bool {
	text, media := textOf(b.materials())
	q.Question = strings.TrimSpace(q.Question + "\n" + text)
	return hasMedia || media
}

// isTrueFalse reports whether an item asks for true or false, by what its metadata say.
func (it item) isTrueFalse() bool {
	kind := value(it.Fields, profileField, "question_type")
	return strings.HasPrefix(kind, "cc.true_false") || kind == "true_false_question"
}

// points returns the points of an item. isExact is false if they were rounded.
func (it item) points() (points int, isExact bool) {
	text := value(it.Fields, weightField, "points_possible", "qmd_weighting")
	number, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(number) {
		return 1, text == ""
	}
	rounded := min(max(math.Round(number), 1), maxPoints)
	return int(rounded), rounded == number
}

// comment returns the explanation of an item: its general feedback, or that to the right answer, or
// its solution. isLost is whether it has other feedback.
func (it item) comment(right []condition) (text string, isLost, hasMedia bool) {
	texts := map[string]string{}
	for _, f := range it.Feedback {
		list := f.materials()
		for _, s := range f.Solutions {
			list = append(list, s.materials()...)
		}
		one, media := textOf(list)
		if one != "" {
			texts[f.ID] = one
		}
		hasMedia = hasMedia || media
	}
	names := []string{generalComment, "general"}
	for _, c := range right {
		for _, shown := range c.Shows {
			names = append(names, shown.ID)
		}
	}
	names = append(names, "correct_fb", "solution", "Solution")
	for _, name := range names {
		if texts[name] != "" {
			return texts[name], len(texts) > 1, hasMedia
		}
	}
	return "", len(texts) > 0, hasMedia
}

// answer is what the conditions of the most points ask.
type answer struct {
	conditions []condition
	areAdded   bool // each gives a part of the points
}

// choice sets the options and the answer of a question of options, or returns why it cannot.
func (a answer) choice(
	q *coursepackage.Question, c choice, isTrueFalse bool,
) (hasMedia bool, why string) {
	labels := c.Render.Labels
	for _, f := range c.Render.Flows {
		labels = append(labels, f.Labels...)
	}
	ids := make([]string, len(labels))
	for i, l := range labels {
		text, media := textOf(l.materials())
		if text == "" {
			return false, "an option has no text"
		}
		hasMedia = hasMedia || media
		ids[i], q.Options = line(l.ID), append(q.Options, text)
	}

	right, why := a.rightOptions(ids)
	if why != "" {
		return false, why
	}
	switch cardinality := strings.ToLower(c.Cardinality); {
	case cardinality == "multiple" && len(a.conditions) > 1 && !a.areAdded:
		return false, "it accepts several answers that differ"
	case cardinality == "multiple":
		q.Kind, q.Answer = "multiple", right
	case cardinality != "single" && cardinality != "":
		return false, "it asks for an order"
	case len(right) > 1:
		return false, "it accepts several options for one choice"
	default:
		q.Kind, q.Answer = "single", right[0]
	}
	if isTrueFalse && q.Kind == "single" && len(ids) == 2 {
		if first, isKnown := truth(ids[0], q.Options[0], ids[1], q.Options[1]); isKnown {
			q.Kind, q.Answer, q.Options = "true-false", first == (right[0] == 0.0), nil
		}
	}
	return hasMedia, ""
}

// rightOptions returns the indexes of the options that the conditions name, as numbers of JSON, or why it
// cannot. ids are those of the options.
func (a answer) rightOptions(ids []string) (right []any, why string) {
	const noOption = "its right answer is none of its options"
	indexes := make(map[string]int, len(ids))
	for i, id := range ids {
		if _, isKnown := indexes[id]; !isKnown {
			indexes[id] = i
		}
	}
	isNamed := make([]bool, len(ids))
	for _, c := range a.conditions {
		var all, not test
		c.Test.addTo(&all, &not)
		if len(all.Or) > 0 && len(all.Equal) > 1 {
			return nil, "it accepts several answers that differ"
		}
		for _, e := range all.Equal {
			i, isOption := indexes[line(e.Text)]
			if !isOption {
				return nil, noOption
			}
			isNamed[i] = true
		}
		for _, e := range not.Equal {
			if i, isOption := indexes[line(e.Text)]; isOption && isNamed[i] {
				return nil, "its right answer contradicts itself"
			}
		}
	}
	for i, named := range isNamed {
		if named {
			right = append(right, float64(i))
		}
	}
	if len(right) == 0 {
		return nil, noOption
	}
	return right, ""
}

// truth returns whether the first of two options is the one for true. isKnown is false if their
// texts and ids do not tell, because they are in another language.
func truth(id, text, otherID, otherText string) (first, isKnown bool) {
	is := func(word, id, text string) bool {
		return strings.EqualFold(text, word) || strings.EqualFold(id, word)
	}
	switch {
	case is("true", id, text) && is("false", otherID, otherText):
		return true, true
	case is("false", id, text) && is("true", otherID, otherText):
		return false, true
	}
	return false, false
}

// blank sets the answer of a question for a text or a number, or returns why it cannot.
func (a answer) blank(
	q *coursepackage.Question, b blank, isNumber bool, lose func(reason string),
) (why string) {
	var all, not test
	for _, c := range a.conditions {
		c.Test.addTo(&all, &not)
	}
	fields := 0
	for _, r := range b.Renders {
		fields += max(len(r.Labels), 1)
		isNumber = isNumber || strings.EqualFold(r.Type, "Decimal") ||
			strings.EqualFold(r.Type, "Integer")
	}
	hasNot := len(not.Equal)+len(not.AtLeast)+len(not.AtMost)+len(not.Subset)+len(not.Substring) > 0
	switch {
	case fields > 1 || a.areAdded:
		return "it has several blanks"
	case len(all.Subset)+len(all.Substring) > 0:
		return "it accepts each answer that contains a text, and answers are compared as a whole here"
	case hasNot:
		return "it says which answers are wrong, and not which are right"
	case isNumber || len(all.AtLeast)+len(all.AtMost) > 0:
		return all.number(q)
	case len(all.More)+len(all.Less) > 0:
		return exclusive
	}
	isCase := false
	var texts []any
	for _, e := range all.Equal {
		texts = append(texts, strings.TrimSpace(e.Text))
		isCase = isCase || strings.EqualFold(e.Case, "Yes")
	}
	if len(texts) == 0 {
		return "it has no right answer, so a person must mark it: make it an assignment"
	}
	if isCase {
		lose(lostCase)
	}
	q.Kind, q.Answer = "text", texts
	return ""
}

// exclusive is why a question for a number that lies between others cannot be imported.
const exclusive = "its right numbers have a bound that is wrong itself"

// number sets the number and the tolerance of a question, or returns why it cannot. The numbers
// from the least to the greatest that are right are those around the middle.
func (t test) number(q *coursepackage.Question) (why string) {
	if len(t.More)+len(t.Less) > 0 {
		return exclusive
	}
	if len(t.AtLeast) > 1 || len(t.AtMost) > 1 || len(t.AtLeast) != len(t.AtMost) ||
		len(t.Equal) > 1 || len(t.Equal)+len(t.AtLeast) == 0 {
		return "its right numbers are not those around one number"
	}
	least, most := "", ""
	if len(t.AtLeast) == 1 {
		least, most = t.AtLeast[0], t.AtMost[0]
	}
	if len(t.Equal) == 1 && least == "" {
		least, most = t.Equal[0].Text, t.Equal[0].Text
	}
	middle, tolerance, err := around(least, most)
	if err == nil && len(t.Equal) == 1 {
		err = isBetween(t.Equal[0].Text, least, most)
	}
	if err != nil {
		return fmt.Sprintf("its right number is none (%v)", err)
	}
	q.Kind, q.Answer, q.Tolerance = "number", middle, tolerance
	return ""
}
