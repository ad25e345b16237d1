package httpapi_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/contracttest"
	"github.com/openlectern/openlectern/learning/httpapi"
)

// otherOrder names the lists whose pages have another order than the whole list, with the reason.
var otherOrder = map[string]string{
	"chat.list":         "pages are by creation, because the time of the last message changes",
	"educator.students": "the whole list is by course",
}

// fewListed names the lists of which the case success has less than two rows, with the test that
// reads several pages.
var fewListed = map[string]string{
	"assignment.list":      "TestOwnAssignments_WhatIsToDoComesFirst of package due",
	"attempt.list":         "TestQuizAttempts_BeforeAndAfterTheStart of package learning",
	"note.list":            "none; there are at most MaxNotes, and storetest reads them in their order",
	"quiz.student-results": "TestStudentResults_PagesOfTheNewestFirst of package learning",
	"review.list":          "TestReviews_AreListedWithAllRatingsCounted of package learning",
}

// TestPages_HaveTheRowsOfTheWholeList reads each list of the table that has pages, with one row on
// each page, as the case success requests it.
func TestPages_HaveTheRowsOfTheWholeList(t *testing.T) {
	t.Parallel()
	w, cases := contracttest.NewFixture(t), successCases(t)
	lists := map[string]bool{}
	for _, row := range httpapi.Table() {
		if lists[row.ID] = row.InPages; !row.InPages || cases[row.ID] == nil {
			continue
		}
		t.Run(row.ID, func(t *testing.T) {
			t.Parallel()
			given := contracttest.Prepare(t, cases[row.ID])
			given.API = append(given.API, httpapi.WithLimiters(unlimited))
			srv := w.OnSQLite(t, given)
			given.SendEarlier(t, srv)
			checkPages(t, srv, row.ID, cases[row.ID].Request)
		})
	}
	for _, exceptions := range []map[string]string{otherOrder, fewListed} {
		for id := range exceptions {
			if !lists[id] {
				t.Errorf("%s is no list in pages: remove it from otherOrder or fewListed in "+
					"learning/httpapi/http_page_test.go", id)
			}
		}
	}
}

// checkPages compares the rows of all pages of a list with those of a large page.
func checkPages(t *testing.T, srv *contracttest.Server, id, request string) {
	t.Helper()
	whole, next := rowsIn(t, srv, request, "limit=100")
	if next != "" {
		t.Fatalf("the list has more than 100 rows")
	}
	if (len(whole) < 2) != (fewListed[id] != "") {
		t.Errorf("the case success has %d rows: give the users of the fixture "+
			"(internal/contracttest/fixture*.go) two, or name a test that reads several pages in "+
			"fewListed of learning/httpapi/http_page_test.go", len(whole))
	}
	if full, isFull := wholeList(t, srv, request); isFull {
		whole = full
	}
	var pages []string
	for query := "limit=1"; query != ""; {
		rows, cursor := rowsIn(t, srv, request, query)
		if len(rows) > 1 || len(rows) == 0 && len(whole) > 0 {
			t.Fatalf("a page of %d rows", len(rows))
		}
		if pages = append(pages, rows...); len(pages) > len(whole) {
			break
		}
		if query = ""; cursor != "" {
			query = "limit=1&cursor=" + url.QueryEscape(cursor)
		}
	}
	if otherOrder[id] != "" {
		slices.Sort(whole)
		slices.Sort(pages)
	}
	if !slices.Equal(whole, pages) {
		t.Errorf("the pages have the rows\n%s\nthe list has\n%s", pages, whole)
	}
}

// wholeList returns the rows of a list that is answered in full without a query, and whether it is.
func wholeList(
	t *testing.T, srv *contracttest.Server, request string,
) (rows []string, isFull bool) {
	t.Helper()
	answer := listAnswer(t, srv, request, "")
	_, isPage := answer["nextCursor"]
	return listIn(t, answer), !isPage
}

// rowsIn sends a request with a query, and returns the rows and the cursor of its answer.
func rowsIn(t *testing.T, srv *contracttest.Server,
	request, query string) (rows []string, cursor string) {
	t.Helper()
	answer := listAnswer(t, srv, request, query)
	next, isPage := answer["nextCursor"]
	if !isPage {
		t.Fatalf("the answer to ?%s has no nextCursor: %s", query, answer)
	}
	var text *string
	check(t, json.Unmarshal(next, &text))
	if text != nil {
		cursor = *text
	}
	return listIn(t, answer), cursor
}

// listAnswer sends a request with a query in addition to its own, and returns the answer.
func listAnswer(t *testing.T, srv *contracttest.Server,
	request, query string) (answer map[string]json.RawMessage) {
	t.Helper()
	first, _, _ := strings.Cut(request, "\n")
	asked := first
	switch {
	case query != "" && strings.Contains(first, "?"):
		asked += "&" + query
	case query != "":
		asked += "?" + query
	}
	got := contracttest.Send(t, srv.Addr,
		srv.Expander(t).Build(asked+strings.TrimPrefix(request, first)))
	if err := json.Unmarshal(got.Content, &answer); err != nil ||
		got.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %s: %v", asked, got.Status, got.Content, err)
	}
	return answer
}

// listIn returns the elements of the only list of rows of an answer.
func listIn(t *testing.T, answer map[string]json.RawMessage) (rows []string) {
	t.Helper()
	lists := 0
	for _, value := range answer {
		var list []json.RawMessage
		if value[0] != '[' {
			continue
		}
		check(t, json.Unmarshal(value, &list))
		if len(list) > 0 && list[0][0] != '{' { // numbers
			continue
		}
		lists++
		for _, row := range list {
			rows = append(rows, string(row))
		}
	}
	if lists != 1 {
		t.Fatalf("the answer has %d lists: %s", lists, answer)
	}
	return rows
}
