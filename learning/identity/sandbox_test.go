package identity_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/identity"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// The sandbox implements the provider independently of this package: a user signs in and
// becomes an educator; a webhook reports it, and the next token has the role.
func TestVerifier_WithTheSandbox(t *testing.T) {
	messages := make(chan people.Webhook, 10)
	platform := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		messages <- people.Webhook{ID: r.Header.Get("hook-id"),
			Timestamp: r.Header.Get("hook-timestamp"), Signature: r.Header.Get("hook-signature"),
			Body: body}
	}))
	t.Cleanup(platform.Close)
	s, err := sandbox.Listen(sandbox.Config{WebhookURL: platform.URL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	if err := s.Identity().PutUserQuietly(sandbox.User{ID: "user_1"}); err != nil {
		t.Fatal(err)
	}
	v, err := identity.NewVerifier(s.Config().URL+"/.well-known/jwks.json",
		identity.WithIssuer(s.Config().URL))
	if err != nil {
		t.Fatal(err)
	}
	roleIs := func(want learning.Role) {
		t.Helper()
		for _, alg := range []string{"RS256", "ES256"} {
			token, err := s.Identity().Token("user_1", sandbox.WithAlg(alg))
			if err != nil {
				t.Fatal(err)
			}
			c, err := v.VerifyToken(t.Context(), token)
			if err != nil || c.UserID != "user_1" || c.Role != want ||
				time.Since(c.IssuedAt) > time.Minute {
				t.Errorf("%s: got %+v, %v; want role %s", alg, c, err, want)
			}
		}
	}
	roleIs("")
	client, err := identity.NewClient(s.Config().URL, s.Config().IdentityAPIKey)
	if err != nil {
		t.Fatal(err)
	}
	if err := client.GrantRole(t.Context(), "user_1", core.Educator); err != nil {
		t.Fatal(err)
	}
	roleIs(core.Educator)
	if err := client.GrantRole(t.Context(), "nobody", core.Educator); err == nil {
		t.Error("no error for a role of an unknown user")
	}
	m, err := identity.NewWebhookVerifier(s.Config().IdentityWebhookSecret)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.VerifyWebhook(<-messages, time.Now()); err != nil {
		t.Error(err)
	}
	if n := s.Identity().KeyFetches(); n != 1 {
		t.Errorf("%d fetches of the keys", n)
	}
}

func Example() {
	provider, err := sandbox.Listen(sandbox.Config{}) // in production, your provider
	if err != nil {
		fmt.Println(err)
		return
	}
	defer provider.Close()

	tokens, err := identity.NewVerifier(provider.Config().URL+"/.well-known/jwks.json",
		identity.WithIssuer(provider.Config().URL))
	if err != nil {
		fmt.Println(err)
		return
	}
	roles, err := identity.NewClient(provider.Config().URL, provider.Config().IdentityAPIKey)
	if err != nil {
		fmt.Println(err)
		return
	}
	messages, err := identity.NewWebhookVerifier(provider.Config().IdentityWebhookSecret)
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = []learning.Option{learning.WithTokens(tokens), learning.WithRoles(roles),
		learning.WithWebhooks(messages)}
	fmt.Println("ready")
	// Output: ready
}

func ExampleVerifier_VerifyToken() {
	provider, err := sandbox.Listen(sandbox.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer provider.Close()
	if err := provider.Identity().PutUserQuietly(sandbox.User{ID: "user_ada",
		Role: "educator"}); err != nil {
		fmt.Println(err)
		return
	}
	v, err := identity.NewVerifier(provider.Config().URL + "/.well-known/jwks.json")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, ttl := range []time.Duration{time.Minute, -time.Minute} {
		token, err := provider.Identity().Token("user_ada", sandbox.WithTTL(ttl))
		if err != nil {
			fmt.Println(err)
			return
		}
		c, err := v.VerifyToken(context.Background(), token)
		if errors.Is(err, people.ErrInvalidToken) {
			fmt.Println(err)
			continue
		}
		fmt.Println(c.UserID, c.Role, err)
	}
	// Output:
	// user_ada educator <nil>
	// learning: invalid token: it has expired
}

// A cached token needs a hash, every other token also a signature check.
func BenchmarkVerifyToken(b *testing.B) {
	keys := newKeyServer(b, rsaJWK("r1", rsaKey), ecJWK("e1", "P-256", ecKey))
	w := verifierHarness{clock: &clock{now: time.Now()}}
	later := map[string]any{"exp": time.Now().Add(24 * time.Hour).Unix()}
	for _, c := range []struct {
		name, token string
		memory      int
	}{
		{"cached", w.signed("r1", rsaKey, later), 10_000},
		{"RS256", w.signed("r1", rsaKey, later), 0},
		{"ES256", w.signed("e1", ecKey, later), 0},
		{"refused/unknown kid", w.signed("x", rsaKey, later), 10_000},
		{"refused/garbage", "a.b.c", 10_000},
	} {
		b.Run(c.name, func(b *testing.B) {
			v, err := identity.NewVerifier(keys.URL, identity.WithMemory(c.memory))
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				_, err = v.VerifyToken(b.Context(), c.token)
			}
			if errors.Is(err, people.ErrInvalidToken) != strings.HasPrefix(c.name, "refused") {
				b.Fatal(err)
			}
		})
	}
}
