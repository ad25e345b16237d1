package faultbench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/backoff"
)

const (
	visitors  = 8
	awaitTime = 3 * time.Minute // for everything that must happen after the faults
	// how far the clocks of the servers are moved at the end; leases are kept for a day
	day = 26 * time.Hour
)

// Torture runs a time of faults on an engine ("sqlite", "mariadb", "postgres", "galera") and checks
// the books. The seed decides the faults. It fails the test for every difference, and logs what
// happened.
func Torture(tb testing.TB, engineName string, seed uint64, total time.Duration) {
	tb.Helper()
	tb.Logf("engine %s, seed %d, time %v", engineName, seed, total)
	// Start everything, with what visitors find.
	b := newBench(tb, engineName, seed)
	ctx := tb.Context()
	b.openSchool(ctx)
	// Visitors come while faults are injected.
	schedule := NewSchedule(seed, total, b.place())
	fresh := b.usages(ctx)
	b.journal.start = time.Now() // from which the times of the schedule count
	b.visit(ctx, func() {
		b.inject(ctx, schedule)
		_ = backoff.Sleep(ctx, time.Until(b.journal.start.Add(total)))
	})
	// Without faults: visitors again, a day that passes, and the comparison of resources.
	before := b.usages(ctx)
	b.visitAgain(ctx)
	b.finish(ctx)
	after := b.usages(ctx)
	b.checkLeftovers(fresh, before, after)
	b.checkIncoming(ctx)
	// Stop the servers in order, and check the books.
	for _, s := range b.servers {
		s.stop()
	}
	l := &ledger{db: b.db, box: b.box, claims: b.claims, receiver: b.receiver, files: b.files}
	differences, err := l.books(ctx)
	b.must(err)
	b.report(schedule, append(b.journal.findings(), differences...), after)
}

// visit lets visitors come while a function runs, and waits until their visits have ended. If they
// do not end in time, because the servers do not recover, it ends them.
func (b *bench) visit(ctx context.Context, while func()) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	until, stop := context.WithCancel(ctx)
	var all sync.WaitGroup
	// until ends new visits, ctx ends those that run.
	for i := range visitors {
		v := newVisitor(b, i+1)
		all.Go(func() { v.run(until, ctx) })
	}
	while()
	stop()
	// Visits that hang are a problem, and must not hang the bench.
	timer := time.AfterFunc(awaitTime, func() {
		b.journal.problem("the visits did not end in %v", awaitTime)
		cancel()
	})
	defer timer.Stop()
	all.Wait()
}

// visitAgain lets new visitors come after the grace of the last fault, while Redis fails: no
// request may fail.
func (b *bench) visitAgain(ctx context.Context) {
	_ = backoff.Sleep(ctx, grace)
	ctx, cancel := context.WithTimeout(ctx, awaitTime)
	defer cancel()
	until, stop := context.WithCancel(ctx)
	var all sync.WaitGroup
	// Each visitor comes at least once.
	for i := range visitors {
		v := newVisitor(b, 100+i) // the numbers of visit are below 100
		all.Go(func() {
			v.visit(ctx)
			v.run(until, ctx)
		})
	}
	b.tryRedis(ctx)
	stop()
	all.Wait()
}

// await waits until there are no rows in from, which is what follows FROM in a query. If ctx is
// done before, it records a problem, which calls the rows what.
func (b *bench) await(ctx context.Context, what, from string) {
	n := -1 // stays if the first query fails, so that it is tried again
	for n != 0 {
		err := b.db.QueryRowContext(ctx, "SELECT COUNT(*) FROM "+from).Scan(&n)
		if backoff.Sleep(ctx, pollTime) != nil {
			b.journal.problem("there are %d %s after %v: %v", n, what, awaitTime, err)
			return
		}
	}
}

// usages returns what each server uses.
func (b *bench) usages(ctx context.Context) (all []usage) {
	for _, s := range b.servers {
		all = append(all, s.usage(ctx))
	}
	return all
}

// What a server may use at the end that is not a leak.
const (
	moreFiles      = 80  // than a fresh server: connections of the pools
	moreGoroutines = 150 // than a fresh server: of these connections
	moreMemory     = 60  // megabytes more than when the faults ended
	maxMemory      = 200 // megabytes
)

// checkLeftovers compares what the servers use at the end with a fresh server and with the end of
// the faults.
func (b *bench) checkLeftovers(fresh, before, after []usage) {
	for i, u := range after {
		if u.Files > fresh[i].Files+moreFiles || u.Goroutines > fresh[i].Goroutines+moreGoroutines {
			b.journal.problem("server %d used %+v when it was fresh, and %+v at the end", i,
				fresh[i], u)
		}
		if u.Memory > before[i].Memory+moreMemory || u.Peak > maxMemory {
			b.journal.problem("server %d used %+v when the faults ended, and %+v at the end", i,
				before[i], u)
		}
	}
}

// checkIncoming checks that a start removes the incoming files that killed servers have left. It
// makes them old first. With a bucket there is no folder of incoming files, and nothing to check.
func (b *bench) checkIncoming(ctx context.Context) {
	b.tb.Helper()
	incoming := filepath.Join(b.mediaFolder(), ".incoming", "*")
	left, _ := filepath.Glob(incoming) // fails for a malformed pattern only
	if len(left) == 0 {
		return
	}
	// The start removes only files that no upload can still write to.
	old := time.Now().Add(-day)
	for _, file := range left {
		b.must(os.Chtimes(file, old, old))
	}
	b.servers[0].stop()
	b.must(b.servers[0].start(ctx))
	if left, _ = filepath.Glob(incoming); len(left) > 0 {
		b.journal.problem("a start did not remove the incoming files %v", left)
	}
}

// report logs what happened, and fails the test if there are findings.
func (b *bench) report(schedule Schedule, findings []string, after []usage) {
	b.tb.Helper()
	var out strings.Builder
	for _, f := range schedule.All() {
		fmt.Fprintln(&out, f)
	}
	requests, failed := b.journal.total()
	events, arrivals := b.receiver.total()
	b.tb.Logf(
		"faults:\n%sanswers by route and status (0: none):\n%s%d requests, %d of them failed; %s "+
			"orders, %d refunds; webhooks: %v; %d events arrived %d times; servers at the end: %+v",
		&out, b.journal.summary(), requests, failed, b.orders(), b.refunds(),
		b.postman.counts, events, arrivals, after)
	for _, finding := range findings {
		b.tb.Error(finding)
	}
	if len(findings) > 0 {
		b.tb.Errorf("seed %d found %d problems; to repeat the same faults, set SEED=%d", b.seed,
			len(findings), b.seed)
	}
}
