package credential_test

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/certify"
	"github.com/openlectern/openlectern/learning/credential"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// finding is the verifier's result for a credential (testdata/verifier/verify.mjs).
type finding struct {
	Alg, Kid, Name, Course string
	Types                  []string
	Revoked                bool
	Error                  string
}

// verifier uses independent libraries from npm, which are installed once for all tests of
// the process.
var verifier struct {
	sync.Once
	dir string
	err error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if verifier.dir != "" {
		_ = os.RemoveAll(verifier.dir)
	}
	os.Exit(code)
}

// installTime and verifyTime are the time limits of npm and of the verifier.
const (
	installTime = 5 * time.Minute
	verifyTime  = time.Minute
)

// verify runs the verifier, which knows only the issuer's URL. A credential is a URL, or -
// for the token.
func verify(t *testing.T, issuer, token string, credentials ...string) []finding {
	t.Helper()
	_, err := exec.LookPath("node")
	if err == nil {
		_, err = exec.LookPath("npm")
	}
	enginetest.Need(t, "node", err)
	verifier.Do(func() { verifier.err = install(t.Context()) })
	if verifier.err != nil {
		t.Fatal(verifier.err)
	}
	out, err := command(t.Context(), verifyTime, token, "node",
		append([]string{"verify.mjs", issuer}, credentials...)...)
	if err != nil {
		t.Fatal(err)
	}
	var found []finding
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var f finding
		if err := d.Decode(&f); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v in %s", err, out)
		}
		found = append(found, f)
	}
	if len(found) != len(credentials) {
		t.Fatalf("output of the verifier:\n%s", out)
	}
	return found
}

// install copies the package and installs the modules of its lock file, from the cache if
// it has them.
func install(ctx context.Context) (err error) {
	if verifier.dir, err = os.MkdirTemp("", "verifier-"); err != nil {
		return err
	}
	if err := os.CopyFS(verifier.dir, os.DirFS("testdata/verifier")); err != nil {
		return err
	}
	cache, err := filepath.Abs("../../.cache/npm")
	if err != nil {
		return err
	}
	_, err = command(ctx, installTime, "", "npm", "ci", "--cache", cache, "--prefer-offline",
		"--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
	return err
}

func command(ctx context.Context, most time.Duration, stdin, name string,
	args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Stdin = verifier.dir, strings.NewReader(stdin)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		return nil, errors.Join(err, errors.New(name+": "+stderr.String()))
	}
	return out, nil
}

// school is a platform with an HTTP server.
type school struct {
	url string
	kit *learningtest.Kit
}

type wallClock struct{}

func (wallClock) Now() time.Time { return time.Now() }

// open serves a platform. rekey changes its key and keeps its URL, like a restart with
// another key.
func open(t *testing.T,
	key crypto.Signer) (s *school, rekey func(crypto.Signer, ...credential.Option)) {
	t.Helper()
	var current atomic.Pointer[http.Handler]
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		(*current.Load()).ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	s = &school{url: server.URL, kit: learningtest.New(t)}
	rekey = func(key crypto.Signer, opts ...credential.Option) {
		t.Helper()
		issuer, err := credential.New(key, s.url,
			append(opts, credential.WithImage(s.url+"/logo.png"))...)
		if err != nil {
			t.Fatal(err)
		}
		platform, err := learning.New(s.kit.Store, learning.WithCredentials(issuer),
			learning.WithClock(wallClock{}))
		if err != nil {
			t.Fatal(err)
		}
		handler, err := httpapi.New(platform, httpapi.WithPublicURL(s.url))
		if err != nil {
			t.Fatal(err)
		}
		s.kit.Platform = platform
		current.Store(&handler)
	}
	rekey(key)
	return s, rekey
}

// issue stores certificates with these numbers, each with another name, and returns the URLs
// of their credentials.
func (s *school) issue(t *testing.T, numbers ...int64) (urls []string) {
	t.Helper()
	err := s.kit.Store.InTx(t.Context(), func(tx learning.Tx) error {
		urls = nil
		for _, n := range numbers {
			c := certificateOf(n)
			urls = append(urls, s.url+"/api/certificate/"+c.ID+"/credential")
			if err := tx.InsertCertificate(t.Context(), c); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return urls
}

// certificateOf returns a certificate with a number. Its names are not all ASCII.
func certificateOf(number int64) certify.Certificate {
	id := fmt.Sprintf("0b6ae1c4-7d3f-4a51-9a4e-%012d", number)
	issued := time.Now().Add(-time.Hour)
	return certify.Certificate{ID: id, UserID: "user_" + id, CourseID: "course_1", Number: number,
		StudentName: "Zoë O’Brien 学習", CourseTitle: "Go & <friends>", EducatorName: "Ada",
		IssuerName: "Our school", CompletedAt: issued, IssuedAt: issued}
}

func TestVerifier_AcceptsEveryKindOfKey(t *testing.T) {
	for alg, key := range keys(t) {
		s, _ := open(t, remote(key))
		at := s.issue(t, 0, 7, 94567, certify.StatusListSize-1)
		for n, f := range verify(t, s.url, "", at...) {
			if f.Error != "" || f.Alg != alg || f.Revoked || f.Name != "Zoë O’Brien 学習" ||
				f.Course != "Go & <friends>" || !strings.HasPrefix(f.Kid, s.url) {
				t.Errorf("%s: %s: %+v", alg, at[n], f)
			}
			if !slices.Contains(f.Types,
				"https://purl.imsglobal.org/spec/vc/ob/vocab.html#OpenBadgeCredential") {
				t.Errorf("%s: types %v", alg, f.Types)
			}
		}
	}
}

func TestVerifier_SeesRevocationsAtOnce(t *testing.T) {
	s, _ := open(t, ours)
	at := s.issue(t, 8, 9, 10, certify.StatusListSize-1)
	if before := verify(t, s.url, "", at...); slices.ContainsFunc(before,
		func(f finding) bool { return f.Revoked || f.Error != "" }) {
		t.Errorf("before: %+v", before)
	}
	for _, n := range []int64{9, certify.StatusListSize - 1} {
		if r, err := s.kit.Platform.System().RevokeCertificate(t.Context(),
			certificateOf(n).ID, "A mistake"); err != nil || !r.IsNew {
			t.Fatal(r.IsNew, err)
		}
	}
	for n, f := range verify(t, s.url, "", at...) {
		if want := n == 1 || n == 3; f.Revoked != want || f.Error != "" {
			t.Errorf("%s: %+v, want revoked: %v", at[n], f, want)
		}
	}
}

// A stored credential has the signature of a key that was retired later.
func TestVerifier_AcceptsRetiredKeys(t *testing.T) {
	all := keys(t)
	s, rekey := open(t, all["ES256"])
	at := s.issue(t, 1)
	kept := s.get(t, at[0])
	rekey(all["RS256"], credential.WithRetiredKeys(all["ES256"].Public()))
	if f := verify(t, s.url, kept, "-", at[0]); f[0].Error != "" || f[0].Alg != "ES256" ||
		f[1].Error != "" || f[1].Alg != "RS256" {
		t.Errorf("after the change: %+v", f)
	}
	rekey(all["RS256"])
	if f := verify(t, s.url, kept, "-", at[0]); !strings.HasPrefix(f[0].Error,
		"ERR_JWKS_NO_MATCHING_KEY") || f[1].Error != "" {
		t.Errorf("without the retired key: %+v", f)
	}
}

func TestVerifier_RejectsForgedCredentials(t *testing.T) {
	s, _ := open(t, ours)
	token := s.get(t, s.issue(t, 1)[0])
	part := strings.Split(token, ".")
	_, claims := parts(t, token)
	claims["name"] = "Rust & friends"
	for name, c := range map[string]struct{ token, says string }{
		"another course": {part[0] + "." +
			base64.RawURLEncoding.EncodeToString([]byte(toJSON(t, claims))) + "." + part[2],
			"ERR_JWS_SIGNATURE_VERIFICATION_FAILED"},
		"another key": {forged(t, token), "ERR_JWS_SIGNATURE_VERIFICATION_FAILED"},
		"another signature": {part[0] + "." + part[1] + "." + strings.Repeat("A", len(part[2])),
			"ERR_JWS_SIGNATURE_VERIFICATION_FAILED"},
	} {
		if f := verify(t, s.url, c.token, "-")[0]; !strings.HasPrefix(f.Error, c.says) {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// forged returns a credential with the name of the issuer's key, signed with another key.
func forged(t *testing.T, token string) string {
	t.Helper()
	input := token[:strings.LastIndex(token, ".")]
	stranger := ed25519.NewKeyFromSeed([]byte("the key of somebody else, a liar"))
	return input + "." + base64.RawURLEncoding.EncodeToString(ed25519.Sign(stranger, []byte(input)))
}

// get fetches a credential.
func (s *school) get(t *testing.T, url string) string {
	t.Helper()
	res, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("status %d: %s %v", res.StatusCode, body, err)
	}
	return string(body)
}
