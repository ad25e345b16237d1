package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/openlectern/openlectern/internal/schemas"
	"github.com/openlectern/openlectern/internal/web"
)

const (
	// maxAgentBody is the longest request of an agent, in bytes.
	maxAgentBody = 1 << 20
	// maxToolAnswer is the longest answer that a tool passes on, in bytes: an agent reads all of
	// it.
	maxToolAnswer = 1 << 20
	// toolRows is how many rows of a list a tool answers unless the agent asks for another number.
	toolRows = 20
	// rowsArgument is the parameter of lists for their number of rows.
	rowsArgument = "limit"
)

// place is where an argument of a tool goes in the request.
type place int

const (
	inPath place = iota
	inQuery
	inHeader
	inBody
)

// argumentsOf returns the JSON Schema of the arguments of a row, and where each goes. It returns an
// error for a name that stands twice.
func argumentsOf(row Route) (schema json.RawMessage, places map[string]place, err error) {
	properties, places := map[string]any{}, map[string]place{}
	required := []string{}
	add := func(name string, where place, description any) error {
		if _, isTaken := places[name]; isTaken {
			return fmt.Errorf("the argument %q stands twice in path, query, header and body", name)
		}
		properties[name], places[name] = description, where
		return nil
	}
	// The parameters have the form of the API document.
	where := map[string]place{"path": inPath, "query": inQuery, "header": inHeader}
	for _, p := range parametersOf(row) {
		name := p["name"].(string)
		if noArguments[name] {
			continue
		}
		described := p["schema"].(map[string]any) // a copy
		described["description"] = p["description"]
		if name == rowsArgument {
			described["default"], described["description"] = toolRows, "The number of rows."
		}
		if err := add(name, where[p["in"].(string)], described); err != nil {
			return nil, nil, err
		}
		if p["required"] == true {
			required = append(required, name)
		}
	}

	// The fields of the body stand beside them.
	if row.Do.in != nil {
		reflector := schemas.Reflector(schemas.Open)
		reflector.LookupComment = textOf
		body := reflector.ReflectFromType(row.Do.in)
		for p := body.Properties.Oldest(); p != nil; p = p.Next() {
			if err := add(p.Key, inBody, p.Value); err != nil {
				return nil, nil, err
			}
		}
		required = append(required, body.Required...)
	}
	schema, err = json.Marshal(map[string]any{"type": "object", "properties": properties,
		"required": required, "additionalProperties": false})
	return schema, places, err
}

// noArguments are parameters that an agent does not need: for what it keeps, and for files.
var noArguments = map[string]bool{"If-None-Match": true, "format": true}

// withBody returns the request with another body.
func withBody(r *http.Request, body []byte) *http.Request {
	r = r.Clone(r.Context())
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return r
}

// callTool is the [CallTool] of an api.
func (a *api) callTool(r *http.Request, tool Tool, arguments []byte) (answer string, failed bool) {
	request, problem := tool.request(r, arguments)
	if problem != "" {
		return problem, true
	}
	rec := &toolAnswer{header: http.Header{}}
	rec.serve(a.agents.api, request)
	switch {
	case rec.isTooLong:
		return "The answer is too long. Ask for fewer rows with the argument limit, or for a part.",
			true
	case rec.status == 0:
		return "The answer ended early. Please try again.", true
	}
	return rec.body.String(), rec.status >= http.StatusBadRequest
}

// request returns the request that a call of a tool is: that of the agent's user to the route. If
// it cannot be made, problem says what to change.
func (t Tool) request(r *http.Request, arguments []byte) (request *http.Request, problem string) {
	given := map[string]json.RawMessage{}
	if len(arguments) > 0 && json.Unmarshal(arguments, &given) != nil {
		return nil, "The arguments must be a JSON object."
	}
	query, header := url.Values{}, http.Header{}
	inURL, body := map[string]string{}, map[string]json.RawMessage{}
	for name, value := range given {
		where, isKnown := t.places[name]
		switch {
		case !isKnown:
			return nil, "An argument is unknown. The tool has these: " +
				strings.Join(slices.Sorted(maps.Keys(t.places)), ", ") + "."
		case where == inBody:
			body[name] = value
		case where == inQuery:
			setInQuery(query, name, value)
		case where == inHeader:
			header.Set(name, argumentText(value))
		default:
			inURL[name] = argumentText(value)
		}
	}
	path, missing := withParameters(t.row.Path, inURL)
	if missing != "" {
		return nil, "The argument " + missing + " is missing."
	}
	if _, isList := t.places[rowsArgument]; isList && !query.Has(rowsArgument) {
		query.Set(rowsArgument, strconv.Itoa(toolRows))
	}
	return t.send(r, path+"?"+query.Encode(), header, body)
}

// send returns the request to a URL, with what the caller is known by.
func (t Tool) send(
	r *http.Request, target string, header http.Header, fields map[string]json.RawMessage,
) (request *http.Request, problem string) {
	var body []byte
	if t.row.Do.in != nil {
		body, _ = json.Marshal(fields) // cannot fail: the values are JSON
		header.Set("Content-Type", jsonContent)
	}
	request, err := http.NewRequestWithContext(r.Context(), t.row.Method, target,
		bytes.NewReader(body))
	if err != nil {
		return nil, "An argument of the path cannot be part of a URL."
	}
	request.Header = header
	header.Set("Accept", jsonContent+", "+web.ProblemType)
	for _, name := range []string{"Authorization", "X-Forwarded-For", "User-Agent"} {
		request.Header[name] = r.Header[name]
	}
	request.Host, request.RemoteAddr, request.TLS = r.Host, r.RemoteAddr, r.TLS
	return request, ""
}

// setInQuery sets a parameter of a query to a JSON value. The fields of an object are parameters of
// their own: metadata.level and so on. An agent may leave out the name of the parameter in them.
func setInQuery(query url.Values, name string, value json.RawMessage) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(value, &fields) != nil || fields == nil {
		query.Set(name, argumentText(value))
		return
	}
	for field, value := range fields {
		query.Set(name+"."+strings.TrimPrefix(field, name+"."), argumentText(value))
	}
}

// argumentText returns the text of a JSON value for a path, a query or a header: that of a string,
// and for other values the JSON.
func argumentText(value json.RawMessage) (text string) {
	if json.Unmarshal(value, &text) != nil {
		return string(value)
	}
	return text
}

// withParameters returns a path with values in place of its parameters, or the name of one that has
// no value.
func withParameters(path string, values map[string]string) (filled, missing string) {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if web.IsParameter(part) {
			value := values[part[1:]]
			if value == "" {
				return "", part[1:]
			}
			parts[i] = url.PathEscape(value)
		}
	}
	return strings.Join(parts, "/"), ""
}

// toolAnswer keeps the answer to a call of a tool, up to a limit.
type toolAnswer struct {
	header    http.Header
	status    int // 0 until the answer begins
	body      bytes.Buffer
	isTooLong bool
}

// serve lets a handler answer a request. A handler that cannot write all breaks the connection.
func (t *toolAnswer) serve(handler http.Handler, r *http.Request) {
	defer func() {
		if value := recover(); value != nil && value != http.ErrAbortHandler {
			panic(value)
		}
	}()
	handler.ServeHTTP(t, r)
}

// Header implements [http.ResponseWriter].
func (t *toolAnswer) Header() http.Header { return t.header }

// WriteHeader implements [http.ResponseWriter].
func (t *toolAnswer) WriteHeader(status int) {
	if t.status == 0 && status >= http.StatusOK {
		t.status = status
	}
}

// Write implements [http.ResponseWriter].
func (t *toolAnswer) Write(b []byte) (int, error) {
	if t.isTooLong = t.isTooLong || t.body.Len()+len(b) > maxToolAnswer; t.isTooLong {
		return 0, fmt.Errorf("write the answer of a tool: it has more than %d bytes", maxToolAnswer)
	}
	return t.body.Write(b)
}
