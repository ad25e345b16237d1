package purchase

import (
	"time"

	"github.com/openlectern/openlectern/learning/core"
)

// The totals of sales: completed purchases, and the sum of what was paid less what was refunded.
const (
	TotalSales       core.TotalKind = "sales"        // by currency
	TotalDailySales  core.TotalKind = "daily sales"  // by currency and UTC day of completion
	TotalCourseSales core.TotalKind = "course sales" // by course and currency
)

// CountSale adds what the transition of a purchase changes in the totals of sales. before is zero
// for a new purchase.
func CountSale(changes *core.Changes, before, after Purchase) {
	changes.Count(after.ID, core.TotalsChange(SaleTotals(before), SaleTotals(after))...)
}

// DailySalesPart returns the part of the [TotalDailySales] of a day.
func DailySalesPart(currency string, day time.Time) string {
	return currency + " " + day.UTC().Format(time.DateOnly)
}

// SaleTotals returns what a purchase adds to the totals of sales:
//
//	status                              number  amount
//	completed                           1       what was paid less what was refunded
//	created, pending, failed, refunded  0       0
//
// A completed purchase counts in its currency, in the day of its completion, and in its course,
// also if that was deleted. One of a bundle counts in each of its courses with its line.
func SaleTotals(p Purchase) []core.Total {
	if p.Status != Completed {
		return nil
	}
	sale := core.Total{Kind: TotalSales, Part: p.Currency, Number: 1,
		Amount: int64(p.Amount - p.RefundedAmount)}
	ofCourse, ofDay := sale, sale
	ofCourse.Kind, ofCourse.CourseID = TotalCourseSales, p.CourseID
	totals := []core.Total{sale, ofCourse}
	if p.BundleID != "" {
		totals = totals[:1]
	}
	for _, l := range p.Lines {
		ofCourse.CourseID, ofCourse.Amount = l.CourseID, int64(l.Amount-l.RefundedAmount)
		totals = append(totals, ofCourse)
	}
	if p.CompletedAt.IsZero() { // a version before the first release did not store it
		return totals
	}
	ofDay.Kind, ofDay.Part = TotalDailySales, DailySalesPart(p.Currency, p.CompletedAt)
	return append(totals, ofDay)
}
