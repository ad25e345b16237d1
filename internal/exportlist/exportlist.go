// Package exportlist is how the rooms declare what an export of a user's data lists: the rows of
// each table that belong to the user. A declaration has everything that differs between the lists:
// the name in the document, the query, and the names, types and texts of the fields. Package store
// reads the rows, package httpapi writes them and describes them in the API document, and tests
// compare the declarations with the tables. To export another table, declare one more list in its
// room.
//
// It has the order of the lists in the document. What an export has beside lists stands in package
// learning.
package exportlist

import (
	"cmp"
	"slices"
)

// List declares a list of an export.
type List struct {
	Name string // in the document
	Text string // describes the list; "" if the name says it

	From string // the tables of the query
	// of From that has the rows of a user in their order; "" if that is the primary key
	Index string
	Owner string // the column with the id of the user
	// whether the rows are deleted with the user; From must be one table then
	Private bool
	// Key are the columns that are unique together with Owner, in the order of the list.
	Key []Field

	Row    string // the name of the type of a row in the API document
	Fields []Field
}

// Field is a column of a list.
type Field struct {
	Name   string // in the document
	Column string // of the query
	Type   Type
	Values []string // that the text may have; nil for any
	Text   string   // describes the field; "" if the name says it
}

// Type is the type of a field.
type Type int

// The types of fields, and the Go types of their values in a [Row].
const (
	Text        Type = iota // string
	Nullable                // string; nil for NULL and ""
	Number                  // int64
	MaybeNumber             // int64; nil for NULL
	Amount                  // core.Hundredths
	Money                   // its decimals as text, in the currency of the field "currency"
	Bool                    // bool
	Time                    // time.Time
	Maybe                   // time.Time; nil for NULL
	Day                     // string such as 2026-01-31
	DayOfTime               // the same, of a column with a time
	Texts                   // []string, of a JSON array
	Numbers                 // []int64, of a JSON array
	Metadata                // core.Metadata; empty for NULL
)

// Row is a row of a list.
type Row struct {
	Values []any // of the fields, in their order
	Key    []any // of the key, in its order, after which the next rows follow
}

// order has the names of the lists as they follow each other in the document. The private ones are
// deleted with their user in this order too, which is one of locks.
var order = []string{
	"purchases", "refunds", "purchaseLines", "refundLines", "disputes", "papers", "enrollments",
	"pastEnrollments", "completedLectures", "positions", "notes", "notifications", "decisions",
	"announcements", "mutedNotifications", "extraAttempts", "completedCourses", "ratings",
	"files", "uploads", "timeEntries", "quizResults", "quizAttempts", "submissions",
	"submissionFiles", "certificates", "chats", "chatMessages", "memberships", "posts", "replies",
	"votes", "reports", "aiUsage", "courses", "bundles",
}

// InOrder returns lists in their order in the document. One that has no place in it comes last.
func InOrder(lists []List) []List {
	place := func(l List) int {
		if i := slices.Index(order, l.Name); i >= 0 {
			return i
		}
		return len(order)
	}
	return slices.SortedStableFunc(slices.Values(lists),
		func(a, b List) int { return cmp.Compare(place(a), place(b)) })
}
