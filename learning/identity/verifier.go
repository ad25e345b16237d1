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
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
)

const maxToken = 8 << 10 // bytes, about the maximum of a header of common servers

var _ people.TokenVerifier = (*Verifier)(nil)

// Verifier verifies session tokens. It caches verified tokens until they expire or the keys
// change. It is safe for concurrent use, and need not be closed. It implements
// [people.TokenVerifier].
type Verifier struct {
	parser  *jwt.Parser
	issuer  string
	parties parties
	role    func(claims map[string]any) core.Role
	clock   core.Clock
	keys    *keys
}

// NewVerifier returns a verifier with the keys published at a URL (a JWKS). It does not
// fetch them yet, so that a platform can start while its provider is down; see
// [Verifier.FetchKeys]. It returns an error if the URL or an option is invalid.
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
		issuer:  s.issuer,
		parties: s.parties,
		role:    s.role,
		clock:   s.clock,
		keys:    newKeys(jwksURL, s),
	}, nil
}

// FetchKeys fetches the keys unless there are some, so that no user waits for them. A server
// calls it before it is ready. It may serve after an error, which wraps
// [people.ErrIdentityUnavailable]: VerifyToken fetches the keys when it needs them.
func (v *Verifier) FetchKeys(ctx context.Context) error {
	if v.keys.current(ctx) != nil {
		return nil
	}
	if err := v.keys.fetchFirst(ctx); err != nil {
		return fmt.Errorf("%w: %w", people.ErrIdentityUnavailable, err)
	}
	return nil
}

// VerifyToken implements [people.TokenVerifier]. It verifies the signature, the times,
// the issuer and the configured options. The error is [people.ErrInvalidToken] with a
// reason, or [people.ErrIdentityUnavailable] if no keys have been fetched yet. If ctx is
// done, it stops waiting for keys, with one of these two errors; their fetch continues.
func (v *Verifier) VerifyToken(ctx context.Context, token string) (people.Claims, error) {
	if len(token) > maxToken {
		return people.Claims{}, invalid("it is longer than 8 KiB")
	}
	// A token that a current key has verified before is known by its hash.
	digest := sha256.Sum256([]byte(token))
	if set := v.keys.current(ctx); set != nil {
		if claims, ok := set.seen.get(digest, v.clock.Now()); ok {
			return claims, nil
		}
	}
	// Else verify the signature and the times, then read what the platform needs.
	claims := jwt.MapClaims{}
	set, err := v.parse(ctx, token, claims)
	if err != nil {
		return people.Claims{}, err
	}
	expires, _ := claims.GetExpirationTime() // present, because the parser requires it
	// The parser has accepted a token that is expired for less than the leeway. It is refused,
	// because the leeway is for the other times.
	if !v.clock.Now().Before(expires.Time) {
		return people.Claims{}, invalid(reason(jwt.ErrTokenExpired))
	}
	verified, err := v.read(claims)
	if err == nil {
		// kept with the set, so that no token outlives its key
		set.seen.put(digest, remembered{verified, expires.Time})
	}
	return verified, err
}

// parse verifies a token. It fills claims, and returns the key set that verified it. Its errors are
// those of VerifyToken.
func (v *Verifier) parse(ctx context.Context, token string,
	claims jwt.MapClaims) (set *keySet, err error) {
	// Base64 decoders ignore line breaks: with them, one token would have several spellings.
	if strings.ContainsAny(token, "\r\n") {
		return nil, invalid("it is malformed")
	}
	var missing error // why find has no key
	_, err = v.parser.ParseWithClaims(token, claims, func(t *jwt.Token) (key any, err error) {
		// RFC 7515, 4.1.11: no extension is supported
		if _, critical := t.Header["crit"]; critical {
			return nil, errCritical
		}
		kid, _ := t.Header["kid"].(string)
		key, set, missing = v.keys.find(ctx, keyID{kid, t.Method.Alg()})
		return key, missing
	})
	switch {
	// The token may be valid: there are no keys yet.
	case errors.Is(missing, people.ErrIdentityUnavailable):
		return nil, missing
	case err != nil && reason(err) == otherIssuer:
		issuer, _ := claims.GetIssuer() // present, because another error is reported without it
		return nil, &IssuerError{Issuer: issuer, Want: v.issuer}
	case err != nil:
		return nil, invalid(reason(err))
	}
	return set, nil
}

// IssuerError is the error of a token that one of the keys has signed and that has another issuer
// than that of [WithIssuer]. It wraps [people.ErrInvalidToken]. Many of them mean that the option
// is wrong.
type IssuerError struct {
	Issuer string // of the token
	Want   string // of the option
}

// Error does not contain the issuers.
func (e *IssuerError) Error() string { return invalid(otherIssuer).Error() }

// Unwrap returns [people.ErrInvalidToken].
func (e *IssuerError) Unwrap() error { return people.ErrInvalidToken }

const otherIssuer = "it is from another issuer"

// read returns the claims that the platform needs, and checks those that the JWT library
// does not check. Its errors wrap [people.ErrInvalidToken]. A token without a statement about
// roles has the role "".
func (v *Verifier) read(c jwt.MapClaims) (people.Claims, error) {
	if !v.parties.accept(c) {
		return people.Claims{}, invalid("it was issued to another party")
	}
	sub, _ := c["sub"].(string)
	if sub == "" {
		return people.Claims{}, invalid("it names no user")
	}
	claims := people.Claims{UserID: sub}
	if role := v.role(c); role != "" {
		claims.Role = core.ParseRole(string(role))
	}
	if iat, _ := c.GetIssuedAt(); iat != nil { // the parser has refused an invalid one
		claims.IssuedAt = time.Unix(iat.Unix(), 0).UTC() // whole seconds, rounded down
	}
	return claims, nil
}

// metadataRole returns the role in the claim "metadata". Without the claim, and if it is
// null, it returns "": such a token has no statement about roles.
func metadataRole(claims map[string]any) core.Role {
	if claims["metadata"] == nil {
		return ""
	}
	metadata, _ := claims["metadata"].(map[string]any)
	role, _ := metadata["role"].(string)
	return core.ParseRole(role)
}

var (
	errCritical   = errors.New("it requires an extension")
	errUnknownKey = errors.New("its key is unknown")
)

// reason returns a fixed text for an error of the JWT library, because the library's text may
// contain the token. If several fit, the first of the list counts.
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
		{jwt.ErrTokenInvalidIssuer, otherIssuer},
		{jwt.ErrTokenInvalidAudience, "it is for another audience"},
		{jwt.ErrTokenRequiredClaimMissing, "it lacks a claim"},
	} {
		if errors.Is(err, known.err) {
			return known.reason
		}
	}
	return "it cannot be checked"
}

// invalid returns a [people.ErrInvalidToken] with a reason.
func invalid(reason string) error { return fmt.Errorf("%w: %s", people.ErrInvalidToken, reason) }
