// Package nilarg finds arguments that are nil, so that constructors refuse them with a reason and
// no method of the result panics later.
package nilarg

import (
	"fmt"
	"reflect"
	"strings"
)

// Is reports whether v is nil: a nil interface, or one that holds a nil pointer or function, which
// is not equal to nil. A nil value of another kind, such as a nil map with methods, may be usable.
func Is(v any) bool {
	switch of := reflect.ValueOf(v); of.Kind() {
	case reflect.Invalid: // a nil interface
		return true
	case reflect.Pointer, reflect.Func:
		return of.IsNil()
	default:
		return false
	}
}

// Options holds the names of the options whose argument is nil.
type Options []string

// Given returns the argument of an option. If it is nil, Given adds the name of the option to o.
func Given[T any](o *Options, name string, argument T) T {
	if Is(argument) {
		*o = append(*o, name)
	}
	return argument
}

// Err returns nil if o is empty, and else an error with the names. pkg is the package of the
// options, with which the error begins.
func (o Options) Err(pkg string) error {
	if len(o) == 0 {
		return nil
	}
	return fmt.Errorf("%s: the argument of %s is nil: leave the option out", pkg,
		strings.Join(o, ", "))
}

// Apply calls each option with target, and returns the error of an option that is nil. pkg is the
// package of the options. The caller then asks for [Options.Err].
func Apply[T any, O ~func(*T)](pkg string, target *T, options []O) error {
	for i, option := range options {
		if option == nil {
			return fmt.Errorf("%s: option %d is nil: leave it out", pkg, i+1)
		}
		option(target)
	}
	return nil
}
