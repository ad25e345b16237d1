// Package safexml decodes XML that may have been made to do harm. It takes from a budget before it
// builds anything. It reads no other document, such as the one that a document type names.
package safexml

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"

	"github.com/openlectern/openlectern/internal/budget"
)

// MaxSize is the size in bytes of the largest document that callers should decode.
const MaxSize = 8 << 20

// Error says why a document was refused, and what to do. Its text is meant for people, and follows
// the name of the document.
type Error struct{ Reason string }

// Error returns the reason.
func (e *Error) Error() string { return e.Reason }

// Decode decodes a document as encoding/xml does. The document must have been taken from the budget
// as a text. Its refusals are of type [*Error]; every other error is one of the context of the
// budget.
//
// It decodes the encoding that the document declares: UTF-8, UTF-16, ISO-8859-1, windows-1252 or
// ASCII. It passes over a document type that only names another document, and knows the entities of
// HTML, because many programs write them. It refuses a document type with entities of its own,
// elements that are nested too deep, and more elements than the budget has.
func Decode(b *budget.Budget, data []byte, to any) error {
	r, err := NewReader(b, data)
	if err != nil {
		return err
	}
	if err := xml.NewTokenDecoder(builder{r}).Decode(to); err != nil {
		return refusal(err)
	}
	return r.toEnd() // which must be valid too
}

// builder is a reader of tokens for a caller that builds something of each element.
type builder struct{ r *Reader }

// Token returns the next token.
func (b builder) Token() (xml.Token, error) {
	token, err := b.r.Token()
	if start, isStart := token.(xml.StartElement); isStart && err == nil {
		err = b.r.take(1 + len(start.Attr))
	}
	return token, err
}

// refusal returns an error of a decoder as an [*Error], without the names of types. The errors of a
// context stay as they are.
func refusal(err error) error {
	if syntax, isSyntax := errors.AsType[*xml.SyntaxError](err); isSyntax {
		return &Error{fmt.Sprintf("is not valid XML (line %d: %s): export it anew", syntax.Line,
			shortened(syntax.Msg, 100))}
	}
	_, isKnown := errors.AsType[*Error](err)
	switch {
	case err == nil, isKnown, errors.Is(err, context.Canceled),
		errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, budget.ErrSpent):
		return &Error{"has more elements than a document of its size should have: split it"}
	case errors.Is(err, io.EOF):
		return &Error{"is not valid XML (it has no element): export it anew"}
	}
	return &Error{"is not valid XML, or not what it should be: export it anew"}
}
