package qti

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/openlectern/openlectern/internal/budget"
	"github.com/openlectern/openlectern/internal/htmltext"
)

// plain returns the plain text of HTML. hasMedia is whether the HTML shows pictures or other media.
// If it cannot be read, why says why. The error is that of the context.
func plain(b *budget.Budget, source string) (text string, hasMedia bool, why string, err error) {
	text, hasMedia, err = htmltext.Plain(b, source)
	if why = unreadable(err); why != "" {
		return "", false, why, nil
	}
	if err != nil {
		return "", false, "", fmt.Errorf("read a text: %w", err)
	}
	return text, hasMedia, "", nil
}

// unreadable returns why a text cannot be read, or "" if err is not about the text.
func unreadable(err error) string {
	switch {
	case errors.Is(err, htmltext.ErrNesting):
		return "its text has elements that are nested too deep"
	case errors.Is(err, budget.ErrSpent), errors.Is(err, htmltext.ErrTooLong):
		return "its text is too large, or costs too much to read"
	}
	return ""
}

// line returns a text on one line, with single spaces.
func line(s string) string { return strings.Join(strings.Fields(s), " ") }

// shortened returns the beginning of a text on one line, for a message.
func shortened(s string) string {
	const longest = 60
	if s = line(s); utf8.RuneCountInString(s) > longest {
		s = string([]rune(s)[:longest]) + "…"
	}
	return s
}
