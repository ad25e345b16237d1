package media_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/mediatest"
	"github.com/openlectern/openlectern/learning/media"
)

func ask(d *media.Disk, method, target string, header map[string]string) *http.Response {
	r := httptest.NewRequest(method, target, nil)
	for name, value := range header {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	http.StripPrefix("/media/", d).ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, res *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

const content = "<html><script>alert(1)</script>"

func TestServe_MissingFileIs404(t *testing.T) {
	d, dir := newDisk(t)
	if err := d.Put(t.Context(), "folder/a.png", "image/png", []byte(content)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"b.txt", "folder/c.html", ".hidden.png", ".incoming/d.png",
		"../outside.png"} {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(content),
			0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder.png"), 0o700); err != nil {
		t.Fatal(err)
	}
	_ = os.Symlink(filepath.Join(dir, "..", "outside.png"), filepath.Join(dir, "out.png"))
	_ = os.Symlink("a.png", filepath.Join(dir, "folder", "link.png"))
	names := append([]string{"absent.png", "folder", "folder/", "folder.png", "folder.png/",
		"folder/a.png/", "folder/a.png/b.png", "out.png", "folder/link.png", "b.txt",
		"folder/c.html",
		".hidden.png", ".incoming/d.png", "../outside.png", strings.Repeat("a", 5000) + ".png"},
		mediatest.BadNames...)
	for _, name := range names {
		for _, method := range []string{"GET", "HEAD"} {
			r := httptest.NewRequest(method, "/", nil)
			r.URL = &url.URL{Path: name}
			w := httptest.NewRecorder()
			d.ServeHTTP(w, r)
			want := http.Header{"Content-Type": {"application/json; charset=utf-8"},
				"X-Content-Type-Options": {"nosniff"}}
			if diff := cmp.Diff(want, w.Header()); diff != "" || w.Code != 404 ||
				w.Body.String() != `{"success":false,"message":"Route not found"}` {
				t.Errorf("%s %.50q: status %d, %s\n%s", method, name, w.Code, w.Body, diff)
			}
		}
	}
}

// Links are not followed, whatever their target, and are logged.
func TestServe_LinkedFolder(t *testing.T) {
	var log strings.Builder
	d, dir := newDisk(t, media.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "a.png"), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := d.Put(t.Context(), "inside/a.png", "image/png", []byte(content)); err != nil {
		t.Fatal(err)
	}
	spoilLink(t, outside, filepath.Join(dir, "linked"))
	spoilLink(t, "inside", filepath.Join(dir, "other"))
	spoilLink(t, "a.png", filepath.Join(dir, "inside", "b.png"))
	for _, name := range []string{"linked/a.png", "linked/none.png", "other/a.png",
		"inside/b.png"} {
		log.Reset()
		res := ask(d, "GET", "/media/"+name, nil)
		if got := body(t, res); res.StatusCode != 404 || strings.Contains(got, content) {
			t.Errorf("%s: status %d, %s", name, res.StatusCode, got)
		}
		if got := log.String(); !strings.Contains(got, "level=WARN") ||
			!strings.Contains(got, "name="+name) {
			t.Errorf("%s: log %q", name, got)
		}
	}
	for _, name := range []string{"linked/new.png", "other/new.png"} {
		if err := d.Put(t.Context(), name, "image/png", nil); err == nil {
			t.Errorf("%s was stored", name)
		}
		if there, err := d.Exists(t.Context(), path.Dir(name)+"/a.png"); there || err != nil {
			t.Errorf("%s: exists: %v, %v", path.Dir(name), there, err)
		}
	}
	if res := ask(d, "GET", "/media/inside/a.png", nil); res.StatusCode != 200 {
		t.Errorf("the file itself: status %d", res.StatusCode)
	}
}

// Over HTTP, a path can be written in more than one way.
func TestServe_PathOutsideTheFolder(t *testing.T) {
	d, dir := newDisk(t)
	if err := os.WriteFile(filepath.Join(dir, "..", "outside.png"), []byte("outside"),
		0o600); err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(http.StripPrefix("/media/", d))
	t.Cleanup(s.Close)
	for _, path := range []string{"../outside.png", "%2e%2e/outside.png", "..%2foutside.png",
		"%2e%2e%2foutside.png", "..%5coutside.png", "x/..%2f..%2foutside.png",
		"%2f" + filepath.Join(dir, "..", "outside.png"), "%00/../outside.png"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.URL.Opaque = "/media/" + path // sent as it is
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		got := body(t, res)
		_ = res.Body.Close()
		if res.StatusCode != 404 || strings.Contains(got, "outside") {
			t.Errorf("%s: status %d, %s", path, res.StatusCode, got)
		}
	}
}

func TestServe_OtherMethodIs405(t *testing.T) {
	d, dir := newDisk(t)
	if err := d.Put(t.Context(), "a.png", "image/png", []byte("x")); err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "BREW"} {
		res := ask(d, method, "/media/a.png", nil)
		if got := body(t, res); res.StatusCode != 405 || res.Header.Get("Allow") != "GET, HEAD" ||
			got != `{"success":false,"message":"Method not allowed"}` {
			t.Errorf("%s: status %d, %s", method, res.StatusCode, got)
		}
	}
	if len(files(t, dir)) != 1 {
		t.Error("the file was deleted")
	}
}

func TestServe_FailingDiskIs500(t *testing.T) {
	d, _ := newDisk(t)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	res := ask(d, "GET", "/media/a.png", nil)
	if got := body(t, res); res.StatusCode != 500 ||
		got != `{"success":false,"message":"An unexpected error occurred"}` ||
		res.Header.Get("Cache-Control") != "" {
		t.Errorf("status %d, %s", res.StatusCode, got)
	}
}

func TestWithNotFound_AnswersMissingFiles(t *testing.T) {
	d, _ := newDisk(t,
		media.WithNotFound(http.HandlerFunc(func(w http.ResponseWriter,
			_ *http.Request) {
			w.WriteHeader(http.StatusTeapot)
		})))
	for _, target := range []string{"/media/absent.png", "/media/absent.html"} {
		if res := ask(d, "GET", target, nil); res.StatusCode != http.StatusTeapot {
			t.Errorf("%s: status %d", target, res.StatusCode)
		}
	}
}

func FuzzServe(f *testing.F) {
	d, dir := newDisk(f)
	if err := os.WriteFile(filepath.Join(dir, "..", "outside.png"), []byte("outside"),
		0o600); err != nil {
		f.Fatal(err)
	}
	f.Add("../outside.png")
	f.Add(`..\outside.png`)
	f.Add("x/a.png")
	f.Fuzz(func(t *testing.T, name string) {
		r := httptest.NewRequest("GET", "/", nil)
		r.URL = &url.URL{Path: name}
		w := httptest.NewRecorder()
		d.ServeHTTP(w, r)
		if w.Code != 404 {
			t.Errorf("%q: status %d, %s", name, w.Code, w.Body)
		}
	})
}

func Example() {
	dir, err := os.MkdirTemp("", "media")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)

	disk, err := media.NewDisk(dir, "https://learn.example.com/media")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer disk.Close()
	mux := http.NewServeMux()
	mux.Handle("/media/", http.StripPrefix("/media/", disk))

	if err := disk.Put(context.Background(), "0197f3a2.png", "image/png", []byte("\x89PNG")); err !=
		nil {
		fmt.Println(err)
		return
	}
	fmt.Println(disk.URL("0197f3a2.png"))

	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest("GET", disk.URL("0197f3a2.png"), nil))
	fmt.Println(w.Code, w.Header().Get("Content-Type"), w.Header().Get("X-Content-Type-Options"))
	// Output:
	// https://learn.example.com/media/0197f3a2.png
	// 200 image/png nosniff
}
