package ai

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/openlectern/openlectern/internal/nilarg"
	"github.com/openlectern/openlectern/internal/provider"
	"github.com/openlectern/openlectern/learning/tutor"
)

var _ tutor.AI = (*Client)(nil)

// Defaults of the options.
const (
	defaultWhole   = time.Minute
	defaultBegin   = 30 * time.Second
	defaultIdle    = 20 * time.Second
	defaultRetries = 2
	defaultPause   = 250 * time.Millisecond
	defaultLongest = 256 << 10
)

// Client is a client of a language model's API. It is safe for concurrent use. It
// implements [tutor.AI].
type Client struct {
	nilOptions nilarg.Options

	endpoint string
	key      string
	model    string
	http     *http.Client

	whole, begin, idle time.Duration // see WithTimeouts
	retries            int           // after the first try
	pause              time.Duration // before the first retry
	longest            int           // text, in bytes

	refused atomic.Uint32 // the features that the provider has refused
}

// Option changes a [Client] from its defaults.
type Option func(*Client)

// WithTimeouts bounds a call with all its tries (default one minute), the start of a stream
// (30 seconds) and each pause of a stream (20 seconds). Only the first applies to answers
// in one piece.
func WithTimeouts(whole, begin, idle time.Duration) Option {
	return func(c *Client) { c.whole, c.begin, c.idle = whole, begin, idle }
}

// WithRetries sets the number of retries after a temporary failure: the statuses 408, 429
// and 5xx, and broken connections. The default is 2.
func WithRetries(n int) Option { return func(c *Client) { c.retries = n } }

// WithPause sets about how long a call waits before the first retry. The pause doubles for
// each further retry, unless the provider sends Retry-After. The default is 250 ms.
func WithPause(d time.Duration) Option { return func(c *Client) { c.pause = d } }

// WithMaxAnswer sets the maximum length of an answer's text, in bytes. The default is
// 256 KiB. A longer answer is an error.
func WithMaxAnswer(n int) Option { return func(c *Client) { c.longest = n } }

// WithoutSchema describes schemas in the prompt instead of response_format, for a provider
// that accepts response_format and ignores it. A provider that rejects it is detected
// without this option.
func WithoutSchema() Option { return func(c *Client) { c.refused.Or(uint32(schemaFeature)) } }

// WithTransport sets the transport. The default, also if t is nil, is [http.DefaultTransport].
func WithTransport(t http.RoundTripper) Option {
	return func(c *Client) {
		if t != nil {
			c.http.Transport = nilarg.Given(&c.nilOptions, "WithTransport", t)
		}
	}
}

// New returns a client of the API at a base URL, such as https://api.example.org/v1:
// requests go to {URL}/chat/completions. The key may be empty, because local servers
// need none. New returns an error if an argument or an option is invalid, such as an empty model.
// It sends no request.
func New(address, key, model string, opts ...Option) (*Client, error) {
	base, err := provider.URL(address)
	if err != nil {
		return nil, fmt.Errorf("ai: address: %w", err)
	}
	c := &Client{
		endpoint: base.JoinPath("chat/completions").String(), key: key, model: model,
		http:  provider.NewClient(nil, 0), // each call has its own end: see WithTimeouts
		whole: defaultWhole, begin: defaultBegin, idle: defaultIdle, retries: defaultRetries,
		pause: defaultPause, longest: defaultLongest,
	}
	err = nilarg.Apply("ai", c, opts)
	if err == nil {
		err = c.nilOptions.Err("ai")
	}
	if err != nil {
		return nil, err
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	return c, nil
}

// check validates the client. Its errors do not contain the key.
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
	case c.pause <= 0:
		return errors.New("ai: the pause before a retry must be positive")
	case c.longest <= 0:
		return errors.New("ai: the longest answer must be longer than zero")
	}
	return nil
}

// unprintable reports whether a character is not printable ASCII. A space counts as unprintable,
// because a key has none.
func unprintable(r rune) bool { return r <= ' ' || r > '~' }

// Format writes the type only, so that a client in a log line does not show its key.
func (c *Client) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, "ai.Client") }
