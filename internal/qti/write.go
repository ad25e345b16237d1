package qti

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"

	"github.com/openlectern/openlectern/internal/coursepackage"
)

// Write returns a quiz with a title as a document. Its questions must be by hand: with a kind, an
// answer of it, and points. The form has no place for some settings; docs/packages.md names them.
func Write(title string, quiz coursepackage.Quiz) []byte {
	w := &writer{}
	w.add(xml.Header)
	w.add("<questestinterop xmlns=\"http://www.imsglobal.org/xsd/ims_qtiasiv1p2\">\n")
	w.add("<assessment ident=\"quiz\" title=\"%s\">\n", title)
	w.add("<qtimetadata>\n")
	w.field(profileField, "cc.exam.v0p1")
	w.field("qmd_assessmenttype", "Examination")
	if s := quiz.Settings; s != nil {
		if s.Minutes > 0 {
			w.field(timeField, fmt.Sprint(s.Minutes))
		}
		if s.Attempts > 0 {
			w.field(attemptsField, fmt.Sprint(s.Attempts))
		}
	}
	w.add("</qtimetadata>\n<section ident=\"root_section\">\n")
	for i, q := range quiz.Questions {
		w.question(i+1, q, quiz.Settings != nil && quiz.Settings.Shuffle)
	}
	w.add("</section>\n</assessment>\n</questestinterop>\n")
	return w.Bytes()
}

// writer writes XML.
type writer struct{ bytes.Buffer }

// add writes a format whose arguments are texts, which are escaped.
func (w *writer) add(format string, texts ...string) {
	args := make([]any, len(texts))
	for i, text := range texts {
		var b strings.Builder
		_ = xml.EscapeText(&b, []byte(text)) // a Builder never fails
		args[i] = b.String()
	}
	fmt.Fprintf(&w.Buffer, format, args...)
}

func (w *writer) field(label, entry string) {
	w.add("<qtimetadatafield><fieldlabel>%s</fieldlabel><fieldentry>%s</fieldentry>"+
		"</qtimetadatafield>\n", label, entry)
}

func (w *writer) material(text string) {
	w.add("<material><mattext texttype=\"text/plain\">%s</mattext></material>\n", text)
}

// profiles are the kinds of questions in a Common Cartridge. It has none for numbers.
var profiles = map[string]string{
	"single":     "cc.multiple_choice.v0p1",
	"multiple":   "cc.multiple_response.v0p1",
	"true-false": "cc.true_false.v0p1",
	"number":     "cc.fib.v0p1",
	"text":       "cc.fib.v0p1",
}

// question writes an item.
func (w *writer) question(number int, q coursepackage.Question, shuffle bool) {
	w.add("<item ident=\"%s\">\n<itemmetadata><qtimetadata>\n", fmt.Sprint("q", number))
	w.field(profileField, profiles[q.Kind])
	w.field(weightField, fmt.Sprint(q.Points))
	w.add("</qtimetadata></itemmetadata>\n<presentation>\n")
	w.material(q.Question)
	ids, texts, right := options(q)
	if len(ids) > 0 {
		w.choices(ids, texts, q.Kind == "multiple", shuffle && q.Kind != "true-false")
	} else {
		kind := "String"
		if q.Kind == "number" {
			kind = "Decimal"
		}
		w.add("<response_str ident=\"response1\" rcardinality=\"Single\">"+
			"<render_fib fibtype=\"%s\"/></response_str>\n", kind)
	}
	w.add("</presentation>\n<resprocessing>\n<outcomes><decvar maxvalue=\"100\" minvalue=\"0\" " +
		"varname=\"SCORE\" vartype=\"Decimal\"/></outcomes>\n")
	if q.Explanation != "" {
		w.add("<respcondition continue=\"Yes\"><conditionvar><other/></conditionvar>"+
			"<displayfeedback feedbacktype=\"Response\" linkrefid=\"%s\"/></respcondition>\n",
			generalComment)
	}
	w.add("<respcondition continue=\"No\"><conditionvar>\n")
	w.test(q, ids, right)
	w.add("</conditionvar><setvar action=\"Set\" varname=\"SCORE\">100</setvar></respcondition>\n" +
		"</resprocessing>\n")
	if q.Explanation != "" {
		w.add("<itemfeedback ident=\"%s\"><flow_mat>\n", generalComment)
		w.material(q.Explanation)
		w.add("</flow_mat></itemfeedback>\n")
	}
	w.add("</item>\n")
}

// options returns the ids and the texts of the options of a question, and the ids of the right
// ones. A question for true or false has two, and one for a text or a number none.
func options(q coursepackage.Question) (ids, texts, right []string) {
	switch a := q.Answer.(type) {
	case bool:
		return []string{"true", "false"}, []string{"True", "False"}, []string{fmt.Sprint(a)}
	case float64:
		if q.Kind == "single" {
			right = []string{optionID(int(a))}
		}
	case []any:
		for _, index := range a {
			if i, isIndex := index.(float64); isIndex {
				right = append(right, optionID(int(i)))
			}
		}
	}
	for i := range q.Options {
		ids = append(ids, optionID(i))
	}
	return ids, q.Options, right
}

func optionID(index int) string { return fmt.Sprint("o", index+1) }

// choices writes the options of a question.
func (w *writer) choices(ids, texts []string, isMultiple, shuffle bool) {
	cardinality, shuffled := "Single", "No"
	if isMultiple {
		cardinality = "Multiple"
	}
	if shuffle {
		shuffled = "Yes"
	}
	w.add("<response_lid ident=\"response1\" rcardinality=\"%s\"><render_choice shuffle=\"%s\">\n",
		cardinality, shuffled)
	for i, id := range ids {
		w.add("<response_label ident=\"%s\">", id)
		w.material(texts[i])
		w.add("</response_label>\n")
	}
	w.add("</render_choice></response_lid>\n")
}

// test writes what the right answer is.
func (w *writer) test(q coursepackage.Question, ids, right []string) {
	const is = "<varequal respident=\"response1\">%s</varequal>\n"
	switch q.Kind {
	case "multiple":
		w.add("<and>\n")
		for _, id := range ids {
			if slices.Contains(right, id) {
				w.add(is, id)
			} else {
				w.add("<not>"+is+"</not>\n", id)
			}
		}
		w.add("</and>\n")
	case "number":
		number, least, most := bounds(q.Answer.(float64), q.Tolerance)
		w.add("<or>\n"+is+"<and><vargte respident=\"response1\">%s</vargte>"+
			"<varlte respident=\"response1\">%s</varlte></and>\n</or>\n", number, least, most)
	case "text":
		for _, text := range q.Answer.([]any) {
			w.add("<varequal respident=\"response1\" case=\"No\">%s</varequal>\n", text.(string))
		}
	default:
		w.add(is, right[0])
	}
}
