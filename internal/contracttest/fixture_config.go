package contracttest

import (
	"time"

	"github.com/openlectern/openlectern/learning/sandbox"
)

// PublicURL is the base URL of the API in all cases.
const PublicURL = "https://api.example.org"

// The credentials of the fixture's providers. A second secret is the new one during a rotation.
const (
	GatewayKeyID         = "key_fixture"
	GatewayKeySecret     = "gateway-key-secret-of-the-fixture"
	GatewayWebhookSecret = "gateway-webhook-secret-of-the-fixture"
	GatewaySecondSecret  = "gateway-second-webhook-secret-of-the-fixture"
	StripeKey            = "sk_test_key-of-the-fixture"
	StripePublishableKey = "pk_test_fixture"
	StripeWebhookSecret  = "whsec_stripe-webhook-secret-of-the-fixture"
	IdentityAPIKey       = "sk_identity-api-key-of-the-fixture"
	IdentitySecret       = "whsec_aWRlbnRpdHktc2VjcmV0LW9mLXRoZS1maXh0dXJl"
	IdentitySecondSecret = "whsec_aWRlbnRpdHktc2Vjb25kLXNlY3JldC1vZi10aGUtZml4dHVyZQ=="
)

// AIAPIKey is the key of the AI provider.
const AIAPIKey = "sk-ai-api-key-of-the-fixture"

// SecretMessage is part of every message of the fixture, and must not be in a log.
const SecretMessage = "between-you-and-me "

// SecretSolution is in each explanation of the fixture, and nowhere else.
const SecretSolution = "the-solution-is"

// sandboxConfig returns the configuration of a sandbox with the credentials of the fixture, which
// keeps its state in a file and does not repeat webhooks.
func sandboxConfig(clock func() time.Time, state string) sandbox.Config {
	return sandbox.Config{Clock: clock, State: state, Retry: []time.Duration{},
		GatewayKeyID: GatewayKeyID, GatewayKeySecret: GatewayKeySecret,
		GatewayWebhookSecret: GatewayWebhookSecret,
		StripeKey:            StripeKey, StripePublishableKey: StripePublishableKey,
		StripeWebhookSecret: StripeWebhookSecret,
		IdentityAPIKey:      IdentityAPIKey, IdentityWebhookSecret: IdentitySecret,
		AIAPIKey: AIAPIKey}
}
