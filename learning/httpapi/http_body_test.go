package httpapi_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// countingReader counts the bytes that were read.
type countingReader struct {
	io.Reader
	read int
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.read += n
	return n, err
}

// A body that does not announce its length is read up to the limit of its route.
func TestBody_WithoutLength_IsReadUpToTheLimitOfItsRoute(t *testing.T) {
	const mib = 1 << 20
	s := fixtureSite(t)
	for path, tt := range map[string]struct {
		header, value, user, body string
		atMost                    int // that are read
	}{
		"/api/user/purchase": {"Content-Type", "application/json", "student", `{"courseId":"`,
			110 << 10},
		"/gateway": {"X-Gateway-Signature", "none", "", `{"event":"`, mib + 10<<10},
		"/api/educator/add-course": {"Content-Type", "multipart/form-data; boundary=x", "educator",
			"--x\r\nContent-Disposition: form-data; name=\"other\"\r\n\r\n", 12 * mib},
	} {
		body := &countingReader{Reader: io.MultiReader(strings.NewReader(tt.body),
			strings.NewReader(strings.Repeat("x", 32*mib)))}
		r := httptest.NewRequest(http.MethodPost, path, body)
		r.ContentLength = -1
		r.Header.Set(tt.header, tt.value)
		if tt.user != "" {
			r.Header.Set("Authorization", "Bearer "+s.Token(t, tt.user))
		}
		w := httptest.NewRecorder()
		s.handler.ServeHTTP(w, r)
		if w.Code != http.StatusRequestEntityTooLarge || body.read > tt.atMost {
			t.Errorf("%s: %d after %d bytes: %s", path, w.Code, body.read, w.Body)
		}
	}
}
