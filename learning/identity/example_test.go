package identity_test

import (
	"fmt"
	"log"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/identity"
	"github.com/openlectern/openlectern/learning/people"
)

// The provider writes the role into the claim "groups" of its tokens.
func ExampleNewVerifier() {
	tokens, err := identity.NewVerifier("https://id.example.org/keys",
		identity.WithIssuer("https://id.example.org"),
		identity.WithAudience("school"),
		identity.WithRole(func(claims map[string]any) learning.Role {
			groups, _ := claims["groups"].([]any)
			for _, group := range groups {
				if group == "teachers" {
					return core.Educator
				}
			}
			return core.Student
		}))
	if err != nil {
		log.Fatal(err)
	}
	_ = learning.WithTokens(tokens) // an option of learning.New
	// Output:
}

// While the signing secret is being replaced, webhooks with the old and the new one are
// accepted.
func ExampleNewWebhookVerifier() {
	webhooks, err := identity.NewWebhookVerifier(
		"whsec_b2xkIHNlY3JldCBvZiAyNCBieXRlcyEh", "whsec_bmV3IHNlY3JldCBvZiAyNCBieXRlcyEh")
	if err != nil {
		log.Fatal(err)
	}
	_ = learning.WithWebhooks(webhooks) // an option of learning.New
	_, err = webhooks.VerifyWebhook(people.Webhook{Body: []byte("{}")}, time.Now())
	fmt.Println(err)
	// Output: learning: invalid webhook message: id, timestamp or signature is missing
}
