package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/learning/sandbox"
)

// TestIdentitySettings_AudienceAndParties checks which tokens of one user a server
// accepts, by its settings.
func TestIdentitySettings_AudienceAndParties(t *testing.T) {
	t.Parallel()
	const frontEnd, other = "https://learn.example.org", "https://other.example.org"
	type claims = map[string]any
	for name, test := range map[string]struct {
		env                environment
		accepted, rejected []claims
	}{
		"defaults": {nil,
			[]claims{nil, {"azp": "http://localhost:5173"}, {"aud": "anything"}},
			[]claims{{"azp": other}}},
		"front-end origin": {environment{"LEARNING_FRONTEND_ORIGIN": frontEnd},
			[]claims{nil, {"azp": frontEnd}}, []claims{{"azp": "http://localhost:5173"}}},
		"parties": {environment{"LEARNING_IDENTITY_PARTIES": "https://a.example.org, " + other},
			[]claims{{"azp": other}}, []claims{nil, {"azp": frontEnd}}},
		"audience": {environment{"LEARNING_IDENTITY_AUDIENCE": "web,app"},
			[]claims{{"aud": "app"}, {"aud": []string{"x", "web"}}}, []claims{nil, {"aud": "x"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			box, err := sandbox.Listen(sandbox.Config{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(box.Close)
			if err := box.Identity().PutUserQuietly(sandbox.User{ID: "user_1"}); err != nil {
				t.Fatal(err)
			}
			s := serve(t, test.env, dev(t.TempDir(),
				"--identity-jwks-url="+box.Config().URL+"/.well-known/jwks.json",
				"--identity-issuer="+box.Config().URL,
				"--identity-api-url="+box.Config().URL,
				"--identity-api-key="+box.Config().IdentityAPIKey,
				"--identity-webhook-secret="+box.Config().IdentityWebhookSecret)...)
			status := func(c claims) int {
				token, err := box.Identity().Token("user_1", sandbox.WithClaims(c))
				if err != nil {
					t.Fatal(err)
				}
				status, _ := call(t, http.MethodGet, s.url+"/api/user/data", token, "")
				return status
			}
			for _, c := range test.accepted {
				if got := status(c); got != http.StatusOK {
					t.Errorf("%v: status %d", c, got)
				}
			}
			for _, c := range test.rejected {
				if got := status(c); got != http.StatusUnauthorized {
					t.Errorf("%v: status %d", c, got)
				}
			}
		})
	}
}

// No user waits for the keys after a rolling restart.
func TestIdentity_KeysAreFetchedBeforeTheServerListens(t *testing.T) {
	t.Parallel()
	box := providers(t)
	serve(t, configured(box, t.TempDir()))
	if n := box.Identity().KeyFetches(); n != 1 {
		t.Errorf("the keys were fetched %d times", n)
	}
}

// A server that has never got the keys refuses every user. Only the log has the cause, such as a
// wrong address.
func TestIdentity_KeysNeverFetched_LogHasTheCause(t *testing.T) {
	t.Parallel()
	dir, box := shop(t), providers(t)
	env := configured(box, dir)
	env["LEARNING_IDENTITY_JWKS_URL"] = "http://127.0.0.1:1/jwks.json" // nothing listens there
	s := serve(t, env)
	token := join(t, box, s.url, sandbox.User{ID: "user_1"})
	status, _ := call(t, http.MethodGet, s.url+"/api/user/data", token, "")
	if status != http.StatusServiceUnavailable {
		t.Errorf("status %d", status)
	}
	s.stop(t)
	if !strings.Contains(s.stderr.String(), "the keys of the identity provider were not fetched") {
		t.Errorf("the log does not warn at the start:\n%s", s.stderr.String())
	}
	for line := range strings.Lines(s.stderr.String()) {
		if strings.Contains(line, `"status":503`) &&
			strings.Contains(line, "dial tcp 127.0.0.1:1") {
			return
		}
	}
	t.Errorf("the log does not have the cause:\n%s", s.stderr.String())
}

// A server without keys serves what needs no user, and says at the start what is wrong.
func TestIdentitySettings_NoKeysAtTheURL_IsTold(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"production", development} {
		box := providers(t)
		env := configured(box, shop(t))
		env["LEARNING_ENV"], env["LEARNING_IDENTITY_JWKS_URL"] = mode,
			box.Config().URL+"/no-such-page"
		s := serve(t, env, "--sandbox-addr=127.0.0.1:0", "--storefront=false", "--log-level=debug")
		await(t, "the keys to be asked for",
			func() bool { return strings.Contains(s.stderr.String(), "no-such-page") })
		for _, want := range []string{"ERROR",
			"there are no keys at the address of the identity provider, so nobody can sign in",
			"LEARNING_IDENTITY_JWKS_URL", "404"} {
			if !strings.Contains(s.stderr.String(), want) {
				t.Errorf("%s: %q is not in:\n%s", mode, want, s.stderr.String())
			}
		}
		status, _ := rawCall(t, http.MethodGet, s.url+"/api/course/all", "", "")
		if status != http.StatusOK {
			t.Errorf("%s: the list of courses: %d", mode, status)
		}
		s.stop(t)
	}
}

func TestIdentitySettings_IssuerThatNoTokenHas_IsToldOnce(t *testing.T) {
	t.Parallel()
	const line = "no token so far has the issuer of the settings, so nobody can sign in"
	box := providers(t)
	env := configured(box, shop(t))
	env["LEARNING_IDENTITY_ISSUER"] = box.Config().URL + "/"
	s := serve(t, env)
	token := join(t, box, s.url, sandbox.User{ID: "user_1"})
	for range 3 {
		status, _ := call(t, http.MethodGet, s.url+"/api/user/data", token, "")
		if status != http.StatusUnauthorized {
			t.Errorf("status %d", status)
		}
	}
	s.stop(t) // writes the rest of the log
	log := s.stderr.String()
	if strings.Count(log, line) != 1 ||
		!strings.Contains(log, `"setting":"LEARNING_IDENTITY_ISSUER","issuer_of_setting":"`+
			box.Config().URL+`/","issuer_of_token":"`+box.Config().URL+`"`) {
		t.Errorf("the log is:\n%s", log)
	}
	if strings.Contains(log, token) {
		t.Error("the log has a token")
	}

	// A token of another issuer is no fault of the settings if other tokens are valid.
	env = configured(box, shop(t))
	s = serve(t, env)
	token = join(t, box, s.url, sandbox.User{ID: "user_1"})
	other, err := box.Identity().Token("user_1",
		sandbox.WithClaims(map[string]any{"iss": "https://other.example.org"}))
	if err != nil {
		t.Fatal(err)
	}
	status, _ := call(t, http.MethodGet, s.url+"/api/user/data", token, "")
	if status != http.StatusOK {
		t.Errorf("a valid token: status %d", status)
	}
	status, _ = call(t, http.MethodGet, s.url+"/api/user/data", other, "")
	if status != http.StatusUnauthorized || strings.Contains(s.stderr.String(), line) {
		t.Errorf("status %d and the log:\n%s", status, s.stderr.String())
	}
}
