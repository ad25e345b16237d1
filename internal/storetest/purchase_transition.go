package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/study"
)

var later = noon.Add(time.Second)

// updates stores after in place of before and checks whether that changes a row.
func (f *fixture) updates(want bool, before, after purchase.Purchase) {
	f.t.Helper()
	f.reports(want,
		func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.UpdatePurchase(ctx,
				before, after)
		})
}

// paid returns p after a payment has completed it.
func paid(p purchase.Purchase, paymentID string, isShared bool, at time.Time) purchase.Purchase {
	p.Status = purchase.Completed
	p.PaymentID = paymentID
	p.SharesPayment = isShared
	p.HoldsCoupon = p.CouponID != ""
	p.UpdatedAt, p.CompletedAt = at, at
	return p
}

// failed returns p after it was given up.
func failed(p purchase.Purchase) purchase.Purchase {
	p.Status = purchase.Failed
	p.HoldsCoupon = false
	p.UpdatedAt = later
	return p
}

// changedPurchase returns p with another value in every field that may change.
func changedPurchase(p purchase.Purchase, status purchase.Status) purchase.Purchase {
	p.Status = status
	p.Amount = 99_00
	p.Currency = "EUR"
	p.OrderID = "new-" + p.ID
	p.CouponID = "new-" + p.ID
	p.HoldsCoupon = status.Open() || status == purchase.Completed
	p.RefundedAmount = 50_00
	p.PendingRefunds = 1_00
	p.UpdatedAt = later
	if status == purchase.Completed {
		p.PaymentID, p.CompletedAt = "paid-"+p.ID, later
	}
	return p
}

// purchaseUpdate changes a purchase from each state to each state, with other values in all fields
// that may change.
func purchaseUpdate(t *testing.T, f *fixture) {
	for _, from := range statuses {
		for _, to := range statuses {
			before := purchaseIn("p-"+string(from)+"-"+string(to), from)
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
	stored := purchaseIn("p", purchase.Pending)
	stored.CouponID = "coupon"
	stored.RefundedAmount = 2_00
	stored.PendingRefunds = 3_00
	f.add(stored)
	for name, change := range map[string]func(p *purchase.Purchase){
		"id":       func(p *purchase.Purchase) { p.ID = "P" },
		"status":   func(p *purchase.Purchase) { p.Status = purchase.Created },
		"order":    func(p *purchase.Purchase) { p.OrderID = "" },
		"coupon":   func(p *purchase.Purchase) { p.CouponID = "" },
		"refunded": func(p *purchase.Purchase) { p.RefundedAmount = 2_01 },
		"pending":  func(p *purchase.Purchase) { p.PendingRefunds = 2_99 },
	} {
		before := stored
		change(&before)
		t.Run(name, func(t *testing.T) {
			f := &fixture{Store: f.Store, t: t}
			f.updates(false, before, changedPurchase(stored, purchase.Completed))
			got, err := f.Purchase(t.Context(), "p")
			equal(t, got, err, stored)
		})
	}
}

// purchaseDelete deletes a purchase, but not if its status or its coupon differ.
func purchaseDelete(t *testing.T, f *fixture) {
	p := purchaseIn("p", purchase.Created)
	p.CouponID = "coupon"
	f.add(p)
	drop := func(want bool, p purchase.Purchase) {
		t.Helper()
		f.reports(want,
			func(ctx context.Context, tx learning.Tx) (bool, error) {
				return tx.DeletePurchase(ctx,
					p)
			})
	}
	pending, plain := p, p
	pending.Status, plain.CouponID = purchase.Pending, ""
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
	p, other := purchaseIn("p", purchase.Pending),
		purchaseIn("other", purchase.Completed)
	other.CourseID = "another course"
	f.add(p, other)
	state := func(id, paymentID string, want purchase.State) {
		t.Helper()
		got, err := f.PurchaseState(t.Context(), id, paymentID)
		equal(t, got, err, want)
	}
	state("p", "new", purchase.State{Purchase: p, CourseDeleted: true})
	f.add(course("course"))
	terms := course("course").Terms
	terms.Certificate = catalog.CertificateTerms{}
	state("p", "", purchase.State{Purchase: p, CourseTerms: terms})
	state("p", "payment-other",
		purchase.State{Purchase: p, CourseTerms: terms, PaymentUsed: true})
	// used by itself only
	state("other", "payment-other", purchase.State{Purchase: other, CourseDeleted: true})

	e := study.Enrollment{
		UserID: p.UserID, CourseID: p.CourseID, PurchaseID: "q", Reason: "Poor",
		GrantedBy: "admin", GrantedAt: later, CreatedAt: noon, ExpiresAt: later,
		GrantExpiresAt: later, Override: study.Override{HasOverride: true, OpenAll: true,
			DecidedBy: "admin", DecidedAt: noon, WhyDecided: "Illness"},
	}
	f.add(e, study.Enrollment{UserID: "another", CourseID: p.CourseID, PurchaseID: "r",
		CreatedAt: noon})
	state("p", "new", purchase.State{Purchase: p, Enrollment: e, CourseTerms: terms})
	for _, id := range unknownIDs {
		got, err := f.PurchaseState(t.Context(), id, "new")
		missing(t, got, err)
	}
}

// purchasePaying lists the completed purchases of a user and a course, without one whose enrolment
// has ended, until that is restored.
func purchasePaying(t *testing.T, f *fixture) {
	second, first := purchaseIn("b", purchase.Completed),
		purchaseIn("a", purchase.Completed)
	elsewhere, byAnother := purchaseIn("elsewhere", purchase.Completed),
		purchaseIn("by another", purchase.Completed)
	elsewhere.CourseID, byAnother.UserID = "elsewhere", "Student"
	f.add(second, first, elsewhere, byAnother, purchaseIn("failed", purchase.Failed),
		purchaseIn("refunded", purchase.Refunded))
	paying := func(purchases ...purchase.Purchase) {
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
	at := func(id string, status purchase.Status, at time.Time) purchase.Purchase {
		p := couponPurchase(id, "coupon of "+id, status)
		p.CreatedAt = at
		f.add(p)
		return p
	}
	at("too new", purchase.Pending, later)
	at("completed", purchase.Completed, noon)
	at("failed", purchase.Failed, noon)
	plain := couponPurchase("plain", "", purchase.Pending)
	f.add(plain)
	third := at("a third", purchase.Created, later.Add(-time.Microsecond))
	second, first := at("second", purchase.Pending, noon),
		at("first", purchase.Created, noon)
	var got []purchase.Purchase
	page := core.PageRequest{Limit: 2}
	for range 2 {
		list, err := f.OpenPurchasesWithCoupon(t.Context(), later, page)
		if err != nil || len(list) == 0 {
			t.Fatalf("%d purchases: %v", len(list), err)
		}
		got = append(got, list...)
		page.After = core.Position{At: got[len(got)-1].CreatedAt, ID: got[len(got)-1].ID}
	}
	equal(t, got, nil, []purchase.Purchase{first, second, third})
}
