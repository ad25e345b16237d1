package main

import (
	"crypto/tls"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// proxied are two servers on one database, and the proxy of examples/deploy in front of them.
type proxied struct {
	plain, url string // of the proxy, without and with TLS
	open       string // of the proxy, without TLS and without the redirect to it
	client     http.Client
	servers    [2]*exec.Cmd
	logs       [2]*transcript
	box        *sandbox.Sandbox
	env        environment
	addrs      [2]string
}

// newProxied starts all of it, with more settings of the servers, and with pairs of old and new
// text of the proxy's file.
func newProxied(t *testing.T, more environment, edits ...string) *proxied {
	t.Helper()
	_, missing := exec.LookPath("haproxy")
	enginetest.Need(t, "haproxy", missing)
	dir := t.TempDir()
	p := &proxied{box: providers(t)}
	p.env = configured(p.box, dir)
	cfg := p.box.Config()
	p.env["LEARNING_AI_URL"] = cfg.URL + "/v1"
	p.env["LEARNING_AI_API_KEY"] = cfg.AIAPIKey
	p.env["LEARNING_AI_MODEL"] = sandbox.AIModel
	p.env["LEARNING_DATABASE"], p.env["LEARNING_TRUSTED_PROXIES"] = enginetest.MariaDB(t),
		"127.0.0.0/8"
	maps.Copy(p.env, more)
	if code, _, stderr := commandWith(t, p.env, "import",
		write(t, dir, "shop.json", smallCatalogue)); code != 0 {
		t.Fatal(stderr)
	}
	for i := range p.servers {
		p.start(t, i)
	}
	// A name that the certificate does not have: the test is not about trust.
	p.client.Transport = &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
		ForceAttemptHTTP2: true}
	p.client.CheckRedirect = func(*http.Request,
		[]*http.Request) error {
		return http.ErrUseLastResponse
	}
	t.Cleanup(p.client.CloseIdleConnections)
	p.startProxy(t, dir, edits...)
	return p
}

// start starts a server, on the address that it had before.
func (p *proxied) start(t *testing.T, i int) {
	t.Helper()
	p.env["LEARNING_ADDR"] = "127.0.0.1:0"
	if p.addrs[i] != "" {
		p.env["LEARNING_ADDR"] = p.addrs[i]
	}
	cmd, url, log := process(t, p.env)
	p.servers[i] = cmd
	p.logs[i] = log
	p.addrs[i] = strings.TrimPrefix(url, "http://")
}

// startProxy starts the proxy with the file of examples/deploy, in which it replaces the addresses
// and the certificate.
func (p *proxied) startProxy(t *testing.T, dir string, edits ...string) {
	t.Helper()
	plain := enginetest.FreeAddress(t)
	open := enginetest.FreeAddress(t)
	secure := enginetest.FreeAddress(t)
	p.plain = "http://" + plain
	p.open = "http://" + open
	p.url = "https://" + secure
	_, openPort, _ := strings.Cut(open, ":")
	edits = append(edits,
		"bind :8080", "bind "+plain+"\n\tbind "+open, "unless { ssl_fc }",
		"unless { ssl_fc } or { dst_port "+openPort+" }",
		"bind :8443", "bind "+secure, "/run/secrets/site.pem", selfSigned(t, dir),
		"lectern1:3000", p.addrs[0], "lectern2:3000", p.addrs[1])
	file := write(t, dir, "haproxy.cfg",
		strings.NewReplacer(edits...).Replace(deployFile(t, "haproxy.cfg")))
	if out, err := exec.Command("haproxy", "-c", "-f", file).CombinedOutput(); err != nil ||
		strings.Contains(string(out), "WARNING") {
		t.Fatalf("the proxy refuses its settings: %v\n%s", err, out)
	}
	var log transcript
	cmd := exec.Command("haproxy", "-db", "-f", file)
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	killAtEnd(t, cmd, func() string { return "the proxy:\n" + log.String() })
	await(t, "the proxy to find its servers", func() bool { return p.get("/") == http.StatusOK })
}

// selfSigned returns a file with a key and a certificate that it signs.
func selfSigned(t *testing.T, dir string) (path string) {
	t.Helper()
	key, cert := filepath.Join(dir, "key.pem"), filepath.Join(dir, "cert.pem")
	out, err := exec.Command("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
		"ec_paramgen_curve:P-256", "-nodes",
		"-keyout", key, "-out", cert, "-days", "2", "-subj", "/CN=api.example.org").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var both strings.Builder
	for _, file := range []string{cert, key} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		both.Write(text)
	}
	return write(t, dir, "site.pem", both.String())
}

// get requests a path over TLS. The status is 0 if there is no answer.
func (p *proxied) get(path string) (status int) {
	answer, err := p.client.Get(p.url + path)
	if err != nil {
		return 0
	}
	answer.Body.Close()
	return answer.StatusCode
}

func TestDeploy_ProxyServesTwoServers(t *testing.T) {
	t.Parallel()
	p := newProxied(t, nil)
	if status := p.get("/api/course/all"); status != http.StatusOK {
		t.Errorf("the catalogue: %d", status)
	}
	for _, path := range []string{"/readyz", "/livez"} {
		if status := p.get(path); status != http.StatusNotFound {
			t.Errorf("%s is public: %d", path, status)
		}
	}
	answer, err := p.client.Get(p.plain + "/api/course/all?a=b")
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if to := answer.Header.Get("Location"); answer.StatusCode != http.StatusPermanentRedirect ||
		!strings.HasPrefix(to, "https://") || !strings.HasSuffix(to, "/api/course/all?a=b") {
		t.Errorf("without TLS: %d to %s", answer.StatusCode, to)
	}
	p.wantForwardedForReplaced(t)

	if err := p.servers[0].Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	await(t, "the proxy to leave out the server that was killed", func() bool {
		for range 6 {
			if p.get("/") != http.StatusOK {
				return false
			}
		}
		return true
	})
}

// wantForwardedForReplaced checks that a client cannot choose the address by which its requests are
// counted. They are counted before anything else, so the client need not be signed in.
func (p *proxied) wantForwardedForReplaced(t *testing.T) {
	t.Helper()
	remaining := map[string]bool{}
	const n = 8 // on two servers, so one of them counts at least four
	for i := range n {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
			p.url+"/api/user/purchase", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Forwarded-For", fmt.Sprintf("192.0.2.%d", i))
		answer, err := p.client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		remaining[answer.Header.Get("RateLimit-Remaining")] = true
	}
	if len(remaining) < n/2 || remaining[""] {
		t.Errorf("the counts of remaining requests are %v", remaining)
	}
}
