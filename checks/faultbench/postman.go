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

// postman brings the webhooks of the providers to the servers: some at once, some twice, some after later ones, and some
// a day late. It implements http.Handler and is safe for concurrent use.
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

func newPostman(seed uint64, servers []string, j *journal) *postman {
	p := &postman{journal: j, servers: servers, random: rand.New(rand.NewPCG(seed, 2)), counts: map[string]int{}}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	return p
}

// close ends all deliveries.
func (p *postman) close() {
	p.cancel()
	p.all.Wait()
}

// wait waits for all deliveries. If ctx is done before, it ends them and records a problem.
func (p *postman) wait(ctx context.Context) {
	stop := context.AfterFunc(ctx, func() {
		p.journal.problem("webhooks are not accepted: %v", ctx.Err())
		p.cancel()
	})
	defer stop()
	p.all.Wait()
}

// ServeHTTP takes a webhook. It answers what the platform answers, or 200 if the webhook will be delivered later.
func (p *postman) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	hook := webhook{r.URL.Path, r.Header.Clone(), body}
	switch fate, wait := p.fate(hook); fate {
	case "late by a day":
		p.mu.Lock()
		p.late = append(p.late, hook)
		p.mu.Unlock()
	case "reordered":
		p.all.Go(func() { p.bring(hook, wait) })
	case "repeated":
		p.all.Go(func() { p.bring(hook, wait) })
		fallthrough
	default:
		w.WriteHeader(p.send(r.Context(), hook))
	}
}

// fate decides what happens to a webhook. A webhook of the identity provider is not late by a day, because its signature
// is valid for five minutes.
func (p *postman) fate(hook webhook) (fate string, wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
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

// bring delivers a webhook after a while, with as many tries as it takes.
func (p *postman) bring(hook webhook, wait time.Duration) {
	for backoff.Sleep(p.ctx, wait) == nil && p.send(p.ctx, hook)/100 != 2 {
		wait = time.Second
	}
}

// bringLate delivers the webhooks that are late by a day.
func (p *postman) bringLate() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, hook := range p.late {
		p.all.Go(func() { p.bring(hook, 0) })
	}
	p.late = nil
}

// send sends a webhook to one of the servers once and returns the status of the answer, or 502 if there is none.
func (p *postman) send(ctx context.Context, hook webhook) int {
	p.mu.Lock()
	server := p.servers[p.random.IntN(len(p.servers))]
	p.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, server+hook.path, bytes.NewReader(hook.body))
	if err != nil {
		return http.StatusBadGateway
	}
	r.Header = hook.header.Clone()
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return http.StatusBadGateway
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(res.Body)
	if res.StatusCode/100 == 4 {
		p.journal.problem("a webhook to %s was refused with %d: %s", hook.path, res.StatusCode, text)
	}
	return res.StatusCode
}
