package httpapi_test

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/contracttest"
	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning/httpapi"
)

// TestEveryRoute_AnswersAZeroByteAlike sends U+0000, which PostgreSQL cannot store, in each text of
// the body and the query of each successful request. The answer is the same on every engine, and no
// failure of the server.
func TestEveryRoute_AnswersAZeroByteAlike(t *testing.T) {
	t.Parallel()
	requests := zeroByteRequests(t)
	w := contracttest.NewFixture(t)
	answers := map[string]map[string]string{} // by engine and request
	enginetest.Each(t, enginetest.Dialects, func(t *testing.T, e enginetest.Engine) {
		start := w.OnSQLite
		if e.Name != "SQLite" {
			start = w.On(w.ServerDatabases(t, e.URL))
		}
		srv := start(t,
			&contracttest.Setup{API: []httpapi.Option{httpapi.WithLimiters(unlimited)}})
		answers[e.Name] = map[string]string{}
		for _, name := range slices.Sorted(maps.Keys(requests)) {
			got := contracttest.Send(t, srv.Addr, srv.Expander(t).Build(requests[name]))
			if got.StatusCode >= http.StatusInternalServerError {
				t.Errorf("%s: %s %s", name, got.Status, got.Content)
			}
			answers[e.Name][name] = fmt.Sprint(got.Status, " ", randomID.ReplaceAllString(
				string(got.Content), "<id>"))
		}
		if diff := cmp.Diff(answers["SQLite"], answers[e.Name]); diff != "" {
			t.Errorf("the answers are not those of SQLite: %s", diff)
		}
	})
}

var (
	jsonText  = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	queryName = regexp.MustCompile(`[?&](\w+)=`)
	randomID  = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}|"questionId":"[0-9a-f]+"`)
)

// zeroByteRequests returns the requests of the case success with U+0000 at the end of one text of
// the body, or with a parameter that a case of the route has, whose value has it. Their names say
// where it is.
func zeroByteRequests(t *testing.T) map[string]string {
	t.Helper()
	requests := map[string]string{}
	all := successes(t)
	for route, request := range all {
		head, body, _ := strings.Cut(request, "\n\n")
		for _, at := range jsonText.FindAllStringIndex(body, -1) {
			before, after := body[:at[1]-1], body[at[1]-1:]
			isName := strings.HasPrefix(strings.TrimSpace(after[1:]), ":")
			if !isName {
				requests[fmt.Sprintf("%s: %s", route, body[at[0]:at[1]])] =
					head + "\n\n" + before + `\u0000` + after
			}
		}
	}
	for _, c := range contracttest.LoadCases(t) {
		request := all[c.Route]
		line, rest, _ := strings.Cut(request, "\n")
		path, _, _ := strings.Cut(line, "?")
		caseLine, _, _ := strings.Cut(c.Request, "\n")
		for _, match := range queryName.FindAllStringSubmatch(caseLine, -1) {
			if request != "" {
				requests[c.Route+": parameter "+match[1]] =
					path + "?" + match[1] + "=a%00b\n" + rest
			}
		}
	}
	return requests
}
