package httpapi_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/openlectern/openlectern/learning/learningtest"
)

// generated are the marks for what is made anew on every run. shape is how a value of this kind is
// told from the fixed ones of the fixture when a case is updated. Times are literal, because the clock
// of the kit stands still; see loosened.
var generated = []struct {
	mark, matches string
	shape         *regexp.Regexp
}{
	{"<document>", `\{.*\}`, never}, // which another case shows
	{"<date>", `\d{4}-\d\d-\d\d`, never},
	{"<token>", `[\w-]+\.[\w-]+\.[\w-]+`, never}, // that has the time, or compressed data, in it
	{"<length>", `\d+`, never},                   // of such a document
	{"<certificate>", `[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`, never}, // the fixture has such ids
	{"<uuid>", `[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`, nil},
	{"<slug>", `[a-z2-7]{26}`, regexp.MustCompile(`\b[a-z2-7]{26}\b`)},
	{"<order>", `order_[A-Z2-7]{14}`, nil},
	{"<time>", `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`, never},
	{"<hash>", `[0-9a-f]{32}`, nil},
	{"<request>", `[0-9a-f]{16}`, regexp.MustCompile(`\b[0-9a-f]{16}\b`)},
	{"<tokens>", `\d+(?: -> \d+)?`, regexp.MustCompile(`(?m:^    (?:prompt|completion)_tokens: (.+)$)`)}, // as the wording of a prompt has it
	{"<seconds>", `\d+`, regexp.MustCompile(`(?m:(?:^RateLimit-Reset|^Retry-After): (\d+)$)`)},
}

var never = regexp.MustCompile(`\z\A.`)

// dates are dates without a time, which the platform computes from its clock.
var dates = regexp.MustCompile(`([" ])\d{4}-\d\d-\d\d([" ])`)

// timeLayout is how answers and changes show times.
const timeLayout = "2006-01-02T15:04:05.000Z"

// loosened puts marks in the place of the times and dates of the clock that stands still, for a
// server with the real clock.
func loosened(text string) string {
	text = dates.ReplaceAllString(text, "$1<date>$2")
	return strings.NewReplacer(learningtest.Start.Format(timeLayout), "<time>",
		learningtest.Start.Truncate(24*time.Hour).Format(timeLayout), "<time>").Replace(text)
}

// isHidden reports whether a character is not seen in an editor, or changes how the text around it is
// shown. Files of cases have <U+hhhh> in its place.
func isHidden(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control) || r == '\ufeff')
}

// showHidden replaces hidden characters by <U+hhhh>.
func showHidden(text string) string {
	var b strings.Builder
	for _, r := range text {
		if isHidden(r) {
			fmt.Fprintf(&b, "<%U>", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// generalise puts marks in the place of generated values and of hidden characters.
func generalise(text string) string {
	text = showHidden(text)
	for _, g := range generated {
		shape := g.shape
		if shape == nil {
			shape = regexp.MustCompile(g.matches)
		}
		text = shape.ReplaceAllStringFunc(text, func(found string) string {
			if part := shape.FindStringSubmatch(found); len(part) > 1 {
				return strings.TrimSuffix(found, part[1]) + g.mark
			}
			return g.mark
		})
	}
	return text
}

// matches compares a text with one that has marks in it.
func matches(got, want string) bool {
	got = showHidden(got)
	pattern := regexp.QuoteMeta(want)
	for _, g := range generated {
		pattern = strings.ReplaceAll(pattern, regexp.QuoteMeta(g.mark), g.matches)
	}
	return regexp.MustCompile(`\A` + pattern + `\z`).MatchString(got)
}

// response is an answer as it came over the wire.
type response struct {
	*http.Response
	body []byte
}

// helmet has the default headers of Helmet 8, which every answer must have.
var helmet = map[string]string{
	"Content-Security-Policy":           "default-src 'self';base-uri 'self';font-src 'self' https: data:;form-action 'self';frame-ancestors 'self';img-src 'self' data:;object-src 'none';script-src 'self';script-src-attr 'none';style-src 'self' https: 'unsafe-inline';upgrade-insecure-requests",
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

// spelt has the headers that the contract spells differently from Go.
var spelt = map[string]string{
	"Ratelimit-Limit": "RateLimit-Limit", "Ratelimit-Policy": "RateLimit-Policy", "Ratelimit-Remaining": "RateLimit-Remaining",
	"Ratelimit-Reset": "RateLimit-Reset", "Etag": "ETag", "X-Dns-Prefetch-Control": "X-DNS-Prefetch-Control",
	"X-Request-Id": "X-Request-Id", "X-Xss-Protection": "X-XSS-Protection",
}

var requestIDs = regexp.MustCompile(`^[0-9a-f]{16}$`)

// checkCommon checks the properties of every answer, which the cases omit.
func (r *response) checkCommon(tb testing.TB) {
	tb.Helper()
	for name, value := range helmet {
		if name == "Content-Security-Policy" && bytes.Contains(r.body, []byte("swagger-ui-bundle")) {
			continue // the reference page has its own
		}
		if got := r.Header.Values(name); len(got) != 1 || got[0] != value {
			tb.Errorf("header %s is %q, want %q", name, got, value)
		}
	}
	if id := r.Header.Values("X-Request-Id"); len(id) != 1 || !requestIDs.MatchString(id[0]) {
		tb.Errorf("header X-Request-Id is %q", id)
	}
	length := r.Header.Get("Content-Length")
	if r.Request.Method != http.MethodHead && r.StatusCode != http.StatusNotModified && length != "" && length != strconv.Itoa(len(r.body)) {
		tb.Errorf("header Content-Length is %s, the body has %d bytes", length, len(r.body))
	}
	for name, most := range map[string]int{"RateLimit-Reset": 3600, "Retry-After": 24 * 3600} { // until the next window, or day
		if n, err := strconv.Atoi(r.Header.Get(name)); r.Header.Get(name) != "" && (err != nil || n < 1 || n > most) {
			tb.Errorf("header %s is %q", name, r.Header.Get(name))
		}
	}
}

// text writes an answer as cases do.
func (r *response) text(allHeaders bool) string {
	var lines []string
	for name, values := range r.Header {
		name = cmp.Or(spelt[name], name)
		if !allHeaders && (helmet[name] != "" || r.hidden(name)) || name == "Date" || name == "Connection" {
			continue
		}
		for _, value := range values {
			lines = append(lines, name+": "+value+"\n")
		}
	}
	slices.Sort(lines)
	return fmt.Sprintf("HTTP/1.1 %s\n%s\n%s", r.Status, strings.Join(lines, ""), r.readable())
}

func (r *response) hidden(name string) bool {
	return name == "X-Request-Id" || name == "Content-Length" && r.Request.Method != http.MethodHead
}

// readable is the body with a line's end, and unpacked.
func (r *response) readable() string {
	body := r.body
	if r.Header.Get("Content-Encoding") == "gzip" && len(body) > 0 {
		if z, err := gzip.NewReader(bytes.NewReader(body)); err == nil {
			body, _ = io.ReadAll(z)
		}
	}
	if len(body) == 0 {
		return ""
	}
	return string(body) + "\n"
}

// longLine is from where on a body is written on several lines.
const longLine = 160

// indented writes a long JSON body of an answer so that it can be read.
func indented(answer string) string {
	head, body, _ := strings.Cut(answer, "\n\n")
	var pretty bytes.Buffer
	if len(body) <= longLine || json.Indent(&pretty, []byte(body), "", "  ") != nil {
		return answer
	}
	return head + "\n\n" + pretty.String()
}

// compacted undoes indented.
// An answer that is streamed has lines by itself, which do not matter.
func compacted(answer string) string {
	head, body, _ := strings.Cut(answer, "\n\n")
	var compact bytes.Buffer
	if !strings.Contains(strings.TrimSpace(body), "\n") || json.Compact(&compact, []byte(body)) != nil {
		return answer
	}
	return head + "\n\n" + compact.String() + "\n"
}

// pageHeading matches the heading of a page, which has the message of a failure.
var pageHeading = regexp.MustCompile(`<h1>(.*)</h1>`)

// statusAndMessage returns the status of an answer, and the message of a failure.
func statusAndMessage(tb testing.TB, answer string) (status int, message string) {
	tb.Helper()
	_, rest, _ := strings.Cut(answer, " ")
	status, err := strconv.Atoi(rest[:min(3, len(rest))])
	check(tb, err)
	_, text, _ := strings.Cut(answer, "\n\n")
	var body struct {
		Success *bool
		Message string
		Error   string
	}
	if heading := pageHeading.FindStringSubmatch(text); heading != nil {
		body.Message = heading[1]
	}
	_ = json.Unmarshal([]byte(text), &body) // what is neither has no message
	if status >= 400 || body.Success != nil && !*body.Success {
		message = cmp.Or(body.Message, body.Error)
	}
	return status, message
}
