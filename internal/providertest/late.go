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
	"github.com/openlectern/openlectern/learning/stripe"
)

// Late is a transport whose selected requests time out as soon as they have taken effect at
// the provider. The provider should hang, so that its answer is not earlier.
type Late struct {
	// Effects returns how many effects requests have had at the provider so far, such as orders.
	Effects func() int
	left    atomic.Int64 // requests that are still to time out; negative after other requests
}

// Next makes the next n requests time out.
func (l *Late) Next(n int64) { l.left.Store(n) }

// RoundTrip sends a request with [http.DefaultTransport]. A request that is to time out ends when
// Effects returns more than before it, so no other request may have an effect meanwhile.
func (l *Late) RoundTrip(r *http.Request) (*http.Response, error) {
	if l.left.Add(-1) < 0 {
		return http.DefaultTransport.RoundTrip(r)
	}
	before := l.Effects()
	return http.DefaultTransport.RoundTrip(r.WithContext(newDeadline(r.Context(),
		func() bool { return l.Effects() > before })))
}

// Providers returns the options for clients of the sandbox's gateway, identity provider and AI that
// use l. The client of the AI does not retry, so that one request is one call.
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
	return []learning.Option{learning.WithProvider(payments), learning.WithRoles(roles),
		learning.WithAI(model)}, nil
}

// Stripe returns the option for a client of the sandbox's Stripe that uses l. What is paid in the
// currencies is sold there.
func (l *Late) Stripe(box *sandbox.Sandbox, currencies ...string) (learning.Option, error) {
	c := box.Config()
	payments, err := stripe.New(c.StripeKey, c.StripePublishableKey, stripe.WithTransport(l),
		stripe.WithURL(c.URL+sandbox.StripePath), stripe.WithWebhookSecrets(c.StripeWebhookSecret))
	if err != nil {
		return nil, err
	}
	return learning.WithProvider(payments, currencies...), nil
}

// deadline is a context that is done with context.DeadlineExceeded when a condition is true.
type deadline struct {
	context.Context
	done chan struct{}
	err  error // is read after done is closed
}

// newDeadline returns a context that is done when passed returns true or parent is done. Until then
// a goroutine calls passed again and again, so parent must be done sometime.
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

// Done implements [context.Context].
func (d *deadline) Done() <-chan struct{} { return d.done }

// Err implements [context.Context].
func (d *deadline) Err() error {
	select {
	case <-d.done:
		return d.err
	default:
		return nil
	}
}
