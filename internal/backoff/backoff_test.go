package backoff

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestSleep_EndsAfterThePauseOrWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		start := time.Now()
		if err := Sleep(ctx, 2*time.Second); err != nil || time.Since(start) != 2*time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		if err := Sleep(ctx, 2*time.Second); !errors.Is(err, context.DeadlineExceeded) ||
			time.Since(start) != 3*time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}
