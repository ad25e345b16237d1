// Package mediatest is the conformance suite of media stores.
package mediatest

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/openlectern/openlectern/learning/file"
)

// Base is the base URL of the stores under test.
const Base = "https://learn.example.com/media"

// Store is a media store that serves its files.
type Store interface {
	file.Media
	file.MediaChecker
	file.MediaReader
	http.Handler
}

// Run tests a media store. open returns an empty one whose base URL is [Base].
func Run(t *testing.T, open func(t *testing.T) Store) {
	for name, test := range map[string]func(t *testing.T, s Store){
		"Put/stores_a_file_until_Delete":    storesUntilDelete,
		"Put/existing_name_is_ErrExist":     existingName,
		"Put/invalid_name":                  invalidName,
		"Put/type_of_another_extension":     otherType,
		"Put/cancelled_context":             cancelledContext,
		"Put/concurrent_calls":              concurrentCalls,
		"URL/is_escaped":                    escapedURL,
		"Serve/headers_by_extension":        headersByExtension,
		"Serve/ranges_and_unchanged_files":  ranges,
		"Serve/missing_file_is_404":         missingFile,
		"Serve/other_method_is_405":         otherMethod,
		"Serve/file_of_more_than_a_buffer":  largeFile,
		"Serve/part_in_the_middle_of_it":    largePart,
		"Serve/several_parts_of_one_answer": severalParts,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

// put stores a file with the type of a PNG image, whatever its content.
func put(t *testing.T, s Store, name, content string) {
	t.Helper()
	if err := s.Put(t.Context(), name, "image/png", []byte(content)); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// want checks whether the store has a file with a name.
func want(t *testing.T, s Store, name string, stored bool) {
	t.Helper()
	if got, err := s.Exists(t.Context(), name); err != nil || got != stored {
		t.Errorf("%s exists: %v, %v; want %v", name, got, err, stored)
	}
}

// opened returns the content of a file, as it is read for the package of a course.
func opened(t *testing.T, s Store, name string) (content string, err error) {
	t.Helper()
	f, err := s.Open(t.Context(), name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	return string(data), err
}

// types are the content types of names.
var types = map[string]string{
	"a.png": "image/png", "b.jpg": "image/jpeg", "c.jpeg": "image/jpeg", "d.webp": "image/webp",
	"2026/11/e f.pdf": "application/pdf",
}

func storesUntilDelete(t *testing.T, s Store) {
	for name, contentType := range types {
		want(t, s, name, false)
		if err := s.Put(t.Context(), name, contentType, []byte("content of "+name)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	for name := range types {
		want(t, s, name, true)
		if res := ask(s, "GET", name, nil); res.Code != 200 ||
			res.Body.String() != "content of "+name {
			t.Errorf("%s: status %d, %.50q", name, res.Code, res.Body)
		}
		if got, err := opened(t, s, name); err != nil || got != "content of "+name {
			t.Errorf("%s: opened: %q, %v", name, got, err)
		}
	}
	for name := range types {
		for range 2 { // deleting a missing file is not an error
			if err := s.Delete(t.Context(), name); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		want(t, s, name, false)
		if _, err := opened(t, s, name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is opened after it was deleted: %v", name, err)
		}
	}
}

// Browsers cache a file for a year, so that its content must not change.
func existingName(t *testing.T, s Store) {
	put(t, s, "a.png", "first")
	if err := s.Put(t.Context(), "a.png", "image/png", []byte("second")); !errors.Is(err,
		fs.ErrExist) {
		t.Errorf("got %v", err)
	}
	if got := ask(s, "GET", "a.png", nil).Body.String(); got != "first" {
		t.Errorf("the content is %q", got)
	}
}

// BadNames are names outside the folder, of incomplete files, and of types that a browser
// would run.
var BadNames = []string{
	"", ".", "..", "/", "a", "a.", ".png", "a.svg", "a.html", "a.png.html", "a.PNG", "a.gif",
	"a.png/", "a.png ", "../a.png", "../../etc/passwd", "x/../a.png", "./a.png",
	"x//a.png", "/a.png", "//a.png", "x/./a.png", ".a.png", ".incoming/a.png", "x/.y/a.png",
	`..\a.png`, `x\a.png`, "C:a.png", "C:/a.png", "a.png:b.png", "a\x00.png", "a\n.png",
	"a\x7f.png", "a\xff.png", strings.Repeat("a", 200) + ".png",
	strings.Repeat("a/", 100) + "b.png",
}

func invalidName(t *testing.T, s Store) {
	for _, name := range BadNames {
		if err := s.Put(t.Context(), name, "image/png", []byte("x")); err == nil {
			t.Errorf("%q was stored", name)
		}
		if err := s.Delete(t.Context(), name); err == nil {
			t.Errorf("%q was removed", name)
		}
		if there, err := s.Exists(t.Context(), name); err == nil || there {
			t.Errorf("%q exists: %v, %v", name, there, err)
		}
		if _, err := opened(t, s, name); err == nil {
			t.Errorf("%q was opened", name)
		}
	}
}

func otherType(t *testing.T, s Store) {
	for _, contentType := range []string{"", "image/jpeg", "text/html", "image/svg+xml",
		"image/PNG"} {
		if err := s.Put(t.Context(), "a.png", contentType, []byte("x")); err == nil {
			t.Errorf("%q was stored", contentType)
		}
	}
	want(t, s, "a.png", false)
}

func cancelledContext(t *testing.T, s Store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Put(ctx, "a.png", "image/png", []byte("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	want(t, s, "a.png", false)
}

// Goroutines store different contents with one name at the same time. One of them stores its
// content, completely, and the others get fs.ErrExist.
func concurrentCalls(t *testing.T, s Store) {
	const names, callsPerName = 40, 16
	for i := range names {
		name := strconv.Itoa(i) + ".png"
		var calls sync.WaitGroup
		start, stored := make(chan struct{}), make(chan string, callsPerName)
		for call := range callsPerName {
			content := strings.Repeat(strconv.Itoa(call)+" ", 1_000)
			calls.Go(func() {
				<-start
				switch err := s.Put(t.Context(), name, "image/png", []byte(content)); {
				case err == nil:
					stored <- content
				case !errors.Is(err, fs.ErrExist):
					t.Errorf("%s: %v", name, err)
				}
			})
		}
		close(start)
		calls.Wait()
		if n := len(stored); n != 1 {
			t.Errorf("%s: %d calls have stored it", name, n)
		} else if got := ask(s, "GET", name, nil).Body.String(); got != <-stored {
			t.Errorf("%s: the content %.10q of %d bytes is not that of the call that has stored it",
				name, got, len(got))
		}
	}
}

func escapedURL(t *testing.T, s Store) {
	for name, path := range map[string]string{
		"0197f3a2.png": "/0197f3a2.png", "2026/a.pdf": "/2026/a.pdf",
		"a b?c#d%.png": "/a%20b%3Fc%23d%25.png", "学.png": "/%E5%AD%A6.png",
	} {
		if got := s.URL(name); got != Base+path {
			t.Errorf("%s: got %s, want %s", name, got, Base+path)
		}
	}
}
