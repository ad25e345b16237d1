// Package secret reads the signing secrets of webhooks, for the packages identity and
// webhook.
package secret

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// minLength is the minimum length of a secret, in bytes, from the specification of Standard
// Webhooks. It is checked here because the library accepts an empty secret.
const minLength = 24

// Parse returns a signer and verifier for each secret, in the order of the secrets. A secret
// is base64, with or without the prefix "whsec_" and padding. Parse returns an error if there
// is no secret, or if one is not base64 or is shorter than 24 bytes. The error contains no
// secret.
func Parse(secrets ...string) ([]*webhooks.Webhook, error) {
	if len(secrets) == 0 {
		return nil, errors.New("the webhook secret is missing")
	}
	hooks := make([]*webhooks.Webhook, len(secrets))
	for i, secret := range secrets {
		hook, err := parse(secret)
		if err != nil {
			return nil, fmt.Errorf("webhook secret %d %w", i+1, err)
		}
		hooks[i] = hook
	}
	return hooks, nil
}

// parse is Parse for one secret. The text of its errors continues one that ends with the number of
// the secret.
func parse(secret string) (*webhooks.Webhook, error) {
	bare := strings.TrimRight(strings.TrimPrefix(secret, "whsec_"), "=")
	key, err := base64.RawStdEncoding.DecodeString(bare)
	if err != nil {
		return nil, errors.New("is not base64")
	}
	if len(key) < minLength {
		return nil, fmt.Errorf("is shorter than %d bytes", minLength)
	}
	hook, err := webhooks.NewWebhookRaw(key)
	if err != nil {
		return nil, errors.New("cannot be used")
	}
	return hook, nil
}
