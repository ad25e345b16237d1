package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/openlectern/openlectern/internal/eventjson"
	"github.com/openlectern/openlectern/internal/nilarg"
	"github.com/openlectern/openlectern/internal/provider"
	"github.com/openlectern/openlectern/internal/secret"
	"github.com/openlectern/openlectern/learning/core"
)

const (
	// answerTime bounds one delivery, from dialling to the last byte of the answer that is read.
	answerTime = 15 * time.Second
	// maxAnswer is how much of an answer is read, in bytes, so that its connection can be used
	// again.
	maxAnswer = 4 << 10
	// idleConns is how many idle connections to the receiver are kept: one for each call that
	// a platform makes at once while the receiver answers soon, four in each of eight shards.
	idleConns = 32
)

var _ core.EventHandler = (*Sender)(nil)

// Sender sends events to one URL. It is safe for concurrent use. It implements
// [core.EventHandler].
type Sender struct {
	nilOptions nilarg.Options

	url   string
	hooks []*webhooks.Webhook
	http  *http.Client
}

// Option changes a [Sender] from its defaults.
type Option func(*Sender)

// NewTransport returns the default transport of a [Sender]: that of package http, which keeps
// more connections to one server.
func NewTransport() http.RoundTripper { return provider.NewTransport(idleConns) }

// WithTransport sets the transport. The default, also if t is nil, is [NewTransport].
func WithTransport(t http.RoundTripper) Option {
	return func(s *Sender) {
		if t != nil {
			s.http.Transport = nilarg.Given(&s.nilOptions, "WithTransport", t)
		}
	}
}

// NewSender returns a sender of webhooks to an absolute http or https URL. Each secret signs
// every webhook, so that a receiver that knows any of them can verify it while secrets are
// rotated. A secret is base64, with or without the prefix "whsec_" and padding. NewSender
// returns an error if the URL is invalid, if there is no secret, or if one is not base64 or is
// shorter than 24 bytes.
func NewSender(url string, secrets []string, opts ...Option) (*Sender, error) {
	if _, err := provider.URL(url); err != nil {
		return nil, fmt.Errorf("webhook: URL: %w", err)
	}
	hooks, err := secret.Parse(secrets...)
	if err != nil {
		return nil, fmt.Errorf("webhook: %w", err)
	}
	s := &Sender{url: url, hooks: hooks, http: provider.NewClient(NewTransport(), answerTime)}
	err = nilarg.Apply("webhook", s, opts)
	if err == nil {
		err = s.nilOptions.Err("webhook")
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// HandleEvent implements [core.EventHandler]. It sends the event once, and returns nil if
// the receiver answered with a status of 200 to 299 within 15 seconds. A redirect is not
// followed and is an error, because the new address may not be the receiver's. The header
// webhook-id is the id of the event, in every delivery of it.
func (s *Sender) HandleEvent(ctx context.Context, e core.Event) error {
	r, err := s.request(ctx, e, time.Now())
	if err != nil {
		return fmt.Errorf("webhook: %w", err)
	}
	res, err := provider.Open(s.http, r)
	if err != nil {
		return fmt.Errorf("webhook: %w", err)
	}
	defer res.Body.Close()
	// The status alone decides. The body is read only so that the connection can be used again.
	_, _ = io.CopyN(io.Discard, res.Body, maxAnswer)
	if err := provider.Status(res); err != nil {
		return fmt.Errorf("webhook: %w", err)
	}
	return nil
}

// request returns the signed request that delivers an event. now is the time of this delivery, and
// its timestamp, because receivers refuse old ones. An error about the URL or a signature does
// not wrap that of the library, which may quote the URL or a secret.
func (s *Sender) request(ctx context.Context, e core.Event,
	now time.Time) (*http.Request, error) {
	body, err := eventjson.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("encode an event: %w", err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("the URL cannot be used")
	}
	// One signature for each secret: a receiver verifies that of the secret it knows.
	signatures := make([]string, len(s.hooks))
	for i, hook := range s.hooks {
		if signatures[i], err = hook.Sign(e.ID, now, body); err != nil {
			return nil, errors.New("sign an event")
		}
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "OpenLectern")
	r.Header.Set(webhooks.HeaderWebhookID, e.ID)
	r.Header.Set(webhooks.HeaderWebhookTimestamp, strconv.FormatInt(now.Unix(), 10))
	r.Header.Set(webhooks.HeaderWebhookSignature, strings.Join(signatures, " "))
	// A header without values is not sent. It tells net/http that it may repeat the request if the
	// receiver has closed an idle connection.
	r.Header["Idempotency-Key"] = nil
	return r, nil
}

// Format writes the type only, so that a sender in a log line does not show its secrets.
func (s *Sender) Format(w fmt.State, _ rune) { _, _ = io.WriteString(w, "webhook.Sender") }
