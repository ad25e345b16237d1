package contracttest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
)

// generated are the marks for values that differ on every run. shape finds such values, and no
// fixed ones of the fixture, when a case is updated; nil means matches. Times are literal, because
// the clock of the kit is fixed; see loosened.
var generated = []struct {
	mark, matches string
	shape         *regexp.Regexp
}{
	{mark: "<document>", matches: `\{.*\}`, shape: never}, // which another case shows
	{mark: "<date>", matches: `\d{4}-\d\d-\d\d`, shape: never},
	{mark: "<token>", matches: `[\w-]+\.[\w-]+\.[\w-]+`,
		shape: never}, // with the time or compressed data in it
	{mark: "<length>", matches: `\d+`, shape: never},       // of such a document
	{mark: "<milliseconds>", matches: `\d+`, shape: never}, // since a time of the fixture
	// the fixture has such ids
	{mark: "<certificate>",
		matches: `[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`,
		shape:   never},
	{mark: "<uuid>", matches: `[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`,
		shape: nil},
	{mark: "<slug>", matches: `[a-z2-7]{26}`, shape: regexp.MustCompile(`\b[a-z2-7]{26}\b`)},
	{mark: "<stored>", matches: `[A-Z2-7]{26}`, shape: regexp.MustCompile(
		`\b[A-Z2-7]{26}\b`)}, // the name of a file of lectures
	{mark: "<until>", matches: `\d{10}`, shape: regexp.MustCompile(`until=(\d{10})`)},
	{mark: "<signature>", matches: `[\w-]{43}`, shape: regexp.MustCompile(
		`signature=([\w-]{43})`)},
	{mark: "<order>", matches: `order_[A-Z2-7]{14}`, shape: nil},
	{mark: "<secret>", matches: `pi_[A-Z2-7]{24}_secret_[A-Z2-7]{24}`, shape: nil},
	{mark: "<intent>", matches: `pi_[A-Z2-7]{24}`, shape: nil},
	{mark: "<refund>", matches: `rfnd_[A-Z2-7]{14}`, shape: nil},
	{mark: "<time>", matches: `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`, shape: never},
	{mark: "<hash>", matches: `[0-9a-f]{32}`, shape: nil},
	// of questions and options
	{mark: "<chance>", matches: `[0-9a-f]{20}`, shape: regexp.MustCompile(`\b[0-9a-f]{20}\b`)},
	// the id of a request, for which the middleware of a host may have another form
	{mark: "<request>", matches: `[\w.:/+=-]{1,200}`, shape: regexp.MustCompile(`\b[0-9a-f]{16}\b`)},
	// depends on the wording of a prompt
	{mark: "<tokens>", matches: `\d+(?: -> \d+)?`,
		shape: regexp.MustCompile(`(?m:^    (?:prompt|completion)_tokens: (.+)$)`)},
	{mark: "<seconds>", matches: `\d+`,
		shape: regexp.MustCompile(`(?m:(?:^RateLimit-Reset|^Retry-After): (\d+)$)`)},
}

var never = regexp.MustCompile(`\z\A.`)

// dates are dates without a time, which the platform computes from its clock.
var dates = regexp.MustCompile(`([" ])\d{4}-\d\d-\d\d([" ])`)

// spans are times that something took, which the platform computes from its clock.
var spans = regexp.MustCompile(`("seconds": ?)\d+`)

// timeLayout is how answers and changes show times.
const timeLayout = "2006-01-02T15:04:05.000Z"

// loosened replaces the times and dates of the fixed clock by marks, and what has passed by it, for
// a server with the real clock.
func loosened(text string) string {
	text = dates.ReplaceAllString(text, "$1<date>$2")
	text = spans.ReplaceAllString(text, "$1<seconds>")
	return strings.NewReplacer(Start.Format(timeLayout), "<time>",
		Start.Truncate(24*time.Hour).Format(timeLayout), "<time>").Replace(text)
}

// IsHidden reports whether an editor does not show a character, or whether the character changes
// how the text around it is shown. Files of cases have <U+hhhh> in its place.
func IsHidden(r rune) bool {
	return r != '\n' && r != '\t' &&
		(unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control) ||
			r == '\ufeff')
}

// ShowHidden replaces hidden characters by <U+hhhh>.
func ShowHidden(text string) string {
	var b strings.Builder
	for _, r := range text {
		if IsHidden(r) {
			fmt.Fprintf(&b, "<%U>", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// generalise replaces generated values and hidden characters by marks. Of a value whose shape has a
// group, it replaces the text of the group only, which is at the end.
func generalise(text string) string {
	text = ShowHidden(text)
	for _, g := range generated {
		shape := g.shape
		if shape == nil {
			shape = regexp.MustCompile(g.matches)
		}
		text = shape.ReplaceAllStringFunc(text, func(found string) string {
			if groups := shape.FindStringSubmatch(found); len(groups) > 1 {
				return strings.TrimSuffix(found, groups[1]) + g.mark
			}
			return g.mark
		})
	}
	return text
}

// Matches reports whether the text got equals want, in which marks stand for generated values and
// hidden characters.
func Matches(got, want string) bool {
	got = ShowHidden(got)
	pattern := regexp.QuoteMeta(want)
	for _, g := range generated {
		pattern = strings.ReplaceAll(pattern, regexp.QuoteMeta(g.mark), g.matches)
	}
	return regexp.MustCompile(`\A` + pattern + `\z`).MatchString(got)
}

// keepMarks returns an answer with the headers of the old one that match its own, because a person
// may have written a mark where generalise writes a value, such as <length>.
func keepMarks(old, answer string) string {
	oldHead, _, _ := strings.Cut(old, "\n\n")
	head, body, _ := strings.Cut(answer, "\n\n")
	lines := strings.Split(head, "\n")
	for i, line := range lines {
		for oldLine := range strings.SplitSeq(oldHead, "\n") {
			if headerName(line) == headerName(oldLine) && Matches(line, oldLine) {
				lines[i] = oldLine
			}
		}
	}
	return strings.Join(lines, "\n") + "\n\n" + body
}

// longLine is the length above which a JSON body is written on several lines.
const longLine = 160

// wideLine is the length up to which a value stands on one line of such a body.
const wideLine = 100

// Indented returns an answer in which a long JSON body is written on several lines, so that it can
// be read. It returns other answers as they are.
func Indented(answer string) string {
	head, body, _ := strings.Cut(answer, "\n\n")
	var compact bytes.Buffer
	if len(body) <= longLine || json.Compact(&compact, []byte(body)) != nil {
		return answer
	}
	var b strings.Builder
	writeIndented(&b, compact.Bytes(), "", 0)
	return head + "\n\n" + b.String() + "\n"
}

// writeIndented writes compact JSON at a column: on one line if there is room, or else each field
// or element on a line of its own.
func writeIndented(b *strings.Builder, value []byte, indent string, column int) {
	line := spaced(value)
	if column+len(line) <= wideLine || value[0] != '{' && value[0] != '[' {
		b.WriteString(line)
		return
	}
	d := json.NewDecoder(bytes.NewReader(value))
	start, _ := d.Token() // no step fails, because value is valid
	b.WriteString(fmt.Sprint(start))
	inner := indent + "  "
	for separator := "\n"; d.More(); separator = ",\n" {
		name := ""
		if value[0] == '{' {
			before := d.InputOffset()
			_, _ = d.Token()
			name = string(bytes.TrimLeft(value[before:d.InputOffset()], ",")) + ": "
		}
		var part json.RawMessage
		_ = d.Decode(&part)
		b.WriteString(separator + inner + name)
		writeIndented(b, part, inner, len(inner)+len(name))
	}
	end, _ := d.Token()
	b.WriteString("\n" + indent + fmt.Sprint(end))
}

// spaced returns compact JSON with a blank after each comma and colon that is not in a text.
func spaced(value []byte) string {
	var b strings.Builder
	inText := false
	for i, char := range value {
		b.WriteByte(char)
		switch {
		case char == '"' && !escaped(value[:i]):
			inText = !inText
		case (char == ',' || char == ':') && !inText:
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// escaped reports whether an odd number of backslashes precedes a character.
func escaped(before []byte) bool {
	return (len(before)-len(bytes.TrimRight(before, `\`)))%2 == 1
}

// Compacted undoes Indented. It also removes the line ends that a streamed list has between its
// rows. It returns an answer without a JSON body of several lines as it is.
func Compacted(answer string) string {
	head, body, _ := strings.Cut(answer, "\n\n")
	var compact bytes.Buffer
	if !strings.Contains(strings.TrimSpace(body), "\n") ||
		json.Compact(&compact, []byte(body)) != nil {
		return answer
	}
	return head + "\n\n" + compact.String() + "\n"
}

// pageHeading matches the heading of a page, which has the message of a failure.
var pageHeading = regexp.MustCompile(`<h1>(.*)</h1>`)

// StatusAndMessage returns the status of an answer, and the message of a failure, or "" for a
// success. A page has its message in the heading.
func StatusAndMessage(tb testing.TB, answer string) (status int, message string) {
	tb.Helper()
	_, rest, _ := strings.Cut(answer, " ")
	status, err := strconv.Atoi(rest[:min(3, len(rest))])
	check(tb, err)
	_, text, _ := strings.Cut(answer, "\n\n")
	var body struct {
		Success *bool
		Message string
		Error   string
		Title   string // of a problem
	}
	if heading := pageHeading.FindStringSubmatch(text); heading != nil {
		body.Message = heading[1]
	}
	_ = json.Unmarshal([]byte(text), &body) // another body has no message
	// Some failures have the status 200 and "success":false.
	if status >= 400 || body.Success != nil && !*body.Success {
		message = cmp.Or(body.Message, body.Error, body.Title)
	}
	return status, message
}
