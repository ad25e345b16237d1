package people

import (
	"context"
	"errors"
	"time"

	"github.com/openlectern/openlectern/learning/core"
)

// ErrInvalidToken means that a token is malformed, expired, wrongly signed, or of another issuer.
var ErrInvalidToken = errors.New("learning: invalid token")

// TokenVerifier checks the session tokens of the identity provider (package
// identity). Errors: [ErrInvalidToken], and [ErrIdentityUnavailable] if no keys could be
// fetched yet.
type TokenVerifier interface {
	VerifyToken(ctx context.Context, token string) (Claims, error)
}

// RoleGranter writes a role into the public metadata of a user at the identity
// provider, so that later tokens carry it (docs/api.md §3).
type RoleGranter interface {
	GrantRole(ctx context.Context, userID string, role core.Role) error
}

// Webhook is an HTTP request by which the identity provider reports an event.
type Webhook struct {
	ID        string // hook-id
	Timestamp string // hook-timestamp, Unix seconds
	Signature string // hook-signature
	Body      []byte // the exact bytes
}

// WebhookVerifier verifies and decodes the webhooks of the identity provider.
type WebhookVerifier interface {
	// VerifyWebhook returns the event of a webhook. It returns [core.ErrInvalidWebhook] if the
	// signature is wrong or the timestamp differs from now by more than five minutes, and
	// [core.ErrMalformedEvent] if the signature is right and the body is not an event.
	VerifyWebhook(w Webhook, now time.Time) (IdentityEvent, error)
}
