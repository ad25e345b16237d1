package store

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/storetest"
	"github.com/openlectern/openlectern/learning"
)

func TestGalera_Conformance(t *testing.T) {
	open := func(testing.TB) *Store { return migrated(t, enginetest.Cluster.Reused(t)) }
	p := storePool{opens: open, idle: []*Store{open(t)}} // here, where it may skip the test
	storetest.Run(t, func(tb testing.TB) learning.Store { return p.take(tb) })
}

// acrossNodes is a store that runs each transaction on the next node of a cluster, and reads from
// the first one.
type acrossNodes struct {
	*Store
	nodes []*Store
	next  *atomic.Uint64
}

func (s acrossNodes) InTx(ctx context.Context, fn func(tx learning.Tx) error) error {
	return s.nodes[s.next.Add(1)%uint64(len(s.nodes))].InTx(ctx, fn)
}

// SpansNodes tells the suite that transactions do not wait for each other.
func (s acrossNodes) SpansNodes() bool { return true }

// TestGalera_ConformanceAcrossNodes runs the suite on all nodes at the same time, which answer as
// one server does if they wait for the changes of the others before each statement.
func TestGalera_ConformanceAcrossNodes(t *testing.T) {
	for _, url := range enginetest.Galera(t) {
		setSyncWait(t, opened(t, url), "7")
	}
	storetest.Run(t, func(tb testing.TB) learning.Store {
		s := acrossNodes{next: new(atomic.Uint64)}
		for _, url := range enginetest.ReusedGalera(tb) {
			s.nodes = append(s.nodes, opened(tb, url))
		}
		s.Store = s.nodes[0]
		if err := s.Migrate(tb.Context()); err != nil {
			tb.Fatal(err)
		}
		return s
	})
}

// setSyncWait sets for which statements new connections to a node wait until the node has all
// changes of the others: the sum of 1 for reads, 2 for UPDATE and DELETE, and 4 for INSERT.
func setSyncWait(t *testing.T, s *Store, value string) {
	t.Helper()
	set := func(value string) {
		if _, err := s.db.Reader().Exec("SET GLOBAL wsrep_sync_wait = " + value); err != nil {
			t.Error(err)
		}
	}
	set(value)
	t.Cleanup(func() { set("0") })
}
