package httpapi_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/openlectern/openlectern/learning/file"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/media"
)

// The downloads of BenchmarkDownload.
const (
	downloadSize = 100_000_000
	downloaders  = 100
)

// BenchmarkDownload reads a file of 100 MB by 100 clients at once through a signed URL, as the
// reference server serves it, and beside it the same file by http.ServeContent alone.
func BenchmarkDownload(b *testing.B) {
	const name = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	dir := b.TempDir()
	disk, err := media.NewPrivateDisk(dir, "http://localhost/material",
		[][]byte{[]byte("a secret of files")})
	if err != nil {
		b.Fatal(err)
	}
	defer disk.Close()
	check(b, disk.StoreFile(b.Context(), name, io.LimitReader(endless{}, downloadSize)))
	s := fixtureSiteOf(b, learningtest.New(b), httpapi.WithRoutes(httpapi.Route{ID: "material",
		Method: http.MethodGet, Path: "/material/*name", Access: httpapi.Public,
		Do: httpapi.Handle(http.StripPrefix("/material/", disk))}))
	signed, err := disk.SignFile(b.Context(), file.Signed{Name: name, Type: "video/mp4",
		Until: time.Now().Add(time.Hour)})
	check(b, err)
	bare := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		defer f.Close()
		w.Header().Set("Content-Type", "video/mp4")
		http.ServeContent(w, r, "", time.Time{}, f)
	})
	path := signed[len("http://localhost"):]
	ours, plain := httptest.NewServer(s.handler), httptest.NewServer(bare)
	defer ours.Close()
	defer plain.Close()
	var took, bareTook time.Duration
	for b.Loop() {
		took += download(b, ours.URL+path)
		bareTook += download(b, plain.URL)
	}
	perSecond := func(d time.Duration) float64 {
		return float64(b.N) * downloaders * downloadSize / 1e6 / d.Seconds()
	}
	b.ReportMetric(perSecond(took), "MB/s")
	b.ReportMetric(perSecond(bareTook), "bare-MB/s")
	b.ReportMetric(bareTook.Seconds()/took.Seconds(), "of-bare")
}

// endless is zero bytes without end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// download reads a URL by all clients, and returns how long that takes.
func download(b *testing.B, url string) time.Duration {
	b.Helper()
	began := time.Now()
	var all errgroup.Group
	for range downloaders {
		all.Go(func() error {
			res, err := http.Get(url)
			if err != nil {
				return err
			}
			n, err := io.Copy(io.Discard, res.Body)
			if n != downloadSize {
				err = errors.Join(err, fmt.Errorf("%d bytes, %s", n, res.Status))
			}
			return errors.Join(err, res.Body.Close())
		})
	}
	check(b, all.Wait())
	return time.Since(began)
}
