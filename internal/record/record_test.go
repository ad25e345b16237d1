package record

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

func TestRetryDuplicate_CallsUntilItIsNoDuplicate(t *testing.T) {
	failure := errors.New("failed")
	duplicate := fmt.Errorf("insert: %w", ErrDuplicate)
	for _, test := range []struct {
		duplicates int
		then, want error
		calls      int
	}{
		{0, nil, nil, 1},
		{0, failure, failure, 1},
		{9, nil, nil, 10}, // of ten callers that want one row, all may win before this one
		{1000, nil, duplicate, 24},
	} {
		calls := 0
		err := RetryDuplicate(t.Context(), func() error {
			if calls++; calls <= test.duplicates {
				return duplicate
			}
			return test.then
		})
		if err != test.want || calls != test.calls {
			t.Errorf("%d duplicates: %v after %d calls", test.duplicates, err, calls)
		}
	}
}

func TestRetryDuplicate_ContextIsDone_ReturnsTheLastError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	err := RetryDuplicate(ctx, func() error {
		calls++
		cancel()
		return ErrDuplicate
	})
	if !errors.Is(err, ErrDuplicate) || calls != 2 {
		t.Errorf("%v after %d calls", err, calls)
	}
}
