package faultbench

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/openlectern/openlectern/internal/backoff"
	"github.com/openlectern/openlectern/internal/enginetest"
)

const (
	redisFault = 500 * time.Millisecond // how long each fault of Redis takes that happens alone
	redisWait  = 3 * time.Second        // a request that takes longer has waited for Redis
	redisTries = 30                     // of servers to share their limits again
)

// openRedis starts a Redis with a proxy in front, for limits that the servers share.
func (b *bench) openRedis() {
	b.tb.Helper()
	u, err := url.Parse(enginetest.StartRedis(b.tb).URL())
	b.must(err)
	u.Host = b.link(linkRedis, u.Host)
	b.redisURL = u.String()
}

// tryRedis applies all faults to the connections to Redis while visitors come and nothing else is
// wrong: the journal explains no failure by them, no request may wait for Redis, and each server
// logs once that it has lost Redis. One fault takes longer than a request may.
func (b *bench) tryRedis(ctx context.Context) {
	link := b.links[linkRedis]
	if link == nil {
		return
	}
	b.journal.takeSlowest() // only requests from now on count
	// Apply each kind of fault once.
	for _, kind := range linkKinds {
		f := Fault{Kind: kind, Target: linkRedis, For: redisFault}
		if kind == LinkStall { // a request that waits for Redis waits longer than redisWait then
			f.For += redisWait
		}
		applyLink(link, f, func() { b.watchRedisLoss(ctx, f) }) // which takes as long as f
		_ = backoff.Sleep(ctx, redisFault)
	}
	// Requests must not have waited.
	if r := b.journal.takeSlowest(); r.duration() > redisWait {
		b.journal.problem("%s took %.1f s while Redis failed", r.route, r.duration().Seconds())
	}
	b.awaitSharedLimits(ctx)
}

// watchRedisLoss waits for the time of a fault, and records a problem if a server has logged more
// than once meanwhile that it lost Redis.
func (b *bench) watchRedisLoss(ctx context.Context, f Fault) {
	var before []int
	for _, s := range b.servers {
		before = append(before, s.log.unsharedLimits())
	}
	// Let the fault last, and count what was logged meanwhile.
	_ = backoff.Sleep(ctx, f.For)
	if f.Kind == LinkDelay || f.Kind == LinkThrottle { // a slow Redis may be lost several times
		return
	}
	for i, s := range b.servers {
		if n := s.log.unsharedLimits() - before[i]; n > 1 {
			b.journal.problem("%s has logged %d times that it has lost Redis (%s)", s.name, n,
				f.Kind)
		}
	}
}

// awaitSharedLimits waits until the servers share their limits again: a user who asks all of them
// in turn is refused after as many requests as one server would answer.
func (b *bench) awaitSharedLimits(ctx context.Context) {
	for try := range redisTries {
		v := newVisitor(b, 300+try) // the number of no other visitor
		// Each try has a user of its own, because exports of earlier ones would count. staff makes
		// an admin, whom it names after the visitor: the admin has a token at once, and a new
		// visitor would have to sign up for one.
		v.id = fmt.Sprint("exporter_", try)
		if boss := v.staff(); boss.exports(ctx) == http.StatusTooManyRequests {
			return
		}
		_ = backoff.Sleep(ctx, redisFault)
	}
	b.journal.problem("the servers do not share their limits again after Redis has failed")
}

// exportLimit is the number of exports that a user may have in an hour.
const exportLimit = 5

// exports asks the servers in turn for an export, once more than a user may, and returns the last
// status: 429 if the servers share their limits.
func (v *visitor) exports(ctx context.Context) (status int) {
	for i := range exportLimit + 1 {
		status, _ = v.send(ctx, http.MethodGet, v.servers[i%len(v.servers)]+"/api/user/export", nil)
	}
	return status
}
