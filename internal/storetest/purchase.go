package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
)

var purchaseTests = []test{
	{"a purchase in any state comes back as it was stored", purchaseRoundTrip},
	{"the longest ids fit", purchaseLimits},
	{"a purchase that does not exist is ErrNoRecord", purchaseMissing},
	{"there is one open purchase for a user and course and any number of closed ones", purchaseOpen},
	{"ids and the first use of a payment are of one purchase only", purchaseUnique},
	{"an order may be that of several purchases, listed the latest first", purchaseShareOrder},
	{"an expired claim is taken over from its holder, once", purchaseTakeOver},
	{"only the holder stores the order or removes the claim", purchaseHolder},
	{"each transition starts from its states only", purchaseTransitions},
	{"a completed or failed purchase makes room for another", purchaseRoom},
	{"unpaid purchases are listed page by page, the oldest first, by id on a tie", purchaseUnpaid},
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
	p.ID, p.UserID, p.CourseID = long(10), long(47)+"abc", long(10)
	p.OrderID, p.PaymentID, p.Amount = long(47)+"abc", long(47)+"xyz", learning.MaxCoursePrice
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
	for _, id := range []string{"", "order-p", "ORDER-Q", "order-q "} { // a claim has no order: "" does not find it
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
		for _, other := range []learning.PurchaseStatus{learning.PurchaseCreated, learning.PurchasePending} {
			f.fails(learning.ErrDuplicate, func(ctx context.Context, tx learning.Tx) error {
				return tx.InsertPurchase(ctx, purchase("3-"+string(other), other))
			})
		}
		f.moves(true, func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.CompletePurchase(ctx, "1-"+string(status), "paid-"+string(status), true, noon)
		})
	}
	elsewhere := purchase("elsewhere", learning.PurchaseCreated)
	elsewhere.CourseID = "another course"
	somebody := purchase("somebody", learning.PurchaseCreated)
	somebody.UserID = "somebody else"
	f.add(purchase("again", learning.PurchaseCreated), elsewhere, somebody)
}

func purchaseUnique(t *testing.T, f *fixture) {
	f.add(purchase("p", learning.PurchaseCompleted), purchase("claim", learning.PurchaseCreated))
	sameID := purchase("p", learning.PurchaseFailed)
	sameID.OrderID = "order-other"
	samePayment := purchase("r", learning.PurchaseCompleted)
	samePayment.PaymentID = "payment-p"
	for _, p := range []learning.Purchase{sameID, samePayment} {
		f.fails(learning.ErrDuplicate, func(ctx context.Context, tx learning.Tx) error { return tx.InsertPurchase(ctx, p) })
	}
	f.fails(learning.ErrDuplicate, func(ctx context.Context, tx learning.Tx) error {
		_, err := tx.CompletePurchase(ctx, "claim", "payment-p", true, noon)
		return err
	})
	got, err := f.Purchase(t.Context(), "claim")
	equal(t, got, err, purchase("claim", learning.PurchaseCreated))
	f.moves(true, func(ctx context.Context, tx learning.Tx) (bool, error) {
		return tx.CompletePurchase(ctx, "claim", "payment-p", false, noon)
	})
	f.add(purchase("r", learning.PurchasePending))
	f.moves(true, func(ctx context.Context, tx learning.Tx) (bool, error) {
		return tx.CompletePurchase(ctx, "r", "payment-p", false, noon)
	})
	got, err = f.Purchase(t.Context(), "r")
	if err != nil || got.PaymentID != "payment-p" {
		t.Errorf("got %+v and the error %v", got, err)
	}
}

func purchaseShareOrder(t *testing.T, f *fixture) {
	with := func(id string, createdAt time.Time) learning.Purchase {
		p := purchase(id, learning.PurchaseFailed)
		p.OrderID, p.CreatedAt = "order", createdAt
		f.add(p)
		return p
	}
	second, first, third := with("b", noon), with("a", later), with("a0", noon)
	claim := purchase("claim", learning.PurchaseCreated)
	claim.CreatedAt = noon.Add(-time.Second)
	f.add(claim, purchase("of another order", learning.PurchaseFailed))
	f.moves(true, func(ctx context.Context, tx learning.Tx) (bool, error) {
		return tx.SetPurchaseOrder(ctx, "claim", "holder", "order", later)
	})
	claim.Status, claim.OrderID, claim.Holder, claim.LeaseUntil, claim.UpdatedAt = learning.PurchasePending, "order", "", time.Time{}, later
	list, err := f.PurchasesByOrder(t.Context(), "order")
	equal(t, list, err, []learning.Purchase{first, second, third, claim})
}

func purchaseTakeOver(t *testing.T, f *fixture) {
	f.add(purchase("p", learning.PurchaseCreated))
	mine := purchase("p", learning.PurchaseCreated)
	mine.Holder, mine.LeaseUntil, mine.Amount, mine.Currency = "second", noon.Add(2*time.Minute), 99_00, "EUR"
	take := func(at time.Time, oldHolder string, want bool) {
		t.Helper()
		mine.UpdatedAt = at
		f.moves(want, func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.TakeOverPurchase(ctx, mine, oldHolder)
		})
	}
	expiry := noon.Add(time.Minute)
	take(expiry.Add(-time.Microsecond), "holder", false)
	take(expiry, "another", false)
	got, err := f.Purchase(t.Context(), "p")
	equal(t, got, err, purchase("p", learning.PurchaseCreated))
	take(expiry, "holder", true)
	got, err = f.Purchase(t.Context(), "p")
	equal(t, got, err, mine)
	mine.Holder = "third"
	take(noon.Add(time.Hour), "holder", false)
	take(noon.Add(time.Hour), "second", true)
}

func purchaseHolder(t *testing.T, f *fixture) {
	f.add(purchase("p", learning.PurchaseCreated))
	order := func(holder string) func(ctx context.Context, tx learning.Tx) (bool, error) {
		return func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.SetPurchaseOrder(ctx, "p", holder, "order", later)
		}
	}
	drop := func(holder string) func(ctx context.Context, tx learning.Tx) (bool, error) {
		return func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.DeletePurchaseClaim(ctx, "p", holder)
		}
	}
	for _, other := range []string{"", "Holder", "another"} {
		f.moves(false, order(other))
		f.moves(false, drop(other))
	}
	f.moves(true, order("holder"))
	want := purchase("p", learning.PurchasePending)
	want.OrderID, want.UpdatedAt = "order", later
	got, err := f.OpenPurchase(t.Context(), "student", "course")
	equal(t, got, err, want)
	f.moves(false, order("holder"))
	f.moves(false, drop("holder"))

	q := purchase("p2", learning.PurchaseCreated)
	q.CourseID = "another"
	f.add(q)
	f.moves(true, func(ctx context.Context, tx learning.Tx) (bool, error) {
		return tx.DeletePurchaseClaim(ctx, "p2", "holder")
	})
	gone, err := f.Purchase(t.Context(), "p2")
	missing(t, gone, err)
}

func purchaseRoom(t *testing.T, f *fixture) {
	f.add(purchase("1", learning.PurchasePending))
	f.moves(true, func(ctx context.Context, tx learning.Tx) (bool, error) { return tx.FailPurchase(ctx, "1", noon) })
	f.add(purchase("2", learning.PurchaseCreated))
	f.moves(true, func(ctx context.Context, tx learning.Tx) (bool, error) {
		return tx.DeletePurchaseClaim(ctx, "2", "holder")
	})
	f.add(purchase("3", learning.PurchasePending))
	f.moves(true, func(ctx context.Context, tx learning.Tx) (bool, error) {
		return tx.CompletePurchase(ctx, "3", "paid", true, noon)
	})
	f.add(purchase("4", learning.PurchaseCreated))
	got, err := f.OpenPurchase(t.Context(), "student", "course")
	equal(t, got, err, purchase("4", learning.PurchaseCreated))

	// The first, given up, is completed by a late payment beside the open one.
	f.moves(true, func(ctx context.Context, tx learning.Tx) (bool, error) {
		return tx.CompletePurchase(ctx, "1", "late", true, noon)
	})
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
	at("claim", learning.PurchaseCreated, from)
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
				t.Fatalf("a page of %d, limited to %d: %v", len(page), size, err)
			}
			if len(page) == 0 {
				break
			}
			got, after = append(got, page...), page[len(page)-1]
		}
		equal(t, got, nil, all)
	}
	// What is after a purchase from before the window is the whole window.
	list, err = f.UnpaidPurchases(t.Context(), from, to, learning.Purchase{ID: "zzz", CreatedAt: from.Add(-time.Hour)}, 100)
	equal(t, list, err, all)
}
