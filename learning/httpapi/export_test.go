package httpapi

import (
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
)

// WithDeadlines sets how long a client may take for a piece of the answer, for a piece of
// the body and for the whole body.
func WithDeadlines(write, read, body time.Duration) Option {
	return func(a *api) { a.server.Deadlines = web.Deadlines{Write: write, Read: read, Body: body} }
}

// WithBodyBudget sets how many bytes of large bodies are held at once.
func WithBodyBudget(anonymous, known int64) Option {
	return func(a *api) {
		a.server.Bodies = web.NewBodyMemory(anonymous, known)
	}
}

// Row describes a [Route] to tests outside the package.
type Row struct {
	ID, Method, Path string
	Alias            string     // another path of the route
	Failures         []Failure  // the failures that it may answer
	JSON, Multipart  bool       // the type of its body, if it has one
	TakesFile        bool       // whether its body is a part of an upload
	Large            bool       // whether its JSON may have 1 MiB
	HasBody          bool       // whether it takes a body, of any type
	Signed           bool       // whether it is a webhook
	Form             string     // the type of its form; "" for none
	Lists            [][]string // the names that lead to each list of its JSON
	Private          bool       // whether it needs a token
	JudgesBody       bool       // whether a body that is not valid may succeed
	// which the caller must have; Student for none, "" for educator or admin
	Role         learning.Role
	Limited      bool   // whether each request takes a token of a limit
	LimitMessage string // of the refusal
	Description  string // in the API document
	Undocumented bool   // whether the API document lacks it
	EveryOrigin  bool   // whether pages of every origin may read the answer
	InPages      bool   // whether a cursor of the query asks for the next page of its list
}

// Failure is a refusal as a caller sees it.
type Failure struct {
	Status  int
	Message string
}

// Table is the table of routes. It is the same slice each time.
var Table = sync.OnceValue(readTable)

func readTable() []Row {
	var rows []Row
	routes := table()
	a := newAPI(new(learning.Platform))
	if err := a.applyLimits(routes); err != nil {
		panic(err) // of a row of the table
	}
	for _, r := range routes {
		row := Row{ID: r.ID, Method: r.Method, Path: r.Path, Alias: r.alias, JSON: r.Do.in != nil,
			Large: r.Do.limit == maxCourseData, Private: r.Access.needsToken()}
		row.Role = core.Student
		switch r.Access {
		case Educators:
			row.Role = core.Educator
		case Staff:
			row.Role = ""
		case Admins:
			row.Role = core.Admin
		}
		if r.limit != nil {
			row.Limited, row.LimitMessage = !r.onDemand, r.limit.Message
		}
		row.TakesFile, row.JudgesBody = r.Do.takesFile, r.Do.judgesBody
		row.Signed = r.Access == Signature
		if r.Do.form != nil {
			row.Form = r.Do.form.Name()
			row.Lists = listsOf(r.Do.form)
		}
		if r.Do.in != nil {
			row.Lists = listsOf(r.Do.in)
		}
		row.HasBody = row.JSON || r.Do.form != nil || row.TakesFile || r.Access == Signature
		row.Description = r.Description
		row.Undocumented = r.undocumented
		row.EveryOrigin = r.AnyOrigin
		row.InPages = slices.ContainsFunc(r.query,
			func(p parameter) bool { return p.name == "cursor" })
		for _, err := range r.failures() {
			failure := failureOf(err)
			row.Failures = append(row.Failures, Failure{failure.Status, failure.Message})
			row.Multipart = row.Multipart || err == errNotMultipart
		}
		rows = append(rows, row)
	}
	return rows
}

// FailuresByCode returns the failures that the API may answer as problems, by their codes.
func FailuresByCode() map[string]Failure {
	rows := table()
	a := newAPI(new(learning.Platform))
	if err := a.applyLimits(rows); err != nil {
		panic(err) // of a row of the table
	}
	all := map[string]Failure{}
	for _, row := range rows {
		for _, err := range append(row.failures(), row.overloads()...) {
			failure := failureOf(err)
			if failure.Status >= 400 {
				all[failure.Code] = Failure{failure.Status, failure.Message}
			}
		}
	}
	for _, failure := range ofEveryRoute {
		all[failure.Code] = Failure{failure.Status, failure.Message}
	}
	return all
}

// listsOf returns the names that lead to each list of a request, through other lists only.
func listsOf(t reflect.Type) (paths [][]string) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	for _, field := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Type.Kind() != reflect.Slice || name == "" {
			continue
		}
		paths = append(paths, []string{name})
		for _, inner := range listsOf(field.Type.Elem()) {
			paths = append(paths, append([]string{name}, inner...))
		}
	}
	return paths
}

// WithMemoryWait sets how long a request waits for the memory of its answer, and a search for a
// slot.
func WithMemoryWait(d time.Duration) Option { return func(a *api) { a.server.Answers.Wait = d } }

// OtherPathText is otherPathText.
const OtherPathText = otherPathText

// Document returns the API document of a handler without options.
func Document() ([]byte, error) {
	rows := table()
	a := newAPI(new(learning.Platform))
	a.publicURL = "https://api.example.org"
	if err := a.applyLimits(rows); err != nil {
		return nil, err
	}
	return a.describe(rows)
}

// SetRecheckEvery sets the interval at which the tokens of streams are verified, and returns a
// function that restores it.
func SetRecheckEvery(d time.Duration) (restore func()) {
	old := recheckEvery
	recheckEvery = d
	return func() { recheckEvery = old }
}
