package learning_test

import (
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
)

// BenchmarkCompletePurchaseOnClusters measures what a cluster costs: the proofs of payments of 1000
// courses by eight clients, on one server and on the server of a cluster that takes the writes. All
// servers share the processors.
func BenchmarkCompletePurchaseOnClusters(b *testing.B) {
	for _, kind := range []struct {
		name string
		url  func(b *testing.B) string
	}{
		{"MySQL", func(b *testing.B) string { return enginetest.MySQL(b) }},
		{"GroupReplication", func(b *testing.B) string {
			return enginetest.StartGroupReplication(b)[0].URL("shop")
		}},
		{"PostgreSQL", func(b *testing.B) string { return enginetest.PostgreSQL(b) }},
		{"Standby", func(b *testing.B) string {
			return enginetest.StartPair(b).Primary.URL("shop")
		}},
		{"MariaDB", func(b *testing.B) string { return enginetest.MariaDB(b) }},
		{"Galera", func(b *testing.B) string { return enginetest.Cluster.URL(b) }},
	} {
		b.Run(kind.name, func(b *testing.B) {
			s := newShop(b, kind.url(b))
			const courses, clients = 1000, 8
			s.compare(b, courses, clients, s.verify)
		})
	}
}
