package learning_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/purchase"
)

// A host that calls nothing but Run loses no payment, no event and no space.
func TestRun_DoesAllScheduledWorkAndStops(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		const every = 10 * time.Millisecond
		var receiver roomtest.Receiver
		w := roomtest.New(t, database, learningtest.WithPlatform(
			learning.WithReconcileEvery(every), learning.WithTidyEvery(every),
			learning.WithMedia(&roomtest.MemoryMedia{}), learning.WithEvents("books", &receiver)))
		if w.Platform.IsRun() {
			t.Error("is run before Run")
		}

		// A payment of which no webhook has told, and a file that nothing uses.
		ada := w.Person(t, "ada", core.Student)
		w.Pay(t, w.Order(t, ada, w.Course(t, "go", 10_00)).OrderID)
		w.InsertTx(t, func(tx learning.Tx) error {
			return tx.InsertUnusedFile(ctx(), "a.png", w.Clock.Now())
		})
		w.Clock.Advance(time.Hour)

		running, stop := context.WithCancel(ctx())
		var run sync.WaitGroup
		run.Go(func() { w.Platform.Run(running) })
		defer run.Wait()
		defer stop()
		roomtest.Await(t, "the student", func() bool { return w.Count(t, "enrollments") == 1 })
		roomtest.Await(t, "the event", func() bool {
			return slices.ContainsFunc(receiver.Events(), func(e core.Event) bool {
				return e.Type == purchase.EventCompleted
			})
		})
		roomtest.Await(t, "the file to be deleted", func() bool {
			return w.Count(t, "unused_files") == 0
		})
		if !w.Platform.IsRun() {
			t.Error("is not run")
		}
	})
}
