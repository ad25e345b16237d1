package main

import (
	"fmt"
	"net/http"
	"os"
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
	if code, stdout, stderr := command(t, append(at, "token", "nobody")...); code != 1 ||
		stdout != "" || !strings.Contains(stderr, demoStudent) {
		t.Errorf("unknown user: exit code %d, %q, %q", code, stdout, stderr)
	}
}

// A server with addresses of its own is found by its database.
func TestCommands_FindTheServerThatRuns(t *testing.T) {
	t.Parallel()
	dir := shop(t)
	s := serve(t, nil, dev(dir)...)
	s.sandbox(t) // which has its users then
	database := "--database=sqlite:" + filepath.Join(dir, "learning.db")
	code, token, stderr := command(t, database, "token", demoStudent)
	if code != 0 {
		t.Fatal(stderr)
	}
	status, answer := call(t, http.MethodPost, s.url+"/api/user/purchase",
		strings.TrimSpace(token), `{"courseId":"paid"}`)
	if status != http.StatusOK {
		t.Errorf("with the token: %d %v", status, answer)
	}
	for _, event := range []string{"payment.captured", "user.updated"} {
		code, stdout, stderr := command(t, database, "trigger", event)
		if code != 0 || !strings.Contains(stdout, "accepted by "+s.url) {
			t.Errorf("%s: exit code %d, %q, %q", event, code, stdout, stderr)
		}
	}
	if got := enrolled(t, s.url, strings.TrimSpace(token)); got != "[paid]" {
		t.Errorf("enrolled in %s", got)
	}
}

func TestTokenCommand_BeforeTheFirstStart(t *testing.T) {
	t.Parallel()
	if code, _, stderr := command(t, dev(t.TempDir(), "token", demoStudent)...); code != 1 ||
		!strings.Contains(stderr, "start the server first ("+programName(os.Args[0])+")") {
		t.Errorf("exit code %d and %q", code, stderr)
	}
}

func TestTriggerCommand_PaymentEnrols(t *testing.T) {
	t.Parallel()
	dir := shop(t)
	s := serve(t, nil, dev(dir)...)
	token := s.token(t, demoStudent)
	at := []string{"--addr=" + strings.TrimPrefix(s.url, "http://"),
		"--database=sqlite:" + filepath.Join(dir, "learning.db"), "trigger"}
	if code, _, stderr := command(t, append(at, "payment.captured")...); code != 1 ||
		!strings.Contains(stderr, "no order yet") {
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

// An event of Stripe says what to ask for: one of an order that is not paid changes nothing, and
// that of a payment whose webhook was lost enrols.
func TestTriggerCommand_StripeIsAsked(t *testing.T) {
	t.Parallel()
	dir := shop(t)
	s := serve(t, nil, dev(dir, "--stripe-currencies=INR")...)
	token, box := s.token(t, demoStudent), "http://"+s.sandbox(t)
	at := []string{"--addr=" + strings.TrimPrefix(s.url, "http://"),
		"--database=sqlite:" + filepath.Join(dir, "learning.db"), "trigger"}
	refused := func(want string, event ...string) {
		t.Helper()
		if code, _, stderr := command(t, append(at, event...)...); code != 1 ||
			!strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d and %q, want %q", event, code, stderr, want)
		}
	}
	refused("no order at Stripe yet", "payment_intent.succeeded")
	_, bought := call(t, http.MethodPost, s.url+"/api/user/purchase", token, `{"courseId":"paid"}`)
	order := fmt.Sprint(bought["orderId"])
	refused("has no charge", "charge.refunded")
	refused("has no refund", "refund.failed", "--order="+order)
	refused("has no dispute", "charge.dispute.created")

	trigger := func(want string) {
		t.Helper()
		code, stdout, stderr := command(t, append(at, "payment_intent.succeeded")...)
		if code != 0 || !strings.Contains(stdout, "order "+order+": accepted") {
			t.Errorf("exit code %d, %q, %q", code, stdout, stderr)
		}
		if got := enrolled(t, s.url, token); got != want {
			t.Errorf("enrolled in %s, want %s", got, want)
		}
	}
	trigger("[]")
	if status, answer := call(t, http.MethodPost, box+"/sandbox/stripe/intents/"+order+"/payments",
		"", `{"action":"pay","withoutWebhook":true}`); status != http.StatusOK {
		t.Fatalf("%d %v", status, answer)
	}
	trigger("[paid]")
}

func TestTriggerCommand_UserEventReachesThePlatform(t *testing.T) {
	t.Parallel()
	dir := shop(t)
	s := serve(t, nil, dev(dir)...)
	token := s.token(t, demoStudent)
	at := []string{"--addr=" + strings.TrimPrefix(s.url, "http://"),
		"--database=sqlite:" + filepath.Join(dir, "learning.db"), "trigger"}
	for _, event := range []string{"user.updated", "user.deleted"} {
		code, stdout, stderr := command(t, append(at, event, "--user", demoStudent)...)
		if code != 0 || !strings.Contains(stdout, demoStudent) {
			t.Errorf("%s: exit code %d, %q, %q", event, code, stdout, stderr)
		}
	}
	_, answer := call(t, http.MethodGet, s.url+"/api/user/data", token, "")
	if answer["message"] != "User Not Found" {
		t.Errorf("after user.deleted: %v", answer)
	}
	s.stop(t)
	hint := "no server answers at " + s.url + ": start it (" + programName(os.Args[0]) + ")"
	if code, _, stderr := command(t, append(at, "user.updated")...); code != 1 ||
		!strings.Contains(stderr, hint) {
		t.Errorf("without a server: exit code %d and %q", code, stderr)
	}
}

func TestMigrateCommand_MayBeRepeated(t *testing.T) {
	t.Parallel()
	database := "--database=sqlite:" + filepath.Join(t.TempDir(), "learning.db")
	for range 2 {
		if code, stdout, stderr := command(t, database, "migrate"); code != 0 ||
			!strings.Contains(stdout, "up to date") {
			t.Errorf("exit code %d, %q, %q", code, stdout, stderr)
		}
	}
}

// commandsOnTables are command lines of all commands that need the tables of a server.
var commandsOnTables = [][]string{
	{"export", "user_1"}, {"events", "list"}, {"events", "show", "id"},
	{"events", "redeliver", "--failed"}, {"reconcile"},
	{"revoke", "id", "--reason=x"}, {"admin", "user_1"},
}

func TestCommands_WithoutADatabase_CreateNothing(t *testing.T) {
	t.Parallel()
	program := programName(os.Args[0])
	for _, args := range commandsOnTables {
		for _, empty := range []bool{false, true} {
			dir := t.TempDir()
			env, want := inProduction(dir),
				"there is no database "+filepath.Join(dir, "learning.db")+
					": give the LEARNING_DATABASE (--database) of the server, or start the server "+
					"first ("+program+")"
			if empty {
				write(t, dir, "learning.db", "")
				want = "the database has no tables of this program: give the LEARNING_DATABASE " +
					"(--database) of the server, or create the tables (" + program + " migrate)"
			}
			code, stdout, stderr := commandWith(t, env, args...)
			if code != 1 || stdout != "" || !strings.Contains(stderr, want) ||
				strings.Contains(stderr, "WARN") {
				t.Errorf("%v: exit code %d, %q, %q; want %q", args, code, stdout, stderr, want)
			}
			left, err := os.ReadDir(dir)
			if err != nil || len(left) > 1 || len(left) == 1 && !empty {
				t.Errorf("%v has left %v (%v)", args, left, err)
			}
		}
	}
}

func TestHealthCommand_WithoutAServer_NamesTheAddress(t *testing.T) {
	t.Parallel()
	code, _, stderr := command(t, "--addr=127.0.0.1:1", "health")
	if code != 1 || !strings.Contains(stderr,
		"no server answers at 127.0.0.1:1, the address of LEARNING_ADDR (--addr)") {
		t.Errorf("exit code %d and %q", code, stderr)
	}
}
