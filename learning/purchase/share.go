package purchase

import (
	"slices"

	"github.com/openlectern/openlectern/learning/core"
)

// Share is the part of a refund that a line has. A line that a refund names has one of 0 if nothing
// was paid for it.
type Share struct {
	LineID string
	Amount core.Money
}

// AllShares returns the shares of a refund of all that was paid.
func AllShares(lines []Line) []Share {
	var shares []Share
	for _, l := range lines {
		if l.Amount > 0 {
			shares = append(shares, Share{LineID: l.ID, Amount: l.Amount})
		}
	}
	return shares
}

// Reserve makes shares pending.
func Reserve(lines []Line, shares []Share) []Line {
	return add(lines, shares, func(l *Line, amount core.Money) { l.PendingRefunds += amount })
}

// Release makes shares no longer pending.
func Release(lines []Line, shares []Share) []Line {
	return add(lines, shares, func(l *Line, amount core.Money) { l.PendingRefunds -= amount })
}

// Subtract takes back what a refund has counted that has failed.
func Subtract(lines []Line, shares []Share) []Line {
	return add(lines, shares, func(l *Line, amount core.Money) { l.RefundedAmount -= amount })
}

// add returns a copy of lines after change was called for each share and its line.
func add(lines []Line, shares []Share, change func(l *Line, amount core.Money)) []Line {
	lines = slices.Clone(lines)
	for _, s := range shares {
		for i := range lines {
			if lines[i].ID == s.LineID {
				change(&lines[i], s.Amount)
			}
		}
	}
	return lines
}
