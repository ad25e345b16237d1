package gateway

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

var _ payment.Provider = (*Client)(nil)

// Client is a client of a payment gateway's HTTP API. It is safe for concurrent use. It
// implements [payment.Provider].
type Client struct {
	nilOptions nilarg.Options

	base           *url.URL
	keyID          string
	keySecret      string
	webhookSecrets []string
	http           *http.Client
}

// Option changes a [Client] from its defaults.
type Option func(*Client)

// WithWebhookSecrets sets the secrets that sign webhooks, which are not the key secret. Any
// of them verifies, because the gateway signs retries with the old secret during a
// rotation. Without a secret every webhook is rejected.
func WithWebhookSecrets(secrets ...string) Option {
	return func(c *Client) { c.webhookSecrets = slices.Clone(secrets) }
}

// WithTimeout bounds one request. The default is 10 seconds.
func WithTimeout(d time.Duration) Option { return func(c *Client) { c.http.Timeout = d } }

// WithTransport sets the transport. The default, also if t is nil, is [http.DefaultTransport].
func WithTransport(t http.RoundTripper) Option {
	return func(c *Client) {
		if t != nil {
			c.http.Transport = nilarg.Given(&c.nilOptions, "WithTransport", t)
		}
	}
}

// New returns a client of the gateway at a base URL. The key id is public. The key secret
// authenticates requests and signs the proof of payment. New returns an error if an
// argument is invalid, such as an empty secret.
func New(address, keyID, keySecret string, opts ...Option) (*Client, error) {
	base, err := provider.URL(address)
	if err != nil {
		return nil, fmt.Errorf("gateway: address: %w", err)
	}
	c := &Client{base: base, keyID: keyID, keySecret: keySecret,
		http: provider.NewClient(nil, provider.DefaultTimeout)}
	err = nilarg.Apply("gateway", c, opts)
	if err == nil {
		err = c.nilOptions.Err("gateway")
	}
	if err != nil {
		return nil, err
	}
	switch {
	case keyID == "" || strings.Contains(keyID, ":"):
		// Basic authentication separates name and password by a colon.
		return nil, errors.New("gateway: the key id is empty or has a colon in it")
	case blank(keySecret):
		return nil, errors.New("gateway: the key secret is empty")
	case c.http.Timeout <= 0:
		return nil, errors.New("gateway: the time-out must be longer than zero")
	}
	for i, secret := range c.webhookSecrets {
		if blank(secret) {
			return nil, fmt.Errorf("gateway: webhook secret %d is empty", i+1)
		}
	}
	return c, nil
}

// blank reports whether a text is empty or has only white space.
func blank(s string) bool { return strings.TrimSpace(s) == "" }

// Name implements [payment.Provider].
func (c *Client) Name() string { return payment.NameGateway }

// Accepts implements [payment.Provider]. The gateway takes currencies of two decimals, and at least
// 1.00 of them.
func (c *Client) Accepts(currency string) (core.AmountRule, bool) {
	return core.AmountRule{Smallest: 1_00, Step: 1}, core.HasTwoDecimals(currency)
}

// KeyID implements [payment.Provider].
func (c *Client) KeyID() string { return c.keyID }

// Format writes the type only, so that a client in a log line does not show its secrets.
func (c *Client) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, "gateway.Client") }
