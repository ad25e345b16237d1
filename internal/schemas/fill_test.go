package schemas_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/schemas"
)

type level string

type words []string

func (w *words) Fill(tree any) error { *w = strings.Fields(tree.(string)); return nil }

type target struct {
	Text    string     `json:"text"`
	Level   level      `json:"level,omitempty"`
	Small   int8       `json:"small"`
	Large   *int64     `json:"large"`
	Part    float64    `json:"part"`
	Is      *bool      `json:"is"`
	Words   words      `json:"words"`
	Numbers []int      `json:"numbers"`
	Nested  []question `json:"nested"`
	hidden  string
}

func TestFill_SetsWhatDecodingSets(t *testing.T) {
	large, is := int64(1<<53), false
	for body, want := range map[string]target{
		`{}`: {},
		`{"text":"é","level":"high","small":-128,"large":9007199254740992,"part":0.5,"is":false,"words":"a b"}`: {
			Text: "é", Level: "high", Small: -128, Large: &large, Part: 0.5, Is: &is,
			Words: words{"a", "b"}},
		`{"small":3.0,"numbers":[],"nested":[{"text":"?","options":["a"],"right":1,"more":[1]}]}`: {
			Small: 3, Numbers: []int{},
			Nested: []question{{Text: "?", Options: []string{"a"}, Right: 1}}},
		`{"TEXT":"another case","hidden":"x","":"y","-":"z"}`: {},
	} {
		var got target
		if err := schemas.Fill(&got, decoded(t, body)); err != nil {
			t.Errorf("%s: %v", body, err)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(target{})); diff != "" ||
			got.hidden != "" {
			t.Errorf("%s: %s", body, diff)
		}
	}
	var got target
	if err := schemas.Fill(&got,
		map[string]any{"small": json.Number("7"), "part": json.Number("19.99")}); err != nil ||
		got.Small != 7 || got.Part != 19.99 {
		t.Errorf("numbers as text: %+v, %v", got, err)
	}
}

func TestFill_ValueThatDoesNotFit(t *testing.T) {
	for _, body := range []string{
		`{"small":128}`, `{"small":0.5}`, `{"small":1e300}`, `{"large":9223372036854775808}`,
		`{"small":"1"}`, `{"text":1}`, `{"text":null}`,
		`{"text":[]}`, `{"text":{}}`, `{"is":"true"}`, `{"numbers":{}}`, `{"numbers":[null]}`,
		`{"nested":["x"]}`, `[]`, `1`, `null`,
	} {
		if err := schemas.Fill(new(target), decoded(t, body)); err == nil {
			t.Errorf("%s: no error", body)
		}
	}
	if err := schemas.Fill(new(target), map[string]any{"part": json.Number("1e999")}); err == nil {
		t.Error("a number that is too large: no error")
	}
}

func decoded(t *testing.T, body string) (tree any) {
	t.Helper()
	if err := json.Unmarshal([]byte(body), &tree); err != nil {
		t.Fatal(err)
	}
	return tree
}
