package httpapi_test

import (
	"fmt"
	"testing"

	"github.com/openlectern/openlectern/internal/contracttest"
	"github.com/openlectern/openlectern/internal/enginetest"
)

// TestContract_GroupReplication runs a success of each route that writes on the primary of a group
// of MySQL servers, of which another node has been killed.
func TestContract_GroupReplication(t *testing.T) {
	nodes := enginetest.StartGroupReplication(t)
	nodes[2].Kill()
	nodes[0].AwaitMembers(2)
	databases := 0
	w := contracttest.NewFixture(t)
	database := func(testing.TB) string {
		databases++
		return nodes[0].URL(fmt.Sprintf("contract_%d", databases))
	}
	runCases(t, ofCluster(contracttest.LoadCases(t)),
		w.On(w.ServerDatabases(t, database)), false)
}
