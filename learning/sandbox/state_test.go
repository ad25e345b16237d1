package sandbox_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning/sandbox"
)

func TestState_SurvivesARestart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sandbox.json")
	first := start(t, sandbox.Config{State: file})
	withUsers(t, first)
	o := newOrder(t, first)
	failed, err := first.Gateway().Fail(o.ID)
	if err != nil {
		t.Fatal(err)
	}
	paid := pay(t, first, o.ID, sandbox.WithNotes([]string{}))
	tok := token(t, first, "user_2")
	orders := first.Gateway().Orders()
	users := first.Identity().Users()
	first.Close()

	cfg := first.Config()
	second := start(t, sandbox.Config{State: file, URL: cfg.URL})
	got := second.Config()
	for _, c := range []*sandbox.Config{&cfg, &got} {
		c.Addr = ""
		c.Clock = nil
		c.Log = nil
		c.Retry = nil
	}
	if diff := cmp.Diff(cfg, got); diff != "" {
		t.Error("secrets", diff)
	}
	if diff := cmp.Diff(users, second.Identity().Users()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(orders, second.Gateway().Orders()); diff != "" {
		t.Error(diff)
	}
	payments, err := second.Gateway().Payments(o.ID)
	if diff := cmp.Diff([]sandbox.Payment{failed, paid}, payments); err != nil || diff != "" {
		t.Error(err, diff)
	}
	if _, err := second.Gateway().Pay(o.ID); err == nil {
		t.Error("a paid order was paid again after the restart")
	}
	if _, err := jwt.Parse(tok, func(t *jwt.Token) (any, error) {
		for _, k := range second.Identity().Keys() {
			if k.ID == t.Header["kid"] {
				return k.Public, nil
			}
		}
		return nil, errors.New("the key is gone")
	}, jwt.WithIssuer(second.Config().URL)); err != nil {
		t.Error("a token of before the restart:", err)
	}
}

func TestState_FileIsPrivateAndTheOnlyOne(t *testing.T) {
	dir := t.TempDir()
	s := start(t, sandbox.Config{State: filepath.Join(dir, "sandbox.json")})
	withUsers(t, s)
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Fatalf("%v, %d files in the folder", err, len(entries))
	}
	info, err := entries[0].Info()
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, mode %v", err, info.Mode())
	}
}

func TestState_ReadingDoesNotWriteIt(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sandbox.json")
	start(t, sandbox.Config{State: file})
	before, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	command, err := sandbox.New(sandbox.Config{State: file, URL: "http://sandbox.example.org"})
	if err != nil {
		t.Fatal(err)
	}
	defer command.Close()
	if after, err := os.Stat(file); err != nil || !os.SameFile(before, after) {
		t.Errorf("the file was replaced (%v)", err)
	}
}

func TestState_ConfiguredSecretsOverrideStoredOnes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sandbox.json")
	start(t, sandbox.Config{State: file})
	if got := start(t, sandbox.Config{State: file,
		GatewayKeySecret: "mine"}).Config().GatewayKeySecret; got != "mine" {
		t.Errorf("key secret = %q", got)
	}
}

func TestState_DamagedFileIsAnErrorAndIsNotChanged(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sandbox.json")
	for _, damage := range []string{"", "{", `{"Keys":[{"ID":"a","Alg":"RS256","PKCS8":"AAAA"}]}`} {
		if err := os.WriteFile(file, []byte(damage), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := sandbox.New(sandbox.Config{URL: "http://sandbox.test", State: file})
		if err == nil {
			s.Close()
			t.Errorf("%q was accepted", damage)
		}
		if left, _ := os.ReadFile(file); string(left) != damage {
			t.Errorf("%q became %q", damage, left)
		}
	}
}

func TestState_FailedWriteIsReported(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gone")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s := start(t, sandbox.Config{State: filepath.Join(dir, "sandbox.json")})
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := s.Identity().PutUser(sandbox.User{ID: "user_1"}); err == nil {
		t.Error("no error")
	}
	if status, _, body := call(t, "POST", s.Config().URL+"/v1/orders", anOrder,
		gatewayKey(s)); status != 500 {
		t.Errorf("%d %s", status, body)
	}
}
