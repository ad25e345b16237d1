package schemas_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"

	"github.com/openlectern/openlectern/internal/schemas"
)

// anything is a field for a value of several types.
type anything struct{}

func (anything) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "boolean"},
		{Type: "array", Items: &jsonschema.Schema{Type: "number"}}}}
}

// refused is a field that its own Fill refuses.
type refused struct{}

func (*refused) Fill(any) error { return schemas.Refusal("must be another") }

func (refused) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{} }

type placed struct {
	Name  string         `json:"na~me" jsonschema:"minLength=1,maxLength=3"`
	Kind  string         `json:"kind" jsonschema:"enum=a,enum=b"`
	Note  *string        `json:"note" jsonschema:"nullable,maxLength=2"`
	Any   anything       `json:"any"`
	Map   map[string]int `json:"map"`
	Parts []target       `json:"parts,omitempty"`
	Count int            `json:"count" jsonschema:"minimum=1,maximum=1000000"`
}

// A place has a pointer of names in the schema and of indexes, and a reason without the value.
func TestPlaces_NameWhatIsWrong(t *testing.T) {
	s, err := schemas.For(reflect.TypeFor[placed](), schemas.Open)
	if err != nil {
		t.Fatal(err)
	}
	const valid = `"na~me":"n","kind":"a","note":null,"any":true,"map":{},"count":1`
	for body, want := range map[string][]string{
		`{` + valid + `}`: nil,
		`[]`:              {`at "": must be an object`},
		`{}`: {`at "/any": is required`, `at "/count": is required`, `at "/kind": is required`,
			`at "/map": is required`, `at "/na~0me": is required`, `at "/note": is required`},
		`{` + valid + `,"na~me":""}`:             {`at "/na~0me": must not be blank`},
		`{` + valid + `,"na~me":"secret"}`:       {`at "/na~0me": must have at most 3 characters`},
		`{` + valid + `,"kind":"secret"}`:        {`at "/kind": must be one of a, b`},
		`{` + valid + `,"note":"secret"}`:        {`at "/note": must have at most 2 characters`},
		`{` + valid + `,"note":7}`:               {`at "/note": must be of another type`},
		`{` + valid + `,"any":"secret"}`:         {`at "/any": must be of another type`},
		`{` + valid + `,"any":[1,"secret"]}`:     {`at "/any/1": must be a number`},
		`{` + valid + `,"map":{"secret":"s"}}`:   {`at "/map": must be an integer`},
		`{` + valid + `,"count":2000000}`:        {`at "/count": must be at most 1000000`},
		`{` + valid + `,"parts":[{"secret":1}]}`: {`at "/parts/0/is": is required`, `at "/parts/0/large": is required`},
	} {
		tree := decoded(t, body)
		var got []string
		for _, place := range s.Places(tree, 2) {
			got = append(got, place.Error())
		}
		if len(want) > 2 {
			want = want[:2]
		}
		if !slices.Equal(got, want) || strings.Contains(strings.Join(got, ""), "secret") {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}

// The error of Fill has the place of the value, also of one that its own type refuses.
func TestFill_ErrorHasThePlace(t *testing.T) {
	var v struct {
		List []struct {
			Small int8    `json:"small"`
			Own   refused `json:"o/wn"`
		} `json:"list"`
	}
	for body, want := range map[string]string{
		`{"list":[{"small":1},{"small":300}]}`: `at "/list/1/small": must be a value that fits`,
		`{"list":[{"o/wn":1}]}`:                `at "/list/0/o~1wn": must be another`,
		`7`:                                    `at "": must be a value that fits`,
	} {
		if err := schemas.Fill(&v, decoded(t, body)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", body, err, want)
		}
	}
}
