package sale

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/purchase"
)

func TestDecideRefund(t *testing.T) {
	type change struct {
		status            payment.RefundStatus
		amount            core.Money
		counted, released core.Money
		isAskedAgain      bool
	}
	const known = "rfnd"
	stored := func(status payment.RefundStatus, providerID string, amount core.Money) Refund {
		return Refund{ID: "r", Status: status, ProviderID: providerID, Amount: amount}
	}
	got := func(status payment.RefundStatus, id string, amount core.Money) payment.Refund {
		return payment.Refund{ID: id, Status: status, Amount: amount}
	}
	for name, c := range map[string]struct {
		refunded core.Money // of 10 that were paid
		stored   Refund
		got      payment.Refund
		want     change // zero for none
	}{
		"new, refused": {0, Refund{}, got(payment.RefundFailed, "", 4), change{}},
		"new, pending": {0, Refund{}, got(payment.RefundPending, known, 4), change{}},
		"new, processed": {0, Refund{}, got(payment.RefundProcessed, known, 4),
			change{status: payment.RefundProcessed, amount: 4, counted: 4, released: 0,
				isAskedAgain: false}},
		"new, failed": {0, Refund{}, got(payment.RefundFailed, known, 4),
			change{status: payment.RefundFailed, amount: 4, counted: 0, released: 0, isAskedAgain: false}},
		"new, more than is left": {8, Refund{}, got(payment.RefundProcessed, known, 4),
			change{status: payment.RefundProcessed, amount: 2, counted: 2, released: 0,
				isAskedAgain: false}},
		"pending, accepted": {0, stored(payment.RefundPending, "", 4),
			got(payment.RefundPending, known, 4),
			change{status: payment.RefundPending, amount: 4, counted: 0, released: 0, isAskedAgain: false}},
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
			change{status: payment.RefundFailed, amount: 4, counted: 0, released: 4, isAskedAgain: false}},
		"pending, failed": {0, stored(payment.RefundPending, known, 4),
			got(payment.RefundFailed, known, 4),
			change{status: payment.RefundFailed, amount: 4, counted: 0, released: 4, isAskedAgain: false}},
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
			change{status: payment.RefundFailed, amount: 4, counted: -4, released: 0, isAskedAgain: false}},
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
		purchase := purchase.Purchase{Amount: 10, Status: purchase.Completed, CompletedAt: decisionTime,
			RefundedAmount: c.refunded}
		d := decideRefund(purchase, c.stored, c.got, decisionTime)
		have := change{}
		if d.changes {
			have = change{status: d.after.Status, amount: d.after.Amount, counted: d.counted,
				released: d.released, isAskedAgain: d.isAskedAgain}
		}
		if diff := cmp.Diff(c.want, have, cmp.AllowUnexported(change{})); diff != "" ||
			d.isRefused {
			t.Errorf("%s: %s", name, diff)
		}
	}

	// The refund of a returned payment must be made.
	for name, c := range map[string]struct {
		refunded, pending core.Money
		stored            Refund
		got               payment.Refund
		want              change
		isRefused         bool
	}{
		"refused": {0, 10, stored(payment.RefundPending, "", 10),
			got(payment.RefundFailed, "", 10), change{}, true},
		"failed": {0, 10, stored(payment.RefundPending, known, 10),
			got(payment.RefundFailed, known, 10),
			change{status: payment.RefundFailed, amount: 10, counted: 0, released: 0, isAskedAgain: true},
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
			change{status: payment.RefundFailed, amount: 10, counted: 0, released: 10, isAskedAgain: false},
			false},
		"another one failed": {0, 10, Refund{}, got(payment.RefundFailed, known, 10),
			change{status: payment.RefundFailed, amount: 10, counted: 0, released: 0, isAskedAgain: false},
			false},
	} {
		purchase := purchase.Purchase{Amount: 10, Status: purchase.Refunded, RefundedAmount: c.refunded,
			PendingRefunds: c.pending}
		d := decideRefund(purchase, c.stored, c.got, decisionTime)
		have := change{}
		if d.changes {
			have = change{status: d.after.Status, amount: d.after.Amount, counted: d.counted,
				released: d.released, isAskedAgain: d.isAskedAgain}
		}
		if diff := cmp.Diff(c.want, have, cmp.AllowUnexported(change{})); diff != "" ||
			d.isRefused != c.isRefused {
			t.Errorf("returned, %s: refused %t: %s", name, d.isRefused, diff)
		}
	}
}

func TestDecideReservation(t *testing.T) {
	pending := []Refund{{ID: "old", Amount: 3}, {ID: "new", Amount: 2}}
	for name, c := range map[string]struct {
		status             purchase.Status
		refunded, reserved core.Money // of 10
		pending            []Refund
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
		purchase := purchase.Purchase{Status: c.status, Amount: 10, RefundedAmount: c.refunded,
			PendingRefunds: c.reserved}
		got, err := decideReservation(purchase, c.pending, amount)
		if (err == nil) != (c.want > 0) || got.Amount != c.want || got.ID != c.continues {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestDecideKey(t *testing.T) {
	r := RefundRequest{PurchaseID: "p", Key: "k", Reason: "late"}
	alive := core.Lease{Holder: "h", ExpiresAt: decisionTime.Add(1)}
	dead := core.Lease{Holder: "h", ExpiresAt: decisionTime}
	key := func(hash string, outcome RefundOutcome) RefundKey {
		return RefundKey{PurchaseID: "p", Key: "k", BodyHash: hash, Outcome: outcome}
	}
	for name, c := range map[string]struct {
		state KeyState
		want  KeyStep
	}{
		"none": {KeyState{}, KeyNew},
		"stale": {KeyState{Key: key("other", RefundAccepted), IsStale: true},
			KeyNew},
		"another body": {KeyState{Key: key("other", RefundAccepted)}, KeyMisused},
		"another body, running": {KeyState{Key: key("other", RefundUnanswered), Lease: alive},
			KeyMisused},
		"accepted": {KeyState{Key: key(r.bodyHash(), RefundAccepted)}, KeyAnswered},
		"declined": {KeyState{Key: key(r.bodyHash(), RefundDeclined)}, KeyAnswered},
		"running": {KeyState{Key: key(r.bodyHash(), RefundUnanswered), Lease: alive},
			KeyAwaited},
		"crashed": {KeyState{Key: key(r.bodyHash(), RefundUnanswered), Lease: dead},
			KeyContinued},
		"failed with its answer": {KeyState{Key: key(r.bodyHash(), RefundUnanswered)},
			KeyContinued},
	} {
		if got := DecideKey(c.state, r.bodyHash(), decisionTime); got != c.want {
			t.Errorf("%s: step %d, want %d", name, got, c.want)
		}
	}
	part, all := r, r
	part.Amount, all.Reason = new(core.Money(1)), "too late"
	if r.bodyHash() == part.bodyHash() || r.bodyHash() == all.bodyHash() {
		t.Error("requests with other bodies have one hash")
	}
}
