package main

import (
	"io"
	"log/slog"
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

// logLevel returns the level of the least serious lines that are logged; info if there is none.
func (s *Settings) logLevel() (level slog.Level) {
	_ = level.UnmarshalText([]byte(s.LogLevel)) // check reports another value
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
