package main

import (
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
)

// TestGroupReplication_PurchasesWhileThePrimaryChanges runs two servers on a group of three MySQL
// servers, through switches that follow its primary. Then another node becomes the primary, or it
// fails.
func TestGroupReplication_PurchasesWhileThePrimaryChanges(t *testing.T) {
	nodes := enginetest.StartGroupReplication(t)
	first := nodes[0]
	for _, f := range []struct {
		name          string
		sells         seller
		lose, restore func()
	}{
		{"changed", atStripe, nodes[1].BecomePrimary, first.BecomePrimary},
		{"leaves", atGateway, first.LeaveGroup, first.JoinGroup},
		// the last, because a thawed node joins late
		{"frozen", atStripe, first.Freeze, first.Thaw},
	} {
		t.Run(f.name, func(t *testing.T) {
			loseFirst(t, f.sells, nodes, f.name, f.lose, f.restore)
		})
	}
}

// TestGroupReplication_PurchasesWhileThePrimaryIsKilled does the same on a group that removes a
// lost node sooner than by default.
func TestGroupReplication_PurchasesWhileThePrimaryIsKilled(t *testing.T) {
	nodes := enginetest.StartGroupReplication(t, "--loose-group-replication-member-expel-timeout=0")
	loseFirst(t, atStripe, nodes, "killed", nodes[0].Kill, nodes[0].JoinGroup)
}

// loseFirst makes the first node the primary and lets people buy while lose makes it lose this
// role. The checks follow the primary too, because a node applies changes some time later.
func loseFirst(t *testing.T, sells seller, nodes enginetest.Nodes, database string,
	lose, restore func()) {
	t.Helper()
	nodes[0].BecomePrimary()
	urls := nodes.URLs(database)
	followed := func() string { return enginetest.NewPrimarySwitch(t, urls...).URL }
	newClusterRace(t, sells, followed(), followed(), followed()).lose(t, lose, restore)
}
