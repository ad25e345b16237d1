package contracttest

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/openlectern/openlectern"
)

// caseFile is a file testdata/contract/<route id>.http, which has all cases of a route. Its head
// says once what most requests and answers have; testdata/contract/README.md has the format.
type caseFile struct {
	name    string   // on disk
	head    string   // up to the headers of the answers, as it is
	request message  // what requests have unless a case says otherwise
	answer  []string // the headers that answers have unless a case says otherwise
	// whether the file has these headers, so that rewriting a case keeps them
	isAnswered bool
	cases      []*Case
	mu         sync.Mutex // held while a case is rewritten
}

const (
	module      = "../../" // from the tests of package httpapi, which rewrite the files
	caseMark    = "### "
	answerMark  = "HTTP/1.1"
	changesMark = "=== changes"
	sharedMark  = " of " // after which the case is named whose body or changes a case repeats
	bodyMark    = "=== body" + sharedMark
	AnyRoute    = "any" // the file of requests that reach no route
)

// LoadCases reads every case. The first case of a file comes first.
func LoadCases(tb testing.TB) []*Case {
	tb.Helper()
	files, err := fs.Glob(openlectern.ContractCases, "testdata/contract/*.http")
	check(tb, err)
	if len(files) == 0 {
		tb.Fatal("there are no contract cases")
	}
	var cases []*Case
	for _, file := range files {
		text, err := openlectern.ContractCases.ReadFile(file)
		check(tb, err)
		f, err := parseCaseFile(filepath.FromSlash(module+file), string(text))
		if err != nil {
			tb.Fatalf("%s: %v", file, err)
		}
		cases = append(cases, f.cases...)
	}
	return cases
}

// parseCaseFile returns the cases of a file whose content is text.
func parseCaseFile(name, text string) (*caseFile, error) {
	f := &caseFile{name: name}
	head, rest, found := strings.Cut("\n"+text, "\n"+caseMark)
	if !found {
		return nil, errors.New("the file has no case")
	}

	// Read the head. Its answer has headers only.
	lines := strings.Split(strings.TrimPrefix(head, "\n"), "\n")
	at := slices.Index(lines, answerMark)
	if at >= 0 {
		f.answer = withoutComments(lines[at+1:])
		lines = lines[:at]
	}
	f.isAnswered = len(f.answer) > 0
	f.head = strings.TrimSuffix(strings.Join(lines, "\n"), "\n")
	f.request = parseMessage(withoutComments(lines), requestLine)

	// Read the cases, each of which ends with an empty line, except for the last.
	route := strings.TrimSuffix(path.Base(filepath.ToSlash(name)), ".http")
	sections := strings.Split(strings.TrimSuffix(rest, "\n"), "\n"+caseMark)
	known := map[string]bool{}
	for i, section := range sections {
		if i < len(sections)-1 {
			section = strings.TrimSuffix(section, "\n")
		}
		c := &Case{Route: route, in: f}
		if err := c.parse(section); err != nil {
			return nil, fmt.Errorf("case %q: %w", c.Name, err)
		}
		if known[c.Name] {
			return nil, fmt.Errorf("there are two cases %q", c.Name)
		}
		known[c.Name] = true
		f.cases = append(f.cases, c)
	}
	return f, nil
}

// parse reads a case without caseMark and without a line end after its last line.
func (c *Case) parse(section string) error {
	// The first line has the name and what the case protects.
	lines := strings.Split(section, "\n")
	c.Name, _, _ = strings.Cut(lines[0], ": ")
	c.File = c.in.name + ", case " + c.Name
	at := slices.IndexFunc(lines, func(line string) bool {
		return strings.HasPrefix(line, answerMark+" ")
	})
	written, answer := lines, []string(nil)
	if at >= 0 {
		written, answer = lines[:at], lines[at:]
	}
	c.written = strings.Join(written, "\n")

	// Read the lines before the request.
	request := written[1:]
	for ; len(request) > 0; request = request[1:] {
		line := request[0]
		given, isGiven := strings.CutPrefix(line, "given: ")
		callers, hasCallers := strings.CutPrefix(line, "callers: ")
		switch {
		case isGiven:
			c.givens = append(c.givens, given)
		case line == "show: "+showAllHeaders:
			c.allHeaders = true
		case hasCallers:
			c.Callers = callers
		}
		if !isGiven && !hasCallers && line != "show: "+showAllHeaders &&
			!strings.HasPrefix(line, "#") {
			break
		}
	}

	if len(request) > 0 && unknownLine.MatchString(request[0]) {
		return fmt.Errorf("unknown line %q", request[0])
	}

	// Read the request.
	own := parseMessage(request, requestLine)
	if own.line == "" {
		own.line = c.in.request.line
	}
	first, _, _ := strings.Cut(own.body, "\n")
	if own.line == "" || requestLine.MatchString(first) {
		return errors.New("a request begins after the lines \"given\", without an empty line")
	}
	own.headers = merged(c.in.request.headers, own.headers)
	c.Request = strings.Join(append([]string{own.line}, own.headers...), "\n")
	if own.hasBody {
		c.Request += "\n\n" + own.body
	}
	if at < 0 {
		return nil
	}

	// Read the changes and the answer.
	isChanges := func(line string) bool {
		return line == changesMark || strings.HasPrefix(line, changesMark+sharedMark)
	}
	if i := slices.IndexFunc(answer, isChanges); i >= 0 {
		c.Changes = strings.Join(answer[i+1:], "\n") + "\n"
		if name, isShared := strings.CutPrefix(answer[i], changesMark+sharedMark); isShared {
			other, err := c.in.named(name)
			if err != nil {
				return err
			}
			c.Changes = other.Changes
		}
		answer = answer[:i]
	}
	got := parseMessage(answer, statusLine)
	if name, isShared := strings.CutPrefix(got.body, bodyMark); isShared {
		other, err := c.in.named(name)
		if err != nil {
			return err
		}
		got.body = answerOf(other).body
	}
	headers := merged(c.in.answer, got.headers)
	slices.Sort(headers)
	c.Answer = strings.Join(append([]string{got.line}, headers...), "\n") + "\n\n"
	if got.hasBody {
		c.Answer += got.body + "\n"
	}
	return nil
}

// named returns the case of a name that was read before.
func (f *caseFile) named(name string) (*Case, error) {
	i := slices.IndexFunc(f.cases, func(c *Case) bool { return c.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("no case %q precedes it", name)
	}
	return f.cases[i], nil
}

// write stores the case with a new answer and new changes in its file. It keeps what precedes the
// answer, and all other cases.
func (c *Case) write(answer, changes string) error {
	f := c.in
	f.mu.Lock()
	defer f.mu.Unlock()
	c.Answer, c.Changes = answer, changes
	text := f.text()

	// A body with a line that begins a case would be read differently.
	again, err := parseCaseFile(f.name, text)
	if err != nil {
		return fmt.Errorf("write %s: %w", c.File, err)
	}
	for i, other := range f.cases {
		if got := again.cases[i]; got.Request != other.Request || got.Answer != other.Answer ||
			got.Changes != other.Changes {
			return fmt.Errorf("write %s: the format cannot express it", other.File)
		}
	}
	return os.WriteFile(f.name, []byte(text), 0o644)
}

// text returns the content of the file.
func (f *caseFile) text() string {
	f.updateHead()
	var b strings.Builder
	if f.head != "" {
		b.WriteString(f.head + "\n\n")
	}
	for _, line := range append([]string{answerMark}, f.answer...) {
		b.WriteString(line + "\n")
	}
	bodies, changes := sharedTexts{}, sharedTexts{}
	for _, c := range f.cases {
		b.WriteString("\n" + caseMark + c.written + "\n")
		if c.Answer == "" {
			continue
		}
		own := answerOf(c)
		own.headers = differing(f.answer, own.headers)
		if of := bodies.first(own.body, c.Name); of != "" {
			own.body = bodyMark + of
		}
		b.WriteString(own.text())
		of := changes.first(strings.TrimSuffix(c.Changes, "\n"), c.Name)
		switch {
		case of != "":
			b.WriteString(changesMark + sharedMark + of + "\n")
		case c.Changes != "":
			b.WriteString(changesMark + "\n" + c.Changes)
		}
	}
	return b.String()
}

// sharedTexts has the name of the first case with each text.
type sharedTexts map[string]string

// first returns the name of the first case that has a text, if that is another one and the text is
// long enough to be written once. It returns "" for the case that has it.
func (s sharedTexts) first(text, name string) string {
	const short = 3 // lines
	if strings.Count(text, "\n") < short {
		return ""
	}
	if s[text] == "" {
		s[text] = name
		return ""
	}
	return s[text]
}

// CheckForm fails for a file that a rewritten case would write in another form. With rewrite, it
// writes the file.
func CheckForm(tb testing.TB, rewrite bool) {
	tb.Helper()
	files, err := filepath.Glob(module + "testdata/contract/*.http")
	check(tb, err)
	for _, name := range files {
		old, err := os.ReadFile(name)
		check(tb, err)
		f, err := parseCaseFile(name, string(old))
		check(tb, err)
		switch text := f.text(); {
		case text == string(old):
		case rewrite:
			check(tb, os.WriteFile(name, []byte(text), 0o644))
		default:
			tb.Errorf("%s says headers, bodies or changes more than once: run this test with "+
				"-update", name)
		}
	}
}

// updateHead replaces the headers of the head that no answer has any more, such as those of a limit
// that was changed, by what most answers have. A new file gets all headers so.
func (f *caseFile) updateHead() {
	var all [][]string
	for _, c := range f.cases {
		if c.Answer != "" {
			all = append(all, answerOf(c).headers)
		}
	}
	if !f.isAnswered {
		f.answer = commonHeaders(all)
		return
	}
	if all == nil {
		return
	}
	kept := slices.DeleteFunc(slices.Clone(f.answer), func(line string) bool {
		name := headerName(line)
		return !slices.ContainsFunc(all, func(headers []string) bool {
			return slices.Equal(named(headers, name), named(f.answer, name))
		})
	})
	added := slices.DeleteFunc(commonHeaders(all), func(line string) bool {
		name := headerName(line)
		return named(f.answer, name) == nil || named(kept, name) != nil
	})
	f.answer = slices.Sorted(slices.Values(slices.Concat(kept, added)))
}

// message is a request or an answer.
type message struct {
	line    string // the first line, "" if it is left out
	headers []string
	hasBody bool
	body    string // without the end of its last line
}

var (
	requestLine = regexp.MustCompile(`^[A-Z]+ /`)
	unknownLine = regexp.MustCompile(`^[a-z]+: `) // a misspelt line "given", for example
	statusLine  = regexp.MustCompile(`^HTTP/1\.1 `)
	// A header, a mark that is replaced by headers, or the name of a header that is left out.
	headerLine = regexp.MustCompile(
		`^(?:[A-Za-z][A-Za-z0-9-]*:|\{\{hook |-(?:[A-Za-z][A-Za-z0-9-]*\*?|\{\{hook\}\})$)`)
)

// isHeader reports whether a line is a header. The line "multipart:" begins a body.
func isHeader(line string) bool { return headerLine.MatchString(line) && line != "multipart:" }

// parseMessage reads a message whose first line may be left out. An empty line between headers and
// body may be left out if the first line of the body is not a header.
func parseMessage(lines []string, first *regexp.Regexp) message {
	var m message
	if len(lines) > 0 && first.MatchString(lines[0]) {
		m.line, lines = lines[0], lines[1:]
	}
	for len(lines) > 0 && isHeader(lines[0]) {
		m.headers, lines = append(m.headers, lines[0]), lines[1:]
	}
	if len(lines) > 0 && lines[0] == "" {
		lines = lines[1:]
	}
	m.hasBody, m.body = len(lines) > 0, strings.Join(lines, "\n")
	return m
}

// text returns the message as a case has it.
func (m message) text() string {
	var b strings.Builder
	for _, line := range append([]string{m.line}, m.headers...) {
		if line != "" {
			b.WriteString(line + "\n")
		}
	}
	if !m.hasBody {
		return b.String()
	}
	if first, _, _ := strings.Cut(m.body, "\n"); first == "" || isHeader(first) {
		b.WriteString("\n")
	}
	return b.String() + m.body + "\n"
}

// answerOf returns the answer of a case, which has one.
func answerOf(c *Case) message {
	head, body, _ := strings.Cut(c.Answer, "\n\n")
	lines := strings.Split(head, "\n")
	return message{line: lines[0], headers: lines[1:], hasBody: body != "",
		body: strings.TrimSuffix(body, "\n")}
}

// headerName returns the name of a header in lower case, or that of a mark, such as {{hook}}.
func headerName(line string) string {
	if strings.HasPrefix(line, "{{") {
		name, _, _ := strings.Cut(strings.TrimSuffix(line, "}}"), " ")
		return name + "}}"
	}
	line, _, _ = strings.Cut(line, ":")
	return strings.ToLower(line)
}

// named returns the lines of the headers with a name.
func named(headers []string, name string) []string {
	var all []string
	for _, line := range headers {
		if headerName(line) == name {
			all = append(all, line)
		}
	}
	return all
}

// merged returns headers that replace those of usual with the same names. "-Name" removes a header,
// and "-Name*" all whose names begin so.
func merged(usual, own []string) []string {
	replaced := func(line string) bool {
		name := headerName(line)
		return slices.ContainsFunc(own, func(line string) bool {
			removed, isRemoval := strings.CutPrefix(headerName(line), "-")
			prefix, isPrefix := strings.CutSuffix(removed, "*")
			return headerName(line) == name ||
				isRemoval && (removed == name || isPrefix && strings.HasPrefix(name, prefix))
		})
	}
	isRemoval := func(line string) bool { return strings.HasPrefix(line, "-") }
	return slices.Concat(slices.DeleteFunc(slices.Clone(usual), replaced),
		slices.DeleteFunc(slices.Clone(own), isRemoval))
}

// differing returns the headers for which merged returns all.
func differing(usual, all []string) []string {
	own := slices.DeleteFunc(slices.Clone(all), func(line string) bool {
		name := headerName(line)
		return slices.Equal(named(usual, name), named(all, name))
	})

	// Remove the headers of usual that are not in all, and those of a rate limit together.
	const limits = "RateLimit-"
	hasLimit := slices.ContainsFunc(all, func(line string) bool {
		return strings.HasPrefix(line, limits)
	})
	for _, line := range usual {
		name, _, _ := strings.Cut(line, ":")
		if strings.HasPrefix(line, "{{") {
			name = headerName(line)
		} else if strings.HasPrefix(name, limits) && !hasLimit {
			name = limits + "*"
		}
		if removal := "-" + name; named(all, headerName(line)) == nil &&
			!slices.Contains(own, removal) {
			own = append(own, removal)
		}
	}
	return own
}

// commonHeaders returns, of each header that more than half of the lists have, the most frequent
// lines, in the order of the lines.
func commonHeaders(lists [][]string) []string {
	count := map[string]map[string]int{} // by name and by lines
	for _, headers := range lists {
		seen := map[string]bool{}
		for _, line := range headers {
			name := headerName(line)
			if seen[name] {
				continue
			}
			seen[name] = true
			if count[name] == nil {
				count[name] = map[string]int{}
			}
			count[name][strings.Join(named(headers, name), "\n")]++
		}
	}
	var common []string
	for _, of := range count {
		var total, most int
		var best string
		for _, lines := range slices.Sorted(maps.Keys(of)) {
			if total += of[lines]; of[lines] > most {
				best, most = lines, of[lines]
			}
		}
		if 2*total > len(lists) {
			common = append(common, strings.Split(best, "\n")...)
		}
	}
	slices.Sort(common)
	return common
}

// withoutComments removes comments and empty lines.
func withoutComments(lines []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool {
		return line == "" || strings.HasPrefix(line, "#")
	})
}
