package main

import (
	"strings"

	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/stripe"
)

// checkStripe checks the settings of Stripe, which are optional as a whole.
func (s *Settings) checkStripe(p *problems) {
	st := s.Stripe
	for _, currency := range list(st.Currencies) {
		if _, ok := new(stripe.Client).Accepts(currency); !ok {
			p.add("stripe-currencies", "has %q, which is not a currency of Stripe: use the codes of "+
				"ISO 4217 in capital letters, such as EUR,USD", currency)
		}
	}
	p.list("stripe-currencies", st.Currencies)
	if !st.set() {
		return
	}
	if st.URL != "" {
		p.address("stripe-url", st.URL, "the base of Stripe's API, such as https://api.stripe.com")
	}
	isMissing := p.missing("stripe-key", st.Key,
		"the secret key of Stripe, which begins with sk_ or rk_")
	if p.missing("stripe-publishable-key", st.PublishableKey,
		"the publishable key of Stripe, which begins with pk_") || isMissing {
		return
	}
	// The library validates the keys. Its error never has one of them.
	if _, err := stripe.New(st.Key, st.PublishableKey); err != nil {
		p.add("stripe-key", "cannot be used: %s", strings.TrimPrefix(err.Error(), "stripe: "))
	}
	p.webhookSecrets("stripe-webhook-secret", st.WebhookSecret,
		"the signing secret of Stripe's webhooks, which begins with whsec_")
}

// newStripe returns the client of Stripe.
func (p *program) newStripe() (*stripe.Client, error) {
	options := []stripe.Option{stripe.WithWebhookSecrets(list(p.Stripe.WebhookSecret)...),
		stripe.WithTimeout(providerTimeout), stripe.WithTransport(p.transport())}
	if p.Stripe.URL != "" {
		options = append(options, stripe.WithURL(p.Stripe.URL))
	}
	return stripe.New(p.Stripe.Key, p.Stripe.PublishableKey, options...)
}

// stripeScript returns the URL of Stripe's script for the storefront: of the sandbox if that plays
// Stripe, or "" if Stripe takes no payments.
func (h *devServer) stripeScript() string {
	switch {
	case h.box != nil && h.Stripe.Key == h.box.Config().StripeKey:
		return h.box.Config().URL + sandbox.StripePath + "/v3/"
	case h.Stripe.set():
		return "https://js.stripe.com/v3/"
	}
	return ""
}
