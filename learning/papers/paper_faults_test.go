package papers_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// The database fails at each step of a numbering, also so that only the answer to COMMIT is lost.
// The next run numbers what is left, without a gap, and asks for no tax that is stored.
func TestNumberPapers_FailsAtEachStep(t *testing.T) {
	roomtest.AtTillsRepeatedly(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		faults := &roomtest.FaultyStore{}
		port := &taxes{}
		w := newWorld(roomtest.WithFaultyStore(faults),
			learningtest.WithPlatform(learning.WithReceipts(plain{}), learning.WithTax(port)))
		ada, boss := w.Person(t, "ada", core.Student), w.Person(t, "boss", core.Admin)
		for step := 1; ; step++ {
			sold := w.Sold(t, ada, w.Course(t, fmt.Sprint("course", step), 100_00))
			_, err := w.Refund(t, boss, sold.ID, 40_00)
			roomtest.Must(t, err)
			before := port.calls.Load()

			faults.FailAt(step)
			done, err := w.Platform.System().NumberPapers(ctx())
			failed := faults.Disarm()
			if failed == "" {
				if err != nil || done.Numbered != 2 {
					t.Errorf("without a fault: %+v, %v", done, err)
				}
				if step < 10 {
					t.Errorf("only %d steps", step)
				}
				return
			}
			w.Clock.Advance(time.Minute) // a tax that could not be stored is asked for again
			if _, err := w.Platform.System().NumberPapers(ctx()); err != nil {
				t.Errorf("after a fault at %s: %v", failed, err)
			}
			w.WantValidSales(t)
			if step > 100 {
				t.Fatal("papers are left, so that the steps do not end")
			}
			if n := w.Count(t, "papers WHERE numbered_at IS NULL"); n != 0 {
				t.Errorf("after a fault at %s: %d papers wait", failed, n)
			}
			if calls := port.calls.Load() - before; calls > 2 {
				t.Errorf("after a fault at %s the tax was asked for %d times", failed, calls)
			}
			if _, err := w.Platform.Papers.Receipt(ctx(), ada, sold.ID); err != nil {
				t.Errorf("after a fault at %s: %v", failed, err)
			}
		}
	})
}
