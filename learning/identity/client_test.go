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

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/identity"
)

const apiKey = "sk_sesame"

func newClient(t *testing.T, path string, h http.HandlerFunc,
	opts ...identity.ClientOption) *identity.Client {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	c, err := identity.NewClient(s.URL+path, apiKey, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestGrantRole_Request(t *testing.T) {
	for _, c := range []struct{ base, user, want string }{
		{"", "user_1", "/v1/users/user_1/metadata"},
		{"/", "user_1", "/v1/users/user_1/metadata"},
		{"/tenant/", "user_1", "/tenant/v1/users/user_1/metadata"},
		{"", "a/b", "/v1/users/a%2Fb/metadata"},
		{"", "../admin", "/v1/users/..%2Fadmin/metadata"},
		{"", "a?b#c d%2F", "/v1/users/a%3Fb%23c%20d%252F/metadata"},
		{"", "…", "/v1/users/%E2%80%A6/metadata"},
	} {
		var got []string
		client := newClient(t, c.base, func(_ http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			got = []string{r.Method, r.RequestURI, r.Header.Get("Authorization"),
				r.Header.Get("Content-Type"), string(body)}
		})
		if err := client.GrantRole(t.Context(), c.user, core.Educator); err != nil {
			t.Error(err)
		}
		want := []string{"PATCH", c.want, "Bearer " + apiKey, "application/json",
			`{"public_metadata":{"role":"educator"}}`}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", c.user, diff)
		}
	}
}

func TestGrantRole_ErrorsHideSecrets(t *testing.T) {
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"status 400": {status(400), "status 400"},
		"status 401": {status(401), "status 401"},
		"status 404": {status(404), "status 404"},
		"status 422": {status(422), "status 422"},
		"status 429": {status(429), "status 429"},
		"status 500": {status(500), "status 500"},
		"a redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}, "status 307"},
		"a page": {says("<!doctype html><title>502 Bad Gateway</title>"),
			"not a user record"},
		"a list": {says("[]"), "not a user record"},
		"another role": {says(`{"id":"user_1","public_metadata":{"role":"student"}}`),
			"another role"},
		"too large": {says(strings.Repeat("x", 1<<20+1)), "longer than 1048576 bytes"},
		"closed connection": {func(http.ResponseWriter,
			*http.Request) {
			panic(http.ErrAbortHandler)
		}, "closed the connection"},
		"no answer": {func(_ http.ResponseWriter,
			r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		}, "in time"},
	} {
		timeout := 10 * time.Second
		if c.want == "in time" {
			timeout = 50 * time.Millisecond
		}
		err := newClient(t, "", c.answer, identity.WithTimeout(timeout)).GrantRole(t.Context(),
			"user_1", core.Educator)
		if err == nil || !strings.Contains(err.Error(), c.want) ||
			strings.Contains(err.Error(), "sesame") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(code)
		_, _ = io.WriteString(w, r.Header.Get("Authorization"))
	}
}

func TestGrantRole_CancelledContextEndsTheRequest(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := newClient(t, "", func(_ http.ResponseWriter, r *http.Request) {
		// so that the server notices that the client has closed the connection
		_, _ = io.Copy(io.Discard, r.Body)
		cancel()
		<-r.Context().Done()
	})
	if err := c.GrantRole(ctx, "user_1", core.Educator); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestGrantRole_InvalidArgumentsAreNotSent(t *testing.T) {
	c := newClient(t, "",
		func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") })
	for _, user := range []string{"", ".", ".."} {
		if err := c.GrantRole(t.Context(), user, core.Educator); err == nil {
			t.Errorf("user %q: no error", user)
		}
	}
	for _, role := range []learning.Role{"", "owner", "Admin"} {
		if err := c.GrantRole(t.Context(), "user_1", role); err == nil {
			t.Errorf("role %q: no error", role)
		}
	}
}

func TestNewClient_InvalidArguments(t *testing.T) {
	for name, make := range map[string]func() (*identity.Client, error){
		"address without a scheme": func() (*identity.Client,
			error) {
			return identity.NewClient("id.example.com", apiKey)
		},
		"empty key": func() (*identity.Client,
			error) {
			return identity.NewClient("https://id.example.com", "")
		},
		"key with a line break": func() (*identity.Client,
			error) {
			return identity.NewClient("https://id.example.com", apiKey+"\n")
		},
		"no time-out": func() (*identity.Client, error) {
			return identity.NewClient("https://id.example.com", apiKey, identity.WithTimeout(0))
		},
	} {
		if _, err := make(); err == nil || strings.Contains(err.Error(), "sesame") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestClient_FormatHidesTheKey(t *testing.T) {
	c, err := identity.NewClient("https://id.example.com", apiKey)
	if err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		if got := fmt.Sprintf(verb, c); got != "identity.Client" {
			t.Errorf("%s shows %s", verb, got)
		}
	}
}
