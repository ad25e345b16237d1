package packagekind

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/xml"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/openlectern/openlectern/internal/budget"
	"github.com/openlectern/openlectern/internal/safexml"
)

// HeadSize is how many bytes of the beginning of a file tell its kind.
const HeadSize = 8 << 10

// OfContent returns the kind of a file that is no zip by its beginning. It looks at HeadSize bytes.
func OfContent(data []byte) *Kind {
	data = data[:min(len(data), HeadSize)]
	for _, m := range []struct {
		prefix string
		kind   *Kind
	}{
		{"PK", Zip}, {"%PDF", PDF}, {"{\\rtf", RTF}, {"\xd0\xcf\x11\xe0", Word},
		{"\x89PNG", Image}, {"\xff\xd8\xff", Image}, {"GIF8", Image}, {"Rar!", Archive},
		{"7z\xbc\xaf", Archive}, {"BZh", Archive}, {"\xfd7zXZ", Archive}, {"ID3", Media},
		{"OggS", Media}, {"\x1a\x45\xdf\xa3", Media},
	} {
		if bytes.HasPrefix(data, []byte(m.prefix)) {
			return m.kind
		}
	}
	switch {
	case bytes.HasPrefix(data, []byte("\x1f\x8b")):
		return ofGzip(data)
	case len(data) >= 12 && string(data[4:8]) == "ftyp":
		return Media
	}
	text := string(bytes.TrimPrefix(data, []byte("\uFEFF")))
	if list := startOf(data); len(list) > 0 && !page.MatchString(text) {
		return ofElements(list)
	}
	return ofText(text)
}

// ofGzip returns the kind of a file that is packed by gzip. Moodle and Open edX pack an archive of
// tar in this way.
func ofGzip(data []byte) *Kind {
	in, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return Archive
	}
	const longest = 64 << 10
	head, _ := io.ReadAll(io.LimitReader(in, longest)) // which is cut off
	switch text := string(head); {
	case strings.Contains(text, ".ARCHIVE_INDEX"), strings.Contains(text, "moodle_backup.xml"):
		return MoodleBackup
	case strings.HasPrefix(text, "course/"), strings.Contains(text, "course/course.xml"):
		return OpenEdX
	}
	return Archive
}

// startOf returns the first elements of a document of which data is the beginning.
func startOf(data []byte) []xml.StartElement {
	// The bytes bound what this takes.
	return safexml.Start(budget.New(context.Background(), HeadSize), data, 3)
}

// ofElements returns the kind of an XML document by its first elements.
func ofElements(list []xml.StartElement) *Kind {
	root := list[0].Name
	switch name := strings.ToLower(root.Local); name {
	case "questestinterop", "assessment", "section", "objectbank", "item":
		if name != "assessment" || !strings.Contains(root.Space, "blackboard") {
			return Quiz
		}
	case "assessmentitem", "assessmenttest", "assessmentsection", "assessmentstimulus":
		return QTI2
	case "qti-assessment-item", "qti-assessment-test", "qti-assessment-section",
		"qti-assessment-stimulus":
		return QTI3
	case "quiz":
		if strings.Contains(root.Space, "canvas") {
			return CanvasSettings
		}
		return MoodleXML
	case "manifest":
		return Manifest
	case "moodle_backup":
		return MoodleBackup
	case "pool":
		return BlackboardPool
	case "html":
		return WebPage
	case "problem", "course", "library":
		return OpenEdX
	}
	return XML
}

var (
	aiken = regexp.MustCompile(`(?m)^ANSWER:\s*[A-Z]\s*$`)
	gift  = regexp.MustCompile(`\{\s*(=|~|#|T\}|F\}|TRUE\}|FALSE\})`)
	page  = regexp.MustCompile(`(?i)^\s*(<!doctype html|<html|<head|<body|<p\b|<div\b)`)
	json  = regexp.MustCompile(`^\s*[\[{]\s*["\[{\]}]`)
)

// maxGiftTitle is the length of the longest title of a question in GIFT, in bytes.
const maxGiftTitle = 1_200

// hasGiftTitle reports whether a text has a title between colons with answers in braces after it. A
// regular expression for it would read each part of the text many times.
func hasGiftTitle(text string) bool {
	last := strings.LastIndexByte(text, '{')
	for at := 0; ; at++ {
		next := strings.Index(text[at:], "::")
		if next < 0 || at+next > last {
			return false
		}
		at += next
		title := text[min(at+3, len(text)):] // of a character at least
		end := strings.Index(title[:min(len(title), maxGiftTitle)], "::")
		if end >= 0 && at+3+end < last {
			return true
		}
	}
}

// ofText returns the kind of a text.
func ofText(text string) *Kind {
	for range utf8.UTFMax - 1 { // without the first bytes of a character that was cut off
		if r, size := utf8.DecodeLastRuneInString(text); r == utf8.RuneError && size == 1 {
			text = text[:len(text)-1]
		}
	}
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	switch {
	case strings.TrimSpace(text) == "" || !utf8.ValidString(text) || strings.Contains(text, "\x00"):
		return Unknown
	case page.MatchString(text):
		return WebPage
	case strings.HasPrefix(strings.TrimSpace(text), "<"):
		return Unknown // XML that is not valid
	case json.MatchString(text):
		return JSON
	case aiken.MatchString(text):
		return Aiken
	case gift.MatchString(text), hasGiftTitle(text):
		return Gift
	case max(strings.Count(first, ","), strings.Count(first, ";"), strings.Count(first, "\t")) >= 2:
		return CSV
	}
	return Text
}
