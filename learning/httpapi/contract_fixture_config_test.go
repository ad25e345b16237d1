package httpapi_test

import (
	"time"

	"github.com/openlectern/openlectern/learning/sandbox"
)

const publicURL = "https://api.example.org"

// The credentials of the fixture's providers. A second secret is the new one during a rotation.
const (
	gatewayKeyID         = "key_fixture"
	gatewayKeySecret     = "gateway-key-secret-of-the-fixture"
	gatewayWebhookSecret = "gateway-webhook-secret-of-the-fixture"
	gatewaySecondSecret  = "gateway-second-webhook-secret-of-the-fixture"
	identityAPIKey       = "sk_identity-api-key-of-the-fixture"
	identitySecret       = "whsec_aWRlbnRpdHktc2VjcmV0LW9mLXRoZS1maXh0dXJl"
	identitySecondSecret = "whsec_aWRlbnRpdHktc2Vjb25kLXNlY3JldC1vZi10aGUtZml4dHVyZQ=="
)

const aiAPIKey = "sk-ai-api-key-of-the-fixture"

// secretMessage is part of every message of the fixture, and must not be in a log.
const secretMessage = "between-you-and-me "

// secretSolution is in each explanation of the fixture, and nowhere else.
const secretSolution = "the-solution-is"

func sandboxConfig(clock func() time.Time, state string) sandbox.Config {
	return sandbox.Config{Clock: clock, State: state, Retry: []time.Duration{},
		GatewayKeyID: gatewayKeyID, GatewayKeySecret: gatewayKeySecret, GatewayWebhookSecret: gatewayWebhookSecret,
		IdentityAPIKey: identityAPIKey, IdentityWebhookSecret: identitySecret, AIAPIKey: aiAPIKey}
}
