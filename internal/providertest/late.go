// Package providertest makes requests to a provider time out without a short time-out. On a
// busy machine a short time-out ends other requests too, and those that were to time out may
// end before the provider receives them.
package providertest

import (
	"context"
	"net/http"
	"runtime"
	"sync/atomic"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/ai"
	"github.com/openlectern/openlectern/learning/gateway"
	"github.com/openlectern/openlectern/learning/identity"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// Late is a transport whose selected requests time out as soon as they have taken effect at
// the provider. The provider should hang, so that its answer is not earlier.
type Late struct {
	// Effects counts the effects of requests at the provider, such as orders.
	Effects func() int
	left    atomic.Int64
}

// Next lets the next n requests time out.
func (l *Late) Next(n int64) { l.left.Store(n) }

// RoundTrip sends a request with [http.DefaultTransport].
func (l *Late) RoundTrip(r *http.Request) (*http.Response, error) {
	if l.left.Add(-1) < 0 {
		return http.DefaultTransport.RoundTrip(r)
	}
	before := l.Effects()
	return http.DefaultTransport.RoundTrip(r.WithContext(newDeadline(r.Context(),
		func() bool { return l.Effects() > before })))
}

// Providers returns clients of the sandbox's gateway, identity provider and AI that use l.
func (l *Late) Providers(box *sandbox.Sandbox) ([]learning.Option, error) {
	c := box.Config()
	payments, err := gateway.New(c.URL, c.GatewayKeyID, c.GatewayKeySecret,
		gateway.WithTransport(l), gateway.WithWebhookSecrets(c.GatewayWebhookSecret))
	if err != nil {
		return nil, err
	}
	roles, err := identity.NewClient(c.URL, c.IdentityAPIKey, identity.WithTransport(l))
	if err != nil {
		return nil, err
	}
	model, err := ai.New(c.URL+"/v1", c.AIAPIKey, sandbox.AIModel, ai.WithTransport(l),
		ai.WithRetries(0))
	if err != nil {
		return nil, err
	}
	return []learning.Option{learning.WithGateway(payments), learning.WithRoles(roles),
		learning.WithAI(model)}, nil
}

// deadline is a context whose deadline passes when a condition is true.
type deadline struct {
	context.Context
	done chan struct{}
	err  error // is read after done is closed
}

func newDeadline(parent context.Context, passed func() bool) *deadline {
	d := &deadline{Context: parent, done: make(chan struct{})}
	go func() {
		defer close(d.done)
		for d.err = parent.Err(); d.err == nil; d.err = parent.Err() {
			if passed() {
				d.err = context.DeadlineExceeded
				return
			}
			runtime.Gosched()
		}
	}()
	return d
}

func (d *deadline) Done() <-chan struct{} { return d.done }

func (d *deadline) Err() error {
	select {
	case <-d.done:
		return d.err
	default:
		return nil
	}
}
