package learning

import "time"

// Position is the position of a row in a list that is ordered by a time or a number, and by
// ids where these are equal.
type Position struct {
	At    time.Time
	Value int64 // of lists that are ordered by a number; else 0
	ID    string
	ID2   string // second id, for lists that are ordered by two ids; else ""
}

// IsZero reports whether p is the position before the first row.
func (p Position) IsZero() bool { return p.ID == "" }
