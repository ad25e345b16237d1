package qti_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/budget"
	"github.com/openlectern/openlectern/internal/coursepackage"
	"github.com/openlectern/openlectern/internal/qti"
)

// formOf returns a document whose sections and items these are, as a platform writes it.
func formOf(inner string) []byte {
	return []byte(`<?xml version="1.0" encoding="UTF-8"?><questestinterop><assessment title="Test">` +
		inner + `</assessment></questestinterop>`)
}

// fields returns metadata of labels and entries.
func fields(pairs ...string) string {
	all := ""
	for i := 0; i < len(pairs); i += 2 {
		all += "<qtimetadatafield><fieldlabel>" + pairs[i] + "</fieldlabel><fieldentry>" + pairs[i+1] +
			"</fieldentry></qtimetadatafield>"
	}
	return "<itemmetadata><qtimetadata>" + all + "</qtimetadata></itemmetadata>"
}

func mat(text string) string {
	return `<material><mattext texttype="text/html">` + text + "</mattext></material>"
}

// labels returns options of ids and texts.
func labels(pairs ...string) string {
	all := ""
	for i := 0; i < len(pairs); i += 2 {
		all += `<response_label ident="` + pairs[i] + `">` + mat(pairs[i+1]) + "</response_label>"
	}
	return all
}

func lid(id, cardinality, left, labels string) string {
	if left != "" {
		left = mat(left)
	}
	return `<response_lid ident="` + id + `" rcardinality="` + cardinality + `">` + left +
		"<render_choice>" + labels + "</render_choice></response_lid>"
}

func str(id, fib string) string {
	return `<response_str ident="` + id + `"><render_fib ` + fib + `><response_label ident="` + id +
		`_ANS"/></render_fib></response_str>`
}

// gives returns a condition that gives a score for a test.
func gives(test, action, score string) string {
	return "<respcondition><conditionvar>" + test + `</conditionvar><setvar varname="SCORE" action="` +
		action + `">` + score + "</setvar></respcondition>"
}

func eq(id, value string) string {
	return `<varequal respident="` + id + `">` + value + "</varequal>"
}

func itemAs(metadata, presentation, processing string) string {
	return `<item ident="i" title="Title">` + metadata + "<presentation>" + presentation +
		"</presentation><resprocessing>" + processing + "</resprocessing></item>"
}

// The questions of other platforms mean the same afterwards; what is lost of them and what cannot
// be imported is named.
func TestRead_Platforms(t *testing.T) {
	canvas := func(kind, presentation, processing string) string {
		return itemAs(fields("question_type", kind, "points_possible", "4.0"), presentation,
			`<outcomes><decvar maxvalue="100" minvalue="0" varname="SCORE"/></outcomes>`+processing)
	}
	blackboard := func(kind, presentation, processing string) string {
		return itemAs("<itemmetadata><bbmd_asitype>Item</bbmd_asitype><bbmd_questiontype>"+kind+
			"</bbmd_questiontype><qmd_absolutescore_max>6.000</qmd_absolutescore_max><qmd_weighting>"+
			"0.0</qmd_weighting></itemmetadata>", `<flow class="Block"><flow class="QUESTION_BLOCK">`+
			`<flow class="FORMATTED_TEXT_BLOCK"><material><mat_extension><mat_formattedtext type="HTML">`+
			`&lt;p&gt;Ask&lt;/p&gt;</mat_formattedtext></mat_extension></material></flow></flow>`+
			presentation+"</flow>", `<outcomes><decvar varname="SCORE" maxvalue="6.0"/></outcomes>`+
			processing+`<respcondition title="incorrect"><conditionvar><other/></conditionvar>`+
			`<setvar variablename="SCORE" action="Set">0.0</setvar></respcondition>`)
	}
	correct := func(test string) string {
		return `<respcondition title="correct"><conditionvar>` + test + `</conditionvar><setvar ` +
			`variablename="SCORE" action="Set">SCORE.max</setvar></respcondition>`
	}
	response := func(inner string) string { return `<flow class="RESPONSE_BLOCK">` + inner + "</flow>" }
	brightspace := func(kind, presentation, processing string) string {
		return `<item ident="OBJ" label="Q1"><itemmetadata><qtimetadata><qti_metadatafield><fieldlabel>` +
			`qmd_questiontype</fieldlabel><fieldentry>` + kind + `</fieldentry></qti_metadatafield>` +
			`<qti_metadatafield><fieldlabel>qmd_weighting</fieldlabel><fieldentry>3.000000000` +
			`</fieldentry></qti_metadatafield></qtimetadata></itemmetadata><itemproc_extension>` +
			`<difficulty>1</difficulty></itemproc_extension><presentation><flow>` + presentation +
			`</flow></presentation><resprocessing>` + processing + `</resprocessing><itemfeedback ` +
			`ident="Q1">` + mat("Because.") + `</itemfeedback></item>`
	}
	counts := func(id, value, variable, score string) string {
		return "<respcondition><conditionvar>" + eq(id, value) + `</conditionvar><setvar varname="` +
			variable + `" action="Add">` + score + "</setvar></respcondition>"
	}
	ab := labels("1", "A", "2", "B")
	abOptions := []string{"A", "B"}

	single := func(question string, options []string, right float64, points int) coursepackage.Question {
		return coursepackage.Question{Kind: "single", Question: question, Options: options,
			Answer: right, Points: points}
	}
	text := func(question string, points int, accepted ...any) coursepackage.Question {
		return coursepackage.Question{Kind: "text", Question: question, Answer: accepted,
			Points: points}
	}
	explained := func(q coursepackage.Question) coursepackage.Question {
		q.Explanation = "Because."
		return q
	}
	type questions = []coursepackage.Question
	for name, test := range map[string]struct {
		item    string
		want    questions
		skipped string // parts of what is skipped or lost, in order, with | between them
	}{
		// Canvas
		"canvas one blank": {canvas("fill_in_multiple_blanks_question", mat("It is [c].")+
			lid("response_c", "", "c", labels("1", "blue", "2", "azure", "3", "blue")),
			gives(eq("response_c", "1"), "Add", "100.00")),
			questions{text("It is [c].", 4, "blue", "azure")}, ""},
		"canvas two blanks": {canvas("fill_in_multiple_blanks_question", mat("[a] and [b]")+
			lid("response_a", "", "a", labels("1", "x"))+lid("response_b", "", "b", labels("2", "y")),
			gives(eq("response_a", "1"), "Add", "50.00")+gives(eq("response_b", "2"), "Add", "50.00")),
			questions{text("[a] and [b]\n[a] = ?", 2, "x"), text("[a] and [b]\n[b] = ?", 2, "y")},
			"one question for each"},
		"canvas dropdowns": {canvas("multiple_dropdowns_question", mat("[a] and [b]")+
			lid("response_a", "", "a", ab)+lid("response_b", "", "b", labels("3", "C", "4", "D")),
			gives(eq("response_a", "2"), "Add", "50.00")+gives(eq("response_b", "3"), "Add", "50.00")),
			questions{single("[a] and [b]\n[a] = ?", abOptions, 1, 2),
				single("[a] and [b]\n[b] = ?", []string{"C", "D"}, 0, 2)}, "one question for each"},
		"canvas pairs": {canvas("matching_question", mat("Match")+
			lid("response_1", "", "one", labels("7", "I", "8", "II", "9", "II"))+
			lid("response_2", "", "two", labels("7", "I", "8", "II", "9", "II")),
			gives(eq("response_1", "7"), "Add", "50.00")+gives(eq("response_2", "9"), "Add", "50.00")),
			questions{single("Match\none ↔ ?", []string{"I", "II"}, 0, 2),
				single("Match\ntwo ↔ ?", []string{"I", "II"}, 1, 2)}, "one question for each"},
		"canvas answers": {canvas("multiple_answers_question", mat("Which?")+
			lid("response1", "Multiple", "", labels("1", "A", "2", "B", "3", "C")),
			gives("<and>"+eq("response1", "1")+"<not>"+eq("response1", "2")+"</not>"+
				eq("response1", "3")+"</and>", "Set", "100")),
			questions{{Kind: "multiple", Question: "Which?", Options: []string{"A", "B", "C"},
				Answer: []any{0.0, 2.0}, Points: 4}}, ""},
		"canvas number": {canvas("numerical_question", mat("Pi?")+str("response1", `fibtype="Decimal"`),
			gives("<or>"+eq("response1", "3.14")+`<and><vargte respident="response1">3.1</vargte>`+
				`<varlte respident="response1">3.18</varlte></and></or>`, "Set", "100")),
			questions{{Kind: "number", Question: "Pi?", Answer: 3.14, Tolerance: 0.04, Points: 4}}, ""},
		"canvas precision": {canvas("numerical_question", mat("Pi?")+str("response1", `fibtype="Decimal"`),
			gives("<or>"+eq("response1", "3.1")+`<and><vargt respident="response1">3.05</vargt>`+
				`<varlte respident="response1">3.15</varlte></and></or>`, "Set", "100")),
			questions{{Kind: "number", Question: "Pi?", Answer: 3.1, Tolerance: 0.05, Points: 4}},
			"at the bound"},
		"canvas true": {canvas("true_false_question", mat("So?")+lid("response1", "Single", "",
			labels("1", "True", "2", "False")), gives(eq("response1", "2"), "Set", "100")),
			questions{{Kind: "true-false", Question: "So?", Answer: false, Points: 4}}, ""},
		"canvas essay": {canvas("essay_question", mat("Write")+str("response1", ""),
			"<respcondition><conditionvar><other/></conditionvar></respcondition>"), nil,
			`question 1, an essay, "Write": a person must mark it: make it an assignment`},
		"canvas upload": {canvas("file_upload_question", mat("Send"), ""), nil,
			`question 1, an upload, "Send": `},
		"canvas text": {canvas("text_only_question", mat("Read this"), ""), nil,
			`question 1, a text, "Read this": it asks nothing: put it into a lecture`},
		"canvas formula": {canvas("calculated_question", mat("[x]+1")+str("response1", ""),
			gives(eq("response1", "2"), "Set", "100")), nil, `question 1, a calculated question, `},

		// Blackboard
		"blackboard choice": {blackboard("Multiple Choice", response(lid("response", "Single", "",
			`<flow_label class="Block">`+labels("1", "A")+`</flow_label><flow_label>`+labels("2", "B")+
				"</flow_label>")), correct(eq("response", "2"))+`<respcondition><conditionvar><varequal `+
			`respident="1" case="No"/></conditionvar><setvar variablename="SCORE" action="Set">0</setvar>`+
			`<displayfeedback linkrefid="1"/></respcondition>`),
			questions{single("Ask", abOptions, 1, 6)}, ""},
		"blackboard answers": {blackboard("Multiple Answer", response(lid("response", "Multiple", "", ab)),
			correct("<and>"+eq("response", "1")+"<not>"+eq("response", "2")+"</not></and>")),
			questions{{Kind: "multiple", Question: "Ask", Options: abOptions, Answer: []any{0.0},
				Points: 6}}, ""},
		"blackboard true": {blackboard("True/False", response(lid("response", "Single", "",
			labels("true", "true", "false", "false"))), correct(eq("response", "true"))),
			questions{{Kind: "true-false", Question: "Ask", Answer: true, Points: 6}}, ""},
		"blackboard either": {blackboard("Either/Or", response(lid("response", "Single", "",
			labels("y", "yes_no.true", "n", "yes_no.false"))), correct(eq("response", "n"))),
			questions{single("Ask", []string{"Yes", "No"}, 1, 6)}, ""},
		"blackboard blank": {blackboard("Fill in the Blank", response(str("response", "")),
			correct(eq("response", "x"))+correct(eq("response", "y"))),
			questions{text("Ask", 6, "x", "y")}, ""},
		"blackboard blanks": {blackboard("Fill in the Blank Plus", mat("[p] [q]")+response(
			str("p", "")+str("q", "")), correct("<and><or>"+eq("p", "x")+eq("p", "y")+"</or><or>"+
			eq("q", "z")+"</or></and>")), questions{text("Ask\n[p] [q]\n[p] = ?", 3, "x", "y"),
			text("Ask\n[p] [q]\n[q] = ?", 3, "z")}, "one question for each"},
		"blackboard number": {blackboard("Numeric", response(`<response_num ident="response">`+
			`<render_fib/></response_num>`), `<respcondition title="correct"><conditionvar>`+
			`<vargte respident="response">9</vargte><varlte respident="response">11</varlte>`+
			eq("response", "10")+`</conditionvar><displayfeedback linkrefid="correct"/></respcondition>`),
			questions{{Kind: "number", Question: "Ask", Answer: 10.0, Tolerance: 1, Points: 6}}, ""},
		"blackboard pairs": {blackboard("Matching", response(`<flow class="Block">`+lid("p", "Single", "",
			`<flow_label><response_label ident="p1"/><response_label ident="p2"/></flow_label>`)+mat("one")+
			`</flow><flow class="Block">`+lid("q", "Single", "", `<flow_label><response_label ident="q1"/>`+
			`<response_label ident="q2"/></flow_label>`)+mat("two")+"</flow>")+
			`<flow class="RIGHT_MATCH_BLOCK"><flow class="Block">`+mat("I")+`</flow><flow class="Block">`+
			mat("II")+"</flow></flow>", "<respcondition><conditionvar>"+eq("p", "p2")+`</conditionvar>`+
			`<setvar variablename="PartialCreditPercent" action="Set">50</setvar><setvar variablename=`+
			`"NegativeCreditPercent" action="Set">0</setvar></respcondition><respcondition>`+
			`<conditionvar>`+eq("q", "q1")+"</conditionvar></respcondition>"),
			questions{single("Ask\none ↔ ?", []string{"I", "II"}, 1, 3),
				single("Ask\ntwo ↔ ?", []string{"I", "II"}, 0, 3)}, "one question for each"},
		"blackboard order": {blackboard("Ordering", response(lid("response", "Ordered", "", ab)),
			correct("<and>"+eq("response", "1")+eq("response", "2")+"</and>")), nil,
			`question 1, an order, "Ask": `},
		"blackboard place": {blackboard("Hot Spot", response(`<response_xy ident="response"/>`), ""), nil,
			`question 1, a place in a picture, "Ask": `},
		"blackboard opinion": {blackboard("Opinion Scale", response(lid("response", "Single", "", ab)), ""),
			nil, `question 1, an opinion, "Ask": `},
		"blackboard part": {blackboard("Fill in the Blank", response(str("response", "")),
			correct(`<varsubset respident="response" setmatch="Partial">x</varsubset>`)), nil,
			`question 1, a short text, "Ask": it accepts each answer that contains a text`},

		// Brightspace
		"brightspace choice": {brightspace("Multiple Choice", mat("Ask")+lid("L", "Multiple", "",
			"<flow_label>"+labels("1", "A")+"</flow_label><flow_label>"+labels("2", "B")+"</flow_label>"),
			gives(eq("L", "1"), "Set", "0.0000")+gives(eq("L", "2"), "Set", "100.0000")),
			questions{explained(single("Ask", abOptions, 1, 3))}, ""},
		"brightspace answers": {brightspace("Multi-Select", mat("Ask")+lid("L", "Multiple", "",
			labels("1", "A", "2", "B", "3", "C")), counts("L", "1", "D2L_Correct", "")+
			counts("L", "2", "D2L_Incorrect", "1")+counts("L", "3", "D2L_Correct", "1")+
			`<respcondition><setvar varname="que_score" action="Set">D2L_Correct</setvar></respcondition>`),
			questions{explained(coursepackage.Question{Kind: "multiple", Question: "Ask",
				Options: []string{"A", "B", "C"}, Answer: []any{0.0, 2.0}, Points: 3})},
			"a right one all"},
		"brightspace pairs": {brightspace("Matching", mat("Ask")+
			`<response_grp respident="C1" rcardinality="Single">`+mat("one")+"<render_choice><flow_label>"+
			ab+`</flow_label></render_choice></response_grp><response_grp respident="C2" rcardinality=`+
			`"Single">`+mat("two")+"<render_choice><flow_label>"+ab+"</flow_label></render_choice>"+
			"</response_grp>", counts("C1", "1", "D2L_Incorrect", "1")+counts("C1", "2", "D2L_Correct", "1")+
			counts("C2", "1", "D2L_Correct", "1")+counts("C2", "2", "D2L_Incorrect", "1")+
			`<respcondition><conditionvar><other/></conditionvar><setvar varname="que_score" action="Set">`+
			`D2L_Correct</setvar></respcondition>`),
			questions{explained(single("Ask\none ↔ ?", abOptions, 1, 2)),
				explained(single("Ask\ntwo ↔ ?", abOptions, 0, 2))}, "one question for each"},
		"brightspace blanks": {brightspace("Fill in the Blanks", mat("The")+str("S1", "")+mat("is")+
			str("S2", "")+mat("."), gives(eq("S1_ANS", "sky"), "Set", "50.0")+
			gives(eq("S2_ANS", "blue"), "Set", "25.0")+gives(eq("S2_ANS", "azure"), "Set", "25.0")),
			questions{explained(text("The [1] is [2].\n[1] = ?", 2, "sky")),
				explained(text("The [1] is [2].\n[2] = ?", 2, "blue", "azure"))},
			"one question for each"},
		"brightspace blank": {brightspace("Fill in the Blanks", mat("The")+str("S1", "")+mat("is blue"),
			gives(eq("S1_ANS", "sky"), "Set", "100.0")),
			questions{explained(text("The ____ is blue", 3, "sky"))}, ""},
		"brightspace long": {brightspace("Long Answer", mat("Write")+str("S1", `rows="15"`), ""), nil,
			`question 1, an essay, "Write": `},
		"brightspace arithmetic": {brightspace("Arithmetic", mat("{x}+1")+str("S1", ""), ""), nil,
			`question 1, a calculated question, `},
		"brightspace order": {brightspace("Ordering", mat("Ask")+`<response_grp ident="O" rcardinality=`+
			`"Ordered"><render_choice>`+ab+"</render_choice></response_grp>", ""), nil,
			`question 1, an order, "Ask": `},

		// ILIAS, OpenOLAT, Sakai, Respondus and others: the score is the points.
		"ilias answers": {itemAs(fields("QUESTIONTYPE", "MULTIPLE CHOICE QUESTION"), "<flow>"+mat("Ask")+
			lid("MCMR", "Multiple", "", labels("0", "A", "1", "B", "2", "C"))+"</flow>",
			gives(eq("MCMR", "0"), "Add", "2")+gives("<not>"+eq("MCMR", "0")+"</not>", "Add", "0")+
				gives(eq("MCMR", "1"), "Add", "0")+gives("<not>"+eq("MCMR", "1")+"</not>", "Add", "1")+
				gives(eq("MCMR", "2"), "Add", "1")),
			questions{{Kind: "multiple", Question: "Ask", Options: []string{"A", "B", "C"},
				Answer: []any{0.0, 2.0}, Points: 4}}, "a right one all"},
		"ilias cloze": {itemAs(fields("QUESTIONTYPE", "CLOZE QUESTION"), "<flow>"+mat("One")+
			str("gap_0", "")+mat("and")+lid("gap_1", "Single", "", ab)+mat("end")+"</flow>",
			gives(eq("gap_0", "x"), "Add", "2")+gives(eq("gap_1", "0"), "Add", "0")+
				gives(eq("gap_1", "2"), "Add", "2")),
			questions{text("One [1] and [2] end\n[1] = ?", 2, "x"),
				single("One [1] and [2] end\n[2] = ?", abOptions, 1, 2)}, "one question for each"},
		"olat mastery": {itemAs("", mat("Ask")+lid("1", "Multiple", "", ab), `<outcomes><decvar varname=`+
			`"SCORE" maxvalue="3.0"/></outcomes><respcondition title="Mastery" continue="Yes">`+
			`<conditionvar><and>`+eq("1", "1")+`</and><not><or>`+eq("1", "2")+`</or></not></conditionvar>`+
			`<setvar varname="SCORE" action="Set">3.0</setvar></respcondition><respcondition title="Fail">`+
			`<conditionvar><or>`+eq("1", "2")+`</or></conditionvar><setvar varname="SCORE" action="Set">0`+
			`</setvar></respcondition>`), questions{{Kind: "multiple", Question: "Ask",
			Options: abOptions, Answer: []any{0.0}, Points: 3}}, ""},
		"sakai choice": {itemAs(fields("qmd_itemtype", "Multiple Choice"), `<flow class="Block">`+
			`<material><mattext charset="ascii-us" texttype="text/plain">&lt;p&gt;A&amp;amp;B&lt;/p&gt;`+
			`</mattext></material>`+lid("MCSC", "Single", "", ab)+"</flow>", `<respcondition><conditionvar>`+
			`<varequal case="Yes" respident="MCSC">1</varequal></conditionvar><setvar action="Add" varname=`+
			`"SCORE">0.0</setvar><displayfeedback linkrefid="Correct"/></respcondition><respcondition>`+
			`<conditionvar>`+eq("MCSC", "2")+`</conditionvar><setvar action="Add" varname="SCORE">0.0`+
			`</setvar><displayfeedback linkrefid="InCorrect"/></respcondition>`),
			questions{single("A&B", abOptions, 0, 1)}, ""},
		"sakai range": {itemAs(fields("qmd_itemtype", "Numeric Response"), mat("Ask")+str("FIN01", ""),
			gives(eq("FIN01", "2.5|3.5"), "Add", "2.0")),
			questions{{Kind: "number", Question: "Ask", Answer: 3.0, Tolerance: 0.5, Points: 2}}, ""},
		"respondus": {itemAs("", `<material><mattext texttype="text/html"><![CDATA[<p>A &amp; B&nbsp;?</p>]]>`+
			`</mattext></material>`+lid("Q_RL", "Single", "", ab), `<respcondition><conditionvar>`+
			eq("Q_RL", "2")+`</conditionvar><setvar varname="que_score" action="Set">2.00</setvar>`+
			`</respcondition>`), questions{single("A & B ?", abOptions, 1, 2)}, ""},
		"indented": {itemAs("", "<material><mattext>One\n\t\t\ttwo\n\t\t</mattext></material>"+
			lid("r", "Single", "", ab), gives(eq("r", "1"), "Set", "1")),
			questions{single("One two", abOptions, 0, 1)}, ""},
		"code without a type": {itemAs("", "<material><mattext>if a:\n    b\nc</mattext></material>"+
			lid("r", "Single", "", ab), gives(eq("r", "1"), "Set", "1")),
			questions{single("if a:\n    b\nc", abOptions, 0, 1)}, ""},
		"pictures as options": {itemAs("", mat("Ask")+lid("r", "Single", "", `<response_label ident="1">`+
			`<material><matimage uri="a.png"/></material></response_label>`), gives(eq("r", "1"), "Set",
			"1")), nil, `question 1, "Ask": an option has a picture or another medium, and no text`},
		"exponents": {itemAs("", mat("Which?")+lid("r", "Single", "", labels("1",
			"10&lt;sup&gt;3&lt;/sup&gt;", "2", "10&lt;sub&gt;3&lt;/sub&gt;")), gives(eq("r", "1"), "Set",
			"1")), questions{single("Which?", []string{"10³", "10₃"}, 0, 1)}, ""},
		"code": {itemAs("", mat("Run&lt;pre&gt;&lt;code&gt;a = 1\nif a:\n    print(a)&lt;/code&gt;"+
			"&lt;/pre&gt;")+lid("r", "Single", "", ab), gives(eq("r", "1"), "Set", "1")),
			questions{single("Run\na = 1\nif a:\n    print(a)", abOptions, 0, 1)}, ""},
		"other names of responses": {itemAs("", mat("Ask")+lid("r", "Single", "", ab),
			gives(eq("another", "2"), "Set", "100")), questions{single("Ask", abOptions, 1, 1)}, ""},
		"markup without escapes": {itemAs("", `<material><mattext texttype="text/xhtml"><div><p>One</p>`+
			`<p>two<br/>three</p></div></mattext></material>`+lid("r", "Single", "", ab),
			gives(eq("r", "1"), "Set", "1")), questions{single("One\ntwo\nthree", abOptions, 0, 1)}, ""},
		"twelve pairs": {itemAs(fields("question_type", "matching_question"), mat("Match")+
			lid("a", "", "one", labels("1", "A", "2", "B", "3", "C", "4", "D", "5", "E", "6", "F", "7", "G",
				"8", "H", "9", "I", "10", "J", "11", "K", "12", "L"))+lid("b", "", "two", ab),
			gives(eq("a", "12"), "Add", "50")+gives(eq("b", "1"), "Add", "50")),
			questions{single("Match\none ↔ ?", strings.Split("ABCDEFGHIL", ""), 9, 1),
				single("Match\ntwo ↔ ?", abOptions, 0, 1)}, "one question for each|at most 10 options"},
	} {
		a, err := read(t, formOf("<section>"+test.item+"</section>"))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := cmp.Diff(test.want, a.Quiz.Questions); d != "" {
			t.Errorf("%s: -want +got\n%s", name, d)
		}
		want := strings.Split(test.skipped, "|")
		if test.skipped == "" {
			want = nil
		}
		if len(a.Skipped) != len(want) {
			t.Errorf("%s: skipped %+v, want %q", name, a.Skipped, want)
			continue
		}
		for i, s := range a.Skipped {
			if line := s.What + ": " + s.Why; !strings.Contains(line, want[i]) {
				t.Errorf("%s: skipped %q, want %q", name, line, want[i])
			}
		}
	}
}

// The settings of a quiz are read in the forms of several platforms.
func TestRead_Settings(t *testing.T) {
	item := itemAs("", mat("Ask")+lid("r", "Single", "", labels("1", "A", "2", "B")),
		gives(eq("r", "1"), "Set", "1"))
	metadata := func(pairs ...string) string {
		return strings.NewReplacer("<itemmetadata>", "", "</itemmetadata>", "").Replace(fields(pairs...))
	}
	select1 := `<selection_ordering><selection><selection_number>1</selection_number>` +
		`<selection_extension><points_per_item>7.0</points_per_item></selection_extension></selection>` +
		`</selection_ordering>`
	for name, test := range map[string]struct {
		inner   string
		want    coursepackage.Settings
		points  int
		skipped string
	}{
		"canvas": {metadata("qmd_timelimit", "20", "cc_maxattempts", "unlimited") + "<section>" + item +
			"</section>", coursepackage.Settings{Minutes: 20}, 1, ""},
		"sakai": {"<duration>PT1H30M20S</duration>" + metadata("MAX_ATTEMPTS", "3") + "<section>" + item +
			"</section>", coursepackage.Settings{Minutes: 91, Attempts: 3}, 1, ""},
		"brightspace": {"<assess_procextension><d2l_2p0:time_limit>45</d2l_2p0:time_limit>" +
			"<d2l_2p0:enforce_time_limit>yes</d2l_2p0:enforce_time_limit><d2l_2p0:attempts_allowed>2" +
			"</d2l_2p0:attempts_allowed></assess_procextension><section>" + item + "</section>",
			coursepackage.Settings{Minutes: 45, Attempts: 2}, 1, ""},
		"brightspace without a limit": {"<assess_procextension><time_limit>45</time_limit>" +
			"<enforce_time_limit>no</enforce_time_limit></assess_procextension><section>" + item +
			"</section>", coursepackage.Settings{}, 1, ""},
		"an item has another duration": {"<section><duration>PT1H</duration>" + item + "</section>",
			coursepackage.Settings{}, 1, ""},
		"all are drawn": {"<section><section>" + select1 + item + item + "</section></section>",
			coursepackage.Settings{Draw: 1}, 7, ""},
		"some are drawn": {"<section>" + item + "<section>" + select1 + item + item +
			"</section></section>", coursepackage.Settings{}, 1, "the draw of questions"},
		"texts": {"<rubric>" + mat("Take care") + "</rubric><presentation_material>" + mat("") +
			"</presentation_material><section><presentation_material>" + mat("Read") +
			"</presentation_material>" + item + "</section>", coursepackage.Settings{}, 1,
			"the instructions of the quiz|the texts of 1 of the sections"},
		"another file": {"<section>" + item + `<itemref linkrefid="x"/></section>`,
			coursepackage.Settings{}, 1, "questions that the file only names"},
		"two quizzes": {"<section>" + item + `</section></assessment><assessment><section>` + item +
			"</section>", coursepackage.Settings{}, 1, "1 other quizzes"},
		"a bank": {"<section>" + item + strings.Replace("<section>"+select1+"</section>", "<selection_n",
			"<sourcebank_ref>b1</sourcebank_ref><selection_n", 1) + "</section>",
			coursepackage.Settings{}, 1, "questions of 1 banks"},
	} {
		a, err := read(t, formOf(test.inner))
		if err != nil || len(a.Quiz.Questions) == 0 {
			t.Errorf("%s: %+v, %v", name, a, err)
			continue
		}
		if d := cmp.Diff(test.want, *a.Quiz.Settings); d != "" {
			t.Errorf("%s: -want +got\n%s", name, d)
		}
		if points := a.Quiz.Questions[0].Points; points != test.points {
			t.Errorf("%s: %d points, want %d", name, points, test.points)
		}
		var skipped []string
		for _, s := range a.Skipped {
			skipped = append(skipped, s.What)
		}
		if got := strings.Join(skipped, "|"); !strings.HasPrefix(got, test.skipped) ||
			got != "" && test.skipped == "" {
			t.Errorf("%s: skipped %q, want %q", name, got, test.skipped)
		}
	}
}

// The questions of a bank are read where a section draws from it.
func TestReader_Bank(t *testing.T) {
	item := itemAs("", mat("Ask")+lid("r", "Single", "", labels("1", "A", "2", "B")),
		gives(eq("r", "1"), "Set", "1"))
	b := budget.New(t.Context(), 1<<20)
	document := formOf(`<section><section><selection_ordering><selection><sourcebank_ref>bank` +
		`</sourcebank_ref><selection_number>2</selection_number><selection_extension><points_per_item>5` +
		`</points_per_item></selection_extension></selection></selection_ordering></section></section>`)
	r := qti.Reader{Bank: func(id string) ([]byte, error) {
		if id != "bank" {
			t.Errorf("the bank %q is asked for", id)
		}
		bank := []byte("<questestinterop><objectbank>" + item + item + item +
			"</objectbank></questestinterop>")
		return bank, b.Text(int64(len(bank)))
	}}
	a, err := r.Read(b, document)
	if err != nil || len(a.Quiz.Questions) != 3 || a.Quiz.Settings.Draw != 2 ||
		len(a.Skipped) > 0 || a.Title != "Test" {
		t.Fatalf("%+v, %+v, %v", a, a.Quiz.Settings, err)
	}
	for _, q := range a.Quiz.Questions {
		if q.Points != 5 {
			t.Errorf("%d points, want 5", q.Points)
		}
	}
}

// The settings that Canvas has in another document are set in a quiz.
func TestCanvasSettings_Apply(t *testing.T) {
	document := []byte(`<?xml version="1.0"?><quiz xmlns="http://canvas.instructure.com/xsd/cccv1p0">` +
		`<title>Week  1</title><description>&lt;p&gt;Take care&lt;/p&gt;</description><time_limit>20` +
		`</time_limit><allowed_attempts>3</allowed_attempts><shuffle_answers>true</shuffle_answers>` +
		`<assignment><title>Other</title><allowed_attempts>9</allowed_attempts></assignment></quiz>`)
	b := budget.New(t.Context(), 1<<20)
	if err := b.Text(int64(len(document))); err != nil {
		t.Fatal(err)
	}
	s, err := qti.CanvasSettings(b, document)
	if err != nil {
		t.Fatal(err)
	}
	a := qti.Assessment{Title: "Old", Quiz: coursepackage.Quiz{Settings: &coursepackage.Settings{
		Attempts: 1, Draw: 4}}}
	s.Apply(&a)
	want := qti.Assessment{Title: "Week 1", Quiz: coursepackage.Quiz{
		Settings: &coursepackage.Settings{Minutes: 20, Attempts: 3, Shuffle: true, Draw: 4}},
		Skipped: []coursepackage.Skipped{{What: "the instructions of the quiz",
			Why: "a quiz has questions only: put them into a lecture"}}}
	if d := cmp.Diff(want, a); d != "" {
		t.Errorf("-want +got\n%s", d)
	}

	// Unlimited attempts and no description.
	document = []byte("<quiz><allowed_attempts>-1</allowed_attempts><description/></quiz>")
	if s, err = qti.CanvasSettings(b, document); err != nil || s != (qti.Settings{}) {
		t.Errorf("%+v, %v", s, err)
	}
}
