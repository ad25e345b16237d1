package store

import (
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/storetest"
	"github.com/openlectern/openlectern/learning"
)

// TestConformance_BehindPgBouncer runs the suite with a pooler in transaction mode before the
// server, which gives each transaction another connection.
func TestConformance_BehindPgBouncer(t *testing.T) {
	enginetest.NeedPgBouncer(t)
	p := storePool{opens: func(testing.TB) *Store {
		return migrated(t, enginetest.PgBouncer(t, enginetest.PostgreSQL(t)))
	}}
	storetest.Run(t, func(tb testing.TB) learning.Store { return p.take(tb) })
}
