package httpapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/openlectern/openlectern/internal/contracttest"
	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning/httpapi"
)

// document is the OpenAPI document, with schemas that are compiled when they are first used.
type document struct {
	text    []byte
	tree    map[string]any
	rows    map[string]httpapi.Row
	mu      sync.Mutex
	schemas *jsonschema.Compiler
	made    map[string]*jsonschema.Schema
}

// isRequest matches the names of schemas of requests, whose unknown fields are ignored.
var isRequest = regexp.MustCompile(`Request$|^New|^Gateway[EP]|^Identity`)

const documentURL = "https://example.org/openapi.json"

var readDocument = sync.OnceValues(newDocument)

// apiDocument returns the document of a handler without options. All tests share it.
func apiDocument(tb testing.TB) *document {
	tb.Helper()
	d, err := readDocument()
	check(tb, err)
	return d
}

func newDocument() (*document, error) {
	text, err := httpapi.Document()
	if err != nil {
		return nil, err
	}
	d := &document{text: text, rows: map[string]httpapi.Row{}, schemas: jsonschema.NewCompiler(),
		made: map[string]*jsonschema.Schema{}}
	if err := json.Unmarshal(text, &d.tree); err != nil {
		return nil, err
	}
	for _, row := range httpapi.Table() {
		d.rows[row.ID] = row
	}
	strict := closedObjects(d.tree).(map[string]any)
	for name, schema := range strict["components"].(map[string]any)["schemas"].(map[string]any) {
		if isRequest.MatchString(name) {
			delete(schema.(map[string]any), "additionalProperties")
		}
	}
	closedText, err := json.Marshal(strict)
	if err != nil {
		return nil, err
	}
	d.schemas.AssertFormat = true
	return d, d.schemas.AddResource(documentURL, bytes.NewReader(closedText))
}

// closedObjects returns a copy of a document whose objects allow the described fields only, so that
// an answer with any other field is found.
func closedObjects(node any) any {
	switch node := node.(type) {
	case []any:
		all := make([]any, len(node))
		for i := range node {
			all[i] = closedObjects(node[i])
		}
		return all
	case map[string]any:
		all := map[string]any{}
		for name, value := range node {
			all[name] = closedObjects(value)
		}
		if node["type"] == "object" && node["properties"] != nil &&
			node["additionalProperties"] == nil {
			all["additionalProperties"] = len(node["properties"].(map[string]any)) == 0
		}
		return all
	}
	return node
}

// at returns the node at the names and its pointer. It follows references to components. The node
// is nil if there is none.
func (d *document) at(names ...string) (node map[string]any, pointer string) {
	node, pointer = d.tree, "#"
	for _, name := range names {
		node, _ = node[name].(map[string]any)
		pointer += "/" + escapePointer(name)
		if ref, ok := node["$ref"].(string); ok {
			pointer, node = ref, d.tree
			for _, part := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
				node, _ = node[part].(map[string]any)
			}
		}
	}
	return node, pointer
}

// validate checks a JSON value against the schema at a pointer.
func (d *document) validate(pointer string, body []byte) error {
	schema, err := d.schema(pointer)
	if err != nil {
		return err
	}
	var tree any
	if err := json.Unmarshal(body, &tree); err != nil {
		return err
	}
	return schema.Validate(tree)
}

func (d *document) schema(pointer string) (*jsonschema.Schema, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if s := d.made[pointer]; s != nil {
		return s, nil
	}
	s, err := d.schemas.Compile(documentURL + pointer)
	d.made[pointer] = s
	return s, err
}

// checkAnswer returns an error if the document does not describe an answer of a route.
func (d *document) checkAnswer(route string, got *contracttest.Response) error {
	row := d.rows[route]
	status := fmt.Sprint(got.StatusCode)
	names := []string{"paths", templateOf(row.Path), strings.ToLower(row.Method), "responses",
		status}
	described, pointer := d.at(names...)
	if described == nil {
		return fmt.Errorf("the API document does not describe the status %s", status)
	}
	for name := range got.Header {
		if _, ok := d.tree["components"].(map[string]any)["headers"].(map[string]any)[spelling(
			name)]; !ok {
			continue
		}
		if headers, _ := described["headers"].(map[string]any); headers[spelling(name)] == nil {
			return fmt.Errorf("the API document does not describe the header %s of the status %s",
				name, status)
		}
	}
	body := got.Readable()
	if body == "" || got.Request.Method == http.MethodHead {
		return nil
	}
	kind, _, err := mime.ParseMediaType(got.Header.Get("Content-Type"))
	if err != nil {
		return err
	}
	contents, _ := described["content"].(map[string]any)
	if contents[kind] == nil {
		return fmt.Errorf("the API document does not describe %s for the status %s", kind, status)
	}
	if kind != "application/json" && kind != web.ProblemType {
		return nil
	}
	return d.validate(pointer+"/content/"+escapePointer(kind)+"/schema", []byte(body))
}

func spelling(header string) string {
	if name := contracttest.Spelt[header]; name != "" {
		return name
	}
	return header
}

// templateOf writes a path as the document does: /api/course/{id}.
func templateOf(path string) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		if name, ok := strings.CutPrefix(s, ":"); ok {
			segments[i] = "{" + name + "}"
		}
	}
	return strings.Join(segments, "/")
}

// has reports whether the document describes a route.
func (d *document) has(route string) bool {
	row, known := d.rows[route]
	return known && !row.Undocumented
}

// checkRequest returns an error if the document does not allow the body of a request that
// succeeded.
func (d *document) checkRequest(route string, body []byte) error {
	row := d.rows[route]
	if !row.JSON {
		return nil
	}
	_, pointer := d.at("paths", templateOf(row.Path), strings.ToLower(row.Method), "requestBody",
		"content", "application/json", "schema")
	return d.validate(pointer, body)
}
