package contracttest

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
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

// LoadCases reads every case that has an answer. The first case of a file comes first. The tests
// TestContract and TestContractCases_CoverTheTable fail for a case without an answer, and the
// others leave it out, so that no other failure hides these.
func LoadCases(tb testing.TB) []*Case {
	tb.Helper()
	return slices.DeleteFunc(LoadAllCases(tb), isUnanswered)
}

// LoadAllCases reads every case, those without an answer too.
func LoadAllCases(tb testing.TB) []*Case {
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
	return c.parseAnswer(answer)
}

// parseAnswer reads the answer of a case, and the changes after it.
func (c *Case) parseAnswer(answer []string) error {
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

// withoutComments removes comments and empty lines.
func withoutComments(lines []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool {
		return line == "" || strings.HasPrefix(line, "#")
	})
}
