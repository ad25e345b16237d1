package ai

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// event is one server-sent event.
type event struct {
	name string
	data []byte
}

// events reads server-sent events as the HTML standard describes them: lines end
// with CR, LF or both, those that begin with a colon are comments, several data lines
// are one text, and an event that is not ended by an empty line is none.
type events struct {
	from    *bufio.Reader
	longest int64 // event, in bytes
	begun   bool
	afterCR bool // so that the LF after it ends no other line
}

func newEvents(from io.Reader, longest int64) *events {
	return &events{from: bufio.NewReader(from), longest: longest}
}

var errLongEvent = errors.New("an event of the stream is too long")

// next returns the next event that has data; io.EOF after the last.
func (e *events) next() (event, error) {
	var ev event
	var hasData bool
	for left := e.longest; ; {
		line, err := e.line(left)
		if err != nil {
			return event{}, err
		}
		if left -= int64(len(line)); left <= 0 {
			return event{}, errLongEvent
		}
		switch name, value := field(line); {
		case len(line) == 0 && hasData:
			return ev, nil
		case len(line) == 0:
			ev, left = event{}, e.longest
		case name == "data" && hasData:
			ev.data = append(append(ev.data, '\n'), value...)
		case name == "data":
			ev.data, hasData = value, true
		case name == "event":
			ev.name = string(value)
		}
	}
}

// line reads up to the end of a line. What follows the last end is no line.
func (e *events) line(longest int64) ([]byte, error) {
	var line []byte
	for {
		b, err := e.from.ReadByte()
		if err != nil {
			return nil, err
		}
		afterCR := e.afterCR
		e.afterCR = b == '\r'
		switch {
		case b == '\n' && afterCR:
			continue
		case b == '\n' || b == '\r':
			return e.withoutMark(line), nil
		case int64(len(line)) >= longest:
			return nil, errLongEvent
		}
		line = append(line, b)
	}
}

// withoutMark takes the byte order mark off the first line.
func (e *events) withoutMark(line []byte) []byte {
	if !e.begun {
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	e.begun = true
	return line
}

// field splits a line at its first colon, and drops one blank after it. A comment
// has the name "".
func field(line []byte) (name string, value []byte) {
	before, after, _ := bytes.Cut(line, []byte(":"))
	return string(before), bytes.TrimPrefix(after, []byte(" "))
}
