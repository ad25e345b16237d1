package storetest

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/sale"
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
	{"a reference names one sale of a source", purchaseElsewhere},
	{"purchases of a user are listed with the titles of courses in pages, the newest first",
		purchasesOfUser},
	{"unpaid purchases are listed in pages, the oldest first, by id on a tie", purchaseUnpaid},
	{"paid purchases are listed in pages, the oldest first, by id on a tie", purchasePaid},
}

func purchaseRoundTrip(t *testing.T, f *fixture) {
	for _, status := range statuses {
		p := purchaseIn(string(status), status)
		p.CourseID = "course of " + p.ID
		p.UpdatedAt = noon.Add(time.Microsecond)
		f.add(p)
		got, err := f.Purchase(t.Context(), p.ID)
		equal(t, got, err, p)
		if p.OrderID != "" {
			list, err := f.PurchasesByOrder(t.Context(), p.OrderID)
			equal(t, list, err, []purchase.Purchase{p})
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
	p := purchaseIn("p", purchase.Completed)
	p.ID = long(10)
	p.UserID = long(47) + "abc"
	p.CourseID = long(10)
	p.OrderID = long(47) + "abc"
	p.PaymentID = long(47) + "xyz"
	p.Amount = catalog.MaxCoursePrice
	f.add(p)
	got, err := f.PurchasesByOrder(t.Context(), p.OrderID)
	equal(t, got, err, []purchase.Purchase{p})
}

func purchaseMissing(t *testing.T, f *fixture) {
	f.add(purchaseIn("p", purchase.Created), purchaseIn("q", purchase.Failed))
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
		f.add(purchaseIn("1-"+string(status), status))
		second := purchaseIn("2-"+string(status), status)
		if !status.Open() {
			f.add(second)
			continue
		}
		for _, other := range []purchase.Status{purchase.Created,
			purchase.Pending} {
			f.fails(core.ErrDuplicate, func(ctx context.Context, tx learning.Tx) error {
				return tx.InsertPurchase(ctx, purchaseIn("3-"+string(other), other))
			})
		}
		first := purchaseIn("1-"+string(status), status)
		f.updates(true, first, paid(first, "paid-"+string(status), false, noon))
	}
	elsewhere := purchaseIn("elsewhere", purchase.Created)
	elsewhere.CourseID = "another course"
	byAnother := purchaseIn("by another", purchase.Created)
	byAnother.UserID = "another user"
	f.add(purchaseIn("again", purchase.Created), elsewhere, byAnother)
}

func purchaseUnique(t *testing.T, f *fixture) {
	f.add(purchaseIn("p", purchase.Completed), purchaseIn("created", purchase.Created))
	sameID := purchaseIn("p", purchase.Failed)
	sameID.OrderID = "order-other"
	samePayment := purchaseIn("r", purchase.Completed)
	samePayment.PaymentID = "payment-p"
	for _, p := range []purchase.Purchase{sameID, samePayment} {
		f.fails(core.ErrDuplicate,
			func(ctx context.Context, tx learning.Tx) error { return tx.InsertPurchase(ctx, p) })
	}
	created := purchaseIn("created", purchase.Created)
	f.fails(core.ErrDuplicate, func(ctx context.Context, tx learning.Tx) error {
		_, err := tx.UpdatePurchase(ctx, created, paid(created, "payment-p", false, noon))
		return err
	})
	got, err := f.Purchase(t.Context(), "created")
	equal(t, got, err, created)
	f.updates(true, created, paid(created, "payment-p", true, noon))
	got, err = f.Purchase(t.Context(), "created")
	equal(t, got, err, paid(created, "payment-p", true, noon))
	pending := purchaseIn("r", purchase.Pending)
	f.add(pending)
	f.updates(true, pending, paid(pending, "payment-p", true, noon))
}

func purchaseShareOrder(t *testing.T, f *fixture) {
	with := func(id string, createdAt time.Time) purchase.Purchase {
		p := purchaseIn(id, purchase.Failed)
		p.OrderID, p.CreatedAt = "order", createdAt
		f.add(p)
		return p
	}
	second := with("b", noon)
	first := with("a", later)
	third := with("a0", noon)
	created := purchaseIn("created", purchase.Created)
	created.CreatedAt = noon.Add(-time.Second)
	f.add(created, purchaseIn("of another order", purchase.Failed))
	pending := created
	pending.Status = purchase.Pending
	pending.OrderID = "order"
	pending.UpdatedAt = later
	f.updates(true, created, pending)
	list, err := f.PurchasesByOrder(t.Context(), "order")
	equal(t, list, err, []purchase.Purchase{first, second, third, pending})
}

func purchaseSharePayment(t *testing.T, f *fixture) {
	f.add(purchaseIn("b", purchase.Failed), purchaseIn("a", purchase.Failed),
		purchaseIn("other", purchase.Completed))
	var want []purchase.Purchase
	for i, id := range []string{"b", "a"} {
		at := noon.Add(time.Duration(i) * time.Second)
		p := purchaseIn(id, purchase.Failed)
		f.updates(true, p, paid(p, "shared", i > 0, at))
		want = append(want, paid(p, "shared", i > 0, at))
	}
	list, err := f.PurchasesByPayment(t.Context(), "shared")
	equal(t, list, err, want)
	list, err = f.PurchasesByPayment(t.Context(), "")
	equal(t, list, err, nil)
}

func purchaseRoom(t *testing.T, f *fixture) {
	first := purchaseIn("1", purchase.Pending)
	second := purchaseIn("2", purchase.Created)
	third := purchaseIn("3", purchase.Pending)
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
	f.add(purchaseIn("4", purchase.Created))
	got, err := f.OpenPurchase(t.Context(), "student", "course")
	equal(t, got, err, purchaseIn("4", purchase.Created))

	// A late payment completes the failed purchase while another one is open.
	f.updates(true, failed(first), paid(failed(first), "late", false, noon))
}

func purchaseUnpaid(t *testing.T, f *fixture) {
	from, to := noon, noon.Add(time.Hour)
	at := func(id string, status purchase.Status, at time.Time) purchase.Purchase {
		p := purchaseIn(id, status)
		p.CourseID, p.CreatedAt = id, at
		f.add(p)
		return p
	}
	at("too old", purchase.Pending, from.Add(-time.Microsecond))
	at("too new", purchase.Pending, to)
	at("created", purchase.Created, from)
	at("paid", purchase.Completed, from)
	at("refunded", purchase.Refunded, from)
	last := at("a last", purchase.Pending, to.Add(-time.Microsecond))
	second := at("second", purchase.Pending, from)
	first := at("first", purchase.Failed, from)
	third := at("b third", purchase.Pending, from.Add(time.Microsecond))

	all := []purchase.Purchase{first, second, third, last}
	list, err := f.UnpaidPurchases(t.Context(), from, to, purchase.Purchase{}, 100)
	equal(t, list, err, all)
	for size := 1; size <= len(all); size++ {
		var got []purchase.Purchase
		after := purchase.Purchase{}
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
		purchase.Purchase{ID: "zzz", CreatedAt: from.Add(-time.Hour)}, 100)
	equal(t, list, err, all)
}

func purchasePaid(t *testing.T, f *fixture) {
	from, before := noon.Add(-90*24*time.Hour), noon
	at := func(id string, status purchase.Status, at time.Time) purchase.Purchase {
		p := purchaseIn(id, status)
		p.CourseID, p.CreatedAt = id, at
		f.add(p)
		return p
	}
	at("too old", purchase.Completed, from.Add(-time.Microsecond))
	at("too new", purchase.Completed, before)
	at("pending", purchase.Pending, from)
	at("failed", purchase.Failed, from)
	free := purchaseIn("free", purchase.Completed)
	free.CourseID = "free"
	free.CreatedAt = from
	free.PaymentID = ""
	f.add(free)
	third := at("a third", purchase.Completed, before.Add(-time.Microsecond))
	second := at("second", purchase.Completed, from)
	first := at("first", purchase.Refunded, from)

	var got []purchase.Purchase
	after := core.Position{At: from}
	for range 3 {
		page, err := f.PaidPurchases(t.Context(), before, after, 1)
		if err != nil || len(page) != 1 {
			t.Fatalf("a page of %d rows: %v", len(page), err)
		}
		got, after = append(got, page...), core.Position{At: page[0].CreatedAt, ID: page[0].ID}
	}
	equal(t, got, nil, []purchase.Purchase{first, second, third})
	list, err := f.PaidPurchases(t.Context(), before, after, 9)
	equal(t, len(list), err, 0)
}

// soldElsewhere returns a purchase with a source and a reference.
func soldElsewhere(id, source, reference string) purchase.Purchase {
	p := purchaseIn(id, purchase.Completed)
	p.OrderID, p.PaymentID = "", ""
	p.Provider, p.Source, p.Reference = payment.NameManual, source, reference
	return p
}

func purchaseElsewhere(t *testing.T, f *fixture) {
	longest := soldElsewhere("longest", strings.Repeat("漢", sale.MaxSource),
		strings.Repeat("漢", sale.MaxReference))
	one := soldElsewhere("one", "invoice", "1")
	f.add(one, longest, soldElsewhere("other case", "Invoice", "1"),
		soldElsewhere("two", "invoice", "2"), purchaseIn("p", purchase.Completed))
	for _, p := range []purchase.Purchase{one, longest} {
		got, err := f.PurchaseOfReference(t.Context(), p.Source, p.Reference)
		equal(t, got, err, p)
	}
	for _, name := range [][2]string{{"", ""}, {"invoice", ""}, {"invoice", "3"}, {"app", "1"},
		{"invoice", "1 "}} {
		got, err := f.PurchaseOfReference(t.Context(), name[0], name[1])
		missing(t, got, err)
	}
	f.fails(core.ErrDuplicate, func(ctx context.Context, tx learning.Tx) error {
		return tx.InsertPurchase(ctx, soldElsewhere("again", "invoice", "1"))
	})

	// A free one stays one that was made elsewhere.
	free := soldElsewhere("free", "invoice", "4")
	free.Amount = 0
	f.add(free)
	got, err := f.Purchase(t.Context(), "free")
	equal(t, got, err, free)
}

func purchasesOfUser(t *testing.T, f *fixture) {
	f.add(course("course"))
	first, second := purchaseIn("b", purchase.Pending), purchaseIn("a", purchase.Completed)
	second.CreatedAt = noon.Add(time.Second)
	third := purchaseIn("c", purchase.Failed)
	third.CourseID, third.CreatedAt = "deleted", second.CreatedAt
	another := purchaseIn("another", purchase.Completed)
	another.UserID = "another"
	opening := purchaseIn("opening", purchase.Created)
	opening.CourseID = "other"
	f.add(first, second, third, another, opening)

	var got []purchase.Own
	page := core.PageRequest{Limit: 2}
	for range 2 {
		list, err := f.PurchasesOfUser(t.Context(), "student", page)
		if err != nil || len(list) == 0 {
			t.Fatalf("%d rows: %v", len(list), err)
		}
		got = append(got, list...)
		last := list[len(list)-1]
		page.After = core.Position{At: last.CreatedAt, ID: last.ID}
	}
	title := got[1].CourseTitle
	equal(t, got, nil, []purchase.Own{{Purchase: third},
		{Purchase: second, CourseTitle: title}, {Purchase: first, CourseTitle: title}})
	if title == "" {
		t.Error("the purchases have no titles")
	}
	one, err := f.PurchaseWithTitle(t.Context(), "a")
	equal(t, one, err, got[1])
	none, err := f.PurchaseWithTitle(t.Context(), "none")
	missing(t, none, err)
}
