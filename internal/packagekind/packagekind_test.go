package packagekind_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/openlectern/openlectern/internal/packagekind"
	"github.com/openlectern/openlectern/internal/safezip"
)

// packed returns a text as a file of gzip.
func packed(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write([]byte(text))
	if closed := w.Close(); err != nil || closed != nil {
		t.Fatal(err, closed)
	}
	return out.String()
}

// A file that is no zip is told by its beginning.
func TestOfContent(t *testing.T) {
	wide := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune(`<?xml version="1.0" encoding="UTF-16"?><questestinterop>`)) {
		wide = binary.LittleEndian.AppendUint16(wide, unit)
	}
	for content, want := range map[string]*packagekind.Kind{
		"": packagekind.Unknown, "\x00\x01\x02": packagekind.Unknown, "<a": packagekind.Unknown,
		`<?xml version="1.0"?><!-- a --><questestinterop><assessment>`: packagekind.Quiz,
		string(wide): packagekind.Quiz,
		`<!DOCTYPE questestinterop SYSTEM "a.dtd"><questestinterop>`:                                         packagekind.Quiz,
		`<questestinterop xmlns="http://www.imsglobal.org/xsd/ims_qtiasiv1p2">` + strings.Repeat("é", 9_000): packagekind.Quiz,
		`<assessmentTest xmlns="http://www.imsglobal.org/xsd/imsqti_v2p2">`:                                  packagekind.QTI2,
		`<qti-assessment-test xmlns="http://www.imsglobal.org/xsd/imsqtiasi_v3p0">`:                          packagekind.QTI3,
		`<quiz><!-- question: 1 --><question type="multichoice">`:                                            packagekind.MoodleXML,
		`<quiz identifier="a" xmlns="http://canvas.instructure.com/xsd/cccv1p0">`:                            packagekind.CanvasSettings,
		`<POOL><COURSEID value="A"/>`:                                                                        packagekind.BlackboardPool,
		`<moodle_backup>`:                                                                                    packagekind.MoodleBackup,
		`<manifest identifier="m">`:                                                                          packagekind.Manifest,
		`<html><head>`:                                                                                       packagekind.WebPage,
		"<!DOCTYPE html>\n<p>":                                                                               packagekind.WebPage,
		`<svg>`:                                                                                              packagekind.XML,
		"// a comment\n::T:: Two {=2 ~3}":                                                                    packagekind.Gift,
		"The sky is blue. {TRUE}":                                                                            packagekind.Gift,
		"Which?\r\nA) One\r\nB) Two\r\nANSWER: B":                                                            packagekind.Aiken,
		"Question;A;B\nWhich?;1;2":                                                                           packagekind.CSV,
		"\uFEFFQuestion\tA\tB\n":                                                                             packagekind.CSV,
		`{"a": 1}`:                                                                                           packagekind.JSON,
		"Some words":                                                                                         packagekind.Text,
		"{\\rtf1":                                                                                            packagekind.RTF,
		"%PDF-1.4":                                                                                           packagekind.PDF,
		"PK\x03\x04":                                                                                         packagekind.Zip,
		"\x89PNG\r\n":                                                                                        packagekind.Image,
		"\x00\x00\x00\x18ftypmp42":                                                                           packagekind.Media,
		"Rar!\x1a":                                                                                           packagekind.Archive,
		packed(t, ".ARCHIVE_INDEX\x00"):                                                                      packagekind.MoodleBackup,
		packed(t, "course/course.xml\x00"):                                                                   packagekind.OpenEdX,
		packed(t, "other\x00"):                                                                               packagekind.Archive,
	} {
		got := packagekind.OfContent([]byte(content))
		if got != want {
			t.Errorf("%.60q: %q, want %q", content, got.ForQuiz(), want.ForQuiz())
		}
	}
}

// archiveOf returns a zip with entries of names and contents.
func archiveOf(t *testing.T, pairs ...string) *safezip.Archive {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for i := 0; i < len(pairs); i += 2 {
		f, err := w.CreateHeader(&zip.FileHeader{Name: pairs[i]})
		if err == nil {
			_, err = f.Write([]byte(pairs[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	a, err := safezip.Open(bytes.NewReader(out.Bytes()), int64(out.Len()),
		safezip.Limits{Entries: 100, Bytes: 1 << 20, Ratio: 100})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

const quiz = "<questestinterop><assessment/></questestinterop>"

// A zip is told by its entries.
func TestOfArchive(t *testing.T) {
	schema := func(name string) string {
		return "<manifest><metadata><schema>" + name + "</schema></metadata></manifest>"
	}
	resource := func(kind string) string {
		return `<manifest xmlns:bb="http://www.blackboard.com/content-packaging/"><resources>` +
			`<resource type="` + kind + `"/></resources></manifest>`
	}
	for name, test := range map[string]struct {
		entries []string
		want    *packagekind.Kind
	}{
		"course":        {[]string{"course.json", "{}"}, packagekind.Course},
		"cartridge":     {[]string{"imsmanifest.xml", schema("IMS Common Cartridge")}, packagekind.Cartridge},
		"thin":          {[]string{"imsmanifest.xml", schema("IMS Thin Common Cartridge")}, packagekind.Cartridge},
		"SCORM":         {[]string{"imsmanifest.xml", schema("ADL SCORM")}, packagekind.SCORM},
		"SCORM 1.1":     {[]string{"imsmanifest.xml", `<manifest xmlns:adlcp="x"/>`}, packagekind.SCORM},
		"xAPI":          {[]string{"tincan.xml", "<tincan/>"}, packagekind.XAPI},
		"H5P":           {[]string{"h5p.json", "{}"}, packagekind.H5P},
		"AICC":          {[]string{"a.au", "", "a.crs", ""}, packagekind.AICC},
		"QTI 2":         {[]string{"imsmanifest.xml", resource("imsqti_item_xmlv2p1")}, packagekind.QTI2},
		"QTI 2 alone":   {[]string{"i.xml", "<assessmentItem/>"}, packagekind.QTI2},
		"QTI 3":         {[]string{"imsmanifest.xml", resource("imsqti_test_xmlv3p0")}, packagekind.QTI3},
		"quiz":          {[]string{"imsmanifest.xml", schema("IMS Content"), "a/a.xml", quiz}, packagekind.Quiz},
		"quiz alone":    {[]string{"a.xml", quiz}, packagekind.Quiz},
		"pool":          {[]string{"imsmanifest.xml", resource("assessment/x-bb-qti-pool"), "res1.dat", quiz}, packagekind.Quiz},
		"Blackboard":    {[]string{"imsmanifest.xml", resource("course/x-bb-coursesetting")}, packagekind.BlackboardPackage},
		"Moodle":        {[]string{"moodle_backup.xml", "<moodle_backup/>"}, packagekind.MoodleBackup},
		"Moodle XML":    {[]string{"q.xml", "<quiz/>"}, packagekind.MoodleXML},
		"Brightspace":   {[]string{"imsmanifest.xml", `<manifest><resource d2l_2p0:material_type="content"/></manifest>`}, packagekind.BrightspacePackage},
		"content":       {[]string{"imsmanifest.xml", schema("IMS Content")}, packagekind.ContentPackage},
		"Open edX":      {[]string{"course/course.xml", "<course/>"}, packagekind.OpenEdX},
		"Word":          {[]string{"word/document.xml", "<a/>"}, packagekind.Word},
		"Excel":         {[]string{"xl/workbook.xml", "<a/>"}, packagekind.Spreadsheet},
		"OpenDocument":  {[]string{"mimetype", "application/vnd.oasis.opendocument.text"}, packagekind.Word},
		"book":          {[]string{"mimetype", "application/epub+zip"}, packagekind.EPUB},
		"folder":        {[]string{"a/imsmanifest.xml", "<manifest/>"}, packagekind.Folder},
		"something":     {[]string{"a.txt", "a"}, packagekind.Zip},
		"of a computer": {[]string{"__MACOSX/._a.xml", quiz}, packagekind.Zip},
	} {
		if got := packagekind.OfArchive(archiveOf(t, test.entries...)); got != test.want {
			t.Errorf("%s: %q, want %q", name, got.ForQuiz(), test.want.ForQuiz())
		}
	}
}

// Each kind but those that are asked for has advice.
func TestKind_Advice(t *testing.T) {
	for kind, want := range map[*packagekind.Kind]struct{ course, quiz string }{
		packagekind.Unknown: {"", ""},
		packagekind.Course:  {"", "is a course package of this platform: import it where courses are imported"},
		packagekind.Quiz:    {"is a quiz (QTI 1.2): import it in the quiz of a chapter", ""},
		packagekind.SCORM: {"is a SCORM package, which is a program and no text: export the course as an " +
			"IMS Common Cartridge 1.1, 1.2 or 1.3, or as a package of this platform",
			"is a SCORM package, which is a program and no text: export the quiz as QTI 1.2"},
		packagekind.PDF: {"is a PDF, and no course: upload it as the file of a lecture",
			"is a PDF: export the quiz as QTI 1.2"},
	} {
		if course, quiz := kind.ForCourse(), kind.ForQuiz(); course != want.course || quiz != want.quiz {
			t.Errorf("%q and %q, want %+v", course, quiz, want)
		}
	}
}

// Banks of questions are told from quizzes.
func TestQuizzes(t *testing.T) {
	a := archiveOf(t, "b.xml.qti", "<questestinterop><objectbank/></questestinterop>", "a/a.xml", quiz,
		"c.xml", "<a/>", "imsmanifest.xml", quiz)
	var got []string
	for _, f := range packagekind.Quizzes(a) {
		name := f.Name
		if packagekind.IsBank(f) {
			name += " is a bank"
		}
		got = append(got, name)
	}
	if list := strings.Join(got, ", "); list != "a/a.xml, b.xml.qti is a bank" {
		t.Error(list)
	}
}
