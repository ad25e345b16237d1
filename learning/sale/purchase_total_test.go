package sale

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/openlectern/openlectern/learning/core"
)

func TestSaleTotals_Transitions(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 2, 28, 23, 59, 59, 0, time.UTC)
	in := func(status PurchaseStatus, refunded core.Money) Purchase {
		p := Purchase{ID: "p", CourseID: "go", Currency: "INR", Amount: 10_00,
			RefundedAmount: refunded, Status: status}
		if status == PurchaseCompleted || status == PurchaseRefunded {
			p.CompletedAt = day.In(time.FixedZone("IST", 19_800)) // the UTC day counts
		}
		return p
	}
	returned := in(PurchaseRefunded, 0) // its payment was sent back, and it was never completed
	returned.CompletedAt = time.Time{}
	free := in(PurchaseCompleted, 0)
	later := in(PurchaseCompleted, 0)
	dollars := in(PurchaseCompleted, 0)
	old := in(PurchaseCompleted, 0)
	free.Amount = 0
	later.CompletedAt = day.Add(time.Second)
	dollars.Currency = "USD"
	old.CompletedAt = time.Time{}
	change := func(number int, amount int64) []core.Total {
		return []core.Total{
			{Kind: TotalDailySales, Part: "INR 2026-02-28", Number: number, Amount: amount},
			{Kind: TotalSales, Part: "INR", Number: number, Amount: amount},
			{Kind: TotalCourseSales, CourseID: "go", Part: "INR", Number: number, Amount: amount},
		}
	}
	for name, tt := range map[string]struct {
		before, after Purchase
		want          []core.Total
	}{
		"opened": {Purchase{}, in(PurchaseCreated, 0), nil},
		"paid": {in(PurchasePending, 0), in(PurchaseCompleted, 0),
			change(1, 10_00)},
		"paid late": {in(PurchaseFailed, 0), in(PurchaseCompleted, 0),
			change(1, 10_00)},
		"free":                   {Purchase{}, free, change(1, 0)},
		"paid late and returned": {in(PurchaseFailed, 0), returned, nil},
		"paid twice":             {in(PurchaseCompleted, 0), in(PurchaseCompleted, 0), nil},
		"replaced":               {in(PurchasePending, 0), in(PurchaseFailed, 0), nil},
		"partly refunded": {in(PurchaseCompleted, 0), in(PurchaseCompleted, 3_00),
			change(0, -3_00)},
		"refunded": {in(PurchaseCompleted, 0), in(PurchaseRefunded, 10_00),
			change(-1, -10_00)},
		"the rest refunded": {in(PurchaseCompleted, 3_00), in(PurchaseRefunded, 10_00),
			change(-1, -7_00)},
		"a refund failed": {in(PurchaseRefunded, 10_00), in(PurchaseCompleted, 3_00),
			change(1, 7_00)},
		"a partial refund failed": {in(PurchaseCompleted, 5_00), in(PurchaseCompleted, 2_00),
			change(0, 3_00)},
		"completed before its time": {Purchase{}, old, change(1, 10_00)[1:]},
		"of another day": {in(PurchaseCompleted, 0), later, []core.Total{
			{Kind: TotalDailySales, Part: "INR 2026-02-28", Number: -1, Amount: -10_00},
			{Kind: TotalDailySales, Part: "INR 2026-03-01", Number: 1, Amount: 10_00},
		}},
		"in dollars": {Purchase{}, dollars, []core.Total{
			{Kind: TotalDailySales, Part: "USD 2026-02-28", Number: 1, Amount: 10_00},
			{Kind: TotalSales, Part: "USD", Number: 1, Amount: 10_00},
			{Kind: TotalCourseSales, CourseID: "go", Part: "USD", Number: 1, Amount: 10_00},
		}},
	} {
		if diff := cmp.Diff(tt.want, core.TotalsChange(saleTotals(tt.before), saleTotals(tt.after)),
			cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
