package schemas

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	validator "github.com/santhosh-tekuri/jsonschema/v5"
)

// Place is a value in JSON that is not valid. It quotes nothing of the JSON: a name in the pointer
// is one of the schema.
type Place struct {
	Pointer string // a JSON Pointer (RFC 6901); "" is the whole
	Reason  string // to be read after the name of the value, such as "is required"
}

// Error returns the pointer and the reason.
func (p *Place) Error() string { return fmt.Sprintf("at %q: %s", p.Pointer, p.Reason) }

// sorted is how many places are found and put in order, as a multiple of those that are returned.
const sorted = 50

// Places returns at most so many of the places where tree does not fulfil the schema, in the order
// of their pointers. tree is as for [Schema.Check].
func (s *Schema) Places(tree any, most int) []Place {
	invalid, ok := errors.AsType[*validator.ValidationError](s.compiled.Validate(tree))
	if !ok {
		return nil
	}
	f := placeFinder{schema: s.tree, instance: tree, most: most * sorted}
	f.find(invalid)
	// The validator reads the fields of an object in the order of a map.
	slices.SortFunc(f.found, func(a, b Place) int {
		return cmp.Or(strings.Compare(a.Pointer, b.Pointer), strings.Compare(a.Reason, b.Reason))
	})
	f.found = slices.Compact(f.found)
	return f.found[:min(len(f.found), most)]
}

// placeFinder collects the places of the errors of a validation.
type placeFinder struct {
	schema, instance any
	most             int
	found            []Place
}

// find adds the places of an error, which are those of its causes.
func (f *placeFinder) find(e *validator.ValidationError) {
	path := segments(e.KeywordLocation)
	keyword := ""
	if len(path) > 0 {
		keyword = path[len(path)-1]
	}
	causes := e.Causes
	if keyword == "oneOf" || keyword == "anyOf" {
		causes = closest(e)
	}
	switch {
	case len(f.found) >= f.most:
	case len(causes) > 0:
		for _, cause := range causes {
			f.find(cause)
		}
	case keyword == "required":
		f.findMissing(path, e.InstanceLocation)
	default:
		f.found = append(f.found, Place{Pointer: pointer(path, e.InstanceLocation),
			Reason: reason(keyword, valueAt(f.schema, path))})
	}
}

// findMissing adds a place for each field that an object lacks.
func (f *placeFinder) findMissing(path []string, instance string) {
	required, _ := valueAt(f.schema, path).([]any)
	object, _ := valueAt(f.instance, segments(instance)).(map[string]any)
	for _, name := range required {
		name, _ := name.(string)
		if _, has := object[name]; !has {
			f.found = append(f.found, Place{Reason: "is required",
				Pointer: pointer(path, instance) + "/" + Escape(name)})
		}
	}
}

// closest returns the errors of the alternatives whose type the value has, or none if it has the
// type of none.
func closest(e *validator.ValidationError) []*validator.ValidationError {
	return slices.DeleteFunc(slices.Clone(e.Causes), func(cause *validator.ValidationError) bool {
		return cause.InstanceLocation == e.InstanceLocation &&
			strings.HasSuffix(cause.KeywordLocation, "/type")
	})
}

// pointer returns the pointer to a value of the instance, up to the first name that the schema does
// not have. path are the segments of the keyword that refuses the value.
func pointer(path []string, instance string) string {
	var b strings.Builder
	rest := segments(instance)
	for i := 0; i < len(path) && len(rest) > 0; i++ {
		switch path[i] {
		case "properties":
			i++ // the name follows
		case "items":
		case "additionalProperties", "patternProperties":
			return b.String()
		default:
			continue
		}
		b.WriteString("/" + Escape(rest[0]))
		rest = rest[1:]
	}
	return b.String()
}

// reason says what a keyword of a schema, which has a value, asks for.
func reason(keyword string, value any) string {
	switch keyword {
	case "type":
		return "must be " + typeText(fmt.Sprint(value))
	case "enum":
		list, _ := value.([]any)
		texts := make([]string, len(list))
		for i := range list {
			texts[i] = fmt.Sprint(list[i])
		}
		return "must be one of " + strings.Join(texts, ", ")
	case "minLength":
		if value == 1.0 {
			return "must not be blank"
		}
		return fmt.Sprintf("must have at least %s characters", numeral(value))
	case "maxLength":
		return fmt.Sprintf("must have at most %s characters", numeral(value))
	case "minItems":
		return fmt.Sprintf("must have at least %s elements", numeral(value))
	case "maxItems":
		return fmt.Sprintf("must have at most %s elements", numeral(value))
	case "minimum":
		return "must be at least " + numeral(value)
	case "maximum":
		return "must be at most " + numeral(value)
	case "exclusiveMinimum":
		return "must be greater than " + numeral(value)
	case "format":
		if value == "date-time" {
			return "must be a time such as 2026-01-31T09:30:00Z"
		}
	case "additionalProperties":
		return "must not have an unknown field"
	case "oneOf", "anyOf":
		return "must be of another type"
	}
	return "is not valid"
}

// typeText returns a type of JSON with its article.
func typeText(name string) string {
	if strings.ContainsAny(name[:1], "aeio") {
		return "an " + name
	}
	if name == "null" {
		return name
	}
	return "a " + name
}

// numeral writes a number of a schema without an exponent.
func numeral(value any) string {
	number, _ := value.(float64)
	return strconv.FormatFloat(number, 'f', -1, 64)
}

// valueAt returns the value at a path in JSON, or nil.
func valueAt(tree any, path []string) any {
	for _, segment := range path {
		switch node := tree.(type) {
		case map[string]any:
			tree = node[segment]
		case []any:
			i, err := strconv.Atoi(segment)
			if err != nil || i < 0 || i >= len(node) {
				return nil
			}
			tree = node[i]
		default:
			return nil
		}
	}
	return tree
}

// segments returns the unescaped segments of a JSON Pointer.
func segments(pointer string) []string {
	if pointer == "" {
		return nil
	}
	list := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i := range list {
		list[i] = strings.ReplaceAll(strings.ReplaceAll(list[i], "~1", "/"), "~0", "~")
	}
	return list
}

// Escape returns a name as a segment of a JSON Pointer.
func Escape(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}
