package purchase_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/purchase"
)

func TestSaleTotals_Transitions(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 2, 28, 23, 59, 59, 0, time.UTC)
	in := func(status purchase.Status, refunded core.Money) purchase.Purchase {
		p := purchase.Purchase{ID: "p", CourseID: "go", Currency: "INR", Amount: 10_00,
			RefundedAmount: refunded, Status: status}
		if status == purchase.Completed || status == purchase.Refunded {
			p.CompletedAt = day.In(time.FixedZone("IST", 19_800)) // the UTC day counts
		}
		return p
	}
	returned := in(purchase.Refunded, 0) // its payment was sent back, and it was never completed
	returned.CompletedAt = time.Time{}
	free := in(purchase.Completed, 0)
	later := in(purchase.Completed, 0)
	dollars := in(purchase.Completed, 0)
	old := in(purchase.Completed, 0)
	free.Amount = 0
	later.CompletedAt = day.Add(time.Second)
	dollars.Currency = "USD"
	old.CompletedAt = time.Time{}
	change := func(number int, amount int64) []core.Total {
		return []core.Total{
			{Kind: purchase.TotalDailySales, Part: "INR 2026-02-28", Number: number,
				Amount: amount},
			{Kind: purchase.TotalSales, Part: "INR", Number: number, Amount: amount},
			{Kind: purchase.TotalCourseSales, CourseID: "go", Part: "INR", Number: number,
				Amount: amount},
		}
	}
	for name, tt := range map[string]struct {
		before, after purchase.Purchase
		want          []core.Total
	}{
		"opened": {purchase.Purchase{}, in(purchase.Created, 0), nil},
		"paid": {in(purchase.Pending, 0), in(purchase.Completed, 0),
			change(1, 10_00)},
		"paid late": {in(purchase.Failed, 0), in(purchase.Completed, 0),
			change(1, 10_00)},
		"free":                   {purchase.Purchase{}, free, change(1, 0)},
		"paid late and returned": {in(purchase.Failed, 0), returned, nil},
		"paid twice":             {in(purchase.Completed, 0), in(purchase.Completed, 0), nil},
		"replaced":               {in(purchase.Pending, 0), in(purchase.Failed, 0), nil},
		"partly refunded": {in(purchase.Completed, 0), in(purchase.Completed, 3_00),
			change(0, -3_00)},
		"refunded": {in(purchase.Completed, 0), in(purchase.Refunded, 10_00),
			change(-1, -10_00)},
		"the rest refunded": {in(purchase.Completed, 3_00), in(purchase.Refunded, 10_00),
			change(-1, -7_00)},
		"a refund failed": {in(purchase.Refunded, 10_00), in(purchase.Completed, 3_00),
			change(1, 7_00)},
		"a partial refund failed": {in(purchase.Completed, 5_00), in(purchase.Completed, 2_00),
			change(0, 3_00)},
		"completed before its time": {purchase.Purchase{}, old, change(1, 10_00)[1:]},
		"of another day": {in(purchase.Completed, 0), later, []core.Total{
			{Kind: purchase.TotalDailySales, Part: "INR 2026-02-28", Number: -1, Amount: -10_00},
			{Kind: purchase.TotalDailySales, Part: "INR 2026-03-01", Number: 1, Amount: 10_00},
		}},
		"in dollars": {purchase.Purchase{}, dollars, []core.Total{
			{Kind: purchase.TotalDailySales, Part: "USD 2026-02-28", Number: 1, Amount: 10_00},
			{Kind: purchase.TotalSales, Part: "USD", Number: 1, Amount: 10_00},
			{Kind: purchase.TotalCourseSales, CourseID: "go", Part: "USD", Number: 1,
				Amount: 10_00},
		}},
	} {
		got := core.TotalsChange(purchase.SaleTotals(tt.before), purchase.SaleTotals(tt.after))
		if diff := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
