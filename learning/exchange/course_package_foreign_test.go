package exchange_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/coursepackage"
	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/exchange"
)

// cartridgeOf returns the manifest of a cartridge, with items and resources.
func cartridgeOf(items, resources string) [2]string {
	return [2]string{"imsmanifest.xml", `<manifest xmlns="http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1">
		<metadata><schema>IMS Common Cartridge</schema><schemaversion>1.1.0</schemaversion></metadata>
		<organizations><organization identifier="o"><item identifier="LearningModules">` + items +
		`</item></organization></organizations><resources>` + resources + `</resources></manifest>`}
}

const (
	pageResource = `<resource identifier="p" type="webcontent" href="p.html"/>`
	pageItem     = `<item identifier="i" identifierref="p"><title>Page</title></item>`
	quizResource = `<resource identifier="q" type="imsqti_xmlv1p2/imscc_xmlv1p1/assessment">
		<file href="q.xml"/></resource>`
	quizItem = `<item identifier="j" identifierref="q"><title>Test</title></item>`
)

// quizOfOne returns a quiz of one question. text is that of its first option.
func quizOfOne(text string) [2]string {
	return [2]string{"q.xml", `<questestinterop><assessment ident="a" title="Quiz"><section ident="s">
		<item ident="i"><presentation><material><mattext>Sky?</mattext></material>
		<response_lid ident="r" rcardinality="Single"><render_choice><response_label ident="a">
		<material><mattext>` + text + `</mattext></material></response_label>
		<response_label ident="b"><material><mattext>Green</mattext></material></response_label>
		</render_choice></response_lid></presentation><resprocessing><respcondition><conditionvar>
		<varequal respident="r">a</varequal></conditionvar><setvar varname="SCORE">100</setvar>
		</respcondition></resprocessing></item></section></assessment></questestinterop>`}
}

// skippedOf returns what is skipped, and why, as one text.
func skippedOf(parts []exchange.SkippedPart) string {
	var b strings.Builder
	for _, p := range parts {
		fmt.Fprintf(&b, "%s: %s\n", p.What, p.Why)
	}
	return b.String()
}

// The cartridges that other programs write are imported, and what of them is not is named.
func TestImportCourse_FormsOfOtherPrograms(t *testing.T) {
	w, _ := roomtest.NewWithFiles(t, roomtest.SQLite(t))
	page := [2]string{"p.html", "<html><head><title>Week one</title></head><body><p>x</p></body></html>"}
	for name, test := range map[string]struct {
		entries [][2]string
		want    exchange.ImportedCourse
		first   string // the title of the first lecture
		skipped string
	}{
		"a quiz that is no XML": {[][2]string{cartridgeOf(pageItem+quizItem, pageResource+quizResource),
			page, quizOfOne("Blue<br>sky")}, exchange.ImportedCourse{Chapters: 1, Lectures: 1},
			"Page",
			`quiz "Test": it is not valid XML`},
		"pages and no module": {[][2]string{cartridgeOf("", pageResource), page},
			exchange.ImportedCourse{Chapters: 1, Lectures: 1}, "Week one", ""},
		"quizzes only": {[][2]string{cartridgeOf(quizItem, quizResource), quizOfOne("Blue")},
			exchange.ImportedCourse{Chapters: 1, Lectures: 1, Quizzes: 1}, "Imported course",
			"lectures: the cartridge has quizzes only"},
		"an assignment": {[][2]string{cartridgeOf("", `<resource identifier="a"
			type="associatedcontent/imscc_xmlv1p1/learning-application-resource" href="a/e.html">
			<file href="a/e.html"/><file href="a/assignment_settings.xml"/></resource>`),
			{"a/e.html", "<p>Write about tides.</p>"}, {"a/assignment_settings.xml",
				"<assignment><title>Essay</title><points_possible>20.0</points_possible></assignment>"}},
			exchange.ImportedCourse{Chapters: 1, Lectures: 1}, "Essay", ""},
		"a folder around all": {[][2]string{{"course/" + "imsmanifest.xml", cartridgeOf("",
			pageResource)[1]},
			{"course/p.html", page[1]}, {"__MACOSX/course/._p.html", "x"}, {"course/.DS_Store", "x"}},
			exchange.ImportedCourse{Chapters: 1, Lectures: 1}, "Week one", ""},
		"a film of a telephone": {[][2]string{cartridgeOf(pageItem+`<item identifier="k"
			identifierref="f"><title>Film</title></item>`, pageResource+`<resource identifier="f"
			type="webcontent" href="f.mov"/>`), page, {"f.mov", "\x00\x00\x00\x14ftypqt  \x00\x00"}},
			exchange.ImportedCourse{Chapters: 1, Lectures: 1},
			"Page",
			`lecture "Film": files of its type are not allowed: this is a QuickTime film: convert it to MP4`},
	} {
		got, err := w.Imported(roomtest.Teacher, roomtest.PackageOf(t, test.entries...))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		skipped := skippedOf(got.Skipped)
		c, err := w.Platform.Catalog.EditableCourse(ctx(), roomtest.Teacher, got.CourseID)
		roomtest.Must(t, err)
		first := c.Content[0].Lectures[0]
		test.want.CourseID, got.Skipped = got.CourseID, nil
		if fmt.Sprint(got) != fmt.Sprint(test.want) || first.Title != test.first ||
			!strings.Contains(skipped, test.skipped) || (test.skipped == "") != (skipped == "") {
			t.Errorf("%s: %+v, first %q, skipped %s", name, got, first.Title, skipped)
		}
	}
	w.WantInvariants(t)
}

// Files of other kinds are refused by their names, with what to do.
func TestImportCourse_RefusesOtherKindsByName(t *testing.T) {
	w, _ := roomtest.NewWithFiles(t, roomtest.SQLite(t))
	manifest := func(text string) []byte {
		return roomtest.PackageOf(t, [2]string{"imsmanifest.xml", "<manifest>" + text + "</manifest>"})
	}
	for name, test := range map[string]struct {
		data []byte
		want string
	}{
		"SCORM": {manifest("<metadata><schema>ADL SCORM</schema></metadata>"), "SCORM"},
		"QTI 2": {manifest(`<resources><resource type="imsqti_item_xmlv2p1"/></resources>`), "QTI 2"},
		"Moodle": {roomtest.PackageOf(t, [2]string{"moodle_backup.xml", "<moodle_backup/>"}),
			"Moodle backup"},
		"H5P": {roomtest.PackageOf(t, [2]string{"h5p.json", "{}"}), "H5P"},
		"quiz": {roomtest.PackageOf(t, quizOfOne("Blue")),
			"quiz (QTI 1.2): import it in the quiz of a chapter"},
		"files": {roomtest.PackageOf(t, [2]string{"a.pdf", "%PDF-"}), "IMS Common Cartridge"},
		"in a zip": {roomtest.PackageOf(t, [2]string{"course.imscc", "PK"}),
			`around the file "course.imscc": unpack it`},
		"a PDF":   {[]byte("%PDF-1.4"), "PDF"},
		"gzip":    {[]byte("\x1f\x8b\x08\x00"), "archive"},
		"GIFT":    {[]byte("::Q1:: Sky? {=blue ~green}"), "GIFT"},
		"nothing": {nil, "zip"},
		"talk": {roomtest.PackageOf(t, cartridgeOf("", `<resource identifier="d" type="imsdt_xmlv1p1">
			<file href="d.xml"/></resource>`), [2]string{"d.xml", "<topic><title>Talk</title></topic>"}),
			`it holds discussion "Talk", but discussions are not imported`},
	} {
		_, err := w.Imported(roomtest.Teacher, test.data)
		refused, isRefused := errors.AsType[*core.ImportError](err)
		if !isRefused || !strings.Contains(refused.Reason, test.want) ||
			!strings.Contains(refused.Reason, ": ") {
			t.Errorf("%s: %v, want a refusal with %q", name, err, test.want)
		}
	}
}

// A course.json whose lists are too long is refused by the name of the list, before it is built.
func TestImportCourse_LongListsAreRefusedByName(t *testing.T) {
	w, _ := roomtest.NewWithFiles(t, roomtest.SQLite(t))
	const head = `{"format":"openlectern-course","version":1,"title":"Sea","chapters":[{"title":"One",`
	list := func(n int, element string) string {
		return "[" + strings.Repeat(element+",", n-1) + element + "]"
	}
	for want, rest := range map[string]string{
		"more than 1,000 lectures":   `"lectures":` + list(1_001, "{}"),
		"more than 20 captions":      `"lectures":[{"captions":` + list(21, "{}") + "}]",
		"more than 20 attachments":   `"lectures":[{"attachments":` + list(21, "{}") + "}]",
		"more than 50 criteria":      `"lectures":[{"assignment":{"rubric":` + list(51, "{}") + "}}]",
		"more than 500 questions":    `"quiz":{"questions":` + list(501, "{}") + "}",
		"more than 10 options":       `"quiz":{"questions":[{"options":` + list(11, `"a"`) + "}]}",
		"more than 20 right answers": `"quiz":{"questions":[{"answer":` + list(21, `"a"`) + "}]}",
		"more than 50,000 chapters": `"order":1},` + strings.Trim(list(50_000, "{}"),
			"[]") + `,{"order":2`,
		"more than 10,000 files": `"order":1}],"files":[` + strings.Trim(list(10_001, "{}"), "[]"),
		"too many values":        `"order":` + list(400_000, "[]"),
	} {
		end := "}]}"
		if strings.Contains(want, "files") {
			end = "]}"
		}
		_, err := w.Imported(roomtest.Teacher, roomtest.PackageOf(t, [2]string{"course.json",
			head + rest + end}))
		refused, isRefused := errors.AsType[*core.ImportError](err)
		if !isRefused || !strings.Contains(refused.Reason, want) {
			t.Errorf("%v, want a refusal with %q", err, want)
		}
	}
}

// leavingReader cancels a context when it has read some bytes.
type leavingReader struct {
	io.ReaderAt
	left  int64
	leave func()
}

func (r *leavingReader) ReadAt(b []byte, offset int64) (int, error) {
	if r.left -= int64(len(b)); r.left < 0 {
		r.leave()
	}
	return r.ReaderAt.ReadAt(b, offset)
}

// An import ends when its caller has left, also while a large file is stored, and leaves nothing.
func TestImportCourse_EndsWithItsCaller(t *testing.T) {
	w, files := roomtest.NewWithFiles(t, roomtest.SQLite(t))
	const size = 32 << 20
	data := roomtest.PackageOf(t, describedCourse(t, func(c *coursepackage.Course) {
		c.Chapters[0].Lectures[0].Attachments = nil
	}), [2]string{"a.txt", strings.Repeat("text ", size/5)})
	caller, leave := context.WithCancel(ctx())
	defer leave()
	in := &leavingReader{ReaderAt: strings.NewReader(string(data)), left: 4 << 20, leave: leave}
	_, err := w.Platform.Exchange.ImportCourse(caller, roomtest.Teacher, in, int64(len(data)))
	if !errors.Is(err, context.Canceled) || in.left < -(4<<20) {
		t.Errorf("%v, after %d bytes", err, (4<<20)-in.left)
	}
	roomtest.WantFiles(t, w, files)
}
