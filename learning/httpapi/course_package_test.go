package httpapi_test

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/learningtest"
)

const packagedCourse = `{"format":"openlectern-course","version":1,"title":"Sea","chapters":[{
	"title":"One","lectures":[{"title":"Book","kind":"file","file":"a.pdf"}]}]}`

// packageForm returns the form of an upload of a package with a file, which it makes while it is
// read.
func packageForm(file io.Reader) io.Reader {
	in, out := io.Pipe()
	go func() {
		_, err := io.WriteString(out,
			"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.zip\"\r\n\r\n")
		w := zip.NewWriter(out)
		for _, entry := range []struct {
			name    string
			content io.Reader
		}{{"course.json", strings.NewReader(packagedCourse)}, {"a.pdf", file}} {
			var to io.Writer
			if err == nil {
				to, err = w.CreateHeader(&zip.FileHeader{Name: entry.name})
			}
			if err == nil {
				_, err = io.Copy(to, entry.content)
			}
		}
		if err == nil {
			err = w.Close()
		}
		if err == nil {
			_, err = io.WriteString(out, "\r\n--x--\r\n")
		}
		out.CloseWithError(err)
	}()
	return in
}

// importRequest returns a request of the educator to import a package.
func (s *site) importRequest(body io.Reader) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/api/educator/packages", body)
	r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
	for h := s.as("educator"); len(h) > 1; h = h[2:] {
		r.Header.Set(h[0], h[1])
	}
	return r
}

// discard is an answer that is not kept.
type discard struct {
	*httptest.ResponseRecorder
	size int
}

func (d *discard) Write(b []byte) (int, error) {
	d.size += len(b)
	return len(b), nil
}

// The import and the export of a large package take no more memory than those of a small one, and
// the temporary file of the import is gone. It is not parallel, because it looks at the heap of the
// process.
func TestPackage_MemoryIsFlat(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	const size = 200 << 20
	var heap atomic.Uint64
	s := fixtureSiteOf(t, learningtest.New(t, learningtest.WithPlatform(
		learning.WithFiles(sizedFiles{sizes: &sync.Map{}, heap: &heap}))))
	runtime.GC() // what earlier tests have left
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, s.importRequest(packageForm(&zeros{left: size, heap: &heap})))
	var answer struct{ CourseID string }
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != http.StatusOK {
		t.Fatalf("status %d, %s, %v", w.Code, w.Body, err)
	}

	r := httptest.NewRequest(http.MethodGet, "/api/educator/courses/"+answer.CourseID+"/package",
		nil)
	r.Header = s.importRequest(nil).Header
	out := &discard{ResponseRecorder: httptest.NewRecorder()}
	s.handler.ServeHTTP(out, r)
	if out.Code != http.StatusOK || out.size < size {
		t.Errorf("status %d, %d bytes", out.Code, out.size)
	}
	if grown := int64(heap.Load()) - int64(before.HeapAlloc); heap.Load() == 0 || grown > 64<<20 {
		t.Errorf("the heap has grown by %d MiB", grown>>20)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("the temporary files %v are left, %v", left, err)
	}
}

// An upload that breaks off is no failure of the server, and leaves no temporary file. Packages
// that arrive slowly do not keep others waiting.
func TestImportPackage_BrokenUploads(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	s := fixtureSiteOf(t, learningtest.New(t))
	answers := make(chan int)
	var senders []*io.PipeWriter
	for range 9 {
		in, out := io.Pipe()
		senders = append(senders, out)
		go func() {
			w := httptest.NewRecorder()
			s.handler.ServeHTTP(w, s.importRequest(in))
			answers <- w.Code
		}()
		_, err := io.WriteString(out, "--x\r\nContent-Disposition: form-data; name=\"file\"; "+
			"filename=\"a.zip\"\r\n\r\n"+strings.Repeat("PK", 10_000))
		if err != nil {
			t.Fatal(err)
		}
	}
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, s.importRequest(packageForm(strings.NewReader("%PDF-"))))
	if w.Code != http.StatusOK {
		t.Errorf("a package beside slow ones: status %d, %s", w.Code, w.Body)
	}
	for _, out := range senders {
		out.CloseWithError(errors.New("the client has left"))
		if status := <-answers; status != http.StatusBadRequest {
			t.Errorf("status %d of an upload that broke off", status)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("the temporary files %v are left, %v", left, err)
	}
}

// If a file is lost, the connection is broken, so that the client sees that the package is not
// whole.
func TestExportPackage_BreaksTheConnection(t *testing.T) {
	var sizes sync.Map
	s := fixtureSiteOf(t, learningtest.New(t, learningtest.WithPlatform(
		learning.WithFiles(sizedFiles{sizes: &sizes, heap: &atomic.Uint64{}}))))
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, s.importRequest(packageForm(strings.NewReader("%PDF-1.7 longer"))))
	var answer struct{ CourseID string }
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != http.StatusOK {
		t.Fatalf("status %d, %s, %v", w.Code, w.Body, err)
	}
	r := httptest.NewRequest(http.MethodGet, "/api/educator/courses/"+answer.CourseID+"/package",
		nil)
	r.Header = s.importRequest(nil).Header
	defer func() {
		if recover() != http.ErrAbortHandler {
			t.Error("the connection is not broken")
		}
	}()
	sizes.Range(func(name, _ any) bool {
		sizes.Store(name, 3)
		return true
	})
	s.handler.ServeHTTP(httptest.NewRecorder(), r)
}
