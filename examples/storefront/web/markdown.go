package web

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"unicode/utf8"

	"github.com/microcosm-cc/bluemonday"
)

// markdownPath is the path at which pages have Markdown rendered.
const markdownPath = "/markdown"

// maxMarkdown is the length of the longest text that is rendered, in characters: that of a lecture.
const maxMarkdown = 100_000

// rendering bounds how many texts are rendered at the same time, because the worst ones take a
// second.
var rendering = make(chan struct{}, 2)

// markdown leaves out HTML in a text. sanitizer removes what could still do harm, such as addresses
// that run a script.
var (
	markdown  = newMarkdown()
	sanitizer = bluemonday.UGCPolicy()
)

// serveMarkdown answers the HTML of the Markdown in the body of a request. Pages copy what they
// know of it (js/components/safe-content.js). Its type is plain text, so that a form of another
// site, which can send a text here, does not get a page of this site.
func serveMarkdown(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMarkdown*utf8.UTFMax))
	tooLarge := (*http.MaxBytesError)(nil)
	if errors.As(err, &tooLarge) || utf8.RuneCount(text) > maxMarkdown {
		http.Error(w, "The text is too long.", http.StatusRequestEntityTooLarge)
		return
	}
	if err != nil { // the client has left
		http.Error(w, "The text did not arrive.", http.StatusBadRequest)
		return
	}

	select {
	case rendering <- struct{}{}:
		defer func() { <-rendering }()
	case <-r.Context().Done():
		return
	}
	var rendered bytes.Buffer
	if err := markdown.Convert(text, &rendered); err != nil {
		http.Error(w, "The text cannot be rendered.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(sanitizer.SanitizeBytes(rendered.Bytes())) // fails if the client has left
}
