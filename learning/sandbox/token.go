package sandbox

import (
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// tokenTTL is long for a session token, since in development a person copies it into a terminal.
const tokenTTL = time.Hour

// TokenOption changes a token from what an honest provider would issue.
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

// WithTTL sets how long after its issue the token expires; default one hour. It may be negative.
func WithTTL(d time.Duration) TokenOption { return func(t *tokenSpec) { t.ttl = d } }

// WithIssuedAt sets iat and nbf, and thereby exp; default now. Tokens count in whole seconds.
func WithIssuedAt(at time.Time) TokenOption { return func(t *tokenSpec) { t.at = at } }

// WithRole puts a role into the token in place of the user's; empty leaves it out.
func WithRole(role string) TokenOption { return func(t *tokenSpec) { t.role = &role } }

// WithClaims sets claims after all others, and leaves out those whose value is nil. For hostile tests.
func WithClaims(claims map[string]any) TokenOption { return func(t *tokenSpec) { t.claims = claims } }

// WithKey signs with a method, a kid (empty: none) and a key of the caller's choice: another key under a known kid, an
// HMAC with a public key, or jwt.SigningMethodNone with jwt.UnsafeAllowNoneSignatureType. For hostile tests.
func WithKey(method jwt.SigningMethod, kid string, key any) TokenOption {
	return func(t *tokenSpec) { t.method, t.kid, t.key = method, kid, key }
}

// Token issues a session token for a user: a JWT with iss (the URL of the sandbox), sub, iat, nbf, exp and, when the
// user has a role, metadata.role. ErrUnknownUser when there is no such user.
func (i *Identity) Token(userID string, opts ...TokenOption) (string, error) {
	u, ok := i.User(userID)
	if !ok {
		return "", ErrUnknownUser
	}
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

func (i *Identity) chooseKey(t *tokenSpec) error {
	if t.method != nil {
		return nil
	}
	var k *signingKey
	i.state.read(func(r *records) { k = r.signer(t.alg) })
	if k == nil {
		return fmt.Errorf("issue token: no key for algorithm %q", t.alg)
	}
	t.method, t.kid, t.key = jwt.GetSigningMethod(t.alg), k.ID, k.private
	return nil
}

func (t *tokenSpec) allClaims(issuer, userID string) jwt.MapClaims {
	c := jwt.MapClaims{"iss": issuer, "sub": userID, "iat": t.at.Unix(), "nbf": t.at.Unix(), "exp": t.at.Add(t.ttl).Unix()}
	if *t.role != "" {
		c["metadata"] = map[string]string{"role": *t.role}
	}
	for name, value := range t.claims {
		if value == nil {
			delete(c, name)
		} else {
			c[name] = value
		}
	}
	return c
}
