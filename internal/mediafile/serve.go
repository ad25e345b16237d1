package mediafile

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"time"
)

// Content is an open file.
type Content struct {
	io.ReadSeekCloser
	ModTime time.Time
}

// Handler answers GET and HEAD of files. The path of a request is the name of a file.
type Handler struct {
	// Open opens a file whose name is valid. It returns [fs.ErrNotExist] if there is none.
	// Any other error is answered with 500 and not logged here.
	Open func(ctx context.Context, name string) (Content, error)
	// NotFound answers requests for invalid names and missing files.
	NotFound http.Handler
}

// ServeHTTP supports ranges and If-Modified-Since. Images may be cached for a year. PDFs
// contain names, so that they must not be cached and search engines must not list them.
func (h Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		fail(w, http.StatusMethodNotAllowed, "Method not allowed")
		return
	}
	contentType, err := TypeOf(r.URL.Path)
	if err != nil {
		h.NotFound.ServeHTTP(w, r)
		return
	}
	content, err := h.Open(r.Context(), r.URL.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		h.NotFound.ServeHTTP(w, r)
		return
	case err != nil:
		fail(w, http.StatusInternalServerError, "An unexpected error occurred")
		return
	}
	defer content.Close()
	setHeaders(w.Header(), contentType)
	// The name is empty, because it is used only to find the content type.
	http.ServeContent(w, r, "", content.ModTime, content)
}

// setHeaders sets the headers of a file. With them, browsers take it for nothing but its type and
// run no scripts in it, pages of other origins may show it, and search engines do not list
// certificates.
func setHeaders(h http.Header, contentType string) {
	h.Set("Content-Type", contentType)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("Content-Security-Policy", policyFor(contentType))
	h.Set("Cache-Control", CacheControl(contentType))
	if contentType == pdf {
		h.Set("X-Robots-Tag", "noindex")
	}
}

// CacheControl returns the header Cache-Control of a file. PDFs, which contain names, are not
// cached. Other files are cached for a year, because a file never changes.
func CacheControl(contentType string) string {
	if contentType == pdf {
		return "private, no-store"
	}
	return "public, max-age=31536000, immutable"
}

// policyFor returns the Content-Security-Policy that stops scripts in a file that is opened
// as a page. PDFs have no sandbox, because Safari and older versions of Chrome do not start
// their PDF viewer in one; the viewer has styles of its own.
func policyFor(contentType string) string {
	if contentType == pdf {
		return "default-src 'none'; style-src 'unsafe-inline'"
	}
	return "default-src 'none'; sandbox"
}

// RouteNotFound answers 404 in JSON, with the text of the platform's other routes.
func RouteNotFound(w http.ResponseWriter, _ *http.Request) {
	fail(w, http.StatusNotFound, "Route not found")
}

// fail answers an error in the format of the other routes. message must need no escaping.
func fail(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, `{"success":false,"message":"`+message+`"}`)
}
