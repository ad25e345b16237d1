package contracttest

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openlectern/openlectern"
)

// Case is a file testdata/contract/<route id>/<name>.http:
//
//	# what the case protects, in one sentence
//	given: a precondition (see givens)
//	show: all headers
//	callers: owners
//
//	POST /api/user/purchase
//	Authorization: Bearer {{token student}}
//
//	{"courseId":"course_go"}
//	=== answer
//	HTTP/1.1 200 OK
//	Content-Type: application/json; charset=utf-8
//
//	{"success":true,…}
//	=== changes
//	+ a change by the request (see snapshot)
//
// {{…}} in a request is replaced when the request is sent (see expander). <uuid> and others in
// an answer match generated values (see generated). The runner checks headers that every answer
// has; the files omit them. Without a list of changes nothing may change.
type Case struct {
	File        string
	Route, Name string
	head        string // comments, givens and the rest up to the request, as they are
	givens      []string
	allHeaders  bool
	Callers     string // who may do what success.http does, "" if the file does not say it
	Request     string
	Answer      string
	Changes     string
}

const (
	module         = "../../" // from the tests of package httpapi, which rewrite the files
	answerMark     = "\n=== answer\n"
	changesMark    = "\n=== changes\n"
	AnyRoute       = "any" // the folder of requests that reach no route
	showAllHeaders = "all headers"
)

// LoadCases reads every case.
func LoadCases(tb testing.TB) []*Case {
	tb.Helper()
	files, err := fs.Glob(openlectern.ContractCases, "testdata/contract/*/*.http")
	check(tb, err)
	if len(files) == 0 {
		tb.Fatal("there are no contract cases")
	}
	var cases []*Case
	for _, file := range files {
		text, err := openlectern.ContractCases.ReadFile(file)
		check(tb, err)
		c, err := parseCase(string(text))
		if err != nil {
			tb.Fatalf("%s: %v", file, err)
		}
		c.File = filepath.FromSlash(module + file)
		c.Route, c.Name = path.Base(path.Dir(file)), strings.TrimSuffix(path.Base(file), ".http")
		cases = append(cases, c)
	}
	return cases
}

// parseCase returns the case of a file, without its file name, route and name. A case that has no
// answer yet has Answer and Changes "".
func parseCase(text string) (*Case, error) {
	// Cut off the answer and the changes. changesMark begins with the line end of the answer.
	c := &Case{}
	text, changes, changed := strings.Cut(text, changesMark)
	text, answer, _ := strings.Cut(text, answerMark)
	if c.Answer, c.Changes = answer, changes; changed {
		c.Answer += "\n"
	}

	// Read the lines of the head. The first line that is none of them begins the request.
	for line := range strings.Lines(text) {
		bare := strings.TrimSpace(line)
		given, isGiven := strings.CutPrefix(bare, "given: ")
		show, isShow := strings.CutPrefix(bare, "show: ")
		callers, hasCallers := strings.CutPrefix(bare, "callers: ")
		switch {
		case isGiven:
			c.givens = append(c.givens, given)
		case isShow && show == showAllHeaders:
			c.allHeaders = true
		case hasCallers:
			c.Callers = callers
		case bare != "" && !strings.HasPrefix(bare, "#"):
			c.Request = strings.TrimSuffix(text[len(c.head):], "\n")
			return c, nil
		}
		c.head += line
	}
	return nil, errors.New("the case has no request")
}

// write stores the case with a new answer and new changes in its file. It keeps the head and the
// request, and does not change c.
func (c *Case) write(answer, changes string) error {
	var b bytes.Buffer
	b.WriteString(c.head + c.Request + answerMark + answer)
	if changes != "" {
		b.WriteString(strings.TrimPrefix(changesMark, "\n") + changes)
	}
	return os.WriteFile(c.File, b.Bytes(), 0o644)
}

// Status returns the first line of the answer.
func (c *Case) Status() string {
	line, _, _ := strings.Cut(c.Answer, "\n")
	return line
}

// Succeeds reports whether the answer is a success.
func (c *Case) Succeeds() bool { return strings.HasPrefix(c.Status(), "HTTP/1.1 2") }

// OnlyReads reports whether a server that has answered the case answers other cases as before: the
// case changes nothing, also not the rest of a rate limit, which its answer would show. It returns
// true only if that is sure: not for a refusal, whose rate limit is not shown, and not for a case
// with preconditions or with all headers, which may need a server of its own.
func (c *Case) OnlyReads() bool {
	return c.Succeeds() && c.Changes == "" && len(c.givens) == 0 && !c.allHeaders &&
		!strings.Contains(c.Answer, "\nRateLimit-")
}

// Body returns the body of the answer.
func (c *Case) Body() string {
	_, body, _ := strings.Cut(c.Answer, "\n\n")
	return body
}

// Method returns the method of the request.
func (c *Case) Method() string {
	method, _, _ := strings.Cut(c.Request, " ")
	return method
}

// Path returns the path of the request, without the query.
func (c *Case) Path() string {
	line, _, _ := strings.Cut(c.Request, "\n")
	_, path, _ := strings.Cut(line, " ")
	path, _, _ = strings.Cut(path, "?")
	return path
}
