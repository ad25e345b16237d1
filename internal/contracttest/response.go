package contracttest

import (
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Response is an answer with its body.
type Response struct {
	*http.Response
	Content []byte
}

// Helmet has the default headers of Helmet 8, which every answer must have.
var Helmet = map[string]string{
	"Content-Security-Policy": "default-src 'self';base-uri 'self';font-src 'self' " +
		"https: data:;form-action 'self';frame-ancestors 'self';img-src 'self' data:;object-src " +
		"'none';script-src 'self';script-src-attr 'none';style-src 'self' https: " +
		"'unsafe-inline';upgrade-insecure-requests",
	"Cross-Origin-Opener-Policy":        "same-origin",
	"Cross-Origin-Resource-Policy":      "same-origin",
	"Origin-Agent-Cluster":              "?1",
	"Referrer-Policy":                   "no-referrer",
	"Strict-Transport-Security":         "max-age=31536000; includeSubDomains",
	"X-Content-Type-Options":            "nosniff",
	"X-DNS-Prefetch-Control":            "off",
	"X-Download-Options":                "noopen",
	"X-Frame-Options":                   "SAMEORIGIN",
	"X-Permitted-Cross-Domain-Policies": "none",
	"X-XSS-Protection":                  "0",
}

// Spelt has the headers that the contract spells differently from Go.
var Spelt = map[string]string{
	"Ratelimit-Limit": "RateLimit-Limit", "Ratelimit-Policy": "RateLimit-Policy",
	"Ratelimit-Remaining": "RateLimit-Remaining",
	"Ratelimit-Reset":     "RateLimit-Reset", "Etag": "ETag",
	"X-Dns-Prefetch-Control": "X-DNS-Prefetch-Control",
	"X-Request-Id":           "X-Request-Id", "X-Xss-Protection": "X-XSS-Protection",
}

var requestIDs = regexp.MustCompile(`^[0-9a-f]{16}$`)

// CheckCommon checks the properties of every answer, which the cases omit.
func (r *Response) CheckCommon(tb testing.TB) {
	tb.Helper()
	for name, value := range Helmet {
		if name == "Content-Security-Policy" &&
			bytes.Contains(r.Content, []byte("swagger-ui-bundle")) {
			continue // the reference page has its own
		}
		if got := r.Header.Values(name); len(got) != 1 || got[0] != value {
			tb.Errorf("header %s is %q, want %q", name, got, value)
		}
	}
	if id := r.Header.Values("X-Request-Id"); len(id) != 1 || !requestIDs.MatchString(id[0]) {
		tb.Errorf("header X-Request-Id is %q", id)
	}
	r.checkFigures(tb)
}

// checkOfHost checks the same of an answer that went through the middleware of a host, which may
// have values of its own for the security headers and the id of the request.
func (r *Response) checkOfHost(tb testing.TB) {
	tb.Helper()
	for name := range Helmet {
		if r.Header.Get(name) == "" {
			tb.Errorf("the answer has no header %s: the middleware of the host has removed it",
				name)
		}
	}
	if r.Header.Get("X-Request-Id") == "" {
		tb.Error("the answer has no header X-Request-Id: the middleware of the host has removed it")
	}
	r.checkFigures(tb)
}

// checkFigures checks the headers that are numbers.
func (r *Response) checkFigures(tb testing.TB) {
	tb.Helper()
	length := r.Header.Get("Content-Length")
	if r.Request.Method != http.MethodHead && r.StatusCode != http.StatusNotModified &&
		length != "" && length != strconv.Itoa(len(r.Content)) {
		tb.Errorf("header Content-Length is %s, the body has %d bytes", length, len(r.Content))
	}
	// Both are seconds: at most until the next window of a limit, or until the next day.
	for name, most := range map[string]int{"RateLimit-Reset": 24 * 3600, "Retry-After": 24 * 3600} {
		if n, err := strconv.Atoi(r.Header.Get(name)); r.Header.Get(name) != "" &&
			(err != nil || n < 1 || n > most) {
			tb.Errorf("header %s is %q", name, r.Header.Get(name))
		}
	}
}

// Text writes an answer as cases do: the status, the headers in the order of their names, and the
// body. Without allHeaders it leaves out the headers that CheckCommon checks. It always leaves out
// those of the connection.
func (r *Response) Text(allHeaders bool) string {
	var lines []string
	for name, values := range r.Header {
		name = cmp.Or(Spelt[name], name)
		if !allHeaders && (Helmet[name] != "" || r.hidden(name)) || name == "Date" ||
			name == "Connection" {
			continue
		}
		for _, value := range values {
			lines = append(lines, name+": "+value+"\n")
		}
	}
	slices.Sort(lines)
	return fmt.Sprintf("HTTP/1.1 %s\n%s\n%s", r.Status, strings.Join(lines, ""), r.Readable())
}

// hidden reports whether an answer is written without a header, because its value is generated or
// follows from the body. The answer to HEAD has no body.
func (r *Response) hidden(name string) bool {
	return name == "X-Request-Id" || name == "Content-Length" && r.Request.Method != http.MethodHead
}

// readableZip returns the entries of a zip, each with its method, its time and its content.
func readableZip(data []byte) (string, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "entry: %s method=%d %s\n", f.Name, f.Method,
			f.Modified.UTC().Format(time.DateOnly))
		if _, err = io.Copy(&b, in); err != nil {
			return "", err
		}
		b.WriteString("\n")
	}
	return b.String(), nil
}

// Readable returns the body, uncompressed, with a line end, or "" if it is empty.
func (r *Response) Readable() string {
	body := r.Content
	if r.Header.Get("Content-Encoding") == "gzip" && len(body) > 0 {
		if z, err := gzip.NewReader(bytes.NewReader(body)); err == nil {
			body, _ = io.ReadAll(z)
		}
	}
	if len(body) == 0 {
		return ""
	}
	if r.Header.Get("Content-Type") == "application/zip" {
		if text, err := readableZip(body); err == nil {
			return text
		}
	}
	// Which words a PDF has is tested where it is drawn.
	if r.Header.Get("Content-Type") == "application/pdf" && bytes.HasPrefix(body, []byte("%PDF-")) {
		return "a PDF\n"
	}
	return string(body) + "\n"
}
