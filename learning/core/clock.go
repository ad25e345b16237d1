package core

import "time"

// Clock returns the current time.
type Clock interface {
	Now() time.Time
}

// Midnight returns the beginning of the UTC day of t. Truncate counts from the zero time, which is
// a midnight in UTC.
func Midnight(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }

// Latest returns the later of two times.
func Latest(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
