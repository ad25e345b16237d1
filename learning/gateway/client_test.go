package gateway_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning/gateway"
)

const (
	keyID     = "key_public"
	keySecret = "sesame of the key"
)

// newGateway returns a client of a gateway whose handler is h.
func newGateway(t *testing.T, h http.HandlerFunc, opts ...gateway.Option) *gateway.Client {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return newClient(t, s.URL, opts...)
}

func newClient(t testing.TB, address string, opts ...gateway.Option) *gateway.Client {
	t.Helper()
	c, err := gateway.New(address, keyID, keySecret, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestNew_InvalidArguments(t *testing.T) {
	const address = "https://pay.example.com"
	for name, c := range map[string]struct {
		address, id, secret string
		opt                 gateway.Option
	}{
		"no scheme":           {"pay.example.com", keyID, keySecret, nil},
		"no key id":           {address, "", keySecret, nil},
		"key id with a colon": {address, "a:b", keySecret, nil},
		"no key secret":       {address, keyID, "", nil},
		"blank key secret":    {address, keyID, " \n", nil},
		"an empty hook secret": {address, keyID, keySecret,
			gateway.WithWebhookSecrets("sesame", "")},
		"a blank hook secret": {address, keyID, keySecret, gateway.WithWebhookSecrets(" ")},
		"no time-out":         {address, keyID, keySecret, gateway.WithTimeout(0)},
		"a negative time-out": {address, keyID, keySecret, gateway.WithTimeout(-time.Second)},
	} {
		opts := []gateway.Option{}
		if c.opt != nil {
			opts = append(opts, c.opt)
		}
		if _, err := gateway.New(c.address, c.id, c.secret, opts...); err == nil ||
			strings.Contains(err.Error(), "sesame") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestFormat_HidesSecrets(t *testing.T) {
	c := newClient(t, "https://pay.example.com", gateway.WithWebhookSecrets("sesame"))
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		if got := fmt.Sprintf(verb, c); got != "gateway.Client" {
			t.Errorf("%s shows %s", verb, got)
		}
	}
	if got := c.KeyID(); got != keyID {
		t.Errorf("key id %q", got)
	}
}
