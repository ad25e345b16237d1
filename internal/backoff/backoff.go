// Package backoff pauses between tries. Every pause of this module uses it, so that each
// pause ends with its context.
package backoff

import (
	"context"
	"time"
)

// Sleep waits for d or until ctx is done. It returns the error of ctx if ctx is done first.
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
