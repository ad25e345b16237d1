package cartridge_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/coursepackage"
)

const settingsType = `type="associatedcontent/imscc_xmlv1p1/learning-application-resource"`

// assignmentOf reads a cartridge with an assignment of Canvas, of settings and a page.
func assignmentOf(t *testing.T, settings, page string, more ...string) (
	coursepackage.Lecture, []coursepackage.Skipped) {
	t.Helper()
	course, skipped := readSmall(t, `<item identifier="i" identifierref="a"><title>Essay</title></item>`,
		`<resource identifier="a" `+settingsType+` href="a/essay.html"><file href="a/essay.html"/>
		<file href="a/assignment_settings.xml"/></resource>
		<resource identifier="f" type="webcontent" href="web_resources/s.pdf"/>`,
		append(more, "a/essay.html", page, "a/assignment_settings.xml", `<assignment identifier="a"
		xmlns="http://canvas.instructure.com/xsd/cccv1p0"><title>Essay</title>`+settings+`</assignment>`,
			"web_resources/s.pdf", "%PDF-")...)
	if len(course.Chapters) == 0 {
		return coursepackage.Lecture{}, skipped
	}
	return course.Chapters[0].Lectures[0], skipped
}

// An assignment of Canvas becomes a lecture of this kind, with its points, attempts and due date.
func TestRead_AssignmentsOfCanvas(t *testing.T) {
	page := pageOf("Assignment: Essay", `Write about <b>tides</b>, see
		<a href="$IMS-CC-FILEBASE$/s.pdf">the source</a>.`)
	points := func(n int) []coursepackage.Criterion {
		return []coursepackage.Criterion{{Text: "Essay", Points: n}}
	}
	const rubric = `<rubrics><rubric identifier="r"><criteria><criterion><points>3.5</points>
		<description>Style</description></criterion><criterion><points>6</points>
		<description>Facts</description></criterion></criteria></rubric></rubrics>`
	for name, test := range map[string]struct {
		settings string
		want     coursepackage.Assignment
		skipped  string
	}{
		"points": {`<points_possible>20.0</points_possible>
			<submission_types>online_text_entry</submission_types>`,
			coursepackage.Assignment{Rubric: points(20)}, ""},
		"files and attempts": {`<points_possible>0.0</points_possible><allowed_attempts>3</allowed_attempts>
			<submission_types>online_text_entry,online_upload</submission_types>`,
			coursepackage.Assignment{Rubric: []coursepackage.Criterion{}, Files: true, Attempts: 3}, ""},
		"points that are not whole": {`<points_possible>2.5</points_possible>
			<allowed_attempts>-1</allowed_attempts>`, coursepackage.Assignment{Rubric: points(3)},
			`points of the assignment "Essay"`},
		"rubric": {`<points_possible>10</points_possible><rubric_identifierref>r</rubric_identifierref>`,
			coursepackage.Assignment{Rubric: []coursepackage.Criterion{{Text: "Style", Points: 4},
				{Text: "Facts", Points: 6}}}, `points of the assignment "Essay"`},
		"past date": {`<due_at>2015-05-01T05:59:59</due_at>`,
			coursepackage.Assignment{Rubric: []coursepackage.Criterion{}}, ""},
		"date": {`<due_at>2031-05-01T05:59:59</due_at>`,
			coursepackage.Assignment{Rubric: []coursepackage.Criterion{}, LateDays: 3650,
				DueAt: time.Date(2031, 5, 1, 5, 59, 59, 0, time.UTC)}, ""},
		"date and end": {`<due_at>2031-05-01T05:59:59Z</due_at><lock_at>2031-05-03T06:00:00Z</lock_at>`,
			coursepackage.Assignment{Rubric: []coursepackage.Criterion{}, LateDays: 3,
				DueAt: time.Date(2031, 5, 1, 5, 59, 59, 0, time.UTC)}, ""},
		"not graded": {`<points_possible>7</points_possible><grading_type>not_graded</grading_type>
			<workflow_state>unpublished</workflow_state>`,
			coursepackage.Assignment{Rubric: []coursepackage.Criterion{}},
			`not published: assignment "Essay"`},
	} {
		l, skipped := assignmentOf(t, test.settings, page, "course_settings/rubrics.xml", rubric)
		test.want.Instructions = "Write about **tides**, see the source."
		want := coursepackage.Lecture{Title: "Essay", Kind: "assignment", Assignment: &test.want,
			Attachments: []coursepackage.Attachment{{Title: "the source", File: "web_resources/s.pdf"}}}
		if d := cmp.Diff(want, l); d != "" {
			t.Errorf("%s: -want +got\n%s", name, d)
		}
		if test.skipped == "" && len(skipped) > 0 || !contains(skipped, test.skipped, "") && test.skipped != "" {
			t.Errorf("%s: skipped %+v", name, skipped)
		}
	}

	if l, skipped := assignmentOf(t, "", pageOf("", "")); l.Assignment == nil ||
		!contains(skipped, `the instructions of the assignment "Essay"`, "no text") {
		t.Errorf("empty: %+v, %+v", l, skipped)
	}
	long := strings.Repeat("a ", 300)
	if l, _ := assignmentOf(t, "", pageOf("", long)); l.Assignment.Instructions != "" ||
		l.Text != strings.TrimSpace(long) {
		t.Errorf("longer than instructions: %+v", l)
	}
	for settings, why := range map[string]string{
		"<submission_types>external_tool</submission_types>": "external tool",
		"<title>": "not valid XML",
	} {
		if _, skipped := assignmentOf(t, settings, page); !contains(skipped, `assignment "Essay"`, why) {
			t.Errorf("%s: %+v", settings, skipped)
		}
	}
}

// An assignment of Common Cartridge 1.3 is a document of its own.
func TestRead_AssignmentsOfVersion13(t *testing.T) {
	course, skipped := readSmall(t, "", `<resource identifier="a" type="assignment_xmlv1p0">
		<file href="a/a.xml"/></resource>`, "a/s.pdf", "%PDF-", "a/a.xml", `<assignment
		xmlns="http://www.imsglobal.org/xsd/imscc_extensions/assignment" identifier="a"><title>Essay</title>
		<text texttype="text/html">&lt;p&gt;Write &lt;b&gt;now&lt;/b&gt;&lt;/p&gt;</text>
		<attachments><attachment href="s.pdf" role="All"/></attachments>
		<gradable points_possible="5">true</gradable>
		<submission_formats><format type="html"/><format type="file"/></submission_formats></assignment>`)
	want := []coursepackage.Chapter{{Title: "Sea and sail", Lectures: []coursepackage.Lecture{{
		Title: "Essay", Kind: "assignment", Assignment: &coursepackage.Assignment{
			Instructions: "Write **now**", Files: true,
			Rubric: []coursepackage.Criterion{{Text: "Essay", Points: 5}}},
		Attachments: []coursepackage.Attachment{{Title: "s.pdf", File: "a/s.pdf"}}}}}}
	if d := cmp.Diff(want, course.Chapters); d != "" || len(skipped) > 0 {
		t.Errorf("-want +got\n%s%+v", d, skipped)
	}
}

// A quiz that Canvas has in a richer form too is read from that, with its settings. The common form
// is read if the richer one cannot be.
func TestRead_QuizzesOfCanvas(t *testing.T) {
	const resources = `<resource identifier="q" type="imsqti_xmlv1p2/imscc_xmlv1p1/assessment">
			<file href="q/assessment_qti.xml"/><dependency identifierref="m"/></resource>
		<resource identifier="m" ` + settingsType + ` href="q/assessment_meta.xml">
			<file href="q/assessment_meta.xml"/><file href="non_cc_assessments/q.xml.qti"/></resource>
		<resource identifier="b" ` + settingsType + ` href="non_cc_assessments/b.xml.qti"/>
		<resource identifier="c" ` + settingsType + ` href="non_cc_assessments/c.xml.qti"/>`
	const items = `<item identifier="i" identifierref="q"><title>Test</title></item>`
	const settings = `<quiz identifier="q" xmlns="http://canvas.instructure.com/xsd/cccv1p0">
		<title>Test</title><time_limit>20</time_limit><allowed_attempts>3</allowed_attempts></quiz>`
	common := quizDocument("Quiz", "1?")
	for name, test := range map[string]struct {
		rich, settings string
		questions      int
		minutes        int
		skipped        string
	}{
		"richer":             {quizDocument("Quiz", "1?", "2?"), settings, 2, 20, ""},
		"richer is no XML":   {"<questestinterop>", settings, 1, 20, ""},
		"richer is empty":    {"<questestinterop/>", settings, 1, 20, ""},
		"settings of no XML": {quizDocument("Quiz", "1?", "2?"), "<quiz>", 2, 0, `the settings of the quiz "Test"`},
		"bank": {strings.Replace(quizDocument("Quiz", "1?"), "</section>", `<section ident="x">
			<selection_ordering><selection><sourcebank_ref>b</sourcebank_ref>
			<selection_number>1</selection_number></selection></selection_ordering></section></section>`, 1),
			settings, 3, 20, ""},
	} {
		course, skipped := readSmall(t, items, resources, "q/assessment_qti.xml", common,
			"q/assessment_meta.xml", test.settings, "non_cc_assessments/q.xml.qti", test.rich,
			"non_cc_assessments/b.xml.qti", strings.NewReplacer("<assessment", "<objectbank",
				"</assessment", "</objectbank", `<section ident="s">`, "", "</section>", "").
				Replace(quizDocument("Bank", "3?", "4?")),
			"non_cc_assessments/c.xml.qti", quizDocument("Bank", "5?"))
		if len(course.Chapters) != 1 || len(course.Chapters[0].Quiz.Questions) != test.questions ||
			course.Chapters[0].Quiz.Settings.Minutes != test.minutes {
			t.Errorf("%s: %+v, skipped %+v", name, titles(course), skipped)
		}
		banks := "2 question banks"
		if name == "bank" {
			banks = "1 question bank"
		}
		if !contains(skipped, banks, "not imported") || !contains(skipped, test.skipped, "") {
			t.Errorf("%s: skipped %+v", name, skipped)
		}
	}
}

// Settings and parts of Canvas are not named, announcements are counted, an empty syllabus is no
// page, and what is not published is named in one line.
func TestRead_PartsOfCanvas(t *testing.T) {
	course, skipped := readSmall(t, `<item identifier="i1" identifierref="a"><title>A</title></item>
		<item identifier="i2" identifierref="b"><title>B</title></item>
		<item identifier="i3" identifierref="c"><title>C</title></item>`,
		`<resource identifier="a" type="webcontent" href="wiki_content/a.html"/>
		<resource identifier="b" type="webcontent" href="wiki_content/b.html"/>
		<resource identifier="c" type="webcontent" href="wiki_content/c.html"/>
		<resource identifier="s" `+settingsType+` href="course_settings/canvas_export.txt">
			<file href="course_settings/module_meta.xml"/></resource>
		<resource identifier="y" `+settingsType+` href="course_settings/syllabus.html" intendeduse="syllabus"/>
		<resource identifier="d" type="imsdt_xmlv1p1"><file href="d.xml"/>
			<dependency identifierref="dm"/></resource>
		<resource identifier="dm" `+settingsType+` href="dm.xml"/>
		<resource identifier="e" type="imsdt_xmlv1p1"><file href="e.xml"/>
			<dependency identifierref="em"/></resource>
		<resource identifier="em" `+settingsType+` href="em.xml"/>`,
		"wiki_content/a.html", pageOf("A", "a"), "wiki_content/b.html", `<html><head><title>B</title>
			<meta name="workflow_state" content="unpublished"/></head><body>b</body></html>`,
		"wiki_content/c.html", pageOf("C", "c"), "course_settings/canvas_export.txt", "Q: why?",
		"course_settings/module_meta.xml", `<modules><module identifier="m"><workflow_state>active
			</workflow_state><items><item identifier="i3"><workflow_state>unpublished</workflow_state>
			</item></items></module></modules>`,
		"course_settings/syllabus.html", pageOf("Syllabus", ""),
		"d.xml", "<topic><title>News</title></topic>", "dm.xml", "<topicMeta><type>announcement</type></topicMeta>",
		"e.xml", "<topic><title>Talk</title></topic>", "em.xml", "<topicMeta><type>topic</type></topicMeta>")
	want := []coursepackage.Skipped{{What: `discussion "Talk"`, Why: "discussions are not imported"},
		{What: "1 announcement", Why: "announcements are not imported"},
		{What: `that these are not published: page "B", page "C"`,
			Why: "they are in the course like all others: remove what students must not see"}}
	if d := cmp.Diff(want, skipped); d != "" || len(titles(course)) != 4 {
		t.Errorf("-want +got\n%s%+v", d, titles(course))
	}
}
