package schemas_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/schemas"
)

type question struct {
	Text    string   `json:"text" jsonschema:"minLength=1"`
	Options []string `json:"options" jsonschema:"minItems=2"`
	Right   int      `json:"right" jsonschema:"minimum=0"`
}

func TestCheck_ProblemsHaveALocation(t *testing.T) {
	s, err := schemas.For(reflect.TypeFor[struct {
		Questions []question `json:"questions"`
	}](), schemas.Closed)
	if err != nil {
		t.Fatal(err)
	}
	for body, want := range map[string][]string{
		`{"questions":[{"text":"?","options":["a","b"],"right":1}]}`: nil,
		`{"questions":[{"text":"","options":["a"],"right":-1}]}`: {
			`at "/questions/0/options": minimum 2 items required, but found 1 items`,
			`at "/questions/0/right": must be >= 0 but found -1`,
			`at "/questions/0/text": length must be >= 1, but got 0`},
		`{"questions":[],"more":1}`: {`at "": additionalProperties 'more' not allowed`},
		`[]`:                        {`at "": expected object, but got array`},
	} {
		var tree any
		if err := json.Unmarshal([]byte(body), &tree); err != nil {
			t.Fatal(err)
		}
		got := s.Check(tree)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" || s.Valid(tree) != (want == nil) {
			t.Errorf("%s: %s", body, diff)
		}
	}
}

func TestFor_OpenAllowsOtherFields(t *testing.T) {
	s, err := schemas.For(reflect.TypeFor[question](), schemas.Open)
	if err != nil {
		t.Fatal(err)
	}
	if !s.Valid(map[string]any{"text": "?", "options": []any{"a", "b"}, "right": 1.0,
		"more": true}) {
		t.Error("another field is refused")
	}
}
