package schemas

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// Filler is implemented by types that [Fill] does not fill by their kind.
type Filler interface {
	// Fill sets the value. It returns a [Refusal] for a value that the schema could not refuse.
	Fill(tree any) error
}

// Refusal is why a [Filler] refuses a value, to be read after the name of the value.
type Refusal string

// Error returns the reason.
func (r Refusal) Error() string { return string(r) }

// Fill sets the value to which target points from tree: JSON that was decoded into an any and
// fulfils the schema of the value's type. Numbers are of type float64 or [json.Number]. The
// names of fields are those of their JSON tags and must match exactly; others are ignored. Fill
// returns a [Place] if a number does not fit, or if a value is of another kind. A null sets a
// pointer to a pointer to a nil pointer, so that it differs from a field that is not there.
func Fill(target, tree any) error {
	err := fill(reflect.ValueOf(target).Elem(), tree)
	if err == nil {
		return nil
	}
	place := &Place{Reason: "must be a value that fits"}
	if refusal, ok := errors.AsType[Refusal](err); ok {
		place.Reason = string(refusal)
	}
	// Each level of the value has wrapped the error with the name of its part.
	for part := (*partError)(nil); errors.As(err, &part); err = part.err {
		place.Pointer += "/" + Escape(part.name)
	}
	// A Filler may have called Fill for its value.
	if inner, ok := errors.AsType[*Place](err); ok {
		place.Pointer += inner.Pointer
		place.Reason = inner.Reason
	}
	return place
}

// partError is the error of a field or an element.
type partError struct {
	name string
	err  error
}

func (e *partError) Error() string { return e.name + ": " + e.err.Error() }

func (e *partError) Unwrap() error { return e.err }

// fill is Fill for a value that can be set.
func fill(v reflect.Value, tree any) error {
	if own, ok := v.Addr().Interface().(Filler); ok {
		return own.Fill(tree)
	}
	// The field is there, so its pointer is not nil.
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		if tree == nil && v.Elem().Kind() == reflect.Pointer { // the inner pointer stays nil
			return nil
		}
		return fill(v.Elem(), tree)
	}
	switch tree := tree.(type) {
	case map[string]any:
		return fillStruct(v, tree)
	case []any:
		return fillSlice(v, tree)
	case json.Number:
		f, err := tree.Float64()
		if err != nil {
			return fmt.Errorf("number %s: %w", tree, err)
		}
		return fillNumber(v, f)
	case float64:
		return fillNumber(v, tree)
	}
	// A string or a bool, or null, for which IsValid is false.
	value := reflect.ValueOf(tree)
	if !value.IsValid() || value.Kind() != v.Kind() {
		return mismatch(v, tree)
	}
	v.Set(value.Convert(v.Type())) // v may have a type of its own, such as one made of string
	return nil
}

// mismatch returns the error of a tree that v cannot hold.
func mismatch(v reflect.Value, tree any) error {
	return fmt.Errorf("a value of type %T does not fit in %v", tree, v.Type())
}

// fillStruct sets the fields of v that tree has, and leaves the others as they are.
func fillStruct(v reflect.Value, tree map[string]any) error {
	if v.Kind() != reflect.Struct {
		return mismatch(v, tree)
	}
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		if value, found := tree[name]; found && name != "" {
			if err := fill(v.Field(i), value); err != nil {
				return &partError{name, err}
			}
		}
	}
	return nil
}

// fillSlice sets v to a new slice, also if tree is empty.
func fillSlice(v reflect.Value, tree []any) error {
	if v.Kind() != reflect.Slice {
		return mismatch(v, tree)
	}
	v.Set(reflect.MakeSlice(v.Type(), len(tree), len(tree)))
	for i, value := range tree {
		if err := fill(v.Index(i), value); err != nil {
			return &partError{strconv.Itoa(i), err}
		}
	}
	return nil
}

// fillNumber sets v, which must be a float, or a signed integer that can hold f without rounding.
func fillNumber(v reflect.Value, f float64) error {
	if v.CanFloat() {
		v.SetFloat(f)
		return nil
	}
	isInt64 := f == math.Trunc(f) && math.Abs(f) < 1<<63 // else the conversion is not defined
	if !v.CanInt() || !isInt64 || v.OverflowInt(int64(f)) {
		return mismatch(v, f)
	}
	v.SetInt(int64(f))
	return nil
}
