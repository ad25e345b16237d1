package learningtest

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
)

// Log stores log lines for tests. It is safe for concurrent use.
type Log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Logger returns a logger that writes to the log, from level debug, without times.
func (l *Log) Logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l,
		&slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: withoutTime}))
}

// withoutTime removes the time of a line, so that lines can be compared. An attribute of that name
// in a group stays.
func withoutTime(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

// Write appends a line of a handler.
func (l *Log) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

// String returns all lines.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Count returns the number of lines that contain a text.
func (l *Log) Count(text string) int {
	n := 0
	for line := range strings.Lines(l.String()) {
		if strings.Contains(line, text) {
			n++
		}
	}
	return n
}
