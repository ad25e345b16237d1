package safexml

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// declaration matches the XML declaration at the beginning of a document.
var declaration = regexp.MustCompile(`^\s*<\?xml\s[^<>]{0,200}?\?>`)

// declared matches the encoding in a declaration.
var declared = regexp.MustCompile(`encoding\s*=\s*["']([^"']*)["']`)

// text returns the text of a document in UTF-8, without its declaration and without characters that
// XML does not have. The encoding is that of the byte order mark, or the one that the document
// declares, or UTF-8.
func text(data []byte) ([]byte, error) {
	data, encoding := withoutMark(data)
	head := declaration.Find(data[:min(len(data), 300)])
	if encoding == "" {
		encoding = "UTF-8"
		if match := declared.FindSubmatch(head); match != nil {
			encoding = string(match[1])
		}
	}
	out, err := decode(data, encoding)
	if err != nil {
		return nil, err
	}
	out = declaration.ReplaceAll(out[:len(out):len(out)], nil)
	return withoutControls(out), nil
}

// withoutMark returns a document without its byte order mark, and the encoding of the mark or of
// the null bytes of the first character in UTF-16. The encoding is "" if neither is there.
func withoutMark(data []byte) (rest []byte, encoding string) {
	for _, mark := range []struct{ bytes, encoding string }{
		{"\xef\xbb\xbf", "UTF-8"}, {"\xff\xfe", "UTF-16LE"}, {"\xfe\xff", "UTF-16BE"},
	} {
		if rest, found := bytes.CutPrefix(data, []byte(mark.bytes)); found {
			return rest, mark.encoding
		}
	}
	switch {
	case bytes.HasPrefix(data, []byte("<\x00")):
		return data, "UTF-16LE"
	case bytes.HasPrefix(data, []byte("\x00<")):
		return data, "UTF-16BE"
	}
	return data, ""
}

// decode returns a text in UTF-8.
func decode(data []byte, encoding string) ([]byte, error) {
	switch name := strings.ToLower(strings.TrimSpace(encoding)); name {
	case "utf-8", "utf8":
		// A document that declares UTF-16 and is read here without null bytes is in UTF-8.
		return decodeUTF8(data, "UTF-8")
	case "us-ascii", "ascii", "iso646-us", "ansi_x3.4-1968":
		// Programs declare this for UTF-8 too.
		return decodeUTF8(data, "ASCII or UTF-8")
	case "utf-16", "ucs-2", "iso-10646-ucs-2":
		return decodeUTF8(data, "UTF-16 with a byte order mark")
	case "utf-16le":
		return decodeUTF16(data, binary.LittleEndian)
	case "utf-16be":
		return decodeUTF16(data, binary.BigEndian)
	case "iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "latin-1", "l1",
		"windows-1252", "cp1252", "cp-1252", "x-cp1252", "ansi":
		// ISO-8859-1 has control characters where windows-1252 has typographic quotation marks.
		// Browsers read both as windows-1252, because texts never mean the control characters.
		return decodeTable(data, charmap.Windows1252)
	case "iso-8859-15", "iso8859-15", "iso_8859-15", "latin-9", "latin9":
		return decodeTable(data, charmap.ISO8859_15)
	}
	return nil, &Error{fmt.Sprintf("is in the encoding %q, which is not read: save it in UTF-8",
		shortened(encoding, 40))}
}

// shortened returns the beginning of a text.
func shortened(text string, longest int) string {
	if len(text) > longest {
		return strings.ToValidUTF8(text[:longest], "") + "…"
	}
	return text
}

func decodeUTF8(data []byte, what string) ([]byte, error) {
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return nil, &Error{"is not in " + what + ", although it says so: save it in UTF-8"}
	}
	return data, nil
}

func decodeUTF16(data []byte, order binary.ByteOrder) ([]byte, error) {
	if len(data)%2 != 0 {
		return nil, &Error{"is not whole UTF-16: save it in UTF-8"}
	}
	out := make([]byte, 0, len(data)/2+len(data)/4)
	for i := 0; i < len(data); i += 2 {
		r := rune(order.Uint16(data[i:]))
		if utf16.IsSurrogate(r) && i+3 < len(data) {
			r = utf16.DecodeRune(r, rune(order.Uint16(data[i+2:])))
			i += 2
		}
		if r == 0 || r == utf8.RuneError || utf16.IsSurrogate(r) {
			return nil, &Error{"is not valid UTF-16: save it in UTF-8"}
		}
		out = utf8.AppendRune(out, r)
	}
	return out, nil
}

func decodeTable(data []byte, table *charmap.Charmap) ([]byte, error) {
	out := make([]byte, 0, len(data)+len(data)/8)
	for _, c := range data {
		if c < utf8.RuneSelf {
			out = append(out, c)
			continue
		}
		out = utf8.AppendRune(out, table.DecodeByte(c))
	}
	if bytes.IndexByte(out, 0) >= 0 {
		return nil, &Error{"has null bytes, which no text has: export it anew"}
	}
	return out, nil
}

// withoutControls returns a text in which spaces stand for the control characters that XML does not
// have, and for references to them. Texts that were copied from word processors have some.
func withoutControls(text []byte) []byte {
	isCopied := false
	blank := func(from, to int) {
		if !isCopied {
			text, isCopied = bytes.Clone(text), true
		}
		for i := from; i < to; i++ {
			text[i] = ' '
		}
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c < ' ' && c != '\t' && c != '\n' && c != '\r':
			blank(i, i+1)
		case c == 0xef && i+2 < len(text) && text[i+1] == 0xbf && text[i+2] >= 0xbe:
			blank(i, i+3) // U+FFFE and U+FFFF
		case c == '&' && i+1 < len(text) && text[i+1] == '#':
			if end := controlReference(text[i:]); end > 0 {
				blank(i, i+end)
			}
		}
	}
	return text
}

// controlReference returns the length of the reference at the beginning of a text, if it is one to
// a character that XML does not have, or else 0.
func controlReference(text []byte) int {
	const longest = 12
	end := bytes.IndexByte(text[:min(len(text), longest)], ';')
	if end < 0 {
		return 0
	}
	digits, base := string(text[2:end]), 10
	if rest, isHex := strings.CutPrefix(digits, "x"); isHex {
		digits, base = rest, 16
	}
	n, err := strconv.ParseUint(digits, base, 32)
	isChar := n == '\t' || n == '\n' || n == '\r' || n >= ' ' && n <= 0xd7ff ||
		n >= 0xe000 && n <= 0xfffd || n >= 0x10000 && n <= 0x10ffff
	if err != nil || isChar {
		return 0
	}
	return end + 1
}
