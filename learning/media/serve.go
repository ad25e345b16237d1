package media

import (
	"errors"
	"io"
	"net/http"
	"os"
)

// ServeHTTP answers GET and HEAD of a file. The path of the request must be the file's name:
// mount the disk under a prefix with [http.StripPrefix], the last slash included, and make
// that prefix the base URL.
//
//	mux.Handle("/media/", http.StripPrefix("/media/", disk))
//
// It supports ranges and If-Modified-Since. The content type depends on the extension only,
// and browsers are told not to guess another. Every site may show a file. A file that is
// opened as a page cannot run scripts. Images may be cached for a year. PDFs contain names,
// so that they must not be cached and search engines must not list them. Folders are not
// listed.
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

// policyFor returns the Content-Security-Policy that stops scripts in a file that is opened
// as a page. PDFs have no sandbox, because Safari and older versions of Chrome do not start
// their PDF viewer in one; the viewer has styles of its own.
func policyFor(contentType string) string {
	if contentType == pdf {
		return "default-src 'none'; style-src 'unsafe-inline'"
	}
	return "default-src 'none'; sandbox"
}

// open opens a regular file. A folder or a pipe counts as missing; reading a pipe would wait
// for a writer. open returns errLink if the path has a link.
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

// fail answers an error in the format of the other routes. message must need no escaping.
func fail(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, `{"success":false,"message":"`+message+`"}`)
}
