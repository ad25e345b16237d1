package bucket_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/mediatest"
	"github.com/openlectern/openlectern/learning/file"
	"github.com/openlectern/openlectern/learning/media/bucket"
)

func TestBucket_FilesConform(t *testing.T) {
	mediatest.RunFiles(t,
		func(t *testing.T) file.Store { return newService(t, nil).open(t) },
		func(t *testing.T, _ file.Store, url, part string) mediatest.Answer {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
			if err != nil {
				t.Fatal(err)
			}
			if part != "" {
				r.Header.Set("Range", part)
			}
			res, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			body, err := io.ReadAll(res.Body)
			if err != nil {
				t.Fatal(err)
			}
			// The service of this test does not override the type and the disposition: the signed
			// query has them.
			query := res.Request.URL.Query()
			header := map[string]string{"Content-Type": query.Get("response-content-type"),
				"Content-Disposition": query.Get("response-content-disposition")}
			return mediatest.Answer{Status: res.StatusCode,
				Header: func(name string) string { return header[name] }, Body: string(body)}
		})
}

// Private files have a folder of their own, below the prefix, which ServeHTTP does not serve.
func TestStoreFile_ObjectIsNotServed(t *testing.T) {
	const file = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	s := newService(t, nil)
	b := s.open(t)
	if err := b.StoreFile(t.Context(), file, strings.NewReader("material")); err != nil {
		t.Fatal(err)
	}
	if got := s.keys(t); len(got) != 1 || got[0] != "media/private/"+file {
		t.Errorf("keys: %v", got)
	}
	for _, path := range []string{file, "private/" + file} {
		if res := ask(b, path); res.Code != http.StatusNotFound {
			t.Errorf("%s: status %d", path, res.Code)
		}
	}
}

var _ file.Store = (*bucket.Bucket)(nil)
