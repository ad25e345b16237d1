package main

import (
	"io"
	"log/slog"
)

// newLogger returns a logger that writes JSON in production, and text in development.
func newLogger(w io.Writer, production bool) *slog.Logger {
	if production {
		return slog.New(slog.NewJSONHandler(w, nil))
	}
	return slog.New(slog.NewTextHandler(w, nil))
}
