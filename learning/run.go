package learning

import (
	"context"
	"sync"
	"time"

	"github.com/openlectern/openlectern/internal/schedule"
	"github.com/openlectern/openlectern/learning/core"
)

// The intervals of [Platform.Run], unless options set others.
const (
	DefaultReconcileEvery = 5 * time.Minute
	DefaultTidyEvery      = 5 * time.Minute
)

// Run does all the work that is not the answer to a request, until ctx is done: it delivers events,
// completes purchases whose webhook was lost, numbers receipts, removes leftovers and compares
// totals. When ctx is done, streams of notifications end. Run returns when all of it has stopped,
// and the store may be closed then. Failures are logged and what failed is tried again.
//
// Every process that serves a platform should call Run, once, beside its HTTP server. Processes on
// one database share the work, so that each piece is done by one of them at a time. Package httpapi
// warns if a platform is served without it. A host that does the work in another way, such as by
// the jobs of its cluster, calls the methods of [System] that Run consists of: [System.RunEvents],
// [System.RunReconciliation], [System.RunNumbering], [System.RunTidying] and [System.RunTotals], or
// [System.DeliverEvents], [System.ReconcilePurchases], [System.NumberPapers], [System.Tidy] and
// [System.RecountTotals], which do it once.
func (p *Platform) Run(ctx context.Context) {
	p.isRun.Store(true)
	// Streams of notifications end at once when the process is to stop: a server that waits for its
	// requests would wait for them.
	p.Inbox.ForRooms().BeginStreams()
	defer context.AfterFunc(ctx, p.Inbox.ForRooms().EndStreams)()
	works := []core.Work{p.base.Events.Maintenance(), p.recounting()}
	if p.tidyEvery > 0 {
		works = append(works, p.System().tidying(p.tidyEvery))
	}
	for _, room := range p.rooms {
		works = append(works, room.Works()...)
	}
	var delivering sync.WaitGroup
	defer delivering.Wait()
	delivering.Go(func() { p.base.Events.RunDeliveries(ctx) })
	schedule.Loop(ctx, works...)
}

// IsRun reports whether this process does the work of [Platform.Run], or has done a part of it: a
// method of [System] that Run names was called.
func (p *Platform) IsRun() bool { return p.isRun.Load() }
