package sale

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/line"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/study"
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
		purchase := Purchase{Amount: 10, Status: PurchaseCompleted, CompletedAt: decisionTime,
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
		purchase := Purchase{Amount: 10, Status: PurchaseRefunded, RefundedAmount: c.refunded,
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

func TestRefunded_OneCourse(t *testing.T) {
	none, granted := study.Enrollment{}, study.Enrollment{UserID: "ada", GrantedBy: "boss"}
	by := func(purchaseID, grantedBy string) study.Enrollment {
		return study.Enrollment{UserID: "ada", PurchaseID: purchaseID, GrantedBy: grantedBy}
	}
	others := []study.Cause{{ID: "q", UserID: "ada"}}
	for name, c := range map[string]struct {
		from, to PurchaseStatus
		e        study.Enrollment
		paying   []study.Cause
		keep     bool
		want     study.AccessChange
	}{
		"a part": {PurchaseCompleted, PurchaseCompleted, by("p", ""), nil,
			false, study.AccessStays},
		"still refunded": {PurchaseRefunded, PurchaseRefunded, none, nil, false,
			study.AccessStays},
		"failed": {PurchaseRefunded, PurchaseCompleted, none, nil, false,
			study.AccessIsRestored},
		"ended before": {PurchaseCompleted, PurchaseRefunded, none, nil, false,
			study.AccessEnded},
		"paid by another one": {PurchaseCompleted, PurchaseRefunded, by("q", ""), nil,
			false, study.AccessIsLeft},
		"granted": {PurchaseCompleted, PurchaseRefunded, granted, nil, false,
			study.AccessIsLeft},
		"another one pays": {PurchaseCompleted, PurchaseRefunded, by("p", ""), others,
			false, study.AccessMoves},
		"another one pays, and a gift": {PurchaseCompleted, PurchaseRefunded, by("p", "boss"),
			others, true, study.AccessMoves},
		"a grant is left": {PurchaseCompleted, PurchaseRefunded, by("p", "boss"), nil,
			false, study.AccessIsGrant},
		"kept": {PurchaseCompleted, PurchaseRefunded, by("p", ""), nil,
			true, study.AccessIsKept},
		"ends": {PurchaseCompleted, PurchaseRefunded, by("p", ""), nil,
			false, study.AccessEnds},
	} {
		before := Purchase{ID: "p", UserID: "ada", Status: c.from}
		after := Purchase{ID: "p", UserID: "ada", Status: c.to}
		state := PurchaseState{Purchase: before, Enrollment: c.e}
		got := line.Refunded(state.parts("Go"),
			line.Lines(PurchaseState{Purchase: after}.parts("")), c.paying, c.keep, decisionTime)
		if len(got) != 1 || got[0].Access != c.want {
			t.Errorf("%s: changes %+v, want %d", name, got, c.want)
		}
	}
}

func TestDecideReservation(t *testing.T) {
	pending := []Refund{{ID: "old", Amount: 3}, {ID: "new", Amount: 2}}
	for name, c := range map[string]struct {
		status             PurchaseStatus
		refunded, reserved core.Money // of 10
		pending            []Refund
		amount             core.Money // 0 for the rest
		continues          string
		want               core.Money // 0 for a refusal
	}{
		"pending purchase":  {status: PurchasePending},
		"refunded":          {status: PurchaseRefunded, refunded: 10},
		"all":               {status: PurchaseCompleted, want: 10},
		"the rest":          {status: PurchaseCompleted, refunded: 4, want: 6},
		"a part":            {status: PurchaseCompleted, refunded: 4, amount: 6, want: 6},
		"more than is left": {status: PurchaseCompleted, refunded: 4, amount: 7},
		"a part that is pending": {status: PurchaseCompleted, reserved: 5, pending: pending,
			amount: 2, continues: "new", want: 2},
		"a part beside others": {status: PurchaseCompleted, reserved: 5, pending: pending,
			amount: 4, want: 4},
		"the rest beside others": {status: PurchaseCompleted, reserved: 5, pending: pending,
			want: 5},
		"the rest that is pending": {status: PurchaseCompleted, refunded: 5, reserved: 5,
			pending: pending, continues: "old", want: 3},
		"more than is not pending": {status: PurchaseCompleted, reserved: 5, pending: pending,
			amount: 6},
		"the rest of as much": {status: PurchaseCompleted, refunded: 2, reserved: 5,
			pending: pending, continues: "old", want: 3},
		"nothing left, none pending": {status: PurchaseCompleted, refunded: 10},
	} {
		var amount *core.Money
		if c.amount != 0 {
			amount = &c.amount
		}
		purchase := Purchase{Status: c.status, Amount: 10, RefundedAmount: c.refunded,
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
	key := func(hash string, outcome line.RefundOutcome) RefundKey {
		return RefundKey{PurchaseID: "p", Key: "k", BodyHash: hash, Outcome: outcome}
	}
	for name, c := range map[string]struct {
		state line.KeyState
		want  line.KeyStep
	}{
		"none": {line.KeyState{}, line.KeyNew},
		"stale": {line.KeyState{Key: key("other", line.RefundAccepted), IsStale: true},
			line.KeyNew},
		"another body": {line.KeyState{Key: key("other", line.RefundAccepted)}, line.KeyMisused},
		"another body, running": {line.KeyState{Key: key("other", line.RefundUnanswered), Lease: alive},
			line.KeyMisused},
		"accepted": {line.KeyState{Key: key(r.bodyHash(), line.RefundAccepted)}, line.KeyAnswered},
		"declined": {line.KeyState{Key: key(r.bodyHash(), line.RefundDeclined)}, line.KeyAnswered},
		"running": {line.KeyState{Key: key(r.bodyHash(), line.RefundUnanswered), Lease: alive},
			line.KeyAwaited},
		"crashed": {line.KeyState{Key: key(r.bodyHash(), line.RefundUnanswered), Lease: dead},
			line.KeyContinued},
		"failed with its answer": {line.KeyState{Key: key(r.bodyHash(), line.RefundUnanswered)},
			line.KeyContinued},
	} {
		if got := line.DecideKey(c.state, r.bodyHash(), decisionTime); got != c.want {
			t.Errorf("%s: step %d, want %d", name, got, c.want)
		}
	}
	part, all := r, r
	part.Amount, all.Reason = new(core.Money(1)), "too late"
	if r.bodyHash() == part.bodyHash() || r.bodyHash() == all.bodyHash() {
		t.Error("requests with other bodies have one hash")
	}
}
