package papers_test

import (
	"testing"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/papers"
)

// The receipt of a bundle has a line for each course, and the credit note one for each that is
// refunded.
func TestPapers_OfABundleHaveItsLines(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t), learningtest.WithPlatform(
		learning.WithSeller(papers.Seller{Name: "School"})))
	ada, boss := w.Person(t, "ada", core.Student), w.Person(t, "boss", core.Admin)
	w.Course(t, "go", 300_00)
	w.Course(t, "sql", 100_00)
	p := w.PaysOrder(t, w.OrderBundle(t, ada, w.BundleOf(t, 200_00, "go", "sql").ID))
	roomtest.Must(t, w.RefundLines(boss, p.ID, "sql"))
	made, err := w.Store.PapersOf(t.Context(), p.ID)
	roomtest.Must(t, err)
	want := map[papers.Kind][]core.Money{papers.Receipt: {150_00, 50_00}, papers.CreditNote: {50_00}}
	for _, paper := range made {
		lines := want[paper.Kind]
		if len(paper.Lines) != len(lines) {
			t.Fatalf("the %s has the lines %+v", paper.Kind, paper.Lines)
		}
		for i, l := range paper.Lines {
			if l.Amount != lines[i] || l.Title == "" || l.Title == "Bundle" {
				t.Errorf("line %d of the %s is %+v", i+1, paper.Kind, l)
			}
		}
	}
	if len(made) != 2 {
		t.Errorf("%d papers, want 2", len(made))
	}
	w.WantValidSales(t)
}
