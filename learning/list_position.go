package learning

import "time"

// Position is the place of a row in a list that is ordered by a time, and by ids
// where times are equal.
type Position struct {
	At  time.Time
	ID  string
	ID2 string // where two ids make the order; else ""
}

// IsZero reports whether p is the place before the first row.
func (p Position) IsZero() bool { return p.ID == "" }
