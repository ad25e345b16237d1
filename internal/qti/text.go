package qti

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/openlectern/openlectern/internal/budget"
	"github.com/openlectern/openlectern/internal/htmltext"
)

// material is a text, or a medium that is shown.
type material struct {
	Texts []struct {
		Type string `xml:"texttype,attr"`
		Body string `xml:",chardata"`
	} `xml:"mattext"`
	Images []struct{} `xml:"matimage"`
	Audio  []struct{} `xml:"mataudio"`
	Videos []struct{} `xml:"matvideo"`
}

// textOf returns the plain text of materials. hasMedia is whether they show more than that. Its
// errors are those of [htmltext.Plain].
func textOf(b *budget.Budget, list []material) (text string, hasMedia bool, err error) {
	var parts []string
	for _, m := range list {
		hasMedia = hasMedia || len(m.Images)+len(m.Audio)+len(m.Videos) > 0
		for _, t := range m.Texts {
			body := strings.TrimSpace(t.Body)
			if strings.Contains(strings.ToLower(t.Type), "html") {
				var media bool
				if body, media, err = htmltext.Plain(b, body); err != nil {
					return "", false, fmt.Errorf("read the text of a question: %w", err)
				}
				hasMedia = hasMedia || media
			}
			if body != "" {
				parts = append(parts, body)
			}
		}
	}
	return strings.Join(parts, "\n"), hasMedia, nil
}

// unreadable returns why a question whose text cannot be read is skipped, or "" if err is not about
// the text.
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
