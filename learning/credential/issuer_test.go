package credential_test

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning/certify"
	"github.com/openlectern/openlectern/learning/credential"
)

const issuerURL = "https://api.example.org"

var ours = ed25519.NewKeyFromSeed([]byte("a key of a test: it is no secret"))

// earned is a certificate with private data that the credential must not contain.
var earned = certify.Certificate{
	ID: "0b6ae1c4-7d3f-4a51-9a4e-6b1f7d2c9e10", UserID: "user_secret", CourseID: "course/1",
	Number:      certify.StatusListSize + 94567,
	StudentName: "Zoë <O’Brien>", CourseTitle: "Go & friends", EducatorName: "Ada",
	IssuerName:  "Our school",
	CompletedAt: time.Date(2026, 1, 30, 23, 59, 59, 999e6, time.UTC),
	IssuedAt:    time.Date(2026, 1, 31, 9, 30, 0, 123456e3, time.FixedZone("", 3600)),
}

// handle is a key outside the process, which has the methods of crypto.Signer only.
type handle struct {
	crypto.Signer
	sign func(rand io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error)
}

func (h handle) Sign(rand io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	return h.sign(rand, digest, opts)
}

func remote(key crypto.Signer) handle { return handle{key, key.Sign} }

func newIssuer(t testing.TB, signer crypto.Signer, opts ...credential.Option) *credential.Issuer {
	t.Helper()
	i, err := credential.New(signer, issuerURL, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// parts decodes a token without verifying its signature.
func parts(t *testing.T, token string) (header, claims map[string]any) {
	t.Helper()
	for n, part := range strings.Split(token, ".")[:2] {
		body, err := base64.RawURLEncoding.DecodeString(part)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(body, []*map[string]any{&header, &claims}[n]); err != nil {
			t.Fatal(err)
		}
	}
	return header, claims
}

func sign(t *testing.T, i *credential.Issuer) string {
	t.Helper()
	token, err := i.SignCredential(t.Context(), earned)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func TestSignCredential_Claims(t *testing.T) {
	token := sign(t, newIssuer(t, ours, credential.WithImage("https://example.org/logo.png"),
		credential.WithHomepage("https://example.org")))
	header, claims := parts(t, token)
	const own = issuerURL + "/api/certificate/0b6ae1c4-7d3f-4a51-9a4e-6b1f7d2c9e10"
	want := map[string]any{
		"@context": []any{"https://www.w3.org/ns/credentials/v2",
			"https://purl.imsglobal.org/spec/ob/v3p0/context-3.0.3.json"},
		"id": own + "/credential", "jti": own + "/credential", "iss": issuerURL,
		"sub": own + "/credential#recipient",
		"nbf": 1769848200.0, "validFrom": "2026-01-31T08:30:00Z",
		"type": []any{"VerifiableCredential", "OpenBadgeCredential"}, "name": "Go & friends",
		"issuer": map[string]any{"id": issuerURL, "type": []any{"Profile"}, "name": "Our school",
			"url":   "https://example.org",
			"image": map[string]any{"id": "https://example.org/logo.png", "type": "Image"}},
		"evidence": []any{map[string]any{"id": issuerURL + "/api/certificate/verify/" + earned.ID,
			"type":        []any{"Evidence"},
			"name":        "Certificate",
			"description": "The certificate with all that is printed on it, as the issuer has it."}},
		"credentialStatus": map[string]any{"id": issuerURL + "/api/certificate/status/1#94567",
			"type":          "BitstringStatusListEntry",
			"statusPurpose": "revocation", "statusListIndex": "94567",
			"statusListCredential": issuerURL + "/api/certificate/status/1"},
		"credentialSubject": map[string]any{"id": own + "/credential#recipient",
			"type":            []any{"AchievementSubject"},
			"activityEndDate": "2026-01-30T23:59:59Z",
			"identifier": []any{map[string]any{"type": "IdentityObject", "hashed": false,
				"identityType": "name", "identityHash": "Zoë <O’Brien>"}},
			"achievement": map[string]any{"id": issuerURL + "/api/course/course%2F1",
				"type":            []any{"Achievement"},
				"achievementType": "CertificateOfCompletion", "name": "Go & friends",
				"description": "Completion of the course “Go & friends”, taught by Ada.",
				"criteria": map[string]any{
					"narrative": "Complete every lecture of the course."}}},
	}
	if diff := cmp.Diff(want, claims); diff != "" {
		t.Errorf("claims (-want +got):\n%s", diff)
	}
	kid := issuerURL + "/api/certificate/key/" + newIssuer(t, ours).PublicKeys()[0].ID
	if diff := cmp.Diff(map[string]any{"alg": "EdDSA", "typ": "JWT", "kid": kid}, header); diff !=
		"" {
		t.Errorf("header (-want +got):\n%s", diff)
	}
	if strings.Contains(token, "user_secret") ||
		strings.Contains(toJSON(t, claims), "user_secret") {
		t.Error("the user's id is in the credential")
	}
}

func toJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestWithAchievement_ReplacesTheDescription(t *testing.T) {
	about := func(c certify.Certificate) credential.Achievement {
		return credential.Achievement{Type: "Course", Description: "About " + c.CourseID,
			Criteria: "Pass.", Image: "https://example.org/badge.svg"}
	}
	_, claims := parts(t, sign(t, newIssuer(t, ours, credential.WithAchievement(about))))
	got := claims["credentialSubject"].(map[string]any)["achievement"]
	want := map[string]any{"id": issuerURL + "/api/course/course%2F1", "type": []any{"Achievement"},
		"achievementType": "Course", "name": "Go & friends",
		"description": "About course/1", "criteria": map[string]any{"narrative": "Pass."},
		"image": map[string]any{"id": "https://example.org/badge.svg", "type": "Image"}}
	if diff := cmp.Diff(any(want), got); diff != "" {
		t.Errorf("achievement (-want +got):\n%s", diff)
	}
}

// keys returns a key of each kind.
func keys(t *testing.T) map[string]crypto.Signer {
	t.Helper()
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	big, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]crypto.Signer{"ES256": ec, "RS256": big, "EdDSA": ours}
}

func TestSignCredential_EveryKindOfKey(t *testing.T) {
	for alg, key := range keys(t) {
		i := newIssuer(t, remote(key))
		for range 50 { // because the numbers of some ECDSA signatures have leading zeros
			token := sign(t, i)
			if _, err := jwt.Parse(token,
				func(*jwt.Token) (any, error) { return key.Public(), nil },
				jwt.WithValidMethods([]string{alg})); err != nil {
				t.Fatalf("%s: %v", alg, err)
			}
		}
	}
}

func TestSignCredential_SameClaimsAtEveryCall(t *testing.T) {
	for alg, key := range keys(t) {
		i := newIssuer(t, key)
		first, second := strings.Split(sign(t, i), "."), strings.Split(sign(t, i), ".")
		if first[0] != second[0] || first[1] != second[1] {
			t.Errorf("%s: %s and %s", alg, first, second)
		}
	}
}

func TestSignStatusList_Claims(t *testing.T) {
	at := time.Date(2026, 1, 31, 9, 30, 0, 5e8, time.UTC)
	token, err := newIssuer(t, ours).SignStatusList(t.Context(),
		certify.StatusList{Number: 2, At: at})
	if err != nil {
		t.Fatal(err)
	}
	header, claims := parts(t, token)
	if header["typ"] != "vc+jwt" {
		t.Errorf("header %v", header)
	}
	subject := claims["credentialSubject"].(map[string]any)
	if encoded, _ := subject["encodedList"].(string); !strings.HasPrefix(encoded, "uH4sI") {
		t.Errorf("the list is %.12s…", encoded)
	}
	delete(subject, "encodedList")
	const own = issuerURL + "/api/certificate/status/2"
	want := map[string]any{
		"@context": []any{"https://www.w3.org/ns/credentials/v2"}, "id": own,
		"type":   []any{"VerifiableCredential", "BitstringStatusListCredential"},
		"issuer": issuerURL, "iss": issuerURL, "validFrom": "2026-01-31T09:25:00Z",
		"validUntil": "2026-02-01T09:30:00Z", "exp": float64(at.Unix() + 86400),
		"credentialSubject": map[string]any{"id": own + "#list", "type": "BitstringStatusList",
			"statusPurpose": "revocation", "ttl": 60_000.0},
	}
	if diff := cmp.Diff(want, claims); diff != "" {
		t.Errorf("claims (-want +got):\n%s", diff)
	}
}

func TestPublicKeys_RetiredKeysAppearOnce(t *testing.T) {
	all := keys(t)
	i := newIssuer(t, all["ES256"],
		credential.WithRetiredKeys(all["RS256"].Public(), all["EdDSA"].Public()),
		credential.WithRetiredKeys(all["ES256"].Public(), all["RS256"].Public()))
	var algs []string
	for _, k := range i.PublicKeys() {
		var published struct{ Alg, Kid string }
		if err := json.Unmarshal(k.JWK, &published); err != nil {
			t.Fatal(err)
		}
		algs = append(algs, published.Alg)
		if published.Kid != issuerURL+"/api/certificate/key/"+k.ID {
			t.Errorf("the kid of key %s is %s", k.ID, published.Kid)
		}
	}
	if diff := cmp.Diff([]string{"ES256", "RS256", "EdDSA"}, algs); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
}

func TestSignCredential_FailingKey(t *testing.T) {
	other := keys(t)["ES256"]
	for name, c := range map[string]struct {
		sign func(io.Reader, []byte, crypto.SignerOpts) ([]byte, error)
		says string
	}{
		"error": {func(io.Reader, []byte, crypto.SignerOpts) ([]byte, error) {
			return nil,
				errors.New("no route to it")
		}, "no route to it"},
		"panic": {func(io.Reader, []byte,
			crypto.SignerOpts) ([]byte, error) {
			panic("broken handle")
		}, "broken handle"},
		"nothing": {func(io.Reader, []byte, crypto.SignerOpts) ([]byte, error) {
			return nil,
				nil
		}, "asn1"},
		"another key": {other.Sign, "does not match its public key"},
	} {
		i := newIssuer(t, handle{keys(t)["ES256"], c.sign})
		if token, err := i.SignCredential(t.Context(), earned); err == nil || token != "" ||
			!strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: token %q, error %v", name, token, err)
		}
	}
}

// A crypto.Signer has no context. If it hangs, callers must return in time, and the number
// of calls to it must stay bounded.
func TestSignCredential_HangingKeyHasABoundedNumberOfCalls(t *testing.T) {
	var asked sync.WaitGroup
	release, calls := make(chan struct{}), make(chan struct{}, 100)
	i := newIssuer(t,
		handle{ours, func(r io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
			calls <- struct{}{}
			<-release
			return ours.Sign(r, digest, opts)
		}})
	for range 20 {
		asked.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			defer cancel()
			if _, err := i.SignCredential(ctx, earned); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error %v", err)
			}
		})
	}
	asked.Wait()
	if n := len(calls); n > 8 {
		t.Errorf("%d concurrent calls to the key", n)
	}
	close(release) // the calls return and free their slots
	if _, err := i.SignCredential(t.Context(), earned); err != nil {
		t.Errorf("after the key answers again: %v", err)
	}
}

func TestNew_InvalidIssuer(t *testing.T) {
	for name, make := range map[string]func() (*credential.Issuer, error){
		"no key":     func() (*credential.Issuer, error) { return credential.New(nil, issuerURL) },
		"no URL":     func() (*credential.Issuer, error) { return credential.New(ours, "") },
		"path alone": func() (*credential.Issuer, error) { return credential.New(ours, "/api") },
		"a query": func() (*credential.Issuer, error) {
			return credential.New(ours,
				issuerURL+"?a=b")
		},
		"a password": func() (*credential.Issuer, error) {
			return credential.New(ours,
				"https://me:hush@api.example.org")
		},
		"retired": func() (*credential.Issuer, error) {
			return credential.New(ours, issuerURL, credential.WithRetiredKeys("hush"))
		},
		"no achievement": func() (*credential.Issuer, error) {
			return credential.New(ours, issuerURL, credential.WithAchievement(nil))
		},
	} {
		if i, err := make(); err == nil || i != nil || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if i := newIssuer(t, ours); i.PublicKeys()[0].ID == "" {
		t.Error("no id")
	}
	if _, err := newIssuer(t, ours).SignCredential(t.Context(),
		certify.Certificate{Number: -1}); err == nil {
		t.Error("a certificate without a number has an entry in a status list")
	}
}

func TestNew_SlashAtTheEndOfTheURLIsRemoved(t *testing.T) {
	i, err := credential.New(ours, issuerURL+"/learning/")
	if err != nil {
		t.Fatal(err)
	}
	_, claims := parts(t, sign(t, i))
	if claims["iss"] != issuerURL+"/learning" ||
		claims["id"] != issuerURL+"/learning/api/certificate/"+earned.ID+"/credential" {
		t.Errorf("issuer %v, id %v", claims["iss"], claims["id"])
	}
}
