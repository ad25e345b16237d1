package cartridge_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/budget"
	"github.com/openlectern/openlectern/internal/cartridge"
	"github.com/openlectern/openlectern/internal/coursepackage"
	"github.com/openlectern/openlectern/internal/safezip"
)

// manifestOf returns the manifest of a cartridge of a version, such as 1.2, with items and
// resources.
func manifestOf(version, items, resources string) string {
	v := strings.ReplaceAll(version, ".", "p")
	return fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?>
<manifest identifier="m1" xmlns="http://www.imsglobal.org/xsd/imsccv%[1]s/imscp_v1p1"
	xmlns:lom="http://ltsc.ieee.org/xsd/imsccv%[1]s/LOM/resource"
	xmlns:lomimscc="http://ltsc.ieee.org/xsd/imsccv%[1]s/LOM/manifest">
	<metadata>
		<schema>IMS Common Cartridge</schema><schemaversion>%[2]s.0</schemaversion>
		<lomimscc:lom><lomimscc:general>
			<lomimscc:title><lomimscc:string language="en">Sea
				and sail</lomimscc:string></lomimscc:title>
			<lomimscc:description><lomimscc:string>About ships.</lomimscc:string>
			</lomimscc:description>
		</lomimscc:general></lomimscc:lom>
	</metadata>
	<organizations><organization identifier="o1" structure="rooted-hierarchy">
		<item identifier="LearningModules"><title>Sea and sail</title>%[3]s</item>
	</organization></organizations>
	<resources>%[4]s</resources>
</manifest>`, v, version, items, resources)
}

// resourcesOf returns the resources of a cartridge of a version.
func resourcesOf(version string) string {
	return strings.ReplaceAll(`
	<resource identifier="r1" type="webcontent" href="pages/knots.html">
		<file href="pages/knots.html"/><dependency identifierref="r2"/></resource>
	<resource identifier="r2" type="webcontent" href="web_resources/knot 1.png">
		<file href="web_resources/knot 1.png"/></resource>
	<resource identifier="r3" type="webcontent" href="web_resources/sail.mp4">
		<file href="web_resources/sail.mp4"/></resource>
	<resource identifier="r4" type="imswl_xmlVERSION"><file href="link.xml"/></resource>
	<resource identifier="r5" type="imswl_xmlVERSION"><file href="video.xml"/></resource>
	<resource identifier="r6" type="imsdt_xmlVERSION"><file href="topic.xml"/></resource>
	<resource identifier="r7" type="imsqti_xmlv1p2/imscc_xmlVERSION/assessment">
		<file href="quiz.xml"/></resource>
	<resource identifier="r8" type="imsbasiclti_xmlv1p0"><file href="tool.xml"/></resource>
	<resource identifier="r9" type="webcontent" href="../../etc/passwd"/>
	<resource identifier="r10" type="webcontent" href="unused.txt"/>
	<resource identifier="r11" type="imsqti_xmlv1p2/imscc_xmlVERSION/question-bank">
		<file href="quiz.xml"/></resource>`, "VERSION", "v"+strings.ReplaceAll(version, ".", "p"))
}

const items = `
	<item identifier="i0" identifierref="r3"><title>Welcome</title></item>
	<item identifier="i1"><title>Week 1</title>
		<item identifier="i2" identifierref="r1"><title>Knots</title></item>
		<item identifier="i3"><title>Links</title>
			<item identifier="i4" identifierref="r4"><title>A [site]</title></item>
			<item identifier="i5" identifierref="r5"><title>A film</title></item>
		</item>
		<item identifier="i6" identifierref="r6"><title>Talk</title></item>
		<item identifier="i7" identifierref="r7"><title>Test</title></item>
		<item identifier="i8" identifierref="r8"><title>Tool</title></item>
		<item identifier="i9" identifierref="r9"><title>Outside</title></item>
		<item identifier="i10" identifierref="r99"><title>Nothing</title></item>
		<item identifier="i11" identifierref="r2"><title>The picture</title></item>
	</item>`

const page = `<html><head><title>Knots</title><script>alert(1)</script></head><body>
<h2>How to tie</h2><p onclick="x()">A <b>bowline</b> &lt;script&gt;, see
<a href="../web_resources/knot%201.png?x=1">the picture</a>,
<img src="$IMS-CC-FILEBASE$/knot%201.png" alt="again">,
<a href="https://example.org/a b">a site</a>, <a href="javascript:alert(2)">a trick</a> and
<a href="../../../etc/passwd">a file</a>.</p>
<iframe src="https://www.youtube.com/embed/1"></iframe><svg onload="alert(3)"></svg></body></html>`

func link(version, address string) string {
	return fmt.Sprintf(`<webLink xmlns="http://www.imsglobal.org/xsd/imscc%[1]s/imswl_%[1]s">
		<title>T</title><url href="%[2]s" target="_blank"/></webLink>`,
		"v"+strings.ReplaceAll(version, ".", "p"), address)
}

// files returns the files of a cartridge.
func files(version string) map[string]string {
	return map[string]string{
		cartridge.Name:             "\uFEFF" + manifestOf(version, items, resourcesOf(version)),
		"pages/knots.html":         page,
		"link.xml":                 link(version, "https://example.org/?a=1&amp;b=2"),
		"video.xml":                link(version, "https://www.youtube.com/watch?v=1"),
		"topic.xml":                "<topic/>",
		"tool.xml":                 "<cartridge_basiclti_link/>",
		"unused.txt":               "x",
		"web_resources/sail.mp4":   "x",
		"web_resources/knot 1.png": "x",
		"quiz.xml": `<questestinterop xmlns="http://www.imsglobal.org/xsd/ims_qtiasiv1p2">
			<assessment ident="a"><section ident="s"><item ident="1"/><section><item ident="2">
			<presentation><material><mattext>Why?</mattext></material><response_str ident="r">
			<render_fib/></response_str></presentation><resprocessing><respcondition><conditionvar>
			<varequal respident="r">So</varequal></conditionvar><setvar varname="SCORE">1</setvar>
			</respcondition></resprocessing></item></section></section></assessment>
			</questestinterop>`,
	}
}

// read reads a cartridge of files.
func read(t *testing.T, files map[string]string) (
	coursepackage.Course, []coursepackage.Skipped, error) {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, content := range files {
		out, err := w.CreateHeader(&zip.FileHeader{Name: name})
		if err == nil {
			_, err = io.WriteString(out, content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	archive, err := safezip.Open(bytes.NewReader(b.Bytes()), int64(b.Len()),
		safezip.Limits{Entries: 100, Bytes: 20 << 20, Ratio: 1000})
	if err != nil {
		t.Fatal(err)
	}
	return cartridge.Reader{
		IsEmbed: func(u string) bool { return strings.HasPrefix(u, "https://www.youtube.com/") },
		MaxText: 1_000, MaxInstructions: 500, MaxTexts: 10_000, MaxAttachments: 2, MaxLectures: 1_000,
		Now: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC),
	}.Read(budget.New(t.Context(), 32<<20), archive)
}

// Files, pages and links become lectures; everything else is listed with a reason. HTML leaves no
// tag, and a link that leads out of the cartridge leads nowhere.
func TestRead_EveryVersion(t *testing.T) {
	want := coursepackage.Course{Title: "Sea and sail", Description: "About ships.",
		Chapters: []coursepackage.Chapter{
			{Title: "Sea and sail", Lectures: []coursepackage.Lecture{
				{Title: "Welcome", Kind: "video", File: "web_resources/sail.mp4"}}},
			{Title: "Week 1", Lectures: []coursepackage.Lecture{{
				Title: "Knots", Kind: "text",
				Text: "## How to tie\n\nA **bowline** &lt;script&gt;, see the picture, again, " +
					"[a site](https://example.org/a%20b), a trick and a file.\n\n" +
					"https://www.youtube.com/embed/1",
				Attachments: []coursepackage.Attachment{
					{Title: "the picture", File: "web_resources/knot 1.png"}}}}},
			{Title: "Week 1 – Links", Lectures: []coursepackage.Lecture{
				{Title: "A [site]", Kind: "text",
					Text: `[A \[site\]](https://example.org/?a=1&b=2)`},
				{Title: "A film", Kind: "embed", URL: "https://www.youtube.com/watch?v=1"}}},
			{Title: "Week 1 – Test", Quiz: &coursepackage.Quiz{
				Questions: []coursepackage.Question{{Kind: "text", Question: "Why?",
					Answer: []any{"So"}, Points: 1}}, Settings: &coursepackage.Settings{}}},
			{Title: "Week 1", Lectures: []coursepackage.Lecture{
				{Title: "The picture", Kind: "file", File: "web_resources/knot 1.png"}}},
		}}
	skipped := []coursepackage.Skipped{
		{What: `discussion "Talk"`, Why: "discussions are not imported"},
		{What: `question 1 of the quiz "Test"`, Why: "it asks for no answer"},
		{What: `tool "Tool"`, Why: "external tools are not imported"},
		{What: `file "Outside"`, Why: "the cartridge does not have its file"},
		{What: `item "Nothing"`, Why: `the cartridge has no resource "r99"`},
		{What: "1 question bank", Why: "question banks are not imported"},
		{What: "1 file", Why: "no item of the course shows them, and no page links to them"},
	}
	for _, version := range []string{"1.1", "1.2", "1.3"} {
		course, gotSkipped, err := read(t, files(version))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, course); d != "" {
			t.Errorf("%s: course: -want +got\n%s", version, d)
		}
		if d := cmp.Diff(skipped, gotSkipped); d != "" {
			t.Errorf("%s: skipped: -want +got\n%s", version, d)
		}
	}
}

// Each of these is refused with a reason that names what to do.
func TestRead_Refuses(t *testing.T) {
	laughs := `<!DOCTYPE m [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><manifest>&b;</manifest>`
	for name, test := range map[string]struct{ manifest, want string }{
		"later version":    {strings.ReplaceAll(manifestOf("1.2", items, ""), "1.2.0", "1.4.0"), "1.1, 1.2 or 1.3"},
		"earlier version":  {strings.ReplaceAll(manifestOf("1.2", items, ""), "1.2.0", "1.0.0"), "1.1, 1.2 or 1.3"},
		"SCORM":            {strings.ReplaceAll(manifestOf("1.2", items, ""), "IMS Common Cartridge", "ADL SCORM"), "1.1, 1.2 or 1.3"},
		"no XML":           {"PK", "valid XML"},
		"cut off":          {manifestOf("1.2", items, "")[:900], "valid XML"},
		"billion laughs":   {laughs, "DOCTYPE"},
		"parameter entity": {`<!DOCTYPE m [<!ENTITY % x SYSTEM "http://localhost/">%x;]><manifest/>`, "DOCTYPE"},
		"unknown entity":   {`<manifest>&xxe;</manifest>`, "valid XML"},
		"depth":            {manifestOf("1.2", strings.Repeat("<item>", 100_000), ""), "nested too deep"},
		"another encoding": {`<?xml version="1.0" encoding="EBCDIC-INT"?><manifest/>`, "EBCDIC-INT"},
		"not its encoding": {"<manifest>\xe9</manifest>", "not in UTF-8"},
		"too long":         {strings.Repeat(" ", 8<<20+1), "make it smaller"},
	} {
		_, _, err := read(t, map[string]string{cartridge.Name: test.manifest})
		refused, isRefused := errors.AsType[*safezip.Error](err)
		if !isRefused || !strings.Contains(refused.Reason, test.want) {
			t.Errorf("%s: %v, want a refusal with %q", name, err, test.want)
		}
	}
}

// A part that cannot be read is skipped by its kind and title, with the reason, and the rest of the
// cartridge is imported.
func TestRead_PartsThatCannotBeRead(t *testing.T) {
	for _, test := range []struct{ file, content, what, why string }{
		{"quiz.xml", "<questestinterop/>", `quiz "Test"`, "it has no question that can be imported"},
		{"quiz.xml", "<questestinterop><a>Blue<br>sky</a>", `quiz "Test"`, "it is not valid XML"},
		{"quiz.xml", `<!DOCTYPE q [<!ENTITY a "b">]><questestinterop>&a;</questestinterop>`,
			`quiz "Test"`, "it has a document type"},
		{"quiz.xml", strings.Repeat(" ", 8<<20+1), `quiz "Test"`, "make it smaller"},
		{"link.xml", "<webLink><url href=", `link "A [site]"`, "it is not valid XML"},
		{"link.xml", link("1.3", "javascript:alert(1)"), `link "A [site]"`, "it is no http or https URL"},
		{"pages/knots.html", "<html><script>alert(1)</script>", `page "Knots"`,
			"it has no text that can be imported"},
	} {
		all := files("1.3")
		all[test.file] = test.content
		course, skipped, err := read(t, all)
		isNamed := slices.ContainsFunc(skipped, func(s coursepackage.Skipped) bool {
			return s.What == test.what && strings.Contains(s.Why, test.why)
		})
		lectures := 0
		for _, ch := range course.Chapters {
			lectures += len(ch.Lectures)
		}
		if err != nil || !isNamed || lectures < 4 {
			t.Errorf("%.60s: %d lectures, %+v, %v", test.content, lectures, skipped, err)
		}
	}
}

// Pages that cannot become a text are skipped, and the course is imported without them.
func TestRead_PagesThatAreSkipped(t *testing.T) {
	for want, content := range map[string]string{
		"it is not UTF-8":                    "<p>\xe9</p>",
		"its text is too long for a lecture": "<p>" + strings.Repeat("a ", 600),
		"its elements are nested too deep":   strings.Repeat("<div>", 100_000),
		"it is larger than 2 MiB":            strings.Repeat(" ", 2<<20+1),
		"a lecture has a limited number of attachments": `<a href="/../unused.txt">1</a>
			<img src="../quiz.xml"><img src="../topic.xml"><img src="../tool.xml">`,
	} {
		all := files("1.3")
		all["pages/knots.html"] = content
		_, skipped, err := read(t, all)
		if err != nil || !slices.ContainsFunc(skipped, func(s coursepackage.Skipped) bool {
			return s.Why == want && strings.Contains(s.What, "Knots")
		}) {
			t.Errorf("%q is missing in %+v, %v", want, skipped, err)
		}
	}
}
