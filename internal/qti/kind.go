package qti

import "strings"

// kind is what a program calls a question, of which there are many names.
type kind int

const (
	unknownKind kind = iota
	essay
	upload
	information
	calculated
	order
	place
	opinion
	bowl
	severalTexts
	matching
	blanks
	dropdowns
	severalOptions
	oneOption
	trueFalse
	number
	shortText
)

// kinds are the kinds in the order in which the parts of their names are looked for.
var kinds = []struct {
	kind  kind
	parts []string // of names in small letters
	named string   // for people
	why   string   // it cannot be imported; "" if it may be
}{
	{essay, []string{"essay", "long answer", "short response", "text question", "written",
		"free text", "paragraph"}, "an essay",
		"a person must mark it: make it an assignment"},
	{upload, []string{"upload", "audio recording", "recording"}, "an upload",
		"students hand in files for it: make it an assignment"},
	{information, []string{"text_only", "text only", "text no question"}, "a text",
		"it asks nothing: put it into a lecture"},
	{calculated, []string{"calculated", "formula", "arithmetic", "significant", "algorithm"},
		"a calculated question",
		"it has other numbers for each student: write it with numbers that stay the same"},
	{order, []string{"ordering", "ordered", "sequence", "ordering question"}, "an order",
		"it asks for an order: write it as a choice between orders"},
	{place, []string{"hot spot", "hotspot", "hot_spot", "imagemap"}, "a place in a picture",
		"it asks for a place in a picture: write it as a choice"},
	{opinion, []string{"opinion", "likert", "survey"}, "an opinion",
		"it has no right answer: leave it out"},
	{bowl, []string{"bowl"}, "a question for an answer",
		"students write a question for it: write it as a question for a text"},
	{severalTexts, []string{"multi-short", "multiple short"}, "several short texts",
		"it asks for several texts in any order: write a question for each"},
	{matching, []string{"match"}, "pairs", ""},
	{blanks, []string{"fill_in_multiple_blanks", "fill in multiple", "fill in the blanks", "cloze",
		"blank plus", "multiple fill"}, "several blanks", ""},
	{dropdowns, []string{"dropdown", "jumbled"}, "several choices", ""},
	{severalOptions, []string{"multiple_answers", "multiple answer", "multiple_response",
		"multiple response", "multi-select", "multiple correct", "multiple select"},
		"a choice of several options", ""},
	{trueFalse, []string{"true_false", "true/false", "true false", "true-false"}, "true or false",
		""},
	{oneOption, []string{"multiple_choice", "multiple choice", "single choice", "multiplechoice",
		"either/or"}, "a choice", ""},
	{number, []string{"numeric", "numerical"}, "a number", ""},
	{shortText, []string{"short_answer", "short answer", "fib", "fill in the blank", "fill in",
		"pattern"}, "a short text", ""},
}

// kindFields are the fields of metadata that may have the kind of a question.
var kindFields = []string{"question_type", profileField, "bbmd_questiontype", "qmd_questiontype",
	"questiontype", "qmd_itemtype", "interaction_type"}

// kindOf returns the kind of a question with metadata.
func kindOf(fields map[string]string) kind {
	for _, field := range kindFields {
		name := strings.ToLower(fields[field])
		if strings.HasPrefix(name, "cc.pattern_match") {
			return shortText
		}
		for _, k := range kinds {
			for _, part := range k.parts {
				if name != "" && strings.Contains(name, part) {
					return k.kind
				}
			}
		}
	}
	return unknownKind
}

// named returns the name of a kind for people, or "".
func (k kind) named() string {
	for _, known := range kinds {
		if known.kind == k {
			return known.named
		}
	}
	return ""
}

// why returns why questions of a kind cannot be imported, or "".
func (k kind) why() string {
	for _, known := range kinds {
		if known.kind == k {
			return known.why
		}
	}
	return ""
}
