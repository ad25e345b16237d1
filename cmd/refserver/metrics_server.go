package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// serveMetrics serves the metrics and the profiles on their own address, if it is set, until the
// caller calls stop.
func (p *program) serveMetrics(ctx context.Context) (stop func(), err error) {
	if p.metrics == nil {
		return func() {}, nil
	}
	// Listen at once, so that a taken port stops the start.
	listener, err := net.Listen("tcp", p.MetricsAddr)
	if err != nil {
		return nil, fmt.Errorf("%s (--metrics-addr): %w", variable("metrics-addr"), err)
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(p.metrics, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	// A metric that cannot be collected is left out, so that the others are still seen.
	page := promhttp.HandlerFor(registry,
		promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError})
	server := newServer(metricsHandler(page), p.log)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			p.log.Error("the metrics are not served any more", "error", err)
		}
	}()
	p.log.Log(ctx, p.levelOfListening(), "serving metrics", "at", listener.Addr().String())
	// Scrapes may be cut off, so this server does not drain.
	return func() {
		_ = server.Close()
		<-done
	}, nil
}

// metricsHandler serves metrics and profiles.
func metricsHandler(metrics http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", metrics)
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	// without the command line, because flags may contain secrets
	mux.HandleFunc("GET /debug/pprof/cmdline", http.NotFound)
	return mux
}
