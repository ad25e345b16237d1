package httpapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/contracttest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/exchange"
	"github.com/openlectern/openlectern/learning/file"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/inbox"
	"github.com/openlectern/openlectern/learning/study"
)

// untriggered are failures that need concurrent requests or gigabytes, so that no case can cause
// them. Package learning tests them.
var untriggered = map[string][]*learning.Error{
	"course.add":          {file.ErrThumbnailBusy},
	"course.thumbnail":    {file.ErrThumbnailBusy},
	"bundle.thumbnail":    {file.ErrThumbnailBusy},
	"package.export":      {catalog.ErrCourseChanged, exchange.ErrPackageTooLarge},
	"package.import":      {file.ErrThumbnailBusy, file.ErrFileTooLarge},
	"quiz.import":         {file.ErrNoSpace}, // of temporary files
	"certificate.get":     {file.ErrNoSpace}, // for a PDF that was lost
	"upload.append":       {file.ErrUploadBusy},
	"attempt.get":         {study.ErrLectureLocked},  // of a lecture that was open when it began
	"notification.stream": {inbox.ErrTooManyStreams}, // needs streams that stay open
}

// isUntriggered reports whether no case can cause a failure of a route.
func isUntriggered(route string, f httpapi.Failure) bool {
	return slices.ContainsFunc(untriggered[route],
		func(err *learning.Error) bool { return err.Message == f.Message })
}

// ofNoRoute are failures that are answered before a route is found.
var ofNoRoute = []httpapi.Failure{
	{Status: http.StatusNotFound, Message: "Route not found"},
	{Status: http.StatusMethodNotAllowed, Message: "Method not allowed"},
	{Status: http.StatusForbidden, Message: "Origin not allowed"},
}

// Each route must have a case for its success and for each failure that it declares. A case
// must not show a failure that its route does not declare.
func TestContractCases_CoverTheTable(t *testing.T) {
	cases := map[string][]*contracttest.Case{}
	for _, c := range contracttest.LoadAllCases(t) {
		cases[c.Route] = append(cases[c.Route], c)
		if c.Answer == "" {
			t.Error(c.Unanswered())
		}
	}
	if t.Failed() {
		return // the other messages would ask for cases that exist
	}
	for _, row := range httpapi.Table() {
		checkCoverage(t, row, cases[row.ID])
		delete(cases, row.ID)
	}
	for _, c := range cases[contracttest.AnyRoute] {
		if status, message := contracttest.StatusAndMessage(t, c.Answer); message != "" &&
			!slices.Contains(ofNoRoute, httpapi.Failure{Status: status, Message: message}) {
			t.Errorf("%s: %d %q belongs to a route", c.File, status, message)
		}
	}
	delete(cases, contracttest.AnyRoute)
	for route := range cases {
		t.Errorf("there are cases of %s, which is no route", route)
	}
}

func checkCoverage(t *testing.T, row httpapi.Row, cases []*contracttest.Case) {
	t.Helper()
	shown := map[httpapi.Failure]bool{}
	for _, c := range cases {
		if !reaches(row, c) {
			t.Errorf("%s: %s %s does not reach the route", c.File, c.Method(), c.Path())
		}
		status, message := contracttest.StatusAndMessage(t, c.Answer)
		for _, refused := range []*learning.Error{exchange.ErrPackageRefused,
			exchange.ErrQuizFileRefused, file.ErrFileRefused} {
			if strings.HasPrefix(message, refused.Message+": ") {
				message = refused.Message // which the reason follows
			}
		}
		failure := httpapi.Failure{Status: status, Message: message}
		shown[failure] = true
		if status >= 400 && c.Method() == http.MethodHead {
			continue // it has no body
		}
		if failed := message != "" || status >= 400; failed &&
			!slices.Contains(row.Failures, failure) {
			t.Errorf(
				"%s: the route does not declare %d %q: add it to Errors of the row %s in "+
					"learning/httpapi/routes_*.go", c.File, status, message, row.ID)
		}
	}
	isSuccess := func(c *contracttest.Case) bool { return c.Name == "success" }
	if !slices.ContainsFunc(cases, isSuccess) {
		t.Errorf("%s: add the case success to testdata/contract/%[1]s.http "+
			"(testdata/contract/README.md)", row.ID)
	}
	for _, failure := range row.Failures {
		if !shown[failure] && !refusalsShow(row, failure) &&
			(needsDatabase(row) || !ofDatabase(failure)) && !isUntriggered(row.ID, failure) {
			t.Errorf(
				"%s: no case and no refusal shows %d %q: add one to testdata/contract/%[1]s.http",
				row.ID, failure.Status, failure.Message)
		}
	}
}

// ofDatabase reports whether a failure of a route without a provider comes from the database.
func ofDatabase(f httpapi.Failure) bool {
	return f.Status == http.StatusInternalServerError || f.Message == core.ErrBusy.Error()
}

// reaches reports whether the request of a case has the method and the path of a route.
func reaches(row httpapi.Row, c *contracttest.Case) bool {
	if c.Method() != row.Method &&
		!(c.Method() == http.MethodHead && row.Method == http.MethodGet) {
		return false
	}
	return fits(row.Path, c.Path()) || fits(row.Alias, c.Path())
}

func fits(route, requested string) bool {
	pattern, path := strings.Split(route, "/"), strings.Split(requested, "/")
	if len(pattern) != len(path) {
		return false
	}
	for i, segment := range pattern {
		if segment != path[i] && !strings.HasPrefix(segment, ":") {
			return false
		}
	}
	return true
}
