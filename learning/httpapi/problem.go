package httpapi

import (
	"errors"
	"reflect"
	"strings"
	"sync"

	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning/core"
)

// ProblemPage is the URL of the page that describes the failures of the API. The type of a problem
// is this URL with the code of the failure as its fragment, or "about:blank" (RFC 9457, 4.2.1) if
// the failure is one of the host's own.
const ProblemPage = "https://github.com/openlectern/openlectern/blob/main/docs/problems.md"

// problemType returns the type of problems with a code.
func problemType(code string) string {
	if !documentedCodes()[code] {
		return "about:blank"
	}
	return ProblemPage + "#" + code
}

// documentedCodes returns the codes of all failures of the API.
var documentedCodes = sync.OnceValue(func() map[string]bool {
	codes := map[string]bool{}
	add := func(err error) { codes[failureOf(err).Code] = true }
	for _, row := range table() {
		for _, err := range row.failures() {
			add(err)
		}
	}
	for _, failure := range ofEveryRoute {
		add(failure)
	}
	for _, limit := range builtInLimits() {
		add(limit.refusal())
	}
	return codes
})

// courseForm is the type of the only form that has JSON in one of its fields, and courseDataField
// the name of that field.
var courseForm = reflect.TypeFor[newCourse]()

const courseDataField = "courseData"

// requestShape says where the values of a request to a route are.
type requestShape struct {
	parameters map[string]bool // the names of those of the path, the query and the header
	hasJSON    bool            // it has JSON, as its body or in a field of a form
	formField  string          // the field of the form that has the JSON; "" if it is the body
}

// shapeOf returns the shape of the requests to a row.
func shapeOf(row Route) requestShape {
	shape := requestShape{parameters: map[string]bool{}, hasJSON: row.Do.in != nil}
	for _, p := range parametersOf(row) {
		shape.parameters[p["name"].(string)] = true
	}
	if row.Do.form == courseForm {
		shape.hasJSON, shape.formField = true, courseDataField
	}
	return shape
}

// place returns what the pointer of a problem is for a field as a [core.FieldError] names it: a
// JSON Pointer into the JSON, after the field of the form if it is in one, or else the name of a
// parameter, a header or a field of a form.
func (s requestShape) place(field string) string {
	switch {
	case !s.hasJSON, s.parameters[field]:
		return field
	case field == "":
		return s.formField
	}
	// A segment may have a tilde. None has a slash.
	return s.formField + "/" + strings.ReplaceAll(field, "~", "~0")
}

// placesOf returns the values of a request to a route that are wrong, as an error says.
func (a *api) placesOf(route string, err error) []web.InvalidValue {
	shape := a.requests[route]
	if invalid, ok := errors.AsType[*invalidBody](err); ok {
		var places []web.InvalidValue
		for _, place := range invalid.places() {
			places = append(places, web.InvalidValue{Pointer: shape.formField + place.Pointer,
				Reason: place.Reason})
		}
		return places
	}
	if wrong, ok := errors.AsType[*core.FieldError](err); ok {
		return []web.InvalidValue{{Pointer: shape.place(wrong.Field), Reason: wrong.Reason}}
	}
	return nil
}
