package core

import (
	"cmp"
	"slices"
)

// Total is a number of rows, and a sum over them, that is kept: it changes in the transaction of
// the rows that it counts, so that an answer which shows it takes the same time however many
// there are. System.RecountTotals of package learning compares it with the rows.
type Total struct {
	Kind     TotalKind
	CourseID string // the course that the rows belong to; "" for the whole platform
	Part     string // which of the totals of the kind; "" if there is one
	Number   int    // of rows
	Amount   int64  // the sum over them; 0 for kinds that have none
}

// TotalKind says what a total counts. The rooms declare the kinds of their nouns. A kind is of the
// whole platform unless its comment says another thing.
type TotalKind string

// TotalsChange returns what to add to the totals of a row when it changes: what it adds to them
// after the change, less what it did before. Totals that stay as they are, are left out.
func TotalsChange(before, after []Total) []Total {
	change := slices.Clone(after)
	for _, t := range before {
		t.Number, t.Amount = -t.Number, -t.Amount
		change = append(change, t)
	}
	return mergeTotals(change)
}

// mergeTotals returns the sums of the totals with equal kind, course and part, in their order,
// without those that are zero. All transactions use this order, so that they do not deadlock.
func mergeTotals(list []Total) (merged []Total) {
	list = slices.Clone(list)
	slices.SortStableFunc(list, compareTotals)
	for _, t := range list {
		if last := len(merged) - 1; last >= 0 && compareTotals(merged[last], t) == 0 {
			merged[last].Number += t.Number
			merged[last].Amount += t.Amount
			continue
		}
		merged = append(merged, t)
	}
	return slices.DeleteFunc(merged, func(t Total) bool { return t.Number == 0 && t.Amount == 0 })
}

// compareTotals compares what two totals count, in the order of the primary key of the store.
func compareTotals(a, b Total) int {
	return cmp.Or(cmp.Compare(a.CourseID, b.CourseID), cmp.Compare(a.Kind, b.Kind),
		cmp.Compare(a.Part, b.Part))
}
