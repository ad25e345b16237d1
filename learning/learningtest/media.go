package learningtest

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/openlectern/openlectern/internal/mediatest"
	"github.com/openlectern/openlectern/learning/file"
)

// Media tests a store of public files of a host: what [file.Media] and its optional interfaces
// promise. open returns the store, which may have other files. get returns what a browser gets from
// the URL of a file, and false if there is no such file.
func Media(
	t *testing.T, open func(t *testing.T) file.Media,
	get func(t *testing.T, s file.Media, url string) (body string, found bool),
) {
	t.Helper()
	suite := mediaSuite{get: get}
	for name, test := range map[string]func(t *testing.T, s file.Media){
		"stores a file until it is deleted": suite.untilDelete,
		"keeps a file, or replaces it":      suite.existing,
		"stores all or nothing":             suite.cancelled,
		"serves many callers":               suite.concurrent,
		"says what it has":                  suite.optional,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

type mediaSuite struct {
	get func(t *testing.T, s file.Media, url string) (body string, found bool)
}

// newName returns the name of a picture that no store has.
func newName() string { return strings.ToLower(rand.Text()) + ".png" }

// want checks what the URL of a name answers; "" is no file.
func (m mediaSuite) want(t *testing.T, s file.Media, name, body string) {
	t.Helper()
	got, found := m.get(t, s, s.URL(name))
	if found != (body != "") || got != body && found {
		t.Errorf("%s: %t, %.100q; want %.100q", s.URL(name), found, got, body)
	}
}

func (m mediaSuite) untilDelete(t *testing.T, s file.Media) {
	one, other := newName(), newName()
	for _, name := range []string{one, other} {
		check(t, s.Put(t.Context(), name, "image/png", []byte("of "+name)))
		m.want(t, s, name, "of "+name)
	}
	for range 2 { // to delete a missing file is no error
		if err := s.Delete(t.Context(), one); err != nil {
			t.Fatalf("delete: %v", err)
		}
	}
	m.want(t, s, one, "")
	m.want(t, s, other, "of "+other)
}

func (m mediaSuite) existing(t *testing.T, s file.Media) {
	name := newName()
	check(t, s.Put(t.Context(), name, "image/png", []byte("first")))
	switch err := s.Put(t.Context(), name, "image/png", []byte("second")); {
	case err == nil:
		m.want(t, s, name, "second")
	case errors.Is(err, fs.ErrExist):
		m.want(t, s, name, "first")
	default:
		t.Errorf("an existing name: %v, want nil or fs.ErrExist", err)
	}
}

func (m mediaSuite) cancelled(t *testing.T, s file.Media) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	name := newName()
	if err := s.Put(ctx, name, "image/png", []byte("x")); err == nil {
		m.want(t, s, name, "x") // a store that does not look at the context
	} else {
		m.want(t, s, name, "")
	}
}

// concurrent stores different contents with one name at the same time: the file is one of them.
func (m mediaSuite) concurrent(t *testing.T, s file.Media) {
	const callers = 8
	name := newName()
	contents := map[string]bool{}
	var calls sync.WaitGroup
	var stored atomic.Int64
	for n := range callers {
		content := strings.Repeat(string(rune('a'+n)), 10_000)
		contents[content] = true
		calls.Go(func() {
			if err := s.Put(t.Context(), name, "image/png", []byte(content)); err == nil {
				stored.Add(1)
			} else if !errors.Is(err, fs.ErrExist) {
				t.Errorf("put: %v", err)
			}
		})
	}
	calls.Wait()
	if body, found := m.get(t, s, s.URL(name)); stored.Load() == 0 || !found || !contents[body] {
		t.Errorf("%d calls have stored it, found %t, %.20q of %d bytes", stored.Load(), found, body,
			len(body))
	}
}

// optional tests the interfaces that a store may have.
func (m mediaSuite) optional(t *testing.T, s file.Media) {
	there, missing := newName(), newName()
	check(t, s.Put(t.Context(), there, "image/png", []byte("content")))
	if checker, ok := s.(file.MediaChecker); ok {
		for name, want := range map[string]bool{there: true, missing: false} {
			if got, err := checker.Exists(t.Context(), name); got != want || err != nil {
				t.Errorf("Exists: %t, %v; want %t", got, err, want)
			}
		}
	}
	if reader, ok := s.(file.MediaReader); ok {
		f, err := reader.Open(t.Context(), there)
		check(t, err)
		got, err := io.ReadAll(f)
		if err = errors.Join(err, f.Close()); err != nil || string(got) != "content" {
			t.Errorf("Open: %q, %v", got, err)
		}
		if _, err := reader.Open(t.Context(), missing); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Open of a missing file: %v, want fs.ErrNotExist", err)
		}
	}
}

// Files tests a store of private files of a host: what [file.Store] promises. open returns
// an empty store. get sends a request for a signed URL, with the header Range if part is not "".
func Files(
	t *testing.T, open func(t *testing.T) file.Store,
	get func(t *testing.T, s file.Store, url, part string) *http.Response,
) {
	t.Helper()
	mediatest.RunFiles(t, open,
		func(t *testing.T, s file.Store, url, part string) mediatest.Answer {
			res := get(t, s, url, part)
			body, err := io.ReadAll(res.Body)
			check(t, errors.Join(err, res.Body.Close()))
			return mediatest.Answer{Status: res.StatusCode, Header: res.Header.Get,
				Body: string(body)}
		})
}
