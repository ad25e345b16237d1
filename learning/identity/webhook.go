package identity

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/openlectern/openlectern/learning"
)

const (
	// minSecret is the least length of a secret, in bytes, from the specification. It is
	// checked here because the library accepts an empty secret.
	minSecret = 24
	tolerance = 5 * time.Minute
)

var _ learning.WebhookVerifier = (*WebhookVerifier)(nil)

// WebhookVerifier verifies webhooks that are signed by the Standard Webhooks
// specification. It is safe for concurrent use. It implements
// [learning.WebhookVerifier].
type WebhookVerifier struct{ hooks []*webhooks.Webhook }

// NewWebhookVerifier takes the signing secrets, as the provider shows them: base64, with
// or without "whsec_" before it and padding after it. While a secret is being
// changed there are two; a message signed with any is believed. It fails without
// a secret, and on one that is not base64 or shorter than 24 bytes.
func NewWebhookVerifier(secrets ...string) (*WebhookVerifier, error) {
	if len(secrets) == 0 {
		return nil, errors.New("identity: there is no webhook secret")
	}
	m := &WebhookVerifier{}
	for i, secret := range secrets {
		bare := strings.TrimRight(strings.TrimPrefix(secret, "whsec_"), "=")
		key, err := base64.RawStdEncoding.DecodeString(bare)
		if err != nil {
			return nil, fmt.Errorf("identity: webhook secret %d is not base64", i+1)
		}
		if len(key) < minSecret {
			return nil, fmt.Errorf("identity: webhook secret %d is shorter than %d bytes", i+1, minSecret)
		}
		hook, err := webhooks.NewWebhookRaw(key)
		if err != nil {
			return nil, fmt.Errorf("identity: webhook secret %d cannot be used", i+1)
		}
		m.hooks = append(m.hooks, hook)
	}
	return m, nil
}

// VerifyWebhook implements [learning.WebhookVerifier]. Id, timestamp and signature
// must all be there, and the timestamp no more than five minutes from now, either
// way. Every error is [learning.ErrInvalidWebhook] with a reason.
func (m *WebhookVerifier) VerifyWebhook(msg learning.Webhook, now time.Time) error {
	if msg.ID == "" || msg.Timestamp == "" || msg.Signature == "" {
		return invalidMessage("id, timestamp or signature is missing")
	}
	seconds, err := strconv.ParseInt(msg.Timestamp, 10, 64)
	if err != nil {
		return invalidMessage("the timestamp is not a number")
	}
	if age := now.Sub(time.Unix(seconds, 0)); age > tolerance || age < -tolerance {
		return invalidMessage("it is older or newer than five minutes")
	}
	header := http.Header{}
	header.Set(webhooks.HeaderWebhookID, msg.ID)
	header.Set(webhooks.HeaderWebhookTimestamp, msg.Timestamp)
	header.Set(webhooks.HeaderWebhookSignature, msg.Signature)
	for _, hook := range m.hooks {
		// The library checks the time by the system's clock instead of v.clock.
		if hook.VerifyIgnoringTimestamp(msg.Body, header) == nil {
			return nil
		}
	}
	return invalidMessage("the signature is wrong")
}

func invalidMessage(reason string) error {
	return fmt.Errorf("%w: %s", learning.ErrInvalidWebhook, reason)
}
