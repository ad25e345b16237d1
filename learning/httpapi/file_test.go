package httpapi_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/file"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// sizedFiles is a file store that keeps the sizes of contents only. Their bytes are those of zeros.
type sizedFiles struct {
	file.Store
	sizes *sync.Map // int by name
	heap  *atomic.Uint64
}

func (f sizedFiles) StoreFile(_ context.Context, name string, content io.Reader) error {
	n, err := io.Copy(io.Discard, content)
	f.sizes.Store(name, int(n))
	return err
}

func (f sizedFiles) OpenFile(_ context.Context, name string) (io.ReadCloser, error) {
	size, _ := f.sizes.Load(name)
	return io.NopCloser(&zeros{left: size.(int), heap: f.heap}), nil
}

func (sizedFiles) DeleteFile(context.Context, string) error { return nil }

// zeros is so many zero bytes, of which the first ones are those of a PDF. It keeps the largest
// heap that it has seen.
type zeros struct {
	left, read int
	heap       *atomic.Uint64
}

func (z *zeros) Read(p []byte) (int, error) {
	if z.left == 0 {
		return 0, io.EOF
	}
	n := min(len(p), z.left)
	clear(p[:n])
	if z.read < len("%PDF-") {
		copy(p[:n], "%PDF-"[z.read:])
	}
	if z.left>>22 != (z.left-n)>>22 { // each 4 MiB
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		z.heap.Store(max(z.heap.Load(), stats.HeapAlloc))
	}
	z.left, z.read = z.left-n, z.read+n
	return n, nil
}

// uploads are the ways to upload a file of a size.
var uploads = map[string]func(size int, content io.Reader) *http.Request{
	"form": func(_ int, content io.Reader) *http.Request {
		const head = "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n\r\n"
		r := httptest.NewRequest(http.MethodPost, "/api/educator/files",
			io.MultiReader(strings.NewReader(head), content, strings.NewReader("\r\n--x--\r\n")))
		r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
		return r
	},
	"resumable": func(size int, content io.Reader) *http.Request {
		r := httptest.NewRequest(http.MethodPost, "/api/educator/uploads", content)
		r.Header.Set("Content-Type", "application/offset+octet-stream")
		r.Header.Set("Tus-Resumable", "1.0.0")
		r.Header.Set("Upload-Length", strconv.Itoa(size))
		return r
	},
}

// upload uploads a file of a size, and returns by how many bytes the heap has grown meanwhile.
func upload(tb testing.TB, size int, request func(size int,
	content io.Reader) *http.Request) int64 {
	tb.Helper()
	files := sizedFiles{sizes: &sync.Map{}, heap: &atomic.Uint64{}}
	s := fixtureSiteOf(tb, learningtest.New(tb, learningtest.WithPlatform(learning.WithFiles(files))))
	runtime.GC() // what was left before
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	r, w := request(size, &zeros{left: size, heap: files.heap}), httptest.NewRecorder()
	for h := s.as("educator"); len(h) > 1; h = h[2:] {
		r.Header.Set(h[0], h[1])
	}
	s.handler.ServeHTTP(w, r)
	if w.Code/100 != 2 {
		tb.Fatalf("status %d, %s", w.Code, w.Body)
	}
	list := s.do(http.MethodGet, "/api/educator/files", "", s.as("educator")...)
	if want := fmt.Sprintf(`"size":%d`, size); !strings.Contains(list.Body.String(), want) {
		tb.Errorf("files %s, want one of %s", list.Body, want)
	}
	return int64(files.heap.Load()) - int64(before.HeapAlloc)
}

// An upload of a large file takes no more memory than one of a small file. It is not parallel,
// because it looks at the heap of the process.
func TestUploadFile_MemoryIsFlat(t *testing.T) {
	for name, request := range uploads {
		// The heap grows until it is collected, which depends on what the tests before have left.
		if grown := upload(t, 96_000_000, request); grown > 32<<20 {
			t.Errorf("%s: the heap has grown by %d MiB", name, grown>>20)
		}
	}
}

// BenchmarkUpload uploads files of the largest size to a store that keeps nothing.
func BenchmarkUpload(b *testing.B) {
	for name, request := range uploads {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(file.DefaultMaxFile)
			for b.Loop() {
				b.ReportMetric(float64(upload(b, file.DefaultMaxFile, request))/1e6, "heap-MB")
			}
		})
	}
}
