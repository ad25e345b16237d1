package main

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
)

// freeOrigin returns an origin of this machine with a port that no other test gets.
func freeOrigin(t *testing.T, host string) string {
	t.Helper()
	_, port, err := net.SplitHostPort(enginetest.FreeAddress(t))
	if err != nil {
		t.Fatal(err)
	}
	return "http://" + net.JoinHostPort(host, port)
}

// read returns the status and the body of a page.
func read(t *testing.T, url string) (status int, body string) {
	t.Helper()
	res, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

func TestStorefront_IsServedOnTheOriginOfTheFrontEnd(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"localhost", "127.0.0.1"} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			origin := freeOrigin(t, host)
			s := serve(t, environment{"LEARNING_FRONTEND_ORIGIN": origin},
				dev(shop(t), "--storefront")...)
			text := s.welcomed(t)
			if !strings.HasPrefix(text, "Open "+origin+"\n") {
				t.Errorf("the start-up text is\n%s", text)
			}
			status, page := read(t, origin+"/course/paid")
			for _, want := range []string{`data-api="` + s.url + `"`,
				`data-sign-in="http://` + s.sandbox(t) + `"`,
				`data-checkout="http://` + s.sandbox(t) + `"`, `data-currency="INR"`} {
				if status != http.StatusOK || !strings.Contains(page, want) {
					t.Errorf("status %d, without %s:\n%s", status, want, page)
				}
			}
			// which a busy API may answer too late
			await(t, "the preview of a course", func() bool {
				_, page := read(t, origin+"/courses/paid")
				return strings.Contains(page, "<title>Paid · Open Lectern</title>") &&
					strings.Contains(page, `<meta property="og:url" content="`+origin+
						`/courses/paid">`)
			})
			if status, page := read(t, origin+"/courses/none"); status != http.StatusNotFound ||
				!strings.Contains(page, "<title>Open Lectern</title>") {
				t.Errorf("a course that is not there: status %d:\n%s", status, page)
			}
			for _, api := range []string{s.url + "/api/course/all",
				"http://" + s.sandbox(t) + "/v1/people"} {
				if !allowsOrigin(t, api, origin) {
					t.Errorf("%s does not accept %s", api, origin)
				}
			}
			if code := s.stop(t); code != 0 {
				t.Errorf("exit code %d", code)
			}
			if res, err := http.Get(origin); err == nil {
				res.Body.Close()
				t.Error("the storefront is served after the end of the server")
			}
		})
	}
}

// The API accepts pages of the origin only, so another name of this machine would show errors.
func TestStorefront_LeadsToItsOrigin(t *testing.T) {
	t.Parallel()
	origin := freeOrigin(t, "localhost")
	s := serve(t, environment{"LEARNING_FRONTEND_ORIGIN": origin}, dev(shop(t), "--storefront")...)
	s.welcomed(t)
	res, err := http.Get(strings.Replace(origin, "localhost", "127.0.0.1", 1) +
		"/course/paid?page=2")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if got := res.Request.URL.String(); res.StatusCode != http.StatusOK ||
		got != origin+"/course/paid?page=2" {
		t.Errorf("status %d of %s", res.StatusCode, got)
	}
}

// allowsOrigin reports whether pages of an origin may read an answer.
func allowsOrigin(t *testing.T, url, origin string) bool {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Origin", origin)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	return answer.Header.Get("Access-Control-Allow-Origin") == origin
}

// Without a configured origin the API and the sandbox accept the origin that the storefront has.
func TestStorefront_WithoutAConfiguredOriginOpensAFreePort(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(defaultPort))
	if err == nil {
		defer taken.Close()
	} // else another program has it
	s := serve(t, nil, dev(shop(t), "--storefront")...)
	text := s.welcomed(t)
	found := regexp.MustCompile(
		`^Open (http://localhost:\d+) \(another program has port 5173\)\n`).FindStringSubmatch(text)
	if found == nil {
		t.Fatalf("the start-up text is\n%s", text)
	}
	if status, page := read(t, found[1]); status != http.StatusOK ||
		!strings.Contains(page, s.url) {
		t.Errorf("status %d:\n%s", status, page)
	}
	for _, api := range []string{s.url + "/api/course/all",
		"http://" + s.sandbox(t) + "/v1/people"} {
		if !allowsOrigin(t, api, found[1]) {
			t.Errorf("%s does not accept %s", api, found[1])
		}
	}
}

func TestStorefront_IsNotServed(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { taken.Close() }) // after the parallel tests below
	own := "http://localhost:" + strconv.Itoa(taken.Addr().(*net.TCPAddr).Port)
	for name, test := range map[string]struct{ flag, origin, says string }{
		"on a taken port": {"--storefront", own,
			own +
				" may call the API from a browser. There is no storefront: another program, such " +
				"as your own front end, has its port"},
		"when it is switched off": {"--no-storefront", "http://localhost:1",
			"http://localhost:1 may call the API from a browser\n"},
		"on another machine": {"--storefront", "https://learn.example.org",
			"https://learn.example.org may call the API from a browser\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, environment{"LEARNING_FRONTEND_ORIGIN": test.origin},
				dev(shop(t), test.flag)...)
			if text := s.welcomed(t); !strings.HasPrefix(text, "Open Lectern is running") ||
				!strings.Contains(text, test.says) {
				t.Errorf("the start-up text is\n%s", text)
			}
		})
	}
}

// A program that has the port on ::1 only would be shown in place of the storefront.
func TestStorefront_LeavesAPortThatAProgramHasOnIPv6(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Skip("this machine has no IPv6")
	}
	defer taken.Close()
	port := taken.Addr().(*net.TCPAddr).Port
	f := openFrom(port, port+50)
	defer f.close()
	if f.origin == "" || f.origin == "http://localhost:"+strconv.Itoa(port) || f.reason == "" {
		t.Errorf("%s, %q", f.origin, f.reason)
	}
	again, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port))
	if err != nil {
		t.Fatalf("the port is not released: %v", err)
	}
	again.Close()
}

func TestStorefront_NoFreePort(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	port := taken.Addr().(*net.TCPAddr).Port
	if f := openFrom(port, port); len(f.listeners) > 0 ||
		!strings.Contains(f.reason, "have the ports") {
		t.Errorf("%d listeners, %q", len(f.listeners), f.reason)
	}
}

// The lines about the users of the demo are left out of the log of the first start.
func TestStartUpText_IsADozenLines(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, dev(t.TempDir())...)
	text := s.welcomed(t)
	if n := strings.Count(text, "\n"); n > 12 {
		t.Errorf("%d lines", n)
	}
	for _, want := range []string{"Sana Iqbal (student), Emil Novak (educator), Ada Quist (admin)",
		s.url + "/docs", "token user_student", "Ctrl-C", "learning.db* and "} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in\n%s", want, text)
		}
	}
	if strings.Contains(text, "eyJ") {
		t.Errorf("it shows a token:\n%s", text)
	}
	if log := s.stderr.String(); strings.Count(log, "\n") != 1 ||
		!strings.Contains(log, "level=DEBUG msg=listening") {
		t.Errorf("the log is\n%s", log)
	}
	read(t, s.url+"/api/course/all")
	await(t, "the line of a request",
		func() bool { return strings.Contains(s.stderr.String(), "route=course.list") })
}

// A server may have one provider of its own while the sandbox plays the others.
func TestStorefront_UsesTheSandboxForWhatItPlays(t *testing.T) {
	t.Parallel()
	box := providers(t)
	url := box.Config().URL
	for name, test := range map[string]struct {
		issuer, keyID string
		want          string
	}{
		"both": {url, box.Config().GatewayKeyID,
			`data-sign-in="` + url + `" data-checkout="` + url + `"`},
		"identity provider": {url, "key_1", `data-sign-in="` + url + `" data-checkout=""`},
		"payment gateway": {"https://id.example.org", box.Config().GatewayKeyID,
			`data-sign-in="" data-checkout="` + url + `"`},
	} {
		h := &devServer{program: &program{Settings: Settings{PublicURL: "http://localhost:3000"}},
			box: box, front: &storefront{}}
		h.Identity.Issuer, h.Gateway.KeyID = test.issuer, test.keyID
		handler, err := h.storefrontHandler()
		if err != nil {
			t.Fatal(err)
		}
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/", nil))
		if !strings.Contains(answer.Body.String(), test.want) {
			t.Errorf("%s: without %s:\n%s", name, test.want, answer.Body)
		}
	}
}

// The hints can be pasted: they name the program that runs, and the URL under which clients reach
// it.
func TestWelcome_NamesTheProgramAndThePublicURL(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, dev(shop(t), "--public-url=https://learn.dev.example.org/")...)
	text := s.welcomed(t)
	for _, want := range []string{"API        https://learn.dev.example.org\n",
		"https://learn.dev.example.org/docs ",
		": " + programName(os.Args[0]) + " events list\n",
		"Tokens     " + programName(os.Args[0]) + " token user_student"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in:\n%s", want, text)
		}
	}
	if strings.Contains(text, strings.TrimPrefix(s.url, "http://")) {
		t.Errorf("the address on which it listens is in:\n%s", text)
	}
	answer, err := http.PostForm("http://"+s.sandbox(t)+"/v1/sign-in",
		url.Values{"userId": {demoStudent}})
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	page, err := io.ReadAll(answer.Body)
	if err != nil || !strings.Contains(string(page),
		"https://learn.dev.example.org/api/user/data") {
		t.Errorf("%v; the page of a token is:\n%s", err, page)
	}
}
