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

// StorableTimeRule says what [IsStorableTime] asks for, to be read after the name of a field.
const StorableTimeRule = "must be a time from 1970 to 9999"

// IsStorableTime reports whether every engine can store a time. The zero time is stored as NULL.
// MySQL stores no year after 9999. Nothing that a user enters needs a year before 1970.
func IsStorableTime(t time.Time) bool {
	return t.IsZero() || t.Year() >= 1970 && t.Year() <= 9999
}
