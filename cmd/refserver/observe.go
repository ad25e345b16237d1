package main

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/openlectern/openlectern/cmd/refserver/tracing"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/metrics"
	"github.com/openlectern/openlectern/learning/store"
)

// stopTracingTime bounds the time to send the last spans.
const stopTracingTime = 3 * time.Second

// observers passes operations to several observers.
type observers []core.Observer

// Begin implements [core.Observer]. Operations end in the opposite order.
func (all observers) Begin(ctx context.Context,
	op core.Operation) (context.Context, func(core.Outcome)) {
	ends := make([]func(core.Outcome), len(all))
	for i, o := range all {
		ctx, ends[i] = o.Begin(ctx, op)
	}
	return ctx, func(out core.Outcome) {
		for i := len(ends) - 1; i >= 0; i-- {
			ends[i](out)
		}
	}
}

// observe starts the metrics and traces that are set. The caller must call stop. Without them
// p.observer stays nil, so that nothing is measured.
func (p *program) observe(ctx context.Context) (stop func(), err error) {
	stop = func() {}
	var all observers
	// Metrics, if they have an address.
	if p.MetricsAddr != "" {
		price, err := p.AI.price()
		if err != nil {
			return nil, err
		}
		p.metrics = metrics.New(version(), price)
		all = append(all, p.metrics)
	}
	// Traces, if the variables of OpenTelemetry name a collector.
	if tracing.IsConfigured(p.getenv) {
		if p.tracing, err = tracing.Start(ctx, version(), p.tracesNotSent); err != nil {
			return nil, err
		}
		all = append(all, p.tracing)
		// Lines of the log inside a span get its ids.
		p.log = slog.New(tracing.LogHandler(p.log.Handler()))
		stop = p.stopTracing
	}
	// A single observer is called directly.
	switch len(all) {
	case 0:
	case 1:
		p.observer = all[0]
	default:
		p.observer = all
	}
	return stop, nil
}

// tracesWarning is the shortest time between two warnings that traces were not sent. A busy server
// sends, and fails to send, many times a second.
const tracesWarning = 10 * time.Second

// failures counts failures between two warnings. It is safe for concurrent use.
type failures struct {
	mu     sync.Mutex
	count  int
	warned time.Time
}

// add counts a failure. It returns how many there were since the last warning, this one included,
// if the caller is to warn now, and 0 otherwise.
func (f *failures) add() (times int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count++
	if !f.warned.IsZero() && time.Since(f.warned) < tracesWarning {
		return 0
	}
	times = f.count
	f.count = 0
	f.warned = time.Now()
	return times
}

// tracesNotSent warns of an error of sending, but not more often than each tracesWarning.
func (p *program) tracesNotSent(err error) {
	if times := p.tracesFailed.add(); times > 0 {
		p.log.Warn("traces were not sent", "times", times, "error", err)
	}
}

// stopTracing sends the last spans, for at most stopTracingTime.
func (p *program) stopTracing() {
	ctx, cancel := context.WithTimeout(context.Background(), stopTracingTime)
	defer cancel()
	if err := p.tracing.Stop(ctx); err != nil {
		p.log.Warn("the last traces were not sent", "error", err)
	}
}

// watch adds the metrics of a database and of the events and leases in it, if metrics are set.
// Those of connections are left out if st is not a [store.Store] itself.
func (p *program) watch(st learning.Store, platform *learning.Platform) {
	if p.metrics == nil {
		return
	}
	if s, ok := st.(*store.Store); ok {
		p.metrics.WatchPools(s)
	}
	p.metrics.WatchBacklog(platform.System().Backlog)
}

// traced returns a handler that makes a span of each request, without those of load balancers.
func (p *program) traced(h http.Handler) http.Handler {
	if p.tracing == nil {
		return h
	}
	isProbe := func(r *http.Request) bool {
		return r.URL.Path == livePath || r.URL.Path == readyPath
	}
	return p.tracing.Middleware(h, p.isProxy, isProbe)
}

// isProxy reports whether a request comes from a trusted proxy.
func (s *Settings) isProxy(r *http.Request) bool {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return false
	}
	for _, network := range s.proxies() {
		if network.Contains(peer.Addr().Unmap()) {
			return true
		}
	}
	return false
}

// transport returns the transport of the clients of providers; nil for the default.
func (p *program) transport() http.RoundTripper { return p.traceTransport(nil) }

// traceTransport returns a transport that adds the trace to requests, if requests are traced,
// and base otherwise. A nil base is the default.
func (p *program) traceTransport(base http.RoundTripper) http.RoundTripper {
	if p.tracing == nil {
		return base
	}
	return p.tracing.Transport(cmp.Or(base, http.DefaultTransport))
}

// keyTransport returns the transport of the client that fetches the keys of the identity
// provider. It reports the requests to the observer, because package learning does not know of
// them. It is nil, for the default, if nothing is observed.
func (p *program) keyTransport() http.RoundTripper {
	if p.observer == nil {
		return nil
	}
	return observedTransport{p.observer, cmp.Or(p.transport(), http.DefaultTransport)}
}

// checkMetrics checks the address of the metrics and the price of the AI, which are both optional.
func (s *Settings) checkMetrics(p *problems) {
	if s.MetricsAddr != "" {
		// Metrics need an address that the server does not use. Port 0 is always free.
		_, port, err := net.SplitHostPort(s.MetricsAddr)
		switch {
		case err != nil || !isPort(port):
			p.add("metrics-addr", "is %q: it must be [host]:port, such as 127.0.0.1:9464",
				s.MetricsAddr)
		case port != "0" && overlap(s.MetricsAddr, s.Addr):
			p.add("metrics-addr", "is %q, which is the address of the server itself (%s is %q): "+
				"the metrics need another port, such as 127.0.0.1:9464", s.MetricsAddr,
				variable("addr"), s.Addr)
		}
	}
	if _, err := s.AI.price(); err != nil {
		p.add("ai-price", "is %q: %v", s.AI.Price, err)
	}
}

// overlap reports whether a program that listens on one of two addresses cannot listen on the
// other. localhost counts as 127.0.0.1; other names of hosts are compared as they are written.
func overlap(a, b string) bool {
	// Addresses that cannot be split are problems of their own, which the checks report.
	hostA, portA, _ := net.SplitHostPort(strings.Replace(a, "localhost:", "127.0.0.1:", 1))
	hostB, portB, _ := net.SplitHostPort(strings.Replace(b, "localhost:", "127.0.0.1:", 1))
	return portA == portB && (hostA == hostB || isEveryAddress(hostA) || isEveryAddress(hostB))
}

// isEveryAddress reports whether a host to listen on means all addresses of the machine.
func isEveryAddress(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "" || err == nil && ip.IsUnspecified()
}

// isPublic reports whether clients outside the networks of the operator may reach an address on
// which this machine listens. A name in place of an IP address counts as not public, because it is
// not looked up.
func isPublic(address string) bool {
	host, _, _ := net.SplitHostPort(address) // checkMetrics has validated it
	ip, err := netip.ParseAddr(host)
	return isEveryAddress(host) || err == nil && ip.IsGlobalUnicast() && !ip.IsPrivate()
}

// warnOfSettings warns of settings that work and that few operators want.
func (p *program) warnOfSettings() {
	if p.MetricsAddr != "" && isPublic(p.MetricsAddr) {
		p.log.Warn("the metrics and profiles need no password, and their address is public",
			"setting", variable("metrics-addr"), "address", p.MetricsAddr)
	}
	if !p.production() && p.trustsEverybody() { // in production checkProxies refuses it
		p.log.Warn(
			"every client is a trusted proxy, and can choose the address that rate limits count",
			"setting", variable("trusted-proxies"), "networks", p.TrustedProxies)
	}
}

// price returns the price of a million tokens; 0 without the setting. Its error says what the
// setting must be.
func (a AISettings) price() (metrics.Price, error) {
	var prices [2]float64
	// None or both.
	parts := list(a.Price)
	if len(parts) != 0 && len(parts) != len(prices) {
		return metrics.Price{}, errPrice
	}
	for i, part := range parts {
		var err error
		// The condition also refuses NaN.
		const tooMuch = 1e9 // surely a mistake
		if prices[i], err = strconv.ParseFloat(part, 64); err != nil ||
			!(prices[i] >= 0 && prices[i] < tooMuch) {
			return metrics.Price{}, errPrice
		}
	}
	return metrics.Price{Prompt: prices[0], Completion: prices[1]}, nil
}

var errPrice = errors.New("it must be the price of a million tokens read and, after a comma, of " +
	"a million written, such as 0.15,0.60")
