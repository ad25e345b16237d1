package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/openlectern/openlectern/learning/store/sqlite"
)

const audience = "school"

// idp is a provider of OpenID Connect with one user.
type idp struct {
	*testing.T
	*httptest.Server
	key *ecdsa.PrivateKey
}

func startProvider(t *testing.T) *idp {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(t, err)
	mux := http.NewServeMux()
	p := &idp{T: t, Server: httptest.NewServer(mux), key: key}
	t.Cleanup(p.Close)
	point, err := key.PublicKey.Bytes() // 4, x, y
	check(t, err)
	answer(mux, "/.well-known/openid-configuration",
		map[string]any{"issuer": p.URL, "jwks_uri": p.URL + "/keys",
			"userinfo_endpoint": p.URL + "/userinfo"})
	answer(mux, "/keys",
		map[string]any{"keys": []any{map[string]string{"kty": "EC", "use": "sig", "alg": "ES256",
			"kid": "1", "crv": "P-256",
			"x": base64.RawURLEncoding.EncodeToString(point[1:33]),
			"y": base64.RawURLEncoding.EncodeToString(point[33:])}}})
	answer(mux, "/userinfo",
		map[string]string{"sub": "ada", "name": "Ada Lovelace", "email": "ada@example.org"})
	return p
}

func answer(mux *http.ServeMux, path string, value any) {
	mux.HandleFunc("GET "+path,
		func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(value) })
}

// token returns a token with these claims in addition to the usual ones, which they replace.
func (p *idp) token(changes jwt.MapClaims) string {
	p.Helper()
	now := time.Now()
	claims := jwt.MapClaims{"iss": p.URL, "aud": []string{"account", audience}, "sub": "ada",
		"iat": now.Unix(), "exp": now.Add(time.Hour).Unix()}
	for name, value := range changes {
		claims[name] = value
	}
	t := jwt.NewWithClaims(jwt.SigningMethodES256, claims)
	t.Header["kid"] = "1"
	signed, err := t.SignedString(p.key)
	check(p.T, err)
	return signed
}

func roles(names ...string) jwt.MapClaims {
	return jwt.MapClaims{"realm_access": map[string]any{"roles": names}}
}

// startServer runs the example with a provider, and returns its URL.
func startServer(t *testing.T, p *idp) string {
	t.Helper()
	st, err := sqlite.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "learning.db"))
	check(t, err)
	t.Cleanup(func() { _ = st.Close() })
	_, handler := routes(st, p.URL, audience)
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

// read returns the status and the text of an answer.
func read(t *testing.T, url, token string) (status int, text string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	check(t, err)
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(r)
	check(t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	check(t, err)
	return answer.StatusCode, string(body)
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestTokens_IssuerAudienceAndRoleDecide(t *testing.T) {
	p := startProvider(t)
	url := startServer(t, p)
	for name, test := range map[string]struct {
		claims jwt.MapClaims
		want   int
	}{
		"an educator":                {roles("offline_access", "educator"), http.StatusOK},
		"a user with another role":   {roles("offline_access"), http.StatusForbidden},
		"a user without roles":       {nil, http.StatusForbidden},
		"a token for another client": {jwt.MapClaims{"aud": "account"}, http.StatusUnauthorized},
		"a token of another realm": {jwt.MapClaims{"iss": p.URL + "/other"},
			http.StatusUnauthorized},
		"a token that has expired": {jwt.MapClaims{"exp": time.Now().Add(-time.Hour).Unix()},
			http.StatusUnauthorized},
	} {
		status, text := read(t, url+"/api/educator/courses", p.token(test.claims))
		if status != test.want {
			t.Errorf("%s: %d %s, want %d", name, status, text, test.want)
		}
	}
}

func TestNewcomers_HaveARecordFromTheFirstRequestOn(t *testing.T) {
	p := startProvider(t)
	url := startServer(t, p)
	for range 2 {
		if status, text := read(t, url+"/api/user/data", p.token(nil)); status != http.StatusOK ||
			!strings.Contains(text, "Ada Lovelace") {
			t.Errorf("the record: %d %s", status, text)
		}
	}
}
