package sandbox

import (
	"cmp"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Config configures a sandbox. Only URL is required by [New]; [Listen] has a default for it.
type Config struct {
	// URL is the base URL under which the sandbox is reached, without a slash at its end. It is the
	// issuer of the tokens.
	URL string
	// Addr is the address on which [Listen] listens; default 127.0.0.1:0. New ignores it.
	Addr string
	// WebhookURL is the base URL of the platform: webhooks go to WebhookURL+"/idp",
	// WebhookURL+"/gateway" and WebhookURL+"/stripe". Empty: none are sent. See also
	// [Sandbox.SetWebhookURL].
	WebhookURL string
	// PublicURL is the base URL of the platform for clients, in the examples on the sandbox's
	// pages; default WebhookURL.
	PublicURL string
	// FrontendOrigin is the origin of a front end, such as http://localhost:5173, whose pages may
	// sign in and pay from the browser (CORS), and to which the checkout returns. Empty: no page of
	// another origin may.
	FrontendOrigin string

	// The gateway's credentials. An empty one is taken from State, else made at random.
	GatewayKeyID, GatewayKeySecret, GatewayWebhookSecret string
	// The identity provider's credentials, likewise. The webhook secret is "whsec_" and standard
	// base64.
	IdentityAPIKey, IdentityWebhookSecret string
	// The AI provider's credential, likewise. Its base URL is that of the sandbox and "/v1", its
	// model AIModel.
	AIAPIKey string
	// Stripe's credentials, likewise. Its base URL is that of the sandbox and StripePath.
	StripeKey, StripePublishableKey, StripeWebhookSecret string

	// Clock returns the time of tokens, records and webhook signatures; the default is time.Now.
	// Waits use the real clock.
	Clock func() time.Time
	// Log is the logger; by default nothing is logged.
	Log *slog.Logger
	// Retry holds the waits between the delivery attempts of a webhook; there is one attempt more
	// than waits. The default is 12 waits that double from one second up to ten minutes. An empty
	// list means one attempt.
	Retry []time.Duration
	// State is a file that stores keys, secrets, users, orders and payments. If it is empty, they
	// are in memory only. Webhooks that were not delivered are not stored, because a platform must
	// handle lost ones.
	State string
}

// Sandbox is an http.Handler with all providers. It is safe for concurrent use.
type Sandbox struct {
	cfg      Config
	state    *state
	sender   *sender
	identity *Identity
	gateway  *Gateway
	stripe   *Stripe
	ai       *AI
	handler  http.Handler

	done  chan struct{} // closed by Close, to end hanging requests
	close sync.Once
	stop  func() // closes the listener of Listen
}

// New returns a sandbox that does not listen: the caller must serve it, and call Close at the end.
// It returns an error if the URL, the front-end origin, the identity webhook secret or the state
// file is invalid, or if the state file cannot be written.
func New(cfg Config) (*Sandbox, error) {
	st, err := openState(cfg.State)
	if err != nil {
		return nil, err
	}
	// Secrets that are not configured are those of the file, or new ones. The file keeps them.
	if cfg, err = complete(cfg, st.data.Secrets); err != nil {
		return nil, err
	}
	if err := st.adopt(secretsOf(cfg)); err != nil {
		return nil, err
	}
	// The providers share the state.
	s := &Sandbox{cfg: cfg, state: st, sender: newSender(cfg), done: make(chan struct{}),
		stop: func() {}}
	if s.identity, err = newIdentity(s); err != nil {
		return nil, err
	}
	s.gateway, s.stripe, s.ai = newGateway(s), newStripe(s), newAI(s)
	s.handler = s.routes()
	return s, nil
}

// Config returns the configuration with its defaults, such as the URL and the secrets. A PublicURL
// that was not set stays empty. The WebhookURL is the one in use, which [Sandbox.SetWebhookURL] may
// have changed.
func (s *Sandbox) Config() Config {
	cfg := s.cfg
	cfg.WebhookURL = s.sender.target()
	return cfg
}

// Identity returns the identity provider.
func (s *Sandbox) Identity() *Identity { return s.identity }

// Gateway returns the payment gateway.
func (s *Sandbox) Gateway() *Gateway { return s.gateway }

// Stripe returns Stripe.
func (s *Sandbox) Stripe() *Stripe { return s.stripe }

// AI returns the AI provider.
func (s *Sandbox) AI() *AI { return s.ai }

// ServeHTTP serves the providers and the pages.
func (s *Sandbox) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Close cancels the deliveries of webhooks and waits for them, ends hanging requests, and closes
// the listener of [Listen]. It may be called more than once.
func (s *Sandbox) Close() {
	s.close.Do(func() {
		// done ends late captures and hanging requests. A capture sends a webhook, so the sender is
		// closed after the payment providers.
		close(s.done)
		s.gateway.close()
		s.stripe.close()
		s.sender.close()
		s.stop()
	})
}

// routes returns the handler of the providers, the pages and the routes for tests. Its guard
// rejects what pages of other origins send.
func (s *Sandbox) routes() http.Handler {
	mux := http.NewServeMux()
	s.identity.routes(mux)
	s.gateway.routes(mux)
	s.stripe.routes(mux)
	s.ai.routes(mux)
	mux.HandleFunc("GET /{$}", s.home)
	mux.HandleFunc("POST /sandbox/faults", s.addFault)
	mux.HandleFunc("DELETE /sandbox/faults", s.clearFaults)
	mux.HandleFunc("GET /sandbox/counters", s.serveCounters)
	s.controlRoutes(mux)
	s.stripe.controlRoutes(mux)
	mux.HandleFunc("GET /favicon.ico", serveIcon)
	return s.guard(mux)
}

// complete checks a configuration and fills in what it leaves out, except Addr, which Listen fills
// in, and PublicURL, whose default may change. saved are the secrets of the state file.
func complete(cfg Config, saved secrets) (Config, error) {
	// Check what is configured.
	u, err := url.Parse(cfg.URL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return cfg, fmt.Errorf("open sandbox: the URL %q is not an absolute http(s) address",
			cfg.URL)
	}
	cfg.URL = strings.TrimRight(cfg.URL, "/")
	if cfg.FrontendOrigin != "" {
		if err := checkOrigin(cfg.FrontendOrigin); err != nil {
			return cfg, fmt.Errorf("open sandbox: front-end origin %q: %w", cfg.FrontendOrigin, err)
		}
	}
	// Fill in keys and secrets.
	cfg.GatewayKeyID = cmp.Or(cfg.GatewayKeyID, saved.GatewayKeyID, newID("key_"))
	cfg.GatewayKeySecret = cmp.Or(cfg.GatewayKeySecret, saved.GatewayKeySecret, rand.Text())
	cfg.GatewayWebhookSecret = cmp.Or(cfg.GatewayWebhookSecret, saved.GatewayWebhookSecret,
		rand.Text())
	cfg.IdentityAPIKey = cmp.Or(cfg.IdentityAPIKey, saved.IdentityAPIKey, "sk_"+rand.Text())
	cfg.StripeKey = cmp.Or(cfg.StripeKey, saved.StripeKey, "sk_test_"+rand.Text())
	cfg.StripePublishableKey = cmp.Or(cfg.StripePublishableKey, saved.StripePublishableKey,
		"pk_test_"+rand.Text())
	cfg.StripeWebhookSecret = cmp.Or(cfg.StripeWebhookSecret, saved.StripeWebhookSecret,
		"whsec_"+rand.Text())
	cfg.AIAPIKey = cmp.Or(cfg.AIAPIKey, saved.AIAPIKey, "sk_ai_"+rand.Text())
	cfg.IdentityWebhookSecret = cmp.Or(cfg.IdentityWebhookSecret, saved.IdentityWebhookSecret,
		newWebhookSecret())
	if cfg.IdentityWebhookSecret == "whsec_" { // the library would accept it
		return cfg, errors.New("open sandbox: the identity webhook secret is empty")
	}
	// Fill in the functions.
	if cfg.Clock == nil {
		cfg.Clock = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Retry == nil {
		cfg.Retry = defaultRetry()
	}
	return cfg, nil
}

// newWebhookSecret returns a random secret in the format of Standard Webhooks.
func newWebhookSecret() string {
	key := make([]byte, 24) // the fewest bytes that Standard Webhooks recommends
	rand.Read(key)          // never fails, see crypto/rand
	return "whsec_" + base64.StdEncoding.EncodeToString(key)
}

// newID returns a random id of 70 bits.
func newID(prefix string) string { return prefix + rand.Text()[:14] }
