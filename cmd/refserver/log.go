package main

import (
	"bytes"
	"io"
	"log/slog"
	"time"
)

// newLogger returns a logger that writes JSON in production, and text in development. Without a
// level it writes what is for information, and more serious lines.
func newLogger(w io.Writer, production bool, level slog.Leveler) *slog.Logger {
	options := &slog.HandlerOptions{Level: level}
	if production {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// newLineWriter returns a writer for the lines of a logger. Development has no delay, because
// people read its lines while they work.
func newLineWriter(w io.Writer, production bool) *logWriter {
	var delay time.Duration
	if production {
		delay = logDelay
	}
	return newLogWriter(w, delay, func(lines int) []byte {
		var line bytes.Buffer
		newLogger(&line, production, nil).Warn("lines of the log were dropped, because they could not be written", "lines", lines)
		return line.Bytes()
	})
}

// logLevel returns the level of the least serious lines that are logged; info if there is none.
func (s *Settings) logLevel() (level slog.Level) {
	_ = level.UnmarshalText([]byte(s.LogLevel))
	return level
}

// levelOfListening returns the level of the line that the server listens. In development it
// would stand above the start-up text, which says the same.
func (s *Settings) levelOfListening() slog.Level {
	if s.production() {
		return slog.LevelInfo
	}
	return slog.LevelDebug
}
