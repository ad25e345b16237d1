package learning_test

import (
	"errors"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning/core"
)

// A refund is pending at the gateway. Each read of it fails once: it is not decided by that.
func TestReconcile_FailedReadIsNotADecidedRefund(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		store := &roomtest.FaultyStore{}
		w := newWorld(roomtest.WithFaultyStore(store))
		ada, boss := w.Person(t, "ada", core.Student), w.Person(t, "boss", core.Admin)
		sold := w.Sold(t, ada, w.Course(t, "go", 10_00))
		w.Till.DelayRefund()
		if _, err := w.Refund(t, boss, sold.ID, 0); err != nil {
			t.Fatal(err)
		}
		w.Clock.Advance(time.Minute)
		reads := 0
		for {
			store.Arm(reads+1, "read a refund")
			found, err := w.Platform.System().ReconcilePurchases(ctx())
			if store.Disarm() == "" {
				break
			}
			reads++
			if !errors.Is(err, roomtest.ErrInjected) || found.CheckedRefunds != 1 ||
				found.DecidedRefunds != 0 {
				t.Errorf("read %d fails: %+v, %v", reads, found, err)
			}
		}
		if reads == 0 {
			t.Error("nothing reads the refund")
		}
		w.ReconcileRefunds(t, 1, 0)
	})
}
