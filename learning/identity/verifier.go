package identity

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/openlectern/openlectern/internal/provider"
	"github.com/openlectern/openlectern/learning"
)

const maxToken = 8 << 10 // bytes, about as long as servers let a header be

var _ learning.TokenVerifier = (*Verifier)(nil)

// Verifier checks session tokens, and remembers those it has checked until they
// expire or the keys are fetched anew. It is safe for concurrent use, starts
// nothing and needs no closing. It is a [learning.TokenVerifier].
type Verifier struct {
	parser  *jwt.Parser
	parties parties
	clock   learning.Clock
	keys    *keys
}

// NewVerifier makes a verifier with the keys published at an address (a JWKS). It
// does not fetch them yet, so that a platform starts while its provider is down.
// It fails on an address or an option that cannot be right.
func NewVerifier(jwksURL string, opts ...VerifierOption) (*Verifier, error) {
	if _, err := provider.URL(jwksURL); err != nil {
		return nil, fmt.Errorf("identity: address of the keys: %w", err)
	}
	s, err := newSettings(opts)
	if err != nil {
		return nil, err
	}
	return &Verifier{
		parser:  jwt.NewParser(s.rules()...),
		parties: s.parties,
		clock:   s.clock,
		keys:    newKeys(jwksURL, s),
	}, nil
}

// VerifyToken implements [learning.TokenVerifier]: it checks signature, time,
// issuer and what else was configured. The error is [learning.ErrInvalidToken]
// with a reason, or [learning.ErrIdentityUnavailable] while there never were any
// keys. A context that ends stops the waiting for keys, not their fetch.
func (v *Verifier) VerifyToken(ctx context.Context, token string) (learning.Claims, error) {
	if len(token) > maxToken {
		return learning.Claims{}, invalid("it is longer than 8 KiB")
	}
	digest := sha256.Sum256([]byte(token))
	if set := v.keys.current(ctx); set != nil {
		if claims, ok := set.seen.get(digest, v.clock.Now()); ok {
			return claims, nil
		}
	}
	claims := jwt.MapClaims{}
	set, err := v.parse(ctx, token, claims)
	if err != nil {
		return learning.Claims{}, err
	}
	expires, _ := claims.GetExpirationTime() // present and a time: the parser requires it
	if !v.clock.Now().Before(expires.Time) { // the parser allows the leeway here too
		return learning.Claims{}, invalid(reason(jwt.ErrTokenExpired))
	}
	verified, err := v.read(claims)
	if err == nil {
		set.seen.put(digest, remembered{verified, expires.Time})
	}
	return verified, err
}

// parse checks a token into claims and tells which set of keys held the right one.
func (v *Verifier) parse(ctx context.Context, token string, claims jwt.MapClaims) (set *keySet, err error) {
	if strings.ContainsAny(token, "\r\n") { // which base64 decoders pass over
		return nil, invalid("it is malformed")
	}
	var missing error
	_, err = v.parser.ParseWithClaims(token, claims, func(t *jwt.Token) (key any, err error) {
		if _, critical := t.Header["crit"]; critical { // RFC 7515, 4.1.11: we understand no extension
			return nil, errCritical
		}
		kid, _ := t.Header["kid"].(string)
		key, set, missing = v.keys.find(ctx, keyID{kid, t.Method.Alg()})
		return key, missing
	})
	switch {
	case errors.Is(missing, learning.ErrIdentityUnavailable):
		return nil, missing
	case err != nil:
		return nil, invalid(reason(err))
	}
	return set, nil
}

// read takes from checked claims what the platform needs, and checks what the JWT
// library does not.
func (v *Verifier) read(c jwt.MapClaims) (learning.Claims, error) {
	if !v.parties.accept(c) {
		return learning.Claims{}, invalid("it was issued to another party")
	}
	sub, _ := c["sub"].(string)
	if sub == "" {
		return learning.Claims{}, invalid("it names no user")
	}
	claims := learning.Claims{UserID: sub, Role: roleIn(c["metadata"])}
	if iat, _ := c.GetIssuedAt(); iat != nil {
		claims.IssuedAt = time.Unix(iat.Unix(), 0).UTC() // whole seconds, rounded down
	}
	return claims, nil
}

// roleIn returns the role in the "metadata" claim. Without the claim, and if it is
// null, it returns "": such a token says nothing about roles.
func roleIn(claim any) learning.Role {
	if claim == nil {
		return ""
	}
	metadata, _ := claim.(map[string]any)
	role, _ := metadata["role"].(string)
	return learning.ParseRole(role)
}

var (
	errCritical   = errors.New("it asks for an extension")
	errUnknownKey = errors.New("its key is not known")
)

// reason puts an error of the JWT library into words of our own, since the
// library's can quote the token.
func reason(err error) string {
	for _, known := range []struct {
		err    error
		reason string
	}{
		{errCritical, errCritical.Error()},
		{errUnknownKey, errUnknownKey.Error()},
		{jwt.ErrTokenMalformed, "it is malformed"},
		{jwt.ErrTokenSignatureInvalid, "its signature or algorithm is wrong"},
		{jwt.ErrTokenExpired, "it has expired"},
		{jwt.ErrTokenNotValidYet, "it is not valid yet"},
		{jwt.ErrTokenUsedBeforeIssued, "it was issued in the future"},
		{jwt.ErrTokenInvalidIssuer, "it is from another issuer"},
		{jwt.ErrTokenInvalidAudience, "it is for another audience"},
		{jwt.ErrTokenRequiredClaimMissing, "it lacks a claim"},
	} {
		if errors.Is(err, known.err) {
			return known.reason
		}
	}
	return "it cannot be checked"
}

func invalid(reason string) error { return fmt.Errorf("%w: %s", learning.ErrInvalidToken, reason) }
