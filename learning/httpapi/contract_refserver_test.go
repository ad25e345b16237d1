package httpapi_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/contracttest"
	"github.com/openlectern/openlectern/internal/sqldb"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// onRefserver builds the reference server. It returns the engine that starts it in a process for
// each case, with the real clock.
func onRefserver(t *testing.T, w contracttest.Fixture) contracttest.Engine {
	t.Helper()
	program := filepath.Join(t.TempDir(), "refserver")
	if output, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", program,
		"../../cmd/refserver").CombinedOutput(); err != nil {
		t.Fatalf("build the reference server: %v\n%s", err, output)
	}
	return func(t *testing.T, s *contracttest.Setup) *contracttest.Server {
		return serveBy(t, w,
			program, s)
	}
}

func serveBy(t *testing.T, w contracttest.Fixture, program string,
	s *contracttest.Setup) *contracttest.Server {
	t.Helper()
	sb := w.ProvidersFor(t, s, time.Now)
	dir := t.TempDir()
	file := contracttest.CopyFile(t, w.Database, dir)
	db := contracttest.OpenSQL(t, "sqlite", "file:"+file+"?_pragma=busy_timeout(5000)")
	w.Alter(t, s, db, "sqlite:"+file, sqldb.Names{})
	selects := w.Tables.Prepare(t, db, sqldb.Names{})
	contracttest.WriteFixtureMedia(t, filepath.Join(dir, "media"))
	log := filepath.Join(dir, "log")
	start(t, program, log, []string{
		"LEARNING_ADDR=127.0.0.1:0", "LEARNING_LOG_LEVEL=debug", "LEARNING_STOREFRONT=false",
		"LEARNING_DATABASE=sqlite:" + file, "LEARNING_MEDIA=" + filepath.Join(dir, "media"),
		"LEARNING_PUBLIC_URL=" + contracttest.PublicURL, "LEARNING_TRUSTED_PROXIES=" + s.Proxies,
		"LEARNING_IDENTITY_JWKS_URL=" + sb.Config().URL + "/.well-known/jwks.json",
		"LEARNING_IDENTITY_ISSUER=" + sb.Config().URL,
		"LEARNING_IDENTITY_API_URL=" + sb.Config().URL,
		"LEARNING_IDENTITY_API_KEY=" + contracttest.IdentityAPIKey,
		"LEARNING_IDENTITY_WEBHOOK_SECRET=" + contracttest.IdentitySecondSecret + "," +
			contracttest.IdentitySecret,
		"LEARNING_GATEWAY_URL=" + sb.Config().URL,
		"LEARNING_GATEWAY_KEY_ID=" + contracttest.GatewayKeyID,
		"LEARNING_GATEWAY_KEY_SECRET=" + contracttest.GatewayKeySecret,
		"LEARNING_STRIPE_URL=" + sb.Config().URL + sandbox.StripePath,
		"LEARNING_STRIPE_KEY=" + contracttest.StripeKey,
		"LEARNING_STRIPE_PUBLISHABLE_KEY=" + contracttest.StripePublishableKey,
		"LEARNING_STRIPE_WEBHOOK_SECRET=" + contracttest.StripeWebhookSecret,
		"LEARNING_AI_URL=" + sb.Config().URL + "/v1",
		"LEARNING_AI_API_KEY=" + contracttest.AIAPIKey, "LEARNING_AI_MODEL=" + sandbox.AIModel,
		"LEARNING_GATEWAY_WEBHOOK_SECRET=" + contracttest.GatewaySecondSecret + "," +
			contracttest.GatewayWebhookSecret,
		// none, because reading them takes long
		"LEARNING_CREDENTIAL_KEY=" + contracttest.WriteFixtureKey(t, dir),
		"LEARNING_FONTS=" + t.TempDir(), "LEARNING_FILES_SECRET=" + contracttest.FilesSecret,
	})
	return &contracttest.Server{
		Addr: awaitAddress(t, log), Sandbox: sb, Now: time.Now, RealClock: true,
		Tables: w.Tables,
		Look: func() contracttest.Snapshot {
			all := w.Tables.Rows(t, selects)
			dropEvents(all)
			all.Orders(sb)
			all.Roles(sb)
			all.Media(t, filepath.Join(dir, "media"))
			return all
		},
		Log: func() string { return readLog(t, log) },
	}
}

// start runs a program until the test ends. The program must then stop on SIGTERM.
func start(t *testing.T, path, log string, env []string) {
	t.Helper()
	out, err := os.Create(log)
	check(t, err)
	defer out.Close()
	command := exec.Command(path)
	command.Dir, command.Env = filepath.Dir(log), env
	command.Stdout, command.Stderr = out, out
	check(t, command.Start())
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	t.Cleanup(func() {
		_ = command.Process.Signal(syscall.SIGTERM)
		select {
		case err = <-ended:
		case <-time.After(answerTime):
			_ = command.Process.Kill()
			err = fmt.Errorf("it does not stop (%v)", <-ended)
		}
		if err != nil {
			t.Errorf("the reference server: %v\n%s", err, readLog(t, log))
		}
	})
}

var listening = regexp.MustCompile(`msg=listening address=(\S+)`)

// awaitAddress waits until the log says where the server listens.
func awaitAddress(t *testing.T, log string) string {
	t.Helper()
	for deadline := time.Now().Add(answerTime); time.Now().Before(deadline); time.Sleep(2 *
		time.Millisecond) {
		if found := listening.FindStringSubmatch(readLog(t, log)); found != nil {
			return found[1]
		}
	}
	t.Fatalf("the reference server does not start:\n%s", readLog(t, log))
	return ""
}

func readLog(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	check(t, err)
	return string(bytes.ToValidUTF8(text, nil))
}

// dropEvents removes what is written for events and by scheduled work, because the cases have no
// receiver and the reference server delivers events while a case runs.
func dropEvents(s contracttest.Snapshot) {
	maps.DeleteFunc(s, func(name string, _ map[string]string) bool {
		return strings.HasPrefix(name, "event_deliveries ") ||
			strings.HasPrefix(name, "course_completions ") ||
			strings.HasPrefix(name, "leases events:") ||
			strings.HasPrefix(name, "leases schedule:")
	})
}
