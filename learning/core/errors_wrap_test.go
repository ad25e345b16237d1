package core_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/openlectern/openlectern/learning/core"
)

func TestIsRefused_OnlyIfARepetitionFailsToo(t *testing.T) {
	ofKind := func(kind core.Kind) error { return &core.Error{Kind: kind} }
	for _, c := range []struct {
		err  error
		want bool
	}{
		{nil, false},
		{errors.New("connection reset"), false},
		{context.Canceled, false},
		{core.ErrBusy, false},
		{core.ErrUnknownOutcome, false},
		{core.ErrDuplicate, false},
		{&core.HostError{Err: core.ErrForbidden}, false},
		{&core.RetryableError{Failure: &core.Error{Kind: core.Conflict}}, false},
		{ofKind(core.Internal), false},
		{ofKind(core.RateLimited), false},
		{ofKind(core.Unavailable), false},
		{ofKind(core.NoSpace), false},
		{ofKind(core.Invalid), true},
		{ofKind(core.TooLarge), true},
		{ofKind(core.Conflict), true},
		{core.ErrUnauthenticated, true},
		{core.ErrForbidden, true},
		{fmt.Errorf("enrol a user: %w", ofKind(core.NotFound)), true},
		{&core.ImportError{Failure: &core.Error{Kind: core.Invalid}}, true},
	} {
		if got := core.IsRefused(c.err); got != c.want {
			t.Errorf("%T %v: %v, want %v", c.err, c.err, got, c.want)
		}
	}
}
