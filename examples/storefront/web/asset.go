package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// asset is an answer that is made at the start.
type asset struct {
	body             []byte
	compressed       func() []byte // compresses the body at the first call
	contentType, tag string        // tag identifies the version of the body
	policy           string        // Content-Security-Policy; empty for files that are no documents
}

// newAsset returns the asset of a body, which must not change any more.
func newAsset(body []byte, contentType, policy string) *asset {
	sum := sha256.Sum256(body) // 8 of its bytes are enough to tell versions apart
	return &asset{body: body, contentType: contentType, policy: policy,
		tag:        hex.EncodeToString(sum[:8]),
		compressed: sync.OnceValue(func() []byte { return compress(body) })}
}

// compress returns a body in the format gzip.
func compress(body []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(body) // a buffer returns no errors
	_ = w.Close()
	return b.Bytes()
}

// serve answers the asset, or 304 if the client has it.
func (a *asset) serve(w http.ResponseWriter, r *http.Request) {
	a.setHeaders(w.Header())
	body, tag := a.body, a.tag
	if acceptsGzip(r) { // the two forms of the answer need different tags
		body, tag = a.compressed(), a.tag+"-gzip"
		w.Header().Set("Content-Encoding", "gzip")
	}
	w.Header().Set("ETag", `"`+tag+`"`)
	// Without a name and a time: the type is set, and the tag says which version it is.
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// serveAs answers the asset with another status than 200, which http.ServeContent cannot do. The
// answer is not compressed and has no tag.
func (a *asset) serveAs(w http.ResponseWriter, r *http.Request, status int) {
	a.setHeaders(w.Header())
	w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(a.body) // the client may have left
	}
}

// setHeaders sets the headers of every answer. The referrer is the origin, because players of
// videos want to know which site shows them.
func (a *asset) setHeaders(h http.Header) {
	h.Set("Content-Type", a.contentType)
	h.Set("Cache-Control", "no-cache") // a browser asks whether its copy is current
	h.Set("Vary", "Accept-Encoding")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "strict-origin-when-cross-origin")
	if a.policy != "" {
		h.Set("Content-Security-Policy", a.policy)
	}
}

// acceptsGzip reports whether a client accepts compressed answers. A range is a part of the
// uncompressed answer.
func acceptsGzip(r *http.Request) bool {
	if r.Header.Get("Range") != "" {
		return false
	}
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, quality, _ := strings.Cut(strings.TrimSpace(part), ";")
		if strings.TrimSpace(name) == "gzip" {
			q, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(quality), "q="), 64)
			return err != nil || q > 0 // it may have no quality; 0 means that it is not accepted
		}
	}
	return false
}
