package main

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// containerImage returns the image that .ci/container has built from examples/deploy/Containerfile.
func containerImage(t *testing.T) string {
	t.Helper()
	var missing error
	name := os.Getenv("LEARNING_TEST_IMAGE")
	if name == "" {
		missing = errors.New("`make verify` builds the image")
	}
	enginetest.Need(t, "podman", missing)
	return name
}

// podman runs a command of podman and returns what it prints.
func podman(t *testing.T, args ...string) (output string, err error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.Command("podman", args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err = cmd.Run(); err != nil {
		err = fmt.Errorf("podman %s: %w: %s", args[0], err, stderr.String())
	}
	return strings.TrimSpace(stdout.String()), err
}

func mustPodman(t *testing.T, args ...string) (output string) {
	t.Helper()
	output, err := podman(t, args...)
	if err != nil {
		t.Fatal(err)
	}
	return output
}

// endedWith waits until a container has ended, and returns its exit code. It asks again and again,
// because `podman wait` waits for the process that looks after the container too, which takes long
// where nothing reaps that process.
func endedWith(t *testing.T, id string) (code string) {
	t.Helper()
	await(t, "the container to end", func() bool {
		state, after, _ := strings.Cut(mustPodman(t, "inspect",
			"--format={{.State.Status}} {{.State.ExitCode}}", id), " ")
		code = after
		return state == "stopped" || state == "exited"
	})
	return code
}

// confined returns the options of podman that stand for what a service of compose.yaml says, except
// for its network: the test's servers listen on the loopback address of this machine. The secrets
// are files of a folder.
func confined(t *testing.T, service, secrets string) (options []string) {
	t.Helper()
	file := decodeYAML(t, "compose.yaml")[0]
	of := func(key string) any { return at(t, file, "services", service, key) }
	// podman would add writable folders that compose does not.
	options = []string{"--network=host", "--read-only-tmpfs=false",
		fmt.Sprintf("--read-only=%v", of("read_only"))}
	for key, option := range map[string]string{"tmpfs": "--tmpfs=", "cap_drop": "--cap-drop=",
		"security_opt": "--security-opt="} {
		for _, value := range listAt(of(key)) {
			options = append(options, option+value)
		}
	}
	for _, name := range listAt(of("secrets")) {
		options = append(options, "--volume="+filepath.Join(secrets, name)+":/run/secrets/"+name+
			":ro")
	}
	for name, value := range of("environment").(map[string]any) {
		options = append(options, fmt.Sprintf("--env=%s=%v", name, value))
	}
	if limit := of("mem_limit"); limit != nil {
		options = append(options, fmt.Sprintf("--memory=%v", limit))
	}
	return options
}

// envOption writes settings into a file and returns the option of podman that names it.
func envOption(t *testing.T, env environment) string {
	t.Helper()
	var lines strings.Builder
	for name, value := range env {
		fmt.Fprintf(&lines, "%s=%s\n", name, value)
	}
	return "--env-file=" + write(t, t.TempDir(), "env", lines.String())
}

// container is a server that runs in a container.
type container struct{ id, url string }

// startContainer migrates a database and starts a server, each in a container. The server is
// removed when the test ends.
func startContainer(t *testing.T, env environment) *container {
	t.Helper()
	name := containerImage(t)
	secrets := newSecrets(t)
	option := envOption(t, env)
	run := func(service string, options ...string) []string {
		return append(append(append([]string{"run"}, options...), confined(t, service, secrets)...),
			option, name)
	}
	if code := endedWith(t,
		mustPodman(t, append(run("migrate", "--detach"), "migrate")...)); code != "0" {
		t.Fatalf("the command migrate ends with the exit code %s", code)
	}
	c := &container{id: mustPodman(t, run("lectern1", "--detach")...),
		url: "http://" + env["LEARNING_ADDR"]}
	t.Cleanup(func() {
		if t.Failed() {
			log, err := exec.Command("podman", "logs", c.id).CombinedOutput()
			t.Log(string(log), err)
		}
		mustPodman(t, "rm", "--force", "--time=0", c.id)
	})
	await(t, "the container to be healthy", func() bool {
		_, err := podman(t, "healthcheck", "run", c.id)
		return err == nil
	})
	return c
}

func TestContainer_ServesConfinedAndStopsInOrder(t *testing.T) {
	t.Parallel()
	containerImage(t)
	box, redis := providers(t), enginetest.StartRedis(t)
	env := newBucketService(t).settings(configured(box, t.TempDir()))
	env["LEARNING_ADDR"] = enginetest.FreeAddress(t)
	env["LEARNING_DATABASE"] = enginetest.MariaDB(t)
	env["LEARNING_REDIS_URL"] = redis.URL()
	c := startContainer(t, env)
	if code, _, stderr := commandWith(t, env, "import",
		write(t, t.TempDir(), "shop.json", smallCatalogue)); code != 0 {
		t.Fatal(stderr)
	}
	c.wantConfined(t)
	c.wantCertificate(t, join(t, box, c.url,
		sandbox.User{ID: "user_ada", FirstName: "Ada", Email: "ada@example.com"}))
	if keys := publishedKeys(t, c.url); len(keys) != 1 {
		t.Errorf("the server publishes the keys %v, although it has one as a secret", keys)
	}
	if out := mustPodman(t, "exec", c.id, "/usr/local/bin/refserver", "admin",
		"user_ada"); !strings.Contains(out, "user_ada") {
		t.Errorf("the command admin prints %q", out)
	}
	c.wantStopInOrder(t)
}

// wantConfined asks the kernel what the server may do, and looks for a shell.
func (c *container) wantConfined(t *testing.T) {
	t.Helper()
	proc := filepath.Join("/proc", mustPodman(t, "inspect", "--format={{.State.Pid}}", c.id))
	for file, lines := range map[string][]string{
		"status": {"\nUid:\t65532\t65532\t", "\nGid:\t65532\t65532\t",
			"\nCapBnd:\t0000000000000000\n", "\nNoNewPrivs:\t1\n"},
		"mountinfo": {" / ro,", " /tmp rw,"},
	} {
		text, err := os.ReadFile(filepath.Join(proc, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range lines {
			if !strings.Contains(string(text), line) {
				t.Errorf("%s does not contain %q:\n%s", file, line, text)
			}
		}
	}
	for _, program := range []string{"sh", "/bin/sh", "/busybox/sh"} {
		if _, err := podman(t, "exec", c.id, program, "-c", "true"); err == nil {
			t.Errorf("the image has the program %s", program)
		}
	}
}

// wantCertificate completes a course and fetches the certificate from the bucket, through the
// server.
func (c *container) wantCertificate(t *testing.T, token string) {
	t.Helper()
	ask := func(method, path, body string) map[string]any {
		t.Helper()
		status, answer := call(t, method, c.url+path, token, body)
		if status != http.StatusOK {
			t.Fatalf("%s %s: %d: %v", method, path, status, answer)
		}
		return answer
	}
	ask(http.MethodPost, "/api/user/purchase", `{"courseId":"free"}`)
	course := ask(http.MethodGet, "/api/user/enrolled-courses/free", "")["courseData"]
	lecture, _ := at(t, course, "courseContent", 0, "chapterContent", 0, "lectureId").(string)
	ask(http.MethodPost, "/api/user/update-course-progress",
		`{"courseId":"free","lectureId":"`+lecture+`"}`)
	address, _ := ask(http.MethodPost, "/api/user/certificate/generate/free", "")["pdfUrl"].(string)
	if status, _, pdf := fetch(t,
		c.url+strings.TrimPrefix(address, "https://api.example.org")); status != http.StatusOK ||
		!bytes.HasPrefix(pdf, []byte("%PDF-")) {
		t.Errorf("the certificate: %d, %.50q", status, pdf)
	}
}

// wantStopInOrder stops the server within the time that compose.yaml grants.
func (c *container) wantStopInOrder(t *testing.T) {
	t.Helper()
	grace, _ := at(t, decodeYAML(t, "compose.yaml")[0], "services", "lectern1",
		"stop_grace_period").(string)
	mustPodman(t, "stop", "--time="+strings.TrimSuffix(grace, "s"), c.id)
	if code := endedWith(t, c.id); code != "0" {
		t.Errorf("the server has ended with the exit code %s", code)
	}
}

func TestContainer_ImageHasAuthoritiesUserAndHealthCheck(t *testing.T) {
	t.Parallel()
	config := mustPodman(t, "image", "inspect",
		"--format={{.User}} {{.HealthCheck.Test}} {{.Size}}", containerImage(t))
	var size int
	if _, err := fmt.Sscanf(config, "65532:65532 [CMD /usr/local/bin/refserver health] %d",
		&size); err != nil || size >= 60_000_000 {
		t.Errorf("the image has %q: %v", config, err)
	}
}
