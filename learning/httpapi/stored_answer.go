package httpapi

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"

	"github.com/openlectern/openlectern/internal/web"
)

// storedAnswer is the body of an answer that is encoded once for many requests: as it is, and
// compressed. It must not be changed.
type storedAnswer struct{ plain, zipped storedBody }

// storedBody is one encoding of a body, with its entity tag.
type storedBody struct {
	bytes []byte
	etag  string
}

// newStoredAnswer compresses a body, and makes the tags of both forms.
func newStoredAnswer(plain []byte) (storedAnswer, error) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	if _, err := z.Write(plain); err != nil {
		return storedAnswer{}, err
	}
	if err := z.Close(); err != nil {
		return storedAnswer{}, err
	}
	// The tag of the zipped body differs, because an ETag names one sequence of bytes.
	sum := sha256.Sum256(plain)
	tag := hex.EncodeToString(sum[:16]) // half of the sum is enough to tell two bodies apart
	return storedAnswer{
		plain:  storedBody{bytes: plain, etag: `"` + tag + `"`},
		zipped: storedBody{bytes: zipped.Bytes(), etag: `"` + tag + `-gzip"`},
	}, nil
}

// revalidate is the Cache-Control of answers that clients may keep if they ask each time.
const revalidate = "no-cache"

// write answers the form that a client accepts, or 304 if the client has it already.
func (s storedAnswer) write(w http.ResponseWriter, c *call, contentType string) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Cache-Control", revalidate)
	h.Add("Vary", "Accept-Encoding")
	form := s.plain
	if web.AcceptsGzip(c.Header.Values("Accept-Encoding")) {
		form = s.zipped
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Etag", form.etag)
	if matches(c.Header.Get("If-None-Match"), form.etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Length", strconv.Itoa(len(form.bytes)))
	// All requests share these bytes, so their memory is not counted. The client may have left.
	_, _ = w.Write(form.bytes)
}

// matches reports whether an If-None-Match header names an entity tag, by weak comparison
// (RFC 9110, 13.1.2).
func matches(header, etag string) bool {
	for part := range strings.SplitSeq(header, ",") {
		if part = strings.TrimSpace(part); part == "*" || strings.TrimPrefix(part, "W/") == etag {
			return true
		}
	}
	return false
}
