package core

import (
	"errors"
	"fmt"

	"github.com/openlectern/openlectern/internal/text"
)

// FieldError is a public failure that says which value of a request is wrong, and what a valid one
// is. The rules of all rooms return it for an input that they refuse; [errors.As] finds it.
type FieldError struct {
	// Failure is the public failure that the error wraps, mostly [ErrInvalidRequest].
	Failure *Error
	// Field names the value as the HTTP API does, also for callers from Go: the names of JSON
	// fields and the indexes of elements, separated by slashes, such as
	// "courseContent/0/chapterContent/2/lectureUrl", or the name of a parameter, such as "limit".
	// It is "" if no single value is wrong.
	Field string
	// Reason is to be read after the name of the field: "must have at most 200 characters". It
	// never contains what was sent.
	Reason string
}

// Error returns the public message with the field and the reason.
func (e *FieldError) Error() string {
	if e.Field == "" {
		return e.Failure.Message + ": " + e.Reason
	}
	return e.Failure.Message + ": " + e.Field + " " + e.Reason
}

// Unwrap returns the failure.
func (e *FieldError) Unwrap() error { return e.Failure }

// InvalidField returns [ErrInvalidRequest] as a [FieldError].
func InvalidField(field, reason string) error {
	return &FieldError{Failure: ErrInvalidRequest, Field: field, Reason: reason}
}

// InField returns err with the name of an object or the path of an element before its field, if it
// is a [FieldError], and else err itself. A rule of a part of a request names the fields of the
// part; the rule of the whole adds where the part is.
func InField(path string, err error) error {
	inner, ok := errors.AsType[*FieldError](err)
	if !ok {
		return err
	}
	outer := *inner
	outer.Field = path
	if inner.Field != "" {
		outer.Field += "/" + inner.Field
	}
	return &outer
}

// RequireText returns a [FieldError] with [ErrInvalidRequest] unless every database can store the
// value of a field and it has between least and most code points. least must be 0 or 1: if it is
// 1, the value must have a character other than space.
func RequireText(field, value string, least, most int) error {
	if reason := text.Problem(value, least, most); reason != "" {
		return InvalidField(field, reason)
	}
	return nil
}

// Require returns a [FieldError] with [ErrInvalidRequest] unless a rule holds for a field.
func Require(holds bool, field, reason string) error {
	if holds {
		return nil
	}
	return InvalidField(field, reason)
}

// RequireBetween returns a [FieldError] with [ErrInvalidRequest] unless the number of a field is
// from least to most. NaN is not.
func RequireBetween[N int | int64 | float64](field string, value, least, most N) error {
	if value >= least && value <= most {
		return nil
	}
	return InvalidField(field, fmt.Sprintf("must be between %.0f and %.0f",
		float64(least), float64(most)))
}

// RequireAtMost returns a [FieldError] with [ErrInvalidRequest] if the list of a field has more
// than most elements.
func RequireAtMost[E any](field string, list []E, most int) error {
	if len(list) <= most {
		return nil
	}
	return InvalidField(field, fmt.Sprintf("must have at most %d elements", most))
}

// EachIn returns the error of the first element of the list of a field that a rule refuses, with
// the path of the element.
func EachIn[E any](field string, list []E, rule func(E) error) error {
	for i, element := range list {
		if err := rule(element); err != nil {
			return InField(fmt.Sprint(field, "/", i), err)
		}
	}
	return nil
}
