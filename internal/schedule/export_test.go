package schedule

import (
	"context"
	"time"
)

// WithLease returns s with a lease of the given length.
func (s Schedule) WithLease(length time.Duration) Schedule {
	s.length = length
	return s
}

// RunIfDue is runIfDue.
func (s Schedule) RunIfDue(ctx context.Context) (pause time.Duration) { return s.runIfDue(ctx) }
