package stripe_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/stripe"
)

const (
	key            = "sk_test_sesame"
	publishableKey = "pk_test_public"
)

// fixedClock is a clock that stands.
type fixedClock time.Time

func (c fixedClock) Now() time.Time { return time.Time(c) }

var _ core.Clock = fixedClock{}

// newStripe returns a client of a Stripe whose handler is h.
func newStripe(t *testing.T, h http.HandlerFunc, opts ...stripe.Option) *stripe.Client {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	c, err := stripe.New(key, publishableKey, append(opts, stripe.WithURL(s.URL))...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// newSandbox returns a client of the Stripe of a sandbox.
func newSandbox(t *testing.T, cfg sandbox.Config) (*stripe.Client, *sandbox.Stripe) {
	t.Helper()
	s, err := sandbox.Listen(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	cfg = s.Config()
	c, err := stripe.New(cfg.StripeKey, cfg.StripePublishableKey,
		stripe.WithURL(cfg.URL+sandbox.StripePath),
		stripe.WithWebhookSecrets("whsec_retired", cfg.StripeWebhookSecret))
	if err != nil {
		t.Fatal(err)
	}
	return c, s.Stripe()
}

func TestNew_InvalidArguments(t *testing.T) {
	for name, test := range map[string]struct {
		key, publishable string
		opt              stripe.Option
	}{
		"no key":                        {"", publishableKey, nil},
		"a key with a line break":       {key + "\n", publishableKey, nil},
		"no publishable key":            {key, "", nil},
		"the secret key is publishable": {publishableKey, publishableKey, nil},
		"the secret key is published":   {key, key, nil},
		"a restricted key is published": {key, "rk_test_sesame", nil},
		"a live key and one of a test":  {"sk_live_sesame", publishableKey, nil},
		"no address":                    {key, publishableKey, stripe.WithURL("")},
		"an address without a scheme":   {key, publishableKey, stripe.WithURL("api.stripe.com")},
		"no time-out":                   {key, publishableKey, stripe.WithTimeout(0)},
		"no clock":                      {key, publishableKey, stripe.WithClock(nil)},
		"a blank webhook secret": {key, publishableKey,
			stripe.WithWebhookSecrets("whsec_sesame", " ")},
	} {
		var opts []stripe.Option
		if test.opt != nil {
			opts = append(opts, test.opt)
		}
		if _, err := stripe.New(test.key, test.publishable, opts...); err == nil ||
			strings.Contains(err.Error(), "sesame") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	for _, live := range []string{"sk_live_1", "rk_live_1"} {
		if _, err := stripe.New(live, "pk_live_1"); err != nil {
			t.Errorf("%s: %v", live, err)
		}
	}
}

func TestFormat_HidesSecrets(t *testing.T) {
	c, err := stripe.New(key, publishableKey, stripe.WithWebhookSecrets("whsec_sesame"))
	if err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		if got := fmt.Sprintf(verb, c); got != "stripe.Client" {
			t.Errorf("%s shows %s", verb, got)
		}
	}
	if c.KeyID() != publishableKey || c.Name() != "stripe" {
		t.Errorf("key %q, name %q", c.KeyID(), c.Name())
	}
}
