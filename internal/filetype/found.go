package filetype

import (
	"bytes"
	"path"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Taken are the types that may be uploaded, for people.
const Taken = "MP4, WebM, MP3, M4A, Ogg, PDF, PNG, JPEG, WebP, zip, DOCX, PPTX, XLSX, ODT, ODP, ODS, " +
	"WebVTT, Markdown and plain text"

// What to do with a file of another type.
const (
	toMP4   = "convert it to MP4 or WebM"
	toMP3   = "convert it to MP3, M4A or Ogg"
	toImage = "convert it to PNG, JPEG or WebP"
	toPDF   = "save it as PDF"
	toZip   = "make it a zip"
	program = "programs are not taken"
	toVTT   = "convert it to WebVTT (.vtt)"
	toText  = "save it as plain text (.txt), Markdown (.md) or PDF"
	toUTF8  = "save it in UTF-8"
)

// signature is how files of a type begin.
type signature struct {
	offset        int
	text          string
	found, advice string
}

// isText reports whether files with the signature can be texts.
func (s signature) isText() bool {
	return s.text == "{\\rtf" || s.text == "%!PS" || s.text == "#!"
}

// signatures are how files of types begin that are not taken.
var signatures = []signature{
	{4, "ftypqt  ", "a QuickTime film", toMP4},
	{4, "ftyp3g", "a 3GP film", toMP4},
	{4, "ftyphei", "a HEIC image", toImage},
	{4, "ftyphev", "a HEIC image", toImage},
	{4, "ftypmif1", "a HEIC image", toImage},
	{4, "ftypmsf1", "a HEIC image", toImage},
	{4, "ftypavi", "an AVIF image", toImage},
	{4, "ftypM4P ", "a protected audio file", toMP3},
	{4, "moov", "a QuickTime film", toMP4},
	{4, "mdat", "a QuickTime film", toMP4},
	{4, "wide", "a QuickTime film", toMP4},
	{4, "pnot", "a QuickTime film", toMP4},
	{0, "\x1aE\xdf\xa3", "a Matroska film (MKV)", toMP4},
	{0, "\x30\x26\xb2\x75\x8e\x66\xcf\x11", "a Windows Media file (WMV or WMA)", toMP4},
	{0, "FLV\x01", "a Flash film", toMP4},
	{0, "\x00\x00\x01\xba", "an MPEG film", toMP4},
	{0, "\x00\x00\x01\xb3", "an MPEG film", toMP4},
	{8, "AVI ", "an AVI film", toMP4},
	{8, "WAVE", "a WAV file", toMP3},
	{0, "fLaC", "a FLAC file", toMP3},
	{0, "\xff\xf1", "an AAC file", toMP3},
	{0, "\xff\xf9", "an AAC file", toMP3},
	{0, "FORM", "an AIFF file", toMP3},
	{0, "#!AMR", "an AMR file", toMP3},
	{0, "MThd", "a MIDI file", toMP3},
	{0, "GIF8", "a GIF image", toImage},
	{0, "BM", "a BMP image", toImage},
	{0, "II*\x00", "a TIFF image", toImage},
	{0, "MM\x00*", "a TIFF image", toImage},
	{0, "\x00\x00\x01\x00", "an icon", toImage},
	{0, "8BPS", "a Photoshop image", toImage},
	{0, "{\\rtf", "an RTF document", "save it as DOCX, ODT or PDF"},
	{0, "%!PS", "a PostScript document", toPDF},
	{0, "AT&TFORM", "a DjVu document", toPDF},
	{0, "\x1f\x8b", "a gzip archive", toZip},
	{0, "BZh", "a bzip2 archive", toZip},
	{0, "\xfd7zXZ", "an xz archive", toZip},
	{0, "\x28\xb5\x2f\xfd", "a zstd archive", toZip},
	{0, "7z\xbc\xaf\x27\x1c", "a 7z archive", toZip},
	{0, "Rar!\x1a\x07", "a RAR archive", toZip},
	{257, "ustar", "a tar archive", toZip},
	{0, "MSCF", "a cabinet archive", toZip},
	{0, "\x7fELF", "a program", program},
	{0, "MZ", "a program", program},
	{0, "\xca\xfe\xba\xbe", "a program", program},
	{0, "\xcf\xfa\xed\xfe", "a program", program},
	{0, "\xce\xfa\xed\xfe", "a program", program},
	{0, "dex\n", "a program", program},
	{0, "\x00asm", "a program", program},
	{0, "#!", "a program", program},
}

// ole is how documents of old Office programs begin.
const ole = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

// Found says what a file is whose type is not taken, and what to do, for people: it follows "this
// is". It is "" if that cannot be told.
func (d *Detector) Found(name string) string {
	extension := strings.ToLower(path.Ext(name))
	if d.size == 0 {
		return "an empty file: choose the file again"
	}
	if bytes.HasPrefix(d.head, []byte(ole)) {
		return oldOffice(extension)
	}
	isText := d.isText()
	for _, s := range signatures {
		if isText && !s.isText() {
			continue // a text that begins with such letters
		}
		if len(d.head) >= s.offset && bytes.HasPrefix(d.head[s.offset:], []byte(s.text)) {
			return s.found + ": " + s.advice
		}
	}
	if bytes.HasPrefix(d.head, []byte("PK\x03\x04")) {
		if d.hasZipEnd() {
			return "a Java or Android package: " + program
		}
		return "a zip that is not whole: upload the whole file"
	}
	return d.foundText(extension)
}

// oldOffice says what a document of an old Office program is by the end of its name.
func oldOffice(extension string) string {
	switch extension {
	case ".doc", ".dot":
		return "an old Word document: save it as DOCX or PDF"
	case ".ppt", ".pps":
		return "an old PowerPoint presentation: save it as PPTX or PDF"
	case ".xls", ".xlt":
		return "an old Excel table: save it as XLSX or PDF"
	case ".msi":
		return "a program: " + program
	}
	return "a document of an old Office program: save it as DOCX, PPTX, XLSX or PDF"
}

// subtitles matches the beginning of a file of subtitles in the form SRT.
var subtitles = regexp.MustCompile(`^\s*\d{1,6}[ \t]*\r?\n\d{1,3}:\d{2}:\d{2}[,.]\d{1,3}[ \t]*-->`)

// svg matches the beginning of an SVG image.
var svg = regexp.MustCompile(`(?i)<svg[\s>]`)

// foundText says what a text is, by its beginning and the end of its name.
func (d *Detector) foundText(extension string) string {
	head := bytes.TrimPrefix(d.head, []byte("\uFEFF"))
	isUTF16 := bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff"))
	isText := d.isText()
	switch {
	case subtitles.Match(head) || extension == ".srt":
		return "a file of subtitles in the form SRT: " + toVTT
	case isMarkup(head) && svg.Match(head):
		return "an SVG image: " + toImage
	case isMarkup(head) && bytes.HasPrefix(bytes.TrimSpace(head), []byte("<?xml")):
		return "an XML document: " + toText
	case isMarkup(head):
		return "a web page (HTML): " + toText
	case isUTF16 || !isText && isTextName(extension):
		return "a text that is not in UTF-8: " + toUTF8
	case isText && extension == ".vtt":
		return "a text without the line WEBVTT at its beginning: add the line, or convert it to WebVTT"
	case isText && extension != "":
		return "a text with the name " + shown(extension) + ": if it is plain text or Markdown, name it " +
			".txt or .md"
	case isText:
		return "a text without .txt or .md at the end of its name: name it so"
	}
	return ""
}

// isTextName reports whether the end of a name is one of texts.
func isTextName(extension string) bool {
	switch extension {
	case ".txt", ".md", ".markdown", ".vtt", ".csv":
		return true
	}
	return false
}

// shown returns the end of a name for a message.
func shown(extension string) string {
	const longest = 12
	if len(extension) > longest || !utf8.ValidString(extension) {
		return "of another type"
	}
	return "…" + extension
}
