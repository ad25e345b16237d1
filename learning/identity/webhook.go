package identity

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/openlectern/openlectern/internal/secret"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
)

// tolerance is how far the timestamp of a webhook may be from now, so that an old one cannot be
// sent again.
const tolerance = 5 * time.Minute

var _ people.WebhookVerifier = (*WebhookVerifier)(nil)

// WebhookVerifier verifies webhooks that are signed according to the Standard Webhooks
// specification. It is safe for concurrent use. It implements
// [people.WebhookVerifier].
type WebhookVerifier struct{ hooks []*webhooks.Webhook }

// NewWebhookVerifier returns a verifier with the signing secrets, in the format in which the
// provider shows them: base64, with or without the prefix "whsec_" and padding. A webhook
// signed with any of them is accepted, because there are two secrets during a rotation.
// NewWebhookVerifier returns an error if there is no secret, or if one is not base64 or is
// shorter than 24 bytes.
func NewWebhookVerifier(secrets ...string) (*WebhookVerifier, error) {
	hooks, err := secret.Parse(secrets...)
	if err != nil {
		return nil, fmt.Errorf("identity: %w", err)
	}
	return &WebhookVerifier{hooks}, nil
}

// VerifyWebhook implements [people.WebhookVerifier]. A body is decoded only if its
// signature is right. now is the time with which the timestamp of the webhook is compared. The
// error is [core.ErrInvalidWebhook], or [core.ErrMalformedEvent] if a signed body is no
// event.
func (m *WebhookVerifier) VerifyWebhook(msg people.Webhook,
	now time.Time) (people.IdentityEvent, error) {
	if err := m.verify(msg, now); err != nil {
		return people.IdentityEvent{}, err
	}
	return decodeEvent(msg)
}

// verify checks a webhook. Id, timestamp and signature must be present, and the timestamp at
// most five minutes before or after now. Every error is [core.ErrInvalidWebhook] with a
// reason.
func (m *WebhookVerifier) verify(msg people.Webhook, now time.Time) error {
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
		// The library would compare the timestamp with the system's clock instead of now.
		if hook.VerifyIgnoringTimestamp(msg.Body, header) == nil {
			return nil
		}
	}
	return invalidMessage("the signature is wrong")
}

// invalidMessage returns a [core.ErrInvalidWebhook] with a reason.
func invalidMessage(reason string) error {
	return fmt.Errorf("%w: %s", core.ErrInvalidWebhook, reason)
}
