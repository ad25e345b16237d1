package papers_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/papers"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/refund"
	"github.com/openlectern/openlectern/learning/sale"
)

func ctx() context.Context { return context.Background() }

// plain draws a paper as its number.
type plain struct{}

func (plain) RenderPaper(_ context.Context, p papers.Paper) ([]byte, error) {
	return []byte(p.Number.String()), nil
}

var linkKey = []byte("0123456789abcdef")

// newWorld returns a world whose papers can be read, with more options.
func newWorld(t *testing.T, database string, opts ...learning.Option) *roomtest.World {
	t.Helper()
	return roomtest.New(t, database, paperOptions(opts...))
}

// paperOptions are the options of newWorld.
func paperOptions(opts ...learning.Option) learningtest.Option {
	return learningtest.WithPlatform(append([]learning.Option{
		learning.WithReceipts(plain{}), learning.WithReceiptLinks("https://api.test", linkKey),
	}, opts...)...)
}

// number numbers all papers that are due, and checks how many got a number.
func number(t *testing.T, w *roomtest.World, want int) {
	t.Helper()
	done, err := w.Platform.System().NumberPapers(ctx())
	if err != nil || done.Numbered != want {
		t.Errorf("%+v, %v; want %d numbers", done, err, want)
	}
	w.WantValidSales(t)
}

// ofPurchase returns what the buyer sees of the papers of a purchase, as texts.
func ofPurchase(t *testing.T, w *roomtest.World, ada core.Actor, id string) (list []string) {
	t.Helper()
	all, err := w.Platform.Papers.OfPurchases(ctx(), ada, []string{id, "unknown"})
	roomtest.Must(t, err)
	of := all[id]
	if of.Receipt != nil {
		list = append(list, of.Receipt.Number+" "+of.Receipt.Amount.String())
	}
	for _, note := range of.CreditNotes {
		list = append(list, note.Number+" "+note.Amount.String())
	}
	return list
}

// paper reads the paper with a number of a purchase from the store.
func paper(t *testing.T, w *roomtest.World, purchaseID, number string) papers.Paper {
	t.Helper()
	all, err := w.Store.PapersOf(ctx(), purchaseID)
	roomtest.Must(t, err)
	for _, p := range all {
		if p.Number.String() == number {
			return p
		}
	}
	t.Fatalf("no paper %s", number)
	return papers.Paper{}
}

func wantList(t *testing.T, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("papers (-want +got):\n%s", diff)
	}
}

func TestPapers_OfAPaymentAndItsRefunds(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := newWorld(t, database, learning.WithTax(papers.FixedTax{Rate: 190_000, Name: "VAT"}))
		ada, boss := w.Person(t, "ada", core.Student), w.Person(t, "boss", core.Admin)
		_, err := w.Platform.Papers.SetBilling(ctx(), ada, harbour)
		roomtest.Must(t, err)
		sold := w.Sold(t, ada, w.Course(t, "go", 499_00))
		w.WantValidSales(t)
		wantList(t, ofPurchase(t, w, ada, sold.ID)) // it has no number yet
		number(t, w, 1)
		number(t, w, 0)
		wantList(t, ofPurchase(t, w, ada, sold.ID), "R-2026-000001 499")

		// Later billing data change no paper.
		_, err = w.Platform.Papers.SetBilling(ctx(), ada, papers.Billing{Name: "Other",
			Address: "Elsewhere", Country: "FR"})
		roomtest.Must(t, err)
		_, err = w.Refund(t, boss, sold.ID, 100_00)
		roomtest.Must(t, err)
		_, err = w.Refund(t, boss, sold.ID, 0)
		roomtest.Must(t, err)
		number(t, w, 2)
		wantList(t, ofPurchase(t, w, ada, sold.ID),
			"R-2026-000001 499", "C-2026-000001 100", "C-2026-000002 399")

		receipt := paper(t, w, sold.ID, "R-2026-000001")
		first := paper(t, w, sold.ID, "C-2026-000001")
		second := paper(t, w, sold.ID, "C-2026-000002")
		day := w.Clock.Now().UTC().Format(time.DateOnly)
		want := papers.Content{SellerName: "Harbour School", Date: day, SoldOn: day}
		if receipt.Content != want || receipt.Buyer != harbour ||
			receipt.Lines[0] != (papers.Line{Title: "Course go", Amount: 499_00}) {
			t.Errorf("the receipt is %+v", receipt)
		}
		want.Corrects = "R-2026-000001"
		if first.Content != want || first.Buyer != harbour {
			t.Errorf("the credit note is %+v", first)
		}
		// 79.67 is in 499.00; the credit notes have all of it.
		if receipt.Tax.Amount != 79_67 || first.Tax.Amount+second.Tax.Amount != 79_67 ||
			first.Tax.Amount != 15_97 || first.Tax.Rate != 190_000 || first.Tax.Name != "VAT" {
			t.Errorf("taxes %+v, %+v, %+v", receipt.Tax, first.Tax, second.Tax)
		}
	})
}

func TestPapers_RefundThatFailsLater_IsTakenBack(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := newWorld(t, database)
		ada, boss := w.Person(t, "ada", core.Student), w.Person(t, "boss", core.Admin)
		sold := w.Sold(t, ada, w.Course(t, "go", 499_00))
		number(t, w, 1)
		_, err := w.Refund(t, boss, sold.ID, 99_00)
		roomtest.Must(t, err)
		number(t, w, 1)
		refund := w.RefundsAt(t, sold.PaymentID)[0]
		for range 2 {
			w.MustTell(t, "refund.failed", refund)
			w.WantBooks(t, sold.ID, purchase.Completed, 0, 0)
		}
		number(t, w, 1)
		wantList(t, ofPurchase(t, w, ada, sold.ID),
			"R-2026-000001 499", "C-2026-000001 99", "R-2026-000002 -99")
		if got := paper(t, w, sold.ID, "R-2026-000002"); got.Content.Corrects != "C-2026-000001" {
			t.Errorf("it corrects %q", got.Content.Corrects)
		}

		// A credit note without a number is deleted: no number is used.
		_, err = w.Refund(t, boss, sold.ID, 100_00)
		roomtest.Must(t, err)
		refunds := w.RefundsAt(t, sold.PaymentID)
		w.MustTell(t, "refund.failed", refunds[len(refunds)-1])
		number(t, w, 0)
		if n := w.Count(t, "papers"); n != 3 {
			t.Errorf("%d papers, want 3", n)
		}
	})
}

// The years of the papers are those of the seller's time zone, and each begins at 1.
func TestPapers_AreNumberedByTheYearOfTheSeller(t *testing.T) {
	zone := time.FixedZone("east", 5*60*60)
	w := newWorld(t, roomtest.SQLite(t), learning.WithSeller(papers.Seller{Name: "School",
		Address: "Pier 1", TaxID: "T1", TimeZone: zone}))
	ada := w.Person(t, "ada", core.Student)
	sell := func(course string, at time.Time) purchase.Purchase {
		w.Clock.Set(at)
		p := w.Sold(t, ada, w.Course(t, course, 10_00))
		number(t, w, 1)
		return p
	}
	year := time.Date(2026, 12, 31, 18, 59, 59, 0, time.UTC)
	a, b := sell("a", year), sell("b", year.Add(time.Second))
	wantList(t, ofPurchase(t, w, ada, a.ID), "R-2026-000001 10")
	wantList(t, ofPurchase(t, w, ada, b.ID), "R-2027-000001 10")
	got := paper(t, w, b.ID, "R-2027-000001").Content
	want := papers.Content{SellerName: "School", SellerAddress: "Pier 1", SellerTaxID: "T1",
		Date: "2027-01-01", SoldOn: "2027-01-01"}
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// elsewhere is a sale that was made in another way.
func elsewhere(userID, courseID, reference string, hasPaper bool) sale.SaleElsewhere {
	return sale.SaleElsewhere{UserID: userID, CourseID: courseID, Amount: 40_00, Currency: "INR",
		Reference: reference, Source: "invoice", Paper: hasPaper}
}

func TestPapers_WhichPurchasesGetOne(t *testing.T) {
	w := newWorld(t, roomtest.SQLite(t))
	none := w.OtherInstance(t, learningtest.WithPlatform(learning.WithSeller(papers.Seller{})))
	ada, boss := w.Person(t, "ada", core.Student), w.Person(t, "boss", core.Admin)
	before := none.Sold(t, ada, w.Course(t, "before", 499_00)) // there was a seller
	free := w.Order(t, ada, w.Course(t, "free", 0))
	var sales []purchase.Own
	for _, hasPaper := range []bool{false, true} {
		course := fmt.Sprint("course", hasPaper)
		w.Course(t, course, 10_00)
		p, err := w.Platform.Sales.RecordSale(ctx(), boss,
			elsewhere("ada", course, course, hasPaper))
		roomtest.Must(t, err)
		sales = append(sales, p)
	}
	_, err := w.Platform.Sales.RecordSale(ctx(), boss, elsewhere("ada", "coursetrue",
		"coursetrue", true)) // again
	roomtest.Must(t, err)
	if _, err := w.Refund(t, boss, before.ID, 10_00); err != nil {
		t.Error(err)
	}
	if _, err := w.Refund(t, boss, sales[1].ID, 15_00); err != nil {
		t.Error(err)
	}
	done, err := none.Platform.System().NumberPapers(ctx()) // without a seller
	if done.Numbered != 0 || err != nil {
		t.Errorf("%+v, %v", done, err)
	}
	number(t, w, 2)
	wantList(t, ofPurchase(t, w, ada, before.ID))
	wantList(t, ofPurchase(t, w, ada, free.PurchaseID))
	wantList(t, ofPurchase(t, w, ada, sales[0].ID))
	wantList(t, ofPurchase(t, w, ada, sales[1].ID), "R-2026-000001 40", "C-2026-000001 15")
}

// taxes is a port that refuses the sales of some amounts.
type taxes struct {
	calls   atomic.Int64
	refused core.Money
	answer  func(s papers.TaxedSale) papers.Tax
}

func (p *taxes) Tax(ctx context.Context, s papers.TaxedSale) (papers.Tax, error) {
	p.calls.Add(1)
	if s.Amount == p.refused {
		return papers.Tax{}, errors.New("no tax for this")
	}
	if p.answer != nil {
		return p.answer(s), nil
	}
	return papers.Tax{Note: s.Country + " " + s.TaxID + " " + s.Currency}, nil
}

func TestNumberPapers_TaxThatFails_HoldsUpNoOther(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		port := &taxes{refused: 666_00}
		w := newWorld(t, database, learning.WithTax(port))
		ada, boss := w.Person(t, "ada", core.Student), w.Person(t, "boss", core.Admin)
		_, err := w.Platform.Papers.SetBilling(ctx(), ada, harbour)
		roomtest.Must(t, err)
		bad := w.Sold(t, ada, w.Course(t, "bad", 666_00))
		good := w.Sold(t, ada, w.Course(t, "good", 10_00))
		for _, p := range []purchase.Purchase{bad, good} {
			_, err := w.Refund(t, boss, p.ID, 1_00)
			roomtest.Must(t, err)
		}
		number(t, w, 2)
		wantList(t, ofPurchase(t, w, ada, good.ID), "R-2026-000001 10", "C-2026-000001 1")
		if got := paper(t, w, good.ID, "R-2026-000001").Tax.Note; got != "DE DE123456789 INR" {
			t.Errorf("the port was asked for %q", got)
		}

		// The pauses grow, and nothing is asked for meanwhile.
		for _, pause := range []time.Duration{10, 20, 40, 80} {
			calls := port.calls.Load()
			w.Clock.Advance(pause*time.Second - time.Second)
			number(t, w, 0)
			if port.calls.Load() != calls {
				t.Errorf("asked again before %ds", pause)
			}
			w.Clock.Advance(time.Second)
			number(t, w, 0)
			if port.calls.Load() != calls+1 {
				t.Errorf("asked %d times after %ds", port.calls.Load()-calls, pause)
			}
		}
		port.refused = 0
		w.Clock.Advance(time.Hour)
		number(t, w, 2)
		wantList(t, ofPurchase(t, w, ada, bad.ID), "R-2026-000002 666", "C-2026-000002 1")
		calls := port.calls.Load()
		w.Clock.Advance(24 * time.Hour)
		number(t, w, 0)
		if port.calls.Load() != calls {
			t.Error("asked for a tax that is stored")
		}
	})
}

// What a port answers may be stored and printed as it is, or it is refused.
func TestNumberPapers_RefusesInvalidTaxes(t *testing.T) {
	for name, answer := range map[string]func(papers.TaxedSale) papers.Tax{
		"more than the amount": func(s papers.TaxedSale) papers.Tax {
			return papers.Tax{Amount: s.Amount + 1}
		},
		"negative":  func(papers.TaxedSale) papers.Tax { return papers.Tax{Amount: -1} },
		"a rate":    func(papers.TaxedSale) papers.Tax { return papers.Tax{Rate: 1_000_001} },
		"a name":    func(papers.TaxedSale) papers.Tax { return papers.Tax{Name: "a\x00"} },
		"a panic":   func(papers.TaxedSale) papers.Tax { panic("oops") },
		"long note": func(papers.TaxedSale) papers.Tax { return papers.Tax{Note: string(make([]byte, 501))} },
	} {
		port := &taxes{answer: answer}
		w := newWorld(t, roomtest.SQLite(t), learning.WithTax(port))
		w.Sold(t, w.Person(t, "ada", core.Student), w.Course(t, "go", 10_00))
		done, err := w.Platform.System().NumberPapers(ctx())
		if err != nil || done != (papers.Numbering{Postponed: 1}) {
			t.Errorf("%s: %+v, %v", name, done, err)
		}
	}
}

// Several instances number at the same time as users pay, get refunds, and refunds fail.
func TestNumberPapers_RacesLeaveNoGap(t *testing.T) {
	roomtest.AtTillsRepeatedly(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld(paperOptions())
		boss := w.Person(t, "boss", core.Admin)
		instances := []*roomtest.World{w, w.OtherInstance(t), w.OtherInstance(t)}
		const buyers = 12
		purchases := make([]purchase.Purchase, buyers)
		for i := range purchases {
			course := w.Course(t, fmt.Sprint("course", i), 100_00)
			ada := w.Person(t, fmt.Sprint("ada", i), core.Student)
			purchases[i] = w.Purchase(t, w.Order(t, ada, course).PurchaseID)
			purchases[i].PaymentID = w.Pay(t, purchases[i].OrderID).ID
		}
		errs := roomtest.Concurrently(buyers+len(instances), func(i int) error {
			if i >= buyers { // an instance that numbers all the time
				for range 8 {
					if _, err := instances[i-buyers].Platform.System().NumberPapers(ctx()); err != nil {
						return err
					}
				}
				return nil
			}
			p := purchases[i]
			err := w.Report(roomtest.Paid{ID: p.PaymentID, OrderID: p.OrderID})
			if err == nil && i%2 == 0 {
				part := core.Money(10_00)
				_, err = w.Platform.Refunds.Refund(ctx(), boss,
					refund.Request{PurchaseID: p.ID, Amount: &part})
			}
			if err == nil && i%4 == 0 {
				failed := w.FailRefund(t, w.RefundsAt(t, p.PaymentID)[0])
				w.MustTell(t, "refund.failed", failed)
			}
			return err
		})
		for i, err := range errs {
			if err != nil {
				t.Fatalf("%d: %v\n%s", i, err, w.Log)
			}
		}
		_, err := w.Platform.System().NumberPapers(ctx())
		roomtest.Must(t, err)
		w.WantValidSales(t)
		if n := w.Count(t, "papers WHERE kind = 'receipt' AND numbered_at IS NOT NULL"); n != buyers {
			t.Errorf("%d receipts, want %d", n, buyers)
		}
		if n := w.Count(t, "papers WHERE numbered_at IS NULL"); n != 0 {
			t.Errorf("%d papers wait", n)
		}
	})
}

func TestRun_NumbersPapers(t *testing.T) {
	w := newWorld(t, roomtest.SQLite(t))
	ada := w.Person(t, "ada", core.Student)
	running, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { w.Platform.Run(running); close(ended) }()
	defer func() { stop(); <-ended }()
	sold := w.Sold(t, ada, w.Course(t, "go", 10_00))
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		w.Clock.Advance(50 * time.Millisecond)
		if len(ofPurchase(t, w, ada, sold.ID)) == 1 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("no receipt after ten seconds")
		}
	}
}

func TestPapers_WhoMayRead(t *testing.T) {
	w := newWorld(t, roomtest.SQLite(t))
	ada, ben := w.Person(t, "ada", core.Student), w.Person(t, "ben", core.Student)
	boss := w.Person(t, "boss", core.Admin)
	sold := w.Sold(t, ada, w.Course(t, "go", 10_00))
	_, err := w.Platform.Papers.Receipt(ctx(), ada, sold.ID)
	roomtest.WantFailure(t, err, papers.ErrReceiptNotFound, "before it has a number")
	_, err = w.Refund(t, boss, sold.ID, 4_00)
	roomtest.Must(t, err)
	number(t, w, 2)

	read := func(actor core.Actor) (found []string) {
		for _, file := range []func() (papers.File, error){
			func() (papers.File, error) { return w.Platform.Papers.Receipt(ctx(), actor, sold.ID) },
			func() (papers.File, error) {
				return w.Platform.Papers.CreditNote(ctx(), actor, sold.ID, "C-2026-000001")
			},
		} {
			f, err := file()
			if err != nil && !errors.Is(err, papers.ErrReceiptNotFound) {
				t.Error(err)
			}
			if f.Number != string(f.PDF) {
				t.Errorf("%s has the PDF %s", f.Number, f.PDF)
			}
			if err == nil {
				found = append(found, f.Number)
			}
		}
		return found
	}
	both := []string{"R-2026-000001", "C-2026-000001"}
	for _, c := range []struct {
		who  core.Actor
		want []string
	}{{ada, both}, {boss, both}, {ben, nil}} {
		if got := read(c.who); !slices.Equal(got, c.want) {
			t.Errorf("%s reads %v, want %v", c.who.UserID, got, c.want)
		}
	}
	_, err = w.Platform.Papers.CreditNote(ctx(), ada, sold.ID, "R-2026-000001")
	roomtest.WantFailure(t, err, papers.ErrReceiptNotFound, "a receipt as a credit note")
	wantList(t, ofPurchase(t, w, ben, sold.ID))

	// Of a deleted user only admins read them, and after ten years they have no name.
	_, err = w.Platform.Papers.SetBilling(ctx(), ada, harbour)
	roomtest.Must(t, err)
	w.DeleteUser(t, "ada")
	if n := w.Count(t, "billing"); n != 0 {
		t.Errorf("%d rows of billing", n)
	}
	if got := read(ada); got != nil {
		t.Errorf("a deleted user reads %v", got)
	}
	wantList(t, ofPurchase(t, w, ada, sold.ID))
	if got := read(boss); !slices.Equal(got, both) {
		t.Errorf("an admin reads %v of a deleted user", got)
	}
}

func TestTidy_RemovesDeletedUsersFromOldPapers(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := newWorld(t, database, learning.WithPapersYears(2))
		boss := w.Person(t, "boss", core.Admin)
		var sold []purchase.Purchase
		for _, id := range []string{"ada", "ben"} {
			user := w.Person(t, id, core.Student)
			_, err := w.Platform.Papers.SetBilling(ctx(), user, harbour)
			roomtest.Must(t, err)
			sold = append(sold, w.Sold(t, user, w.Course(t, id, 10_00)))
		}
		number(t, w, 2)
		w.DeleteUser(t, "ada")
		numberOf := []string{"R-2026-000001", "R-2026-000002"}
		want := func(i int, when string, want papers.Billing) {
			t.Helper()
			roomtest.Must(t, w.Platform.System().Tidy(ctx()))
			got := paper(t, w, sold[i].ID, numberOf[i])
			if got.Buyer != want {
				t.Errorf("%s: the buyer is %+v, want %+v", when, got.Buyer, want)
			}
		}
		numberedAt := paper(t, w, sold[0].ID, numberOf[0]).NumberedAt
		w.Clock.Set(numberedAt.AddDate(2, 0, 0))
		want(0, "after two years", harbour)
		w.Clock.Advance(time.Second)
		want(0, "later", papers.Billing{Country: "DE"})
		want(1, "of another user", harbour)
		if _, err := w.Platform.Papers.Receipt(ctx(), boss, sold[0].ID); err != nil {
			t.Error(err)
		}
		roomtest.Must(t, w.Platform.System().Tidy(ctx()))
		w.WantValidSales(t)
	})
}
