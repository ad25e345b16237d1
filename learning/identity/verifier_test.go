package identity_test

import (
	"crypto/elliptic"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/identity"
	"github.com/openlectern/openlectern/learning/people"
)

func TestVerifyToken_Claims(t *testing.T) {
	w := newVerifierHarness(t)
	for name, token := range map[string]string{"RS256": w.token(nil),
		"ES256": w.signed("e1", ecKey, nil)} {
		for _, time := range []string{"checked", "remembered"} {
			got, err := w.VerifyToken(t.Context(), token)
			want := people.Claims{UserID: "user_1", Role: core.Educator, IssuedAt: monday}
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%s, %s: %v\n%s", name, time, err, diff)
			}
		}
	}
}

func TestVerifyToken_AnotherIssuer_ErrorNamesBoth(t *testing.T) {
	w := newVerifierHarness(t)
	_, err := w.VerifyToken(t.Context(), w.token(map[string]any{"iss": issuer + "/"}))
	got, ok := errors.AsType[*identity.IssuerError](err)
	if !ok || got.Issuer != issuer+"/" || got.Want != issuer ||
		!errors.Is(err, people.ErrInvalidToken) {
		t.Errorf("%#v", err)
	}
	if strings.Contains(err.Error(), issuer) {
		t.Errorf("the text has the issuer: %v", err)
	}
	_, err = w.VerifyToken(t.Context(),
		w.signed("r1", rsaOther, map[string]any{"iss": issuer + "/"}))
	if _, ok := errors.AsType[*identity.IssuerError](err); ok {
		t.Error("the issuer of a token that nobody has signed is believed")
	}
}

func TestWithRole_ReadsAnotherClaim(t *testing.T) {
	w := newVerifierHarness(t, identity.WithRole(func(claims map[string]any) learning.Role {
		role, _ := claims["group"].(string)
		return learning.Role(role)
	}))
	for group, want := range map[any]learning.Role{"admin": core.Admin,
		"owner": core.Student, nil: "", 7: ""} {
		got, err := w.VerifyToken(t.Context(),
			w.token(map[string]any{"group": group, "metadata": map[string]any{"role": "educator"}}))
		if err != nil || got.Role != want {
			t.Errorf("%v: got %q, %v; want %q", group, got.Role, err, want)
		}
	}
}

func TestVerifyToken_RoleDefaultsToStudent(t *testing.T) {
	w := newVerifierHarness(t)
	for _, c := range []struct {
		metadata any
		want     learning.Role
	}{
		{map[string]any{"role": "student"}, core.Student},
		{map[string]any{"role": "educator"}, core.Educator},
		{map[string]any{"role": "admin"}, core.Admin},
		{map[string]any{"role": "Admin"}, core.Student},
		{map[string]any{"role": "owner"}, core.Student},
		{map[string]any{"role": []string{"admin"}}, core.Student},
		{map[string]any{"role": nil}, core.Student},
		{map[string]any{"Role": "admin"}, core.Student},
		{"admin", core.Student},
		{[]string{"admin"}, core.Student},
		{map[string]any{}, core.Student},
		{nil, ""},
		{(*string)(nil), ""}, // null
	} {
		got, err := w.VerifyToken(t.Context(), w.token(map[string]any{"metadata": c.metadata}))
		if err != nil || got.Role != c.want {
			t.Errorf("%v: got %q, %v; want %q", c.metadata, got.Role, err, c.want)
		}
	}
}

func TestVerifyToken_IssuedAtIsInWholeSeconds(t *testing.T) {
	w := newVerifierHarness(t)
	for _, c := range []struct {
		iat  any
		want time.Time
	}{
		{float64(monday.Unix()) - 0.1, monday.Add(-time.Second)},
		{monday.Unix() - 1, monday.Add(-time.Second)},
		{nil, time.Time{}},
		{0, time.Time{}},
	} {
		got, err := w.VerifyToken(t.Context(), w.token(map[string]any{"iat": c.iat}))
		if err != nil || !got.IssuedAt.Equal(c.want) || got.IssuedAt.IsZero() != c.want.IsZero() {
			t.Errorf("iat %v: got %v, %v; want %v", c.iat, got.IssuedAt, err, c.want)
		}
	}
}

// Each of these forged tokens has been accepted by some implementation.
func TestVerifyToken_ForgedToken(t *testing.T) {
	w := newVerifierHarness(t)
	kid := func(kid string) map[string]any { return map[string]any{"kid": kid} }
	honest := strings.Split(w.token(nil), ".")
	der, err := x509.MarshalPKIXPublicKey(&rsaKey.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	publicPEM := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	p384 := newEC(elliptic.P384())
	for name, token := range map[string]string{
		"alg none": sign(jwt.SigningMethodNone, kid("r1"), w.claims(nil),
			jwt.UnsafeAllowNoneSignatureType),
		"alg none, valid signature": b64([]byte(`{"alg":"none","kid":"r1"}`)) + "." +
			honest[1] + "." + honest[2],
		"alg None": b64([]byte(`{"alg":"None","kid":"r1"}`)) + "." +
			honest[1] + ".",
		"alg a number": b64([]byte(`{"alg":256,"kid":"r1"}`)) + "." + honest[1] +
			"." + honest[2],
		"alg rs256": b64([]byte(`{"alg":"rs256","kid":"r1"}`)) + "." +
			honest[1] + "." + honest[2],
		"no alg": b64([]byte(`{"kid":"r1"}`)) + "." + honest[1] + "." +
			honest[2],
		"HS256 keyed with public PEM": sign(jwt.SigningMethodHS256, kid("r1"), w.claims(nil),
			publicPEM),
		"HS256 keyed with public DER": sign(jwt.SigningMethodHS256, kid("r1"), w.claims(nil),
			der),
		"HS256 keyed with modulus": sign(jwt.SigningMethodHS256, kid("r1"), w.claims(nil),
			rsaKey.N.Bytes()),
		"HS256 keyed with nothing": sign(jwt.SigningMethodHS256, kid("r1"), w.claims(nil),
			[]byte{}),
		"RS512 with the right key": sign(jwt.SigningMethodRS512, kid("r1"), w.claims(nil),
			rsaKey),
		"RS384 with the right key": sign(jwt.SigningMethodRS384, kid("r1"), w.claims(nil),
			rsaKey),
		"PS256 with the right key": sign(jwt.SigningMethodPS256, kid("r1"), w.claims(nil),
			rsaKey),
		"ES384": sign(jwt.SigningMethodES384, kid("e1"), w.claims(nil),
			p384),
		"another key under a known kid": sign(jwt.SigningMethodRS256, kid("r1"), w.claims(nil),
			rsaOther),
		"RS256 with the kid of ES256": sign(jwt.SigningMethodRS256, kid("e1"), w.claims(nil),
			rsaKey),
		"ES256 with the kid of RS256": sign(jwt.SigningMethodES256, kid("r1"), w.claims(nil),
			ecKey),
		"unknown kid": sign(jwt.SigningMethodRS256, kid("r2"), w.claims(nil),
			rsaKey),
		"no kid": sign(jwt.SigningMethodRS256, nil, w.claims(nil), rsaKey),
		"empty kid": sign(jwt.SigningMethodRS256, kid(""), w.claims(nil),
			rsaKey),
		"kid a number": sign(jwt.SigningMethodRS256, map[string]any{"kid": 1},
			w.claims(nil), rsaKey),
		"kid a path": sign(jwt.SigningMethodRS256, kid("../../dev/null"),
			w.claims(nil), rsaKey),
		"critical extension": sign(jwt.SigningMethodRS256,
			map[string]any{"kid": "r1", "crit": []string{"b64"}, "b64": true}, w.claims(nil),
			rsaKey),
		"tampered claims": honest[0] + "." +
			b64([]byte(`{"iss":"`+issuer+`","sub":"root","exp":9999999999}`)) + "." + honest[2],
		"tampered header": b64([]byte(`{"typ":"JWT","alg":"RS256","kid":"r1"}`)) +
			"." + honest[1] + "." + honest[2],
		"signature cut":              honest[0] + "." + honest[1] + "." + honest[2][:40],
		"signature removed":          honest[0] + "." + honest[1] + ".",
		"signature padded":           w.token(nil) + "==",
		"signature with unused bits": withUnusedBits(w.token(nil)),
	} {
		refused(t, w, name, token)
	}
}

// withUnusedBits sets the bits of the last character that base64 does not use, so that
// another text encodes the same signature.
func withUnusedBits(token string) string {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	last := len(token) - 1
	return token[:last] + string(digits[strings.IndexByte(digits, token[last])|1])
}

func TestVerifyToken_InvalidClaims(t *testing.T) {
	w := newVerifierHarness(t)
	now := monday.Unix()
	for name, changes := range map[string]map[string]any{
		"expired a second ago":   {"exp": now - 1},
		"expired in this second": {"exp": now},
		"expired in part of it":  {"exp": float64(now) + 0.9},
		"no exp":                 {"exp": nil},
		"exp zero":               {"exp": 0},
		"exp a string":           {"exp": fmt.Sprint(now + 60)},
		"exp out of range":       {"exp": -1e300},
		"not yet valid":          {"nbf": now + 6},
		"nbf a string":           {"nbf": "soon"},
		"issued in the future":   {"iat": now + 6},
		"iat a string":           {"iat": "now"},
		"another issuer":         {"iss": "https://evil.example.com"},
		"issuer with a slash":    {"iss": issuer + "/"},
		"no issuer":              {"iss": nil},
		"issuer a list":          {"iss": []string{issuer}},
		"no sub":                 {"sub": nil},
		"empty sub":              {"sub": ""},
		"sub a number":           {"sub": 1},
		"sub a list":             {"sub": []string{"user_1"}},
		"sub in another case":    {"sub": nil, "Sub": "user_1"},
		"exp in another case":    {"exp": nil, "EXP": now + 60},
		"issuer in another case": {"iss": nil, "ISS": issuer},
	} {
		refused(t, w, name, w.token(changes))
	}
	for name, changes := range map[string]map[string]any{
		"not expired yet":                 {"exp": now + 1},
		"valid within the leeway":         {"nbf": now + 5},
		"issued within the leeway":        {"iat": now + 5},
		"unknown claims":                  {"sid": "s", "azp": 7, "aud": "any"},
		"no nbf":                          {"nbf": nil},
		"the latest time that JSON holds": {"exp": 1e15},
	} {
		if _, err := w.VerifyToken(t.Context(), w.token(changes)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestVerifyToken_MalformedTokenCausesNoFetch(t *testing.T) {
	w := newVerifierHarness(t)
	for _, token := range []string{"", ".", "..", "...", "a.b.c", "Bearer x", "null", "{}",
		strings.Repeat(".", 8000), strings.Repeat("a", 8192),
		b64([]byte("null")) + "." + b64([]byte("null")) + ".", b64([]byte(`[]`)) + "..",
		b64([]byte(`{"alg":"RS256","kid":"r1"}`)) + "." + b64([]byte(`[1]`)) + ".",
		b64([]byte(`{"alg":"RS256","kid":"r1"`)) + ".e30.e30", "\x00\xff", "é.é.é",
		b64([]byte(`{"alg":"none"}`)) + ".e30.",
		b64([]byte(`{"alg":"HS256","kid":"r1"}`)) + ".e30.e30"} {
		refused(t, w, fmt.Sprintf("%.20q", token), token)
	}
	refused(t, w, "no kid", sign(jwt.SigningMethodRS256, nil, w.claims(nil), rsaKey))
	refused(t, w, "HS256",
		sign(jwt.SigningMethodHS256, map[string]any{"kid": "r1"}, w.claims(nil), []byte("x")))
	if n := w.keys.fetches.Load(); n != 0 {
		t.Errorf("%d fetches of the keys", n)
	}
}

// A token is rejected in spite of a valid signature if it is too long, or contains characters
// that base64 decoders ignore.
func TestVerifyToken_UnusualEncoding(t *testing.T) {
	w := newVerifierHarness(t)
	refused(t, w, "oversized", w.token(map[string]any{"padding": strings.Repeat("x", 8<<10)}))
	refused(t, w, "line break after", w.token(nil)+"\n")
	refused(t, w, "line break within", strings.Replace(w.token(nil), ".", ".\r\n", 1))
	long := w.token(map[string]any{"padding": strings.Repeat("x", 5<<10)})
	if _, err := w.VerifyToken(t.Context(), long); err != nil {
		t.Errorf("%d bytes: %v", len(long), err)
	}
}

// A token's own key, or its address of a key, is not used.
func TestVerifyToken_KeysInTheTokenAreIgnored(t *testing.T) {
	w := newVerifierHarness(t)
	evil := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter,
		*http.Request) {
		t.Error("a request was sent to the token's address")
	}))
	t.Cleanup(evil.Close)
	for _, kid := range []string{"r1", "evil"} {
		for name, value := range map[string]any{"jku": evil.URL, "x5u": evil.URL,
			"jwk": rsaJWK(kid, rsaOther), "x5c": []string{"MIIB"}} {
			refused(t, w, name+" with kid "+kid,
				sign(jwt.SigningMethodRS256, map[string]any{"kid": kid, name: value}, w.claims(nil),
					rsaOther))
			if _, err := w.VerifyToken(t.Context(),
				sign(jwt.SigningMethodRS256, map[string]any{"kid": "r1", name: value},
					w.claims(nil), rsaKey)); err != nil {
				t.Errorf("%s in a valid token: %v", name, err)
			}
		}
	}
}

func TestVerifyToken_AudienceAndParty(t *testing.T) {
	w := newVerifierHarness(t, identity.WithAudience("web", "app"),
		identity.WithAuthorizedParties("https://learn.example.com"))
	good := map[string]any{"aud": []string{"x", "app"}, "azp": "https://learn.example.com"}
	if _, err := w.VerifyToken(t.Context(), w.token(good)); err != nil {
		t.Error(err)
	}
	for name, changes := range map[string]map[string]any{
		"another audience": with(good, "aud", "other"),
		"no audience":      with(good, "aud", nil),
		"empty audience":   with(good, "aud", ""),
		"another party":    with(good, "azp", "https://evil.example.com"),
		"no party":         with(good, "azp", nil),
		"a list of party":  with(good, "azp", []string{"https://learn.example.com"}),
	} {
		refused(t, w, name, w.token(changes))
	}
	w = newVerifierHarness(t, identity.WithAuthorizedParties(""))
	refused(t, w, "no party where an empty one is configured", w.token(nil))
}

func TestVerifyToken_OptionalParty(t *testing.T) {
	w := newVerifierHarness(t, identity.WithAuthorizedPartiesIfPresent("https://learn.example.com"))
	for name, azp := range map[string]any{"accepted party": "https://learn.example.com",
		"no party": nil} {
		if _, err := w.VerifyToken(t.Context(), w.token(map[string]any{"azp": azp})); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, azp := range map[string]any{"another party": "https://evil.example.com",
		"empty party": "", "a list": []string{"https://learn.example.com"}, "a number": 7} {
		refused(t, w, name, w.token(map[string]any{"azp": azp}))
	}
}

func TestVerifyToken_WithoutWithIssuer(t *testing.T) {
	w := newVerifierHarness(t, identity.WithIssuer(""))
	if _, err := w.VerifyToken(t.Context(),
		w.token(map[string]any{"iss": "https://other.example.com"})); err != nil {
		t.Error(err)
	}
}

func TestVerifyToken_CachedTokenExpires(t *testing.T) {
	w := newVerifierHarness(t)
	token := w.token(nil) // valid for a minute
	for range 2 {
		if _, err := w.VerifyToken(t.Context(), token); err != nil {
			t.Fatal(err)
		}
	}
	w.clock.pass(time.Minute - 1)
	if _, err := w.VerifyToken(t.Context(), token); err != nil {
		t.Errorf("just before it expires: %v", err)
	}
	w.clock.pass(1)
	refused(t, w, "after its time", token)
}

func TestNewVerifier_InvalidArguments(t *testing.T) {
	for name, opt := range map[string]identity.VerifierOption{
		"leeway over a minute": identity.WithLeeway(61 * time.Second),
		"negative leeway":      identity.WithLeeway(-1),
		"no gap":               identity.WithRefetchGap(0),
		"age below the gap":    identity.WithMaxAge(time.Second),
		"no time-out":          identity.WithKeyTimeout(0),
	} {
		if _, err := identity.NewVerifier("https://id.example.com/jwks", opt); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := identity.NewVerifier("id.example.com/jwks"); err == nil {
		t.Error("an address without a scheme: no error")
	}
}

// refused checks that the error is ErrInvalidToken, with a reason that does not quote the
// token.
func refused(t *testing.T, w verifierHarness, name, token string) {
	t.Helper()
	claims, err := w.VerifyToken(t.Context(), token)
	if !errors.Is(err, people.ErrInvalidToken) || claims != (people.Claims{}) {
		t.Errorf("%s: got %+v and %v", name, claims, err)
		return
	}
	if reason := strings.TrimPrefix(err.Error(),
		people.ErrInvalidToken.Error()+": "); strings.ContainsAny(reason, `"{}\%0123456789`) &&
		reason != "it is longer than 8 KiB" {
		t.Errorf("%s: the reason may quote the token: %s", name, reason)
	}
}
