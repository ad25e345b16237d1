package httpapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/openlectern/openlectern/internal/openapi"
	"github.com/openlectern/openlectern/internal/web"
)

const (
	jsonContent = "application/json"
	htmlContent = "text/html"
	textContent = "text/plain"
	jwtContent  = "application/vc+jwt"
)

// headers are the headers of answers, by name.
var headers = map[string]any{
	"X-Request-Id": headerText("The id of the request in the log of the server.", "string"),
	"RateLimit-Policy": headerText(
		"The requests of a window and its length in seconds, such as `10;w=900`.", "string"),
	"RateLimit-Limit":     headerText("How many requests a window allows.", "integer"),
	"RateLimit-Remaining": headerText("How many requests are left in this window.", "integer"),
	"RateLimit-Reset":     headerText("The seconds until the window ends.", "integer"),
	"Retry-After": headerText("The seconds after which a new attempt can succeed.",
		"integer"),
	"ETag": headerText("The version of the answer, for If-None-Match.", "string"),
	"Location": headerText(
		"The URL of the upload, relative to that of the request.", "string"),
	"Upload-Offset":   headerText("How many bytes of the file are stored.", "integer"),
	"Upload-Length":   headerText("The size of the whole file in bytes.", "integer"),
	"Upload-Metadata": headerText("What the client has said about the file.", "string"),
	"Upload-Expires":  headerText("When the upload is removed, as an HTTP date.", "string"),
}

// headerText returns the object that describes a header. kind is the type of its value.
func headerText(text, kind string) map[string]any {
	return map[string]any{"description": text, "schema": map[string]string{"type": kind}}
}

// responses returns the success and the failures of a row by status.
func (d *describer) responses(row Route) map[string]*openapi.Response {
	all := map[int]*openapi.Response{cmp.Or(row.Do.status, http.StatusOK): d.success(row)}
	if row.Do.revalidates {
		all[http.StatusNotModified] = &openapi.Response{
			Messages: []string{"The list has not changed since the version of If-None-Match"}}
	}
	// Each failure adds its message, its schema and an example to the response of its status.
	for _, err := range append(row.failures(), row.overloads()...) {
		d.addFailure(all, row, err)
	}
	// A route without failures of its own has the one that net/http answers to every route, as
	// text, because the rules for API documents ask for a response with a status 4xx.
	if !hasClientError(all) {
		all[http.StatusRequestHeaderFieldsTooLarge] = &openapi.Response{
			Messages: []string{"The header of the request is too large"}}
	}
	// The document has the statuses as text, and all messages of a status as one description.
	named := map[string]*openapi.Response{}
	for status, r := range all {
		r.Description = strings.Join(r.Messages, " · ")
		r.Headers = headersOf(row, status)
		if len(r.Schemas) > 0 {
			// success and addFailure have made the content together with the schemas.
			r.Content[jsonContent].Schema = openapi.AnyOf(r.Schemas)
		}
		named[fmt.Sprint(status)] = r
	}
	return named
}

// hasClientError reports whether one of the statuses is 4xx.
func hasClientError(all map[int]*openapi.Response) bool {
	for status := range all {
		if status >= http.StatusBadRequest && status < http.StatusInternalServerError {
			return true
		}
	}
	return false
}

// textSchema is the schema of every answer that is not JSON.
var textSchema = &jsonschema.Schema{Type: "string"}

// success returns the response of a success, with a media type for each form of the answer.
func (d *describer) success(row Route) *openapi.Response {
	r := &openapi.Response{Messages: []string{"Success"}, Content: map[string]*openapi.MediaType{}}
	if row.Do.out != nil {
		r.Schemas = append(r.Schemas, d.schemas.Answer(row.Do.out))
		r.Content[jsonContent] = &openapi.MediaType{Examples: examplesOf(d.examples[row.ID].Answer)}
	}
	for kind, goType := range row.Do.contents {
		r.Content[kind] = &openapi.MediaType{Schema: textSchema}
		if goType != nil { // it is JSON
			r.Content[kind] = &openapi.MediaType{Schema: d.schemas.Plain(goType),
				Examples: examplesOf(d.examples[row.ID].Answer)}
		}
	}
	if row.Do.events != "" {
		r.Content[web.EventStream] = &openapi.MediaType{Schema: &jsonschema.Schema{Type: "string",
			Description: row.Do.events}, Examples: examplesOf(d.examples[row.ID].Stream)}
	}
	return r
}

// examplesOf returns the example of a success as a media type has it, or nil if value is nil.
func examplesOf(value json.RawMessage) map[string]*openapi.Example {
	if value == nil {
		return nil
	}
	return map[string]*openapi.Example{"success": {Value: value}}
}

// addFailure adds a failure to the response of its status: its message, the schema of its body and
// an example.
func (d *describer) addFailure(all map[int]*openapi.Response, row Route, err error) {
	failure := failureOf(err)
	status, message := failure.Status, failure.Message
	if all[status] == nil {
		all[status] = &openapi.Response{Content: map[string]*openapi.MediaType{}}
	}
	d.addProblem(all[status], row, failure)
	r := all[status]
	if slices.Contains(r.Messages, message) { // another failure has the same body
		return
	}
	body := row.bodyOf(err)
	r.Messages = append(r.Messages, message)
	r.AddSchema(d.schemas.Plain(reflect.TypeOf(body)))
	// The codes of rate limits have hyphens, because the names of limits have.
	r.AddExample(strings.ReplaceAll(failure.Code, "-", "_"), body)
	if err == errUnknownCertificate { // browsers get a page
		r.Content[htmlContent] = &openapi.MediaType{Schema: textSchema}
	}
}

// bodyOf returns the body of a failure. The webhooks of payment providers and the
// verification of an unknown certificate have bodies of their own.
func (row Route) bodyOf(err error) any {
	message := failureOf(err).Message
	switch {
	case isProviderPath(row.Path):
		return gatewayFailureJSON{message}
	case err == errUnknownCertificate:
		return unknownCertificate{Message: message}
	}
	return failureJSON{Message: message}
}

// addProblem adds the other form of a failure to the response of its status, and its code to the
// list of all codes.
func (d *describer) addProblem(r *openapi.Response, row Route, failure web.Answer) {
	if failure.Status < http.StatusBadRequest || row.Access == Signature {
		return
	}
	d.codes[failure.Code] = true
	r.Content[web.ProblemType] = &openapi.MediaType{
		Schema: d.schemas.Plain(reflect.TypeFor[web.Problem]())}
}

// listCodes adds the list of the codes to the schema of a problem. It is no enum, because there may
// be new codes in a later version.
func (d *describer) listCodes() {
	problem := d.schemas.All[openapi.SchemaName(reflect.TypeFor[web.Problem]())]
	if problem == nil { // there are webhooks only
		return
	}
	for _, failure := range ofEveryRoute {
		d.codes[failure.Code] = true
	}
	code, _ := problem.Properties.Get("code")
	code.Extras = map[string]any{"x-extensible-enum": slices.Sorted(maps.Keys(d.codes))}
}

// ofEveryRoute are the failures that no documented row declares: most because every request may get
// them.
var ofEveryRoute = []*web.Failure{web.ErrRouteNotFound, web.ErrMethodNotAllowed, web.ErrPanicked,
	errRefusedByHost, errNoDocsFile, errNoBatch}

// headersOf returns references to the headers of an answer.
func headersOf(row Route, status int) map[string]any {
	names := []string{"X-Request-Id"}
	if row.limit != nil {
		names = append(names, "RateLimit-Policy", "RateLimit-Limit", "RateLimit-Remaining",
			"RateLimit-Reset")
	}
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		names = append(names, "Retry-After")
	}
	if row.Do.revalidates && status < http.StatusBadRequest {
		names = append(names, "ETag")
	}
	if status < http.StatusBadRequest {
		names = append(names, row.Do.headers...)
	}
	all := map[string]any{}
	for _, name := range names {
		all[name] = map[string]string{"$ref": "#/components/headers/" + name}
	}
	return all
}

// overloads returns the failures of a row that are caused by slow clients or by many requests
// at the same time.
func (row Route) overloads() (all []error) {
	// The route reads a body: JSON, a form, or that of a webhook.
	if row.Do.in != nil || row.Do.form != nil || row.Access == Signature {
		all = append(all, web.ErrBodyTooSlow, web.ErrBodiesFull)
	}
	if row.Do.takesFile {
		all = append(all, web.ErrBodyTooSlow)
	}
	// Only the answers to GET wait for memory: see [web.Call.WriteBody].
	if row.Method == http.MethodGet && row.Do.out != nil {
		all = append(all, web.ErrTooManyLarge)
	}
	if row.Do.searches {
		all = append(all, web.ErrTooManySearches)
	}
	return all
}
