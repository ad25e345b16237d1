package main

import (
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
)

// TestGalera_PurchasesWhileANodeFails runs a server on each of two nodes. A switch leads the first
// server to the first node, and another one the second server to the second node. Then the first
// node fails, and comes back. All checks read from the second node.
func TestGalera_PurchasesWhileANodeFails(t *testing.T) {
	nodes := enginetest.StartGalera(t, "")
	lost := nodes[0]
	urls := map[string][]string{} // of databases that are created while all nodes are well
	for _, name := range []string{"killed", "frozen", "isolated"} {
		urls[name] = nodes.URLs(name)
	}
	for _, f := range []struct {
		name          string
		sells         seller
		lose, restore func()
	}{
		{"killed", atGateway, lost.Kill, lost.Start},
		{"frozen", atStripe, lost.Freeze, func() { lost.Thaw(); lost.Rejoin() }},
		{"isolated", atStripe, lost.Isolate, lost.Rejoin},
	} {
		t.Run(f.name, func(t *testing.T) {
			first, second, third := urls[f.name][0], urls[f.name][1], urls[f.name][2]
			r := newClusterRace(t, f.sells, enginetest.NewNodeSwitch(t, first, second, third).URL,
				enginetest.NewNodeSwitch(t, second, third, first).URL, second)
			r.lose(t, f.lose, f.restore)
		})
	}
}
