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

	"github.com/openlectern/openlectern/internal/provider"
	"github.com/openlectern/openlectern/learning"
)

var _ learning.Gateway = (*Client)(nil)

// Client is a payment gateway behind its HTTP API. It is safe for concurrent use.
// It is a [learning.Gateway].
type Client struct {
	base           *url.URL
	keyID          string
	keySecret      string
	webhookSecrets []string
	http           *http.Client
}

// Option changes a [Client] from its defaults.
type Option func(*Client)

// WithWebhookSecrets sets the secrets that sign webhooks; they are not the key
// secret. While one is being changed there are two, since the gateway signs what
// it sends again with the old one. Without any, no webhook is believed.
func WithWebhookSecrets(secrets ...string) Option {
	return func(c *Client) { c.webhookSecrets = slices.Clone(secrets) }
}

// WithTimeout bounds one request: 10 seconds without it.
func WithTimeout(d time.Duration) Option { return func(c *Client) { c.http.Timeout = d } }

// WithTransport sets what carries the requests; [http.DefaultTransport] without it.
func WithTransport(t http.RoundTripper) Option { return func(c *Client) { c.http.Transport = t } }

// New makes a client of the gateway at an address. The key id is public, the key
// secret is not: it authenticates requests and signs what the checkout returns.
// It fails on what cannot be right, an empty secret above all, with which anybody
// could sign.
func New(address, keyID, keySecret string, opts ...Option) (*Client, error) {
	base, err := provider.URL(address)
	if err != nil {
		return nil, fmt.Errorf("gateway: address: %w", err)
	}
	c := &Client{base: base, keyID: keyID, keySecret: keySecret, http: provider.NewClient(nil, provider.DefaultTimeout)}
	for _, opt := range opts {
		opt(c)
	}
	switch {
	case keyID == "" || strings.Contains(keyID, ":"): // basic authentication ends the name there
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

func blank(s string) bool { return strings.TrimSpace(s) == "" }

// KeyID implements [learning.PaymentVerifier].
func (c *Client) KeyID() string { return c.keyID }

// Format writes the type alone: a client in a log line must not show its secrets.
func (c *Client) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, "gateway.Client") }
