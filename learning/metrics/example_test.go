package metrics_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"path/filepath"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/metrics"
	"github.com/openlectern/openlectern/learning/store"
	"github.com/openlectern/openlectern/learning/store/sqlite"
)

// A host registers the metrics of the platform beside its own.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	registry := prometheus.NewRegistry() // or prometheus.DefaultRegisterer
	http.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))

	// The store and the platform tell the metrics of their operations.
	m := metrics.New("v1.2.3", metrics.Price{Prompt: 0.15, Completion: 0.60})
	registry.MustRegister(m)
	st, err := sqlite.Open(ctx, "sqlite:"+filepath.Join(dir, "learning.db"),
		store.WithObserver(m))
	if err != nil {
		log.Fatal(err)
	}
	defer st.Close()
	if err := st.Migrate(ctx); err != nil {
		log.Fatal(err)
	}
	platform, err := learning.New(st, learning.WithObserver(m))
	if err != nil {
		log.Fatal(err)
	}

	// What is counted when the metrics are read.
	m.WatchPools(st)
	m.WatchBacklog(platform.System().Backlog)

	families, err := registry.Gather()
	for _, f := range families {
		if f.GetName() == "lectern_backlog_up" {
			fmt.Println(f.GetName(), f.GetMetric()[0].GetGauge().GetValue(), err)
		}
	}
	// Output: lectern_backlog_up 1 <nil>
}
