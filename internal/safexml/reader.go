package safexml

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"

	"github.com/openlectern/openlectern/internal/budget"
)

// maxDepth is how deep elements may be nested. Those of a cartridge or a quiz have about fifteen
// levels.
const maxDepth = 100

// maxAttributes is how many attributes an element may have. A decoder builds those of an element
// before a reader sees it, so that they are counted before.
const maxAttributes = 200

// Reader reads the tokens of a document. It is not safe for concurrent use.
type Reader struct {
	b     *budget.Budget
	d     *xml.Decoder
	depth int
	read  int64 // bytes of the document for which steps were taken
}

// NewReader returns a reader of a document, which must have been taken from the budget as a text.
// What it refuses is said at [Decode].
func NewReader(b *budget.Budget, data []byte) (*Reader, error) {
	if err := b.Steps(len(data)); err != nil {
		return nil, refusal(err)
	}
	data, err := text(data)
	if err != nil {
		return nil, err
	}
	if err := scan(data); err != nil {
		return nil, err
	}
	d := xml.NewDecoder(bytes.NewReader(data))
	d.Entity = xml.HTMLEntity
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	return &Reader{b: b, d: d}, nil
}

// scan refuses what a decoder would build before a reader sees it: an element with too many
// attributes, and a document type that defines entities, with every other directive. A document
// type that only names another document is allowed. scan and a decoder see the same ends of what
// they read, up to the first error of the decoder.
func scan(data []byte) error {
	for {
		at := bytes.IndexByte(data, '<')
		if at < 0 {
			return nil
		}
		data = data[at:]
		if beginning, end := markupOf(data); end != "" {
			_, data, _ = bytes.Cut(data[len(beginning):], []byte(end))
			continue
		}
		isDirective := bytes.HasPrefix(data, []byte("<!"))
		isRefused := isDirective && !bytes.HasPrefix(data, []byte("<!DOCTYPE"))
		attributes, quote, i := 0, byte(0), 1
		for ; i < len(data) && (quote != 0 || data[i] != '>'); i++ {
			switch c := data[i]; {
			case quote != 0:
				if c == quote {
					quote = 0
				}
			case c == '"' || c == '\'':
				quote = c
				attributes++
			case c == '<' || c == '[': // definitions, or a comment, which could hold a quote
				isRefused = isRefused || isDirective
			}
		}
		switch {
		case isRefused:
			return &Error{"has a document type or entities of its own, which are not allowed: " +
				"remove the DOCTYPE"}
		case attributes > maxAttributes:
			return &Error{"has an element with too many attributes: export it anew"}
		}
		data = data[i:]
	}
}

// markupOf returns how a comment, a text or an instruction begins and ends that is the first of a
// document, or "" if the document begins with something else.
func markupOf(data []byte) (beginning, end string) {
	switch {
	case bytes.HasPrefix(data, []byte("<!--")):
		return "<!--", "-->"
	case bytes.HasPrefix(data, []byte("<![CDATA[")):
		return "<![CDATA[", "]]>"
	case bytes.HasPrefix(data, []byte("<?")):
		return "<?", "?>"
	}
	return "", ""
}

// Token returns the next token, as [xml.Decoder.Token] does, and [io.EOF] at the end. Its refusals
// are of type [*Error].
func (r *Reader) Token() (xml.Token, error) {
	for {
		token, err := r.d.Token()
		if errors.Is(err, io.EOF) {
			return nil, io.EOF
		}
		if err == nil {
			read := r.d.InputOffset()
			err = r.b.Steps(int(read - r.read))
			r.read = read
		}
		if err != nil {
			return nil, refusal(err)
		}
		switch token.(type) {
		case xml.Comment, xml.ProcInst, xml.Directive: // which scan has allowed
			continue
		case xml.StartElement:
			r.depth++
		case xml.EndElement:
			r.depth--
		}
		if r.depth > maxDepth {
			return nil, &Error{"has elements that are nested too deep: put the items into fewer " +
				"folders or sections"}
		}
		return token, nil
	}
}

// take takes elements from the budget.
func (r *Reader) take(n int) error { return refusal(r.b.Elements(n)) }

// Skip reads to the end of the element that Token returned last.
func (r *Reader) Skip() error {
	for end := r.depth - 1; r.depth > end; {
		if _, err := r.Token(); err != nil {
			return atEnd(err)
		}
	}
	return nil
}

// toEnd reads the rest of a document.
func (r *Reader) toEnd() error {
	for {
		if _, err := r.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// atEnd returns an error within an element, which cannot end before its element does.
func atEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return &Error{"is not valid XML (it ends too early): export it anew"}
	}
	return err
}
