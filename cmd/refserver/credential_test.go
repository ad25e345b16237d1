package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
)

// keyFile writes a PEM file.
func keyFile(t *testing.T, dir, name, kind string, der []byte, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return write(t, dir, name, string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})))
}

func privateKey(t *testing.T, dir, name string, key crypto.Signer) string {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	return keyFile(t, dir, name, "PRIVATE KEY", der, err)
}

func publicKey(t *testing.T, dir, name string, key crypto.PublicKey) string {
	der, err := x509.MarshalPKIXPublicKey(key)
	return keyFile(t, dir, name, "PUBLIC KEY", der, err)
}

func ed25519Key(seed string) ed25519.PrivateKey { return ed25519.NewKeyFromSeed([]byte(seed)[:32]) }

// publishedKeys returns the ids of the keys that a server publishes.
func publishedKeys(t *testing.T, url string) []string {
	t.Helper()
	status, answer := call(t, http.MethodGet, url+"/.well-known/jwks.json", "", "")
	if status != http.StatusOK {
		t.Fatalf("status %d: %v", status, answer)
	}
	var ids []string
	for _, k := range answer["keys"].([]any) {
		kid, _ := k.(map[string]any)["kid"].(string)
		ids = append(ids, kid[strings.LastIndex(kid, "/")+1:])
	}
	return ids
}

func TestCredentialKey_InDevelopmentSurvivesARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := serve(t, environment{}, dev(dir)...)
	before := publishedKeys(t, first.url)
	first.stop(t)
	second := serve(t, environment{}, dev(dir)...)
	if after := publishedKeys(t, second.url); len(after) != 1 || after[0] != before[0] {
		t.Errorf("keys %v, after a restart %v", before, after)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.credential.pem"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files %v, %v", files, err)
	}
	if info, err := os.Stat(files[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key may be read by others: %v, %v", info.Mode(), err)
	}
}

// TestCredentialKey_CreatedByServersAtOnce_IsRead starts in one folder as many servers do at once:
// each must read a whole key, and all the same one.
func TestCredentialKey_CreatedByServersAtOnce_IsRead(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "learning.db.credential.pem")
	keys := make([]any, 8)
	var all sync.WaitGroup
	for i := range keys {
		all.Go(func() {
			if err := ensureKey(file); err != nil {
				t.Errorf("create the key: %v", err)
				return
			}
			key, err := readKey(file)
			if err != nil {
				t.Errorf("read the key: %v", err)
				return
			}
			keys[i] = key.Public()
		})
	}
	all.Wait()
	for _, key := range keys {
		if !reflect.DeepEqual(key, keys[0]) {
			t.Fatal("two servers have different keys")
		}
	}
	if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) != 1 {
		t.Errorf("the folder has %v (%v), want the key only", left, err)
	}
}

func TestCredentialKey_MissingInProductionMeansNoCredentials(t *testing.T) {
	t.Parallel()
	s := serve(t, configured(providers(t), t.TempDir()))
	status, answer := call(t, http.MethodGet, s.url+"/.well-known/jwks.json", "", "")
	if status != http.StatusServiceUnavailable {
		t.Errorf("status %d: %v", status, answer)
	}
}

func TestCredentialKey_RetiredKeysArePublished(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env := configured(providers(t), dir)
	env["LEARNING_CREDENTIAL_KEY"] = privateKey(t, dir, "now.pem",
		ed25519Key("the key that signs from today on"))
	env["LEARNING_CREDENTIAL_RETIRED_KEYS"] = privateKey(t, dir, "last.pem",
		ed25519Key("the key that signed until today!")) + ", " +
		publicKey(t, dir, "first.pem", ed25519Key("the key that signed first of all").Public())
	if ids := publishedKeys(t, serve(t, env).url); len(ids) != 3 {
		t.Errorf("keys %v", ids)
	}
}

func TestCredentialKey_UnusableKeysAreReported(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	good := privateKey(t, dir, "good.pem", ed25519Key("the key that signs from today on"))
	bad := []string{
		filepath.Join(dir, "hush"), dir, write(t, dir, "hush.pem", "hush"),
		privateKey(t, dir, "p384.pem", p384),
		keyFile(t, dir, "broken.pem", "PRIVATE KEY", []byte("hush"), nil),
		keyFile(t, dir, "cert.pem", "CERTIFICATE", []byte("hush"), nil),
	}
	for _, file := range append(bad,
		publicKey(t, dir, "public.pem", ed25519Key("the key that signs from today on").Public())) {
		wantOneProblem(t, environment{"LEARNING_CREDENTIAL_KEY": file}, "LEARNING_CREDENTIAL_KEY")
	}
	for _, file := range bad {
		wantOneProblem(t, environment{"LEARNING_CREDENTIAL_KEY": good,
			"LEARNING_CREDENTIAL_RETIRED_KEYS": good + "," + file},
			"LEARNING_CREDENTIAL_RETIRED_KEYS")
	}
	wantOneProblem(t, environment{"LEARNING_CREDENTIAL_RETIRED_KEYS": good},
		"LEARNING_CREDENTIAL_KEY")
}

func wantOneProblem(t *testing.T, more environment, name string) {
	t.Helper()
	env := inProduction(t.TempDir())
	for k, v := range more {
		env[k] = v
	}
	code, _, stderr := commandWith(t, env)
	if code != 1 || strings.Count(stderr, "(--") != 1 || !strings.Contains(stderr, name+" (--") ||
		strings.Contains(stderr, "hush") {
		t.Errorf("%v: exit code %d and\n%s", more, code, stderr)
	}
}
