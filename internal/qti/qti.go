// Package qti writes and reads quizzes in the form of IMS QTI 1.2 as IMS Common Cartridges 1.1 to
// 1.3 have it. It also reads what common platforms add to that form. docs/packages.md says what the
// form cannot hold. It knows no rule of a quiz, and not how long its texts may be.
package qti

import (
	"fmt"
	"strconv"

	"github.com/openlectern/openlectern/internal/budget"
	"github.com/openlectern/openlectern/internal/coursepackage"
	"github.com/openlectern/openlectern/internal/safexml"
)

// The fields of the metadata of assessments and items.
const (
	profileField   = "cc_profile"
	weightField    = "cc_weighting"
	timeField      = "qmd_timelimit"
	attemptsField  = "cc_maxattempts"
	maxPoints      = 100
	maxMinutes     = 10_000
	maxAttempts    = 1_000
	generalComment = "general_fb"
)

// Assessment is a quiz that was read.
type Assessment struct {
	Title string
	// Quiz has questions by hand. Of its settings it has the time and the attempts only.
	Quiz    coursepackage.Quiz
	Skipped []coursepackage.Skipped
}

// document is a QTI 1.2 document. The names of elements count without their name spaces, which
// differ between versions.
type document struct {
	Assessments []assessment `xml:"assessment"`
	Banks       []section    `xml:"objectbank"`
	Items       []item       `xml:"item"`
}

type assessment struct {
	Title    string    `xml:"title,attr"`
	Fields   []field   `xml:"qtimetadata>qtimetadatafield"`
	Sections []section `xml:"section"`
	Items    []item    `xml:"item"`
}

type field struct {
	Label string `xml:"fieldlabel"`
	Entry string `xml:"fieldentry"`
}

type section struct {
	Selections []struct{} `xml:"selection_ordering>selection"`
	Items      []item     `xml:"item"`
	Sections   []section  `xml:"section"`
}

// all returns the items of a section and of those in it. isDrawn is whether some are drawn by
// chance.
func (s section) all() (items []item, isDrawn bool) {
	items, isDrawn = s.Items, len(s.Selections) > 0
	for _, inner := range s.Sections {
		more, drawn := inner.all()
		items, isDrawn = append(items, more...), isDrawn || drawn
	}
	return items, isDrawn
}

// Read reads the first assessment of a document, or its items if it has none. Its caller has taken
// the bytes of the document from the budget, and Read takes what else it needs. Its refusals are of
// type [*safexml.Error]; every other error is that of the context of the budget.
func Read(b *budget.Budget, data []byte) (Assessment, error) {
	var d document
	if err := safexml.Decode(b, data, &d); err != nil {
		return Assessment{}, err
	}
	all := section{Items: d.Items, Sections: d.Banks}
	var out Assessment
	settings := &coursepackage.Settings{}
	if len(d.Assessments) > 0 {
		a := d.Assessments[0]
		out.Title = line(a.Title)
		all = section{Items: a.Items, Sections: a.Sections}
		settings.Minutes = bounded(value(a.Fields, timeField), maxMinutes)
		settings.Attempts = bounded(value(a.Fields, attemptsField), maxAttempts)
	}
	out.Quiz.Settings = settings
	skip := func(what, why string) {
		out.Skipped = append(out.Skipped, coursepackage.Skipped{What: what, Why: why})
	}

	// Read each question, and count what is lost of them by the reason.
	items, isDrawn := all.all()
	lost := map[string]int{}
	for i, it := range items {
		q, why := it.question(func(reason string) { lost[reason]++ })
		if why != "" {
			what := fmt.Sprintf("question %d", i+1)
			if text := shortened(it.text()); text != "" {
				what += fmt.Sprintf(", %q,", text)
			}
			skip(what, why)
			continue
		}
		out.Quiz.Questions = append(out.Quiz.Questions, q)
	}
	for _, reason := range lostReasons {
		if n := lost[reason]; n > 0 {
			skip(fmt.Sprintf("a part of %d of the questions", n), reason)
		}
	}
	if isDrawn {
		skip("the draw of questions by chance",
			"set in the quiz how many of its questions an attempt has")
	}
	return out, nil
}

// value returns the entry of the first field with one of the labels, or "".
func value(fields []field, labels ...string) string {
	for _, label := range labels {
		for _, f := range fields {
			if line(f.Label) == label {
				return line(f.Entry)
			}
		}
	}
	return ""
}

// bounded returns a whole number from 1 to most, or 0 if the text is none.
func bounded(text string, most int) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		return 0
	}
	return n
}
