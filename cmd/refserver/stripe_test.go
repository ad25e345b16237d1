package main

import (
	"strings"
	"testing"

	"github.com/openlectern/openlectern/learning/sandbox"
)

// rightStripe are settings that a server accepts.
var rightStripe = StripeSettings{Key: "sk_test_0123456789abcdef", PublishableKey: "pk_test_1",
	WebhookSecret: "whsec_0123456789abcdef, whsec_fedcba9876543210", Currencies: "EUR, USD"}

func TestCheck_StripeSettingsAreCompleteOrAbsent(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(s *StripeSettings)
		says   string // "" if the settings are right
	}{
		"none":            {func(s *StripeSettings) { *s = StripeSettings{} }, ""},
		"only currencies": {func(s *StripeSettings) { *s = StripeSettings{Currencies: "EUR"} }, ""},
		"all":             {func(*StripeSettings) {}, ""},
		"a stand-in":      {func(s *StripeSettings) { s.URL = "http://127.0.0.1:12111" }, ""},
		"no key":          {func(s *StripeSettings) { s.Key = "" }, "LEARNING_STRIPE_KEY"},
		"no publishable key": {func(s *StripeSettings) { s.PublishableKey = "" },
			"LEARNING_STRIPE_PUBLISHABLE_KEY"},
		"no webhook secret": {func(s *StripeSettings) { s.WebhookSecret = "," },
			"LEARNING_STRIPE_WEBHOOK_SECRET"},
		"a short webhook secret": {func(s *StripeSettings) { s.WebhookSecret = "whsec_1" },
			"LEARNING_STRIPE_WEBHOOK_SECRET"},
		"the secret key is published": {func(s *StripeSettings) { s.PublishableKey = s.Key },
			"must not be published"},
		"two modes":      {func(s *StripeSettings) { s.PublishableKey = "pk_live_1" }, "same mode"},
		"no URL":         {func(s *StripeSettings) { s.URL = "stripe" }, "LEARNING_STRIPE_URL"},
		"no currencies":  {func(s *StripeSettings) { s.Currencies = "," }, "contains no value"},
		"an unknown one": {func(s *StripeSettings) { s.Currencies = "EUR,XXX" }, `has "XXX"`},
		"small letters": {func(s *StripeSettings) { *s = StripeSettings{Currencies: "eur"} },
			`"eur"`},
	} {
		for _, mode := range []string{"production", development} {
			s := Settings{Env: mode, Stripe: rightStripe}
			test.change(&s.Stripe)
			err := s.check((*Settings).checkStripe)
			if (err == nil) != (test.says == "") ||
				err != nil && (!strings.Contains(err.Error(), test.says) ||
					strings.Contains(err.Error(), "0123456789")) {
				t.Errorf("%s in %s: %v", name, mode, err)
			}
		}
	}
}

func TestCheck_StripeTakesThePlaceOfTheGateway(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		stripe  StripeSettings
		gateway GatewaySettings
		right   bool
	}{
		{rightStripe, GatewaySettings{}, true},
		{StripeSettings{}, GatewaySettings{}, false},
		{StripeSettings{Currencies: "EUR"}, GatewaySettings{}, false},
		{rightStripe, GatewaySettings{KeyID: "key_1"}, false},
	} {
		s := Settings{Env: "production", Stripe: test.stripe, Gateway: test.gateway}
		if err := s.check((*Settings).checkGateway); (err == nil) != test.right {
			t.Errorf("%+v: %v", test, err)
		}
	}
}

func TestDevelopment_SandboxPlaysStripe(t *testing.T) {
	t.Parallel()
	box := sandbox.Config{URL: "http://127.0.0.1:3001", StripeKey: "sk_test_1",
		StripePublishableKey: "pk_test_1", StripeWebhookSecret: "whsec_1"}
	var p program
	p.Stripe.Currencies = "EUR" // which applies to the sandbox too
	p.useSandbox(box)
	if want := (StripeSettings{Key: "sk_test_1", PublishableKey: "pk_test_1",
		WebhookSecret: "whsec_1", URL: "http://127.0.0.1:3001/stripe",
		Currencies: "EUR"}); p.Stripe != want {
		t.Errorf("%+v", p.Stripe)
	}
	p = program{}
	p.Stripe = rightStripe
	if p.useSandbox(box); p.Stripe != rightStripe {
		t.Errorf("%+v", p.Stripe)
	}
}

// The storefront loads the script of the Stripe that takes its payments.
func TestStorefront_LoadsTheScriptOfStripe(t *testing.T) {
	t.Parallel()
	box := providers(t)
	played := StripeSettings{Key: box.Config().StripeKey}
	for _, test := range []struct {
		box    *sandbox.Sandbox
		stripe StripeSettings
		want   string
	}{
		{box, played, box.Config().URL + "/stripe/v3/"},
		{box, rightStripe, "https://js.stripe.com/v3/"},
		{nil, rightStripe, "https://js.stripe.com/v3/"},
		{nil, StripeSettings{}, ""},
	} {
		h := &devServer{program: &program{Settings: Settings{Stripe: test.stripe}}, box: test.box}
		if got := h.stripeScript(); got != test.want {
			t.Errorf("%+v: %s, want %s", test.stripe, got, test.want)
		}
	}
}
