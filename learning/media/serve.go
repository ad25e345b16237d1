package media

import (
	"errors"
	"io"
	"net/http"
	"os"
)

// ServeHTTP serves GET and HEAD of a file, whose name is the whole path of the
// request: mount it under a prefix that is taken off, slash included, and make
// that prefix the base URL.
//
//	mux.Handle("/media/", http.StripPrefix("/media/", disk))
//
// Ranges and If-Modified-Since are honoured. The type comes from the extension
// alone and is not to be guessed; the file may be shown by any site; should a
// browser open it as a page, it can run nothing. A picture may be kept for a year.
// A PDF says somebody's name: nobody keeps it on the way, and no search engine
// lists it. Folders are not listed.
func (d *Disk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		fail(w, http.StatusMethodNotAllowed, "Method not allowed")
		return
	}
	contentType, err := typeOf(r.URL.Path)
	if err != nil {
		d.notFound.ServeHTTP(w, r)
		return
	}
	f, info, err := d.open(r.URL.Path)
	switch {
	case errors.Is(err, errLink):
		d.log.WarnContext(r.Context(), "a link in the media folder is not followed", "name", r.URL.Path)
		d.notFound.ServeHTTP(w, r)
		return
	case missing(err):
		d.notFound.ServeHTTP(w, r)
		return
	case err != nil:
		fail(w, http.StatusInternalServerError, "An unexpected error occurred")
		return
	}
	defer f.Close()
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("Content-Security-Policy", policyFor(contentType))
	if contentType == pdf {
		h.Set("Cache-Control", "private, no-store")
		h.Set("X-Robots-Tag", "noindex")
	} else {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	http.ServeContent(w, r, "", info.ModTime(), f)
}

// policyFor keeps a file from doing anything should a browser open it as a page. A
// PDF is shown by a viewer of the browser's, which Safari and older versions of
// Chrome do not start in a sandbox, and which brings styles of its own.
func policyFor(contentType string) string {
	if contentType == pdf {
		return "default-src 'none'; style-src 'unsafe-inline'"
	}
	return "default-src 'none'; sandbox"
}

// open opens a plain file. Folders are as good as not there, and so is a pipe, which
// would make the request wait for a writer. A link, or one on the way, is errLink.
func (d *Disk) open(name string) (*os.File, os.FileInfo, error) {
	if d.isLinked(name) {
		return nil, nil, errLink
	}
	info, err := d.root.Lstat(name)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, os.ErrNotExist
	}
	f, err := d.root.Open(name)
	return f, info, err
}

func routeNotFound(w http.ResponseWriter, _ *http.Request) {
	fail(w, http.StatusNotFound, "Route not found")
}

// fail answers as the platform's other routes do; the messages need no escaping.
func fail(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, `{"success":false,"message":"`+message+`"}`)
}
