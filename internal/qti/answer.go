package qti

import (
	"fmt"
	"slices"
	"strings"

	"github.com/openlectern/openlectern/internal/coursepackage"
)

// answer is what the conditions of the right answer to a response ask.
type answer struct {
	*question
	right []condition
}

// choice sets the options and the answer of a question of options, or returns why it cannot. rights
// is how many right sides of pairs the item has.
func (a answer) choice(one *coursepackage.Question, r *response, rights int) (why string) {
	options := slices.Clone(r.options)
	for i, o := range options {
		if o.text == "" && i < rights {
			options[i].text = a.rights[i] // Blackboard shows them once for all pairs
		}
		if text, isKnown := eitherOr[strings.ToLower(options[i].text)]; isKnown {
			options[i].text = text
		}
		switch {
		case options[i].text != "":
		case a.hasMedia:
			return "an option has a picture or another medium, and no text"
		default:
			return "an option has no text"
		}
	}
	isMultiple := r.cardinality == "multiple" || a.kind == severalOptions
	right, why := a.rightOptions(options, isMultiple)
	if why != "" {
		return why
	}
	if len(a.responses) > 1 {
		if len(right) > 1 {
			return "it accepts several options for one choice"
		}
		options, right[0] = a.shorten(options, right[0])
	}
	for _, o := range options {
		one.Options = append(one.Options, o.text)
	}

	// Brightspace allows several options where a choice has one.
	if a.kind == oneOption || a.kind == trueFalse {
		isMultiple = isMultiple && len(right) > 1
	}
	switch {
	case isMultiple:
		var list []any
		for _, i := range right {
			list = append(list, float64(i))
		}
		one.Kind, one.Answer = "multiple", list
	case len(right) > 1:
		return "it accepts several options for one choice"
	default:
		one.Kind, one.Answer = "single", float64(right[0])
	}
	if one.Kind == "single" && len(options) == 2 {
		if first, isKnown := truth(options[0], options[1], a.kind == trueFalse); isKnown {
			one.Kind, one.Answer, one.Options = "true-false", first == (right[0] == 0), nil
		}
	}
	return ""
}

// eitherOr are the texts for which Blackboard has names.
var eitherOr = map[string]string{
	"yes_no.true": "Yes", "yes_no.false": "No",
	"agree_disagree.true": "Agree", "agree_disagree.false": "Disagree",
	"right_wrong.true": "Right", "right_wrong.false": "Wrong",
	"true_false.true": "True", "true_false.false": "False",
}

// shorten returns options that differ, at most maxPairOptions, with the index of the right one.
func (a answer) shorten(options []option, right int) (list []option, index int) {
	isUsed := map[string]bool{options[right].text: true}
	for i, o := range options {
		if i == right {
			index = len(list)
		} else if isUsed[o.text] {
			continue
		}
		// A place is kept for the right one.
		if len(list) == maxPairOptions || i < right && len(list) == maxPairOptions-1 {
			a.lose(lostOptions)
			continue
		}
		isUsed[o.text] = true
		list = append(list, o)
	}
	return list, index
}

// rightOptions returns the indexes of the options that the conditions name, or why it cannot.
func (a answer) rightOptions(options []option, isMultiple bool) (right []int, why string) {
	const (
		noOption = "its right answer is none of its options"
		differ   = "it accepts several answers that differ"
	)
	indexes := make(map[string]int, len(options))
	for i, o := range options {
		if _, isKnown := indexes[o.id]; !isKnown {
			indexes[o.id] = i
		}
	}
	isNamed := make([]bool, len(options))
	areAdded := isMultiple
	for _, c := range a.right {
		areAdded = areAdded && c.isAdded
	}
	named := 0 // how many options
	for n, c := range a.right {
		count, ors, before := 0, 0, named
		isOwn := map[int]bool{}
		for _, t := range c.tests {
			i, isOption := indexes[line(t.value)]
			switch {
			case t.isNot || t.op != "varequal":
				continue
			case !isOption:
				return nil, noOption
			case t.isOr:
				ors++
			}
			if !isOwn[i] {
				count++
			}
			if !isNamed[i] {
				named++
			}
			isOwn[i], isNamed[i] = true, true
		}
		for _, t := range c.tests {
			if i, isOption := indexes[line(t.value)]; t.isNot && isOption && isOwn[i] {
				return nil, "its right answer contradicts itself"
			}
		}
		// Each of several conditions is a right answer of its own, unless parts are added.
		if isMultiple && (ors > 1 || n > 0 && !areAdded && (named != before || count != named)) {
			return nil, differ
		}
	}
	if right = namedOf(isNamed); len(right) == 0 {
		return nil, noOption
	}
	return right, ""
}

// namedOf returns the indexes of the values that are true.
func namedOf(isNamed []bool) (list []int) {
	for i, named := range isNamed {
		if named {
			list = append(list, i)
		}
	}
	return list
}

// truth returns whether the first of two options is the one for true. isKnown is false if their
// texts do not tell, because they are in another language. The ids tell it of a question that says
// that it is one for true or false.
func truth(one, two option, isTrueFalse bool) (first, isKnown bool) {
	is := func(word string, o option) bool {
		return strings.EqualFold(o.text, word) || isTrueFalse && strings.EqualFold(o.id, word)
	}
	switch {
	case is("true", one) && is("false", two):
		return true, true
	case is("false", one) && is("true", two):
		return false, true
	}
	return false, false
}

// blank sets the answer of a question for a text or a number, or returns why it cannot.
func (a answer) blank(one *coursepackage.Question, r *response) (why string) {
	var tests []test
	hasNot, isRange, isPart := false, false, false
	for _, c := range a.right {
		for _, t := range c.tests {
			hasNot = hasNot || t.isNot
			isRange = isRange || strings.HasPrefix(t.op, "varg") || strings.HasPrefix(t.op, "varl")
			isPart = isPart || strings.HasPrefix(t.op, "varsub")
			tests = append(tests, t)
		}
	}
	switch {
	case r.fields > 1 && len(a.responses) == 1:
		return "it has several blanks"
	case isPart:
		return "it accepts each answer that contains a text, and answers are compared as a whole here"
	case hasNot:
		return "it says which answers are wrong, and not which are right"
	case isRange || r.isNumber || a.kind == number:
		why := a.number(one, tests)
		if why == "" || isRange {
			return why
		}
	}
	return a.texts(one, tests)
}

// texts sets the accepted texts of a question.
func (a answer) texts(one *coursepackage.Question, tests []test) (why string) {
	isCase := false
	var accepted []any
	isKnown := map[string]bool{}
	for _, t := range tests {
		if t.op == "varequal" && t.value != "" && !isKnown[t.value] {
			isKnown[t.value] = true
			accepted = append(accepted, t.value)
			isCase = isCase || t.isCase
		}
	}
	if len(accepted) == 0 {
		return "it has no right answer, so a person must mark it: make it an assignment"
	}
	if isCase {
		a.lose(lostCase)
	}
	one.Kind, one.Answer = "text", accepted
	return ""
}

// number sets the number and the tolerance of a question, or returns why it cannot. The numbers
// from the least to the greatest that are right are those around the middle.
func (a answer) number(one *coursepackage.Question, tests []test) (why string) {
	var least, most, equal []string
	add := func(to *[]string, value string) { // a second one is refused, whatever follows
		if value = line(value); len(*to) < 2 && !slices.Contains(*to, value) {
			*to = append(*to, value)
		}
	}
	isExclusive := false
	for _, t := range tests {
		switch t.op {
		case "vargte", "vargt":
			add(&least, t.value)
			isExclusive = isExclusive || t.op == "vargt"
		case "varlte", "varlt":
			add(&most, t.value)
			isExclusive = isExclusive || t.op == "varlt"
		case "varequal":
			// Sakai writes a range in this way.
			if from, to, isRange := strings.Cut(t.value, "|"); isRange {
				add(&least, from)
				add(&most, to)
			} else {
				add(&equal, t.value)
			}
		}
	}
	if len(least) > 1 || len(most) > 1 || len(least) != len(most) || len(equal) > 1 ||
		len(equal)+len(least) == 0 {
		return "its right numbers are not those around one number"
	}
	if len(least) == 0 {
		least, most = equal, equal
	}
	middle, tolerance, err := around(least[0], most[0])
	if err == nil && len(equal) == 1 {
		err = isBetween(equal[0], least[0], most[0])
	}
	if err != nil {
		return fmt.Sprintf("its right number is none (%v)", err)
	}
	if isExclusive {
		a.lose(lostBound)
	}
	one.Kind, one.Answer, one.Tolerance = "number", middle, tolerance
	return ""
}
