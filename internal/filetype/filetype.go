// Package filetype finds the type of an uploaded file by its content while it is streamed.
package filetype

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"path"
	"strings"
	"unicode/utf8"
)

const (
	// headSize is how much of the beginning is kept. All signatures are within it.
	headSize = 4 << 10
	// tailSize is how much of the end is kept, at least. The directory of a zip is there: one
	// with 10,000 entries has less than 1 MiB.
	tailSize = 1 << 20
)

// Detector is a writer that finds the type of what is written to it. It keeps a bounded part of it
// in memory. The zero Detector is ready for use. It is not safe for concurrent use.
type Detector struct {
	head    []byte
	tail    []byte // the last bytes, from tailSize to 2*tailSize of them, or all if there are fewer
	size    int64
	rest    []byte // an incomplete character at the end of what was written
	notText bool
}

// Write never returns an error.
func (d *Detector) Write(p []byte) (int, error) {
	d.size += int64(len(p))
	if room := headSize - len(d.head); room > 0 {
		d.head = append(d.head, p[:min(room, len(p))]...)
	}
	// Keep the end. Moving it once for each tailSize bytes costs little.
	d.tail = append(d.tail, p[max(0, len(p)-tailSize):]...)
	if len(d.tail) > 2*tailSize {
		d.tail = append(d.tail[:0], d.tail[len(d.tail)-tailSize:]...)
	}
	d.checkText(p)
	return len(p), nil
}

// checkText looks for bytes that no text has: those that are not UTF-8, and U+0000. A character
// may be spread over several calls.
func (d *Detector) checkText(p []byte) {
	if d.notText {
		return
	}
	text := p
	if len(d.rest) > 0 {
		text = append(d.rest, p...)
		d.rest = nil
	}
	// Up to three bytes at the end may be the beginning of a character.
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if last := text[len(text)-n:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				d.rest = bytes.Clone(last)
				text = text[:len(text)-n]
			}
			break
		}
	}
	d.notText = !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0
}

// Type returns the media type of the file, such as video/mp4, after all of it was written. name is
// the name that the file had at its sender, which decides only between plain text and Markdown. ok
// is false if the type is none that may be uploaded, such as HTML, SVG and programs.
func (d *Detector) Type(name string) (mediaType string, ok bool) {
	if mediaType = d.binary(); mediaType != "" {
		return mediaType, true
	}
	if d.isText() && !isMarkup(d.head) && !bytes.HasPrefix(d.head, []byte("#!")) {
		head := bytes.TrimPrefix(d.head, []byte("\uFEFF"))
		switch extension := strings.ToLower(path.Ext(name)); {
		case isWebVTT(head):
			return "text/vtt", true
		case extension == ".md" || extension == ".markdown":
			return "text/markdown", true
		case extension == ".txt":
			return "text/plain", true
		}
	}
	if isLaterPDF(d.head) {
		return "application/pdf", true
	}
	return "", false
}

// isText reports whether the file is a text in UTF-8.
func (d *Detector) isText() bool { return d.size > 0 && !d.notText && len(d.rest) == 0 }

// isWebVTT reports whether a text begins with the line of a WebVTT file.
func isWebVTT(head []byte) bool {
	rest, found := bytes.CutPrefix(head, []byte("WEBVTT"))
	return found && (len(rest) == 0 || strings.ContainsRune(" \t\r\n", rune(rest[0])))
}

// isMarkup reports whether a text begins with a tag, as HTML, SVG and XML do. Browsers ignore the
// space before it.
func isMarkup(head []byte) bool {
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\uFEFF")), " \t\r\n\f")
	return bytes.HasPrefix(text, []byte("<"))
}

// binary returns the type that the signature at the beginning means, or "".
func (d *Detector) binary() string {
	h := d.head
	at := func(offset int, signature string) bool {
		return len(h) >= offset && bytes.HasPrefix(h[offset:], []byte(signature))
	}
	switch {
	case at(0, "\x89PNG\r\n\x1a\n"):
		return "image/png"
	case at(0, "\xff\xd8\xff"):
		return "image/jpeg"
	case at(0, "RIFF") && at(8, "WEBP"):
		return "image/webp"
	case at(0, "%PDF-"):
		return "application/pdf"
	case at(0, "OggS"):
		return "audio/ogg"
	case at(0, "\x1aE\xdf\xa3") && documentType(h) == "webm":
		return "video/webm"
	case at(4, "ftyp"):
		return brandType(h)
	case at(0, "ID3"), isMP3Frame(h):
		return "audio/mpeg"
	case at(0, "PK\x03\x04"), at(0, "PK\x05\x06"): // the second one is an empty zip
		return d.zipType()
	}
	return ""
}

// isLaterPDF reports whether a file is a PDF that begins after other bytes, as some mail programs
// and printers write them. The standard allows 1,024 of them. A file that is something else too is
// not taken.
func isLaterPDF(h []byte) bool {
	const signature = "%PDF-"
	at := bytes.Index(h[:min(len(h), 1024+len(signature)-1)], []byte(signature))
	if at < 0 || isMarkup(h) || bytes.HasPrefix(h, []byte(ole)) {
		return false
	}
	for _, s := range signatures {
		if bytes.HasPrefix(h[min(s.offset, len(h)):], []byte(s.text)) {
			return false
		}
	}
	return true
}

// documentType returns the type that the head of a Matroska file names, or "".
func documentType(h []byte) string {
	_, rest, found := bytes.Cut(h, []byte("\x42\x82"))
	if !found || len(rest) == 0 || rest[0] < 0x80 {
		return ""
	}
	length := int(rest[0] & 0x7f)
	return strings.TrimRight(string(rest[1:min(1+length, len(rest))]), "\x00")
}

// brandType returns the type of an ISO media file by its brands, or "" if it is another kind of
// file, such as a HEIC image.
func brandType(head []byte) string {
	if len(head) < 12 {
		return ""
	}
	major := string(head[8:12])
	switch {
	case major == "M4A " || major == "M4B ":
		return "audio/mp4"
	case isFilm(major):
		return "video/mp4"
	case major == "qt  " || major == "M4P " || strings.HasPrefix(major, "3g"),
		strings.HasPrefix(major, "he"), strings.HasPrefix(major, "avi"), major == "mif1",
		major == "msf1", major == "crx ":
		return ""
	}

	// Cameras have brands of their own, and name the common one among those that fit.
	size := int(head[0])<<24 | int(head[1])<<16 | int(head[2])<<8 | int(head[3])
	for at := 16; at+4 <= min(size, len(head)); at += 4 {
		if isFilm(string(head[at : at+4])) {
			return "video/mp4"
		}
	}
	return ""
}

// isFilm reports whether a brand is one of MP4.
func isFilm(brand string) bool {
	switch brand {
	case "isom", "iso2", "iso3", "iso4", "iso5", "iso6", "iso7", "iso8", "iso9", "mp41", "mp42",
		"avc1", "dash", "M4V ", "M4VH", "M4VP", "MSNV", "mmp4", "f4v ":
		return true
	}
	return false
}

// isMP3Frame reports whether a file begins with the header of an MPEG audio frame of layer III.
// The bits must be those of a frame that exists, because other files begin with 0xff too.
func isMP3Frame(h []byte) bool {
	if len(h) < 4 || h[0] != 0xff || h[1]&0xe0 != 0xe0 {
		return false
	}
	version, layer := h[1]>>3&3, h[1]>>1&3
	bitRate, sampleRate := h[2]>>4, h[2]>>2&3
	return version != 1 && layer == 1 && bitRate != 0 && bitRate != 15 && sampleRate != 3
}

// openDocument are the types of OpenDocument files, as the entry mimetype names them.
var openDocument = []string{
	"application/vnd.oasis.opendocument.text",
	"application/vnd.oasis.opendocument.presentation",
	"application/vnd.oasis.opendocument.spreadsheet",
}

// office is how the types of Office files begin.
const office = "application/vnd.openxmlformats-officedocument."

// officeEntries are the entries by which Office files are told apart.
var officeEntries = map[string]string{
	"word/document.xml":    office + "wordprocessingml.document",
	"ppt/presentation.xml": office + "presentationml.presentation",
	"xl/workbook.xml":      office + "spreadsheetml.sheet",
}

// zipType returns the type of a zip by its entries: an Office file, an OpenDocument file, or a
// plain zip. It returns "" if the zip has no directory at its end, or contains the program of a
// Java or Android package.
func (d *Detector) zipType() string {
	archive, err := d.zip()
	if err != nil {
		return ""
	}
	entries := map[string]bool{}
	for _, f := range archive.File {
		entries[f.Name] = true
	}
	if entries["META-INF/MANIFEST.MF"] || entries["AndroidManifest.xml"] {
		return ""
	}

	// An OpenDocument file has its type, not compressed, in its first entry.
	if entries["mimetype"] {
		for _, kind := range openDocument {
			if bytes.Contains(d.head, []byte("mimetype"+kind+"PK")) {
				return kind
			}
		}
	}
	if entries["[Content_Types].xml"] {
		for name, kind := range officeEntries {
			if entries[name] {
				return kind
			}
		}
	}
	return "application/zip"
}

// zip returns the directory of a zip.
func (d *Detector) zip() (*zip.Reader, error) {
	if d.claimsTooMany() {
		return nil, zip.ErrFormat
	}
	return zip.NewReader(zipEnds{d}, d.size)
}

// The parts of the end of a zip: "PK" with two bytes, and where what is read of them begins.
const (
	zipEnd, zip64Locator   = "PK\x05\x06", "PK\x06\x07"
	locatorSize, locatedAt = 20, 8
	zip64Records           = 32
	leastRecord            = 46 // bytes of an entry in a directory
)

// claimsTooMany reports whether a zip64 says that it has more entries than fit into what is kept of
// its end. Package zip would take memory for all of them.
func (d *Detector) claimsTooMany() bool {
	start := d.size - int64(len(d.tail))
	for end := 0; ; end++ {
		next := bytes.Index(d.tail[end:], []byte(zipEnd))
		if next < 0 {
			return false
		}
		end += next
		if end < locatorSize || !bytes.HasPrefix(d.tail[end-locatorSize:], []byte(zip64Locator)) {
			continue
		}
		located := binary.LittleEndian.Uint64(d.tail[end-locatorSize+locatedAt:])
		at := int64(located) - start + zip64Records
		if located > math.MaxInt64/2 || at < 0 || at+8 > int64(len(d.tail)) {
			continue // package zip cannot read it either
		}
		if binary.LittleEndian.Uint64(d.tail[at:]) > uint64(len(d.tail)/leastRecord) {
			return true
		}
	}
}

// hasZipEnd reports whether a zip has a directory at its end.
func (d *Detector) hasZipEnd() bool {
	_, err := d.zip()
	return err == nil
}

// zipEnds reads the two ends of a file that a Detector keeps. The middle is missing: reading it is
// an error.
type zipEnds struct{ d *Detector }

func (z zipEnds) ReadAt(p []byte, offset int64) (int, error) {
	start := z.d.size - int64(len(z.d.tail))
	if offset < start {
		return 0, io.ErrUnexpectedEOF
	}
	n := copy(p, z.d.tail[min(offset-start, int64(len(z.d.tail))):])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}
