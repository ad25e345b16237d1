//go:build linux

package load

import (
	"context"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/servertest"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/store/engines"
)

func TestMain(m *testing.M) { enginetest.Main(m) }

// root is the folder of the module that the reference server belongs to.
const root = "../.."

// environment holds the variables of a server by their names.
type environment map[string]string

// built builds the reference server, as its users do.
func built(b *testing.B) (path string) {
	b.Helper()
	path = filepath.Join(b.TempDir(), "refserver")
	build := exec.CommandContext(b.Context(), "go", "build", "-o", path, "./cmd/refserver")
	build.Dir = root
	if text, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, text)
	}
	return path
}

// startBuilt starts the built program with its log in a file, and waits until it listens.
func startBuilt(b *testing.B, path string, env environment) target {
	b.Helper()
	log, err := os.Create(filepath.Join(b.TempDir(), "log"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = log.Close() })
	metrics := withMetrics(b, env)
	started := startTarget(b, exec.Command(path), env, log)
	started.metrics = metrics
	return started
}

var listening = regexp.MustCompile(`(?:address=|"address":")([^" ]+)`)

// startTarget starts a server with its standard error in a file, and waits until it listens: at
// the address that the file says or, if its log does not have that line, at LEARNING_ADDR.
func startTarget(b *testing.B, cmd *exec.Cmd, env environment, log *os.File) target {
	b.Helper()
	cmd.Env, cmd.Stderr = os.Environ(), log
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	address := env["LEARNING_ADDR"]
	await(b, "the server to listen", func() bool {
		if text, err := os.ReadFile(log.Name()); err == nil {
			if found := listening.FindSubmatch(text); found != nil {
				address = string(found[1])
			}
		}
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
	return target{url: "http://" + address, pid: cmd.Process.Pid}
}

func await(b *testing.B, what string, done func() bool) {
	b.Helper()
	for deadline := time.Now().Add(3 * time.Minute); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			b.Fatalf("timed out waiting for %s", what)
		}
	}
}

// migrated creates the tables of an empty database.
func migrated(b *testing.B, database string) {
	b.Helper()
	st, err := engines.Open(b.Context(), database)
	if err != nil {
		b.Fatal(err)
	}
	if err := st.Migrate(b.Context()); err != nil {
		b.Fatal(err)
	}
	if err := st.Close(); err != nil {
		b.Fatal(err)
	}
}

// providers returns a sandbox in place of providers outside the program.
func providers(b *testing.B) *sandbox.Sandbox {
	b.Helper()
	box, err := sandbox.Listen(sandbox.Config{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(box.Close)
	return box
}

// configured returns the settings of a server in production with these providers and a database.
func configured(b *testing.B, box *sandbox.Sandbox, database string) environment {
	b.Helper()
	env := environment{
		"LEARNING_ENV":             "production",
		"LEARNING_ADDR":            "127.0.0.1:0",
		"LEARNING_DATABASE":        database,
		"LEARNING_MEDIA":           filepath.Join(b.TempDir(), "media"),
		"LEARNING_FRONTEND_ORIGIN": "https://learn.example.org",
		"LEARNING_PUBLIC_URL":      "https://api.example.org",
	}
	maps.Copy(env, servertest.Settings(box.Config()))
	return env
}

// signIn creates a user at the identity provider and returns a token that is valid for an hour.
func signIn(b *testing.B, box *sandbox.Sandbox, id, role string) (token string) {
	b.Helper()
	if err := box.Identity().PutUserQuietly(sandbox.User{ID: id, Role: role}); err != nil {
		b.Fatal(err)
	}
	token, err := box.Identity().Token(id, sandbox.WithTTL(time.Hour))
	if err != nil {
		b.Fatal(err)
	}
	return token
}

// answer is the answer to a request; status is 0 if there was none.
type answer struct {
	status int
	body   string
}

// answerTime bounds each request. It is longer than any answer should take.
const answerTime = 25 * time.Second

func requestAt(ctx context.Context, url, method, path, token, body string) answer {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, url+path, strings.NewReader(body))
	if err != nil {
		return answer{0, err.Error()}
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+token)
	return send(r)
}

func send(r *http.Request) answer {
	status, body := servertest.Send(r)
	return answer{status, body}
}
