package learning

import "time"

// midnight returns the beginning of the UTC day of t.
func midnight(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }
