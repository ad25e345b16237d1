package qti

import (
	"math"
	"strconv"
	"strings"

	"github.com/openlectern/openlectern/internal/safexml"
)

// condition is what a response gets if it is fulfilled.
type condition struct {
	tests     []test
	score     float64 // the most that it gives, if that is positive
	hasScore  bool    // it says how much it gives
	isAdded   bool    // what it gives is added to what others give
	isCorrect bool    // it is named as the right one, or gives all
	feedback  []string
}

// test is a condition on one response.
type test struct {
	response string // the id of the response, or of its field; "" for the only one
	op       string // such as varequal
	value    string
	isNot    bool
	isOr     bool // one of several is enough
	isCase   bool // capital and small letters differ
}

// conditionsOf returns the conditions of an item.
func conditionsOf(e *safexml.Element) (list []condition) {
	for _, p := range e.Children("resprocessing") {
		for _, c := range p.Children("respcondition") {
			list = append(list, conditionOf(c))
		}
	}
	return list
}

func conditionOf(e *safexml.Element) condition {
	title := strings.ToLower(e.Attr("title"))
	c := condition{isCorrect: title == "correct" || title == "mastery"}
	for _, child := range e.Children() {
		switch child.Name {
		case "conditionvar":
			c.tests = addTests(c.tests, child, test{})
		case "setvar":
			c.addScore(child)
		case "displayfeedback":
			c.feedback = append(c.feedback, child.Attr("linkrefid"))
		}
	}
	return c
}

// addScore adds what a variable is set to. Some programs have variables that are no points.
func (c *condition) addScore(e *safexml.Element) {
	name := strings.ToLower(e.Attr("varname") + e.Attr("variablename"))
	for _, other := range []string{"incorrect", "negative", "evaluation", "limit", "single_correct"} {
		if strings.Contains(name, other) {
			return
		}
	}
	text := strings.ToLower(strings.TrimSuffix(line(e.Text()), "%"))
	action := strings.ToLower(e.Attr("action"))
	isCounted := name == "d2l_correct" // by Brightspace, which may leave out the number
	switch number, err := strconv.ParseFloat(text, 64); {
	case strings.HasSuffix(text, "score.max") || text == "max":
		c.hasScore, c.isCorrect, c.score = true, true, math.MaxFloat64
	case isCounted && text == "":
		c.hasScore, c.isAdded, c.score = true, true, 1
	case err != nil || math.IsNaN(number) || action == "subtract":
	default:
		c.hasScore = true
		if number > c.score {
			c.score, c.isAdded = number, action == "add"
		}
	}
}

// addTests adds the tests in an element to a list. outer says what the elements around it mean.
func addTests(list []test, e *safexml.Element, outer test) []test {
	for _, c := range e.Children() {
		switch c.Name {
		case "and":
			list = addTests(list, c, outer)
		case "or":
			inner := outer
			inner.isOr = true
			list = addTests(list, c, inner)
		case "not":
			inner := outer
			inner.isNot = !inner.isNot
			list = addTests(list, c, inner)
		case "varequal", "vargte", "varlte", "vargt", "varlt", "varsubset", "varsubstring",
			"varinside":
			t := outer
			t.response, t.value, t.op = c.Attr("respident"), c.Text(), c.Name
			t.isCase = isYes(c.Attr("case"))
			if match := strings.ToLower(c.Attr("setmatch")); c.Name == "varsubset" &&
				match == "exact" {
				t.op = "varequal"
			}
			list = append(list, t)
		}
	}
	return list
}

func isYes(text string) bool {
	return strings.EqualFold(text, "yes") || strings.EqualFold(text, "true")
}
