package refund

import (
	"slices"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/purchase"
)

// names reports whether a refund names a line.
func (r Refund) names(id string) bool { return r.ByLines && hasShare(r.Shares, id) }

// hasShare reports whether one of shares is of a line.
func hasShare(shares []purchase.Share, id string) bool {
	return slices.ContainsFunc(shares, func(s purchase.Share) bool { return s.LineID == id })
}

// Chosen returns what is left of the lines of some courses, and the sum. It reports false if a
// course has no line, and for no courses.
func Chosen(
	lines []purchase.Line, courseIDs []string,
) (shares []purchase.Share, sum core.Money, found bool) {
	for _, id := range courseIDs {
		i := slices.IndexFunc(lines, func(l purchase.Line) bool { return l.CourseID == id })
		if i < 0 {
			return nil, 0, false
		}
		shares = append(shares, purchase.Share{LineID: lines[i].ID, Amount: lines[i].Left()})
		sum += lines[i].Left()
	}
	return shares, sum, len(shares) > 0
}

// HaveSameLines reports whether two refunds are of the same lines, in any order.
func HaveSameLines(a, b []purchase.Share) bool {
	isMissing := func(b []purchase.Share) func(purchase.Share) bool {
		return func(s purchase.Share) bool { return !hasShare(b, s.LineID) }
	}
	return !slices.ContainsFunc(a, isMissing(b)) && !slices.ContainsFunc(b, isMissing(a))
}

// Spread spreads an amount over what is left of lines in proportion. If more than that is given
// back at the provider, the rest is taken from what is pending. unit is the step in which the
// provider counts. The amount must not exceed what is not refunded.
func Spread(lines []purchase.Line, amount, unit core.Money) []purchase.Share {
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
	var shares []purchase.Share
	for i, l := range lines {
		if given[i] > 0 {
			shares = append(shares, purchase.Share{LineID: l.ID, Amount: given[i]})
		}
	}
	return shares
}

// within divides an amount in proportion to what there is room for, of which no share is more.
func within(amount, unit core.Money, room []core.Money) []core.Money {
	if slices.ContainsFunc(room, func(r core.Money) bool { return unit < 1 || r%unit != 0 }) {
		unit = 1
	}
	return purchase.Divide(amount, unit, room)
}

// Count counts an amount as refunded, and returns the lines after it with what each of them has
// got. The shares of r come first, as far as so much is left of their lines; they must not be
// pending any more. The rest is spread over all lines. The amount must not exceed what is not
// refunded.
func Count(
	lines []purchase.Line, r Refund, amount, unit core.Money,
) ([]purchase.Line, []purchase.Share) {
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
			i := slices.IndexFunc(lines, func(l purchase.Line) bool { return l.ID == s.LineID })
			given[i] += s.Amount
			lines[i].RefundedAmount += s.Amount
		}
	}
	var shares []purchase.Share
	for i, l := range lines {
		if given[i] > 0 || r.names(l.ID) {
			shares = append(shares, purchase.Share{LineID: l.ID, Amount: given[i]})
		}
	}
	return lines, shares
}

// Join adds up shares by their lines.
func Join(a, b []purchase.Share) []purchase.Share {
	joined := slices.Clone(a)
	for _, s := range b {
		i := slices.IndexFunc(joined, func(o purchase.Share) bool { return o.LineID == s.LineID })
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
func EndAfter(lines []purchase.Line, r Refund, isCounted, isAll bool) []purchase.Line {
	lines = slices.Clone(lines)
	for i, l := range lines {
		isNamed, left := r.names(l.ID), l.Amount-l.RefundedAmount
		isWithAll := l.End == purchase.EndedWithAll
		isFreed := !isCounted && (isNamed || isWithAll) // by a refund that has failed
		switch {
		case isAll && l.End == purchase.Living:
			lines[i].End = purchase.EndedWithAll
		case isAll:
		case left == 0 && isNamed && isCounted && l.End == purchase.Living:
			lines[i].End = purchase.EndedByLines
		case left > 0, l.Amount == 0 && isFreed:
			lines[i].End = purchase.Living
		}
	}
	return lines
}

// LineReport is what a report about a refund changes in the books of its purchase.
type LineReport struct {
	WasPending bool       // its amount is pending no more
	IsMore     bool       // it was counted before, and more of it is counted now
	IsAgain    bool       // the same is pending again, for a new refund
	Counted    core.Money // added to what was refunded; negative if a counted refund has failed
	// Ends is whether access may change, and IsAll whether nothing is left of the purchase after
	// it.
	Ends, IsAll bool
}

// ApplyToLines returns the lines after a report about the stored refund r, the shares that the
// refund has then, and those that the report has counted.
func ApplyToLines(
	lines []purchase.Line, r Refund, report LineReport, unit core.Money,
) (after []purchase.Line, shares, counted []purchase.Share) {
	shares = r.Shares
	if report.WasPending {
		lines = purchase.Release(lines, r.Shares)
	}
	switch {
	case report.Counted > 0 && report.IsMore:
		lines, counted = Count(lines, Refund{}, report.Counted, unit)
		shares = Join(r.Shares, counted)
	case report.Counted > 0:
		lines, counted = Count(lines, r, report.Counted, unit)
		shares = counted
	case report.Counted < 0:
		lines, counted = purchase.Subtract(lines, r.Shares), r.Shares
	}
	if report.IsAgain {
		lines = purchase.Reserve(lines, r.Shares)
	}
	if report.Ends && report.Counted != 0 {
		lines = EndAfter(lines, Refund{Shares: shares, ByLines: r.ByLines}, report.Counted > 0,
			report.IsAll)
	}
	return lines, shares, counted
}
