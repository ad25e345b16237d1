package sandbox

import (
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// tokenTTL is the lifetime of a token. It is long because developers copy tokens into a terminal.
const tokenTTL = time.Hour

// rememberTTL is the lifetime of a token for a client that asks to be remembered.
const rememberTTL = 12 * time.Hour

// TokenOption changes a token from what a real provider would issue.
type TokenOption func(*tokenSpec)

type tokenSpec struct {
	alg    string
	ttl    time.Duration
	at     time.Time
	role   *string
	claims map[string]any
	kid    string
	method jwt.SigningMethod
	key    any
}

// WithAlg signs with RS256 (the default) or ES256.
func WithAlg(alg string) TokenOption { return func(t *tokenSpec) { t.alg = alg } }

// WithTTL sets the lifetime of the token; the default is one hour. It may be negative, for a token
// that has expired.
func WithTTL(d time.Duration) TokenOption { return func(t *tokenSpec) { t.ttl = d } }

// WithRole sets the role in the token in place of the user's; an empty role omits it.
func WithRole(role string) TokenOption { return func(t *tokenSpec) { t.role = &role } }

// WithClaims sets claims, and removes those whose value is nil, for tests with invalid tokens.
func WithClaims(claims map[string]any) TokenOption {
	return func(t *tokenSpec) { t.claims = claims }
}

// WithKey signs with the given method, kid (none if empty) and key, for tests with forged tokens:
// another key with a known kid, an HMAC with a public key, or jwt.SigningMethodNone with
// jwt.UnsafeAllowNoneSignatureType.
func WithKey(method jwt.SigningMethod, kid string, key any) TokenOption {
	return func(t *tokenSpec) { t.method, t.kid, t.key = method, kid, key }
}

// Token issues a session token for a user: a JWT with iss (the URL of the sandbox), sub, iat, nbf,
// exp and, if the user has a role, metadata.role. It returns ErrUnknownUser if there is no such
// user.
func (i *Identity) Token(userID string, opts ...TokenOption) (string, error) {
	u, ok := i.User(userID)
	if !ok {
		return "", ErrUnknownUser
	}
	// Options set another lifetime, or let a test issue tokens that must be refused.
	t := tokenSpec{alg: "RS256", ttl: tokenTTL, at: i.now(), role: &u.Role}
	for _, o := range opts {
		o(&t)
	}
	if err := i.chooseKey(&t); err != nil {
		return "", err
	}
	token := jwt.NewWithClaims(t.method, t.allClaims(i.sandbox.cfg.URL, userID))
	if t.kid != "" {
		token.Header["kid"] = t.kid
	}
	signed, err := token.SignedString(t.key)
	if err != nil {
		return "", fmt.Errorf("sign token: %w", err)
	}
	return signed, nil
}

// chooseKey sets the method, the id and the key that sign a token: those of WithKey, or those of
// the newest key for its algorithm.
func (i *Identity) chooseKey(t *tokenSpec) error {
	if t.method != nil { // WithKey has chosen one
		return nil
	}
	var k *signingKey
	i.state.read(func(r *records) { k = r.signer(t.alg) })
	if k == nil {
		return fmt.Errorf("issue token: no key for algorithm %q", t.alg)
	}
	t.method = jwt.GetSigningMethod(t.alg)
	t.kid = k.ID
	t.key = k.private
	return nil
}

// allClaims returns the claims of a token for a user, with what the options change.
func (t *tokenSpec) allClaims(issuer, userID string) jwt.MapClaims {
	c := jwt.MapClaims{"iss": issuer, "sub": userID, "iat": t.at.Unix(), "nbf": t.at.Unix(),
		"exp": t.at.Add(t.ttl).Unix()}
	if *t.role != "" {
		c["metadata"] = map[string]string{"role": *t.role}
	}
	// A claim of a test replaces one of these, and nil removes it.
	for name, value := range t.claims {
		if value == nil {
			delete(c, name)
		} else {
			c[name] = value
		}
	}
	return c
}
