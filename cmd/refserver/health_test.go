package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestHealth_FollowsTheServer(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, dev(shop(t))...)
	addr := strings.TrimPrefix(s.url, "http://")
	if code, stdout, stderr := command(t, "health", "--addr="+addr); code != 0 ||
		stdout != "ready\n" {
		t.Errorf("of a running server: exit code %d, %q, %q", code, stdout, stderr)
	}
	s.stop(t)
	if code, _, stderr := command(t, "health", "--addr="+addr); code != 1 ||
		!strings.Contains(stderr, "no server answers at "+addr) {
		t.Errorf("of a stopped server: exit code %d and %q", code, stderr)
	}
}

func TestHealth_ServerWithoutDatabase(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" {
			t.Errorf("the command asks for %s", r.URL.Path)
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer s.Close()
	code, stdout, stderr := command(t, "health", "--addr="+strings.TrimPrefix(s.URL, "http://"))
	if code != 1 || stdout != "" || !strings.Contains(stderr, "not ready: 503") {
		t.Errorf("exit code %d, %q, %q", code, stdout, stderr)
	}
}

func TestSettings_LocalAddress(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]string{
		":3000": "127.0.0.1:3000", "0.0.0.0:80": "127.0.0.1:80", "[::]:80": "[::1]:80",
		"localhost:3000": "localhost:3000", "192.0.2.7:80": "192.0.2.7:80",
		"[2001:db8::1]:80": "[2001:db8::1]:80",
	} {
		if got := (&Settings{Addr: addr}).localAddr(); got != want {
			t.Errorf("%s is reached at %s, want %s", addr, got, want)
		}
	}
}
