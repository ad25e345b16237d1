package httpapi_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/contracttest"
	"github.com/openlectern/openlectern/learning/httpapi"
)

// oddIDs are ids that no record has, as they are written in a path and in a JSON string; an empty
// form is not sent. The answer to most of them is that to an unknown id.
var oddIDs = map[string]struct {
	path, body string
	pathWant   httpapi.Failure
}{
	"sql":       {path: "'%20OR%20'1'='1", body: "' OR '1'='1"},
	"very_long": {path: "{{repeat x 3000}}"},
	"zero_byte": {path: "a%00b", body: `a\u0000b`,
		pathWant: httpapi.Failure{Status: 404, Message: "Route not found"}},
	"final_blank": {path: "course_go%20"}, // in a body it is trimmed
	"capitals":    {path: "COURSE_GO", body: "COURSE_GO"},
	"emoji":       {path: "%F0%9F%8E%93", body: "🎓"},
}

// TestEveryRoute_AnswersAnyIDAsAnUnknownOne replaces each id in the path and the body of
// a request by unusual ids.
func TestEveryRoute_AnswersAnyIDAsAnUnknownOne(t *testing.T) {
	srv := contracttest.NewFixture(t).OnSQLite(t,
		&contracttest.Setup{API: []httpapi.Option{httpapi.WithLimiters(unlimited)}})
	requests := successes(t)
	before := srv.Look()
	for _, row := range httpapi.Table() {
		if requests[row.ID] == "" {
			continue
		}
		for _, place := range idPlaces(row, requests[row.ID]) {
			// the ids of new questions and options, and a number for the tax
			if (row.ID == "quiz.save" || row.ID == "billing.set") && place.inBody {
				continue
			}
			place.checkOddIDs(t, srv, row)
		}
	}
	if changed := srv.ChangesSince(before); changed != "" {
		t.Errorf("a request with an unknown id changed something:\n%s", changed)
	}
}

// idPlace is an id in a request.
type idPlace struct {
	name          string // of the parameter or field
	before, after string // the request around the id
	inBody        bool
}

func (p idPlace) checkOddIDs(t *testing.T, srv *contracttest.Server, row httpapi.Row) {
	t.Helper()
	unknown := p.send(t, srv, "unknown")
	for name, id := range oddIDs {
		text, failure := id.path, id.pathWant
		if p.inBody {
			text, failure = id.body, httpapi.Failure{}
		}
		if text == "" {
			continue
		}
		status, body := unknown.StatusCode, string(unknown.Content)
		if failure.Status != 0 {
			status, body = failure.Status,
				refusal{status: failure.Status, message: failure.Message}.answer(row)
		}
		if got := p.send(t, srv, text); got.StatusCode != status || string(got.Content) != body {
			t.Errorf("%s: %s in %s: %s %s, want %d %s", row.ID, name, p.name, got.Status,
				got.Content, status, body)
		}
	}
}

func (p idPlace) send(t *testing.T, srv *contracttest.Server, id string) *contracttest.Response {
	t.Helper()
	return contracttest.Send(t, srv.Addr, srv.Expander(t).Build(p.before+id+p.after))
}

var idField = regexp.MustCompile(`"(\w+Id)":"([^"]*)"`)

// idPlaces finds the ids of a request. It leaves out sessionId, because an unknown one starts a
// new chat.
func idPlaces(row httpapi.Row, request string) (places []idPlace) {
	line, rest, found := strings.Cut(request, "\n")
	if found {
		rest = "\n" + rest
	}
	segments := strings.Split(strings.TrimPrefix(line, row.Method+" "), "/")
	for i, name := range strings.Split(row.Path, "/") {
		if strings.HasPrefix(name, ":") {
			places = append(places,
				idPlace{name: name, before: row.Method + " " + strings.Join(segments[:i], "/") +
					"/",
					after: strings.TrimSuffix("/"+strings.Join(segments[i+1:], "/"), "/") + rest})
		}
	}
	head, body, _ := strings.Cut(request, "\n\n")
	for _, at := range idField.FindAllStringSubmatchIndex(body, -1) {
		if name := body[at[2]:at[3]]; name != "sessionId" && row.JSON {
			places = append(places,
				idPlace{name: name, before: head + "\n\n" + body[:at[4]], after: body[at[5]:],
					inBody: true})
		}
	}
	return places
}
