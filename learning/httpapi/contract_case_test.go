package httpapi_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A contract case is a file testdata/contract/<route id>/<name>.http:
//
//	# what the case protects, in one sentence
//	given: a precondition (see givens)
//	show: all headers
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
type contractCase struct {
	file        string
	route, name string
	head        string // comments, givens and the rest up to the request, as they are
	givens      []string
	allHeaders  bool
	request     string
	answer      string
	changes     string
}

const (
	contractDir    = "../../testdata/contract"
	answerMark     = "\n=== answer\n"
	changesMark    = "\n=== changes\n"
	anyRoute       = "any" // the folder of requests that reach no route
	showAllHeaders = "all headers"
)

// loadCases reads every case.
func loadCases(tb testing.TB) []*contractCase {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join(contractDir, "*", "*.http"))
	check(tb, err)
	if len(files) == 0 {
		tb.Fatal("there are no contract cases")
	}
	var cases []*contractCase
	for _, file := range files {
		text, err := os.ReadFile(file)
		check(tb, err)
		c, err := parseCase(string(text))
		if err != nil {
			tb.Fatalf("%s: %v", file, err)
		}
		c.file = file
		c.route, c.name = filepath.Base(filepath.Dir(file)), strings.TrimSuffix(filepath.Base(file), ".http")
		cases = append(cases, c)
	}
	return cases
}

func parseCase(text string) (*contractCase, error) {
	c := &contractCase{}
	text, changes, changed := strings.Cut(text, changesMark)
	text, answer, _ := strings.Cut(text, answerMark)
	if c.answer, c.changes = answer, changes; changed {
		c.answer += "\n" // changesMark begins with it
	}
	for line := range strings.Lines(text) {
		bare := strings.TrimSpace(line)
		given, isGiven := strings.CutPrefix(bare, "given: ")
		show, isShow := strings.CutPrefix(bare, "show: ")
		switch {
		case isGiven:
			c.givens = append(c.givens, given)
		case isShow && show == showAllHeaders:
			c.allHeaders = true
		case bare != "" && !strings.HasPrefix(bare, "#"):
			c.request = strings.TrimSuffix(text[len(c.head):], "\n")
			return c, nil
		}
		c.head += line
	}
	return nil, errors.New("the case has no request")
}

// write stores the case with a new answer and new changes.
func (c *contractCase) write(answer, changes string) error {
	var b bytes.Buffer
	b.WriteString(c.head + c.request + answerMark + answer)
	if changes != "" {
		b.WriteString(strings.TrimPrefix(changesMark, "\n") + changes)
	}
	return os.WriteFile(c.file, b.Bytes(), 0o644)
}

// status returns the first line of the answer.
func (c *contractCase) status() string {
	line, _, _ := strings.Cut(c.answer, "\n")
	return line
}

// succeeds reports whether the answer is a success.
func (c *contractCase) succeeds() bool { return strings.HasPrefix(c.status(), "HTTP/1.1 2") }

// body returns the body of the answer.
func (c *contractCase) body() string {
	_, body, _ := strings.Cut(c.answer, "\n\n")
	return body
}

// method returns the method of the request.
func (c *contractCase) method() string {
	method, _, _ := strings.Cut(c.request, " ")
	return method
}

// path returns the path of the request, without the query.
func (c *contractCase) path() string {
	line, _, _ := strings.Cut(c.request, "\n")
	_, path, _ := strings.Cut(line, " ")
	path, _, _ = strings.Cut(path, "?")
	return path
}
