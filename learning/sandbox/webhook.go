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
	Event    string `json:"event"` // such as payment.captured
	ID       string `json:"id"`    // of the message, the same in all attempts
	Path     string `json:"path"`  // /idp, /gateway or /stripe
	Attempts int    `json:"attempts"`
	Status   int    `json:"status"` // of the last answer; 0 if there was none
	Err      string `json:"error"`  // of the last attempt; empty if it succeeded
	// of the last attempt, or, before the first, when it was queued, by the configured clock
	At time.Time `json:"at"`
	// deliveryPending, DeliveryHeld, DeliveryDone or DeliveryFailed
	State string `json:"state"`
}

// States of a delivery.
const (
	deliveryPending = "pending"
	DeliveryHeld    = "held" // see Sandbox.HoldWebhooks
	DeliveryDone    = "delivered"
	DeliveryFailed  = "given up"
)

// keptDeliveries is the number of deliveries in memory, so that a sandbox that runs for weeks does
// not grow, and parallelDeliveries the number of concurrent requests to the platform.
const (
	keptDeliveries     = 200
	parallelDeliveries = 8
)

// Deliveries returns the last 200 webhooks, oldest first.
func (s *Sandbox) Deliveries() []Delivery { return s.sender.deliveries() }

// Wait waits until every webhook is delivered or given up, except those that are held. It returns
// an error if ctx is done first.
func (s *Sandbox) Wait(ctx context.Context) error { return s.sender.wait(ctx) }

// SetWebhookURL sets the URL of the platform. Further attempts of queued webhooks use it too. If it
// is empty, no webhooks are sent.
func (s *Sandbox) SetWebhookURL(url string) { s.sender.setTarget(url) }

// message is one webhook to be sent.
type message struct {
	event, id, path string
	body            []byte
	timeout         time.Duration // an answer after that does not count
	sign            func(at time.Time) http.Header
}

// sentMessage is a message and the state of its delivery.
type sentMessage struct {
	Delivery
	message message
}

// sender delivers webhooks. Each message has its own goroutine, so that a message that waits for
// its next attempt does not delay others. A semaphore bounds the concurrent requests.
type sender struct {
	client *http.Client
	retry  []time.Duration
	clock  func() time.Time
	log    *slog.Logger
	slots  chan struct{}

	ctx    context.Context // cancelled by close
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu      sync.Mutex
	url     string
	closed  bool
	hold    bool
	kept    []*sentMessage
	pending int
	idle    chan struct{} // closed when pending falls to 0
}

// newSender returns a sender without messages. It sends to cfg.WebhookURL until that is changed,
// and does not follow redirects. close ends it.
func newSender(cfg Config) *sender {
	s := &sender{retry: cfg.Retry, clock: cfg.Clock, log: cfg.Log,
		slots: make(chan struct{}, parallelDeliveries)}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.setTarget(cfg.WebhookURL)
	s.client = &http.Client{
		Transport: &http.Transport{MaxIdleConnsPerHost: parallelDeliveries,
			IdleConnTimeout: 30 * time.Second},
		// A webhook that is redirected was not accepted.
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}
	return s
}

// defaultRetry doubles from one second up to ten minutes, so that the last attempt comes after
// about 37 minutes.
func defaultRetry() []time.Duration {
	waits := make([]time.Duration, 12)
	for i := range waits {
		waits[i] = min(time.Second<<i, 10*time.Minute)
	}
	return waits
}

// setTarget sets the URL to which webhooks are sent, without a slash at its end. With "" none are
// sent.
func (s *sender) setTarget(url string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.url = strings.TrimRight(url, "/")
}

// target returns the URL to which webhooks are sent; "" if none are sent.
func (s *sender) target() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.url
}

// send starts to deliver a message in the background, or holds it for resend if webhooks are held.
// It does nothing without a target, and after close.
func (s *sender) send(m message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.url == "" || s.closed {
		return
	}
	d := &sentMessage{message: m,
		Delivery: Delivery{Event: m.event, ID: m.id, Path: m.path, At: s.clock(),
			State: deliveryPending}}
	// Keep it for the list of webhooks and for resend, without the oldest, which is lost if it is
	// held.
	s.kept = append(s.kept, d)
	if len(s.kept) > keptDeliveries {
		s.kept = s.kept[1:]
	}
	if s.hold {
		d.State = DeliveryHeld
		return
	}
	// The first one in flight opens the channel that the last one closes.
	if s.pending++; s.pending == 1 {
		s.idle = make(chan struct{})
	}
	s.wg.Go(func() { s.deliver(d) })
}

// deliver attempts to deliver a message until the platform accepts it, no wait is left, or the
// sender is closed.
func (s *sender) deliver(d *sentMessage) {
	defer s.finished(d)
	for attempt := 0; ; attempt++ {
		status, err := s.attempt(d.message)
		last := attempt == len(s.retry) || s.ctx.Err() != nil // no wait is left, or s is closed
		s.record(d, status, err, last)
		if err == nil || last || !s.pause(s.retry[attempt]) {
			return
		}
	}
}

// sendOnce makes one attempt at once, without waiting for a slot, and returns its error. The
// message is not kept, so that it is not in the list of deliveries.
func (s *sender) sendOnce(ctx context.Context, m message) error {
	_, err := s.post(ctx, m)
	return err
}

// attempt makes one attempt when a slot is free, and returns what post does. If the sender is
// closed before, it returns the status 0 and an error.
func (s *sender) attempt(m message) (int, error) {
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
		return s.post(s.ctx, m)
	case <-s.ctx.Done():
		return 0, s.ctx.Err()
	}
}

// post sends a message. It returns the status of the answer, 0 if there is none, and an error
// unless that is 2xx.
func (s *sender) post(ctx context.Context, m message) (int, error) {
	url := s.target()
	if url == "" {
		return 0, errors.New("send webhook: the address of the platform is not set")
	}
	// Sign at the time of each attempt, because signatures expire.
	ctx, cancel := context.WithTimeout(ctx, m.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+m.path,
		strings.NewReader(string(m.body)))
	if err != nil {
		return 0, fmt.Errorf("send webhook: %w", err)
	}
	req.Header = m.sign(s.clock())
	req.Header.Set("Content-Type", "application/json")
	res, err := s.client.Do(req)
	if err != nil {
		return 0, fmt.Errorf("send webhook: %w", err)
	}
	defer res.Body.Close()
	// so that the connection can be reused
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10))
	// Only 2xx means that the platform has taken it.
	if res.StatusCode/100 != 2 {
		return res.StatusCode, fmt.Errorf("send webhook: the platform answered %d", res.StatusCode)
	}
	return res.StatusCode, nil
}

// record stores the result of an attempt, also of one that ended before its request because the
// sender was closed. last says that no other one follows, so that a failure is final.
func (s *sender) record(d *sentMessage, status int, err error, last bool) {
	s.mu.Lock()
	d.Attempts++
	d.Status = status
	d.Err = ""
	d.At = s.clock()
	switch {
	case err == nil:
		d.State = DeliveryDone
	case last:
		d.State, d.Err = DeliveryFailed, err.Error()
	default:
		d.Err = err.Error()
	}
	seen := d.Delivery // a copy, to log it without the lock
	s.mu.Unlock()
	s.log.Info("webhook", "event", seen.Event, "id", seen.ID, "attempt", seen.Attempts, "status",
		seen.Status, "state", seen.State)
}

// pause waits for d. It returns false if the sender was closed before.
func (s *sender) pause(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-s.ctx.Done():
		return false
	}
}

// finished marks a delivery as failed if close ended it between two attempts, and counts it as no
// longer in flight.
func (s *sender) finished(d *sentMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d.State == deliveryPending {
		d.State = DeliveryFailed
	}
	if s.pending--; s.pending == 0 {
		close(s.idle)
	}
}

// wait waits until no webhook is in flight or waits for its next attempt. Held ones do not count.
func (s *sender) wait(ctx context.Context) error {
	// idle is closed when none is in flight. More may be sent until wait goes on, so look again.
	for {
		s.mu.Lock()
		pending, idle := s.pending, s.idle
		s.mu.Unlock()
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

// deliveries returns a copy of the kept deliveries, oldest first.
func (s *sender) deliveries() []Delivery {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Delivery, len(s.kept))
	for i, d := range s.kept {
		out[i] = d.Delivery
	}
	return out
}

// close ends all deliveries and waits for them.
func (s *sender) close() {
	// From here on send begins no delivery, because none may begin during the wait.
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.cancel()
	s.wg.Wait()
	s.client.CloseIdleConnections()
}
