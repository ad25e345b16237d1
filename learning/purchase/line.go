package purchase

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
	"strconv"
	"time"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

// Line is one course of a purchase of several courses. The amounts of the lines sum up to that of
// the purchase.
type Line struct {
	// ID is that of the cause of the enrolment that the line gives: see [study.LineCause].
	ID         string
	PurchaseID string
	Number     int // from 1, in the order of the bundle
	UserID     string
	CourseID   string
	CreatedAt  time.Time // of the purchase

	Amount         core.Money
	RefundedAmount core.Money // its part of the processed refunds
	PendingRefunds core.Money // its part of those whose outcome is not known

	// TermDays and TermUntil are the terms of the course when the order was opened. ExpiresAt is
	// the end of the access that the line gives, since the completion; zero for no end.
	TermDays  int
	TermUntil time.Time
	ExpiresAt time.Time

	End LineEnd
	// What has ended the enrolment of the line, while it is ended:
	RefundEnded  bool
	DisputeEnded bool
}

// LineEnd says whether a line gives access no more, because it was refunded.
type LineEnd int

// The ends of a line.
const (
	Living       LineEnd = iota // it gives access, once its purchase is completed
	EndedByLines                // nothing is left of it, and a refund has named it
	EndedWithAll                // nothing is left of the purchase
)

// Sold is a course that becomes a line.
type Sold struct {
	CourseID string
	Title    string
	Price    core.Money // after the discount, in the currency of the purchase
	IsPriced bool       // whether the course has a price in the currency
	Terms    catalog.Terms
}

// NewLines returns the lines of an amount for courses, in their order. The amount is divided in
// proportion to their prices, or into equal shares if one is missing or all are 0. unit is the step
// in which the provider counts.
func NewLines(
	purchaseID, userID string, amount, unit core.Money, sold []Sold, at time.Time,
) []Line {
	weights := make([]core.Money, len(sold))
	isPriced := true
	for i, s := range sold {
		weights[i] = s.Price
		isPriced = isPriced && s.IsPriced
	}
	if !isPriced {
		clear(weights)
	}
	shares := Divide(amount, unit, weights)
	list := make([]Line, len(sold))
	for i, s := range sold {
		list[i] = Line{ID: study.LineCause(purchaseID, strconv.Itoa(i+1)), PurchaseID: purchaseID,
			Number: i + 1, UserID: userID, CourseID: s.CourseID, CreatedAt: at, Amount: shares[i],
			TermDays: s.Terms.Days, TermUntil: s.Terms.Until}
	}
	return list
}

// Divide divides an amount in proportion to weights, to the last unit: what is left over after
// rounding down goes to the largest remainders, of equal ones to the first. If all weights are 0,
// it divides into equal shares. The shares sum up to the amount. Neither the amount nor a weight
// may be negative, and there must be a weight. An amount that is not a multiple of the unit is
// divided to the last 1.
func Divide(amount, unit core.Money, weights []core.Money) []core.Money {
	if unit < 1 || amount%unit != 0 {
		unit = 1
	}
	var total uint64
	for _, w := range weights {
		total += uint64(w)
	}
	if total == 0 {
		equal := make([]core.Money, len(weights))
		for i := range equal {
			equal[i] = 1
		}
		weights, total = equal, uint64(len(equal))
	}

	// Round down, and remember the remainders.
	units := uint64(amount / unit)
	shares := make([]core.Money, len(weights))
	remainders := make([]uint64, len(weights))
	order := make([]int, len(weights)) // of the remainders
	left := units
	for i, w := range weights {
		high, low := bits.Mul64(units, uint64(w))
		quotient, remainder := bits.Div64(high, low, total)
		shares[i], remainders[i], order[i] = core.Money(quotient), remainder, i
		left -= quotient
	}

	// Give what is left to the largest remainders.
	slices.SortStableFunc(order,
		func(a, b int) int { return cmp.Compare(remainders[b], remainders[a]) })
	for _, i := range order[:left] {
		shares[i]++
	}
	for i := range shares {
		shares[i] *= unit
	}
	return shares
}

// IsSame reports whether an order has fixed the same for two lines.
func (l Line) IsSame(o Line) bool {
	return l.ID == o.ID && l.CourseID == o.CourseID && l.Amount == o.Amount &&
		l.TermDays == o.TermDays && l.TermUntil.Equal(o.TermUntil)
}

// Cause returns what the line gives in its course.
func (l Line) Cause() study.Cause {
	return study.Cause{ID: l.ID, UserID: l.UserID, CourseID: l.CourseID, ExpiresAt: l.ExpiresAt}
}

// Left returns what is neither refunded nor pending. A refund at the provider may take what is
// pending too: then it is 0.
func (l Line) Left() core.Money {
	return max(0, l.Amount-l.RefundedAmount-l.PendingRefunds)
}

// CourseIDs returns the courses of lines.
func CourseIDs(lines []Line) []string {
	ids := make([]string, len(lines))
	for i, l := range lines {
		ids[i] = l.CourseID
	}
	return ids
}

// LockCourses locks courses until the end of the transaction, so that none is deleted meanwhile: in
// the order of their ids, so that two transactions do not wait for each other. Error:
// [catalog.ErrCourseNotFound].
func LockCourses(ctx context.Context, tx catalog.LockTx, courseIDs []string) error {
	for _, id := range slices.Sorted(slices.Values(courseIDs)) {
		if err := catalog.LockCourse(ctx, tx, id); err != nil {
			return err
		}
	}
	return nil
}
