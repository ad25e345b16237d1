package mediatest

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/openlectern/openlectern/learning/file"
)

// FileBase is the base URL of the file stores under test that serve their files themselves.
const FileBase = "https://learn.example.com/material"

// RunFiles tests a store of private files. open returns an empty one. get requests a signed URL,
// with a value of the header Range unless it is "", and returns the status, the headers that it
// finds by name, and the body.
func RunFiles(t *testing.T, open func(t *testing.T) file.Store,
	get func(t *testing.T, s file.Store, url, part string) Answer) {
	for name, test := range map[string]func(t *testing.T, s file.Store){
		"StoreFile/stores_a_file_until_DeleteFile":   filesUntilDelete,
		"StoreFile/error_of_the_content_is_returned": failingContent,
		"StoreFile/cancelled_context":                cancelledFile,
		"StoreFile/file_of_more_than_a_piece":        filePieces,
		"invalid_name":                               invalidFileName,
		"SignFile/type_disposition_and_ranges": func(t *testing.T, s file.Store) {
			signedFile(t, s, get)
		},
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

// Answer is the answer to a request for a file.
type Answer struct {
	Status int
	Header func(name string) string
	Body   string
}

// storeFile stores a file under a new name.
func storeFile(t *testing.T, s file.Store, content string) (name string) {
	t.Helper()
	name = rand.Text()
	if err := s.StoreFile(t.Context(), name, strings.NewReader(content)); err != nil {
		t.Fatal(err)
	}
	return name
}

// wantFile checks the content of a file.
func wantFile(t *testing.T, s file.Store, name, want string) {
	t.Helper()
	f, err := s.OpenFile(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(f)
	if err = errors.Join(err, f.Close()); err != nil || string(got) != want {
		t.Errorf("the file has %d bytes, want %d; %v", len(got), len(want), err)
	}
}

// wantNoFile checks that there is no file of a name.
func wantNoFile(t *testing.T, s file.Store, name string) {
	t.Helper()
	if f, err := s.OpenFile(t.Context(), name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s: got %v, %v; want fs.ErrNotExist", name, f, err)
	}
}

func filesUntilDelete(t *testing.T, s file.Store) {
	one, other := storeFile(t, s, "one"), storeFile(t, s, "other")
	wantFile(t, s, one, "one")
	for range 2 { // deleting a missing file is not an error
		if err := s.DeleteFile(t.Context(), one); err != nil {
			t.Fatal(err)
		}
	}
	wantNoFile(t, s, one)
	wantFile(t, s, other, "other")
}

func failingContent(t *testing.T, s file.Store) {
	broken := errors.New("the client has left")
	for _, size := range []int{0, 100, 9 << 20} {
		name := rand.Text()
		content := io.MultiReader(strings.NewReader(strings.Repeat("x", size)),
			iotest.ErrReader(broken))
		if err := s.StoreFile(t.Context(), name, content); !errors.Is(err, broken) {
			t.Errorf("after %d bytes: got %v", size, err)
		}
		wantNoFile(t, s, name)
	}
}

func cancelledFile(t *testing.T, s file.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	name := rand.Text()
	if err := s.StoreFile(ctx, name, strings.NewReader("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	wantNoFile(t, s, name)
}

func filePieces(t *testing.T, s file.Store) {
	content := strings.Repeat("0123456789abcdef", 20<<20/16) + "end"
	wantFile(t, s, storeFile(t, s, content), content)
}

func invalidFileName(t *testing.T, s file.Store) {
	for _, name := range append(BadNames, "a.png", strings.Repeat("a", 26), strings.Repeat("A", 25),
		strings.Repeat("A", 27), strings.Repeat("A", 25)+"1", strings.Repeat("A", 25)+"/") {
		if err := s.StoreFile(t.Context(), name, strings.NewReader("x")); err == nil {
			t.Errorf("%q was stored", name)
		}
		if err := s.DeleteFile(t.Context(), name); err == nil {
			t.Errorf("%q was removed", name)
		}
		wantNoFile(t, s, name)
		if url, err := s.SignFile(t.Context(), file.Signed{Name: name, Type: "text/plain",
			Until: time.Now().Add(time.Hour)}); err == nil {
			t.Errorf("%q has the URL %s", name, url)
		}
	}
}

func signedFile(t *testing.T, s file.Store,
	get func(t *testing.T, s file.Store, url, part string) Answer) {
	name := storeFile(t, s, script)
	for _, test := range []struct{ contentType, title, disposition string }{
		{"application/pdf", "Week 1.pdf", `inline; filename="Week 1.pdf"`},
		{"video/mp4", "a.mp4", "inline; filename=a.mp4"},
		{"image/png", "", "inline"},
		{"text/plain", "Aufgabe ü.txt", "attachment; filename*=utf-8''Aufgabe%20%C3%BC.txt"},
		{"application/zip", "a\"\r\nX: b.zip", `attachment; filename*=utf-8''a%22%0D%0AX%3A%20b.zip`},
	} {
		url, err := s.SignFile(t.Context(), file.Signed{Name: name, Type: test.contentType,
			Title: test.title, Until: time.Now().Add(time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		got := get(t, s, url, "")
		if got.Status != 200 || got.Body != script ||
			got.Header("Content-Type") != test.contentType ||
			got.Header("Content-Disposition") != test.disposition {
			t.Errorf("%s: status %d, type %q, disposition %q, body %.50q", test.contentType, got.Status,
				got.Header("Content-Type"), got.Header("Content-Disposition"), got.Body)
		}
		got = get(t, s, url, "bytes=2-5")
		if got.Status != 206 || got.Body != script[2:6] {
			t.Errorf("a part: status %d, %q", got.Status, got.Body)
		}
	}
}
