package stripe

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/openlectern/openlectern/internal/nilarg"
	"github.com/openlectern/openlectern/internal/provider"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
)

// Version is the version of Stripe's API that requests name. Webhooks may have any version, because
// only the type of an event and the ids in it are read.
const Version = "2026-08-26.dahlia"

// apiURL is the address of Stripe's API.
const apiURL = "https://api.stripe.com"

var _ payment.Provider = (*Client)(nil)

// Client is a client of Stripe's API. It is safe for concurrent use. It implements
// [payment.Provider].
type Client struct {
	nilOptions nilarg.Options

	address        string
	base           *url.URL
	key            string
	publishableKey string
	webhookSecrets []string
	clock          core.Clock
	http           *http.Client
}

// Option changes a [Client] from its defaults.
type Option func(*Client)

// WithURL sets the base URL of the API, without v1. The default is https://api.stripe.com.
func WithURL(address string) Option { return func(c *Client) { c.address = address } }

// WithWebhookSecrets sets the secrets that sign webhooks, which begin with whsec_. Any of them
// verifies, because each endpoint has a secret of its own, and two during a rotation. Without a
// secret every webhook is rejected.
func WithWebhookSecrets(secrets ...string) Option {
	return func(c *Client) { c.webhookSecrets = slices.Clone(secrets) }
}

// WithTimeout bounds one request. The default is 10 seconds. A method may send several requests.
func WithTimeout(d time.Duration) Option { return func(c *Client) { c.http.Timeout = d } }

// WithTransport sets the transport. The default, also if t is nil, is [http.DefaultTransport].
func WithTransport(t http.RoundTripper) Option {
	return func(c *Client) {
		if t != nil {
			c.http.Transport = nilarg.Given(&c.nilOptions, "WithTransport", t)
		}
	}
}

// WithClock sets the clock with which the times of webhooks are compared. The default is the system
// clock.
func WithClock(clock core.Clock) Option {
	return func(c *Client) { c.clock = nilarg.Given(&c.nilOptions, "WithClock", clock) }
}

// New returns a client. The key is a secret or restricted key of Stripe, and authenticates
// requests. The publishable key is public: the client's checkout needs it. New returns an error if
// an argument is invalid, such as a secret key in the place of the publishable one.
func New(key, publishableKey string, opts ...Option) (*Client, error) {
	c := &Client{address: apiURL, key: key, publishableKey: publishableKey, clock: systemClock{},
		http: provider.NewClient(nil, provider.DefaultTimeout)}
	err := nilarg.Apply("stripe", c, opts)
	if err == nil {
		err = c.nilOptions.Err("stripe")
	}
	if err == nil {
		err = checkKeys(key, publishableKey)
	}
	if err != nil {
		return nil, err
	}
	if c.base, err = provider.URL(c.address); err != nil {
		return nil, fmt.Errorf("stripe: address: %w", err)
	}
	if c.http.Timeout <= 0 {
		return nil, errors.New("stripe: the time-out must be longer than zero")
	}
	for i, secret := range c.webhookSecrets {
		if strings.TrimSpace(secret) == "" {
			return nil, fmt.Errorf("stripe: webhook secret %d is empty", i+1)
		}
	}
	return c, nil
}

// checkKeys returns an error without the keys, because one that is in the wrong place is secret.
func checkKeys(key, publishableKey string) error {
	isClean := func(s string) bool { return s != "" && !strings.ContainsAny(s, " \t\r\n:") }
	switch {
	case !isClean(key):
		return errors.New("stripe: the secret key is empty, or has a space or a colon in it")
	case !isClean(publishableKey):
		return errors.New("stripe: the publishable key is empty, or has a space or a colon in it")
	case strings.HasPrefix(key, "pk_"):
		return errors.New("stripe: the secret key is a publishable key: use the one that begins " +
			"with sk_ or rk_")
	case !strings.HasPrefix(publishableKey, "pk_"): // any browser would get it
		return errors.New("stripe: the publishable key must begin with pk_: the secret key must " +
			"not be published")
	case isLive(key) != isLive(publishableKey):
		return errors.New("stripe: one key is for live mode and the other one for a test: take " +
			"both of the same mode")
	}
	return nil
}

// isLive reports whether a key moves real money.
func isLive(key string) bool { return strings.Contains(key, "_live_") }

type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

// Name implements [payment.Provider].
func (c *Client) Name() string { return "stripe" }

// KeyID implements [payment.Provider]: it is the publishable key.
func (c *Client) KeyID() string { return c.publishableKey }

// Format writes the type only, so that a client in a log line does not show its secrets.
func (c *Client) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, "stripe.Client") }
