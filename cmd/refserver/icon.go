package main

import (
	_ "embed"
	"net/http"
)

//go:embed icon.png
var icon []byte

// serveIcon answers /favicon.ico, which browsers request with every page.
func serveIcon(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "image/png")
	w.Header().Set("Cache-Control", "public, max-age=86400")
	_, _ = w.Write(icon) // the client may have closed the connection
}
