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

// LineRefund is what a refund says of lines.
type LineRefund struct {
	Shares  []Share
	ByLines bool // whether an admin has named the lines
}

// names reports whether a refund names a line.
func (r LineRefund) names(id string) bool { return r.ByLines && hasShare(r.Shares, id) }

// hasShare reports whether one of shares is of a line.
func hasShare(shares []Share, id string) bool {
	return slices.ContainsFunc(shares, func(s Share) bool { return s.LineID == id })
}

// Chosen returns what is left of the lines of some courses, and the sum. It reports false if a
// course has no line, and for no courses.
func Chosen(lines []Line, courseIDs []string) (shares []Share, sum core.Money, found bool) {
	for _, id := range courseIDs {
		i := slices.IndexFunc(lines, func(l Line) bool { return l.CourseID == id })
		if i < 0 {
			return nil, 0, false
		}
		shares = append(shares, Share{LineID: lines[i].ID, Amount: lines[i].Left()})
		sum += lines[i].Left()
	}
	return shares, sum, len(shares) > 0
}

// All returns the shares of a refund of all that was paid.
func All(lines []Line) []Share {
	var shares []Share
	for _, l := range lines {
		if l.Amount > 0 {
			shares = append(shares, Share{LineID: l.ID, Amount: l.Amount})
		}
	}
	return shares
}

// HaveSameLines reports whether two refunds are of the same lines, in any order.
func HaveSameLines(a, b []Share) bool {
	isMissing := func(b []Share) func(Share) bool {
		return func(s Share) bool { return !hasShare(b, s.LineID) }
	}
	return !slices.ContainsFunc(a, isMissing(b)) && !slices.ContainsFunc(b, isMissing(a))
}

// Spread spreads an amount over what is left of lines in proportion. If more than that is given
// back at the provider, the rest is taken from what is pending. unit is the step in which the
// provider counts. The amount must not exceed what is not refunded.
func Spread(lines []Line, amount, unit core.Money) []Share {
	if len(lines) == 0 { // a purchase of one course
		return nil
	}
	room := make([]core.Money, len(lines))
	var left core.Money
	for i, l := range lines {
		room[i] = l.Left()
		left += room[i]
	}
	given := make([]core.Money, len(lines))
	if left > 0 {
		given = within(min(amount, left), unit, room)
	}
	if rest := amount - min(amount, left); rest > 0 { // more than is left without the pending ones
		for i, l := range lines {
			room[i] = l.Amount - l.RefundedAmount - given[i]
		}
		for i, more := range within(rest, unit, room) {
			given[i] += more
		}
	}
	var shares []Share
	for i, l := range lines {
		if given[i] > 0 {
			shares = append(shares, Share{LineID: l.ID, Amount: given[i]})
		}
	}
	return shares
}

// within divides an amount in proportion to what there is room for, of which no share is more.
func within(amount, unit core.Money, room []core.Money) []core.Money {
	if slices.ContainsFunc(room, func(r core.Money) bool { return unit < 1 || r%unit != 0 }) {
		unit = 1
	}
	return Divide(amount, unit, room)
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

// Count counts an amount as refunded, and returns the lines after it with what each of them has
// got. The shares of r come first, as far as so much is left of their lines; they must not be
// pending any more. The rest is spread over all lines. The amount must not exceed what is not
// refunded.
func Count(lines []Line, r LineRefund, amount, unit core.Money) ([]Line, []Share) {
	// What the refund was to take, as far as it is there.
	wanted := make([]core.Money, len(lines))
	var sum core.Money
	for i, l := range lines {
		for _, s := range r.Shares {
			if s.LineID == l.ID {
				wanted[i] = min(s.Amount, l.Amount-l.RefundedAmount)
				sum += wanted[i]
			}
		}
	}
	given := make([]core.Money, len(lines))
	if sum > 0 {
		given = within(min(amount, sum), unit, wanted)
	}
	lines = slices.Clone(lines)
	for i := range lines {
		lines[i].RefundedAmount += given[i]
	}

	// The rest, of all lines.
	if rest := amount - min(amount, sum); rest > 0 {
		for _, s := range Spread(lines, rest, unit) {
			i := slices.IndexFunc(lines, func(l Line) bool { return l.ID == s.LineID })
			given[i] += s.Amount
			lines[i].RefundedAmount += s.Amount
		}
	}
	var shares []Share
	for i, l := range lines {
		if given[i] > 0 || r.names(l.ID) {
			shares = append(shares, Share{LineID: l.ID, Amount: given[i]})
		}
	}
	return lines, shares
}

// Join adds up shares by their lines.
func Join(a, b []Share) []Share {
	joined := slices.Clone(a)
	for _, s := range b {
		i := slices.IndexFunc(joined, func(o Share) bool { return o.LineID == s.LineID })
		if i < 0 {
			joined = append(joined, s)
			continue
		}
		joined[i].Amount += s.Amount
	}
	return joined
}

// EndAfter returns whether lines give access after a refund was counted, or has failed after that.
// isAll means that nothing is left of the purchase. The first row that fits decides. Left is what
// was paid less what was refunded:
//
//	line   left  all refunded  refund names it  paid  afterwards
//	any    any   yes           any              any   ended: EndedWithAll, unless it was before
//	any    0     no            yes, counted     any   EndedByLines
//	any    some  no            any              any   Living
//	ended  0     no            any              some  as before: its money stays refunded
//	ended  0     no            yes, failed      0     Living
//	ended  0     no, but was   any              0     Living, if it was EndedWithAll
//	any    0     no            any              any   as before
func EndAfter(lines []Line, r LineRefund, isCounted, isAll bool) []Line {
	lines = slices.Clone(lines)
	for i, l := range lines {
		isNamed, left := r.names(l.ID), l.Amount-l.RefundedAmount
		isFreed := !isCounted && (isNamed || l.End == EndedWithAll) // by a refund that has failed
		switch {
		case isAll && l.End == Living:
			lines[i].End = EndedWithAll
		case isAll:
		case left == 0 && isNamed && isCounted && l.End == Living:
			lines[i].End = EndedByLines
		case left > 0, l.Amount == 0 && isFreed:
			lines[i].End = Living
		}
	}
	return lines
}

// Report is what a report about a refund changes in the books of its purchase.
type Report struct {
	WasPending bool       // its amount is pending no more
	IsMore     bool       // it was counted before, and more of it is counted now
	IsAgain    bool       // the same is pending again, for a new refund
	Counted    core.Money // added to what was refunded; negative if a counted refund has failed
	// Ends is whether access may change, and IsAll whether nothing is left of the purchase after it.
	Ends, IsAll bool
}

// Apply returns the lines after a report about the stored refund r, the shares that the refund has
// then, and those that the report has counted.
func Apply(
	lines []Line, r LineRefund, report Report, unit core.Money,
) (after []Line, shares, counted []Share) {
	shares = r.Shares
	if report.WasPending {
		lines = Release(lines, r.Shares)
	}
	switch {
	case report.Counted > 0 && report.IsMore:
		lines, counted = Count(lines, LineRefund{}, report.Counted, unit)
		shares = Join(r.Shares, counted)
	case report.Counted > 0:
		lines, counted = Count(lines, r, report.Counted, unit)
		shares = counted
	case report.Counted < 0:
		lines, counted = Subtract(lines, r.Shares), r.Shares
	}
	if report.IsAgain {
		lines = Reserve(lines, r.Shares)
	}
	if report.Ends && report.Counted != 0 {
		lines = EndAfter(lines, LineRefund{Shares: shares, ByLines: r.ByLines}, report.Counted > 0,
			report.IsAll)
	}
	return lines, shares, counted
}
