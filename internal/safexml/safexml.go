// Package safexml decodes XML that may have been made to do harm.
package safexml

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/openlectern/openlectern/internal/budget"
)

// MaxSize is the size in bytes of the largest document that callers should decode.
const MaxSize = 8 << 20

// maxDepth is how deep elements may be nested. Those of a cartridge or a quiz have about ten
// levels.
const maxDepth = 50

// maxElements is how many elements a document may have, because a decoded element takes many times
// the memory of a short one such as <a/>. A quiz of 500 questions has up to 100,000.
const maxElements = 200_000

// errTooMany is the refusal of a document of too many elements.
var errTooMany = &Error{"has too many elements: split it into several files"}

// Error says why a document was refused, and what to do. Its text is meant for people, and follows
// the name of the document.
type Error struct{ Reason string }

// Error returns the reason.
func (e *Error) Error() string { return e.Reason }

// Decode decodes a document, whose bytes its caller has taken from the budget. Its refusals are of
// type [*Error]; every other error is that of the context of the budget. It refuses a document type,
// which is where entities are defined, elements that are nested too deep or too many, and other
// encodings than UTF-8.
func Decode(b *budget.Budget, data []byte, to any) error {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return &Error{"is not UTF-8: save it in this encoding"}
	}
	depth, elements := 0, 0
	for d := xml.NewDecoder(bytes.NewReader(data)); ; {
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return &Error{"is not valid XML in UTF-8 (" + err.Error() + "): export it anew"}
		}
		switch token := token.(type) {
		case xml.Directive:
			return &Error{"has a document type or entities of its own, which are not allowed: " +
				"remove the DOCTYPE"}
		case xml.StartElement:
			depth++
			elements++
			if err := b.Elements(1 + len(token.Attr)); errors.Is(err, budget.ErrSpent) {
				return errTooMany
			} else if err != nil {
				return err
			}
		case xml.EndElement:
			depth--
		}
		if depth > maxDepth {
			return &Error{"has elements that are nested too deep: put the items into fewer folders"}
		}
		if elements > maxElements {
			return errTooMany
		}
	}
	if err := xml.Unmarshal(data, to); err != nil {
		return &Error{"is not valid XML (" + err.Error() + "): export it anew"}
	}
	return nil
}
