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

// Config says how a sandbox is reached, whom it tells, and which secrets it uses. Only URL is needed, and [Listen]
// fills in even that.
type Config struct {
	// URL is the base URL under which the sandbox is reached, without a slash at its end. It is the issuer of the tokens.
	URL string
	// Addr is where [Listen] listens; default 127.0.0.1:0. New takes no notice of it.
	Addr string
	// WebhookURL is the base URL of the platform: webhooks go to WebhookURL+"/idp" and WebhookURL+"/gateway".
	// Empty: none are sent. See also [Sandbox.SetWebhookURL].
	WebhookURL string
	// FrontendOrigin is the origin of a front end, such as http://localhost:5173, whose pages may sign in and pay from
	// the browser (CORS). Empty: no page of another origin may.
	FrontendOrigin string

	// The gateway's credentials. An empty one is taken from State, else made at random.
	GatewayKeyID, GatewayKeySecret, GatewayWebhookSecret string
	// The identity provider's credentials, likewise. The webhook secret is "whsec_" and standard base64.
	IdentityAPIKey, IdentityWebhookSecret string
	// The AI provider's credential, likewise. Its base URL is that of the sandbox and "/v1", its model AIModel.
	AIAPIKey string

	// Clock dates tokens, records and webhook signatures; default time.Now. Waiting uses the real clock.
	Clock func() time.Time
	// Log receives what a person running the sandbox wants to know; by default nothing is logged.
	Log *slog.Logger
	// Retry holds the waits between the delivery attempts of a webhook; there is one attempt more than waits.
	// Nil means 12 waits that double from one second and stop growing at ten minutes. Empty means one attempt.
	Retry []time.Duration
	// State is a file in which keys, secrets, users, orders and payments survive a restart. Empty: memory only.
	// Webhooks under way do not survive, as a platform must cope with lost ones anyway.
	State string
}

// Sandbox is all three providers behind one http.Handler. It is safe for concurrent use.
type Sandbox struct {
	cfg      Config
	state    *state
	courier  *courier
	identity *Identity
	gateway  *Gateway
	ai       *AI
	handler  http.Handler

	done  chan struct{} // closed by Close; lets hanging requests go
	close sync.Once
	stop  func() // stops the listener of Listen
}

// New makes a sandbox that does not listen by itself: serve it, and call Close when done. It fails on an unusable URL,
// webhook secret or state file.
func New(cfg Config) (*Sandbox, error) {
	st, err := openState(cfg.State)
	if err != nil {
		return nil, err
	}
	if cfg, err = complete(cfg, st.data.Secrets); err != nil {
		return nil, err
	}
	if err := st.adopt(secretsOf(cfg)); err != nil {
		return nil, err
	}
	s := &Sandbox{cfg: cfg, state: st, courier: newCourier(cfg), done: make(chan struct{}), stop: func() {}}
	if s.identity, err = newIdentity(s); err != nil {
		return nil, err
	}
	s.gateway, s.ai = newGateway(s), newAI(s)
	s.handler = s.routes()
	return s, nil
}

// Config returns the configuration with its defaults filled in, so that a host learns the URL and the secrets.
func (s *Sandbox) Config() Config {
	cfg := s.cfg
	cfg.WebhookURL = s.courier.target()
	return cfg
}

// Identity is the identity provider.
func (s *Sandbox) Identity() *Identity { return s.identity }

// Gateway is the payment gateway.
func (s *Sandbox) Gateway() *Gateway { return s.gateway }

// AI is the AI provider.
func (s *Sandbox) AI() *AI { return s.ai }

// ServeHTTP serves the providers and the pages.
func (s *Sandbox) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Close stops the deliveries of webhooks and waits for them, lets hanging requests go, and stops listening if [Listen]
// started that. It may be called more than once.
func (s *Sandbox) Close() {
	s.close.Do(func() {
		close(s.done)
		s.courier.close()
		s.stop()
	})
}

func (s *Sandbox) routes() http.Handler {
	mux := http.NewServeMux()
	s.identity.routes(mux)
	s.gateway.routes(mux)
	s.ai.routes(mux)
	mux.HandleFunc("GET /{$}", s.home)
	mux.HandleFunc("POST /sandbox/faults", s.addFault)
	mux.HandleFunc("DELETE /sandbox/faults", s.clearFaults)
	mux.HandleFunc("GET /sandbox/counters", s.counters)
	mux.HandleFunc("GET /favicon.ico", serveIcon)
	return s.guard(mux)
}

func complete(cfg Config, saved secrets) (Config, error) {
	u, err := url.Parse(cfg.URL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return cfg, fmt.Errorf("open sandbox: the URL %q is not an absolute http(s) address", cfg.URL)
	}
	cfg.URL = strings.TrimRight(cfg.URL, "/")
	if cfg.FrontendOrigin != "" {
		if err := checkOrigin(cfg.FrontendOrigin); err != nil {
			return cfg, fmt.Errorf("open sandbox: front-end origin %q: %w", cfg.FrontendOrigin, err)
		}
	}
	cfg.GatewayKeyID = cmp.Or(cfg.GatewayKeyID, saved.GatewayKeyID, newID("key_"))
	cfg.GatewayKeySecret = cmp.Or(cfg.GatewayKeySecret, saved.GatewayKeySecret, rand.Text())
	cfg.GatewayWebhookSecret = cmp.Or(cfg.GatewayWebhookSecret, saved.GatewayWebhookSecret, rand.Text())
	cfg.IdentityAPIKey = cmp.Or(cfg.IdentityAPIKey, saved.IdentityAPIKey, "sk_"+rand.Text())
	cfg.AIAPIKey = cmp.Or(cfg.AIAPIKey, saved.AIAPIKey, "sk_ai_"+rand.Text())
	cfg.IdentityWebhookSecret = cmp.Or(cfg.IdentityWebhookSecret, saved.IdentityWebhookSecret, newWebhookSecret())
	if cfg.IdentityWebhookSecret == "whsec_" { // the library would take it, and anybody could sign
		return cfg, errors.New("open sandbox: the identity webhook secret is empty")
	}
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

func newWebhookSecret() string {
	key := make([]byte, 24)
	rand.Read(key) // never fails, see crypto/rand
	return "whsec_" + base64.StdEncoding.EncodeToString(key)
}

// newID makes an opaque id of 70 random bits, short enough to read aloud.
func newID(prefix string) string { return prefix + rand.Text()[:14] }
