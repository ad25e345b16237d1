// Package patience waits, for no longer than somebody cares. It owns the one pause of
// this module between two tries; it refuses to know what is tried, and how often.
package patience

import (
	"context"
	"time"
)

// Wait pauses for d. It is the error of ctx when that is done before.
func Wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
