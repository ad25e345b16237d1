package mediafile

import (
	"context"
	"errors"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"strings"
)

// privateName is the length of the names of private files: 26 characters of base 32 have 130 random
// bits.
const privateName = 26

// IsPrivateName reports whether a private file may have a name: 26 characters A–Z and 2–7. So a
// name has no dots and no slashes.
func IsPrivateName(name string) bool {
	isOther := func(r rune) bool { return (r < 'A' || r > 'Z') && (r < '2' || r > '7') }
	return len(name) == privateName && !strings.ContainsFunc(name, isOther)
}

// Disposition returns the header Content-Disposition of a private file: browsers show PDFs, images,
// audio and video, and save all other files under the title.
func Disposition(contentType, title string) string {
	kind := "attachment"
	if contentType == pdf || isPlayed(contentType) || isImage(contentType) {
		kind = "inline"
	}
	if title == "" {
		return kind
	}
	return mime.FormatMediaType(kind, map[string]string{"filename": title})
}

func isImage(contentType string) bool { return strings.HasPrefix(contentType, "image/") }

// isPlayed reports whether browsers play a file.
func isPlayed(contentType string) bool {
	return strings.HasPrefix(contentType, "audio/") || strings.HasPrefix(contentType, "video/")
}

// SetPrivateHeaders sets the headers of a private file. With them, browsers take it for nothing but
// its type, run no scripts in it and keep no copy. Pages of other origins may show it as a picture,
// a sound or a video; pages of frontEnd, an origin or "", may also show it in a frame.
func SetPrivateHeaders(h http.Header, contentType, title, frontEnd string) {
	h.Set("Content-Type", contentType)
	h.Set("Content-Disposition", Disposition(contentType, title))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("Content-Security-Policy", privatePolicy(contentType, frontEnd))
	h.Set("Cache-Control", "private, no-store")
	h.Set("X-Robots-Tag", "noindex")
}

// privatePolicy returns the Content-Security-Policy of a private file, which stops scripts in a
// file that is opened as a page. PDFs have no sandbox, for the reason of policyFor. The page that
// browsers make for audio and video reads the file itself. What browsers show may be in a frame of
// the front end: without frame-ancestors the header X-Frame-Options of the API would prevent that.
func privatePolicy(contentType, frontEnd string) string {
	policy := ""
	switch {
	case contentType == pdf:
		policy = "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'"
	case isPlayed(contentType):
		policy = "default-src 'none'; media-src 'self'; style-src 'unsafe-inline'; sandbox"
	case isImage(contentType):
		policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
	default: // browsers save it
		return "sandbox"
	}
	return policy + strings.TrimRight("; frame-ancestors 'self' "+frontEnd, " ")
}

// IsOrigin reports whether a text is an http or https origin without a path, such as
// https://learn.example.org, that can be an entry of a Content-Security-Policy.
func IsOrigin(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" &&
		s == u.Scheme+"://"+u.Host && !strings.ContainsAny(s, ";, '\"*")
}

// Forbidden answers 403 in JSON to a request whose URL is not signed, was changed or has expired.
func Forbidden(w http.ResponseWriter) {
	fail(w, http.StatusForbidden, "This link is not valid any more. Please load the page again.")
}

// PrivateHandler answers GET and HEAD of a private file, whose URL was verified before. The path of
// a request is the name of the file.
type PrivateHandler struct {
	// Open opens a file. It returns [fs.ErrNotExist] if there is none.
	Open     func(ctx context.Context, name string) (Content, error)
	Type     string // the media type of the file
	Title    string // the name under which browsers save it
	FrontEnd string // the origin whose pages may show it in a frame; "" for none
}

// ServeHTTP supports ranges. A file never changes, so that its name is its entity tag.
func (h PrivateHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		fail(w, http.StatusMethodNotAllowed, "Method not allowed")
		return
	}
	content, err := h.Open(r.Context(), r.URL.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		RouteNotFound(w, r)
		return
	case err != nil:
		fail(w, http.StatusInternalServerError, "An unexpected error occurred")
		return
	}
	defer content.Close()
	SetPrivateHeaders(w.Header(), h.Type, h.Title, h.FrontEnd)
	w.Header().Set("ETag", `"`+r.URL.Path+`"`)
	http.ServeContent(w, r, "", content.ModTime, content)
}
