package main

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/learning/sandbox"
)

// may reports whether the bearer of a token may read the platform's statistics.
func may(t *testing.T, url, token string) bool {
	t.Helper()
	status, answer := call(t, http.MethodGet, url+"/api/admin/stats", token, "")
	if status != http.StatusOK && status != http.StatusForbidden {
		t.Fatalf("status %d: %v", status, answer)
	}
	return status == http.StatusOK
}

func TestAdminCommand_TakesEffectOnARunningServer(t *testing.T) {
	t.Parallel()
	dir := shop(t)
	s := serve(t, nil, dev(dir)...)
	old := s.token(t, demoStudent)
	if may(t, s.url, old) {
		t.Fatal("a student is an admin")
	}
	at := dev(dir, "--sandbox-addr="+s.sandbox(t), "admin")
	for range 2 { // repeating it is harmless
		code, stdout, stderr := command(t, append(at, demoStudent)...)
		if code != 0 || !strings.Contains(stdout, demoStudent+" is an admin now") ||
			!strings.Contains(stdout, "at once") {
			t.Fatalf("exit code %d, %q, %q", code, stdout, stderr)
		}
	}
	if !may(t, s.url, old) {
		t.Error("the token of before does not work")
	}
	_, token, _ := command(t, append(dev(dir), "token", demoStudent)...)
	if role := claims(t, strings.TrimSpace(token)).Metadata.Role; role != "admin" {
		t.Errorf("a new token has the role %q", role)
	}
	s.stop(t)
	s = serve(t, nil, dev(dir)...)
	if !may(t, s.url, s.token(t, demoStudent)) {
		t.Error("a restart takes the role away")
	}
}

func TestAdminCommand_ExplainsErrorsInDevelopment(t *testing.T) {
	t.Parallel()
	dir, other := shop(t), shop(t)
	if code, _, stderr := command(t, dev(dir, "admin", demoStudent)...); code != 1 ||
		!strings.Contains(stderr, "start the server first ("+programName(os.Args[0])+")") {
		t.Errorf("before the first start: exit code %d and %q", code, stderr)
	}
	s := serve(t, nil, dev(dir)...)
	old, box := s.token(t, demoStudent), s.sandbox(t)
	refused := func(what, want string, args ...string) {
		t.Helper()
		code, stdout, stderr := command(t, args...)
		if code != 1 || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d, %q and %q, which lacks %q", what, code, stdout, stderr,
				want)
		}
	}
	refused("unknown user", `make "nobody" an admin`,
		dev(dir, "--sandbox-addr="+box, "admin", "nobody")...)
	refused("unknown user", "http://"+box+" lists its users",
		dev(dir, "--sandbox-addr="+box, "admin", "nobody")...)
	refused("no id", "cannot be the id", dev(dir, "--sandbox-addr="+box, "admin", "nobody ")...)

	elsewhere := serve(t, nil, dev(other)...)
	elsewhere.welcomed(t)
	refused("another server's sandbox", "one and the same server",
		dev(other, "--sandbox-addr="+box, "admin", demoStudent)...)

	at := []string{"--addr=" + strings.TrimPrefix(s.url, "http://"), dev(dir)[2], "trigger",
		"user.deleted", "--user=" + demoEducator}
	if code, _, stderr := command(t, at...); code != 0 {
		t.Fatal(stderr)
	}
	refused("deleted user", "deleted here",
		dev(dir, "--sandbox-addr="+box, "admin", demoEducator)...)
	if may(t, s.url, old) {
		t.Error("a user has become an admin")
	}
	s.stop(t)
	refused("no sandbox", "does not answer at http://"+box+
		": start the server in another terminal ("+programName(os.Args[0])+")",
		dev(dir, "--sandbox-addr="+box, "admin", demoStudent)...)
}

func TestAdminCommand_InProduction(t *testing.T) {
	t.Parallel()
	dir, box := shop(t), providers(t)
	env := configured(box, dir)
	s := serve(t, env)
	old := join(t, box, s.url, sandbox.User{ID: "user_1", Role: "student"})
	for _, c := range []struct{ what, user, key, api, want string }{
		{"unknown user", "nobody", "", "", "the identity provider has no such user"},
		{"a wrong key", "user_1", "sk_0123456789abcdef", "", "LEARNING_IDENTITY_API_KEY"},
		{"no provider", "user_1", "", "http://127.0.0.1:1", "LEARNING_IDENTITY_API_URL"},
	} {
		wrong := environment{}
		for name, value := range env {
			wrong[name] = value
		}
		if c.key != "" {
			wrong["LEARNING_IDENTITY_API_KEY"] = c.key
		}
		if c.api != "" {
			wrong["LEARNING_IDENTITY_API_URL"] = c.api
		}
		code, stdout, stderr := commandWith(t, wrong, "admin", c.user)
		if code != 1 || stdout != "" || !strings.Contains(stderr, c.want) ||
			c.key != "" && strings.Contains(stderr, c.key) {
			t.Errorf("%s: exit code %d, %q and %q", c.what, code, stdout, stderr)
		}
	}
	if may(t, s.url, old) {
		t.Error("they are an admin by now")
	}
	if code, stdout, stderr := commandWith(t, env, "admin", "user_1"); code != 0 ||
		!strings.Contains(stdout, "user_1 is an admin now") {
		t.Fatalf("exit code %d, %q, %q", code, stdout, stderr)
	}
	if err := box.Wait(t.Context()); err != nil { // the provider's own event does not undo it
		t.Fatal(err)
	}
	if user, _ := box.Identity().User("user_1"); user.Role != "admin" || !may(t, s.url, old) {
		t.Errorf("the provider has the role %q; the token of before works: %v", user.Role,
			may(t, s.url, old))
	}
	delete(env, "LEARNING_IDENTITY_API_KEY")
	if code, _, stderr := commandWith(t, env, "admin", "user_1"); code != 1 ||
		!strings.Contains(stderr, "LEARNING_IDENTITY_API_KEY") {
		t.Errorf("without the setting: exit code %d and %q", code, stderr)
	}
}
