package httpapi_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/contracttest"
	"github.com/openlectern/openlectern/learning/httpapi"
)

const exampleFile = "openapi_examples.json"

// TestOpenAPI_ExamplesMatchTheCases compares the examples of the API document with the
// contract cases. With -update it writes them anew.
func TestOpenAPI_ExamplesMatchTheCases(t *testing.T) {
	examples := map[string]map[string]json.RawMessage{}
	answered := map[string]string{} // by route
	for _, c := range contracttest.LoadCases(t) {
		if examples[c.Route] == nil {
			examples[c.Route] = map[string]json.RawMessage{}
		}
		switch c.Name {
		case "success":
			answered[c.Route] = c.Answer
			maps.Copy(examples[c.Route], exampleOf(c))
		case "stream-success":
			text, err := json.Marshal(sample(c.Body()))
			check(t, err)
			examples[c.Route]["stream"] = text
		}
	}
	d := apiDocument(t)
	maps.DeleteFunc(examples, func(route string, example map[string]json.RawMessage) bool {
		return len(example) == 0 || !d.has(route)
	})
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	check(t, e.Encode(examples))
	if *update {
		check(t, os.WriteFile(exampleFile, text.Bytes(), 0o644))
		return
	}
	for _, row := range httpapi.Table() {
		if answered[row.ID] == "" {
			return // TestContractCases_CoverTheTable fails
		}
	}
	stored, err := os.ReadFile(exampleFile)
	check(t, err)
	if !bytes.Equal(stored, text.Bytes()) {
		t.Errorf(
			"%s does not have the examples of the cases: run go test ./learning/httpapi -run "+
				"OpenAPI_Examples -update", exampleFile)
	}
}

// exampleOf returns the JSON of the request and of the answer of a case.
func exampleOf(c *contracttest.Case) map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	_, request, _ := strings.Cut(c.Request, "\n\n")
	if _, form, found := strings.Cut(request, "part: courseData"); found {
		_, form, _ = strings.Cut(form, "\n")
		request, _, _ = strings.Cut(form, "\npart: ")
	}
	for name, text := range map[string]string{"request": request, "answer": c.Body()} {
		var tree any
		if json.Unmarshal([]byte(sample(text)), &tree) != nil {
			continue
		}
		short, _ := json.Marshal(shortened(tree))
		all[name] = short
	}
	return all
}

// sampleValues replace the marks of the cases in examples.
var sampleValues = map[string]string{
	"<uuid>":        "019bb5a1-7c00-7a3e-9f21-5d8c0e6b4a17",
	"<certificate>": "7f1c5a9e-2d84-4b6f-9c3a-5e8d1b7a4f20",
	"<time>":        "2026-01-31T09:30:00.000Z", "<date>": "2026-01-31",
	"<order>":  "order_ABCDEFGHIJKLMN",
	"<chance>": "5d8c0e6b4a179f212e84",
	"<slug>":   "abcdefghijklmnopqrstuvwxyz",
	"<hash>":   "0123456789abcdef0123456789abcdef",
}

var expansion = regexp.MustCompile(`\{\{[^{}]*\}\}`)

func sample(text string) string {
	for mark, value := range sampleValues {
		text = strings.ReplaceAll(text, mark, value)
	}
	text = strings.NewReplacer(contracttest.SecretSolution, "the answer is",
		contracttest.SecretMessage, "", "/paid/", "/lectures/").Replace(text)
	return expansion.ReplaceAllString(text, "0123456789abcdef")
}

// shortened returns a JSON value with at most two objects in each list.
func shortened(tree any) any {
	switch node := tree.(type) {
	case map[string]any:
		for name := range node {
			node[name] = shortened(node[name])
		}
	case []any:
		for i := range node {
			node[i] = shortened(node[i])
		}
		if len(node) > 2 {
			if _, ok := node[0].(map[string]any); ok {
				return node[:2]
			}
		}
	}
	return tree
}

// TestOpenAPI_ExamplesFulfilTheirSchemas checks every example that the document has.
func TestOpenAPI_ExamplesFulfilTheirSchemas(t *testing.T) {
	d := apiDocument(t)
	examples := 0
	eachContent(d.tree, "#", func(pointer string, content map[string]any) {
		named, _ := content["examples"].(map[string]any)
		for name, example := range named {
			examples++
			body, err := json.Marshal(example.(map[string]any)["value"])
			check(t, err)
			if err := d.validate(pointer+"/schema", body); err != nil {
				t.Errorf("%s: %s: %#v", pointer, name, err)
			}
		}
	})
	if examples < 200 {
		t.Errorf("the document has %d examples", examples)
	}
}

// eachContent calls do for every media type below a node.
func eachContent(node any, pointer string, do func(pointer string, content map[string]any)) {
	tree, _ := node.(map[string]any)
	for name, value := range tree {
		at := pointer + "/" + escapePointer(name)
		if contents, ok := value.(map[string]any); ok && name == "content" {
			for kind, content := range contents {
				if content, ok := content.(map[string]any); ok && content["schema"] != nil {
					do(at+"/"+escapePointer(kind), content)
				}
			}
			continue
		}
		eachContent(value, at, do)
	}
}
