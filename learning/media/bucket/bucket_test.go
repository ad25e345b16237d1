package bucket_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/openlectern/openlectern/internal/mediatest"
	"github.com/openlectern/openlectern/learning/media/bucket"
)

const name = "lectern"

var key = bucket.Key{ID: "key-1", Secret: "sesame"}

// service is an S3 service in memory with one bucket.
type service struct {
	*httptest.Server
	objects *s3mem.Backend
}

// newService starts a service. Requests go through wrap unless it is nil.
func newService(t *testing.T, wrap func(next http.Handler) http.Handler) *service {
	t.Helper()
	s := &service{objects: s3mem.New()}
	if err := s.objects.CreateBucket(name); err != nil {
		t.Fatal(err)
	}
	handler := gofakes3.New(s.objects, gofakes3.WithTimeSkewLimit(0)).Server()
	if wrap != nil {
		handler = wrap(handler)
	}
	s.Server = httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s
}

// address is the address of the bucket, with the prefix media.
func (s *service) address() bucket.Address {
	return bucket.Address{Endpoint: s.URL, Name: name, Prefix: "media"}
}

// open opens the bucket. It fails the test if that fails.
func (s *service) open(t *testing.T, opts ...bucket.Option) *bucket.Bucket {
	t.Helper()
	b, err := bucket.Open(t.Context(), s.address(), key, mediatest.Base, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

// keys returns the keys of all objects, in order.
func (s *service) keys(t *testing.T) []string {
	t.Helper()
	list, err := s.objects.ListBucket(name, nil, gofakes3.ListBucketPage{})
	if err != nil {
		t.Fatal(err)
	}
	keys := []string{}
	for _, object := range list.Contents {
		keys = append(keys, object.Key)
	}
	slices.Sort(keys)
	return keys
}

func TestBucket_Conforms(t *testing.T) {
	mediatest.Run(t, func(t *testing.T) mediatest.Store { return newService(t, nil).open(t) })
}

func TestOpen_LeavesNoObject(t *testing.T) {
	s := newService(t, nil)
	s.open(t)
	if left := s.keys(t); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

// The type and the cache rule are stored too, because browsers may read a public bucket
// directly. Invalid files are not sent to the service.
func TestPut_ObjectHasPrefixTypeAndCacheRule(t *testing.T) {
	var sent http.Header
	s := newService(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			sent = r.Header.Clone()
			next.ServeHTTP(w, r)
		})
	})
	b := s.open(t)
	if err := b.Put(t.Context(), "2026/a.png", "image/png", []byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := b.Put(t.Context(), "../b.png", "image/png", []byte("x")); err == nil {
		t.Error("../b.png was stored")
	}
	if err := b.Put(t.Context(), "c.png", "text/html", []byte("x")); err == nil {
		t.Error("c.png was stored as HTML")
	}
	if diff := cmp.Diff([]string{"media/2026/a.png"}, s.keys(t)); diff != "" {
		t.Fatal(diff)
	}
	for header, want := range map[string]string{"Content-Type": "image/png",
		"Cache-Control": "public, max-age=31536000, immutable", "If-None-Match": "*"} {
		if got := sent.Get(header); got != want {
			t.Errorf("%s: %q", header, got)
		}
	}
}

// Two servers share a bucket, and each answers what the other has stored.
func TestServe_FileOfAnotherServer(t *testing.T) {
	s := newService(t, nil)
	one, other := s.open(t), s.open(t)
	if err := one.Put(t.Context(), "a.png", "image/png", []byte("picture")); err != nil {
		t.Fatal(err)
	}
	res := ask(other, "a.png")
	if res.Code != http.StatusOK || res.Body.String() != "picture" {
		t.Errorf("status %d, %q", res.Code, res.Body)
	}
	if err := other.Delete(t.Context(), "a.png"); err != nil {
		t.Fatal(err)
	}
	if res := ask(one, "a.png"); res.Code != http.StatusNotFound {
		t.Errorf("after the deletion: status %d", res.Code)
	}
}

func ask(b *bucket.Bucket, name string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	http.StripPrefix("/", b).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/"+name, nil))
	return w
}

// Some services do not know conditional writes.
func TestPut_ServiceWithoutConditions(t *testing.T) {
	s := newService(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("If-None-Match") != "" {
				answer(w, http.StatusNotImplemented, "NotImplemented")
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	b := s.open(t)
	if err := b.Put(t.Context(), "a.png", "image/png", []byte("x")); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"media/a.png"}, s.keys(t)); diff != "" {
		t.Error(diff)
	}
}

func TestWithNotFound_AnswersMissingFiles(t *testing.T) {
	b := newService(t, nil).open(t,
		bucket.WithNotFound(http.HandlerFunc(func(w http.ResponseWriter,
			_ *http.Request) {
			w.WriteHeader(http.StatusTeapot)
		})))
	for _, name := range []string{"absent.png", "absent.html"} {
		if res := ask(b, name); res.Code != http.StatusTeapot {
			t.Errorf("%s: status %d", name, res.Code)
		}
	}
}

func TestParseAddress_Parts(t *testing.T) {
	for address, want := range map[string]bucket.Address{
		"s3://lectern":         {Name: "lectern"},
		"s3://lectern/":        {Name: "lectern"},
		"s3://my.lectern/a/b/": {Name: "my.lectern", Prefix: "a/b"},
		"s3://lectern/media?endpoint=http://127.0.0.1:9000&region=eu-central-1&addressing_style=path": {
			Endpoint: "http://127.0.0.1:9000", Region: "eu-central-1", Name: "lectern",
			Prefix: "media", Style: "path"},
		"s3://lectern?endpoint=https%3A%2F%2Fs3.example.org%2F&addressing_style=virtual": {
			Endpoint: "https://s3.example.org/", Name: "lectern", Style: "virtual"},
	} {
		got, err := bucket.ParseAddress(address)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", address, err, diff)
		}
	}
}

func TestParseAddress_InvalidIsNotRepeated(t *testing.T) {
	for _, address := range []string{
		"", "sesame", "s3:", "s3://", "s3://ab", "s3://Sesame", "s3://key:sesame@lectern",
		"s3://sesame@lectern", "https://sesame.example.org", "s3://lectern#sesame",
		"s3://lectern?secret=sesame", "s3://lectern?region=a&region=sesame",
		"s3://lectern?endpoint=sesame", "s3://lectern?endpoint=http://key:sesame@host",
		"s3://lectern?endpoint=https://host/sesame", "s3://lectern?addressing_style=sesame",
		"s3://lectern/../sesame", "s3://lectern/a//sesame", "s3://lectern?%zzsesame",
		"s3://lectern/" + strings.Repeat("sesame", 50), "s3://ses ame",
	} {
		if _, err := bucket.ParseAddress(address); err == nil ||
			strings.Contains(err.Error(), "sesame") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestOpen_InvalidArguments(t *testing.T) {
	good := bucket.Address{Endpoint: "http://127.0.0.1:1", Name: name}
	for what, open := range map[string]func() (*bucket.Bucket, error){
		"bucket": func() (*bucket.Bucket, error) {
			return bucket.Open(t.Context(),
				bucket.Address{}, key, mediatest.Base)
		},
		"base URL": func() (*bucket.Bucket, error) {
			return bucket.Open(t.Context(), good, key,
				"/media")
		},
		"key id": func() (*bucket.Bucket, error) {
			return bucket.Open(t.Context(), good, bucket.Key{Secret: "x"}, mediatest.Base)
		},
		"secret": func() (*bucket.Bucket, error) {
			return bucket.Open(t.Context(), good, bucket.Key{ID: "x"}, mediatest.Base)
		},
	} {
		started := time.Now()
		if _, err := open(); err == nil || time.Since(started) > time.Minute {
			t.Errorf("%s: %v", what, err)
		}
	}
}
