package storetest

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/study"
)

// complete is the transaction that completes a purchase with a payment and enrols its user. It
// returns false if the purchase is no longer in the state of p.
func complete(
	ctx context.Context, tx learning.Tx, p purchase.Purchase, paymentID string,
) (bool, error) {
	const isShared = false
	isStored, err := tx.UpdatePurchase(ctx, p, paid(p, paymentID, isShared, noon))
	if err != nil || !isStored {
		return false, err
	}
	if err := tx.AddToStudentCount(ctx, p.CourseID, 1); err != nil {
		return false, err
	}
	return true, tx.InsertEnrollment(ctx,
		study.Enrollment{UserID: p.UserID, CourseID: p.CourseID, PurchaseID: p.ID,
			CreatedAt: noon})
}

// raceComplete completes one purchase in 50 concurrent transactions, each with another payment. The
// payment that is stored must be that of a transaction that was committed.
func raceComplete(t *testing.T, f *fixture) {
	p := purchaseIn("p", purchase.Pending)
	f.add(course("course"), p)
	var winner atomic.Value
	wins := f.race(50, func(ctx context.Context, tx learning.Tx, i int) (bool, error) {
		payment := fmt.Sprint("payment-", i)
		tx.AfterCommit(func() {
			if got, err := f.Purchase(t.Context(), "p"); err == nil && got.PaymentID == payment {
				winner.Store(payment)
			}
		})
		return complete(ctx, tx, p, payment)
	})
	if got := f.students("course") - course("course").Students; wins != 1 || got != 1 {
		t.Errorf("%d completions succeeded, and %d students were counted, want 1 each", wins, got)
	}
	got, err := f.Purchase(t.Context(), "p")
	if err != nil || got.Status != purchase.Completed || got.PaymentID != winner.Load() {
		t.Errorf("the purchase is %+v (%v), completed with %v", got, err, winner.Load())
	}
}

// raceSamePayment completes 50 failed purchases concurrently with one payment, each as its first
// use.
func raceSamePayment(t *testing.T, f *fixture) {
	f.add(course("course"))
	purchases := make([]purchase.Purchase, 50)
	for i := range purchases {
		purchases[i] = purchaseIn(fmt.Sprint(i), purchase.Failed)
		purchases[i].UserID = fmt.Sprint("student-", i)
		f.add(purchases[i])
	}
	wins := f.race(50, func(ctx context.Context, tx learning.Tx, i int) (bool, error) {
		return complete(ctx, tx, purchases[i], "the same")
	})
	if got := f.students("course") - course("course").Students; wins != 1 || got != 1 {
		t.Errorf("%d completions succeeded, and %d students were counted, want 1 each", wins, got)
	}
}

// raceOpen inserts open purchases of a user and a course in 20 concurrent transactions.
func raceOpen(t *testing.T, f *fixture) {
	wins := f.race(20, func(ctx context.Context, tx learning.Tx, i int) (bool, error) {
		return true, tx.InsertPurchase(ctx, purchaseIn(fmt.Sprint(i), purchase.Created))
	})
	if _, err := f.OpenPurchase(t.Context(), "student", "course"); wins != 1 || err != nil {
		t.Errorf("%d inserts succeeded, want 1; read the open purchase: %v", wins, err)
	}
}

// raceCount completes 50 purchases of a course concurrently, each by another user: all students are
// counted.
func raceCount(t *testing.T, f *fixture) {
	f.add(course("course"))
	before, err := f.CatalogueRevision(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	wins := f.race(50, func(ctx context.Context, tx learning.Tx, i int) (bool, error) {
		p := purchaseIn(fmt.Sprint(i), purchase.Pending)
		p.UserID = fmt.Sprint("student-", i)
		if err := tx.InsertPurchase(ctx, p); err != nil {
			return false, err
		}
		return complete(ctx, tx, p, fmt.Sprint("payment-", i))
	})
	if got := f.students("course") - course("course").Students; wins != 50 || got != 50 {
		t.Errorf("%d completions succeeded, and %d students were counted, want 50 each", wins, got)
	}
	after, err := f.CatalogueRevision(t.Context())
	if err != nil || after == before {
		t.Errorf("the revision is still %v (%v)", after, err)
	}
}
