package core_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/openlectern/openlectern/learning/core"
)

func TestFieldError_NamesThePlaceOfThePart(t *testing.T) {
	notFound := &core.Error{Kind: core.NotFound, Code: "not_found", Message: "Not found"}
	short := func(s string) error { return core.RequireText("title", s, 1, 3) }
	for name, c := range map[string]struct {
		err  error
		want string // the text of the error; "" for none
	}{
		"a field":        {core.InvalidField("price", "is wrong"), "Invalid request data: price is wrong"},
		"no field":       {core.InvalidField("", "is wrong"), "Invalid request data: is wrong"},
		"a part":         {core.InField("a/0", short("")), "Invalid request data: a/0/title must not be blank"},
		"the whole part": {core.InField("a", core.InvalidField("", "is wrong")), "Invalid request data: a is wrong"},
		"another error":  {core.InField("a", notFound), "Not found"},
		"no error":       {core.InField("a", nil), ""},
		"an element": {core.EachIn("list", []string{"one", "four"}, short),
			"Invalid request data: list/1/title must have at most 3 characters"},
		"valid elements": {core.EachIn("list", []string{"one"}, short), ""},
		"a long list": {core.RequireAtMost("list", []int{1, 2}, 1),
			"Invalid request data: list must have at most 1 elements"},
		"a number": {core.RequireBetween("at", 1_000_001.0, 0, 1_000_000),
			"Invalid request data: at must be between 0 and 1000000"},
		"no number": {core.RequireBetween("at", math.NaN(), 0, 1),
			"Invalid request data: at must be between 0 and 1"},
		"a bound": {core.RequireBetween("at", 1, 0, 1), ""},
		"a text that cannot be stored": {core.RequireText("title", "a\x00b", 0, 3),
			"Invalid request data: title must be UTF-8 without U+0000"},
		"a page": {core.PageRequest{}.Check(),
			"Invalid request data: limit must be between 1 and 1000"},
		"wrapped": {core.Wrap("store", core.InvalidField("a", "is wrong")),
			"Invalid request data: a is wrong"},
	} {
		got := ""
		if c.err != nil {
			got = c.err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// The error of a rule is the public failure, and says more to those who ask.
func ExampleFieldError() {
	err := core.InField("courseContent/0", core.RequireText("chapterTitle", "", 1, 200))
	if errors.Is(err, core.ErrInvalidRequest) {
		fmt.Println(core.ErrInvalidRequest.Code)
	}
	if wrong, ok := errors.AsType[*core.FieldError](err); ok {
		fmt.Println(wrong.Field, "-", wrong.Reason)
	}
	// Output:
	// invalid_request
	// courseContent/0/chapterTitle - must not be blank
}
