package safejson_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/budget"
	"github.com/openlectern/openlectern/internal/safejson"
)

var course = safejson.Limits{Depth: 10, Lists: []safejson.List{
	{Path: "chapters", Each: 3, Name: "chapters", Advice: "split the course"},
	{Path: "chapters.lectures", All: 4, Name: "lectures", Advice: "split the course"},
	{Path: "chapters.lectures.answer", Each: 2, Name: "answers", Advice: "leave some out"},
}}

// check checks a document with the budget of its size.
func check(t *testing.T, document string, limits safejson.Limits) error {
	t.Helper()
	b := budget.New(t.Context(), int64(len(document)))
	if err := b.Text(int64(len(document))); err != nil {
		t.Fatal(err)
	}
	return safejson.Check(b, []byte(document), limits)
}

func TestCheck_Passes(t *testing.T) {
	for _, document := range []string{
		`null`, ` "a" `, `-1.5e3`, `[]`, `{}`, `[[],{},[1,"a",null,true,false]]`,
		`{"chapters":[{"lectures":[{},{}]},{"lectures":[{"answer":["a","b"]}, {"answer":{"a":1}}]},{}],
			"lectures":[1,2,3,4,5], "answer":[1,2,3]}`,
		`{"a":"\"]}{[,:\\","b":"\\\\","\"c":1,"é\u00e9":2,"e\u00e9":3}`,
		`{"chapters":{"lectures":1,"b":2,"c":3}}`,
		strings.Repeat("[", 10) + strings.Repeat("]", 10),
		strings.Repeat("1", 400),
		`{"a":1,"A":2}`,
	} {
		if err := check(t, document, course); err != nil {
			t.Errorf("%s: %v", document, err)
		}
	}
}

func TestCheck_RefusesByName(t *testing.T) {
	names := make([]string, 40)
	for i := range names {
		names[i] = fmt.Sprintf(`"n%d":%d`, i, i)
	}
	for document, want := range map[string]string{
		``:                   "not valid JSON (unexpected end",
		`{} {}`:              "not valid JSON",
		`{"a":tru}`:          "not valid JSON",
		`[1,]`:               "not valid JSON",
		`{"a":1,"a":2}`:      `the name "a" twice`,
		`{"a":1,"\u0061":2}`: `the name "a" twice`,
		`{` + strings.Join(names, ",") + `,"n39":1}`:                   `the name "n39" twice`,
		strings.Repeat("1", 401):                                       "more than 400 digits",
		`{"chapters":[0,0,0,0]}`:                                       "has more than 3 chapters in one list: split the course",
		`{"CHAPTERS":[0,0,0,0]}`:                                       "more than 3 chapters",
		`{"\u0063hapters":[0,0,0,0]}`:                                  "more than 3 chapters",
		`{"chapters":{"a":0,"b":0,"c":0,"d":0}}`:                       "more than 3 chapters",
		`{"chapters":[{"lectures":[{},{}]},{"lectures":[{},{},{}]}]}`:  "has more than 4 lectures: split",
		`{"chapters":[{"lectures":[[0,0],[0,0],[0,0]]}]}`:              "more than 4 lectures",
		`{"chapters":[{"lectures":[{"answer":[1,2,3]}]}]}`:             "more than 2 answers in one list: leave",
		`{"chapters":[{"lectures":[{"answer":{"a":1,"b":2,"c":3}}]}]}`: "more than 2 answers",
		strings.Repeat("[", 11) + strings.Repeat("]", 11):              "more than 10 deep",
		strings.Repeat(`{"a":`, 11) + "1" + strings.Repeat("}", 11):    "more than 10 deep",
	} {
		err := check(t, document, course)
		refused, isRefused := errors.AsType[*safejson.Error](err)
		if !isRefused || !strings.Contains(refused.Reason, want) {
			t.Errorf("%.80s: %v, want a refusal with %q", document, err, want)
		}
	}
	if err := check(t, `{"a":1,"a":2}`, safejson.Limits{AllowDuplicates: true}); err != nil {
		t.Errorf("duplicates are allowed: %v", err)
	}
	err := check(t, strings.Repeat("[", 20_000), safejson.Limits{})
	if refused, isRefused := errors.AsType[*safejson.Error](err); !isRefused {
		t.Errorf("deep and cut off: %v", refused)
	}
}

// What the budget allows is built with at most 64 MB and 20 bytes for each byte of the document.
func TestCheck_BoundsWhatIsBuilt(t *testing.T) {
	type chapter struct {
		Title, Kind, URL, File string
		Lists                  [][]string
		Answer                 any
	}
	const size = 4 << 20
	fill := func(element string) string {
		return "[" + strings.Repeat(element+",", size/(len(element)+1)) + element + "]"
	}
	for _, element := range []string{`{}`, `[]`, `0`, `""`, `{"":0}`, `{"a":[]}`, `[[[[]]]]`,
		`{"":{"":{"":{}}}}`, `{"a":0,"b":0,"c":0,"d":0}`, `{"title":"a long title of a chapter"}`} {
		document := fill(element)
		if check(t, document, safejson.Limits{}) != nil {
			continue // nothing is built
		}
		for _, to := range []any{new(any), new([]chapter)} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_ = json.Unmarshal([]byte(document), to) // of a wrong type
			runtime.ReadMemStats(&after)
			took := after.TotalAlloc - before.TotalAlloc - size // the bytes of document
			if most := uint64(64_000_000 + 20*size); took > most {
				t.Errorf("%s as %T: %d bytes for %d", element, to, took, size)
			}
			runtime.KeepAlive(to)
		}
	}
	for _, element := range []string{"{}", "[]", `{"":0}`} {
		if err := check(t, fill(element), safejson.Limits{}); err == nil ||
			!strings.Contains(err.Error(), "too many values") {
			t.Errorf("%s: %v", element, err)
		}
	}
}

// The check ends soon after the caller has left.
func TestCheck_EndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	document := []byte("[" + strings.Repeat(" ", 1<<20) + "]")
	b := budget.New(ctx, int64(len(document)))
	cancel()
	if err := safejson.Check(b, document, safejson.Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// A reason is short, however long the name in it is.
func TestSyntaxReason_IsShort(t *testing.T) {
	d := json.NewDecoder(strings.NewReader(`{"` + strings.Repeat("a", 1<<20) + `":1}`))
	d.DisallowUnknownFields()
	var to struct{}
	if reason := safejson.SyntaxReason(d.Decode(&to)); len(reason) > 300 ||
		!strings.HasPrefix(reason, "unknown field") {
		t.Errorf("the reason has %d bytes", len(reason))
	}
}

// Whatever encoding/json reads is counted as it is.
func FuzzCheck(f *testing.F) {
	f.Add([]byte(`{"chapters":[{"lectures":[{"answer":[1,"a\"",null]}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		err := check(t, string(data), safejson.Limits{Lists: []safejson.List{
			{Path: "a", Each: 2, Name: "elements"}}, AllowDuplicates: true})
		var to struct{ A []json.RawMessage }
		if json.Unmarshal(data, &to) == nil && len(to.A) > 2 && err == nil {
			t.Errorf("%d elements pass", len(to.A))
		}
		if _, isRefused := errors.AsType[*safejson.Error](err); err != nil && !isRefused {
			t.Error(err)
		}
	})
}
