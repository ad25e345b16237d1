package httpapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// Whatever the document refers to is in it, and every schema of it is one.
func TestTheDescriptionIsWhole(t *testing.T) {
	body := worldSite(t).do(http.MethodGet, "/openapi.json", "").Body.String()
	const url = "https://example.org/openapi.json"
	compiler := jsonschema.NewCompiler()
	check(t, compiler.AddResource(url, strings.NewReader(body)))
	var document any
	check(t, json.Unmarshal([]byte(body), &document))
	seen := map[string]bool{}
	walk(document, func(name string, value any) {
		to, isText := value.(string)
		if name != "$ref" || !isText || seen[to] {
			return
		}
		seen[to] = true
		if _, err := compiler.Compile(url + to); err != nil {
			t.Errorf("%s: %v", to, err)
		}
	})
	if !seen["#/components/schemas/Failure"] {
		t.Error("no answer refers to the body of a failure")
	}
}
