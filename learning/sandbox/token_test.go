package sandbox_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/base64"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning/sandbox"
)

type jwk struct{ Kty, Kid, Use, Alg, N, E, Crv, X, Y string }

func fetchKeys(tb testing.TB, s *sandbox.Sandbox) map[string]jwk {
	tb.Helper()
	status, _, body := call(tb, "GET", s.Config().URL+"/.well-known/jwks.json", "")
	if status != http.StatusOK {
		tb.Fatalf("key set: %d %s", status, body)
	}
	keys := map[string]jwk{}
	for _, k := range decode[struct{ Keys []jwk }](tb, []byte(body)).Keys {
		keys[k.Kid] = k
	}
	return keys
}

func number(tb testing.TB, s string) *big.Int {
	tb.Helper()
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil {
		tb.Fatal(err)
	}
	return new(big.Int).SetBytes(b)
}

// public returns a key of the key set.
func public(tb testing.TB, k jwk) any {
	tb.Helper()
	if k.Use != "sig" {
		tb.Errorf("use = %q, want sig", k.Use)
	}
	if k.Kty == "RSA" {
		return &rsa.PublicKey{N: number(tb, k.N), E: int(number(tb, k.E).Int64())}
	}
	point := append([]byte{4},
		append(number(tb, k.X).FillBytes(make([]byte, 32)),
			number(tb, k.Y).FillBytes(make([]byte, 32))...)...)
	pub, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
	if err != nil {
		tb.Fatal(err)
	}
	return pub
}

// verify verifies a token with the published keys.
func verify(tb testing.TB, s *sandbox.Sandbox, token string) (jwt.MapClaims, error) {
	tb.Helper()
	claims := jwt.MapClaims{}
	p := jwt.NewParser(jwt.WithValidMethods([]string{"RS256", "ES256"}),
		jwt.WithIssuer(s.Config().URL), jwt.WithExpirationRequired(), jwt.WithIssuedAt())
	_, err := p.ParseWithClaims(token, claims, func(t *jwt.Token) (any, error) {
		k, ok := fetchKeys(tb, s)[fmt.Sprint(t.Header["kid"])]
		if !ok || k.Alg != t.Method.Alg() {
			return nil, errors.New("unknown key")
		}
		return public(tb, k), nil
	})
	return claims, err
}

func withUsers(tb testing.TB, s *sandbox.Sandbox) {
	tb.Helper()
	for _, u := range []sandbox.User{{ID: "user_1", FirstName: "Ada"},
		{ID: "user_2", FirstName: "Bea", Role: "educator"}} {
		if err := s.Identity().PutUserQuietly(u); err != nil {
			tb.Fatal(err)
		}
	}
}

func token(tb testing.TB, s *sandbox.Sandbox, user string, opts ...sandbox.TokenOption) string {
	tb.Helper()
	got, err := s.Identity().Token(user, opts...)
	if err != nil {
		tb.Fatal(err)
	}
	return got
}

func TestToken_OfBothAlgorithmsIsValid(t *testing.T) {
	s := start(t, sandbox.Config{})
	withUsers(t, s)
	for _, alg := range []string{"RS256", "ES256"} {
		if _, err := verify(t, s, token(t, s, "user_1", sandbox.WithAlg(alg))); err != nil {
			t.Errorf("%s: %v", alg, err)
		}
	}
	for _, k := range fetchKeys(t, s) {
		if pub, ok := public(t, k).(*rsa.PublicKey); ok && pub.N.BitLen() != 2048 {
			t.Errorf("the RSA key has %d bits", pub.N.BitLen())
		}
	}
}

func TestToken_Claims(t *testing.T) {
	now := time.Now().Truncate(time.Second)
	s := start(t, sandbox.Config{Clock: func() time.Time { return now }})
	withUsers(t, s)
	at := float64(now.Unix())
	base := jwt.MapClaims{"iss": s.Config().URL, "sub": "user_2", "iat": at, "nbf": at,
		"exp": at + 3600, "metadata": map[string]any{"role": "educator"}}
	with := func(change func(jwt.MapClaims)) jwt.MapClaims {
		c := jwt.MapClaims{}
		for k, v := range base {
			c[k] = v
		}
		change(c)
		return c
	}
	for name, test := range map[string]struct {
		opts []sandbox.TokenOption
		want jwt.MapClaims
	}{
		"default": {nil, base},
		"TTL": {[]sandbox.TokenOption{sandbox.WithTTL(time.Minute)},
			with(func(c jwt.MapClaims) { c["exp"] = at + 60 })},
		"other role": {[]sandbox.TokenOption{sandbox.WithRole("admin")},
			with(func(c jwt.MapClaims) { c["metadata"] = map[string]any{"role": "admin"} })},
		"no role": {[]sandbox.TokenOption{sandbox.WithRole("")},
			with(func(c jwt.MapClaims) { delete(c, "metadata") })},
		"claims": {[]sandbox.TokenOption{sandbox.WithClaims(map[string]any{"azp": "x",
			"nbf": nil})}, with(func(c jwt.MapClaims) { c["azp"] = "x"; delete(c, "nbf") })},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := verify(t, s, token(t, s, "user_2", test.opts...))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	if got, _ := verify(t, s, token(t, s, "user_1")); got["metadata"] != nil {
		t.Error("a user without a role got metadata")
	}
}

func TestToken_InvalidOnesAreRejected(t *testing.T) {
	s := start(t, sandbox.Config{})
	withUsers(t, s)
	kid := s.Identity().Keys()[0].ID
	for name, opts := range map[string][]sandbox.TokenOption{
		"expired":      {sandbox.WithTTL(-time.Minute)},
		"no expiry":    {sandbox.WithClaims(map[string]any{"exp": nil})},
		"other issuer": {sandbox.WithClaims(map[string]any{"iss": "https://elsewhere.test"})},
		"not yet valid": {
			sandbox.WithClaims(map[string]any{"nbf": time.Now().Add(time.Hour).Unix()})},
		"none": {sandbox.WithKey(jwt.SigningMethodNone, kid,
			jwt.UnsafeAllowNoneSignatureType)},
		"HMAC": {sandbox.WithKey(jwt.SigningMethodHS256, kid, []byte("public"))},
	} {
		if _, err := verify(t, s, token(t, s, "user_1", opts...)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestToken_UnknownUserOrAlgorithm(t *testing.T) {
	s := start(t, sandbox.Config{})
	withUsers(t, s)
	if _, err := s.Identity().Token("user_9"); !errors.Is(err, sandbox.ErrUnknownUser) {
		t.Errorf("unknown user: %v", err)
	}
	if _, err := s.Identity().Token("user_1", sandbox.WithAlg("PS512")); err == nil {
		t.Error("unknown algorithm: no error")
	}
}

func TestRotateKeys_TokensOfThePreviousKeysAreInvalid(t *testing.T) {
	s := start(t, sandbox.Config{})
	withUsers(t, s)
	before := token(t, s, "user_1")
	if err := s.Identity().RotateKeys(); err != nil {
		t.Fatal(err)
	}
	if _, err := verify(t, s, before); err == nil {
		t.Error("a token of the previous key was accepted")
	}
	if _, err := verify(t, s, token(t, s, "user_1")); err != nil {
		t.Errorf("a token of the new key: %v", err)
	}
	if n := len(fetchKeys(t, s)); n != 2 {
		t.Errorf("%d keys are published, want 2", n)
	}
}
