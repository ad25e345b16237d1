package main

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"

	"github.com/openlectern/openlectern/learning/identity"
	"github.com/openlectern/openlectern/learning/people"
)

// issuerWarner verifies session tokens. It warns once if a token that the identity provider has
// signed has another issuer than the settings, unless a token was valid before: then the setting is
// probably wrong, and nobody can sign in. It is safe for concurrent use.
type issuerWarner struct {
	*identity.Verifier
	log     *slog.Logger
	decided atomic.Bool // whether a token was valid, or the warning is written
}

// VerifyToken implements [people.TokenVerifier].
func (w *issuerWarner) VerifyToken(ctx context.Context, token string) (people.Claims, error) {
	claims, err := w.Verifier.VerifyToken(ctx, token)
	if err == nil && !w.decided.Load() { // Load first, because it is cheaper for all later tokens
		w.decided.Store(true)
	}
	if other, ok := errors.AsType[*identity.IssuerError](err); ok &&
		w.decided.CompareAndSwap(false, true) {
		w.log.WarnContext(ctx,
			"no token so far has the issuer of the settings, so nobody can sign in",
			"setting", variable("identity-issuer"), "issuer_of_setting", other.Want,
			"issuer_of_token", other.Issuer)
	}
	return claims, err
}
