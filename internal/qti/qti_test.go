package qti_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/budget"
	"github.com/openlectern/openlectern/internal/coursepackage"
	"github.com/openlectern/openlectern/internal/qti"
	"github.com/openlectern/openlectern/internal/safexml"
)

// read reads a document.
func read(t *testing.T, document []byte) (qti.Assessment, error) {
	b := budget.New(t.Context(), 16<<20)
	if err := b.Text(int64(len(document))); err != nil {
		t.Fatal(err)
	}
	return qti.Read(b, document)
}

// quizOf returns a document with items, as other platforms write it.
func quizOf(items string) []byte {
	return []byte("\uFEFF<?xml version=\"1.0\" encoding=\"UTF-8\"?>" + `
<questestinterop xmlns="http://www.imsglobal.org/xsd/ims_qtiasiv1p2">
	<assessment ident="a" title=" Week
		1 "><qtimetadata>
		<qtimetadatafield><fieldlabel>qmd_timelimit</fieldlabel><fieldentry>30</fieldentry></qtimetadatafield>
		<qtimetadatafield><fieldlabel>cc_maxattempts</fieldlabel><fieldentry>unlimited</fieldentry></qtimetadatafield>
	</qtimetadata><section ident="s">` + items + `</section></assessment></questestinterop>`)
}

// itemOf returns an item. fields are the labels and entries of its metadata.
func itemOf(presentation, processing string, fields ...string) string {
	metadata := ""
	for i := 0; i < len(fields); i += 2 {
		metadata += fmt.Sprintf("<qtimetadatafield><fieldlabel>%s</fieldlabel><fieldentry>%s"+
			"</fieldentry></qtimetadatafield>", fields[i], fields[i+1])
	}
	return `<item ident="i" title="Title"><itemmetadata><qtimetadata>` + metadata +
		`</qtimetadata></itemmetadata><presentation><material><mattext texttype="text/html">` +
		`&lt;p&gt;What&amp;nbsp;is &lt;b&gt;it&lt;/b&gt;?&lt;/p&gt;</mattext></material>` +
		presentation + `</presentation>` + processing + `</item>`
}

// choiceOf returns a response with the options A and B, in a flow of a flow.
func choiceOf(cardinality string) string {
	label := func(id string) string {
		return `<response_label ident="` + id + `"><flow_mat><material><mattext>` +
			strings.ToUpper(id) + `</mattext></material></flow_mat></response_label>`
	}
	return `<flow><flow><response_lid ident="r" rcardinality="` + cardinality +
		`"><render_choice>` + label("a") + `<flow_label>` + label("b") +
		`</flow_label></render_choice></response_lid></flow></flow>`
}

const text = `<response_str ident="r"><render_fib><response_label ident="x"/></render_fib></response_str>`

// rightIf returns a processing that gives 100 for a test, and then more.
func rightIf(test string, more ...string) string {
	return `<resprocessing><respcondition><conditionvar>` + test + `</conditionvar><setvar ` +
		`varname="SCORE" action="Set">100</setvar></respcondition>` + strings.Join(more, "") +
		`</resprocessing>`
}

// scored returns a condition that gives points.
func scored(points int, action, test string) string {
	return fmt.Sprintf(`<respcondition><conditionvar>%s</conditionvar><setvar varname="SCORE" `+
		`action="%s">%d</setvar><displayfeedback linkrefid="right"/></respcondition>`, test, action,
		points)
}

func is(value string) string { return `<varequal respident="r">` + value + `</varequal>` }

// What other platforms write is read as far as a quiz can hold it. The rest is named.
func TestRead_Questions(t *testing.T) {
	options := []string{"A", "B"}
	for name, test := range map[string]struct {
		item string
		want coursepackage.Question // without its text
		lost string                 // a part of the reason for which a part of it is lost
		why  string                 // a part of the reason why it is skipped
	}{
		"single": {item: itemOf(choiceOf("Single"), rightIf(is(" b ")), "points_possible", "2.0"),
			want: coursepackage.Question{Kind: "single", Options: options, Answer: 1.0, Points: 2}},
		"all options": {item: itemOf(choiceOf("Multiple"), rightIf("<and>"+is("a")+is("b")+"</and>")),
			want: coursepackage.Question{Kind: "multiple", Options: options, Points: 1,
				Answer: []any{0.0, 1.0}}},
		"not the other": {item: itemOf(choiceOf("Multiple"),
			rightIf("<and>"+is("b")+"<not>"+is("a")+"</not></and>")),
			want: coursepackage.Question{Kind: "multiple", Options: options, Points: 1,
				Answer: []any{1.0}}},
		"a part for each option": {item: itemOf(choiceOf("Multiple"), "<resprocessing>"+
			scored(50, "Add", is("a"))+scored(50, "Add", is("b"))+"</resprocessing>"),
			want: coursepackage.Question{Kind: "multiple", Options: options, Points: 1,
				Answer: []any{0.0, 1.0}}, lost: "a right one all"},
		"half right": {item: itemOf(choiceOf("Single"), rightIf(is("b"), scored(50, "Set", is("a"))),
			"cc_weighting", "0.5"),
			want: coursepackage.Question{Kind: "single", Options: options, Answer: 1.0, Points: 1},
			lost: "a right one all|whole points"},
		"true": {item: itemOf(strings.ReplaceAll(choiceOf("Single"), `"b"`, `"true"`),
			rightIf(is("true")), "cc_profile", "cc.true_false.v0p1"),
			want: coursepackage.Question{Kind: "single", Options: []string{"A", "B"}, Answer: 1.0,
				Points: 1}},
		"false": {item: itemOf(strings.NewReplacer(">A<", ">True<", ">B<", ">false<").Replace(
			choiceOf("Single")), rightIf(is("b")), "question_type", "true_false_question"),
			want: coursepackage.Question{Kind: "true-false", Answer: false, Points: 1}},
		"text": {item: itemOf(text, rightIf(is(" Paris ")+`<varequal case="Yes">Rome</varequal>`)),
			want: coursepackage.Question{Kind: "text", Answer: []any{"Paris", "Rome"}, Points: 1},
			lost: "small letters"},
		"number": {item: itemOf(text, rightIf("<or>"+is("3")+
			"<and><vargte>2.9</vargte><varlte>3.1</varlte></and></or>")),
			want: coursepackage.Question{Kind: "number", Answer: 3.0, Tolerance: 0.1, Points: 1}},
		"typographic number": {item: itemOf(text, rightIf(is("\u22123\u00a0")+
			"<vargte>−３．１</vargte><varlte>‑2.9</varlte>")),
			want: coursepackage.Question{Kind: "number", Answer: -3.0, Tolerance: 0.1, Points: 1}},
		"range": {item: itemOf(text, rightIf("<vargte>1</vargte><varlte>2</varlte>")),
			want: coursepackage.Question{Kind: "number", Answer: 1.5, Tolerance: 0.5, Points: 1}},
		"decimal": {item: itemOf(strings.Replace(text, "<render_fib", `<render_fib fibtype="Decimal"`, 1),
			rightIf(is("1.5"))), want: coursepackage.Question{Kind: "number", Answer: 1.5, Points: 1}},
		"explanation": {item: itemOf(choiceOf("Single"), rightIf(is("b"))+
			`<itemfeedback ident="general_fb"><flow_mat><material><mattext>So.</mattext></material>`+
			`</flow_mat></itemfeedback><itemfeedback ident="wrong"><material><mattext>No.</mattext>`+
			`</material></itemfeedback>`, "cc_weighting", "101"),
			want: coursepackage.Question{Kind: "single", Options: options, Answer: 1.0, Points: 100,
				Explanation: "So."}, lost: "whole points|one explanation"},
		"feedback to the right answer": {item: itemOf(choiceOf("Single"),
			"<resprocessing>"+scored(9, "Set", is("a"))+"</resprocessing>"+
				`<itemfeedback ident="right"><solution><solutionmaterial><material><mattext>Yes.`+
				`</mattext></material></solutionmaterial></solution></itemfeedback>`),
			want: coursepackage.Question{Kind: "single", Options: options, Answer: 0.0, Points: 9,
				Explanation: "Yes."}},
		"picture": {item: itemOf(`<material><matimage uri="a.png"/></material>`+choiceOf("Single"),
			rightIf(is("b"))),
			want: coursepackage.Question{Kind: "single", Options: options, Answer: 1.0, Points: 1},
			lost: "pictures"},

		"essay":         {item: itemOf(text, ""), why: "assignment"},
		"no answer":     {item: itemOf("", rightIf(is("a"))), why: "no answer"},
		"no option":     {item: itemOf(choiceOf("Single"), rightIf(is("c"))), why: "none of its options"},
		"two for one":   {item: itemOf(choiceOf("Single"), rightIf(is("a")+is("b"))), why: "several options"},
		"either":        {item: itemOf(choiceOf("Multiple"), rightIf("<or>"+is("a")+is("b")+"</or>")), why: "that differ"},
		"either of two": {item: itemOf(choiceOf("Multiple"), rightIf(is("a"), scored(100, "Set", is("b")))), why: "that differ"},
		"contradiction": {item: itemOf(choiceOf("Multiple"), rightIf(is("a")+"<not>"+is("a")+"</not>")), why: "contradicts"},
		"order":         {item: itemOf(choiceOf("Ordered"), rightIf(is("a"))), why: "order"},
		"pairs":         {item: itemOf(choiceOf("Single")+choiceOf("Single"), rightIf(is("a"))), why: "no right answer"},
		"place":         {item: itemOf("<response_xy/>", rightIf(is("a"))), why: "picture"},
		"blanks": {item: itemOf(`<response_str><render_fib><response_label/><response_label/>`+
			`</render_fib></response_str>`, rightIf(is("a"))), why: "blanks"},
		"pattern":    {item: itemOf(text, rightIf("<varsubstring>a</varsubstring>")), why: "contains"},
		"wrong text": {item: itemOf(text, rightIf("<not>"+is("a")+"</not>")), why: "wrong"},
		"open range": {item: itemOf(text, rightIf("<vargte>1</vargte>")), why: "around"},
		"exclusive": {item: itemOf(text, rightIf("<vargt>1</vargt><varlte>2</varlte>")),
			want: coursepackage.Question{Kind: "number", Answer: 1.5, Tolerance: 0.5, Points: 1},
			lost: "at the bound"},
		"outside":       {item: itemOf(text, rightIf(is("3")+"<vargte>1</vargte><varlte>2</varlte>")), why: "number"},
		"reversed":      {item: itemOf(text, rightIf("<vargte>2</vargte><varlte>1</varlte>")), why: "number"},
		"huge exponent": {item: itemOf(text, rightIf("<vargte>1e999999999</vargte><varlte>2</varlte>")), why: "number"},
		"infinite":      {item: itemOf(text, rightIf("<vargte>1e400</vargte><varlte>1e401</varlte>")), why: "number"},
	} {
		a, err := read(t, quizOf(test.item))
		if err != nil || a.Title != "Week 1" {
			t.Errorf("%s: %q, %v", name, a.Title, err)
			continue
		}
		reasons := ""
		for _, s := range a.Skipped {
			reasons += s.What + ": " + s.Why + "\n"
		}
		if test.why != "" {
			if len(a.Quiz.Questions) > 0 || len(a.Skipped) != 1 || !strings.Contains(reasons, test.why) ||
				!strings.Contains(reasons, `"What is it?": `) {
				t.Errorf("%s: %+v is read, and skipped are %s", name, a.Quiz.Questions, reasons)
			}
			continue
		}
		test.want.Question = "What is it?"
		want := coursepackage.Quiz{Questions: []coursepackage.Question{test.want},
			Settings: &coursepackage.Settings{Minutes: 30}}
		if d := cmp.Diff(want, a.Quiz); d != "" {
			t.Errorf("%s: -want +got\n%s", name, d)
		}
		lost := strings.Split(test.lost, "|")
		if test.lost == "" {
			lost = nil
		}
		for _, reason := range lost {
			if !strings.Contains(reasons, reason) {
				t.Errorf("%s: %q is missing in %s", name, reason, reasons)
			}
		}
		if len(a.Skipped) != len(lost) {
			t.Errorf("%s: skipped %s", name, reasons)
		}
	}
}

// Questions in sections, banks and at the top are found; a draw is named.
func TestRead_Sections(t *testing.T) {
	item := itemOf(choiceOf("Single"), rightIf(is("a")))
	for name, test := range map[string]struct {
		document string
		skipped  int
	}{
		"sections": {string(quizOf(item + "<section>" + item + "</section>")), 0},
		"draw": {string(quizOf(item + "<section><selection_ordering><selection>" +
			"<selection_number>1</selection_number></selection></selection_ordering>" + item +
			"</section>")), 0},
		"bank":  {"<questestinterop><objectbank>" + item + item + "</objectbank></questestinterop>", 0},
		"items": {"<questestinterop>" + item + item + "</questestinterop>", 0},
	} {
		a, err := read(t, []byte(test.document))
		if err != nil || len(a.Quiz.Questions) != 2 || len(a.Skipped) != test.skipped {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
	}
}

// Numbers are written with all digits of their bounds, so that none is rounded.
func TestWrite_Numbers(t *testing.T) {
	for _, n := range [][2]float64{{9.81, 0.01}, {0, 0}, {-0.1, 0.3}, {1e300, 1e-300},
		{math.SmallestNonzeroFloat64, 1}, {math.MaxFloat64 / 4, 0.1}, {1.0 / 3, 1.0 / 7}} {
		q := coursepackage.Question{Kind: "number", Question: "?", Answer: n[0], Tolerance: n[1],
			Points: 1}
		a, err := read(t, qti.Write("", coursepackage.Quiz{Questions: []coursepackage.Question{q}}))
		if d := cmp.Diff([]coursepackage.Question{q}, a.Quiz.Questions); d != "" || err != nil {
			t.Errorf("%v: %v %+v -want +got\n%s", n, err, a.Skipped, d)
		}
	}
}

// A document that is no quiz is refused in plain words, which name no part of the program.
func TestRead_Refuses(t *testing.T) {
	for document, want := range map[string]string{
		"": "no element", "PK": "is a zip", "<a>": "is no QTI 1.2",
		"<questestinterop>":       "line 1: unexpected EOF",
		"<a>\xe9</a>":             "not in UTF-8",
		"<questestinterop></a>":   "closed by </a>",
		"<questestinterop a=1 />": "line 1: ",
		`<?xml version="1.0" encoding="EBCDIC-INT"?><questestinterop/>`: `the encoding "EBCDIC-INT", ` +
			`which is not read: save it in UTF-8`,
		`<!DOCTYPE q [<!ENTITY a "ha">]><questestinterop>&a;</questestinterop>`: "remove the DOCTYPE",
		`<!DOCTYPE q SYSTEM "a.dtd" [ ]><questestinterop/>`:                     "remove the DOCTYPE",
		`<questestinterop><!ENTITY a "ha"></questestinterop>`:                   "remove the DOCTYPE",
		`<questestinterop>&a;</questestinterop>`:                                "entity &a;",
		"<questestinterop>" + strings.Repeat("<section>", 100_000):              "nested too deep",
		"<questestinterop>" + itemOf(strings.Repeat("<flow>", 120), ""):         "nested too deep",
		"<questestinterop" + strings.Repeat(` a=""`, 300) + "/>":                "too many attributes",
		"<questestinterop>" + itemOf(strings.Repeat("<a/>", 400_000), ""):       "more elements",

		`<assessmentItem xmlns="http://www.imsglobal.org/xsd/imsqti_v2p1"/>`: "QTI 2",
		`<qti-assessment-item/>`:                           "QTI 3",
		`<quiz><question type="essay"/></quiz>`:            "Moodle XML",
		"::Q1:: Who? {=Grant ~Lee}":                        "GIFT",
		"Who?\nA. Grant\nB. Lee\nANSWER: A\n":              "Aiken",
		"Question,A,B\nWho?,Grant,Lee\n":                   "CSV",
		"%PDF-1.7":                                         "a PDF",
		"<!DOCTYPE html><html><body>Who?</body></html>":    "web page",
		`{"questions":[]}`:                                 "JSON",
		`<quiz xmlns="http://canvas.instructure.com/x"/>`:  "whole zip that Canvas",
		`<manifest xmlns="http://www.imsglobal.org/xsd"/>`: "whole zip",
	} {
		_, err := read(t, []byte(document))
		refused, isRefused := errors.AsType[*safexml.Error](err)
		if !isRefused || !strings.Contains(refused.Reason, want) ||
			strings.Contains(refused.Reason, "xml:") || strings.Contains(refused.Reason, "Decoder") {
			t.Errorf("%.60s: %v, want %q", document, err, want)
		}
	}
}

// A document is decoded as it declares. A document type that only names another document is passed
// over, and entities of HTML are known.
func TestRead_Encodings(t *testing.T) {
	document := func(declared, text string) string {
		return declared + "<questestinterop><item><presentation><material><mattext>" + text +
			"</mattext></material>" + choiceOf("Single") + "</presentation>" + rightIf(is("a")) +
			"</item></questestinterop>"
	}
	wide := func(text string, order binary.AppendByteOrder) string {
		var out []byte
		for _, unit := range utf16.Encode([]rune(text)) {
			out = order.AppendUint16(out, unit)
		}
		return string(out)
	}
	const declared = `<?xml version="1.0" encoding="%s" standalone='yes'?>` + "\n"
	for _, test := range []struct{ document, want string }{
		{document("", "é 🎓"), "é 🎓"},
		{document("\n<?xml version='1.1'?>", "é"), "é"},
		{document(fmt.Sprintf(declared, "utf-8"), "é"), "é"},
		{document(fmt.Sprintf(declared, "US-ASCII"), "e"), "e"},
		{document(fmt.Sprintf(declared, "ISO-8859-1"), "\xe9 \x93x\x94"), "é “x”"},
		{document(fmt.Sprintf(declared, "windows-1252"), "\x80"), "€"},
		{document(fmt.Sprintf(declared, "iso-8859-15"), "\xa4"), "€"},
		{document(fmt.Sprintf(declared, "utf-16"), "é"), "é"}, // which it is not
		{wide(document("\uFEFF"+fmt.Sprintf(declared, "UTF-16"), "é 🎓"), binary.LittleEndian), "é 🎓"},
		{wide(document("\uFEFF"+fmt.Sprintf(declared, "UTF-16"), "é 🎓"), binary.BigEndian), "é 🎓"},
		{wide(document("", "é 🎓"), binary.LittleEndian), "é 🎓"},
		{wide(document(fmt.Sprintf(declared, "UTF-16BE"), "é"), binary.BigEndian), "é"},
		{document(`<!DOCTYPE questestinterop SYSTEM "ims_qtiasiv1p2p1.dtd">`, "e"), "e"},
		{document(`<!DOCTYPE a PUBLIC "-//[IMS]//" 'http://x/"a.dtd'>`, "e"), "e"},
		{document("", "a&nbsp;b&ndash;c&#8211;d"), "a\u00a0b–c–d"},
		{document("", "a\x0bb&#x1F;c&#2;d\uFFFFe"), "a b      c    d   e"},
		{document("", "<![CDATA[1 < 2]]> &amp; 3"), "1 < 2 & 3"},
	} {
		a, err := read(t, []byte(test.document))
		if err != nil || len(a.Quiz.Questions) != 1 || a.Quiz.Questions[0].Question != test.want {
			t.Errorf("%.60q: %+v, %v", test.document, a, err)
		}
	}
}

// What is allocated and done grows as the document does, and not with its square, however its
// elements are nested. Most of what is allocated is garbage of the decoder; no more than one item
// is kept at a time.
func TestRead_CostGrowsWithTheSize(t *testing.T) {
	const n = 4_000
	many := func(element string) string { return strings.Repeat(element, n) }
	inItem := func(presentation, processing string) string {
		return string(quizOf(itemOf(presentation, processing)))
	}
	for name, document := range map[string]string{
		"flows": inItem(many("<flow><response_lid/></flow>"), rightIf(is("a"))),
		"texts": inItem(many("<flow><material><mattext>a</mattext></material></flow>")+
			choiceOf("Single"), rightIf(is("a"))),
		"or":         inItem(choiceOf("Single"), rightIf(many("<or/>"))),
		"and":        inItem(choiceOf("Single"), rightIf(many("<and>"+is("a")+"</and>"))),
		"not":        inItem(choiceOf("Single"), rightIf(many("<not>"+is("b")+"</not>"))),
		"conditions": inItem(text, "<resprocessing>"+many(scored(1, "Set", is("a")))+"</resprocessing>"),
		"options": inItem(`<response_lid rcardinality="Multiple"><render_choice>`+
			many(`<response_label ident="a"><material><mattext>a</mattext></material></response_label>`)+
			"</render_choice></response_lid>", "<resprocessing>"+many(scored(1, "Add", is("a")))+
			"</resprocessing>"),
		"pairs": inItem(many(choiceOf("Single")), rightIf(is("a"))),
		"long pairs": inItem("<material><mattext>"+many("long text ")+"</mattext></material>"+
			strings.Repeat(choiceOf("Single"), 40), rightIf(is("a"))),
		"feedback":   string(quizOf("<item>" + many(`<itemfeedback ident="a"/>`) + "</item>")),
		"items":      string(quizOf(many("<item/>"))),
		"sections":   string(quizOf(many("<section></section>"))),
		"fields":     string(quizOf("<item><itemmetadata>" + many("<a>b</a>") + "</itemmetadata></item>")),
		"banks":      string(quizOf("<section><selection_ordering><selection>" + many("<sourcebank_ref>a</sourcebank_ref>") + "</selection></selection_ordering></section>")),
		"attributes": string(quizOf(many(`<item a="" b="" c="" d="" e="" f=""/>`))),
		"markup": inItem("<material><mattext>"+many("<b>a</b>")+"</mattext></material>"+
			choiceOf("Single"), rightIf(is("a"))),
		"nested": string(quizOf(strings.Repeat(itemOf(strings.Repeat("<flow>", 80)+
			strings.Repeat("</flow>", 80), ""), n/80))),
		"entities": inItem("<material><mattext>"+many("&nbsp;&#1;")+"</mattext></material>"+
			choiceOf("Single"), rightIf(is("a"))),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := read(t, []byte(document)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		runtime.ReadMemStats(&after)
		if took := int(after.TotalAlloc - before.TotalAlloc); took > 150*len(document)+1<<20 {
			t.Errorf("%s: %d bytes are allocated for %d", name, took, len(document))
		}
	}
}

// The work ends when the caller has left.
func TestRead_EndsWithTheContext(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	document := quizOf(strings.Repeat(itemOf(choiceOf("Single"), rightIf(is("a"))), 1_000))
	b := budget.New(ctx, 16<<20)
	if err := b.Text(int64(len(document))); err != nil {
		t.Fatal(err)
	}
	leave()
	if _, err := qti.Read(b, document); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// FuzzRead reads anything. A question that is read has a kind and an answer.
func FuzzRead(f *testing.F) {
	f.Add(quizOf(itemOf(choiceOf("Multiple"), rightIf(is("a")))))
	f.Add(quizOf(itemOf(text, rightIf("<vargte>1</vargte><varlte>2e9</varlte>"))))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := read(t, data)
		for _, q := range a.Quiz.Questions {
			if err != nil || q.Kind == "" || q.Answer == nil || q.Points < 1 {
				t.Errorf("%+v (%v)", q, err)
			}
		}
	})
}
