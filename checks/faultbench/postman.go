//go:build linux

package faultbench

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/openlectern/openlectern/internal/backoff"
)

// postman brings the webhooks of the providers to the servers: some at once, some twice, some after
// later ones, and some a day late. It implements http.Handler and is safe for concurrent use.
type postman struct {
	journal *journal
	servers []string // URLs

	ctx    context.Context // of deliveries
	cancel context.CancelFunc
	all    sync.WaitGroup

	mu     sync.Mutex
	random *rand.Rand
	late   []webhook
	counts map[string]int // of webhooks, by what happens to them
}

// webhook is a request of a provider.
type webhook struct {
	path   string
	header http.Header
	body   []byte
}

// newPostman returns a postman that brings webhooks to servers. The caller must close it.
func newPostman(seed uint64, servers []string, j *journal) *postman {
	const stream = 2 // of random numbers; NewSchedule uses 0 and 1
	p := &postman{journal: j, servers: servers, random: rand.New(rand.NewPCG(seed, stream)),
		counts: map[string]int{}}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	return p
}

// close ends all deliveries that ServeHTTP has left for later, and waits for their goroutines.
func (p *postman) close() {
	p.cancel()
	p.all.Wait()
}

// wait waits until ServeHTTP and bringLate have left nothing to deliver. If ctx is done before, it
// ends all deliveries, also later ones, and records a problem.
func (p *postman) wait(ctx context.Context) {
	stop := context.AfterFunc(ctx, func() {
		p.journal.problem("webhooks are not accepted: %v", ctx.Err())
		p.cancel()
	})
	defer stop()
	p.all.Wait()
}

// ServeHTTP takes a webhook. It answers what the platform answers, or 200 if the webhook will be
// delivered later.
func (p *postman) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the connection was broken, so that nobody reads the answer
	}
	hook := webhook{path: r.URL.Path, header: r.Header.Clone(), body: body}
	// A late or reordered webhook is answered now and delivered afterwards, so the sender does not
	// repeat it.
	switch fate, wait := p.fate(hook); fate {
	case "late by a day": // bringLate delivers it; net/http answers 200
		p.mu.Lock()
		p.late = append(p.late, hook)
		p.mu.Unlock()
	case "reordered":
		p.all.Go(func() { p.bring(hook, wait) })
	case "repeated":
		p.all.Go(func() { p.bring(hook, wait) })
		fallthrough // and once at once
	default:
		w.WriteHeader(p.send(r.Context(), hook))
	}
}

// fate decides what happens to a webhook, and counts it. wait is the pause before a webhook is sent
// that is reordered, or repeated. One of the identity provider is not late by a day, because its
// signature is valid for five minutes.
func (p *postman) fate(hook webhook) (fate string, wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	// Of 100 webhooks of the gateway 10 are late by a day, 15 reordered, 20 repeated, and 55 sent
	// at once.
	switch n := p.random.IntN(100); {
	case n < 10 && hook.path == "/gateway":
		fate = "late by a day"
	case n < 25:
		fate = "reordered"
	case n < 45:
		fate = "repeated"
	default:
		fate = "at once"
	}
	p.counts[fate]++
	return fate, time.Duration(p.random.Int64N(int64(3 * time.Second)))
}

// bring delivers a webhook after a while, with as many tries as it takes, a second apart. It tries
// again whatever the answer is unless that is 2xx, and gives up when the postman is closed.
func (p *postman) bring(hook webhook, wait time.Duration) {
	for backoff.Sleep(p.ctx, wait) == nil && p.send(p.ctx, hook)/100 != 2 {
		wait = time.Second
	}
}

// bringLate begins to deliver the webhooks that are late by a day; wait waits for them.
func (p *postman) bringLate() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, hook := range p.late {
		const wait = 0
		p.all.Go(func() { p.bring(hook, wait) })
	}
	p.late = nil
}

// send sends a webhook to one of the servers once and returns the status of the answer, or 502 if
// there is none.
func (p *postman) send(ctx context.Context, hook webhook) int {
	p.mu.Lock() // for random
	// A load balancer would choose any server.
	server := p.servers[p.random.IntN(len(p.servers))]
	p.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, server+hook.path,
		bytes.NewReader(hook.body))
	if err != nil {
		return http.StatusBadGateway
	}
	r.Header = hook.header.Clone()
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return http.StatusBadGateway
	}
	defer res.Body.Close()
	// A 5xx is repeated by the sender. A 4xx is a webhook that would be lost.
	text, _ := io.ReadAll(res.Body)
	if res.StatusCode/100 == 4 {
		p.journal.problem("a webhook to %s was refused with %d: %s", hook.path, res.StatusCode,
			text)
	}
	return res.StatusCode
}
