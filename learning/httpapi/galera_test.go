package httpapi_test

import (
	"testing"

	"github.com/openlectern/openlectern/internal/contracttest"
	"github.com/openlectern/openlectern/internal/enginetest"
)

// TestContract_Galera runs a success of each route that writes on a node of a cluster.
func TestContract_Galera(t *testing.T) {
	w := contracttest.NewFixture(t)
	runCases(t, ofCluster(contracttest.LoadCases(t)),
		w.On(w.ServerDatabases(t, enginetest.Cluster.URL)), false)
}
