package qti

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/openlectern/openlectern/internal/safexml"
)

// item is a question of a document.
type item struct {
	title         string
	label         string // the id that Brightspace gives the general feedback
	kind          kind
	fields        map[string]string // its metadata, by labels in small letters
	parts         []part            // what it shows, in order
	responses     []*response
	rights        []string // the right sides of pairs, of Blackboard
	conditions    []condition
	feedback      []feedback
	maximum       string // of the score, or ""
	hasMedia      bool
	hasHint       bool
	sectionPoints string // of each question of its section, or ""
}

// part is a text, or the place of a response.
type part struct {
	text     string
	response *response
}

// response is what is asked for.
type response struct {
	ids         []string // its own and those of its fields
	element     string   // such as response_lid
	cardinality string   // in small letters
	text        string
	options     []option
	fields      int // to write into
	hasOptions  bool
	isNumber    bool
	isPlace     bool
}

// option is an option of a response.
type option struct{ id, text string }

// feedback is a text that is shown after an answer.
type feedback struct{ id, text string }

// parse reads an item.
func (in *reading) parse(e *safexml.Element) *item {
	it := &item{title: line(e.Attr("title")), label: e.Attr("label"), conditions: conditionsOf(e)}
	it.fields = map[string]string{}
	for _, m := range e.Children("itemmetadata") {
		addFields(m, it.fields)
	}
	it.kind = kindOf(it.fields)
	for _, c := range e.Children() {
		switch c.Name {
		case "presentation":
			in.addShown(c, it)
		case "itemfeedback":
			var t texts
			in.addMaterial(c, &t)
			it.feedback = append(it.feedback, feedback{c.Attr("ident"), t.String()})
			it.hasMedia = it.hasMedia || t.hasMedia
		case "hint":
			it.hasHint = it.hasHint || in.blockText(c) != ""
		case "resprocessing":
			for _, outcomes := range c.Children("outcomes") {
				for _, v := range outcomes.Children("decvar") {
					if it.maximum == "" {
						it.maximum = v.Attr("maxvalue")
					}
				}
			}
		case "itemproc_extension":
			if c.Child("calculated") != nil {
				it.kind = calculated
			}
		}
	}
	return it
}

// addShown adds what a part of the presentation of an item shows and asks for.
func (in *reading) addShown(e *safexml.Element, it *item) {
	for _, c := range e.Children() {
		switch {
		case strings.HasPrefix(c.Name, "response_") && c.Name != "response_extension":
			r := in.response(c, it)
			it.responses = append(it.responses, r)
			it.parts = append(it.parts, part{response: r})
		case c.Name == "material":
			var t texts
			in.addMaterial(&safexml.Element{Nodes: []safexml.Node{{Element: c}}}, &t)
			it.parts = append(it.parts, part{text: t.String()})
			it.hasMedia = it.hasMedia || t.hasMedia
		case c.Name == "flow" && c.Attr("class") == "RIGHT_MATCH_BLOCK":
			for _, right := range c.Children() {
				var t texts
				in.addMaterial(right, &t)
				it.rights = append(it.rights, t.String())
				it.hasMedia = it.hasMedia || t.hasMedia
			}
		case c.Name == "flow" || c.Name == "flow_mat":
			texts, responses := len(it.parts), len(it.responses)
			in.addShown(c, it)
			it.joinPair(texts, responses, c.Attr("class"))
		}
	}
}

// joinPair makes the texts of a flow that has one response those of the response, if the item asks
// for pairs. The flow has the parts and the responses from these indexes on.
func (it *item) joinPair(parts, responses int, class string) {
	if it.kind != matching || len(it.responses) != responses+1 ||
		class != "" && !strings.EqualFold(class, "block") {
		return
	}
	r := it.responses[responses]
	texts := []string{r.text}
	for _, p := range it.parts[parts:] {
		if strings.TrimSpace(p.text) != "" {
			texts = append(texts, strings.TrimRightFunc(p.text, unicode.IsSpace))
		}
	}
	r.text = strings.TrimSpace(strings.Join(texts, "\n"))
	it.parts = append(it.parts[:parts], part{response: r})
}

// response reads a response.
func (in *reading) response(e *safexml.Element, it *item) *response {
	r := &response{element: e.Name, cardinality: strings.ToLower(e.Attr("rcardinality"))}
	for _, name := range []string{"ident", "respident"} {
		if id := e.Attr(name); id != "" {
			r.ids = append(r.ids, id)
		}
	}
	r.isNumber = e.Name == "response_num"
	var t texts
	for _, c := range e.Children() {
		switch c.Name {
		case "render_choice":
			r.hasOptions = true
			in.addOptions(c, r, it)
		case "render_fib":
			labels := c.Children("response_label")
			for _, l := range labels {
				r.ids = append(r.ids, l.Attr("ident"))
			}
			r.fields += max(len(labels), 1)
			kind := strings.ToLower(c.Attr("fibtype"))
			r.isNumber = r.isNumber || kind == "decimal" || kind == "integer" ||
				kind == "scientific"
		case "render_hotspot":
			r.isPlace = true
		case "render_slider":
			r.isNumber = true
		default:
			in.addMaterial(&safexml.Element{Nodes: []safexml.Node{{Element: c}}}, &t)
		}
	}
	r.text = t.String()
	it.hasMedia = it.hasMedia || t.hasMedia
	return r
}

// addOptions adds the options in an element to a response.
func (in *reading) addOptions(e *safexml.Element, r *response, it *item) {
	for _, c := range e.Children() {
		switch c.Name {
		case "response_label":
			var t texts
			in.addMaterial(c, &t)
			r.options = append(r.options, option{line(c.Attr("ident")), t.String()})
			it.hasMedia = it.hasMedia || t.hasMedia
		case "flow_label":
			in.addOptions(c, r, it)
		}
	}
}

// name returns the text by which an item is named: what it shows, or its title.
func (it *item) name() string {
	for _, p := range it.parts {
		if p.text != "" {
			return p.text
		}
	}
	return it.title
}

// text returns the text of a question, or its title if it has none. A blank within the text is
// shown there. marks are the signs for the blanks of an item that has several.
func (it *item) text(marks map[*response]string) string {
	last := -1 // the last part that is a text
	for i, p := range it.parts {
		if p.text != "" {
			last = i
		}
	}
	var b strings.Builder
	isBlank := false // the part before is one
	for i, p := range it.parts {
		mark := "____"
		if p.response != nil && marks != nil {
			mark = marks[p.response]
		}
		switch isShown := p.response != nil && i < last && mark != "" &&
			(marks != nil || !p.response.hasOptions); {
		case isShown:
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(mark)
			isBlank = true
		case p.text != "":
			if isBlank && !strings.HasPrefix(p.text, ".") && !strings.HasPrefix(p.text, ",") {
				b.WriteByte(' ')
			} else if b.Len() > 0 && !isBlank {
				b.WriteByte('\n')
			}
			b.WriteString(p.text)
			isBlank = false
		}
	}
	if b.Len() == 0 {
		return it.title
	}
	return b.String()
}

// marks returns the signs for the blanks of an item: the one in brackets that its text has, or a
// number in brackets.
func (it *item) marks() map[*response]string {
	names := func(r *response) (list []string) {
		for _, id := range append([]string{line(r.text)}, r.ids...) {
			list = append(list, id, strings.TrimPrefix(id, "response_"))
		}
		return list
	}
	isMark := map[string]bool{} // by the names: whether the text has one in brackets
	for _, r := range it.responses {
		for _, name := range names(r) {
			isMark[name] = false
		}
	}

	// Read the text once, however many names there are.
	all := it.text(map[*response]string{})
	for at := strings.IndexByte(all, '['); at >= 0; {
		rest := all[at+1:]
		name, _, isClosed := strings.Cut(rest[:min(len(rest), maxMark)], "]")
		if _, isName := isMark[name]; isName && isClosed && name != "" {
			isMark[name] = true
		}
		next := strings.IndexByte(rest, '[')
		if next < 0 {
			break
		}
		at += 1 + next
	}
	marks := map[*response]string{}
	for i, r := range it.responses {
		marks[r] = "[" + strconv.Itoa(i+1) + "]"
		for _, name := range names(r) {
			if isMark[name] {
				marks[r] = "[" + name + "]"
			}
		}
	}
	return marks
}

// maxMark is the length of the longest sign for a blank, in bytes, without the first bracket.
const maxMark = 100
