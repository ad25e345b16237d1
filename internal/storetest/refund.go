package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
)

var refundTests = []test{
	{"a refund in any state is read as it was stored", refundRoundTrip},
	{"a purchase has one pending refund of an amount, and an id at the gateway is unique", refundUnique},
	{"a refund is updated from its state", refundUpdate},
	{"pending refunds are listed in pages, the oldest first, by id on a tie", refundPending},
	{"no more is reserved than what is left of a completed purchase", refundReserve},
	{"what is refunded decides the status of a purchase", refundCount},
	{"an enrolment moves to another completed purchase", refundMove},
	{"the reasons of a user's refunds are removed, and no others", refundForget},
}

// refund returns a refund of the purchase "p" with a value in every field of its state.
func refund(id string, status learning.RefundStatus, amount learning.Money) learning.Refund {
	r := learning.Refund{ID: id, PurchaseID: "p", PaymentID: "payment-p", Amount: amount, Currency: "INR", Status: status, Reason: "Reason of " + id,
		CreatedBy: "admin", CreatedAt: noon, UpdatedAt: later}
	if status != learning.RefundPending {
		r.ProviderID = "provider-" + id
	}
	return r
}

func refundRoundTrip(t *testing.T, f *fixture) {
	for _, status := range []learning.RefundStatus{learning.RefundPending, learning.RefundProcessed, learning.RefundFailed} {
		r := refund(string(status), status, 1_00)
		f.add(r)
		got, err := f.Refund(t.Context(), r.ID)
		equal(t, got, err, r)
		if r.ProviderID != "" {
			got, err = f.RefundByProviderID(t.Context(), r.ProviderID)
			equal(t, got, err, r)
		}
	}
	for _, id := range []string{"", "unknown", "processed "} {
		got, err := f.Refund(t.Context(), id)
		missing(t, got, err)
		got, err = f.RefundByProviderID(t.Context(), id)
		missing(t, got, err)
	}
	f.do(func(ctx context.Context, tx learning.Tx) error { return tx.SetRefundEndedAccess(ctx, "processed") })
	f.do(func(ctx context.Context, tx learning.Tx) error { return tx.SetRefundKeptAccess(ctx, "processed") })
	ended := refund("processed", learning.RefundProcessed, 1_00)
	ended.EndedAccess, ended.KeptAccess = true, true
	got, err := f.Refund(t.Context(), ended.ID)
	equal(t, got, err, ended)
	for _, want := range []bool{true, false} {
		f.moves(want, func(ctx context.Context, tx learning.Tx) (bool, error) { return tx.ClearRefundEndedAccess(ctx, "p") })
	}
}

func refundUnique(t *testing.T, f *fixture) {
	f.add(refund("1", learning.RefundPending, 1_00), refund("2", learning.RefundPending, 2_00), refund("3", learning.RefundProcessed, 1_00))
	other := refund("other", learning.RefundPending, 1_00)
	other.PurchaseID = "other"
	f.add(other)
	samePart, sameProvider := refund("4", learning.RefundPending, 1_00), refund("5", learning.RefundFailed, 1_00)
	sameProvider.ProviderID = "provider-3"
	for _, r := range []learning.Refund{samePart, sameProvider} {
		f.fails(learning.ErrDuplicate, func(ctx context.Context, tx learning.Tx) error { return tx.InsertRefund(ctx, r) })
	}
	f.fails(learning.ErrDuplicate, func(ctx context.Context, tx learning.Tx) error {
		r := refund("1", learning.RefundProcessed, 1_00)
		r.ProviderID = "provider-3"
		_, err := tx.UpdateRefund(ctx, r, refund("1", learning.RefundPending, 1_00))
		return err
	})
	list, err := f.PendingRefundsOf(t.Context(), "p")
	equal(t, list, err, []learning.Refund{refund("1", learning.RefundPending, 1_00), refund("2", learning.RefundPending, 2_00)})
}

func refundUpdate(t *testing.T, f *fixture) {
	f.add(refund("1", learning.RefundPending, 1_00))
	done := refund("1", learning.RefundProcessed, 50)
	done.UpdatedAt = later.Add(time.Hour)
	update := func(want bool, r, from learning.Refund) {
		t.Helper()
		f.moves(want, func(ctx context.Context, tx learning.Tx) (bool, error) { return tx.UpdateRefund(ctx, r, from) })
	}
	update(false, done, refund("1", learning.RefundFailed, 1_00))
	update(false, done, refund("1", learning.RefundPending, 2_00))
	update(true, done, refund("1", learning.RefundPending, 1_00))
	update(false, done, refund("1", learning.RefundPending, 1_00))
	got, err := f.Refund(t.Context(), "1")
	equal(t, got, err, done)
	f.add(refund("2", learning.RefundPending, 50), refund("3", learning.RefundPending, 1_00)) // none of these amounts is pending any more
}

func refundPending(t *testing.T, f *fixture) {
	at := func(id string, amount learning.Money, status learning.RefundStatus, at time.Time) learning.Refund {
		r := refund(id, status, amount)
		r.CreatedAt = at
		f.add(r)
		return r
	}
	at("too new", 1, learning.RefundPending, later)
	at("processed", 2, learning.RefundProcessed, noon)
	third := at("a third", 3, learning.RefundPending, later.Add(-time.Microsecond))
	second := at("second", 4, learning.RefundPending, noon)
	first := at("first", 5, learning.RefundPending, noon)
	all := []learning.Refund{first, second, third}
	var got []learning.Refund
	page := learning.Page{Limit: 2}
	for range 2 {
		list, err := f.PendingRefunds(t.Context(), later, page)
		if err != nil || len(list) == 0 {
			t.Fatalf("%d refunds: %v", len(list), err)
		}
		got = append(got, list...)
		page.After = learning.Position{At: got[len(got)-1].CreatedAt, ID: got[len(got)-1].ID}
	}
	equal(t, got, nil, all)
}

func refundReserve(t *testing.T, f *fixture) {
	for _, status := range statuses {
		p := purchase("reserve-"+string(status), status)
		p.CourseID, p.Amount, p.RefundedAmount, p.PendingRefunds = p.ID, 10_00, 2_00, 3_00
		f.add(p)
		reserve := func(want bool, amount learning.Money) {
			t.Helper()
			f.moves(want, func(ctx context.Context, tx learning.Tx) (bool, error) {
				return tx.ReserveRefund(ctx, p.ID, amount, later)
			})
		}
		reserve(false, 5_01)
		isCompleted := status == learning.PurchaseCompleted
		if reserve(isCompleted, 5_00); isCompleted {
			p.PendingRefunds, p.UpdatedAt = 8_00, later
			reserve(false, 1)
		}
		got, err := f.Purchase(t.Context(), p.ID)
		equal(t, got, err, p)
	}
}

func refundCount(t *testing.T, f *fixture) {
	for _, status := range statuses {
		p := purchase("count-"+string(status), status)
		p.CourseID, p.Amount, p.RefundedAmount, p.PendingRefunds = p.ID, 10_00, 4_00, 3_00
		f.add(p)
		count := func(counted, released learning.Money, want bool, then learning.PurchaseStatus) {
			t.Helper()
			f.moves(want, func(ctx context.Context, tx learning.Tx) (bool, error) {
				return tx.CountRefund(ctx, p.ID, counted, released, later)
			})
			if want {
				p.Status, p.UpdatedAt = then, later
				p.RefundedAmount, p.PendingRefunds = p.RefundedAmount+counted, p.PendingRefunds-released
			}
			got, err := f.Purchase(t.Context(), p.ID)
			equal(t, got, err, p)
		}
		isPaid := status == learning.PurchaseCompleted || status == learning.PurchaseRefunded
		count(6_01, 0, false, "")
		count(-4_01, 0, false, "")
		count(1_00, 3_01, false, "")
		if count(6_00, 1_00, isPaid, learning.PurchaseRefunded); isPaid {
			count(0, 2_00, true, learning.PurchaseRefunded)
			count(-10_00, 0, true, learning.PurchaseCompleted)
		}
	}
	free := purchase("free", learning.PurchaseCompleted)
	free.Amount = 0
	f.add(free)
	f.moves(false, func(ctx context.Context, tx learning.Tx) (bool, error) {
		return tx.CountRefund(ctx, "free", 0, 0, later)
	})
}

func refundMove(t *testing.T, f *fixture) {
	first, failed, second := purchase("1", learning.PurchaseCompleted), purchase("0", learning.PurchaseFailed), purchase("2", learning.PurchaseCompleted)
	f.add(course("course"), first, failed, learning.Enrollment{UserID: "student", CourseID: "course", PurchaseID: "1", CreatedAt: noon})
	move := func(want bool, from string) {
		t.Helper()
		f.moves(want, func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.MoveEnrollment(ctx, "student", "course", from)
		})
	}
	count := func(id string, counted learning.Money) {
		t.Helper()
		f.moves(true, func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.CountRefund(ctx, id, counted, 0, later)
		})
	}
	count("1", first.Amount)
	move(false, "1")
	f.add(second)
	move(false, "2")
	move(true, "1")
	count("1", -first.Amount)
	count("2", second.Amount)
	move(true, "2") // back to the first one
	count("2", -second.Amount)
	past := learning.PastEnrollment{ID: "past", Enrollment: learning.Enrollment{UserID: "student", CourseID: "course"}, EndedAt: later}
	f.moves(true, func(ctx context.Context, tx learning.Tx) (bool, error) { return tx.InsertPastEnrollment(ctx, past) })
	f.moves(true, func(ctx context.Context, tx learning.Tx) (bool, error) {
		return tx.DeleteEnrollment(ctx, "student", "course")
	})
	f.moves(false, func(ctx context.Context, tx learning.Tx) (bool, error) {
		return tx.LockEnrollment(ctx, "student", "course")
	})
	f.add(learning.Enrollment{UserID: "student", CourseID: "course", PurchaseID: "2", CreatedAt: noon})
	f.moves(true, func(ctx context.Context, tx learning.Tx) (bool, error) {
		return tx.LockEnrollment(ctx, "student", "course")
	})
	count("2", second.Amount)
	move(false, "2") // because the enrolment of the first one has ended
	for _, want := range []bool{true, false} {
		f.moves(want, func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.RestorePastEnrollment(ctx, "student", "course", "1", later)
		})
	}
	move(true, "2")
}

func refundForget(t *testing.T, f *fixture) {
	own, other := purchase("p", learning.PurchaseCompleted), purchase("other", learning.PurchaseCompleted)
	other.UserID = "U"
	foreign := refund("3", learning.RefundProcessed, 1_00)
	foreign.PurchaseID = "other"
	silent := refund("2", learning.RefundProcessed, 1_00)
	silent.Reason = ""
	f.add(own, other, refund("1", learning.RefundFailed, 1_00), silent, foreign)
	ids, err := f.RefundsWithReason(t.Context(), own.UserID)
	equal(t, ids, err, []string{"1"})
	f.do(func(ctx context.Context, tx learning.Tx) error { return tx.ForgetRefundReasons(ctx, ids) })
	ids, err = f.RefundsWithReason(t.Context(), own.UserID)
	equal(t, len(ids), err, 0)
	got, err := f.Refund(t.Context(), "3")
	equal(t, got, err, foreign)
}
