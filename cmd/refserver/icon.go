package main

import (
	_ "embed"
	"net/http"
)

//go:embed icon.png
var icon []byte

// serveIcon answers what browsers ask for beside every page.
func serveIcon(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "image/png")
	w.Header().Set("Cache-Control", "public, max-age=86400")
	_, _ = w.Write(icon) // the client may be gone
}
