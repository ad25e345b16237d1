package main

import (
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
)

// TestStandby_PurchasesWhileItIsPromoted runs two servers on a PostgreSQL with a synchronous
// standby. Then the primary fails, and the standby is promoted. The servers are not started again.
func TestStandby_PurchasesWhileItIsPromoted(t *testing.T) {
	for name, f := range map[string]struct {
		lose  func(primary *enginetest.Server)
		fence func(primary *enginetest.Server) // before it could continue
		sells seller
	}{
		"killed":  {(*enginetest.Server).Crash, func(*enginetest.Server) {}, atStripe},
		"frozen":  {(*enginetest.Server).Freeze, (*enginetest.Server).Crash, atStripe},
		"stopped": {(*enginetest.Server).Stop, func(*enginetest.Server) {}, atGateway},
	} {
		t.Run(name, func(t *testing.T) {
			pair := enginetest.StartPair(t)
			database := pair.URL(name)
			check := database + "&target_session_attrs=read-write"
			newClusterRace(t, f.sells, database, database, check).lose(t, func() {
				f.lose(pair.Primary)
				pair.Standby.Promote()
			}, func() { f.fence(pair.Primary) })
		})
	}
}
