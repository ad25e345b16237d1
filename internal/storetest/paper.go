package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/papers"
	"github.com/openlectern/openlectern/learning/purchase"
)

var paperTests = []test{
	{"a paper is read as it was stored, also with the longest texts", paperRoundTrip},
	{"a paper that does not exist is ErrNoRecord", paperMissing},
	{"a kind has one paper of a cause, and a series one of a number", paperUnique},
	{"a paper gets its tax once, and its number once", paperNumbered},
	{"the numbers of each series and year begin at 1", paperSeries},
	{"papers that wait are listed when they are due", paperWaiting},
	{"numbered papers are listed by purchase, for their buyer", paperList},
	{"the buyer of papers is forgotten, and then removed", paperForgotten},
	{"what a receipt copies is that of the moment", paperSold},
	{"billing data are replaced", billingReplaced},
}

// paper returns a receipt that waits for its number, of a purchase with the same id.
func paper(id string) papers.Paper {
	return papers.Paper{
		ID: id, UserID: "student", PurchaseID: id, Kind: papers.Receipt, Cause: id,
		Amount: 436_63, Currency: "INR",
		Lines:  []papers.Line{{Title: "Course <b>&\u2028\"x\"\\ 🎓", Amount: 436_63}},
		SoldAt: noon, Buyer: papers.Billing{Name: "Name", Address: "1\n2", Country: "IN", TaxID: "T"},
		CreatedAt: noon, TryAt: noon,
	}
}

// numbered returns a paper with a number.
func numbered(p papers.Paper, number int64) papers.Paper {
	p.Number = papers.Number{Series: "R", Year: 2026, Number: number}
	p.NumberedAt = noon.Add(time.Duration(number) * time.Second)
	p.TryAt = time.Time{}
	p.Tax = &papers.Tax{Rate: 190_000, Amount: 69_71, Name: "VAT", Note: "Note"}
	p.Content = papers.Content{SellerName: "School", SellerAddress: "3\n4", SellerTaxID: "S",
		Date: "2026-03-14", SoldOn: "2026-03-13", Corrects: "R-2026-000001"}
	return p
}

// numbers stores the number of a paper, and checks whether that changes it.
func (f *fixture) numbers(want bool, p papers.Paper) {
	f.t.Helper()
	f.reports(want, func(ctx context.Context, tx learning.Tx) (bool, error) {
		return tx.NumberPaper(ctx, p)
	})
}

// keptPaper checks a stored paper.
func (f *fixture) keptPaper(want papers.Paper) {
	f.t.Helper()
	got, err := f.Paper(f.t.Context(), want.ID)
	equal(f.t, got, err, want)
}

func paperRoundTrip(t *testing.T, f *fixture) {
	largest := paper(long(16))
	largest.RefundID, largest.Kind, largest.Cause = long(10), papers.CreditNote, long(25)
	largest.Buyer = papers.Billing{Name: long(papers.MaxName), Address: long(papers.MaxAddress),
		Country: "ZW", TaxID: long(papers.MaxTaxID)}
	largest.Attempts = 7
	largest.Forgotten = papers.BuyerDeleted
	least := paper("p")
	least.Buyer = papers.Billing{}
	for _, p := range []papers.Paper{least, largest} {
		f.add(p)
		f.keptPaper(p)
	}
}

func paperMissing(t *testing.T, f *fixture) {
	f.add(paper("a"))
	for _, id := range []string{"", "A", "a ", "none", "\xff"} {
		got, err := f.Paper(t.Context(), id)
		missing(t, got, err)
		list, err := f.PapersOf(t.Context(), id)
		equal(t, list, err, nil)
		sold, err := f.Sold(t.Context(), id)
		missing(t, sold, err)
		b, err := f.Billing(t.Context(), id)
		missing(t, b, err)
	}
	n, err := f.LastPaperNumber(t.Context(), "R", 2026)
	missing(t, n, err)
	f.numbers(false, numbered(paper("none"), 1))
}

func paperUnique(t *testing.T, f *fixture) {
	first, second := paper("a"), paper("b")
	f.add(first, second)
	again := paper("c")
	again.Cause = "a"
	f.fails(core.ErrDuplicate, func(ctx context.Context, tx learning.Tx) error {
		return tx.InsertPaper(ctx, again)
	})
	again.Kind = papers.CreditNote
	f.add(again)
	f.numbers(true, numbered(first, 1))
	f.fails(core.ErrDuplicate, func(ctx context.Context, tx learning.Tx) error {
		_, err := tx.NumberPaper(ctx, numbered(second, 1))
		return err
	})
}

func paperNumbered(t *testing.T, f *fixture) {
	p := paper("a")
	f.add(p, paper("other"))
	taxed := func(want bool, tax papers.Tax) {
		t.Helper()
		f.reports(want, func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.SetPaperTax(ctx, "a", tax)
		})
	}
	postpone := func(at time.Time) {
		f.do(func(ctx context.Context, tx learning.Tx) error {
			return tx.PostponePaper(ctx, "a", 3, at)
		})
	}
	postpone(noon.Add(time.Hour))
	p.Attempts, p.TryAt = 3, noon.Add(time.Hour)
	f.keptPaper(p)
	taxed(true, papers.Tax{}) // no tax is known too
	taxed(false, papers.Tax{Rate: 1})
	p.Tax = &papers.Tax{}
	f.keptPaper(p)

	p = numbered(p, 1)
	f.numbers(true, p)
	f.keptPaper(p)
	f.numbers(false, numbered(p, 2))
	postpone(noon)
	taxed(false, papers.Tax{Rate: 1})
	remove := func(id string) func(context.Context, learning.Tx) (bool, error) {
		return func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.DeletePaper(ctx, id)
		}
	}
	f.reports(false, remove("a"))
	f.keptPaper(p)
	f.keptPaper(paper("other"))
	f.reports(true, remove("other"))
	f.reports(false, remove("other"))
}

func paperSeries(t *testing.T, f *fixture) {
	for _, series := range []struct {
		name string
		year int
	}{{"R", 2026}, {"R", 2026}, {"C", 2026}, {"R", 2027}} {
		f.do(func(ctx context.Context, tx learning.Tx) error {
			return tx.IncrementPaperNumber(ctx, series.name, series.year)
		})
	}
	for year, want := range map[int]int64{2026: 2, 2027: 1} {
		n, err := f.LastPaperNumber(t.Context(), "R", year)
		equal(t, n, err, want)
	}
}

func paperWaiting(t *testing.T, f *fixture) {
	late, due, done := paper("b"), paper("c"), paper("d")
	late.TryAt = noon.Add(time.Second)
	last := paper("a")
	last.TryAt = noon.Add(2 * time.Second)
	f.add(late, due, done, last)
	f.numbers(true, numbered(done, 1))
	list, err := f.WaitingPapers(t.Context(), late.TryAt, core.PageRequest{Limit: 10})
	equal(t, list, err, []papers.Paper{due, late})
	list, err = f.WaitingPapers(t.Context(), last.TryAt, core.PageRequest{Limit: 1,
		After: core.Position{At: due.TryAt, ID: due.ID}})
	equal(t, list, err, []papers.Paper{late})
}

func paperList(t *testing.T, f *fixture) {
	first, second, waiting, others := paper("a"), paper("b"), paper("c"), paper("d")
	second.PurchaseID, waiting.PurchaseID, others.PurchaseID = "a", "a", "a"
	second.CreatedAt = noon.Add(-time.Second)
	others.UserID = "Student"
	other := paper("e")
	f.add(first, second, waiting, others, other)
	first, second, others, other = numbered(first, 1), numbered(second, 2), numbered(others, 3),
		numbered(other, 4)
	for _, p := range []papers.Paper{first, second, others, other} {
		f.numbers(true, p)
	}
	list, err := f.NumberedPapers(t.Context(), "student", []string{"a", "x"})
	equal(t, list, err, []papers.Paper{second, first})
	list, err = f.NumberedPapers(t.Context(), "student", []string{"e", "a"})
	equal(t, list, err, []papers.Paper{second, first, other})
	all, err := f.PapersOf(t.Context(), "a")
	equal(t, all, err, []papers.Paper{second, first, waiting, others})
}

func paperForgotten(t *testing.T, f *fixture) {
	first, second, waiting, others := paper("a"), paper("b"), paper("c"), paper("d")
	others.UserID = "other"
	f.add(first, second, waiting, others)
	first, second, others = numbered(first, 2), numbered(second, 1), numbered(others, 3)
	for _, p := range []papers.Paper{first, second, others} {
		f.numbers(true, p)
	}
	ids, err := f.ForgottenPapers(t.Context(), noon.Add(time.Hour), 10)
	equal(t, ids, err, nil)
	f.do(func(ctx context.Context, tx learning.Tx) error { return tx.ForgetBuyer(ctx, "student") })
	second.Forgotten, waiting.Forgotten = papers.BuyerDeleted, papers.BuyerDeleted
	f.keptPaper(second)
	f.keptPaper(waiting)
	f.keptPaper(others)
	list, err := f.NumberedPapers(t.Context(), "student", []string{"a", "b"})
	equal(t, list, err, nil)

	ids, err = f.ForgottenPapers(t.Context(), noon.Add(time.Hour), 10)
	equal(t, ids, err, []string{"b", "a"})
	ids, err = f.ForgottenPapers(t.Context(), first.NumberedAt, 10)
	equal(t, ids, err, []string{"b"})
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.RemoveBuyers(ctx, []string{"b", "none"})
	})
	second.Forgotten, second.Buyer = papers.BuyerRemoved, papers.Billing{Country: "IN"}
	f.keptPaper(second)
	ids, err = f.ForgottenPapers(t.Context(), noon.Add(time.Hour), 1)
	equal(t, ids, err, []string{"a"})
	f.do(func(ctx context.Context, tx learning.Tx) error { return tx.ForgetBuyer(ctx, "student") })
	f.keptPaper(second)
}

func paperSold(t *testing.T, f *fixture) {
	bought := purchaseIn("p", purchase.Completed)
	unknown := purchaseIn("q", purchase.Completed)
	unknown.UserID, unknown.CourseID = "unknown", "gone"
	f.add(course("course"), user("student"), bought, unknown)
	got, err := f.Sold(t.Context(), "q")
	equal(t, got, err, papers.Sold{})
	want := papers.Sold{Title: "Course course", Buyer: papers.Billing{Name: "Name of student"}}
	got, err = f.Sold(t.Context(), "p")
	equal(t, got, err, want)
	want.Buyer = papers.Billing{Name: "A", Address: "B", Country: "DE", TaxID: "C"}
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.ReplaceBilling(ctx, "student", want.Buyer, noon)
	})
	got, err = f.Sold(t.Context(), "p")
	equal(t, got, err, want)
	f.deleteBilling("student")
	f.reports(true, func(ctx context.Context, tx learning.Tx) (bool, error) {
		return tx.ScrubUser(ctx, "student", noon.Add(time.Hour))
	})
	got, err = f.Sold(t.Context(), "p")
	equal(t, got, err, papers.Sold{Title: "Course course", IsDeleted: true})
}

func billingReplaced(t *testing.T, f *fixture) {
	for _, b := range []papers.Billing{
		{Name: long(papers.MaxName), Address: long(papers.MaxAddress), Country: "ZW",
			TaxID: long(papers.MaxTaxID)},
		{Name: "A", Address: "1\n2", Country: "IN"},
	} {
		for _, id := range []string{"a", "A"} {
			f.do(func(ctx context.Context, tx learning.Tx) error {
				return tx.ReplaceBilling(ctx, id, b, noon)
			})
			got, err := f.Billing(t.Context(), id)
			equal(t, got, err, b)
		}
	}
	f.deleteBilling("A")
	f.deleteBilling("A")
	got, err := f.Billing(t.Context(), "A")
	missing(t, got, err)
	_, err = f.Billing(t.Context(), "a")
	equal(t, nil, err, any(nil))
}

func (f *fixture) deleteBilling(userID string) {
	f.t.Helper()
	f.do(func(ctx context.Context, tx learning.Tx) error { return tx.DeleteBilling(ctx, userID) })
}
