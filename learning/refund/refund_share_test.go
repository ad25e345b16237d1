package refund_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/refund"
)

// world is a purchase of several courses with its refunds, in a random history.
type world struct {
	amount   core.Money
	lines    []purchase.Line
	refunds  []stored
	random   *rand.Rand
	t        *testing.T
	refunded core.Money
	pending  core.Money
}

// stored is a refund of the history.
type stored struct {
	refund.Refund
	amount core.Money
	status string
}

// TestRefund_RandomHistories plays refunds of lines, of amounts and at the provider, which are
// counted and fail in any order.
func TestRefund_RandomHistories(t *testing.T) {
	for seed := range uint64(400) {
		w := newWorld(t, seed)
		for range 30 {
			w.step()
			w.check(t, seed)
			if t.Failed() {
				return
			}
		}
	}
}

func newWorld(t *testing.T, seed uint64) *world {
	random := rand.New(rand.NewPCG(seed, 1))
	sold := make([]purchase.Sold, 1+random.IntN(6))
	for i := range sold {
		sold[i] = purchase.Sold{CourseID: string(rune('a' + i)),
			Price: core.Money(random.IntN(5) * 33), IsPriced: random.IntN(9) > 0}
	}
	w := &world{amount: core.Money(1 + random.IntN(300)), random: random, t: t}
	w.lines = purchase.NewLines("p", "ada", w.amount, 1, sold, time.Time{})
	return w
}

func (w *world) step() {
	switch r := w.random.IntN(4); {
	case r == 0: // an admin asks for lines
		var ids []string
		for _, l := range w.lines {
			if w.random.IntN(2) == 0 {
				ids = append(ids, l.CourseID)
			}
		}
		shares, sum, found := refund.Chosen(w.lines, ids)
		if found && sum > 0 {
			w.reserve(stored{Refund: refund.Refund{Shares: shares, ByLines: true}, amount: sum})
		}
	case r == 1: // an admin asks for an amount
		if left := w.amount - w.refunded - w.pending; left > 0 {
			amount := 1 + core.Money(w.random.Int64N(int64(left)))
			w.reserve(stored{Refund: refund.Refund{Shares: refund.Spread(w.lines, amount, 1)},
				amount: amount})
		}
	case r == 2: // a refund at the provider
		if left := w.amount - w.refunded; left > 0 {
			amount := 1 + core.Money(w.random.Int64N(int64(left)))
			w.refunds = append(w.refunds, stored{status: "new", amount: amount})
			w.count(len(w.refunds) - 1)
		}
	case len(w.refunds) > 0: // a report of one
		w.report(w.random.IntN(len(w.refunds)))
	}
}

func (w *world) reserve(r stored) {
	r.status = "pending"
	w.lines = purchase.Reserve(w.lines, r.Shares)
	w.pending += r.amount
	w.refunds = append(w.refunds, r)
}

func (w *world) report(i int) {
	r := &w.refunds[i]
	switch {
	case r.status == "pending" && w.random.IntN(3) > 0:
		w.lines = purchase.Release(w.lines, r.Shares)
		w.pending -= r.amount
		w.count(i)
	case r.status == "pending":
		w.lines = purchase.Release(w.lines, r.Shares)
		w.pending -= r.amount
		r.status = "failed"
	case r.status == "processed":
		w.lines = purchase.Subtract(w.lines, r.Shares)
		w.refunded -= r.amount
		r.status = "failed"
		if r.amount > 0 { // else the report changes nothing
			w.lines = refund.EndAfter(w.lines, r.Refund, false, false)
		}
	}
}

func (w *world) count(i int) {
	r := &w.refunds[i]
	r.amount = min(r.amount, w.amount-w.refunded)
	w.lines, r.Shares = refund.Count(w.lines, r.Refund, r.amount, 1)
	w.refunded += r.amount
	r.status = "processed"
	w.lines = refund.EndAfter(w.lines, r.Refund, true, w.refunded == w.amount)
	for _, l := range w.lines {
		isNamed := r.ByLines && slices.ContainsFunc(r.Shares,
			func(s purchase.Share) bool { return s.LineID == l.ID })
		if isNamed && l.RefundedAmount == l.Amount && l.End == purchase.Living {
			w.t.Errorf("a refund names line %+v, of which nothing is left", l)
		}
	}
}

// check compares the lines with the purchase and its refunds.
func (w *world) check(t *testing.T, seed uint64) {
	t.Helper()
	var amount, refunded, pending core.Money
	byLine := map[string]core.Money{}
	for _, r := range w.refunds {
		var sum core.Money
		for _, s := range r.Shares {
			sum += s.Amount
			if r.status == "processed" {
				byLine[s.LineID] += s.Amount
			}
		}
		if sum != r.amount {
			t.Errorf("seed %d: the shares of a refund of %d sum up to %d", seed, r.amount, sum)
		}
	}
	for _, l := range w.lines {
		amount += l.Amount
		refunded += l.RefundedAmount
		pending += l.PendingRefunds
		if l.RefundedAmount < 0 || l.PendingRefunds < 0 || l.RefundedAmount > l.Amount {
			t.Errorf("seed %d: line %+v", seed, l)
		}
		if byLine[l.ID] != l.RefundedAmount {
			t.Errorf("seed %d: the refunds of line %+v sum up to %d", seed, l, byLine[l.ID])
		}
		if isAll := w.refunded == w.amount; isAll && l.End == purchase.Living {
			t.Errorf("seed %d: all is refunded, and line %+v lives", seed, l)
		}
		if l.End != purchase.Living && l.RefundedAmount < l.Amount {
			t.Errorf("seed %d: line %+v has ended with something left", seed, l)
		}
	}
	if amount != w.amount || refunded != w.refunded || pending != w.pending {
		t.Errorf("seed %d: amount %d of %d, refunded %d of %d, pending %d of %d", seed, amount,
			w.amount, refunded, w.refunded, pending, w.pending)
	}
}

func TestChosen(t *testing.T) {
	lines := []purchase.Line{
		{ID: "p.1", CourseID: "a", Amount: 5, RefundedAmount: 2, PendingRefunds: 1},
		{ID: "p.2", CourseID: "b", Amount: 0}}
	shares, sum, found := refund.Chosen(lines, []string{"b", "a"})
	want := []purchase.Share{{LineID: "p.2"}, {LineID: "p.1", Amount: 2}}
	if !found || sum != 2 || !slices.Equal(shares, want) {
		t.Errorf("got %v, %d, %t", shares, sum, found)
	}
	for _, ids := range [][]string{{"a", "c"}, nil} {
		if _, _, found := refund.Chosen(lines, ids); found {
			t.Errorf("courses %v are found", ids)
		}
	}
	if !refund.HaveSameLines(want, []purchase.Share{{LineID: "p.1"}, {LineID: "p.2"}}) ||
		refund.HaveSameLines(want, want[:1]) || refund.HaveSameLines(want[:1], want) {
		t.Error("lines are compared wrongly")
	}
}

// TestEndAfter_LineWithoutPrice follows a line for which nothing was paid.
func TestEndAfter_LineWithoutPrice(t *testing.T) {
	lines := []purchase.Line{{ID: "p.1", Amount: 10}, {ID: "p.2"}}
	byLine := refund.Refund{Shares: []purchase.Share{{LineID: "p.1", Amount: 10}, {LineID: "p.2"}},
		ByLines: true}
	ends := func(lines []purchase.Line, want ...purchase.LineEnd) {
		t.Helper()
		for i, l := range lines {
			if l.End != want[i] {
				t.Errorf("line %d ended as %d, want %d", i, l.End, want[i])
			}
		}
	}
	counted, shares := refund.Count(lines, byLine, 10, 1)
	if !slices.Equal(shares, byLine.Shares) {
		t.Errorf("shares %v", shares)
	}
	ended := refund.EndAfter(counted, byLine, true, true)
	ends(ended, purchase.EndedWithAll, purchase.EndedWithAll)
	ends(refund.EndAfter(purchase.Subtract(ended, shares), byLine, false, false), purchase.Living,
		purchase.Living)

	named := refund.Refund{Shares: []purchase.Share{{LineID: "p.2"}}, ByLines: true}
	ended = refund.EndAfter(lines, named, true, false)
	ends(ended, purchase.Living, purchase.EndedByLines)
	ends(refund.EndAfter(ended, refund.Refund{Shares: shares}, false, false), purchase.Living,
		purchase.EndedByLines)
	ends(refund.EndAfter(ended, named, false, false), purchase.Living, purchase.Living)
}
