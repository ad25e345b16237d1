package httpapi_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/openlectern/openlectern/learning/httpapi"
)

// slowBody is a body that stops after its beginning until it is released, and breaks off then.
type slowBody struct {
	io.Reader
	stopped  chan<- struct{}
	released <-chan struct{}
	isOver   bool
}

func (b *slowBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err != io.EOF || n > 0 {
		return n, nil
	}
	if !b.isOver {
		b.isOver = true
		b.stopped <- struct{}{}
	}
	<-b.released
	return 0, errors.New("the client has left")
}

// Slow bodies of a user do not keep those of others waiting, whatever the route is: no place,
// memory or turn is taken for a body that is not here, but a bounded part of the memory of JSON.
func TestSlowBodies_KeepNobodyWaiting(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	s := fixtureSite(t, httpapi.WithLimiters(unlimited))
	released := make(chan struct{})
	var senders sync.WaitGroup
	send := func(row httpapi.Row, path, kind, begin string) {
		stopped, answered := make(chan struct{}), make(chan struct{})
		r := httptest.NewRequest(row.Method, path, &slowBody{Reader: strings.NewReader(begin),
			stopped: stopped, released: released})
		r.ContentLength = -1
		r.Header.Set("Content-Type", kind)
		r.Header.Set("Authorization", s.as("educator")[1])
		senders.Go(func() {
			w := httptest.NewRecorder()
			s.handler.ServeHTTP(w, r)
			if w.Code >= http.StatusInternalServerError && w.Code != http.StatusServiceUnavailable {
				t.Errorf("%s: %d %s", row.ID, w.Code, w.Body)
			}
			close(answered)
		})
		select {
		case <-stopped:
		case <-answered: // before all of the body was read
		}
	}
	const part = "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.zip\"\r\n\r\n"
	paths := map[string]string{}
	for id, request := range successes(t) {
		line, _, _ := strings.Cut(request, "\n")
		_, paths[id], _ = strings.Cut(line, " ")
	}
	for _, row := range httpapi.Table() {
		switch {
		case row.Multipart:
			for range 9 {
				send(row, paths[row.ID], "multipart/form-data; boundary=x",
					part+strings.Repeat("x", 100_000))
			}
		case row.Large:
			for range 30 {
				send(row, paths[row.ID], "application/json", `{"a":"`+strings.Repeat("x", 1_000_000))
			}
		}
	}

	// Those of another user are answered meanwhile, each for what it is.
	for _, row := range httpapi.Table() {
		var got *httptest.ResponseRecorder
		switch {
		case row.Multipart:
			got = s.do(row.Method, paths[row.ID], part+"x\r\n--x--\r\n", append(s.as("other_educator"),
				"Content-Type", "multipart/form-data; boundary=x")...)
		case row.Large:
			got = s.do(row.Method, paths[row.ID], `{"a":"`+strings.Repeat("x", 200_000)+`"}`,
				append(s.as("other_educator"), "Content-Type", "application/json")...)
		default:
			continue
		}
		if got.Code >= http.StatusInternalServerError {
			t.Errorf("%s beside slow bodies: %d %s", row.ID, got.Code, got.Body)
		}
	}
	close(released)
	senders.Wait()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("the temporary files %v are left, %v", left, err)
	}
}
