package learning_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/internal/till"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/store"
)

// hostBooks are the books of a host: a row for each event of money, in a table of its own.
type hostBooks struct{ *roomtest.World }

// newBooks returns a fixture whose host keeps books.
func newBooks(t *testing.T, newWorld roomtest.NewWorld) hostBooks {
	t.Helper()
	var w *roomtest.World
	write := func(ctx context.Context, tx core.HostTx, events []learning.Event) error {
		insert := "INSERT INTO host_books (event_id, purchase_id, amount) VALUES (?, ?, ?)"
		if strings.HasPrefix(w.Database, "postgres") {
			insert = "INSERT INTO host_books (event_id, purchase_id, amount) VALUES ($1, $2, $3)"
		}
		for _, e := range events {
			amount := int64(e.Data.Amount)
			switch e.Type {
			case "purchase.completed":
			case "purchase.refund_failed":
			case "purchase.refunded":
				amount = -amount
			default:
				continue
			}
			// The id of an event is the key, so that none is booked twice.
			_, err := store.SQL(tx).ExecContext(ctx, insert, e.ID, e.Data.PurchaseID, amount)
			if err != nil {
				return err
			}
		}
		return nil
	}
	w = newWorld(learningtest.WithPlatform(learning.WithInTransaction(write)))
	w.Exec(t, "CREATE TABLE host_books (event_id VARCHAR(40) NOT NULL PRIMARY KEY, "+
		"purchase_id VARCHAR(40), amount BIGINT)")
	t.Cleanup(func() { w.Exec(t, "DROP TABLE host_books") }) // the database is used again
	return hostBooks{w}
}

// wantSame checks that the books of the host have the revenue of each purchase. It is one
// statement, so that it holds at each commit, also while others write.
func (b hostBooks) wantSame(t *testing.T, after string) {
	t.Helper()
	n := b.Count(t, `purchases WHERE
		CASE WHEN completed_at IS NULL THEN 0 ELSE amount - refunded_amount END <>
		(SELECT COALESCE(SUM(host_books.amount), 0) FROM host_books
			WHERE host_books.purchase_id = purchases.id)`)
	if n != 0 {
		t.Errorf("after %s the books of the host differ for %d purchases", after, n)
	}
}

// step does something by chance with a refund, and returns what it was. Errors are of no interest:
// they depend on the order of the steps.
func (b hostBooks) step(t *testing.T, random *rand.Rand, sold purchase.Purchase,
	boss learning.Actor) string {
	t.Helper()
	made := b.RefundsAt(t, sold.PaymentID)
	amount := core.Money(1_00 + 1_00*random.IntN(4))
	if random.IntN(8) == 0 {
		amount = 0 // all that is left
	}
	kind := random.IntN(6)
	if len(made) == 0 {
		kind = random.IntN(3)
	}
	if kind == 0 && len(sold.Lines) > 0 && random.IntN(2) == 0 {
		line := sold.Lines[random.IntN(len(sold.Lines))]
		_ = b.RefundLines(boss, sold.ID, line.CourseID)
		return "a refund of " + line.CourseID
	}
	switch kind {
	case 0:
		_, _ = b.Refund(t, boss, sold.ID, amount)
		return fmt.Sprint("a refund of ", amount)
	case 1: // the answer is lost
		b.Till.Faults().Next(1+random.IntN(2), sandbox.Fault{Kind: sandbox.FaultDrop,
			On: b.Till.Operations().CreateRefund, After: random.IntN(2) == 0})
		_, _ = b.Refund(t, boss, sold.ID, amount)
		return fmt.Sprint("a refund of ", amount, " without an answer")
	case 2:
		_ = b.Till.Refund(sold.PaymentID, sandbox.WithAmount(int64(amount)))
		return fmt.Sprint("a refund of ", amount, " at the provider")
	case 3:
		r := made[random.IntN(len(made))]
		_ = b.Till.FailRefund(r.ID)
		return "the failure of " + r.ID
	case 4:
		r := made[random.IntN(len(made))]
		event := sandbox.RefundProcessed // late and repeated ones too
		if r.Status == "failed" && random.IntN(3) > 0 {
			event = sandbox.RefundFailed
		}
		_ = b.Tell(t, event, r)
		return event + " of " + r.ID
	default:
		b.Clock.Advance(time.Minute)
		_, _ = b.Platform.System().ReconcilePurchases(ctx())
		return "reconciliation"
	}
}

// A host that adds up the events has the revenue of the platform at each commit, whatever the order
// of refunds, failures, webhooks, answers and reconciliations is. Some have bought a bundle, whose
// lines are refunded too.
func TestRefundEvents_SumIsTheRevenueAtEachCommit(t *testing.T) {
	roomtest.AtTillsOnAllEngines(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		b := newBooks(t, newWorld)
		boss := b.Person(t, "boss", core.Admin)
		course := b.Course(t, "go", 10_00)
		both := b.BundleOf(t, 10_00, course, b.Course(t, "sql", 2_00))
		const buyers, steps = 6, 20
		failed := 0
		for buyer := range uint64(buyers) {
			random := rand.New(rand.NewPCG(buyer, 32))
			ada := b.Person(t, fmt.Sprint("ada-", buyer), core.Student)
			var sold purchase.Purchase
			if isBundle := buyer%3 > 0; isBundle {
				sold = b.PaysOrder(t, b.OrderBundle(t, ada, both.ID))
			} else {
				sold = b.Sold(t, ada, course)
			}
			b.Till.OnRefund(nil)
			if buyer%2 == 0 { // the webhook comes before the answer
				b.Till.OnRefund(func(r till.Refund) {
					_ = b.Tell(t, sandbox.RefundProcessed, r)
				})
			}
			var history []string
			for range steps {
				history = append(history, b.step(t, random, sold, boss))
				b.wantSame(t, strings.Join(history, ", "))
				if t.Failed() {
					return
				}
			}
			// The same report, from several sources at once.
			for _, r := range b.RefundsAt(t, sold.PaymentID) {
				roomtest.Concurrently(4, func(i int) error {
					event := sandbox.RefundProcessed
					if i%2 == 0 && r.Status == "failed" {
						event = sandbox.RefundFailed
					}
					err := b.Tell(t, event, r)
					b.wantSame(t, "a report of several at once")
					return err
				})
			}
			b.WantValidSales(t)
		}
		failed = b.Count(t, "host_books WHERE amount > 0 AND amount < 1000")
		if failed == 0 {
			t.Error("no refund has failed after it was counted")
		}
	})
}

// The event of a failed refund says which one it is, and what stands again.
func TestReceiveWebhook_CountedRefundFails_IsTold(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		r := &roomtest.Receiver{}
		w := newWorld(r.Option())
		ada, boss := w.Person(t, "ada", core.Student), w.Person(t, "boss", core.Admin)
		sold := w.Sold(t, ada, w.Course(t, "go", 49_99))
		if _, err := w.Refund(t, boss, sold.ID, 9_99); err != nil {
			t.Fatal(err)
		}
		made := w.FailRefund(t, w.RefundsAt(t, sold.PaymentID)[0])
		for range 2 {
			w.MustTell(t, sandbox.RefundFailed, made)
		}
		w.WantBooks(t, sold.ID, purchase.Completed, 0, 0)
		w.DeliverEvents(t, -1)
		var told []learning.Event
		for _, e := range r.Events() {
			if strings.HasPrefix(string(e.Type), "purchase.refund") {
				told = append(told, e)
			}
		}
		if len(told) != 2 || told[0].Type != "purchase.refunded" ||
			told[1].Type != "purchase.refund_failed" {
			t.Fatalf("the events are %+v", told)
		}
		for _, e := range told {
			if d := e.Data; d.Amount != 9_99 || d.PurchaseID != sold.ID || d.Currency != "INR" ||
				d.PaymentID != sold.PaymentID || d.RefundID == "" || d.RefundID != told[0].Data.RefundID ||
				e.Subject != "purchase:"+sold.ID {
				t.Errorf("%s: %+v", e.Type, d)
			}
		}
	})
}
