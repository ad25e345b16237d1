package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
	"github.com/openlectern/openlectern/learning/media/bucket"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// isPresigned reports whether the query of a request has a valid signature of the bucket's key, by
// AWS Signature Version 4, and has not expired.
func (s *bucketService) isPresigned(r *http.Request) bool {
	query := r.URL.Query()
	given, at := query.Get("X-Amz-Signature"), query.Get("X-Amz-Date")
	query.Del("X-Amz-Signature")
	id, scope, _ := strings.Cut(query.Get("X-Amz-Credential"), "/")
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return hex.EncodeToString(sum[:])
	}
	request := strings.Join([]string{r.Method, r.URL.EscapedPath(),
		strings.ReplaceAll(query.Encode(), "+", "%20"), "host:" + r.Host, "", "host",
		"UNSIGNED-PAYLOAD"}, "\n")
	key := []byte("AWS4hush")
	for _, text := range append(strings.Split(scope, "/"),
		strings.Join([]string{"AWS4-HMAC-SHA256", at, scope, hash(request)}, "\n")) {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(text))
		key = mac.Sum(nil)
	}
	begin, err := time.Parse("20060102T150405Z", at)
	valid, err2 := time.ParseDuration(query.Get("X-Amz-Expires") + "s")
	return err == nil && err2 == nil && id == "key-1" && hex.EncodeToString(key) == given &&
		time.Now().Add(time.Duration(s.later.Load())).Before(begin.Add(valid))
}

// overriding replaces headers of the answer by those that a signed query names, as S3 does.
type overriding struct {
	http.ResponseWriter
	query url.Values
}

func (o overriding) WriteHeader(status int) {
	for _, name := range []string{"Content-Type", "Content-Disposition", "Cache-Control"} {
		o.Header().Set(name, o.query.Get("response-"+strings.ToLower(name)))
	}
	o.ResponseWriter.WriteHeader(status)
}

// Files that were uploaded in one piece and resumably are objects of the bucket. Who may read the
// lecture reads them by URLs that the bucket's service verifies; no other URL works.
func TestMaterial_OfABucket(t *testing.T) {
	t.Parallel()
	s, box := newBucketService(t), providers(t)
	_, server, _ := process(t, s.settings(configured(box, t.TempDir())))
	educator := join(t, box, server,
		sandbox.User{ID: "user_educator", Role: string(core.Educator)})
	student := join(t, box, server, sandbox.User{ID: "user_student"})
	text := uploadFile(t, server, educator)
	upload, hash := uploadByTus(t, server, educator, 0, 0)
	large := wantUploaded(t, upload(), educator, hash)
	id := addMaterial(t, server, educator, text, large)
	call(t, http.MethodPost, server+"/api/user/purchase", student, `{"courseId":"`+id+`"}`)
	_, answer := call(t, http.MethodGet, server+"/api/user/enrolled-courses/"+id, student, "")

	// Both are read, also a range of them.
	get := func(url, part string) (status int, body string, header http.Header) {
		t.Helper()
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
		content, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(content), res.Header
	}
	signed := lectureURLs(t, answer, "courseData")
	status, body, h := get(signed[0], "")
	if status != http.StatusOK || body != material || h.Get("Content-Type") != "text/plain" ||
		h.Get("Content-Disposition") != "attachment; filename=notes.txt" {
		t.Errorf("%s: %d %q %v", signed[0], status, body, h)
	}
	status, body, h = get(signed[1], "")
	sum := sha256.Sum256([]byte(body))
	if status != http.StatusOK || hex.EncodeToString(sum[:]) != hash ||
		h.Get("Content-Type") != "application/pdf" || !strings.HasPrefix(
		h.Get("Content-Disposition"), "inline; filename*=") {
		t.Errorf("%s: %d, %d bytes, %v", signed[1], status, len(body), h)
	}
	if status, body, _ = get(signed[1], "bytes=5-20"); status != http.StatusPartialContent ||
		body != "0123456789abcdef" {
		t.Errorf("a range: %d %q", status, body)
	}

	// Nobody else reads them: without a signature, with a changed one, with that of another key.
	bare, query, _ := strings.Cut(signed[0], "?")
	address, err := bucket.ParseAddress("s3://lectern/media?endpoint=" + s.URL)
	if err != nil {
		t.Fatal(err)
	}
	other, err := bucket.Open(t.Context(), address, bucket.Key{ID: "key-1", Secret: "other"}, server)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	foreign, err := other.SignFile(t.Context(), file.Signed{Type: "text/plain",
		Name: bare[strings.LastIndex(bare, "/")+1:], Until: time.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	_, queryOfLarge, _ := strings.Cut(signed[1], "?")
	for _, url := range []string{bare, bare + "?" + queryOfLarge, foreign,
		bare + "?" + strings.Replace(query, "text%2Fplain", "text%2Fhtml", 1),
		server + "/media/private/" + bare[strings.LastIndex(bare, "/")+1:]} {
		if status, body, _ := get(url, ""); status != http.StatusForbidden &&
			status != http.StatusNotFound || strings.Contains(body, material) {
			t.Errorf("%s: %d %s", url, status, body)
		}
	}
	s.later.Store(int64(6*time.Hour + time.Second))
	if status, _, _ := get(signed[0], ""); status != http.StatusForbidden {
		t.Errorf("after six hours: %d", status)
	}
}
