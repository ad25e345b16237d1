package sandbox

import (
	"bytes"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
)

// The largest bodies of requests, in bytes. Prompts may be larger than other bodies.
const (
	maxBody   = 256 << 10
	maxPrompt = 1 << 20
)

var errBodyTooLarge = errors.New("the body is too large")

// writeJSON answers v as JSON, or 500 if it cannot be encoded.
func writeJSON(w http.ResponseWriter, status int, v any) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		http.Error(w, "the answer cannot be encoded", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // the client may be gone
}

// readBody reads the body of a request of at most maxBody bytes.
func readBody(r *http.Request) ([]byte, error) { return readAtMost(r, maxBody) }

// readAtMost reads the body of a request, and returns errBodyTooLarge if it has more bytes than
// most.
func readAtMost(r *http.Request, most int) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r.Body, int64(most)+1)) // one more tells a larger body
	if err != nil {
		return nil, err
	}
	if len(b) > most {
		return nil, errBodyTooLarge
	}
	return b, nil
}

// wantsJSON reports whether a request comes from a program that accepts JSON, and not from a
// browser. Accept must name JSON: the */* of curl counts as a browser's.
func wantsJSON(r *http.Request) bool {
	accept := r.Header.Get("Accept")
	return strings.Contains(accept, "application/json") && !strings.Contains(accept, "text/html")
}

// same compares secrets in constant time.
func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
