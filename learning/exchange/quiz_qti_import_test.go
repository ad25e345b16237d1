package exchange_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/exchange"
)

// textItem returns a question of QTI 1.2 for a text.
func textItem(question, right string) string {
	return `<item><presentation><material><mattext>` + question + `</mattext></material><response_str ` +
		`ident="r"><render_fib/></response_str></presentation><resprocessing><respcondition>` +
		`<conditionvar><varequal respident="r">` + right + `</varequal></conditionvar><setvar>1</setvar>` +
		`</respcondition></resprocessing></item>`
}

func quizDocument(title, items string) string {
	return `<questestinterop><assessment title="` + title + `"><section>` + items +
		"</section></assessment></questestinterop>"
}

// A zip that holds one quiz is read, with the settings and the banks that Canvas has beside it.
func TestImportQuiz_Zip(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	course := w.Course(t, "go", 0)
	manifest := [2]string{"imsmanifest.xml",
		"<manifest><metadata><schema>IMS Content</schema></metadata></manifest>"}
	cartridge := [2]string{"imsmanifest.xml",
		"<manifest><metadata><schema>IMS Common Cartridge</schema></metadata></manifest>"}
	one := quizDocument("A", textItem("One?", "1"))
	meta := `<quiz xmlns="http://canvas.instructure.com/xsd/cccv1p0"><time_limit>20</time_limit>` +
		`<allowed_attempts>3</allowed_attempts></quiz>`
	drawing := strings.Replace(quizDocument("A", "<section><selection_ordering><selection>"+
		"<sourcebank_ref>bank</sourcebank_ref><selection_number>1</selection_number></selection>"+
		"</selection_ordering></section>"), "\n", "", -1)
	bank := "<questestinterop><objectbank>" + textItem("Two?", "2") + textItem("Three?", "3") +
		"</objectbank></questestinterop>"
	settings := assess.DefaultQuizSettings
	canvas, drawn := settings, settings
	canvas.Minutes, canvas.Attempts = 20, 3
	drawn.Draw = 1

	for name, test := range map[string]struct {
		entries  [][2]string
		want     []string
		settings assess.QuizSettings
		refused  string
	}{
		"a file":      {[][2]string{{"quiz.xml", one}}, []string{"One?"}, settings, ""},
		"with a list": {[][2]string{manifest, {"a/a.xml", one}}, []string{"One?"}, settings, ""},
		"of a pool": {[][2]string{{"res1.dat", one}, {"res2.dat", "<a/>"}}, []string{"One?"}, settings,
			""},
		"of Canvas": {[][2]string{manifest, {"a/a.xml", one}, {"a/assessment_meta.xml", meta}},
			[]string{"One?"}, canvas, ""},
		"a bank alone": {[][2]string{{"b.xml.qti", bank}}, []string{"Two?", "Three?"}, settings, ""},
		"with a bank": {[][2]string{manifest, {"a/a.xml", drawing},
			{"non_cc_assessments/bank.xml.qti", bank}}, []string{"Two?", "Three?"}, drawn, ""},
		"in two forms": {[][2]string{cartridge, {"a/assessment_qti.xml", one},
			{"a/assessment_meta.xml", meta}, {"non_cc_assessments/a.xml.qti",
				quizDocument("A", textItem("One?", "1")+textItem("More?", "1"))}},
			[]string{"One?", "More?"}, canvas, ""},

		"a course": {[][2]string{{"course.json", "{}"}}, nil, settings, "import it where courses are"},
		"a cartridge": {[][2]string{cartridge, {"a.html", ""}, {"q.xml", one}}, nil, settings,
			"a course (an IMS Common Cartridge)"},
		"SCORM": {[][2]string{{"imsmanifest.xml",
			"<manifest><schema>ADL SCORM</schema></manifest>"}}, nil, settings, "the zip is a SCORM package"},
		"QTI 2": {[][2]string{{"a.xml", "<assessmentItem/>"}}, nil, settings,
			"the zip is in the form QTI 2"},
		"Word": {[][2]string{{"word/document.xml", "<a/>"}}, nil, settings,
			"the zip is a document of Word"},
		"two quizzes": {[][2]string{{"a.xml", one}, {"b.xml", one}}, nil, settings,
			"holds 2 quizzes, such as a.xml, b.xml"},
		"nothing": {[][2]string{{"a.txt", "a"}}, nil, settings,
			"send the QTI 1.2 file, or a zip that holds one"},
		"no XML": {[][2]string{{"a.xml", one[:60]}}, nil, settings, "the file is not valid XML"},
	} {
		saved, _, err := w.ImportsQuiz(course, roomtest.PackageOf(t, test.entries...))
		if test.refused != "" {
			if !errors.Is(err, exchange.ErrQuizFileRefused) ||
				!strings.Contains(err.Error(), test.refused) {
				t.Errorf("%s: %v, want %q", name, err, test.refused)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []string
		for _, q := range saved.Questions {
			got = append(got, q.Text)
		}
		if !slices.Equal(got, test.want) || saved.Settings != test.settings {
			t.Errorf("%s: %q with %+v, want %q with %+v", name, got, saved.Settings, test.want,
				test.settings)
		}
	}
	_, _, err := w.ImportsQuiz(course, []byte("PK\x03\x04"))
	roomtest.WantFailure(t, err, exchange.ErrQuizFileRefused, "a zip that is cut off")
}

// A question that does not fit is left out with its own reason, and texts that are too many or too
// long are cut.
func TestImportQuiz_NamesWhatDoesNotFit(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	course := w.Course(t, "go", 0)
	choice := func(question string, options ...string) string {
		labels := ""
		for i, text := range options {
			labels += fmt.Sprintf(`<response_label ident="%d"><material><mattext>%s</mattext></material>`+
				`</response_label>`, i, text)
		}
		return `<item><presentation><material><mattext>` + question + `</mattext></material>` +
			`<response_lid ident="r"><render_choice>` + labels + `</render_choice></response_lid>` +
			`</presentation><resprocessing><respcondition><conditionvar><varequal>0</varequal>` +
			`</conditionvar><setvar>1</setvar></respcondition></resprocessing></item>`
	}
	many := textItem("Many?", strings.Join(strings.Split("abcdefghijklmnopqrstuvwxyz", ""),
		`</varequal><varequal>`))
	many = strings.Replace(many, `</varequal><varequal>b`,
		`</varequal><varequal> A </varequal><varequal>b`, 1)
	explained := strings.Replace(textItem("Explained?", "a"), "</item>",
		`<itemfeedback ident="general_fb">`+
			`<material><mattext>`+strings.Repeat("é", 2_001)+`</mattext></material></itemfeedback></item>`, 1)
	saved, skipped, err := w.ImportsQuiz(course, []byte(quizDocument("A",
		choice("Eleven?", strings.Split("abcdefghijk", "")...)+choice("Same?", "a", "b", "b")+
			choice("One?", "a")+choice("Long?", "a", strings.Repeat("b", 501))+
			choice(strings.Repeat("x", 1_001), "a", "b")+many+explained)))
	roomtest.Must(t, err)
	if len(saved.Questions) != 2 || len(saved.Questions[0].Solution.Answer.([]string)) != 20 ||
		len([]rune(saved.Questions[1].Solution.Explanation)) != 2_000 {
		t.Errorf("saved %+v", saved.Questions)
	}
	want := []exchange.SkippedPart{
		{What: `question "Eleven?"`, Why: "it has 11 options, and a question has at most 10"},
		{What: `question "Same?"`, Why: "two of its options have the same text"},
		{What: `question "One?"`, Why: "it has one option only"},
		{What: `question "Long?"`, Why: "one of its options is too long: an option has up to 500 characters"},
		{What: `question "` + strings.Repeat("x", 60) + `"`,
			Why: "its text is too long: a question has up to 1000 characters"},
		{What: `right texts of question "Many?"`, Why: "a question has at most 20"},
		{What: `the end of the explanation of question "Explained?"`,
			Why: "an explanation has up to 2000 characters"},
	}
	if d := cmp.Diff(want, skipped); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

// A quiz with more questions than a quiz may have keeps the first ones.
func TestImportQuiz_KeepsTheFirstQuestions(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	course := w.Course(t, "go", 0)
	saved, skipped, err := w.ImportsQuiz(course,
		[]byte(quizDocument("A", strings.Repeat(textItem("One?", "1"), 700))))
	roomtest.Must(t, err)
	want := []exchange.SkippedPart{{What: "the questions after the first 500",
		Why: "a quiz has at most 500 questions: split it"}}
	if d := cmp.Diff(want, skipped); d != "" || len(saved.Questions) != assess.MaxQuestionBank {
		t.Errorf("%d questions; -want +got\n%s", len(saved.Questions), d)
	}
}

// An import ends when its caller has left.
func TestImportQuiz_EndsWithTheContext(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	course := w.Course(t, "go", 0)
	left, cancel := context.WithCancel(ctx())
	content := []byte(quizDocument("A", strings.Repeat(textItem("One?", "1"), 10_000)))
	cancel()
	_, _, err := w.Platform.Exchange.ImportQuiz(left, roomtest.Teacher,
		exchange.QuizImport{CourseID: course,
			ChapterID: roomtest.TheChapter, Content: content})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
