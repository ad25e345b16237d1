package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/papers"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/refund"
	"github.com/openlectern/openlectern/learning/staff"
)

var purchaseReportTests = []test{
	{"purchases are selected by user, course, status and time", purchasesSelected},
	{"purchases are found by words of their buyers", purchasesOfWords},
	{"purchases are found by order, payment and paper", purchasesNumbered},
	{"a purchase is reported with its receipt", purchaseReceipt},
	{"bookings are those of a time", bookings},
}

// reportedPurchases returns the ids of the purchases that s selects, read in pages of one row.
func (f *fixture) reportedPurchases(s staff.PurchaseSelection) (ids []string) {
	f.t.Helper()
	page := core.PageRequest{Limit: 1}
	for {
		list, err := f.PurchaseReports(f.t.Context(), s, page)
		if err != nil {
			f.t.Fatal(err)
		}
		if len(list) == 0 {
			return ids
		}
		ids = append(ids, list[0].ID)
		page.After = core.Position{At: list[0].CreatedAt, ID: list[0].ID}
	}
}

// scannedPurchases returns the ids of the purchases that s selects, read by scans of one row.
func (f *fixture) scannedPurchases(s staff.PurchaseSelection) (ids []string) {
	f.t.Helper()
	page := core.PageRequest{Limit: allRows.Limit}
	for more := true; more; more = !page.After.IsZero() {
		var err error
		if page.Through, err = f.PurchasesEnd(f.t.Context(), s, page.After, 1); err != nil {
			f.t.Fatal(err)
		}
		list, err := f.PurchaseReports(f.t.Context(), s, page)
		if err != nil {
			f.t.Fatal(err)
		}
		for _, p := range list {
			ids = append(ids, p.ID)
		}
		page.After = page.Through
	}
	return ids
}

// soldAt returns a purchase of a user, so many minutes after noon.
func soldAt(
	minutes int, id, userID, courseID string, status purchase.Status,
) purchase.Purchase {
	p := purchaseIn(id, status)
	p.UserID, p.CourseID = userID, courseID
	p.CreatedAt = noon.Add(time.Duration(minutes) * time.Minute)
	if !p.CompletedAt.IsZero() {
		p.CompletedAt = p.CreatedAt.Add(time.Second)
	}
	return p
}

// addSold adds five purchases of two users and two courses, and one without an order.
func (f *fixture) addSold() {
	f.add(soldAt(1, "1", "ada", "x", purchase.Completed),
		soldAt(2, "2", "ada", "y", purchase.Failed),
		soldAt(3, "3", "ben", "x", purchase.Failed),
		soldAt(4, "4", "ben", "x", purchase.Completed),
		soldAt(5, "5", "ben", "y", purchase.Completed),
		soldAt(6, "6", "ben", "x", purchase.Created))
}

func purchasesSelected(t *testing.T, f *fixture) {
	f.addSold()
	at := func(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }
	type query = staff.PurchaseQuery
	for _, c := range []struct {
		query query
		ids   []string
		want  []string
	}{
		{query{}, nil, []string{"5", "4", "3", "2", "1"}},
		{query{UserID: "ada"}, nil, []string{"2", "1"}},
		{query{UserID: "eve"}, nil, nil},
		{query{CourseID: "x"}, nil, []string{"4", "3", "1"}},
		{query{CourseID: "x", Status: purchase.Failed}, nil, []string{"3"}},
		{query{CourseID: "x", UserID: "ben"}, nil, []string{"4", "3"}},
		{query{UserID: "ben", Status: purchase.Completed}, nil, []string{"5", "4"}},
		{query{From: at(2), To: at(4)}, nil, []string{"3", "2"}},
		{query{From: at(3)}, nil, []string{"5", "4", "3"}},
		{query{To: at(2), CourseID: "x"}, nil, []string{"1"}},
		{query{From: at(3), Status: purchase.Completed}, nil, []string{"5", "4"}},
		{query{}, []string{"6", "4", "1", "nothing"}, []string{"4", "1"}},
		{query{UserID: "ben", From: at(2)}, []string{"4", "1"}, []string{"4"}},
	} {
		s := staff.PurchaseSelection{Query: c.query, IDs: c.ids}
		equal(t, f.reportedPurchases(s), nil, c.want)
		if c.ids == nil {
			equal(t, f.scannedPurchases(s), nil, c.want)
		}
	}
}

func purchasesOfWords(t *testing.T, f *fixture) {
	f.addSold()
	f.add(user("ada"), user("ben"))
	for _, c := range []struct {
		words core.WordSearch
		query staff.PurchaseQuery
		want  []string
	}{
		{core.WordSearch{Rare: "ad"}, staff.PurchaseQuery{}, []string{"2", "1"}},
		{core.WordSearch{Rare: "name"}, staff.PurchaseQuery{Status: purchase.Failed},
			[]string{"3", "2"}},
		{core.WordSearch{Rare: "name", Also: []string{"ben", "exam"}},
			staff.PurchaseQuery{CourseID: "x"}, []string{"4", "3"}},
		{core.WordSearch{Rare: "eve"}, staff.PurchaseQuery{}, nil},
		{core.WordSearch{Also: []string{"ben", "name"}}, staff.PurchaseQuery{},
			[]string{"5", "4", "3"}},
		{core.WordSearch{Also: []string{"name", "eve"}}, staff.PurchaseQuery{}, nil},
		{core.WordSearch{Also: []string{"ada"}}, staff.PurchaseQuery{CourseID: "x"},
			[]string{"1"}},
	} {
		s := staff.PurchaseSelection{Query: c.query, Words: c.words}
		equal(t, f.reportedPurchases(s), nil, c.want)
		if c.words.Rare == "" {
			equal(t, f.scannedPurchases(s), nil, c.want)
		}
	}
}

func purchasesNumbered(t *testing.T, f *fixture) {
	f.addSold()
	p := paper("2")
	f.add(p)
	f.numbers(true, numbered(p, 1))
	type number struct {
		by   staff.PurchaseNumber
		text string
	}
	for n, want := range map[number][]string{
		{staff.OrderNumber, "order-3"}:       {"3"},
		{staff.OrderNumber, "payment-1"}:     nil,
		{staff.OrderNumber, ""}:              nil,
		{staff.PaymentNumber, "payment-1"}:   {"1"},
		{staff.PaymentNumber, "order-3"}:     nil,
		{staff.PaperNumber, "R-2026-000001"}: {"2"},
		{staff.PaperNumber, "r-2026-000001"}: {"2"},
		{staff.PaperNumber, "R-2026-000002"}: nil,
	} {
		ids, err := f.PurchasesNumbered(t.Context(), n.by, n.text, 10)
		equal(t, ids, err, want)
	}

	// Several purchases may have one order.
	same := soldAt(7, "7", "ada", "z", purchase.Failed)
	same.OrderID = "order-3"
	f.add(same)
	ids, err := f.PurchasesNumbered(t.Context(), staff.OrderNumber, "order-3", 10)
	equal(t, ids, err, []string{"3", "7"})
	ids, err = f.PurchasesNumbered(t.Context(), staff.OrderNumber, "order-3", 1)
	equal(t, ids, err, []string{"3"})
}

func purchaseReceipt(t *testing.T, f *fixture) {
	f.add(soldAt(1, "a", "student", "x", purchase.Completed),
		soldAt(2, "b", "student", "x", purchase.Completed),
		soldAt(3, "c", "student", "x", purchase.Completed))
	first, waiting := paper("a"), paper("b")
	note := paper("d")
	note.PurchaseID, note.Kind, note.Cause = "c", papers.CreditNote, "c"
	f.add(first, waiting, note)
	f.numbers(true, numbered(first, 1))
	f.numbers(true, numbered(note, 2))
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.ForgetBuyer(ctx, "student")
	})
	list, err := f.PurchaseReports(t.Context(), staff.PurchaseSelection{}, allRows)
	var got []papers.Paper
	for _, p := range list {
		got = append(got, p.Receipt)
	}
	equal(t, got, err, []papers.Paper{
		{}, // c has a credit note only
		{ID: "b", Forgotten: papers.BuyerDeleted},
		{ID: "a", Number: papers.Number{Series: "R", Year: 2026, Number: 1},
			Forgotten: papers.BuyerDeleted}})
}

func bookings(t *testing.T, f *fixture) {
	f.addSold()
	returned := soldAt(1, "r", "eve", "x", purchase.Refunded) // never completed
	returned.CompletedAt = time.Time{}
	f.add(returned)
	refunds := []refund.Refund{refundIn("a", payment.RefundProcessed, 100),
		refundIn("b", payment.RefundFailed, 100), refundIn("c", payment.RefundPending, 100),
		refundIn("d", payment.RefundProcessed, 100), refundIn("e", payment.RefundProcessed, 100)}
	for i := range refunds {
		refunds[i].PurchaseID = []string{"1", "1", "4", "r", "5"}[i]
		refunds[i].UpdatedAt = noon.Add(time.Duration(i) * time.Minute)
		f.add(refunds[i])
	}
	first, second := paper("p"), paper("q")
	f.add(first, second, paper("waits"))
	f.numbers(true, numbered(first, 1)) // a second after noon
	f.numbers(true, numbered(second, 2))

	at := func(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }
	for _, c := range []struct {
		from, to                 time.Time
		sold, refunded, numbered []string
	}{
		{at(0), at(60), []string{"1", "4", "5"}, []string{"a", "e"}, []string{"p", "q"}},
		{at(0), at(1), nil, []string{"a"}, []string{"p", "q"}},
		{noon.Add(2 * time.Second), at(4), []string{"1"}, nil, []string{"q"}},
		{at(4), at(5), []string{"4"}, []string{"e"}, nil},
	} {
		sold := paged(t,
			func(ctx context.Context, page core.PageRequest) ([]staff.PurchaseReport, error) {
				return f.PurchasesCompletedIn(ctx, c.from, c.to, page)
			}, func(p staff.PurchaseReport) core.Position {
				return core.Position{At: p.CompletedAt, ID: p.ID}
			})
		equal(t, idsOf(sold, func(p staff.PurchaseReport) string { return p.ID }), nil, c.sold)
		refunded := paged(t,
			func(ctx context.Context, page core.PageRequest) ([]refund.Refund, error) {
				return f.RefundsProcessedIn(ctx, c.from, c.to, page)
			}, func(r refund.Refund) core.Position {
				return core.Position{At: r.UpdatedAt, ID: r.ID}
			})
		equal(t, idsOf(refunded, func(r refund.Refund) string { return r.ID }), nil, c.refunded)
		numbered := paged(t,
			func(ctx context.Context, page core.PageRequest) ([]papers.Paper, error) {
				return f.PapersNumberedIn(ctx, c.from, c.to, page)
			}, func(p papers.Paper) core.Position {
				return core.Position{At: p.NumberedAt, ID: p.ID}
			})
		equal(t, idsOf(numbered, func(p papers.Paper) string { return p.ID }), nil, c.numbered)
	}

	// A purchase has all its refunds.
	of, err := f.RefundsOf(t.Context(), "1")
	equal(t, of, err, refunds[:2])
	of, err = f.RefundsOf(t.Context(), "none")
	equal(t, of, err, nil)
}

// idsOf returns the ids of rows.
func idsOf[Row any](rows []Row, id func(Row) string) (ids []string) {
	for _, row := range rows {
		ids = append(ids, id(row))
	}
	return ids
}
