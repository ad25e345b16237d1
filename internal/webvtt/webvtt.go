// Package webvtt reads the cues of WebVTT files (https://www.w3.org/TR/webvtt1/): when each begins,
// and its text. It refuses nothing: what is no cue is left out, so that a file with errors has
// fewer cues.
package webvtt

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Cue is a text that is shown from a time on.
type Cue struct {
	Start time.Duration
	Text  string // on one line, without tags
}

// maxLine is the length of the longest line that is read, in bytes.
const maxLine = 64 << 10

var (
	timing = regexp.MustCompile(`^(?:(\d{1,4}):)?(\d{2}):(\d{2})\.\d{3}[ \t]+-->`)
	tag    = regexp.MustCompile(`<[^>]*>`)
)

// Cues returns the cues of a file, in their order. It returns an error if r fails, and the cues
// before a line that is too long.
func Cues(r io.Reader) (cues []Cue, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	var words strings.Builder // of the last cue; a text that is joined anew for each line takes minutes
	endCue := func() {
		if len(cues) > 0 {
			cues[len(cues)-1].Text = words.String()
		}
		words.Reset()
	}
	inCue := false
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if m := timing.FindStringSubmatch(line); m != nil {
			endCue()
			cues, inCue = append(cues, Cue{Start: start(m[1:])}), true
			continue
		}
		inCue = inCue && line != ""
		text := strings.TrimSpace(html.UnescapeString(tag.ReplaceAllString(line, "")))
		if !inCue || text == "" {
			continue
		}
		if words.Len() > 0 {
			words.WriteByte(' ')
		}
		words.WriteString(text)
	}
	endCue()
	if err := lines.Err(); err != nil && err != bufio.ErrTooLong {
		return nil, fmt.Errorf("read captions: %w", err)
	}
	return cues, nil
}

// start returns the time of hours, which may be "", minutes and seconds. They are digits.
func start(parts []string) (sum time.Duration) {
	for i, unit := range []time.Duration{time.Hour, time.Minute, time.Second} {
		n, _ := strconv.Atoi(parts[i]) // "" is 0
		sum += time.Duration(n) * unit
	}
	return sum
}
