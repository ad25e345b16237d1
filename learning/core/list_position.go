package core

import (
	"cmp"
	"strings"
	"time"
)

// Position is the position of a row in a list that is ordered by a time or a number, and by
// ids where these are equal.
type Position struct {
	At    time.Time
	Value int64 // of lists that are ordered by a number; else 0
	ID    string
	ID2   string // second id, for lists that are ordered by two ids; else ""
}

// ListOrder is the order of a list by time, and by the ids on a tie. NewestFirst has the reverse
// order of OldestFirst, also on a tie.
type ListOrder bool

// The orders of a list.
const (
	OldestFirst ListOrder = false
	NewestFirst ListOrder = true
)

// Compare returns a negative number if a comes before b, a positive one if it comes after b, and 0
// if they are the same position.
func (o ListOrder) Compare(a, b Position) int {
	if o == NewestFirst {
		a, b = b, a
	}
	return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Value, b.Value),
		strings.Compare(a.ID, b.ID), strings.Compare(a.ID2, b.ID2))
}

// IsZero reports whether p is the position before the first row. Every row has an ID.
func (p Position) IsZero() bool { return p.ID == "" }
