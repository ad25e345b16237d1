package main

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

func TestTokenCommand_SignsASandboxUserIn(t *testing.T) {
	t.Parallel()
	dir := shop(t)
	s := serve(t, nil, dev(dir)...)
	at := dev(dir, "--sandbox-addr="+s.sandbox(t))
	code, token, stderr := command(t, append(at, "token", demoEducator)...)
	if code != 0 {
		t.Fatal(stderr)
	}
	_, answer := call(t, http.MethodGet, s.url+"/api/user/data", strings.TrimSpace(token), "")
	if user, _ := answer["user"].(map[string]any); user["_id"] != demoEducator {
		t.Errorf("signed in: %v", answer)
	}
	if code, stdout, stderr := command(t, append(at, "token", "nobody")...); code != 1 || stdout != "" || !strings.Contains(stderr, demoStudent) {
		t.Errorf("unknown user: exit code %d, %q, %q", code, stdout, stderr)
	}
}

func TestTokenCommand_BeforeTheFirstStart(t *testing.T) {
	t.Parallel()
	if code, _, stderr := command(t, dev(t.TempDir(), "token", demoStudent)...); code != 1 || !strings.Contains(stderr, "start refserver") {
		t.Errorf("exit code %d and %q", code, stderr)
	}
}

func TestTriggerCommand_PaymentEnrols(t *testing.T) {
	t.Parallel()
	dir := shop(t)
	s := serve(t, nil, dev(dir)...)
	token := s.token(t, demoStudent)
	at := []string{"--addr=" + strings.TrimPrefix(s.url, "http://"), "--database=sqlite:" + filepath.Join(dir, "learning.db"), "trigger"}
	if code, _, stderr := command(t, append(at, "payment.captured")...); code != 1 || !strings.Contains(stderr, "no order yet") {
		t.Errorf("without an order: exit code %d and %q", code, stderr)
	}
	call(t, http.MethodPost, s.url+"/api/user/purchase", token, `{"courseId":"paid"}`)
	for _, event := range []string{"payment.failed", "payment.captured", "payment.captured"} {
		if got := enrolled(t, s.url, token); event == "payment.failed" && got != "[]" {
			t.Errorf("enrolled before it was paid: %s", got)
		}
		if code, _, stderr := command(t, append(at, event)...); code != 0 {
			t.Errorf("%s: %s", event, stderr)
		}
	}
	if got := enrolled(t, s.url, token); got != "[paid]" {
		t.Errorf("enrolled in %s", got)
	}
}

func TestTriggerCommand_UserEventReachesThePlatform(t *testing.T) {
	t.Parallel()
	dir := shop(t)
	s := serve(t, nil, dev(dir)...)
	token := s.token(t, demoStudent)
	at := []string{"--addr=" + strings.TrimPrefix(s.url, "http://"), "--database=sqlite:" + filepath.Join(dir, "learning.db"), "trigger"}
	for _, event := range []string{"user.updated", "user.deleted"} {
		if code, stdout, stderr := command(t, append(at, event, "--user", demoStudent)...); code != 0 || !strings.Contains(stdout, demoStudent) {
			t.Errorf("%s: exit code %d, %q, %q", event, code, stdout, stderr)
		}
	}
	if _, answer := call(t, http.MethodGet, s.url+"/api/user/data", token, ""); answer["message"] != "User Not Found" {
		t.Errorf("after user.deleted: %v", answer)
	}
	s.stop(t)
	if code, _, stderr := command(t, append(at, "user.updated")...); code != 1 || stderr == "" {
		t.Errorf("without a server: exit code %d and %q", code, stderr)
	}
}

func TestMigrateCommand_MayBeRepeated(t *testing.T) {
	t.Parallel()
	database := "--database=sqlite:" + filepath.Join(t.TempDir(), "learning.db")
	for range 2 {
		if code, stdout, stderr := command(t, database, "migrate"); code != 0 || !strings.Contains(stdout, "up to date") {
			t.Errorf("exit code %d, %q, %q", code, stdout, stderr)
		}
	}
}
