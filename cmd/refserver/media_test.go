package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/openlectern/openlectern/internal/servertest"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// bucketService is an S3 service with the bucket lectern. While it is broken, it answers 500. It
// verifies the signatures of URLs, and refuses GET without any.
type bucketService struct {
	*httptest.Server
	objects  *s3mem.Backend
	isBroken atomic.Bool
	later    atomic.Int64 // how far its clock is ahead, in nanoseconds
}

func newBucketService(t *testing.T) *bucketService {
	t.Helper()
	s := &bucketService{objects: s3mem.New()}
	if err := s.objects.CreateBucket("lectern"); err != nil {
		t.Fatal(err)
	}
	working := gofakes3.New(s.objects, gofakes3.WithTimeSkewLimit(0)).Server()
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.isBroken.Load() {
			_, _ = io.Copy(io.Discard, r.Body)
			http.Error(w, "hush", http.StatusInternalServerError)
			return
		}
		query := r.URL.Query()
		switch {
		case query.Has("X-Amz-Credential") && s.isPresigned(r):
			w = overriding{w, query}
		case r.Header.Get("Authorization") == "":
			http.Error(w, "AccessDenied", http.StatusForbidden)
			return
		}
		working.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// settings are the settings of a server that uses the bucket.
func (s *bucketService) settings(env environment) environment {
	env["LEARNING_MEDIA"] = "s3://lectern/media?endpoint=" + s.URL
	env["LEARNING_MEDIA_KEY_ID"], env["LEARNING_MEDIA_KEY_SECRET"] = "key-1", "hush"
	return env
}

func (s *bucketService) keys(t *testing.T) (keys []string) {
	t.Helper()
	list, err := s.objects.ListBucket("lectern", nil, gofakes3.ListBucketPage{})
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range list.Contents {
		keys = append(keys, object.Key)
	}
	return keys
}

// addCourse uploads a course with a picture, and returns the status and the courses of the
// educator.
func addCourse(t *testing.T, url, token string) (status int, courses []any) {
	t.Helper()
	form, contentType := servertest.CourseForm(t, []byte(tinyPicture(t)))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
		url+"/api/educator/add-course", bytes.NewReader(form))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", contentType)
	r.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	_, answer := call(t, http.MethodGet, url+"/api/educator/courses", token, "")
	courses, _ = answer["courses"].([]any)
	return res.StatusCode, courses
}

// Two processes share a database and a private bucket. A picture that was uploaded to one is
// served by the other, also after the first has ended. While the bucket fails, an upload is
// answered with 500 and leaves nothing, and the servers remain ready.
func TestBucket_TwoServersServeEachOthersPictures(t *testing.T) {
	t.Parallel()
	s, box := newBucketService(t), providers(t)
	env := s.settings(configured(box, t.TempDir()))
	first, one, oneLog := process(t, env)
	_, other, otherLog := process(t, env)
	educator := join(t, box, one,
		sandbox.User{ID: "user_educator", Role: string(core.Educator)})

	status, courses := addCourse(t, one, educator)
	if keys := s.keys(t); status != http.StatusOK || len(courses) != 1 || len(keys) != 1 {
		t.Fatalf("status %d, courses %v, objects %v", status, courses, keys)
	}
	thumbnail, err := url.Parse(courses[0].(map[string]any)["courseThumbnail"].(string))
	if err != nil {
		t.Fatal(err)
	}
	var pictures []string
	for _, server := range []string{one, other} {
		res, err := http.Get(server + thumbnail.Path)
		if err != nil {
			t.Fatal(err)
		}
		picture, err := io.ReadAll(res.Body)
		res.Body.Close()
		if h := res.Header; err != nil || res.StatusCode != http.StatusOK ||
			h.Get("Content-Type") != "image/png" ||
			h.Get("Cross-Origin-Resource-Policy") != "cross-origin" {
			t.Errorf("%s: status %d, %v, %v", thumbnail, res.StatusCode, h, err)
		}
		pictures = append(pictures, string(picture))
	}
	if pictures[0] == "" || pictures[0] != pictures[1] {
		t.Errorf("the servers answer %d and %d bytes", len(pictures[0]), len(pictures[1]))
	}

	s.isBroken.Store(true)
	if status, courses := addCourse(t, other, educator); status != http.StatusInternalServerError ||
		len(courses) != 1 {
		t.Errorf("while the bucket fails: status %d, %d courses", status, len(courses))
	}
	if status, answer := call(t, http.MethodGet, other+thumbnail.Path, "", ""); status !=
		http.StatusInternalServerError || answer["message"] != "An unexpected error occurred" {
		t.Errorf("while the bucket fails: status %d, %v", status, answer)
	}
	if status, _ := call(t, http.MethodGet, other+"/readyz", "", ""); status != http.StatusOK {
		t.Errorf("while the bucket fails: /readyz answers %d", status)
	}
	s.isBroken.Store(false)

	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if status, courses := addCourse(t, other, educator); status != http.StatusOK ||
		len(courses) != 2 || len(s.keys(t)) != 2 {
		t.Errorf("afterwards: status %d, %d courses, objects %v", status, len(courses), s.keys(t))
	}
	if strings.Contains(oneLog.String()+otherLog.String(), "hush") {
		t.Error("a log repeats the secret, or the text of the service")
	}
}

func TestImport_StoresPicturesInTheBucket(t *testing.T) {
	t.Parallel()
	s, dir := newBucketService(t), t.TempDir()
	env := s.settings(inProduction(dir))
	delete(env, "LEARNING_MEDIA_KEY_ID") // Amazon's variables are read only if neither is set
	delete(env, "LEARNING_MEDIA_KEY_SECRET")
	env["AWS_ACCESS_KEY_ID"], env["AWS_SECRET_ACCESS_KEY"] = "key-1", "hush"
	code, _, stderr := commandWith(t, env, "import", write(t, dir, "shop.json", smallCatalogue))
	if keys := s.keys(t); code != 0 || len(keys) != 2 || !strings.HasPrefix(keys[0], "media/") {
		t.Errorf("exit code %d, objects %v\n%s", code, keys, stderr)
	}
}

// The server ends before it listens, names the setting, and says what to do.
func TestServe_UnusableBucket(t *testing.T) {
	t.Parallel()
	s := newBucketService(t)
	gone := httptest.NewServer(nil)
	gone.Close()
	for media, want := range map[string]string{
		"s3://another?endpoint=" + s.URL:    `create the bucket "another"`,
		"s3://lectern?endpoint=" + gone.URL: "check that the endpoint is right",
	} {
		env := s.settings(inProduction(t.TempDir()))
		env["LEARNING_MEDIA"] = media
		code, _, stderr := commandWith(t, env)
		if code != 1 || !strings.Contains(stderr, "LEARNING_MEDIA (--media)") ||
			!strings.Contains(stderr, want) || strings.Contains(stderr, "listening") ||
			strings.Contains(stderr, "hush") {
			t.Errorf("%s: exit code %d and\n%s", media, code, stderr)
		}
	}
}

func TestCheck_BucketNeedsItsKey(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		bucket  BucketSettings
		missing []string
	}{
		"all": {BucketSettings{KeyID: "key-1", KeySecret: "hush",
			PublicURL: "https://cdn.example.org/media"}, nil},
		"no key": {BucketSettings{},
			[]string{"LEARNING_MEDIA_KEY_ID", "LEARNING_MEDIA_KEY_SECRET"}},
		"no secret": {BucketSettings{KeyID: "key-1"}, []string{"LEARNING_MEDIA_KEY_SECRET"}},
		"no URL": {BucketSettings{KeyID: "key-1", KeySecret: "hush",
			PublicURL: "cdn.example.org"}, []string{"LEARNING_MEDIA_PUBLIC_URL"}},
	} {
		s := Settings{Env: development, Media: "s3://lectern", Bucket: test.bucket}
		err := s.check((*Settings).checkMedia)
		if (err == nil) != (test.missing == nil) {
			t.Errorf("%s: %v", name, err)
		}
		for _, setting := range test.missing {
			if !strings.Contains(err.Error(), setting+" (--") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// A key of Amazon's variables is not mixed with one of the settings.
func TestSettings_AmazonVariablesReplaceAMissingKey(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		env  environment
		want BucketSettings
	}{
		{environment{"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"},
			BucketSettings{KeyID: "a", KeySecret: "b"}},
		{environment{"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b",
			"LEARNING_MEDIA_KEY_ID": "c"}, BucketSettings{KeyID: "c"}},
	} {
		var line commandLine
		parser, err := newParser(&line, test.env)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parser.Parse(nil); err != nil || line.Bucket != test.want {
			t.Errorf("%v: %v, %v", test.env, line.Bucket, err)
		}
	}
}
