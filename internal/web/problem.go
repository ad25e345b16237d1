package web

import (
	"encoding/json"
	"net/http"
	"strings"
)

// ProblemType is the media type of a failure in the form of RFC 9457.
const ProblemType = "application/problem+json"

// Problem is a failure in the form of RFC 9457, which a request asks for by its Accept header.
type Problem struct {
	_ struct{} `doc:"A failure in the form of RFC 9457, for requests whose 'Accept' names 'application/problem+json'."`

	Type      string         `json:"type" jsonschema:"format=uri" doc:"The page that says what the failure means and what to do; 'about:blank' for a failure of the host's own."`
	Title     string         `json:"title" doc:"What went wrong, in English: the same for each failure of the code. Most are the 'message' of the other form."`
	Status    int            `json:"status" doc:"The status of the answer."`
	Detail    string         `json:"detail,omitempty" doc:"What varies of the failures of a code, such as why a file is refused."`
	Code      string         `json:"code" doc:"A stable word, for programs. New versions may have new ones."`
	RequestID string         `json:"requestId" doc:"The id of the request in the log of the server, as in 'X-Request-Id'."`
	Errors    []InvalidValue `json:"errors,omitempty" doc:"The values of the request that are wrong; at most 20."`
}

// InvalidValue is a value of a request that is wrong, and why. It must not contain what was sent.
type InvalidValue struct {
	_ struct{} `doc:"A value of the request that is wrong."`

	Pointer string `json:"pointer" doc:"A JSON Pointer (RFC 6901) into the body, or the name of a parameter, a header or a field of a form; the JSON of a field of a form has both, as in 'courseData/coursePrice'."`
	Reason  string `json:"reason" doc:"What a valid value is, in English, to be read after its name. It never quotes what was sent."`
}

// WantsProblem reports whether the Accept headers of a request name the media type of problems,
// with a weight above 0. A range such as */* does not name it.
func WantsProblem(r *http.Request) bool {
	header := strings.ToLower(strings.Join(r.Header.Values("Accept"), ","))
	weight, isNamed := weightOf(header, "application", "problem+json")
	return isNamed && weight > 0
}

// writeFailure writes the answer to a failure: as a problem if the request wants one, or else as
// the API writes failures. A provider that sends webhooks, and an answer whose status is none of a
// failure, never get a problem.
func (s *Server) writeFailure(w http.ResponseWriter, r *http.Request, a Answer) {
	hasForms := a.Status >= http.StatusBadRequest && !s.IsWebhook(r)
	wantsProblem := hasForms && WantsProblem(r)
	// A cache must not give one form to a client that wants the other.
	if wantsProblem || hasForms && isKept(w.Header(), r, a.Status) {
		addVary(w.Header(), "Accept")
	}
	if !wantsProblem {
		WriteJSON(w, a.Status, s.FailureBody(r, a.Message))
		return
	}
	body, _ := json.Marshal(s.problemOf(r, a)) // texts and a number always encode
	writeBody(w, ProblemType, a.Status, body)
}

// isKept reports whether a cache may keep a failure although nothing says so (RFC 9110, 15.1).
func isKept(h http.Header, r *http.Request, status int) bool {
	isRead := r.Method == http.MethodGet || r.Method == http.MethodHead
	isKeptStatus := status == http.StatusNotFound || status == http.StatusMethodNotAllowed ||
		status == http.StatusGone
	return isRead && isKeptStatus && !strings.Contains(h.Get("Cache-Control"), "no-store")
}

// problemOf returns a failure as a problem. Its title is the same for all failures of the code.
func (s *Server) problemOf(r *http.Request, a Answer) Problem {
	title := a.Title
	if title == "" {
		title = a.Message
	}
	return Problem{Type: s.ProblemType(a.Code), Title: title, Status: a.Status,
		Detail: a.Detail, Code: a.Code, RequestID: InfoOf(r).id, Errors: a.Errors}
}

// addVary adds a name to Vary, unless it is there.
func addVary(h http.Header, name string) {
	for listed := range strings.SplitSeq(strings.Join(h.Values("Vary"), ","), ",") {
		if strings.EqualFold(strings.TrimSpace(listed), name) {
			return
		}
	}
	h.Add("Vary", name)
}
