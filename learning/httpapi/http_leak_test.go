package httpapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/contracttest"
	"github.com/openlectern/openlectern/learning/httpapi"
)

// withoutDatabase names the routes that answer without the database, with the reason.
var withoutDatabase = map[string]string{
	"health":          "it reports that the process runs",
	"openapi":         "the document is made at the start",
	"docs":            "the page is part of the program",
	"docs.file":       "the files are part of the program",
	"credential.keys": "the keys are configured",
	"credential.key":  "the key is configured",
}

// accountOnly names the routes that read and write nothing but accounts, with the reason.
var accountOnly = map[string]string{
	"admin.user-metadata": "it changes the record of a user",
}

// accountTables are the tables that the access rules read.
var accountTables = []string{"users", "roles"}

// TestEveryRoute_HidesTheCauseOfAStoreFailure sends the request of the success case to each
// route while tables are missing: all tables, so that the access rule fails, and all except those
// of the accounts, so that the action fails.
func TestEveryRoute_HidesTheCauseOfAStoreFailure(t *testing.T) {
	t.Parallel()
	t.Run("all tables are missing", func(t *testing.T) { checkMissingTables(t, nil, nil, "") })
	t.Run("all but the account's tables are missing", func(t *testing.T) {
		checkMissingTables(t, accountTables, accountOnly, " or to accountOnly")
	})
}

// checkMissingTables expects every route to answer 500, unless it is in withoutDatabase or answers,
// which must succeed. It has a fixture of its own, because a database without tables cannot be used
// again.
func checkMissingTables(t *testing.T, kept []string, answers map[string]string, orMap string) {
	t.Helper()
	w := contracttest.NewFixture(t)
	s := &contracttest.Setup{API: []httpapi.Option{httpapi.WithLimiters(unlimited)}}
	for table := range w.Tables {
		if !slices.Contains(kept, table) {
			s.SQL = append(s.SQL, "DROP TABLE main."+table)
		}
	}
	srv, requests := w.OnSQLite(t, s), successes(t)
	for _, row := range httpapi.Table() {
		if requests[row.ID] == "" {
			continue
		}
		got := contracttest.Send(t, srv.Addr, srv.Expander(t).Build(requests[row.ID]))
		_, without := withoutDatabase[row.ID]
		_, answered := answers[row.ID]
		switch succeeds := got.StatusCode == http.StatusOK; {
		case succeeds && !without && !answered:
			t.Errorf(
				"%s answers 200 although its tables are missing: its case success must need the "+
					"database, or add the route "+
					"to withoutDatabase%s in learning/httpapi/http_leak_test.go with the reason",
				row.ID, orMap)
		case !succeeds && (without || answered):
			t.Errorf(
				"%s answers %s: remove it from withoutDatabase%s in "+
					"learning/httpapi/http_leak_test.go", row.ID, got.Status, orMap)
		case !succeeds:
			checkCauseHidden(t, got, row)
		}
	}
}

func checkCauseHidden(t *testing.T, r *contracttest.Response, row httpapi.Row) {
	t.Helper()
	want := refusal{status: http.StatusInternalServerError, message: unexpected}.answer(row)
	if r.StatusCode != http.StatusInternalServerError || string(r.Content) != want {
		t.Errorf("%s answers %s %s, want 500 %s", row.ID, r.Status, r.Content, want)
	}
	r.CheckCommon(t)
	text := r.Text(true)
	for _, trace := range contracttest.Traces {
		if strings.Contains(text, trace) {
			t.Errorf("%s: %q is in the answer:\n%s", row.ID, trace, text)
		}
	}
}

func TestRouteLists_NameRoutes(t *testing.T) {
	known := map[string]bool{}
	for _, row := range httpapi.Table() {
		known[row.ID] = true
	}
	for name, list := range map[string]map[string]string{"withoutDatabase": withoutDatabase,
		"accountOnly": accountOnly, "readsOnly": readsOnly} {
		for id := range list {
			if !known[id] {
				t.Errorf("%s is no route: remove it from %s in learning/httpapi", id, name)
			}
		}
	}
}
