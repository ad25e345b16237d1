package identity_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/identity"
)

// handlerTransport is a transport that calls a handler instead of the network.
type handlerTransport struct {
	http.Handler
	asked []string
}

func (c *handlerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	c.asked = append(c.asked, r.Method+" "+r.URL.String())
	answer := httptest.NewRecorder()
	c.ServeHTTP(answer, r)
	return answer.Result(), nil
}

func TestWithTransport_CarriesRoleRequests(t *testing.T) {
	var key, body string
	c := &handlerTransport{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		key, body = r.Header.Get("Authorization"), string(text)
	})}
	client, err := identity.NewClient("https://idp.invalid", apiKey, identity.WithTransport(c))
	if err != nil {
		t.Fatal(err)
	}
	if err := client.GrantRole(t.Context(), "user_1", core.Educator); err != nil {
		t.Error(err)
	}
	if len(c.asked) != 1 || c.asked[0] != "PATCH https://idp.invalid/v1/users/user_1/metadata" {
		t.Errorf("requests %q", c.asked)
	}
	if key != "Bearer "+apiKey || body != `{"public_metadata":{"role":"educator"}}` {
		t.Errorf("request body %q, authorization %q", body, key)
	}
}

func TestWithKeyTransport_CarriesKeyRequests(t *testing.T) {
	w := newVerifierHarness(t)
	c := &handlerTransport{Handler: w.keys.Config.Handler}
	v, err := identity.NewVerifier("https://idp.invalid/keys", identity.WithIssuer(issuer),
		identity.WithClock(w.clock), identity.WithKeyTransport(c))
	if err != nil {
		t.Fatal(err)
	}
	claims, err := v.VerifyToken(t.Context(), w.token(nil))
	if err != nil || claims.UserID != "user_1" {
		t.Errorf("%+v, %v", claims, err)
	}
	if len(c.asked) != 1 || c.asked[0] != "GET https://idp.invalid/keys" {
		t.Errorf("requests %q", c.asked)
	}
}
