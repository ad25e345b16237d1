package main

import (
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/contracttest"
	"github.com/openlectern/openlectern/internal/enginetest"
)

// asProgram is an environment variable that makes this test binary run the program.
const asProgram = "REFSERVER_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	systemFonts = nil // reading the fonts of the machine takes longer than the rest of a start
	if os.Getenv(asProgram) != "" {
		main()
	}
	pictures = smallPictures()
	enginetest.Main(m)
}

// longEnough bounds every wait of a test. Only a failing test reaches it.
const longEnough = 3 * time.Minute

// transcript is the output of a program. It can be read while the program writes.
type transcript struct {
	mu   sync.Mutex
	text strings.Builder
}

func (o *transcript) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(b)
}

func (o *transcript) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// process returns the environment of a process that runs the program.
func (e environment) process() []string {
	all := append(os.Environ(), asProgram+"=1")
	for name, value := range e {
		all = append(all, name+"="+value)
	}
	return all
}

// server is a refserver that runs in the process of the test.
type server struct {
	stdout, stderr transcript
	url            string
	cancel         context.CancelFunc
	code           chan int
	done           chan struct{} // closed when it has ended and writes no more files
}

var listening = regexp.MustCompile(`(?:address=|"address":")([^" ]+)`)

// serve starts a server and waits until it listens. It ends with the test, if it
// was not stopped before.
func serve(t *testing.T, env environment, args ...string) *server {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s := &server{cancel: cancel, code: make(chan int, 1), done: make(chan struct{})}
	go func() {
		defer close(s.done)
		s.code <- run(ctx, args, env, &s.stdout, &s.stderr)
	}()
	t.Cleanup(func() {
		cancel()
		<-s.done
		if t.Failed() {
			t.Logf("stderr:\n%s", s.stderr.String())
		}
	})
	await(t, "the server to listen", func() bool {
		if len(s.code) > 0 {
			t.Fatalf("the server ended:\n%s", s.stderr.String())
		}
		return listening.MatchString(s.stderr.String())
	})
	s.url = "http://" + listening.FindStringSubmatch(s.stderr.String())[1]
	return s
}

// stop stops the server as a signal does, and returns the exit code.
func (s *server) stop(t *testing.T) int {
	t.Helper()
	s.cancel()
	select {
	case code := <-s.code:
		return code
	case <-time.After(longEnough):
		t.Fatal("the server does not stop")
		return 0
	}
}

// welcomed waits for the start-up text and returns it.
func (s *server) welcomed(t *testing.T) string {
	t.Helper()
	await(t, "the start-up text",
		func() bool { return strings.Contains(s.stdout.String(), "Ctrl-C") })
	return s.stdout.String()
}

// token returns a token of a user of the sandbox.
func (s *server) token(t *testing.T, user string) string {
	t.Helper()
	return signIn(t, s.sandbox(t), user)
}

// sandbox finds the address of the sandbox in the start-up text.
func (s *server) sandbox(t *testing.T) string {
	t.Helper()
	found := regexp.MustCompile(`Sandbox +http://(\S+)`).FindStringSubmatch(s.welcomed(t))
	if found == nil {
		t.Fatalf("no sandbox in:\n%s", s.stdout.String())
	}
	return found[1]
}

func await(t testing.TB, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(longEnough); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("timed out waiting for %s", what)
		}
	}
}

// dev returns the flags of a development server in a folder, on free ports, without a storefront,
// because the tests run at the same time. It creates the tables of the database, because the
// migrations take longer than the rest of a start without a demo.
func dev(dir string, more ...string) []string {
	if _, err := contracttest.CreateTables("sqlite:" + filepath.Join(dir,
		"learning.db")); err != nil {
		panic(err)
	}
	return append([]string{"--addr=127.0.0.1:0", "--sandbox-addr=127.0.0.1:0",
		"--database=sqlite:" + filepath.Join(dir, "learning.db"),
		"--media=" + filepath.Join(dir, "media"), "--storefront=false", "--log-level=debug"},
		more...)
}

// onDatabases runs a test with the flag of a fresh database: on SQLite and on PostgreSQL, with
// nothing else changed. In development a server with PostgreSQL keeps files in the working
// directory, so that the test on it has a directory of its own, and runs alone.
func onDatabases(t *testing.T, test func(t *testing.T, database string)) {
	t.Helper()
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Chdir(t.TempDir())
		test(t, "--database="+enginetest.PostgreSQL(t))
	})
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		test(t, "--database="+enginetest.SQLite(t))
	})
}

// command runs a command and returns when it ends.
func command(t testing.TB, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return commandWith(t, nil, args...)
}

func commandWith(t testing.TB, env environment, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err transcript
	ctx, cancel := context.WithTimeout(t.Context(), longEnough)
	defer cancel()
	code = run(ctx, args, env, &out, &err)
	return code, out.String(), err.String()
}

// shop returns a folder with a small imported catalogue, so that no demo is seeded: one
// course for 499 and a free one, with tiny pictures. flags are more flags of the import.
func shop(t *testing.T, flags ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	source := t.TempDir()
	write(t, source, "tiny.png", tinyPicture(t))
	file := write(t, source, "shop.json",
		strings.ReplaceAll(smallCatalogue, `"educatorId"`,
			`"courseThumbnail": "tiny.png", "educatorId"`))
	if code, _, stderr := command(t, dev(dir, append(flags, "import", file)...)...); code != 0 {
		t.Fatal(stderr)
	}
	return dir
}

// tinyPicture is a PNG of 4 by 3 pixels.
func tinyPicture(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 4, 3))); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const smallCatalogue = `{
	"people": [{"_id": "user_teacher", "firstName": "Tea", "lastName": "Cher", "email": "tea@example.com"}],
	"courses": [
		{"_id": "paid", "educatorId": "user_teacher", "courseTitle": "Paid", "courseDescription": "", "coursePrice": 499,
		 "courseContent": [{"chapterTitle": "One", "chapterContent": [{"lectureTitle": "A", "lectureDuration": 1, "lectureUrl": "https://v.example.com/a"}]}]},
		{"_id": "free", "educatorId": "user_teacher", "courseTitle": "Free", "courseDescription": "", "coursePrice": 0,
		 "courseContent": [{"chapterTitle": "One", "chapterContent": [{"lectureTitle": "A", "lectureDuration": 1, "lectureUrl": "https://v.example.com/a"}]}]}
	]
}`

func write(t testing.TB, dir, name, text string) (path string) {
	t.Helper()
	path = filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// call sends a request with an optional body in JSON, and returns the answer.
func call(t *testing.T, method, url, token, body string) (status int, answer map[string]any) {
	t.Helper()
	status, b := rawCall(t, method, url, token, body)
	if err := json.Unmarshal(b, &answer); err != nil {
		t.Fatalf("%s %s: status %d: %v in %.300s", method, url, status, err, b)
	}
	return status, answer
}

func rawCall(t *testing.T, method, url, token, body string) (status int, answer []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, b
}

// enrolled lists the courses of the bearer of a token.
func enrolled(t *testing.T, url, token string) string {
	t.Helper()
	_, answer := call(t, http.MethodGet, url+"/api/user/data", token, "")
	user, _ := answer["user"].(map[string]any)
	return fmt.Sprint(user["enrolledCourses"])
}

// needProcesses ends a test that starts the program in a process of its own, unless such tests are
// asked for: a plain go test leaves them out, because they take long.
func needProcesses(tb testing.TB) {
	tb.Helper()
	enginetest.Need(tb, "process", nil)
}

// process starts the program in a process of its own, with env in its environment, and waits until
// it listens.
func process(t testing.TB, env environment,
	args ...string) (cmd *exec.Cmd, url string, stderr *transcript) {
	t.Helper()
	needProcesses(t)
	stderr = &transcript{}
	cmd = exec.Command(os.Args[0], args...)
	cmd.Env = env.process()
	cmd.Stdout, cmd.Stderr = io.Discard, stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // for a test that failed; else it has ended
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	await(t, "the process to listen", func() bool { return listening.MatchString(stderr.String()) })
	return cmd, "http://" + listening.FindStringSubmatch(stderr.String())[1], stderr
}

// ended waits for a process and returns its exit status.
func ended(t *testing.T, cmd *exec.Cmd) syscall.WaitStatus {
	t.Helper()
	timer := time.AfterFunc(longEnough, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	_ = cmd.Wait() // its error is in the status
	return cmd.ProcessState.Sys().(syscall.WaitStatus)
}

// killAtEnd kills a process at the end of a test, and prints its log if the test has failed.
func killAtEnd(t *testing.T, cmd *exec.Cmd, log func() string) {
	t.Helper()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Log(log())
		}
	})
}
