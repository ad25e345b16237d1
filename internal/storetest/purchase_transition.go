package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/study"
)

var later = noon.Add(time.Second)

// updates stores after in place of before and checks whether that changes a row.
func (f *fixture) updates(want bool, before, after sale.Purchase) {
	f.t.Helper()
	f.reports(want,
		func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.UpdatePurchase(ctx,
				before, after)
		})
}

// paid returns p after a payment has completed it.
func paid(p sale.Purchase, paymentID string, isShared bool, at time.Time) sale.Purchase {
	p.Status = sale.PurchaseCompleted
	p.PaymentID = paymentID
	p.SharesPayment = isShared
	p.HoldsCoupon = p.CouponID != ""
	p.UpdatedAt, p.CompletedAt = at, at
	return p
}

// failed returns p after it was given up.
func failed(p sale.Purchase) sale.Purchase {
	p.Status = sale.PurchaseFailed
	p.HoldsCoupon = false
	p.UpdatedAt = later
	return p
}

// changedPurchase returns p with another value in every field that may change.
func changedPurchase(p sale.Purchase, status sale.PurchaseStatus) sale.Purchase {
	p.Status = status
	p.Amount = 99_00
	p.Currency = "EUR"
	p.OrderID = "new-" + p.ID
	p.CouponID = "new-" + p.ID
	p.HoldsCoupon = status.Open() || status == sale.PurchaseCompleted
	p.RefundedAmount = 50_00
	p.PendingRefunds = 1_00
	p.UpdatedAt = later
	if status == sale.PurchaseCompleted {
		p.PaymentID, p.CompletedAt = "paid-"+p.ID, later
	}
	return p
}

// purchaseUpdate changes a purchase from each state to each state, with other values in all fields
// that may change.
func purchaseUpdate(t *testing.T, f *fixture) {
	for _, from := range statuses {
		for _, to := range statuses {
			before := purchase("p-"+string(from)+"-"+string(to), from)
			before.CourseID, before.CouponID = before.ID, "old"
			before.RefundedAmount, before.PendingRefunds = 2_00, 3_00
			f.add(before)
			after := changedPurchase(before, to)
			f.updates(true, before, after)
			got, err := f.Purchase(t.Context(), before.ID)
			equal(t, got, err, after)
		}
	}
}

// purchaseUpdateOfAnotherState updates a purchase from states that differ from the stored one in
// one field each: nothing may change.
func purchaseUpdateOfAnotherState(t *testing.T, f *fixture) {
	stored := purchase("p", sale.PurchasePending)
	stored.CouponID = "coupon"
	stored.RefundedAmount = 2_00
	stored.PendingRefunds = 3_00
	f.add(stored)
	for name, change := range map[string]func(p *sale.Purchase){
		"id":       func(p *sale.Purchase) { p.ID = "P" },
		"status":   func(p *sale.Purchase) { p.Status = sale.PurchaseCreated },
		"order":    func(p *sale.Purchase) { p.OrderID = "" },
		"coupon":   func(p *sale.Purchase) { p.CouponID = "" },
		"refunded": func(p *sale.Purchase) { p.RefundedAmount = 2_01 },
		"pending":  func(p *sale.Purchase) { p.PendingRefunds = 2_99 },
	} {
		before := stored
		change(&before)
		t.Run(name, func(t *testing.T) {
			f := &fixture{Store: f.Store, t: t}
			f.updates(false, before, changedPurchase(stored, sale.PurchaseCompleted))
			got, err := f.Purchase(t.Context(), "p")
			equal(t, got, err, stored)
		})
	}
}

// purchaseDelete deletes a purchase, but not if its status or its coupon differ.
func purchaseDelete(t *testing.T, f *fixture) {
	p := purchase("p", sale.PurchaseCreated)
	p.CouponID = "coupon"
	f.add(p)
	drop := func(want bool, p sale.Purchase) {
		t.Helper()
		f.reports(want,
			func(ctx context.Context, tx learning.Tx) (bool, error) {
				return tx.DeletePurchase(ctx,
					p)
			})
	}
	pending, plain := p, p
	pending.Status, plain.CouponID = sale.PurchasePending, ""
	drop(false, pending)
	drop(false, plain)
	drop(true, p)
	drop(false, p)
	got, err := f.Purchase(t.Context(), "p")
	missing(t, got, err)
}

// purchaseState reads the state of a purchase with and without its course, its enrolment and
// another use of the payment.
func purchaseState(t *testing.T, f *fixture) {
	p, other := purchase("p", sale.PurchasePending),
		purchase("other", sale.PurchaseCompleted)
	other.CourseID = "another course"
	f.add(p, other)
	state := func(id, paymentID string, want sale.PurchaseState) {
		t.Helper()
		got, err := f.PurchaseState(t.Context(), id, paymentID)
		equal(t, got, err, want)
	}
	state("p", "new", sale.PurchaseState{Purchase: p, CourseDeleted: true})
	f.add(course("course"))
	terms := course("course").Terms
	terms.Certificate = catalog.CertificateTerms{}
	state("p", "", sale.PurchaseState{Purchase: p, CourseTerms: terms})
	state("p", "payment-other",
		sale.PurchaseState{Purchase: p, CourseTerms: terms, PaymentUsed: true})
	// used by itself only
	state("other", "payment-other", sale.PurchaseState{Purchase: other, CourseDeleted: true})

	e := study.Enrollment{
		UserID: p.UserID, CourseID: p.CourseID, PurchaseID: "q", Reason: "Poor",
		GrantedBy: "admin", GrantedAt: later, CreatedAt: noon, ExpiresAt: later,
		GrantExpiresAt: later, Override: study.Override{HasOverride: true, OpenAll: true,
			DecidedBy: "admin", DecidedAt: noon, WhyDecided: "Illness"},
	}
	f.add(e, study.Enrollment{UserID: "another", CourseID: p.CourseID, PurchaseID: "r",
		CreatedAt: noon})
	state("p", "new", sale.PurchaseState{Purchase: p, Enrollment: e, CourseTerms: terms})
	for _, id := range unknownIDs {
		got, err := f.PurchaseState(t.Context(), id, "new")
		missing(t, got, err)
	}
}

// purchasePaying lists the completed purchases of a user and a course, without one whose enrolment
// has ended, until that is restored.
func purchasePaying(t *testing.T, f *fixture) {
	second, first := purchase("b", sale.PurchaseCompleted),
		purchase("a", sale.PurchaseCompleted)
	elsewhere, byAnother := purchase("elsewhere", sale.PurchaseCompleted),
		purchase("by another", sale.PurchaseCompleted)
	elsewhere.CourseID, byAnother.UserID = "elsewhere", "Student"
	f.add(second, first, elsewhere, byAnother, purchase("failed", sale.PurchaseFailed),
		purchase("refunded", sale.PurchaseRefunded))
	paying := func(purchases ...sale.Purchase) {
		t.Helper()
		var want []study.Cause
		for _, p := range purchases {
			want = append(want, study.Cause{ID: p.ID, UserID: "student", CourseID: "course",
				ExpiresAt: p.ExpiresAt})
		}
		got, err := f.PayingCauses(t.Context(), "student", []string{"course", "none"})
		equal(t, got, err, want)
	}
	paying(first, second)
	past := study.PastEnrollment{
		ID: "past", Enrollment: study.Enrollment{UserID: "student", CourseID: "course",
			PurchaseID: "a", CreatedAt: noon}, EndedAt: later,
	}
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.InsertPastEnrollment(ctx,
			past)
	})
	paying(second)
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.RestorePastEnrollment(ctx, "student", "course", "a", later)
	})
	paying(first, second)
}

// purchaseWithCoupon lists the open purchases that hold a redemption of a coupon and are older than
// a time, in pages.
func purchaseWithCoupon(t *testing.T, f *fixture) {
	at := func(id string, status sale.PurchaseStatus, at time.Time) sale.Purchase {
		p := couponPurchase(id, "coupon of "+id, status)
		p.CreatedAt = at
		f.add(p)
		return p
	}
	at("too new", sale.PurchasePending, later)
	at("completed", sale.PurchaseCompleted, noon)
	at("failed", sale.PurchaseFailed, noon)
	plain := couponPurchase("plain", "", sale.PurchasePending)
	f.add(plain)
	third := at("a third", sale.PurchaseCreated, later.Add(-time.Microsecond))
	second, first := at("second", sale.PurchasePending, noon),
		at("first", sale.PurchaseCreated, noon)
	var got []sale.Purchase
	page := core.PageRequest{Limit: 2}
	for range 2 {
		list, err := f.OpenPurchasesWithCoupon(t.Context(), later, page)
		if err != nil || len(list) == 0 {
			t.Fatalf("%d purchases: %v", len(list), err)
		}
		got = append(got, list...)
		page.After = core.Position{At: got[len(got)-1].CreatedAt, ID: got[len(got)-1].ID}
	}
	equal(t, got, nil, []sale.Purchase{first, second, third})
}
