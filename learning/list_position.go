package learning

import "time"

// Position is the position of a row in a list that is ordered by a time, and by ids
// where times are equal.
type Position struct {
	At  time.Time
	ID  string
	ID2 string // second id, for lists that are ordered by two ids; else ""
}

// IsZero reports whether p is the position before the first row.
func (p Position) IsZero() bool { return p.ID == "" }
