//go:build linux

package faultbench

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// grace is how long after a fault a request may still fail because of it: the longest time limit of
// a transaction, of a provider call and of a lease, and a margin for a busy machine.
const grace = 20 * time.Second

// area is what a request depends on.
type area string

// The areas. Requests of all areas need the server and the database.
const (
	areaPlain    area = "plain"
	areaPurchase area = "purchase" // calls a payment provider
	areaAI       area = "ai"       // calls the AI
	areaFile     area = "file"     // stores or reads a file
	areaReview   area = "review"   // sets a role at the identity provider
)

// request is a request that has ended, with status 0 if it had no answer.
type request struct {
	route         string
	area          area
	server        int
	status        int
	started, done time.Time
	text          string // the body of the answer, or the error if there was none
}

// failed reports whether a fault may be the cause of the answer, or of there being none.
func (r request) failed() bool { return r.status == 0 || r.status >= 500 }

// duration returns how long the visitor waited for the answer.
func (r request) duration() time.Duration { return r.done.Sub(r.started) }

// occurrence is a fault that happened. until is zero while it lasts.
type occurrence struct {
	Fault
	from, until time.Time
}

// harms reports whether a fault can make a request fail, if both happen at the same time. That
// depends on the server and the area of the request. A fault of the database harms all servers,
// because the transactions of one server hold locks for which the others wait.
func (f Fault) harms(r request) bool {
	switch name, _, _ := strings.Cut(f.Target, " "); name {
	case targetEngine, targetDatabase, targetPooler:
		return true
	case targetServer:
		// A moved clock harms no request.
		return f.Kind != ClockMove && f.Target == numbered(targetServer, r.server)
	case linkGateway, linkStripe:
		return r.area == areaPurchase
	case linkAI:
		return r.area == areaAI
	case linkMedia:
		return r.area == areaFile
	case linkIdentity:
		return true // the keys of tokens come from there
	default: // no request waits for the receiver of events, or for Redis
		return false
	}
}

// journal records what happens in a run. It is safe for concurrent use.
type journal struct {
	mu       sync.Mutex
	start    time.Time
	counts   map[string]map[int]int // of answers, by route and status
	failures []request
	faults   []*occurrence
	problems []string
	slowest  request // since the last call of takeSlowest
}

func newJournal() *journal {
	return &journal{start: time.Now(), counts: map[string]map[int]int{}}
}

// record counts a request. It keeps the request itself only if it failed, or is the slowest.
func (j *journal) record(r request) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.counts[r.route] == nil {
		j.counts[r.route] = map[int]int{}
	}
	j.counts[r.route][r.status]++
	if r.duration() > j.slowest.duration() {
		j.slowest = r
	}
	if r.failed() {
		j.failures = append(j.failures, r)
	}
}

// takeSlowest returns the request that took longest since the last call, or the zero request, with
// the duration 0, if there was none.
func (j *journal) takeSlowest() (r request) {
	j.mu.Lock()
	defer j.mu.Unlock()
	r, j.slowest = j.slowest, r // r is the zero request before
	return r
}

// begin records the begin of a fault. The function that it returns records the end.
func (j *journal) begin(f Fault) (end func()) {
	j.mu.Lock()
	defer j.mu.Unlock()
	o := &occurrence{Fault: f, from: time.Now()}
	j.faults = append(j.faults, o)
	return func() {
		j.mu.Lock()
		defer j.mu.Unlock()
		o.until = time.Now()
	}
}

// problem records a failure of the run. Only the first ones are kept.
func (j *journal) problem(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	const enough = 100 // a run that goes wrong has thousands
	if len(j.problems) < enough {
		j.problems = append(j.problems, fmt.Sprintf(format, args...))
	}
}

// explained reports whether a fault can have made a request fail: one that harms it, and lasted
// while the request ran or ended less than grace before. The lock must be held.
func (j *journal) explained(r request) bool {
	return slices.ContainsFunc(j.faults, func(o *occurrence) bool {
		return o.harms(r) && r.done.After(o.from) &&
			(o.until.IsZero() || r.started.Before(o.until.Add(grace)))
	})
}

// findings returns the problems, with the failed requests that no fault explains.
func (j *journal) findings() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	all := slices.Clone(j.problems)
	// A failed request is a finding unless a fault could have harmed it.
	for _, r := range j.failures {
		if !j.explained(r) {
			all = append(all, fmt.Sprintf("at %.1f s, after %.1f s, server %d answered %s with "+
				"%d, which no fault explains: %.300s", r.done.Sub(j.start).Seconds(),
				r.duration().Seconds(), r.server, r.route, r.status, r.text))
		}
	}
	return all
}

// summary describes the answers, one route a line.
func (j *journal) summary() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	var out strings.Builder
	for _, route := range slices.Sorted(maps.Keys(j.counts)) {
		fmt.Fprintf(&out, "  %-28s", route)
		for _, status := range slices.Sorted(maps.Keys(j.counts[route])) {
			fmt.Fprintf(&out, "  %d: %d", status, j.counts[route][status])
		}
		out.WriteByte('\n')
	}
	return out.String()
}

// total returns the number of requests and of those that failed.
func (j *journal) total() (requests, failed int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, counts := range j.counts {
		for _, n := range counts {
			requests += n
		}
	}
	return requests, len(j.failures)
}
