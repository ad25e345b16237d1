package refund_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/refund"
)

// decisionTime is the time of the decisions in these tests.
var decisionTime = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

func TestDecideReport(t *testing.T) {
	type change struct {
		status            payment.RefundStatus
		amount            core.Money
		counted, released core.Money
		isAskedAgain      bool
	}
	const known = "rfnd"
	stored := func(
		status payment.RefundStatus, providerID string, amount core.Money,
	) refund.Refund {
		return refund.Refund{ID: "r", Status: status, ProviderID: providerID, Amount: amount}
	}
	got := func(status payment.RefundStatus, id string, amount core.Money) payment.Refund {
		return payment.Refund{ID: id, Status: status, Amount: amount}
	}
	for name, c := range map[string]struct {
		refunded core.Money // of 10 that were paid
		stored   refund.Refund
		got      payment.Refund
		want     change // zero for none
	}{
		"new, refused": {0, refund.Refund{}, got(payment.RefundFailed, "", 4), change{}},
		"new, pending": {0, refund.Refund{}, got(payment.RefundPending, known, 4), change{}},
		"new, processed": {0, refund.Refund{}, got(payment.RefundProcessed, known, 4),
			change{status: payment.RefundProcessed, amount: 4, counted: 4, released: 0,
				isAskedAgain: false}},
		"new, failed": {0, refund.Refund{}, got(payment.RefundFailed, known, 4),
			change{status: payment.RefundFailed, amount: 4, counted: 0, released: 0,
				isAskedAgain: false}},
		"new, more than is left": {8, refund.Refund{}, got(payment.RefundProcessed, known, 4),
			change{status: payment.RefundProcessed, amount: 2, counted: 2, released: 0,
				isAskedAgain: false}},
		"pending, accepted": {0, stored(payment.RefundPending, "", 4),
			got(payment.RefundPending, known, 4),
			change{status: payment.RefundPending, amount: 4, counted: 0, released: 0,
				isAskedAgain: false}},
		"pending, accepted again": {0, stored(payment.RefundPending, known, 4),
			got(payment.RefundPending, known, 4), change{}},
		"pending, processed": {0, stored(payment.RefundPending, known, 4),
			got(payment.RefundProcessed, known, 4),
			change{status: payment.RefundProcessed, amount: 4, counted: 4, released: 4,
				isAskedAgain: false}},
		"pending, processed with less left": {8, stored(payment.RefundPending, known, 4),
			got(payment.RefundProcessed, known, 4),
			change{status: payment.RefundProcessed, amount: 2, counted: 2, released: 4,
				isAskedAgain: false}},
		"pending, processed without amount": {0, stored(payment.RefundPending, known, 4),
			got(payment.RefundProcessed, known, 0),
			change{status: payment.RefundProcessed, amount: 4, counted: 4, released: 4,
				isAskedAgain: false}},
		"pending, refused": {0, stored(payment.RefundPending, "", 4),
			got(payment.RefundFailed, "", 4),
			change{status: payment.RefundFailed, amount: 4, counted: 0, released: 4,
				isAskedAgain: false}},
		"pending, failed": {0, stored(payment.RefundPending, known, 4),
			got(payment.RefundFailed, known, 4),
			change{status: payment.RefundFailed, amount: 4, counted: 0, released: 4,
				isAskedAgain: false}},
		"processed, pending": {4, stored(payment.RefundProcessed, known, 4),
			got(payment.RefundPending, known, 4), change{}},
		"processed again": {4, stored(payment.RefundProcessed, known, 4),
			got(payment.RefundProcessed, known, 4), change{}},
		"processed again, and more is left": {2, stored(payment.RefundProcessed, known, 2),
			got(payment.RefundProcessed, known, 4),
			change{status: payment.RefundProcessed, amount: 4, counted: 2, released: 0,
				isAskedAgain: false}},
		"processed again, and nothing left": {10, stored(payment.RefundProcessed, known, 2),
			got(payment.RefundProcessed, known, 4), change{}},
		"processed, failed": {4, stored(payment.RefundProcessed, known, 4),
			got(payment.RefundFailed, known, 4),
			change{status: payment.RefundFailed, amount: 4, counted: -4, released: 0,
				isAskedAgain: false}},
		"failed there, processed": {0, stored(payment.RefundFailed, known, 4),
			got(payment.RefundProcessed, known, 4), change{}},
		"failed there, failed": {0, stored(payment.RefundFailed, known, 4),
			got(payment.RefundFailed, known, 4), change{}},
		"refused, processed after all": {0, stored(payment.RefundFailed, "", 4),
			got(payment.RefundProcessed, known, 4),
			change{status: payment.RefundProcessed, amount: 4, counted: 4, released: 0,
				isAskedAgain: false}},
		"refused, failed": {0, stored(payment.RefundFailed, "", 4),
			got(payment.RefundFailed, known, 4), change{}},
		"refused, pending": {0, stored(payment.RefundFailed, "", 4),
			got(payment.RefundPending, known, 4), change{}},
	} {
		p := purchase.Purchase{Amount: 10, Status: purchase.Completed, CompletedAt: decisionTime,
			RefundedAmount: c.refunded}
		d := refund.DecideReport(p, c.stored, c.got, decisionTime)
		have := change{}
		if d.Changes {
			have = change{status: d.After.Status, amount: d.After.Amount, counted: d.Counted,
				released: d.Released, isAskedAgain: d.IsAskedAgain}
		}
		if diff := cmp.Diff(c.want, have, cmp.AllowUnexported(change{})); diff != "" ||
			d.IsRefused {
			t.Errorf("%s: %s", name, diff)
		}
	}

	// The refund of a returned payment must be made.
	for name, c := range map[string]struct {
		refunded, pending core.Money
		stored            refund.Refund
		got               payment.Refund
		want              change
		isRefused         bool
	}{
		"refused": {0, 10, stored(payment.RefundPending, "", 10),
			got(payment.RefundFailed, "", 10), change{}, true},
		"failed": {0, 10, stored(payment.RefundPending, known, 10),
			got(payment.RefundFailed, known, 10),
			change{status: payment.RefundFailed, amount: 10, counted: 0, released: 0,
				isAskedAgain: true},
			true},
		"processed": {0, 10, stored(payment.RefundPending, known, 10),
			got(payment.RefundProcessed, known, 10),
			change{status: payment.RefundProcessed, amount: 10, counted: 10, released: 10,
				isAskedAgain: false}, false},
		"failed after it was counted": {10, 0, stored(payment.RefundProcessed, known, 10),
			got(payment.RefundFailed, known, 10),
			change{status: payment.RefundFailed, amount: 10, counted: -10, released: -10,
				isAskedAgain: true}, true},
		"refused, made by others": {10, 10, stored(payment.RefundPending, "", 10),
			got(payment.RefundFailed, "", 10),
			change{status: payment.RefundFailed, amount: 10, counted: 0, released: 10,
				isAskedAgain: false},
			false},
		"another one failed": {0, 10, refund.Refund{}, got(payment.RefundFailed, known, 10),
			change{status: payment.RefundFailed, amount: 10, counted: 0, released: 0,
				isAskedAgain: false},
			false},
	} {
		p := purchase.Purchase{Amount: 10, Status: purchase.Refunded, RefundedAmount: c.refunded,
			PendingRefunds: c.pending}
		d := refund.DecideReport(p, c.stored, c.got, decisionTime)
		have := change{}
		if d.Changes {
			have = change{status: d.After.Status, amount: d.After.Amount, counted: d.Counted,
				released: d.Released, isAskedAgain: d.IsAskedAgain}
		}
		if diff := cmp.Diff(c.want, have, cmp.AllowUnexported(change{})); diff != "" ||
			d.IsRefused != c.isRefused {
			t.Errorf("returned, %s: refused %t: %s", name, d.IsRefused, diff)
		}
	}
}

func TestDecideReservation(t *testing.T) {
	pending := []refund.Refund{{ID: "old", Amount: 3}, {ID: "new", Amount: 2}}
	for name, c := range map[string]struct {
		status             purchase.Status
		refunded, reserved core.Money // of 10
		pending            []refund.Refund
		amount             core.Money // 0 for the rest
		continues          string
		want               core.Money // 0 for a refusal
	}{
		"pending purchase":  {status: purchase.Pending},
		"refunded":          {status: purchase.Refunded, refunded: 10},
		"all":               {status: purchase.Completed, want: 10},
		"the rest":          {status: purchase.Completed, refunded: 4, want: 6},
		"a part":            {status: purchase.Completed, refunded: 4, amount: 6, want: 6},
		"more than is left": {status: purchase.Completed, refunded: 4, amount: 7},
		"a part that is pending": {status: purchase.Completed, reserved: 5, pending: pending,
			amount: 2, continues: "new", want: 2},
		"a part beside others": {status: purchase.Completed, reserved: 5, pending: pending,
			amount: 4, want: 4},
		"the rest beside others": {status: purchase.Completed, reserved: 5, pending: pending,
			want: 5},
		"the rest that is pending": {status: purchase.Completed, refunded: 5, reserved: 5,
			pending: pending, continues: "old", want: 3},
		"more than is not pending": {status: purchase.Completed, reserved: 5, pending: pending,
			amount: 6},
		"the rest of as much": {status: purchase.Completed, refunded: 2, reserved: 5,
			pending: pending, continues: "old", want: 3},
		"nothing left, none pending": {status: purchase.Completed, refunded: 10},
	} {
		var amount *core.Money
		if c.amount != 0 {
			amount = &c.amount
		}
		p := purchase.Purchase{Status: c.status, Amount: 10, RefundedAmount: c.refunded,
			PendingRefunds: c.reserved}
		got, err := refund.DecideReservation(p, c.pending, amount)
		if (err == nil) != (c.want > 0) || got.Amount != c.want || got.ID != c.continues {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestDecideKey(t *testing.T) {
	r := refund.Request{PurchaseID: "p", Key: "k", Reason: "late"}
	alive := core.Lease{Holder: "h", ExpiresAt: decisionTime.Add(1)}
	dead := core.Lease{Holder: "h", ExpiresAt: decisionTime}
	key := func(hash string, outcome refund.Outcome) refund.Key {
		return refund.Key{PurchaseID: "p", Key: "k", BodyHash: hash, Outcome: outcome}
	}
	for name, c := range map[string]struct {
		state refund.KeyState
		want  refund.KeyStep
	}{
		"none": {refund.KeyState{}, refund.KeyNew},
		"stale": {refund.KeyState{Key: key("other", refund.Accepted), IsStale: true},
			refund.KeyNew},
		"another body": {refund.KeyState{Key: key("other", refund.Accepted)}, refund.KeyMisused},
		"another body, running": {
			refund.KeyState{Key: key("other", refund.Unanswered), Lease: alive},
			refund.KeyMisused},
		"accepted": {refund.KeyState{Key: key(r.BodyHash(), refund.Accepted)}, refund.KeyAnswered},
		"declined": {refund.KeyState{Key: key(r.BodyHash(), refund.Declined)}, refund.KeyAnswered},
		"running": {refund.KeyState{Key: key(r.BodyHash(), refund.Unanswered), Lease: alive},
			refund.KeyAwaited},
		"crashed": {refund.KeyState{Key: key(r.BodyHash(), refund.Unanswered), Lease: dead},
			refund.KeyContinued},
		"failed with its answer": {refund.KeyState{Key: key(r.BodyHash(), refund.Unanswered)},
			refund.KeyContinued},
	} {
		if got := refund.DecideKey(c.state, r.BodyHash(), decisionTime); got != c.want {
			t.Errorf("%s: step %d, want %d", name, got, c.want)
		}
	}
	part, all := r, r
	part.Amount, all.Reason = new(core.Money(1)), "too late"
	if r.BodyHash() == part.BodyHash() || r.BodyHash() == all.BodyHash() {
		t.Error("requests with other bodies have one hash")
	}
}
