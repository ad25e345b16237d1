package mediatest

import (
	"fmt"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// ask sends a request for a name, as a store gets it after http.StripPrefix.
func ask(s Store, method, name string, header map[string]string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "/", nil)
	r.URL = &url.URL{Path: name}
	for key, value := range header {
		r.Header.Set(key, value)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// The content is HTML, to show that the content type does not depend on it.
const script = "<html><script>alert(1)</script>"

func headersByExtension(t *testing.T, s Store) {
	for name, contentType := range types {
		if err := s.Put(t.Context(), name, contentType, []byte(script)); err != nil {
			t.Fatal(err)
		}
		for method, body := range map[string]string{"GET": script, "HEAD": ""} {
			res := ask(s, method, name, nil)
			if res.Code != 200 || res.Body.String() != body {
				t.Errorf("%s %s: status %d, body %q", method, name, res.Code, res.Body)
			}
			got := res.Header().Clone()
			if _, err := http.ParseTime(got.Get("Last-Modified")); err != nil {
				t.Errorf("%s %s: Last-Modified: %v", method, name, err)
			}
			got.Del("Last-Modified")
			if diff := cmp.Diff(headersOf(contentType), got); diff != "" {
				t.Errorf("%s %s: %s", method, name, diff)
			}
		}
	}
}

// headersOf returns the headers that a file with the content script must be answered with, without
// Last-Modified.
func headersOf(contentType string) http.Header {
	h := http.Header{
		"Content-Type": {contentType}, "Content-Length": {fmt.Sprint(len(script))},
		"Accept-Ranges": {"bytes"}, "X-Content-Type-Options": {"nosniff"},
		"Cross-Origin-Resource-Policy": {"cross-origin"},
		"Content-Security-Policy":      {"default-src 'none'; sandbox"},
		"Cache-Control":                {"public, max-age=31536000, immutable"},
	}
	if contentType == "application/pdf" {
		// because Safari shows nothing in a sandbox
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
		// because it contains a name
		h.Set("Cache-Control", "private, no-store")
		h.Set("X-Robots-Tag", "noindex")
	}
	return h
}

func ranges(t *testing.T, s Store) {
	put(t, s, "a.png", "0123456789")
	later := time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)
	for _, c := range []struct {
		header, value, want string
		status              int
	}{
		{header: "Range", value: "bytes=0-", want: "0123456789", status: 206},
		{header: "Range", value: "bytes=2-4", want: "234", status: 206},
		{header: "Range", value: "bytes=-3", want: "789", status: 206},
		{header: "Range", value: "bytes=99-", want: "invalid range: failed to overlap\n",
			status: 416},
		{header: "Range", value: "lines=1", want: "invalid range\n", status: 416},
		{header: "If-Modified-Since", value: later, want: "", status: 304},
		{header: "If-Modified-Since", value: "Mon, 02 Jan 2006 15:04:05 GMT", want: "0123456789",
			status: 200},
	} {
		res := ask(s, "GET", "a.png", map[string]string{c.header: c.value})
		if got := res.Body.String(); res.Code != c.status || got != c.want {
			t.Errorf("%s %s: status %d, %q", c.header, c.value, res.Code, got)
		}
		if c.status == 416 && res.Header().Get("Cache-Control") != "" {
			t.Error("an error may be cached for a year")
		}
	}
}

func missingFile(t *testing.T, s Store) {
	put(t, s, "folder/a.png", script)
	names := append([]string{"absent.png", "folder", "folder/", "folder.png", "folder/a.png/",
		"folder/a.png/b.png"}, BadNames...)
	for _, name := range names {
		for _, method := range []string{"GET", "HEAD"} {
			res := ask(s, method, name, nil)
			headers := http.Header{"Content-Type": {"application/json; charset=utf-8"},
				"X-Content-Type-Options": {"nosniff"}}
			if diff := cmp.Diff(headers, res.Header()); diff != "" || res.Code != 404 ||
				res.Body.String() != `{"success":false,"message":"Route not found"}` {
				t.Errorf("%s %.50q: status %d, %s\n%s", method, name, res.Code, res.Body, diff)
			}
		}
	}
}

func otherMethod(t *testing.T, s Store) {
	put(t, s, "a.png", "x")
	for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "BREW"} {
		res := ask(s, method, "a.png", nil)
		if res.Code != 405 || res.Header().Get("Allow") != "GET, HEAD" ||
			res.Body.String() != `{"success":false,"message":"Method not allowed"}` {
			t.Errorf("%s: status %d, %s", method, res.Code, res.Body)
		}
	}
	want(t, s, "a.png", true)
}

// long returns the content of a file that is read in many pieces.
func long() string {
	var b strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&b, "%08d\n", i)
	}
	return b.String()
}

func largeFile(t *testing.T, s Store) {
	content := long()
	put(t, s, "a.png", content)
	if res := ask(s, "GET", "a.png", nil); res.Code != 200 || res.Body.String() != content {
		t.Errorf("status %d, %d bytes", res.Code, res.Body.Len())
	}
}

func largePart(t *testing.T, s Store) {
	content := long()
	put(t, s, "a.png", content)
	res := ask(s, "GET", "a.png", map[string]string{"Range": "bytes=300000-599999"})
	if res.Code != 206 || res.Body.String() != content[300000:600000] ||
		res.Header().Get("Content-Range") != "bytes 300000-599999/900000" {
		t.Errorf("status %d, %d bytes, %s", res.Code, res.Body.Len(),
			res.Header().Get("Content-Range"))
	}
}

func severalParts(t *testing.T, s Store) {
	content := long()
	put(t, s, "a.png", content)
	res := ask(s, "GET", "a.png", map[string]string{"Range": "bytes=0-8,899991-899999,90000-90008"})
	_, parameters, err := mime.ParseMediaType(res.Header().Get("Content-Type"))
	if err != nil || res.Code != 206 {
		t.Fatalf("status %d, %v", res.Code, err)
	}
	parts := multipart.NewReader(res.Body, parameters["boundary"])
	for _, want := range []string{content[:9], content[899991:], content[90000:90009]} {
		part, err := parts.NextPart()
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, 9) // the length of each part
		if n, err := part.Read(got); n != 9 || string(got) != want {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
}
