package ai

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/openlectern/openlectern/internal/provider"
	"github.com/openlectern/openlectern/learning"
)

var _ learning.AI = (*Client)(nil)

// What holds without options.
const (
	defaultWhole   = time.Minute
	defaultBegin   = 30 * time.Second
	defaultIdle    = 20 * time.Second
	defaultRetries = 2
	defaultLongest = 256 << 10
)

// Client is a language model behind an API. It is safe for concurrent use. It is a
// [learning.AI].
type Client struct {
	endpoint string
	key      string
	model    string
	http     *http.Client

	whole, begin, idle time.Duration
	retries            int
	longest            int // text, in bytes

	refused atomic.Uint32 // the features that the provider has refused
}

// Option changes a [Client] from its defaults.
type Option func(*Client)

// WithTimeouts bounds a call: as a whole, with all its tries (a minute without this
// option); a stream until it begins (30 seconds), and whenever it pauses (20
// seconds). An answer in one piece begins when it is finished, so only the first
// holds for it.
func WithTimeouts(whole, begin, idle time.Duration) Option {
	return func(c *Client) { c.whole, c.begin, c.idle = whole, begin, idle }
}

// WithRetries sets how often a call is tried again that met a failure which may
// pass: the statuses 408, 429 and 5xx, and connections that break. 2 without it.
func WithRetries(n int) Option { return func(c *Client) { c.retries = n } }

// WithMaxAnswer sets how long the text of an answer may be, in bytes: 256 KiB
// without it. A longer one is a failure.
func WithMaxAnswer(n int) Option { return func(c *Client) { c.longest = n } }

// WithoutSchema is for a provider that takes response_format and does not honour
// it: schemas are put into words from the start. One that refuses it is found out
// without this option.
func WithoutSchema() Option { return func(c *Client) { c.refused.Or(uint32(schemaFeature)) } }

// WithTransport sets what carries the requests; [http.DefaultTransport] without it.
func WithTransport(t http.RoundTripper) Option { return func(c *Client) { c.http.Transport = t } }

// New makes a client of the API whose base is an address, such as
// https://api.example.org/v1: requests go to {address}/chat/completions. Servers on
// one's own machine need no key: it may be empty.
func New(address, key, model string, opts ...Option) (*Client, error) {
	base, err := provider.URL(address)
	if err != nil {
		return nil, fmt.Errorf("ai: address: %w", err)
	}
	c := &Client{
		endpoint: base.JoinPath("chat/completions").String(), key: key, model: model,
		http:  provider.NewClient(nil, 0), // each call has its own end: see WithTimeouts
		whole: defaultWhole, begin: defaultBegin, idle: defaultIdle, retries: defaultRetries, longest: defaultLongest,
	}
	for _, opt := range opts {
		opt(c)
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	return c, nil
}

// check finds what cannot be right. It repeats no key.
func (c *Client) check() error {
	switch {
	case strings.TrimSpace(c.model) == "":
		return errors.New("ai: the model has no name")
	case strings.ContainsFunc(c.key, unprintable):
		return errors.New("ai: the key has a character that no header can have")
	case c.whole <= 0 || c.begin <= 0 || c.idle <= 0:
		return errors.New("ai: the time-outs must be longer than zero")
	case c.retries < 0:
		return errors.New("ai: the number of retries must not be negative")
	case c.longest <= 0:
		return errors.New("ai: the longest answer must be longer than zero")
	}
	return nil
}

func unprintable(r rune) bool { return r <= ' ' || r > '~' }

// Format writes the type alone: a client in a log line must not show its key.
func (c *Client) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, "ai.Client") }
