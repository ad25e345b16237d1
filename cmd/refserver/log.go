package main

import (
	"io"
	"log/slog"
)

// newLogger writes for people in development, and JSON for programs in production.
func newLogger(w io.Writer, production bool) *slog.Logger {
	if production {
		return slog.New(slog.NewJSONHandler(w, nil))
	}
	return slog.New(slog.NewTextHandler(w, nil))
}
