package schedule

import (
	"context"
	"time"
)

// RunIfDue is runIfDue.
func (s Schedule) RunIfDue(ctx context.Context) (pause time.Duration) { return s.runIfDue(ctx) }
