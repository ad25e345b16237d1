package main

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning/sandbox"
)

var servingMetrics = regexp.MustCompile(`"serving metrics",.*"at":"([^"]+)"`)

// metricsURL finds the address of the metrics in the log.
func (s *server) metricsURL(t *testing.T) string {
	t.Helper()
	found := servingMetrics.FindStringSubmatch(s.stderr.String())
	if found == nil {
		t.Fatalf("no metrics are served:\n%s", s.stderr.String())
	}
	return "http://" + found[1]
}

func TestMetrics_CountWhatTheServerDoes(t *testing.T) {
	t.Parallel()
	dir, box := shop(t), providers(t)
	env := configured(box, dir)
	env["LEARNING_METRICS_ADDR"] = "127.0.0.1:0"
	s := serve(t, env)
	token := join(t, box, s.url, sandbox.User{ID: "user_1"})
	if status := <-buy(t, s.url, token); status != http.StatusOK {
		t.Fatalf("the purchase is answered with %d", status)
	}
	_, _ = read(t, s.url+"/no/such/path/user_1")
	var metrics string
	await(t, "the requests to be counted", func() bool {
		_, metrics = read(t, s.metricsURL(t)+"/metrics")
		return strings.Contains(metrics, `{method="GET",route="none",status="404"} 1`)
	})
	for _, want := range []string{
		`lectern_http_requests_total{method="POST",route="purchase.create",status="200"} 1`,
		`lectern_http_requests_total{method="POST",route="identity.webhook",status="200"} 1`,
		`lectern_provider_calls_total{call="gateway.create_order",outcome="ok"} 1`,
		`lectern_provider_calls_total{call="identity.keys",outcome="ok"} 1`,
		`lectern_rate_limit_requests_total{limit="payment",outcome="allowed"} 1`,
		`lectern_lease_changes_total{change="taken",lease="order"} 1`,
		`lectern_database_transactions_total{outcome="ok"} `,
		`lectern_database_reads_total{outcome="ok",read="read `,
		`lectern_database_connections{pool="writing",state="idle"} `,
		`lectern_leases_held `, `lectern_backlog_up 1`, `lectern_build_info{`, `go_goroutines `,
		`process_open_fds `,
	} {
		if !strings.Contains(metrics, "\n"+want) {
			t.Errorf("the metrics do not have %s", want)
		}
	}
	if strings.Contains(metrics, "user_1") || strings.Contains(metrics, "/api/") {
		t.Error("the metrics have an id or a path")
	}
}

// While Redis is away no request fails, so only this metric shows that instances do not share their
// rate limits.
func TestMetrics_RedisAway_RateLimitsAreNotShared(t *testing.T) {
	t.Parallel()
	redis := enginetest.StartRedis(t)
	dir, box := shop(t), providers(t)
	env := configured(box, dir)
	env["LEARNING_METRICS_ADDR"], env["LEARNING_REDIS_URL"] = "127.0.0.1:0",
		redis.URL()+"?timeout=1m"
	s := serve(t, env)
	token := join(t, box, s.url, sandbox.User{ID: "user_1"})
	want := func(value string) {
		t.Helper()
		await(t, "rate limits shared: "+value, func() bool {
			_, metrics := read(t, s.metricsURL(t)+"/metrics")
			return strings.Contains(metrics, "\nlectern_rate_limits_shared "+value+"\n")
		})
	}
	want("1")
	redis.Kill()
	if status := <-buy(t, s.url, token); status != http.StatusOK {
		t.Errorf("without Redis a purchase is answered with %d", status)
	}
	want("0")
	redis.Start()
	want("1")
}

func TestMetrics_OnTheirOwnAddressOnly(t *testing.T) {
	t.Parallel()
	env := configured(providers(t), shop(t))
	env["LEARNING_METRICS_ADDR"] = "127.0.0.1:0"
	s := serve(t, env)
	for path, want := range map[string]int{
		"/metrics": http.StatusOK, "/debug/pprof/": http.StatusOK,
		"/debug/pprof/goroutine?debug=1": http.StatusOK, "/debug/pprof/heap": http.StatusOK,
		"/debug/pprof/cmdline": http.StatusNotFound, // flags may contain secrets
		"/api/course/all":      http.StatusNotFound,
	} {
		if status, _ := read(t, s.metricsURL(t)+path); status != want {
			t.Errorf("%s on the address of the metrics: %d, want %d", path, status, want)
		}
		if status, _ := read(t, s.url+path); status != http.StatusNotFound &&
			path != "/api/course/all" {
			t.Errorf("%s on the address of the API: %d", path, status)
		}
	}
	if code := s.stop(t); code != 0 {
		t.Errorf("the server ended with %d", code)
	}
}

func TestMetrics_AddressInUse_ServerDoesNotStart(t *testing.T) {
	t.Parallel()
	env := configured(providers(t), shop(t))
	env["LEARNING_METRICS_ADDR"] = "127.0.0.1:0"
	s := serve(t, env)
	taken := strings.TrimPrefix(s.metricsURL(t), "http://")
	other := configured(providers(t), shop(t))
	other["LEARNING_METRICS_ADDR"] = taken
	var stderr transcript
	if code := run(t.Context(), nil, other, io.Discard, &stderr); code != 1 ||
		!strings.Contains(stderr.String(), "LEARNING_METRICS_ADDR (--metrics-addr)") {
		t.Errorf("code %d:\n%s", code, stderr.String())
	}
}
