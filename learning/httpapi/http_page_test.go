package httpapi_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/contracttest"
	"github.com/openlectern/openlectern/learning/httpapi"
)

// pagedLists are the lists that are answered in pages on request, with the field of their
// rows, and whether pages have the order of the whole list.
var pagedLists = map[string]struct {
	field   string
	ordered bool
}{
	"course.list":     {"courses", true},
	"enrollment.list": {"enrolledCourses", true},
	// by creation, because the time of the last message changes
	"chat.list":          {"chats", false},
	"educator.courses":   {"courses", true},
	"educator.students":  {"enrolledStudents", false}, // by course
	"quiz.marks":         {"results", true},
	"admin.applications": {"applications", true},
	"admin.courses":      {"courses", true},
	"admin.users":        {"users", true},
	"admin.purchases":    {"purchases", true},
}

func TestPages_HaveTheRowsOfTheWholeList(t *testing.T) {
	srv := contracttest.NewFixture(t).OnSQLite(t,
		&contracttest.Setup{API: []httpapi.Option{httpapi.WithLimiters(unlimited)}})
	requests := successes(t)
	for id, list := range pagedLists {
		if requests[id] == "" {
			continue
		}
		whole, _ := rowsIn(t, srv, requests[id], list.field, "")
		var pages []string
		for cursor, more := "", true; more; {
			var rows []string
			query := "?limit=1"
			if cursor != "" {
				query += "&cursor=" + cursor
			}
			rows, cursor = rowsIn(t, srv, requests[id], list.field, query)
			if pages, more = append(pages, rows...),
				cursor != ""; len(rows) > 1 || len(rows) == 0 && len(whole) > 0 {
				t.Fatalf("%s: a page of %d rows", id, len(rows))
			}
		}
		if !list.ordered {
			slices.Sort(whole)
			slices.Sort(pages)
		}
		if len(whole) == 0 || !slices.Equal(whole, pages) {
			t.Errorf("%s: the pages have the rows\n%s\nthe list has\n%s", id, pages, whole)
		}
	}
}

// rowsIn sends a request with a query, and returns the rows and the cursor of its answer.
func rowsIn(t *testing.T, srv *contracttest.Server,
	request, field, query string) (rows []string, cursor string) {
	t.Helper()
	first, _, _ := strings.Cut(request, "\n")
	got := contracttest.Send(t, srv.Addr,
		srv.Expander(t).Build(strings.Replace(request, first, first+query, 1)))
	var answer map[string]json.RawMessage
	check(t, json.Unmarshal(got.Content, &answer))
	var list []json.RawMessage
	check(t, json.Unmarshal(answer[field], &list))
	for _, row := range list {
		rows = append(rows, string(row))
	}
	next, found := answer["nextCursor"]
	if found != (query != "") {
		t.Fatalf("%s%s: %s", first, query, got.Content)
	}
	if found {
		var text *string
		check(t, json.Unmarshal(next, &text))
		if text != nil {
			cursor = *text
		}
	}
	return rows, cursor
}
