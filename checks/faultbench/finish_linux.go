package faultbench

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/openlectern/openlectern/internal/till"
)

// finish lets a day pass: late webhooks come, failed deliveries of events are repeated, leases of
// killed servers expire, the gateway decides about refunds, and reconciliation asks the gateway
// about what was never reported.
func (b *bench) finish(ctx context.Context) {
	b.tb.Helper()
	ctx, cancel := context.WithTimeout(ctx, awaitTime)
	defer cancel()
	// This comes before the clocks move, because signatures of the identity provider are valid for
	// five minutes.
	b.deliver(ctx)
	// Move the clocks, so that leases expire and what waits is due.
	for _, s := range b.servers {
		b.must(s.moveClock(day))
	}
	for _, at := range till.All(b.box) {
		at.Faults().Clear()
	}
	// The gateway works again. It decides refunds and reports what is late.
	b.decideRefunds()
	b.bringLate(ctx)
	// Reconcile, with all refunds since before the clocks moved, because some were never reported.
	// Once more, as servers do it by themselves: that must find nothing.
	b.reconcile("--refunds-of=72h")
	b.bringLate(ctx) // of refunds that were requested again
	if out := b.reconcile(); !strings.Contains(out, "0 purchases completed") ||
		strings.Contains(out, "refunds") {
		b.journal.problem("there was something to reconcile twice: %s", out)
	}
	// Wait until nothing is left to do.
	b.await(ctx, "events that are not delivered", "event_deliveries WHERE status <> 'delivered'")
	// The leases of scheduled work stay until it is due again.
	b.await(ctx, "leases", "leases WHERE name NOT LIKE 'schedule:%'")
	// Decide the applications whose outcome is unknown.
	b.reviewAgain(ctx)
	b.await(ctx, "files that are to be removed", "unused_files")
	b.checkRevenue(ctx)
}

// deliver waits until all webhooks are delivered except for those that are late by a day. If ctx is
// done before, that is a problem of the run.
func (b *bench) deliver(ctx context.Context) {
	if err := b.box.Wait(ctx); err != nil {
		b.journal.problem("webhooks: %v", err)
	}
	b.postman.wait(ctx)
}

// bringLate delivers the webhooks that are late by a day, and waits until all are delivered.
func (b *bench) bringLate(ctx context.Context) {
	b.deliver(ctx)
	b.postman.bringLate()
	b.postman.wait(ctx)
}

// decideRefunds lets the gateway process all refunds that are pending there.
func (b *bench) decideRefunds() {
	b.tb.Helper()
	const fail = false
	b.must(captured(b.box, func(at till.Till, p till.Payment) {
		b.must(decideRefunds(at, p.ID, fail))
	}))
}

// orders returns how many orders each provider has.
func (b *bench) orders() string {
	return fmt.Sprintf("%d and, at Stripe, %d", len(b.box.Gateway().Orders()),
		len(b.box.Stripe().Intents()))
}

// refunds returns the number of refunds at the providers.
func (b *bench) refunds() (n int) {
	b.tb.Helper()
	b.must(captured(b.box, func(_ till.Till, p till.Payment) { n += len(p.Refunds) }))
	return n
}

// reconcile runs the server's command reconcile once, and returns what that prints. A command that
// fails is a problem of the run.
func (b *bench) reconcile(flags ...string) string {
	b.tb.Helper()
	out, err := b.servers[0].run(append([]string{"reconcile"}, flags...)...)
	b.tb.Logf("reconcile: %s", strings.ReplaceAll(strings.TrimSpace(out), "\n", "; "))
	if err != nil {
		b.journal.problem("reconcile printed %q: %v", out, err)
	}
	return out
}

// checkRevenue checks that admins read the revenue that the providers have, in each currency: what
// was paid less what was refunded.
func (b *bench) checkRevenue(ctx context.Context) {
	b.tb.Helper()
	// Add up what the providers have.
	want := map[string]int64{}
	b.must(captured(b.box, func(_ till.Till, p till.Payment) {
		want[p.Currency] += p.Amount - p.Refunded
	}))
	// Compare it with what an admin reads. The answer is in units of the currency.
	var answer struct {
		Stats struct {
			RevenueByCurrency []struct {
				Currency string
				Amount   float64
			}
		}
	}
	boss := newVisitor(b, 200).staff() // the number of no other visitor
	if boss.call(ctx, "admin.stats", areaPlain, http.MethodGet, "/api/admin/stats", nil, &answer) !=
		http.StatusOK {
		b.journal.problem("admins do not get the revenue: %s", boss.refusal)
	}
	const rounding = 0.5 // int64 cuts off the fraction
	got := map[string]int64{}
	for _, r := range answer.Stats.RevenueByCurrency {
		got[r.Currency] = int64(r.Amount*100 + rounding)
	}
	for currency, amount := range want {
		if got[currency] != amount {
			b.journal.problem("the revenue is %d %s, and the provider has %d", got[currency],
				currency, amount)
		}
	}
}
