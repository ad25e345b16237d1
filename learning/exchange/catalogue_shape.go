package exchange

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// position is a place in a text. Lines and columns begin with 1; a column is a character.
type position struct{ line, column int }

// String returns the position as the beginning of an error; "" for the zero value.
func (p position) String() string {
	if p == (position{}) {
		return ""
	}
	return fmt.Sprintf("line %d, column %d: ", p.line, p.column)
}

// positionOf returns the position of the byte with an index. An index outside the text counts as
// its beginning or its end.
func positionOf(text []byte, index int) position {
	before := text[:min(max(index, 0), len(text))]
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	return position{line: 1 + bytes.Count(before, []byte("\n")), column: 1 + utf8.RuneCount(line)}
}

// shape compares a JSON document with a Go type. Package encoding/json would report the first
// difference only, without its place.
type shape struct {
	text    []byte
	decoder *json.Decoder
	starts  map[string]int // index of each value, by its path, such as "courses[0].coursePrice"
	faults  []shapeFault
}

// shapeFault is a field that the type does not have, or a value of another type.
type shapeFault struct {
	path string
	at   position
	text string
}

// readShape compares a document, which must be valid JSON, with a type. The differences are the
// faults of the shape. The error is one of reading the document.
func readShape(text []byte, t reflect.Type) (*shape, error) {
	s := &shape{text: text, decoder: json.NewDecoder(bytes.NewReader(text)),
		starts: map[string]int{}}
	s.decoder.UseNumber() // so that wantedValue can tell a whole number
	return s, s.value("", t)
}

// at returns the position of the value with a path or, if it is missing, of the value that should
// contain it.
func (s *shape) at(path string) position {
	for {
		if start, ok := s.starts[path]; ok || path == "" {
			return positionOf(s.text, start)
		}
		path = path[:max(strings.LastIndexAny(path, ".["), 0)]
	}
}

// faultsOf returns the faults in the value with a path.
func (s *shape) faultsOf(path string) (found []shapeFault) {
	for _, f := range s.faults {
		rest, ok := strings.CutPrefix(f.path, path)
		// The path must end here: "people[0].email" is not in a value "people[0].em".
		if ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			found = append(found, f)
		}
	}
	return found
}

// addFault adds a fault of the value with a path. start is the index of the place to report.
func (s *shape) addFault(path string, start int, text string) {
	s.faults = append(s.faults, shapeFault{path: path, at: positionOf(s.text, start), text: text})
}

// next returns the index of the token that the decoder reads next.
func (s *shape) next() int {
	// The decoder has read up to the end of the last token. Skip what separates tokens.
	i := int(s.decoder.InputOffset())
	for i < len(s.text) && strings.IndexByte(" \t\r\n,:", s.text[i]) >= 0 {
		i++
	}
	return i
}

// value reads a value with all that is in it. It records the place of each value, and compares them
// with the type t. t is nil if there is nothing to compare with, as in an unknown field.
func (s *shape) value(path string, t reflect.Type) error {
	start := s.next()
	s.starts[path] = start
	token, err := s.decoder.Token()
	if err != nil {
		return err
	}
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if what := wantedValue(t, token); what != "" {
		s.addFault(path, start, "must be "+what)
		t = nil // nothing inside it can be compared
	}
	switch token {
	case json.Delim('{'):
		err = s.fields(path, t)
	case json.Delim('['):
		err = s.elements(path, t)
	}
	return err
}

// fields reads the rest of an object, whose type is t; nil as in value.
func (s *shape) fields(path string, t reflect.Type) error {
	for s.decoder.More() {
		start := s.next()
		token, err := s.decoder.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string) // always one, before a value
		var field reflect.Type
		if t != nil && t.Kind() == reflect.Map { // of values of one type, with any names
			field = t.Elem()
		} else if t != nil {
			known, ok := fieldOf(t, name)
			if ok {
				// As encoding/json does, fieldOf accepts a name in other case. The path has the
				// name of the tag, by which the checks of a course ask for places.
				name, field = jsonName(known), known.Type
			} else {
				s.addFault(path, start, fmt.Sprintf("has an unknown field %q", name))
			}
		}
		if err := s.value(strings.TrimPrefix(path+"."+name, "."), field); err != nil {
			return err
		}
	}
	_, err := s.decoder.Token() // the end
	return err
}

// elements reads the rest of a list, whose type is t; nil as in value.
func (s *shape) elements(path string, t reflect.Type) error {
	if t != nil {
		t = t.Elem()
	}
	for i := 0; s.decoder.More(); i++ {
		if err := s.value(fmt.Sprintf("%s[%d]", path, i), t); err != nil {
			return err
		}
	}
	_, err := s.decoder.Token() // the end
	return err
}

// fieldOf returns the field of a struct that encoding/json fills from a name, and whether there is
// one. All such fields have a tag.
func fieldOf(t reflect.Type, name string) (reflect.StructField, bool) {
	fields := slices.Collect(t.Fields())
	i := slices.IndexFunc(fields, func(f reflect.StructField) bool {
		return f.IsExported() && strings.EqualFold(jsonName(f), name)
	})
	if i < 0 {
		return reflect.StructField{}, false
	}
	return fields[i], true
}

// jsonName returns the name that the tag of a field has.
func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// wantedValue describes the values of t, such as "a number", if a value that begins with token is
// not one of them. It returns "" if it is one, or if t is nil. null is a value of every type. It
// knows the kinds of the fields of a catalogue, and takes any value for another kind.
func wantedValue(t reflect.Type, token json.Token) string {
	if t == nil || token == nil {
		return ""
	}
	text, isText := token.(string)
	number, isNumber := token.(json.Number)
	_, isBool := token.(bool)
	// Compare the Go type with the JSON type of the token.
	switch {
	case t == reflect.TypeFor[json.Number](): // which may be in quotes
		if _, err := strconv.ParseFloat(text, 64); !isNumber && err != nil {
			return "a number"
		}
	case t == reflect.TypeFor[time.Time]():
		if _, err := time.Parse(time.RFC3339, text); err != nil {
			return "a time, such as \"2026-01-31T09:30:00Z\""
		}
	case t.Kind() == reflect.String && !isText:
		return "a text in quotes"
	case t.Kind() == reflect.Bool && !isBool:
		return "true or false"
	case t.Kind() == reflect.Float64 && !isNumber:
		return "a number"
	case t.Kind() == reflect.Int:
		// For a token that is no number, number is "", which Atoi refuses.
		if _, err := strconv.Atoi(number.String()); err != nil {
			return "a whole number"
		}
	case t.Kind() == reflect.Slice && token != json.Delim('['):
		return "a list in [ ]"
	case (t.Kind() == reflect.Struct || t.Kind() == reflect.Map) && token != json.Delim('{'):
		return "an object in { }"
	}
	return ""
}
