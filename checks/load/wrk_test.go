//go:build linux

package load

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// wrkClients is the number of connections of wrk.
const wrkClients = "32"

// wrkRounds is how often each side is measured; the results are medians.
const wrkRounds = 5

// wrkSeconds returns for how long a round measures one side: BENCH_SECONDS, or 3.
func wrkSeconds(b *testing.B) int {
	b.Helper()
	text := os.Getenv("BENCH_SECONDS")
	if text == "" {
		return 3
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		b.Fatalf("BENCH_SECONDS is %q", text)
	}
	return n
}

// target is a running server, and the request that wrk sends it.
type target struct {
	url     string
	headers []string // Name: value
	pid     int
	during  func() (stop func()) // what happens while it is measured; nil for nothing
	metrics string               // the address of its profiles; "" for none
}

// measured is the result of one round of one side.
type measured struct {
	rate float64       // answers a second
	p99  float64       // milliseconds
	cpu  time.Duration // of the server for one answer
}

// with returns a target with another path and headers.
func (s target) with(path string, headers ...string) target {
	s.url += path
	s.headers = headers
	return s
}

// body sends the request once and returns the answer, which must be a 200.
func (s target) body(b *testing.B) ([]byte, http.Header) {
	b.Helper()
	r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, s.url, nil)
	if err != nil {
		b.Fatal(err)
	}
	for _, h := range s.headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	res, err := (&http.Transport{DisableCompression: true, DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		b.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		b.Fatalf("%s: status %d, %v: %.300s", s.url, res.StatusCode, err, body)
	}
	return body, res.Header
}

var (
	wrkRate   = regexp.MustCompile(`Requests/sec:\s+([\d.]+)`)
	wrkP99    = regexp.MustCompile(`99%\s+([\d.]+)(us|ms|s)`)
	wrkErrors = regexp.MustCompile(`Non-2xx[^\n]*|Socket errors[^\n]*`)
)

// load runs wrk.
func (s target) load(b *testing.B) measured {
	b.Helper()
	if s.during != nil {
		defer s.during()()
	}
	args := []string{"-t1", "-c" + wrkClients, "-d" + strconv.Itoa(wrkSeconds(b)) + "s",
		"--latency", "--timeout", "10s"} // a slow answer is measured, and no error
	for _, h := range s.headers {
		args = append(args, "-H", h)
	}
	before := s.processorTime(b)
	text, err := exec.CommandContext(b.Context(), "wrk", append(args, s.url)...).CombinedOutput()
	used := s.processorTime(b) - before
	rate, p99 := wrkRate.FindSubmatch(text), wrkP99.FindSubmatch(text)
	if err != nil || rate == nil || p99 == nil || wrkErrors.Match(text) {
		b.Fatalf("wrk: %v\n%s", err, text)
	}
	m := measured{rate: number(b, rate[1]),
		p99: number(b, p99[1]) *
			map[string]float64{"us": 0.001, "ms": 1, "s": 1000}[string(p99[2])]}
	if m.rate == 0 {
		b.Fatalf("%s: no answer in %d seconds", s.url, wrkSeconds(b))
	}
	m.cpu = time.Duration(float64(used) / (m.rate * float64(wrkSeconds(b))))
	return m
}

func number(b *testing.B, text []byte) float64 {
	b.Helper()
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		b.Fatal(err)
	}
	return f
}

// processorTime returns how much processor time the server has used.
func (s target) processorTime(b *testing.B) time.Duration {
	b.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.pid))
	if err != nil {
		b.Fatal(err)
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	const tick = 10 * time.Millisecond
	// user and system
	return time.Duration(number(b, []byte(fields[11]))+number(b, []byte(fields[12]))) * tick
}

// compareTargets measures two targets in alternating rounds. It reports the figures that
// [baseline.Run] reports, the processor time of each server for an answer, and the 99th
// percentiles.
func compareTargets(b *testing.B, wanted float64, ours, bare target) {
	b.Helper()
	var all, bares []measured
	for round := range wrkRounds {
		if round%2 == 0 {
			all = append(all, ours.load(b))
		}
		bares = append(bares, bare.load(b))
		if round%2 == 1 {
			all = append(all, ours.load(b))
		}
	}
	ours.profile(b)
	ratios := make([]float64, wrkRounds)
	for i := range ratios {
		ratios[i] = all[i].rate / bares[i].rate
	}
	b.ReportMetric(middle(ratios), "of-bare")
	b.ReportMetric(wanted, "wanted")
	for prefix, list := range map[string][]measured{"": all, "bare-": bares} {
		b.ReportMetric(1e9/medianOf(list, func(m measured) float64 { return m.rate }),
			prefix+"ns/op")
		b.ReportMetric(medianOf(list, func(m measured) float64 { return m.p99 }), prefix+"p99-ms")
		b.ReportMetric(medianOf(list,
			func(m measured) float64 { return float64(m.cpu.Nanoseconds()) / 1000 }),
			prefix+"cpu-µs")
	}
}

func medianOf(list []measured, value func(measured) float64) float64 {
	values := make([]float64, len(list))
	for i, m := range list {
		values[i] = value(m)
	}
	return middle(values)
}

func middle(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// builtForWrk builds the reference server. It skips the benchmark if there is no wrk.
func builtForWrk(b *testing.B) (path string) {
	b.Helper()
	if _, err := exec.LookPath("wrk"); err != nil {
		b.Skip("wrk is not installed")
	}
	return built(b)
}
