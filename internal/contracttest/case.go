package contracttest

import (
	"fmt"
	"regexp"
	"strings"
)

// Case is one request to a route, its exact answer, and all that the request changes. The file
// testdata/contract/<route id>.http has the cases of a route:
//
//	### success: What the case protects, in one sentence.
//	given: a precondition (see givens)
//	show: all headers
//	callers: owners
//	POST /api/user/purchase
//	Authorization: Bearer {{token student}}
//	{"courseId":"course_go"}
//	HTTP/1.1 200 OK
//	{"success":true,…}
//	=== changes
//	+ a change by the request (see snapshot)
//
// {{…}} in a request is replaced when the request is sent (see expander). <uuid> and others in
// an answer match generated values (see generated). The runner checks headers that every answer
// has; the files omit them. A body or changes that an earlier case has are named by that case.
// Without a list of changes nothing may change.
type Case struct {
	File        string // with the name of the case, for messages
	Route, Name string
	in          *caseFile
	written     string // the lines before the answer, as they are
	givens      []string
	allHeaders  bool
	Callers     string // who may do what the case success does, "" if the file does not say it
	Request     string
	Answer      string // "" if the case has none yet
	Changes     string
}

const showAllHeaders = "all headers"

// Unanswered says what to do about a case without an answer.
func (c *Case) Unanswered() string {
	return fmt.Sprintf("%s has no answer: run go test ./learning/httpapi -run "+
		"'^TestContract$/SQLite/^%s$' -update, and read the answer", c.File,
		regexp.QuoteMeta(c.Route))
}

// HasGivens reports whether the case has preconditions.
func (c *Case) HasGivens() bool { return len(c.givens) > 0 }

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
