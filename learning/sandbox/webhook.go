package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Delivery is the state of one webhook.
type Delivery struct {
	Event    string // such as payment.captured
	ID       string // the message id, the same over all attempts
	Path     string // /idp or /gateway
	Attempts int
	Status   int       // of the last answer; 0 when none came
	Err      string    // why the last attempt failed, empty when it did not
	At       time.Time // of the last attempt, or of queueing, by the configured clock
	State    string    // deliveryPending, DeliveryDone or DeliveryFailed
}

// States of a delivery.
const (
	deliveryPending = "pending"
	DeliveryDone    = "delivered"
	DeliveryFailed  = "given up"
)

// keptDeliveries bounds the memory of past deliveries; parallelDeliveries the strain on the platform.
const (
	keptDeliveries     = 200
	parallelDeliveries = 8
)

// Deliveries returns the last 200 webhooks, oldest first.
func (s *Sandbox) Deliveries() []Delivery { return s.courier.deliveries() }

// Wait waits until every webhook is delivered or given up. It returns an error if ctx is done first.
func (s *Sandbox) Wait(ctx context.Context) error { return s.courier.wait(ctx) }

// SetWebhookURL sets the URL of the platform. Further attempts of queued webhooks use it too. If it is empty, no
// webhooks are sent.
func (s *Sandbox) SetWebhookURL(url string) { s.courier.setTarget(url) }

// message is one webhook to be sent.
type message struct {
	event, id, path string
	body            []byte
	timeout         time.Duration // an answer after that does not count
	sign            func(at time.Time) http.Header
}

// courier delivers webhooks. Each message has its own goroutine, so that one which waits for its next attempt holds up
// no other; a semaphore bounds how many are being sent.
type courier struct {
	client *http.Client
	retry  []time.Duration
	clock  func() time.Time
	log    *slog.Logger
	slots  chan struct{}

	ctx    context.Context // ends with close
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu      sync.Mutex
	url     string
	closed  bool
	kept    []*Delivery
	pending int
	idle    chan struct{} // closed when pending falls to 0
}

func newCourier(cfg Config) *courier {
	c := &courier{retry: cfg.Retry, clock: cfg.Clock, log: cfg.Log, slots: make(chan struct{}, parallelDeliveries)}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.setTarget(cfg.WebhookURL)
	c.client = &http.Client{
		Transport: &http.Transport{MaxIdleConnsPerHost: parallelDeliveries, IdleConnTimeout: 30 * time.Second},
		// A webhook that is redirected was not accepted.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return c
}

// defaultRetry doubles from one second up to ten minutes, so that the last attempt comes after about 37 minutes.
func defaultRetry() []time.Duration {
	waits := make([]time.Duration, 12)
	for i := range waits {
		waits[i] = min(time.Second<<i, 10*time.Minute)
	}
	return waits
}

func (c *courier) setTarget(url string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.url = strings.TrimRight(url, "/")
}

func (c *courier) target() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.url
}

// send queues a message. It does nothing without a target, and after close.
func (c *courier) send(m message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.url == "" || c.closed {
		return
	}
	d := &Delivery{Event: m.event, ID: m.id, Path: m.path, At: c.clock(), State: deliveryPending}
	c.kept = append(c.kept, d)
	if len(c.kept) > keptDeliveries {
		c.kept = c.kept[1:]
	}
	if c.pending++; c.pending == 1 {
		c.idle = make(chan struct{})
	}
	c.wg.Go(func() { c.deliver(m, d) })
}

func (c *courier) deliver(m message, d *Delivery) {
	defer c.finished(d)
	for attempt := 0; ; attempt++ {
		status, err := c.attempt(m)
		last := attempt == len(c.retry) || c.ctx.Err() != nil
		c.record(d, status, err, last)
		if err == nil || last || !c.pause(c.retry[attempt]) {
			return
		}
	}
}

// once sends a message a single time, for the caller to see the outcome.
func (c *courier) once(ctx context.Context, m message) error {
	_, err := c.post(ctx, m)
	return err
}

func (c *courier) attempt(m message) (int, error) {
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
		return c.post(c.ctx, m)
	case <-c.ctx.Done():
		return 0, c.ctx.Err()
	}
}

func (c *courier) post(ctx context.Context, m message) (int, error) {
	url := c.target()
	if url == "" {
		return 0, errors.New("send webhook: the address of the platform is not set")
	}
	ctx, cancel := context.WithTimeout(ctx, m.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+m.path, strings.NewReader(string(m.body)))
	if err != nil {
		return 0, fmt.Errorf("send webhook: %w", err)
	}
	req.Header = m.sign(c.clock())
	req.Header.Set("Content-Type", "application/json")
	res, err := c.client.Do(req)
	if err != nil {
		return 0, fmt.Errorf("send webhook: %w", err)
	}
	defer res.Body.Close()
	io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10)) // lets the connection be used again
	if res.StatusCode/100 != 2 {
		return res.StatusCode, fmt.Errorf("send webhook: the platform answered %d", res.StatusCode)
	}
	return res.StatusCode, nil
}

// record stores the result of an attempt.
func (c *courier) record(d *Delivery, status int, err error, last bool) {
	c.mu.Lock()
	d.Attempts++
	d.Status, d.Err, d.At = status, "", c.clock()
	switch {
	case err == nil:
		d.State = DeliveryDone
	case last:
		d.State, d.Err = DeliveryFailed, err.Error()
	default:
		d.Err = err.Error()
	}
	seen := *d
	c.mu.Unlock()
	c.log.Info("webhook", "event", seen.Event, "id", seen.ID, "attempt", seen.Attempts, "status", seen.Status, "state", seen.State)
}

// pause waits, and reports false when the courier was closed meanwhile.
func (c *courier) pause(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-c.ctx.Done():
		return false
	}
}

// finished also ends the delivery that close cut off between two attempts.
func (c *courier) finished(d *Delivery) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d.State == deliveryPending {
		d.State = DeliveryFailed
	}
	if c.pending--; c.pending == 0 {
		close(c.idle)
	}
}

func (c *courier) wait(ctx context.Context) error {
	for {
		c.mu.Lock()
		pending, idle := c.pending, c.idle
		c.mu.Unlock()
		if pending == 0 {
			return nil
		}
		select {
		case <-idle:
		case <-ctx.Done():
			return fmt.Errorf("wait for %d webhooks: %w", pending, ctx.Err())
		}
	}
}

func (c *courier) deliveries() []Delivery {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make([]Delivery, len(c.kept))
	for i, d := range c.kept {
		out[i] = *d
	}
	return out
}

func (c *courier) close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.cancel()
	c.wg.Wait()
	c.client.CloseIdleConnections()
}
