package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/refund"
)

var refundTests = []test{
	{"a refund in any state is read as it was stored", refundRoundTrip},
	{"a dispute is read as it was stored, and changes in place", disputeRoundTrip},
	{"a purchase has one pending refund of an amount, and an id at the gateway is unique",
		refundUnique},
	{"a refund is updated from its state", refundUpdate},
	{"pending refunds are listed in pages, the oldest first, by id on a tie", refundPending},
	{"the key of a request is stored once, answered, and deleted when it is old", refundKeys},
	{"the reasons of a user's refunds are removed, and no others", refundForget},
}

// refundIn returns a refund of the purchase "p" with a value in every field of its state.
func refundIn(id string, status payment.RefundStatus, amount core.Money) refund.Refund {
	r := refund.Refund{ID: id, PurchaseID: "p", PaymentID: "payment-p",
		Provider: payment.NameGateway, Amount: amount,
		Currency: "INR", Status: status, Reason: "Reason of " + id,
		CreatedBy: "admin", CreatedAt: noon, UpdatedAt: later}
	if status != payment.RefundPending {
		r.ProviderID = "provider-" + id
	}
	return r
}

func refundRoundTrip(t *testing.T, f *fixture) {
	for _, status := range []payment.RefundStatus{payment.RefundPending, payment.RefundProcessed,
		payment.RefundFailed} {
		r := refundIn(string(status), status, 1_00)
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
	ended := refundIn("processed", payment.RefundProcessed, 1_00)
	ended.EndedAccess, ended.KeptAccess = true, true
	f.reports(true, func(ctx context.Context, tx learning.Tx) (bool, error) {
		return tx.UpdateRefund(ctx, refundIn("processed", payment.RefundProcessed, 1_00), ended)
	})
	got, err := f.Refund(t.Context(), ended.ID)
	equal(t, got, err, ended)
	inserted := refundIn("inserted", payment.RefundProcessed, 1_00)
	inserted.EndedAccess, inserted.KeptAccess = true, true
	inserted.PurchaseID = "other"
	f.add(inserted)
	got, err = f.Refund(t.Context(), inserted.ID)
	equal(t, got, err, inserted)
	for _, want := range []bool{true, false} {
		f.reports(want,
			func(ctx context.Context,
				tx learning.Tx) (bool, error) {
				return tx.ClearRefundEndedAccess(ctx, "p")
			})
	}
}

func refundUnique(t *testing.T, f *fixture) {
	f.add(refundIn("1", payment.RefundPending, 1_00), refundIn("2", payment.RefundPending, 2_00),
		refundIn("3", payment.RefundProcessed, 1_00))
	other := refundIn("other", payment.RefundPending, 1_00)
	other.PurchaseID = "other"
	f.add(other)
	samePart, sameProvider := refundIn("4", payment.RefundPending, 1_00),
		refundIn("5", payment.RefundFailed, 1_00)
	sameProvider.ProviderID = "provider-3"
	for _, r := range []refund.Refund{samePart, sameProvider} {
		f.fails(core.ErrDuplicate,
			func(ctx context.Context, tx learning.Tx) error { return tx.InsertRefund(ctx, r) })
	}
	f.fails(core.ErrDuplicate, func(ctx context.Context, tx learning.Tx) error {
		r := refundIn("1", payment.RefundProcessed, 1_00)
		r.ProviderID = "provider-3"
		_, err := tx.UpdateRefund(ctx, refundIn("1", payment.RefundPending, 1_00), r)
		return err
	})
	list, err := f.PendingRefundsOf(t.Context(), "p")
	equal(t, list, err, []refund.Refund{refundIn("1", payment.RefundPending, 1_00),
		refundIn("2", payment.RefundPending, 2_00)})
}

func refundUpdate(t *testing.T, f *fixture) {
	f.add(refundIn("1", payment.RefundPending, 1_00))
	done := refundIn("1", payment.RefundProcessed, 50)
	done.UpdatedAt = later.Add(time.Hour)
	update := func(want bool, after, before refund.Refund) {
		t.Helper()
		f.reports(want,
			func(ctx context.Context, tx learning.Tx) (bool, error) {
				return tx.UpdateRefund(ctx,
					before, after)
			})
	}
	update(false, done, refundIn("1", payment.RefundFailed, 1_00))
	update(false, done, refundIn("1", payment.RefundPending, 2_00))
	update(true, done, refundIn("1", payment.RefundPending, 1_00))
	update(false, done, refundIn("1", payment.RefundPending, 1_00))
	got, err := f.Refund(t.Context(), "1")
	equal(t, got, err, done)
	// none of these amounts is pending any more
	f.add(refundIn("2", payment.RefundPending, 50), refundIn("3", payment.RefundPending, 1_00))
}

func refundPending(t *testing.T, f *fixture) {
	at := func(id string, amount core.Money, status payment.RefundStatus,
		at time.Time) refund.Refund {
		r := refundIn(id, status, amount)
		r.CreatedAt = at
		f.add(r)
		return r
	}
	at("too new", 1, payment.RefundPending, later)
	at("processed", 2, payment.RefundProcessed, noon)
	third := at("a third", 3, payment.RefundPending, later.Add(-time.Microsecond))
	second := at("second", 4, payment.RefundPending, noon)
	first := at("first", 5, payment.RefundPending, noon)
	all := []refund.Refund{first, second, third}
	var got []refund.Refund
	page := core.PageRequest{Limit: 2}
	for range 2 {
		list, err := f.PendingRefunds(t.Context(), later, page)
		if err != nil || len(list) == 0 {
			t.Fatalf("%d refunds: %v", len(list), err)
		}
		got = append(got, list...)
		page.After = core.Position{At: got[len(got)-1].CreatedAt, ID: got[len(got)-1].ID}
	}
	equal(t, got, nil, all)
}

func refundKeys(t *testing.T, f *fixture) {
	k := refund.Key{
		PurchaseID: "p", Key: long(63) + "abc", BodyHash: long(16), RefundID: "refund",
		CreatedAt: noon,
	}
	declined := refund.Key{
		PurchaseID: "p", Key: "declined", BodyHash: "hash", CreatedAt: later,
		Outcome: refund.Declined,
		Status:  purchase.Refunded, RefundedAmount: 436_63,
	}
	stored := func(want refund.Key) {
		t.Helper()
		got, err := f.RefundKey(t.Context(), want.PurchaseID, want.Key)
		equal(t, got, err, want)
	}
	absent := func(purchaseID, key string) {
		t.Helper()
		got, err := f.RefundKey(t.Context(), purchaseID, key)
		missing(t, got, err)
	}
	for _, k := range []refund.Key{k, declined} {
		f.do(func(ctx context.Context, tx learning.Tx) error { return tx.InsertRefundKey(ctx, k) })
		stored(k)
		f.fails(core.ErrDuplicate,
			func(ctx context.Context, tx learning.Tx) error { return tx.InsertRefundKey(ctx, k) })
	}
	absent("P", k.Key)
	absent("p", "Declined")
	absent("p", "")

	k.Outcome = refund.Accepted
	k.Status = purchase.Completed
	k.RefundedAmount = 1_00
	f.do(func(ctx context.Context, tx learning.Tx) error { return tx.AnswerRefundKey(ctx, k) })
	stored(k)
	stored(declined)
	unknown := k
	unknown.Key = "unknown"
	f.fails(core.ErrNoRecord,
		func(ctx context.Context, tx learning.Tx) error { return tx.AnswerRefundKey(ctx, unknown) })

	f.do(func(ctx context.Context, tx learning.Tx) error { return tx.DeleteRefundKeys(ctx, later) })
	absent("p", k.Key)
	stored(declined)
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.DeleteRefundKey(ctx, "p",
			"declined")
	})
	absent("p", "declined")
}

func refundForget(t *testing.T, f *fixture) {
	own, other := purchaseIn("p", purchase.Completed),
		purchaseIn("other", purchase.Completed)
	other.UserID = "U"
	foreign := refundIn("3", payment.RefundProcessed, 1_00)
	foreign.PurchaseID = "other"
	silent := refundIn("2", payment.RefundProcessed, 1_00)
	silent.Reason = ""
	f.add(own, other, refundIn("1", payment.RefundFailed, 1_00), silent, foreign)
	ids, err := f.RefundsWithReason(t.Context(), own.UserID)
	equal(t, ids, err, []string{"1"})
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.ForgetRefundReasons(ctx,
			ids)
	})
	ids, err = f.RefundsWithReason(t.Context(), own.UserID)
	equal(t, len(ids), err, 0)
	got, err := f.Refund(t.Context(), "3")
	equal(t, got, err, foreign)
}
