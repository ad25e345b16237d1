//go:build linux

package faultbench

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"sync"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// eventSecret signs the events of the servers.
const eventSecret = "whsec_dGhlIHNlY3JldCBvZiB0aGUgZmF1bHQgYmVuY2gh"

// receiver receives the events of the servers. It implements http.Handler and is safe for
// concurrent use.
type receiver struct {
	hook    *webhooks.Webhook
	journal *journal

	mu sync.Mutex
	// ids of events in the order in which they first arrived, by subject
	first    map[string][]string
	arrivals map[string]int // of each id
}

func newReceiver(j *journal) (*receiver, error) {
	hook, err := webhooks.NewWebhook(eventSecret)
	return &receiver{hook: hook, journal: j, first: map[string][]string{},
		arrivals: map[string]int{}}, err
}

// ServeHTTP receives an event and answers 200, also to an invalid one, which is a problem of the
// run.
func (e *receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the connection was broken
	}
	// The signature must be right. Its time is not checked, because the servers' clocks move.
	var event struct{ ID, Subject string }
	if err = e.hook.VerifyIgnoringTimestamp(body, r.Header); err == nil {
		err = json.Unmarshal(body, &event)
	}
	if err != nil {
		e.journal.problem("an event was received that is invalid: %v: %.300s", err, body)
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	// An event may arrive several times: the first arrival counts for the order.
	if e.arrivals[event.ID]++; e.arrivals[event.ID] == 1 {
		e.first[event.Subject] = append(e.first[event.Subject], event.ID)
	}
}

// received returns the ids of the events of a subject in the order in which they first arrived.
func (e *receiver) received(subject string) []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.first[subject])
}

// total returns the number of events that arrived, and of arrivals.
func (e *receiver) total() (events, arrivals int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, n := range e.arrivals {
		arrivals += n
	}
	return len(e.arrivals), arrivals
}
