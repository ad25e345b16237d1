package learning_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning"
)

func TestReconcile_DeletesLeasesThatExpiredADayAgo(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		insert := func(name string, expired time.Duration) {
			t.Helper()
			err := w.Store.InTx(ctx(), func(tx learning.Tx) error {
				return tx.InsertLease(ctx(), learning.Lease{Name: name, Holder: "died", ExpiresAt: w.Clock.Now().Add(-expired)})
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		for i := range 201 { // more than two transactions delete
			insert(fmt.Sprint("old-", i), day+time.Duration(i+1)*time.Microsecond)
		}
		insert("a day ago", day)
		insert("running", -time.Minute)
		if _, err := w.Platform.System().ReconcilePurchases(ctx()); err != nil {
			t.Fatal(err)
		}
		var left []string
		for _, name := range []string{"a day ago", "old-0", "old-200", "running"} {
			if w.count(t, "leases WHERE name = ?", name) == 1 {
				left = append(left, name)
			}
		}
		if diff := cmp.Diff([]string{"a day ago", "running"}, left); diff != "" || w.count(t, "leases") != 2 {
			t.Errorf("%d leases are left: %s", w.count(t, "leases"), diff)
		}
	})
}
