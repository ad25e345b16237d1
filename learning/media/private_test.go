package media_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/mediatest"
	"github.com/openlectern/openlectern/learning/file"
	"github.com/openlectern/openlectern/learning/media"
)

var keys = [][]byte{[]byte("the first key, which signs"), []byte("an older key, which verifies")}

// fileName is a name of a private file.
const fileName = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

func newPrivateDisk(t *testing.T, keys [][]byte, opts ...media.PrivateOption) (d *media.PrivateDisk,
	dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), ".files")
	return openPrivateDisk(t, dir, keys, opts...), dir
}

func openPrivateDisk(t *testing.T, dir string, keys [][]byte,
	opts ...media.PrivateOption) *media.PrivateDisk {
	t.Helper()
	d, err := media.NewPrivateDisk(dir, mediatest.FileBase, keys, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// askFor requests a signed URL of a disk.
func askFor(d http.Handler, method, address, part string) *httptest.ResponseRecorder {
	target := "/" + strings.TrimPrefix(address, mediatest.FileBase+"/")
	r := httptest.NewRequest(method, target, nil)
	if part != "" {
		r.Header.Set("Range", part)
	}
	w := httptest.NewRecorder()
	http.StripPrefix("/", d).ServeHTTP(w, r)
	return w
}

func TestPrivateDisk_Conforms(t *testing.T) {
	mediatest.RunFiles(t,
		func(t *testing.T) file.Store { d, _ := newPrivateDisk(t, keys); return d },
		func(_ *testing.T, s file.Store, url, part string) mediatest.Answer {
			res := askFor(s.(*media.PrivateDisk), "GET", url, part)
			return mediatest.Answer{Status: res.Code, Header: res.Header().Get,
				Body: res.Body.String()}
		})
}

// clock is a clock that tests set.
type clock struct{ time.Time }

func (c *clock) Now() time.Time { return c.Time }

// sign stores a file and returns its signed URL, which is valid for an hour.
func sign(t *testing.T, d *media.PrivateDisk, now time.Time, contentType, title string) string {
	t.Helper()
	_ = d.StoreFile(t.Context(), fileName, strings.NewReader("material")) // it may exist
	signed, err := d.SignFile(t.Context(), file.Signed{Name: fileName, Type: contentType,
		Title: title, Until: now.Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

func TestPrivateDisk_HeadersOfEachType(t *testing.T) {
	now := &clock{time.Date(2026, 1, 31, 9, 30, 0, 0, time.UTC)}
	d, _ := newPrivateDisk(t, keys, media.WithClock(now),
		media.WithOrigin("https://learn.example.org"))
	const ancestors = "; frame-ancestors 'self' https://learn.example.org"
	for contentType, policy := range map[string]string{
		"application/pdf": "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'" +
			ancestors,
		"image/png": "default-src 'none'; style-src 'unsafe-inline'; sandbox" + ancestors,
		"audio/mpeg": "default-src 'none'; media-src 'self'; style-src 'unsafe-inline'; sandbox" +
			ancestors,
		"video/mp4": "default-src 'none'; media-src 'self'; style-src 'unsafe-inline'; sandbox" +
			ancestors,
		"application/zip": "sandbox",
		"text/vtt":        "sandbox",
	} {
		res := askFor(d, "GET", sign(t, d, now.Time, contentType, "a"), "")
		kind := "attachment"
		if policy != "sandbox" {
			kind = "inline"
		}
		res.Header().Del("Last-Modified")
		if diff := cmp.Diff(http.Header{
			"Content-Type": {contentType}, "Content-Disposition": {kind + "; filename=a"},
			"Content-Length": {"8"}, "Accept-Ranges": {"bytes"}, "Etag": {`"` + fileName + `"`},
			"X-Content-Type-Options": {"nosniff"}, "Cross-Origin-Resource-Policy": {"cross-origin"},
			"Content-Security-Policy": {policy}, "Cache-Control": {"private, no-store"},
			"X-Robots-Tag": {"noindex"},
		}, res.Header()); diff != "" {
			t.Errorf("%s: %s", contentType, diff)
		}
	}
}

// TestPrivateDisk_FrontEnd checks that without an origin only pages of the server's own may show a
// file in a frame, and that an origin must be one.
func TestPrivateDisk_FrontEnd(t *testing.T) {
	now := &clock{time.Date(2026, 1, 31, 9, 30, 0, 0, time.UTC)}
	d, _ := newPrivateDisk(t, keys, media.WithClock(now))
	res := askFor(d, "GET", sign(t, d, now.Time, "application/pdf", "a"), "")
	if policy := res.Header().Get("Content-Security-Policy"); !strings.HasSuffix(policy,
		"; frame-ancestors 'self'") {
		t.Errorf("without an origin the policy is %q", policy)
	}
	for _, origin := range []string{"learn.example.org", "https://learn.example.org/", "https://*",
		"https://a.example; script-src *", "ftp://a.example", "null"} {
		d, err := media.NewPrivateDisk(t.TempDir(), mediatest.FileBase, keys,
			media.WithOrigin(origin))
		if err == nil {
			t.Errorf("%q is taken as an origin", origin)
			_ = d.Close()
		}
	}
}

// TestPrivateDisk_RefusesAllButItsSignedURLs tries what callers can change in a URL.
func TestPrivateDisk_RefusesAllButItsSignedURLs(t *testing.T) {
	now := &clock{time.Date(2026, 1, 31, 9, 30, 0, 0, time.UTC)}
	d, _ := newPrivateDisk(t, keys, media.WithClock(now))
	signed := sign(t, d, now.Time, "text/plain", "a.txt")
	other := sign(t, d, now.Time.Add(time.Hour), "text/plain", "a.txt")
	stranger, _ := newPrivateDisk(t, [][]byte{[]byte("the key of another school")},
		media.WithClock(now))
	u, err := url.Parse(signed)
	if err != nil {
		t.Fatal(err)
	}
	changed := func(change func(url.Values)) string {
		query := u.Query()
		change(query)
		return mediatest.FileBase + "/" + fileName + "?" + query.Encode()
	}
	signatureOf := func(address string) string {
		u, _ := url.Parse(address)
		return u.Query().Get("signature")
	}
	for what, address := range map[string]string{
		"unsigned":    mediatest.FileBase + "/" + fileName,
		"no such":     mediatest.FileBase + "/" + strings.Repeat("A", 26),
		"the folder":  mediatest.FileBase + "/",
		"incoming":    mediatest.FileBase + "/.incoming/",
		"other file":  strings.Replace(signed, fileName, strings.Repeat("A", 26), 1),
		"lower case":  strings.Replace(signed, fileName, strings.ToLower(fileName), 1),
		"dots":        strings.Replace(signed, fileName, "x/../"+fileName, 1),
		"slash":       strings.Replace(signed, fileName, "%2f"+fileName, 1),
		"twice":       strings.Replace(signed, fileName, "%2541"+fileName[1:], 1),
		"foreign key": sign(t, stranger, now.Time, "text/plain", "a.txt"),
		"type":        changed(func(q url.Values) { q.Set("type", "text/html") }),
		"title":       changed(func(q url.Values) { q.Set("title", "b.txt") }),
		"no title":    changed(func(q url.Values) { q.Del("title") }),
		"later":       changed(func(q url.Values) { q.Set("until", "9999999999") }),
		"no end":      changed(func(q url.Values) { q.Del("until") }),
		"more":        changed(func(q url.Values) { q.Set("more", "1") }),
		"two types":   signed + "&type=text/html",
		"first type":  strings.Replace(signed, "?", "?type=text/html&", 1),
		"two signatures": changed(func(q url.Values) {
			q["signature"] = append(q["signature"], q.Get("signature"))
		}),
		"other signature": changed(func(q url.Values) { q.Set("signature", signatureOf(other)) }),
		"empty signature": changed(func(q url.Values) { q.Set("signature", "") }),
		"short signature": changed(func(q url.Values) { q.Set("signature", q.Get("signature")[:20]) }),
		"broken query":    signed + "&%zz",
		"semicolon":       signed + ";type=text/html",
	} {
		for _, method := range []string{"GET", "HEAD"} {
			for _, part := range []string{"", "bytes=0-1"} {
				res := askFor(d, method, address, part)
				if res.Code != http.StatusForbidden || strings.Contains(res.Body.String(), "mat") {
					t.Errorf("%s: %s %s: %d %s", what, method, address, res.Code, res.Body)
				}
			}
		}
	}

	// The signed URL works, also with its path in another encoding, until its end.
	escaped := strings.Replace(signed, fileName, "%41"+fileName[1:], 1)
	for _, address := range []string{signed, escaped} {
		if res := askFor(d, "GET", address, ""); res.Body.String() != "material" {
			t.Errorf("%s: %d %s", address, res.Code, res.Body)
		}
	}
	now.Time = now.Add(time.Hour - time.Second)
	if res := askFor(d, "GET", signed, ""); res.Code != http.StatusOK {
		t.Errorf("before the end: %d", res.Code)
	}
	now.Time = now.Add(time.Second)
	if res := askFor(d, "GET", signed, ""); res.Code != http.StatusForbidden {
		t.Errorf("at the end: %d", res.Code)
	}
	if res := askFor(d, "POST", other, ""); res.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", res.Code)
	}
}

func TestPrivateDisk_KeysAreRotated(t *testing.T) {
	before, dir := newPrivateDisk(t, keys[1:])
	signed := sign(t, before, time.Now(), "text/plain", "")
	for name, test := range map[string]struct {
		keys   [][]byte
		status int
	}{"old key verifies": {keys, 200}, "removed key does not": {keys[:1], 403}} {
		after := openPrivateDisk(t, dir, test.keys)
		if res := askFor(after, "GET", signed, ""); res.Code != test.status {
			t.Errorf("%s: status %d", name, res.Code)
		}
		if a, b := signed, sign(t, after, time.Now(), "text/plain", ""); a == b {
			t.Errorf("%s: the old key signs", name)
		}
	}
	for _, bad := range [][][]byte{nil, {}, {nil}, {[]byte("too short")}, {keys[0], []byte("x")}} {
		if _, err := media.NewPrivateDisk(dir, mediatest.FileBase, bad); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

// endless is so many zero bytes. It keeps the highest use of memory that it has seen.
type endless struct {
	left int64
	heap *atomic.Uint64
}

func (e *endless) Read(p []byte) (int, error) {
	if e.left%(64<<20) < int64(len(p)) { // now and then
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		e.heap.Store(max(e.heap.Load(), stats.HeapAlloc))
	}
	n := int(min(int64(len(p)), e.left))
	clear(p[:n])
	e.left -= int64(n)
	if n == 0 {
		return 0, http.ErrBodyReadAfterClose // an error, so that the file is removed again
	}
	return n, nil
}

func TestStoreFile_MemoryIsFlat(t *testing.T) {
	d, dir := newPrivateDisk(t, keys)
	var heap atomic.Uint64
	var before runtime.MemStats
	runtime.GC() // what earlier tests have left
	runtime.ReadMemStats(&before)
	err := d.StoreFile(t.Context(), fileName, &endless{left: 256 << 20, heap: &heap})
	if grown := int64(heap.Load()) - int64(before.HeapAlloc); err == nil || grown > 16<<20 {
		t.Errorf("error %v; the heap has grown by %d MiB", err, grown>>20)
	}
	if left := files(t, dir); len(left) != 0 {
		t.Errorf("left: %v", len(left))
	}
}
