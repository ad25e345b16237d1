package purchase_test

import (
	"slices"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/purchase"
)

func TestDivide(t *testing.T) {
	for name, c := range map[string]struct {
		amount, unit core.Money
		weights      []core.Money
		want         []core.Money
	}{
		"one": {amount: 10, unit: 1, weights: []core.Money{3},
			want: []core.Money{10}},
		"in proportion": {amount: 90, unit: 1, weights: []core.Money{1, 2},
			want: []core.Money{30, 60}},
		"the largest remainder": {amount: 100, unit: 1, weights: []core.Money{1, 2, 3},
			want: []core.Money{17, 33, 50}},
		"equal remainders": {amount: 100, unit: 1, weights: []core.Money{1, 1, 1},
			want: []core.Money{34, 33, 33}},
		"all are 0": {amount: 5, unit: 1, weights: []core.Money{0, 0},
			want: []core.Money{3, 2}},
		"one is 0": {amount: 5, unit: 1, weights: []core.Money{0, 7},
			want: []core.Money{0, 5}},
		"nothing": {amount: 0, unit: 1, weights: []core.Money{4, 7},
			want: []core.Money{0, 0}},
		"less than lines": {amount: 1, unit: 1, weights: []core.Money{1, 1, 9},
			want: []core.Money{0, 0, 1}},
		"a unit of ten": {amount: 100, unit: 10, weights: []core.Money{1, 2},
			want: []core.Money{30, 70}},
		"no multiple": {amount: 101, unit: 10, weights: []core.Money{1, 2},
			want: []core.Money{34, 67}},
		"the largest": {amount: 1 << 62, unit: 1, weights: []core.Money{1 << 60, 1 << 60},
			want: []core.Money{1 << 61, 1 << 61}},
	} {
		if got := purchase.Divide(c.amount, c.unit, c.weights); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

func TestNew(t *testing.T) {
	at := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	sold := []purchase.Sold{
		{CourseID: "go", Price: 300, IsPriced: true, Terms: catalog.Terms{Days: 30, Until: at}},
		{CourseID: "sql", Price: 100, IsPriced: true},
	}
	lines := purchase.NewLines("p", "ada", 200, 1, sold, at)
	want := []purchase.Line{
		{ID: "p.1", PurchaseID: "p", Number: 1, UserID: "ada", CourseID: "go", CreatedAt: at,
			Amount: 150, TermDays: 30, TermUntil: at},
		{ID: "p.2", PurchaseID: "p", Number: 2, UserID: "ada", CourseID: "sql", CreatedAt: at,
			Amount: 50},
	}
	if !slices.Equal(lines, want) {
		t.Errorf("got %+v, want %+v", lines, want)
	}
	sold[1].IsPriced = false
	lines = purchase.NewLines("p", "ada", 201, 1, sold, at)
	if lines[0].Amount != 101 || lines[1].Amount != 100 {
		t.Errorf("without a price: got %+v, want equal shares", lines)
	}
}
