package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

var purchaseTests = []test{
	{"a purchase in any state is read as it was stored", purchaseRoundTrip},
	{"the longest ids fit", purchaseLimits},
	{"a purchase that does not exist is ErrNoRecord", purchaseMissing},
	{"there is one open purchase for a user and course, and any number of closed ones",
		purchaseOpen},
	{"ids and the first use of a payment are unique", purchaseUnique},
	{"several purchases may have one order, listed the latest first", purchaseShareOrder},
	{"several purchases may have one payment, listed the first completed one first",
		purchaseSharePayment},
	{"every field but the ids and the time of creation is updated, from any state", purchaseUpdate},
	{"a purchase is updated from the given state only", purchaseUpdateOfAnotherState},
	{"a purchase is deleted from its status and coupon", purchaseDelete},
	{
		"the state of a purchase has the enrolment, the use of the payment and whether the " +
			"course exists", purchaseState},
	{
		"the completed purchases of a user and a course are listed without those whose " +
			"enrolment ended", purchasePaying},
	{"open purchases that hold a redemption are listed in pages, the oldest first, by id on a tie",
		purchaseWithCoupon},
	{"a completed or failed purchase allows another one", purchaseRoom},
	{"unpaid purchases are listed in pages, the oldest first, by id on a tie", purchaseUnpaid},
	{"paid purchases are listed in pages, the oldest first, by id on a tie", purchasePaid},
}

func purchaseRoundTrip(t *testing.T, f *fixture) {
	for _, status := range statuses {
		p := purchase(string(status), status)
		p.CourseID = "course of " + p.ID
		p.UpdatedAt = noon.Add(time.Microsecond)
		f.add(p)
		got, err := f.Purchase(t.Context(), p.ID)
		equal(t, got, err, p)
		if p.OrderID != "" {
			list, err := f.PurchasesByOrder(t.Context(), p.OrderID)
			equal(t, list, err, []learning.Purchase{p})
		}
		got, err = f.OpenPurchase(t.Context(), p.UserID, p.CourseID)
		if status.Open() {
			equal(t, got, err, p)
		} else {
			missing(t, got, err)
		}
	}
}

func purchaseLimits(t *testing.T, f *fixture) {
	p := purchase("p", learning.PurchaseCompleted)
	p.ID = long(10)
	p.UserID = long(47) + "abc"
	p.CourseID = long(10)
	p.OrderID = long(47) + "abc"
	p.PaymentID = long(47) + "xyz"
	p.Amount = catalog.MaxCoursePrice
	f.add(p)
	got, err := f.PurchasesByOrder(t.Context(), p.OrderID)
	equal(t, got, err, []learning.Purchase{p})
}

func purchaseMissing(t *testing.T, f *fixture) {
	f.add(purchase("p", learning.PurchaseCreated), purchase("q", learning.PurchaseFailed))
	for _, id := range []string{"", "nobody", "P", "p ", "\xff"} {
		got, err := f.Purchase(t.Context(), id)
		missing(t, got, err)
	}
	// "" does not find a purchase without an order
	for _, id := range []string{"", "order-p", "ORDER-Q", "order-q "} {
		got, err := f.PurchasesByOrder(t.Context(), id)
		equal(t, got, err, nil)
	}
	for _, id := range []string{"", "Student", "student "} {
		got, err := f.OpenPurchase(t.Context(), id, "course")
		missing(t, got, err)
	}
	got, err := f.OpenPurchase(t.Context(), "student", "another")
	missing(t, got, err)
}

func purchaseOpen(t *testing.T, f *fixture) {
	for _, status := range statuses {
		f.add(purchase("1-"+string(status), status))
		second := purchase("2-"+string(status), status)
		if !status.Open() {
			f.add(second)
			continue
		}
		for _, other := range []learning.PurchaseStatus{learning.PurchaseCreated,
			learning.PurchasePending} {
			f.fails(core.ErrDuplicate, func(ctx context.Context, tx learning.Tx) error {
				return tx.InsertPurchase(ctx, purchase("3-"+string(other), other))
			})
		}
		first := purchase("1-"+string(status), status)
		f.updates(true, first, paid(first, "paid-"+string(status), false, noon))
	}
	elsewhere := purchase("elsewhere", learning.PurchaseCreated)
	elsewhere.CourseID = "another course"
	byAnother := purchase("by another", learning.PurchaseCreated)
	byAnother.UserID = "another user"
	f.add(purchase("again", learning.PurchaseCreated), elsewhere, byAnother)
}

func purchaseUnique(t *testing.T, f *fixture) {
	f.add(purchase("p", learning.PurchaseCompleted), purchase("created", learning.PurchaseCreated))
	sameID := purchase("p", learning.PurchaseFailed)
	sameID.OrderID = "order-other"
	samePayment := purchase("r", learning.PurchaseCompleted)
	samePayment.PaymentID = "payment-p"
	for _, p := range []learning.Purchase{sameID, samePayment} {
		f.fails(core.ErrDuplicate,
			func(ctx context.Context, tx learning.Tx) error { return tx.InsertPurchase(ctx, p) })
	}
	created := purchase("created", learning.PurchaseCreated)
	f.fails(core.ErrDuplicate, func(ctx context.Context, tx learning.Tx) error {
		_, err := tx.UpdatePurchase(ctx, created, paid(created, "payment-p", false, noon))
		return err
	})
	got, err := f.Purchase(t.Context(), "created")
	equal(t, got, err, created)
	f.updates(true, created, paid(created, "payment-p", true, noon))
	got, err = f.Purchase(t.Context(), "created")
	equal(t, got, err, paid(created, "payment-p", true, noon))
	pending := purchase("r", learning.PurchasePending)
	f.add(pending)
	f.updates(true, pending, paid(pending, "payment-p", true, noon))
}

func purchaseShareOrder(t *testing.T, f *fixture) {
	with := func(id string, createdAt time.Time) learning.Purchase {
		p := purchase(id, learning.PurchaseFailed)
		p.OrderID, p.CreatedAt = "order", createdAt
		f.add(p)
		return p
	}
	second := with("b", noon)
	first := with("a", later)
	third := with("a0", noon)
	created := purchase("created", learning.PurchaseCreated)
	created.CreatedAt = noon.Add(-time.Second)
	f.add(created, purchase("of another order", learning.PurchaseFailed))
	pending := created
	pending.Status = learning.PurchasePending
	pending.OrderID = "order"
	pending.UpdatedAt = later
	f.updates(true, created, pending)
	list, err := f.PurchasesByOrder(t.Context(), "order")
	equal(t, list, err, []learning.Purchase{first, second, third, pending})
}

func purchaseSharePayment(t *testing.T, f *fixture) {
	f.add(purchase("b", learning.PurchaseFailed), purchase("a", learning.PurchaseFailed),
		purchase("other", learning.PurchaseCompleted))
	var want []learning.Purchase
	for i, id := range []string{"b", "a"} {
		at := noon.Add(time.Duration(i) * time.Second)
		p := purchase(id, learning.PurchaseFailed)
		f.updates(true, p, paid(p, "shared", i > 0, at))
		want = append(want, paid(p, "shared", i > 0, at))
	}
	list, err := f.PurchasesByPayment(t.Context(), "shared")
	equal(t, list, err, want)
	list, err = f.PurchasesByPayment(t.Context(), "")
	equal(t, list, err, nil)
}

func purchaseRoom(t *testing.T, f *fixture) {
	first := purchase("1", learning.PurchasePending)
	second := purchase("2", learning.PurchaseCreated)
	third := purchase("3", learning.PurchasePending)
	f.add(first)
	f.updates(true, first, failed(first))
	f.add(second)
	f.reports(true,
		func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.DeletePurchase(ctx,
				second)
		})
	f.add(third)
	f.updates(true, third, paid(third, "paid", false, noon))
	f.add(purchase("4", learning.PurchaseCreated))
	got, err := f.OpenPurchase(t.Context(), "student", "course")
	equal(t, got, err, purchase("4", learning.PurchaseCreated))

	// A late payment completes the failed purchase while another one is open.
	f.updates(true, failed(first), paid(failed(first), "late", false, noon))
}

func purchaseUnpaid(t *testing.T, f *fixture) {
	from, to := noon, noon.Add(time.Hour)
	at := func(id string, status learning.PurchaseStatus, at time.Time) learning.Purchase {
		p := purchase(id, status)
		p.CourseID, p.CreatedAt = id, at
		f.add(p)
		return p
	}
	at("too old", learning.PurchasePending, from.Add(-time.Microsecond))
	at("too new", learning.PurchasePending, to)
	at("created", learning.PurchaseCreated, from)
	at("paid", learning.PurchaseCompleted, from)
	at("refunded", learning.PurchaseRefunded, from)
	last := at("a last", learning.PurchasePending, to.Add(-time.Microsecond))
	second := at("second", learning.PurchasePending, from)
	first := at("first", learning.PurchaseFailed, from)
	third := at("b third", learning.PurchasePending, from.Add(time.Microsecond))

	all := []learning.Purchase{first, second, third, last}
	list, err := f.UnpaidPurchases(t.Context(), from, to, learning.Purchase{}, 100)
	equal(t, list, err, all)
	for size := 1; size <= len(all); size++ {
		var got []learning.Purchase
		after := learning.Purchase{}
		for {
			page, err := f.UnpaidPurchases(t.Context(), from, to, after, size)
			if err != nil || len(page) > size {
				t.Fatalf("a page of %d rows, limit %d: %v", len(page), size, err)
			}
			if len(page) == 0 {
				break
			}
			got, after = append(got, page...), page[len(page)-1]
		}
		equal(t, got, nil, all)
	}
	// After a purchase before the window, the whole window is listed.
	list, err = f.UnpaidPurchases(t.Context(), from, to,
		learning.Purchase{ID: "zzz", CreatedAt: from.Add(-time.Hour)}, 100)
	equal(t, list, err, all)
}

func purchasePaid(t *testing.T, f *fixture) {
	from, before := noon.Add(-90*24*time.Hour), noon
	at := func(id string, status learning.PurchaseStatus, at time.Time) learning.Purchase {
		p := purchase(id, status)
		p.CourseID, p.CreatedAt = id, at
		f.add(p)
		return p
	}
	at("too old", learning.PurchaseCompleted, from.Add(-time.Microsecond))
	at("too new", learning.PurchaseCompleted, before)
	at("pending", learning.PurchasePending, from)
	at("failed", learning.PurchaseFailed, from)
	free := purchase("free", learning.PurchaseCompleted)
	free.CourseID = "free"
	free.CreatedAt = from
	free.PaymentID = ""
	f.add(free)
	third := at("a third", learning.PurchaseCompleted, before.Add(-time.Microsecond))
	second := at("second", learning.PurchaseCompleted, from)
	first := at("first", learning.PurchaseRefunded, from)

	var got []learning.Purchase
	after := core.Position{At: from}
	for range 3 {
		page, err := f.PaidPurchases(t.Context(), before, after, 1)
		if err != nil || len(page) != 1 {
			t.Fatalf("a page of %d rows: %v", len(page), err)
		}
		got, after = append(got, page...), core.Position{At: page[0].CreatedAt, ID: page[0].ID}
	}
	equal(t, got, nil, []learning.Purchase{first, second, third})
	list, err := f.PaidPurchases(t.Context(), before, after, 9)
	equal(t, len(list), err, 0)
}
