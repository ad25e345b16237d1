package learning

import "time"

// Clock returns the current time.
type Clock interface {
	Now() time.Time
}

// midnight returns the beginning of the UTC day of t. Truncate counts from the zero time, which is
// a midnight in UTC.
func midnight(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }

// latest returns the later of two times.
func latest(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
