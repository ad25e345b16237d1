package sandbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning/sandbox"
)

// timeLimit bounds the waits of a test. Only a failing test reaches it.
const timeLimit = 20 * time.Second

// start starts a sandbox that is closed at the end of the test.
func start(tb testing.TB, cfg sandbox.Config) *sandbox.Sandbox {
	tb.Helper()
	s, err := sandbox.Listen(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.Close)
	return s
}

// waitForWebhooks waits until all webhooks are delivered or have failed.
func waitForWebhooks(tb testing.TB, s *sandbox.Sandbox) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), timeLimit)
	defer cancel()
	if err := s.Wait(ctx); err != nil {
		tb.Fatal(err)
	}
}

// hook is a webhook that the platform received.
type hook struct {
	path   string
	header http.Header
	body   []byte
	at     time.Time
}

// platform receives webhooks. It answers with the given statuses, and then with 200.
type platform struct {
	*httptest.Server
	mu       sync.Mutex
	statuses []int
	hooks    []hook
}

func newPlatform(tb testing.TB, statuses ...int) *platform {
	p := &platform{statuses: statuses}
	p.Server = httptest.NewServer(http.HandlerFunc(p.receive))
	tb.Cleanup(p.Close)
	return p
}

func (p *platform) receive(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hooks = append(p.hooks, hook{path: r.URL.Path, header: r.Header, body: body, at: time.Now()})
	if len(p.statuses) > 0 {
		if p.statuses[0]/100 == 3 {
			w.Header().Set("Location", "/elsewhere")
		}
		w.WriteHeader(p.statuses[0])
		p.statuses = p.statuses[1:]
	}
}

func (p *platform) received() []hook {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]hook(nil), p.hooks...)
}

// only returns the webhook if exactly one was received.
func (p *platform) only(tb testing.TB) hook {
	tb.Helper()
	got := p.received()
	if len(got) != 1 {
		tb.Fatalf("%d webhooks were received, want 1", len(got))
	}
	return got[0]
}

// call sends a request with a body, if it is not empty, and returns status, header and body.
func call(tb testing.TB, method, url, body string,
	change ...func(*http.Request)) (int, http.Header, string) {
	tb.Helper()
	res, err := try(tb.Context(), method, url, body, change...)
	if err != nil {
		tb.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		tb.Fatal(err)
	}
	return res.StatusCode, res.Header, string(b)
}

func try(ctx context.Context, method, url, body string,
	change ...func(*http.Request)) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	for _, c := range change {
		c(req)
	}
	return http.DefaultClient.Do(req)
}

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

// gatewayKey adds the gateway's key to a request.
func gatewayKey(s *sandbox.Sandbox) func(*http.Request) {
	return func(r *http.Request) {
		r.SetBasicAuth(s.Config().GatewayKeyID,
			s.Config().GatewayKeySecret)
	}
}

// identityKey adds the API key of the identity provider to a request.
func identityKey(s *sandbox.Sandbox) func(*http.Request) {
	return header("Authorization", "Bearer "+s.Config().IdentityAPIKey)
}

func decode[T any](tb testing.TB, body []byte) (v T) {
	tb.Helper()
	dec := json.NewDecoder(bytes.NewReader(body))
	if err := dec.Decode(&v); err != nil {
		tb.Fatalf("%v in %s", err, body)
	}
	return v
}

func TestNew_DefaultsDifferBetweenSandboxes(t *testing.T) {
	a, b := start(t, sandbox.Config{}).Config(), start(t, sandbox.Config{}).Config()
	for name, pair := range map[string][2]string{
		"URL":                   {a.URL, b.URL},
		"GatewayKeyID":          {a.GatewayKeyID, b.GatewayKeyID},
		"GatewayKeySecret":      {a.GatewayKeySecret, b.GatewayKeySecret},
		"GatewayWebhookSecret":  {a.GatewayWebhookSecret, b.GatewayWebhookSecret},
		"IdentityAPIKey":        {a.IdentityAPIKey, b.IdentityAPIKey},
		"IdentityWebhookSecret": {a.IdentityWebhookSecret, b.IdentityWebhookSecret},
		"AIAPIKey":              {a.AIAPIKey, b.AIAPIKey},
	} {
		if pair[0] == "" || pair[0] == pair[1] {
			t.Errorf("%s: %q and %q, want two different values", name, pair[0], pair[1])
		}
	}
	if !strings.HasPrefix(a.IdentityWebhookSecret, "whsec_") {
		t.Error("the identity webhook secret lacks its prefix")
	}
}

func TestNew_InvalidConfig(t *testing.T) {
	for name, cfg := range map[string]sandbox.Config{
		"no URL":             {},
		"relative URL":       {URL: "/sandbox"},
		"URL of a file":      {URL: "file:///tmp"},
		"secret not base64":  {URL: "http://sandbox.test", IdentityWebhookSecret: "whsec_!"},
		"secret without key": {URL: "http://sandbox.test", IdentityWebhookSecret: "whsec_"},
		"state in no folder": {URL: "http://sandbox.test",
			State: t.TempDir() + "/absent/state.json"},
		"state is a folder":   {URL: "http://sandbox.test", State: t.TempDir()},
		"address not to bind": {Addr: "256.0.0.1:0"},
	} {
		t.Run(name, func(t *testing.T) {
			open := sandbox.New
			if cfg.Addr != "" {
				open = sandbox.Listen
			}
			if s, err := open(cfg); err == nil {
				s.Close()
				t.Error("no error")
			}
		})
	}
}

func TestSandbox_ServesInAnotherServer(t *testing.T) {
	s, srv := hosted(t)
	if got := s.Config().URL; got != srv.URL {
		t.Errorf("URL = %q, want %q without the slash", got, srv.URL)
	}
	status, _, _ := call(t, "GET", srv.URL+"/.well-known/jwks.json", "")
	if status != http.StatusOK {
		t.Errorf("status = %d", status)
	}
}

func TestClose_StopsListeningAndMayBeRepeated(t *testing.T) {
	s := start(t, sandbox.Config{})
	s.Close()
	s.Close()
	if res, err := try(t.Context(), "GET", s.Config().URL, ""); err == nil {
		res.Body.Close()
		t.Error("the sandbox still answers")
	}
}

func TestSandbox_RejectsPagesOfOtherOrigins(t *testing.T) {
	s := start(t, sandbox.Config{})
	if err := s.Identity().PutUser(sandbox.User{ID: "user_1"}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{"cross-site": http.StatusForbidden,
		"same-origin": http.StatusOK} {
		status, _, _ := call(t, "POST", s.Config().URL+"/v1/sign-in", "userId=user_1",
			header("Sec-Fetch-Site", name))
		if status != want {
			t.Errorf("%s: status = %d, want %d", name, status, want)
		}
	}
}
