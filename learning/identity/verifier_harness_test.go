package identity_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/openlectern/openlectern/learning/identity"
)

const issuer = "https://id.example.com"

var (
	rsaKey, rsaOther = newRSA(), newRSA()
	ecKey            = newEC(elliptic.P256())
	monday           = time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
)

func newRSA() *rsa.PrivateKey {
	k, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return k
}

func newEC(c elliptic.Curve) *ecdsa.PrivateKey {
	k, err := ecdsa.GenerateKey(c, rand.Reader)
	if err != nil {
		panic(err)
	}
	return k
}

// clock is a clock that the test controls.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.now }

func (c *clock) pass(d time.Duration) { c.mu.Lock(); defer c.mu.Unlock(); c.now = c.now.Add(d) }

// keyServer publishes a key set, and fails on request.
type keyServer struct {
	*httptest.Server
	fetches atomic.Int64
	answer  atomic.Value // http.HandlerFunc
}

func newKeyServer(t testing.TB, keys ...map[string]any) *keyServer {
	s := &keyServer{}
	s.publish(keys...)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.fetches.Add(1)
		s.answer.Load().(http.HandlerFunc)(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *keyServer) does(h http.HandlerFunc) { s.answer.Store(h) }

func (s *keyServer) publish(keys ...map[string]any) {
	body, err := json.Marshal(map[string]any{"keys": keys})
	if err != nil {
		panic(err)
	}
	s.does(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) })
}

func (s *keyServer) fail(status int) {
	s.does(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
}

// expectFetches waits until the keys were fetched want times, also in the background.
func (s *keyServer) expectFetches(t *testing.T, want int64) {
	t.Helper()
	eventually(t, func() bool { return s.fetches.Load() >= want })
	if got := s.fetches.Load(); got != want {
		t.Errorf("%d fetches of the keys, want %d", got, want)
	}
}

func eventually(t *testing.T, done func() bool) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for !done() {
		if time.Now().After(deadline) {
			t.Fatal("the condition was still false after 20 seconds")
		}
		time.Sleep(time.Millisecond)
	}
}

func b64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func rsaJWK(kid string, k *rsa.PrivateKey) map[string]any {
	return map[string]any{"kty": "RSA", "kid": kid, "use": "sig", "alg": "RS256",
		"n": b64(k.N.Bytes()), "e": b64(big.NewInt(int64(k.E)).Bytes())}
}

func ecJWK(kid, curve string, k *ecdsa.PrivateKey) map[string]any {
	point, err := k.PublicKey.Bytes()
	if err != nil {
		panic(err)
	}
	size := (len(point) - 1) / 2
	return map[string]any{"kty": "EC", "kid": kid, "crv": curve, "x": b64(point[1 : 1+size]),
		"y": b64(point[1+size:])}
}

// with returns a copy of a key with one member changed, or removed by nil.
func with(key map[string]any, name string, value any) map[string]any {
	out := map[string]any{}
	for k, v := range key {
		out[k] = v
	}
	out[name] = value
	if value == nil {
		delete(out, name)
	}
	return out
}

// verifierHarness is a verifier with its key server and its clock.
type verifierHarness struct {
	*testing.T
	*identity.Verifier
	clock *clock
	keys  *keyServer
}

func newVerifierHarness(t *testing.T, opts ...identity.VerifierOption) verifierHarness {
	t.Helper()
	w := verifierHarness{T: t, Verifier: nil, clock: &clock{now: monday},
		keys: newKeyServer(t, rsaJWK("r1", rsaKey), ecJWK("e1", "P-256", ecKey))}
	v, err := identity.NewVerifier(w.keys.URL,
		append([]identity.VerifierOption{identity.WithIssuer(issuer), identity.WithClock(w.clock)},
			opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	w.Verifier = v
	return w
}

// claims returns the claims of a valid token with changes; a change to nil removes a claim.
func (w verifierHarness) claims(changes map[string]any) jwt.MapClaims {
	now := w.clock.Now().Unix()
	c := jwt.MapClaims{"iss": issuer, "sub": "user_1", "iat": now, "nbf": now - 5, "exp": now + 60,
		"metadata": map[string]any{"role": "educator"}}
	for name, value := range changes {
		c[name] = value
		if value == nil {
			delete(c, name)
		}
	}
	return c
}

// token returns a valid token with changed claims.
func (w verifierHarness) token(changes map[string]any) string {
	return w.signed("r1", rsaKey,
		changes)
}

func (w verifierHarness) signed(kid string, key crypto.Signer, changes map[string]any) string {
	method := jwt.SigningMethod(jwt.SigningMethodRS256)
	if _, ok := key.(*ecdsa.PrivateKey); ok {
		method = jwt.SigningMethodES256
	}
	return sign(method, map[string]any{"kid": kid}, w.claims(changes), key)
}

func sign(method jwt.SigningMethod, header map[string]any, claims jwt.Claims, key any) string {
	t := jwt.NewWithClaims(method, claims)
	for name, value := range header {
		t.Header[name] = value
	}
	s, err := t.SignedString(key)
	if err != nil {
		panic(err)
	}
	return s
}
