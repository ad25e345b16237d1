package httpapi_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// discardFiles is a file store that reads contents and keeps nothing.
type discardFiles struct{ learning.FileStore }

func (discardFiles) StoreFile(_ context.Context, _ string, content io.Reader) error {
	_, err := io.Copy(io.Discard, content)
	return err
}

func (discardFiles) DeleteFile(context.Context, string) error { return nil }

// zeros is so many zero bytes. It keeps the largest heap that it has seen.
type zeros struct {
	left int
	heap uint64
}

func (z *zeros) Read(p []byte) (int, error) {
	if z.left == 0 {
		return 0, io.EOF
	}
	n := min(len(p), z.left)
	clear(p[:n])
	if z.left>>25 != (z.left-n)>>25 { // each 32 MiB
		z.heap = max(z.heap, heapNow())
	}
	z.left -= n
	return n, nil
}

func heapNow() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// An upload of the largest size takes no more memory than a small one. It is not parallel, because
// it looks at the heap of the process.
func TestUploadFile_MemoryIsFlat(t *testing.T) {
	s := fixtureSiteOf(t, learningtest.New(t,
		learningtest.WithPlatform(learning.WithFiles(discardFiles{}))))
	const head = "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n\r\n%PDF-"
	content := &zeros{left: learning.DefaultMaxFile - len("%PDF-")}
	r := httptest.NewRequest(http.MethodPost, "/api/educator/files",
		io.MultiReader(strings.NewReader(head), content, strings.NewReader("\r\n--x--\r\n")))
	r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
	for h := s.as("educator"); len(h) > 1; h = h[2:] {
		r.Header.Set(h[0], h[1])
	}
	runtime.GC() // what earlier tests have left
	before, w := heapNow(), httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"size":500000000`) {
		t.Errorf("status %d, %s", w.Code, w.Body)
	}
	// The heap grows until it is collected, which depends on what the tests before have left.
	if grown := int64(content.heap) - int64(before); content.heap == 0 || grown > 64<<20 {
		t.Errorf("the heap has grown by %d MiB", grown>>20)
	}
}
