package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/store/sqlite"
)

func TestServe_RestartKeepsUsersOrdersAndCourses(t *testing.T) {
	t.Parallel()
	dir := shop(t)
	first := serve(t, nil, dev(dir)...)
	token := first.token(t, demoStudent)
	_, opened := call(t, http.MethodPost, first.url+"/api/user/purchase", token,
		`{"courseId":"paid"}`)
	if code := first.stop(t); code != 0 {
		t.Fatalf("exit code %d", code)
	}

	second := serve(t, nil, dev(dir)...)
	_, again := call(t, http.MethodPost, second.url+"/api/user/purchase",
		second.token(t, demoStudent), `{"courseId":"paid"}`)
	if opened["orderId"] == nil || again["orderId"] != opened["orderId"] {
		t.Errorf("the open order was %v and is %v", opened["orderId"], again["orderId"])
	}
	status, page := rawCall(t, http.MethodGet,
		"http://"+second.sandbox(t)+"/checkout/"+again["orderId"].(string), "", "")
	if status != http.StatusOK {
		t.Errorf("the checkout answers %d: %.200s", status, page)
	}
	if _, list := call(t, http.MethodGet, second.url+"/api/course/all", "",
		""); len(list["courses"].([]any)) != 2 {
		t.Errorf("the catalogue changed: %v", list)
	}
}

func TestMedia_ThumbnailsAreServedToOtherOrigins(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, dev(shop(t))...)
	_, list := call(t, http.MethodGet, s.url+"/api/course/all", "", "")
	thumbnail := list["courses"].([]any)[0].(map[string]any)["courseThumbnail"].(string)
	res, err := http.Get(thumbnail)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if h := res.Header; res.StatusCode != http.StatusOK || h.Get("Content-Type") != "image/png" ||
		h.Get("Cross-Origin-Resource-Policy") != "cross-origin" {
		t.Errorf("%s: status %d, headers %v", thumbnail, res.StatusCode, h)
	}
	status, _ := call(t, http.MethodGet, s.url+"/media/none.jpg", "", "")
	if status != http.StatusNotFound {
		t.Errorf("a file that is not there: status %d", status)
	}
}

func TestDrain_IsBounded(t *testing.T) {
	t.Parallel()
	entered, release := make(chan struct{}), make(chan struct{})
	handler := &countedHandler{Handler: http.HandlerFunc(func(http.ResponseWriter,
		*http.Request) {
		close(entered)
		<-release
	})}
	srv := httptest.NewServer(handler)
	defer srv.Close()
	defer close(release)
	go func() {
		if res, err := http.Get(srv.URL); err == nil {
			res.Body.Close()
		}
	}()
	<-entered
	p := &program{log: newLogger(&transcript{}, true, nil), drainTime: 20 * time.Millisecond,
		cancelTime: 20 * time.Millisecond, closeTime: 20 * time.Millisecond}
	if err := p.drain(srv.Config, handler, func(error) {}); err == nil {
		t.Error("no error, although a request did not finish")
	}
}

func TestReady_FollowsTheDatabase(t *testing.T) {
	t.Parallel()
	st, err := sqlite.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "learning.db"))
	if err != nil {
		t.Fatal(err)
	}
	platform, err := learning.New(st)
	if err != nil {
		t.Fatal(err)
	}
	settings := Settings{PublicURL: "http://localhost", Media: t.TempDir()}
	p := &program{Settings: settings, log: newLogger(&transcript{}, true, nil)}
	files, err := p.newMedia(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	handler, err := p.newHandler(platform, files)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(handler)
	defer srv.Close()
	status, answer := call(t, http.MethodGet, srv.URL+"/readyz", "", "")
	if status != http.StatusOK || answer["success"] != true {
		t.Errorf("with the database: %d %v", status, answer)
	}
	p.draining.Store(true)
	status, answer = call(t, http.MethodGet, srv.URL+"/readyz", "", "")
	if status != http.StatusServiceUnavailable || answer["success"] != false {
		t.Errorf("while the server stops: %d %v", status, answer)
	}
	p.draining.Store(false)
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	status, answer = call(t, http.MethodGet, srv.URL+"/readyz", "", "")
	if status != http.StatusServiceUnavailable || answer["success"] != false ||
		answer["message"] == "" {
		t.Errorf("without the database: %d %v", status, answer)
	}
	status, answer = call(t, http.MethodGet, srv.URL+"/livez", "", "")
	if status != http.StatusOK || answer["success"] != true {
		t.Errorf("/livez without the database: %d %v", status, answer)
	}
}

// By default net/http answers OPTIONS * itself.
func TestServe_OptionsStarHasTheHeadersOfEveryAnswer(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, dev(shop(t))...)
	r, err := http.NewRequest(http.MethodOptions, s.url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.URL.Opaque = "*"
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	for _, name := range []string{"X-Request-Id", "Content-Security-Policy",
		"X-Content-Type-Options"} {
		if res.Header.Get(name) == "" {
			t.Errorf("status %d without %s", res.StatusCode, name)
		}
	}
}

func TestServe_ExplainsATakenPort(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, flag := range []string{"--addr", "--sandbox-addr"} {
		code, _, stderr := command(t, dev(t.TempDir(), flag+"="+taken.Addr().String())...)
		if code != 1 || !strings.Contains(stderr, taken.Addr().String()) ||
			!strings.Contains(stderr, "choose another address with "+flag) {
			t.Errorf("%s: exit code %d and %q", flag, code, stderr)
		}
	}
}

func TestServe_UnusableDatabase(t *testing.T) {
	t.Parallel()
	code, _, stderr := command(t, "--addr=127.0.0.1:0", "--sandbox-addr=127.0.0.1:0",
		"--database=sqlite:"+filepath.Join(t.TempDir(), "absent", "x.db"))
	if code != 1 || !strings.Contains(stderr,
		"LEARNING_DATABASE (--database) cannot be used: the folder of ") {
		t.Errorf("exit code %d and %q", code, stderr)
	}
}

// The error of a database that cannot be reached names the setting, and not the password.
func TestServe_UnreachableDatabase(t *testing.T) {
	t.Parallel()
	const database = "mysql://lectern:s3cret@127.0.0.1:1/lectern" // a port on which nothing listens
	for _, args := range [][]string{{"serve", "--sandbox-addr=127.0.0.1:0"}, {"migrate"}} {
		code, _, stderr := command(t, append(args, "--addr=127.0.0.1:0", "--database="+database)...)
		if code != 1 || !strings.Contains(stderr,
			"LEARNING_DATABASE (--database) cannot be used: ") ||
			strings.Contains(stderr, "s3cret") {
			t.Errorf("%v: exit code %d and %q", args, code, stderr)
		}
	}
}

func TestServe_FailingListener(t *testing.T) {
	t.Parallel()
	p := &program{log: newLogger(&transcript{}, true, nil)}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	if err := p.serve(t.Context(), listener, http.NotFoundHandler(),
		func(ctx context.Context) { <-ctx.Done() }); !errors.Is(err, net.ErrClosed) {
		t.Errorf("error %v", err)
	}
}
