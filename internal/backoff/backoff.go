// Package backoff pauses between two tries. It owns the one pause of this module, so
// that every pause ends with its context; it does not know what is tried, or how often.
package backoff

import (
	"context"
	"time"
)

// Sleep waits for d or until ctx is done. It returns the error of ctx if that was first.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
