package bucket_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/mediatest"
	"github.com/openlectern/openlectern/learning/file"
	"github.com/openlectern/openlectern/learning/media/bucket"
)

// short is the time-out of operations that are meant to time out.
const short = 100 * time.Millisecond

// answer answers an error of S3. Its message must not be logged.
func answer(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<Error><Code>%s</Code><Message>sesame</Message></Error>", code)
}

func hang(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

func reset(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

func refuse(status int, code string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		answer(w, status, code)
	}
}

// faulty is a service whose answers can be replaced.
type faulty struct {
	*service
	fault atomic.Pointer[http.HandlerFunc]
}

func newFaulty(t *testing.T) *faulty {
	f := &faulty{}
	f.service = newService(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if fault := f.fault.Load(); fault != nil {
				(*fault)(w, r)
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	return f
}

func (f *faulty) set(fault http.HandlerFunc) { f.fault.Store(&fault) }

// openShort returns a bucket whose time-out is short. The checks of Open have the default one.
func (f *faulty) openShort(t *testing.T, opts ...bucket.Option) *bucket.Bucket {
	t.Helper()
	b := f.open(t, opts...)
	bucket.WithTimeout(short)(b)
	return b
}

// faults are the failures of a service, and whether it needs the short time-out.
var faults = map[string]http.HandlerFunc{
	"hang": hang, "reset": reset, "500": refuse(500, "InternalError"),
	"503": refuse(503, "SlowDown"), "403": refuse(403, "AccessDenied"),
}

// Every operation returns an error in bounded time, and the error is safe to log.
func TestFaults_OperationsReturnErrors(t *testing.T) {
	for fault, handler := range faults {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			f := newFaulty(t)
			b := f.open(t)
			if fault == "hang" {
				b = f.openShort(t)
			}
			f.set(handler)
			for operation, do := range map[string]func() error{
				"Put": func() error {
					return b.Put(t.Context(), "a.png", "image/png",
						[]byte("x"))
				},
				"Delete": func() error { return b.Delete(t.Context(), "a.png") },
				"Exists": func() error { _, err := b.Exists(t.Context(), "a.png"); return err },
			} {
				if err := do(); err == nil || strings.Contains(err.Error(), "sesame") {
					t.Errorf("%s: %v", operation, err)
				} else if fault == "hang" && !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%s: %v is no time-out", operation, err)
				}
			}
			if left := f.keys(t); len(left) != 0 {
				t.Errorf("left: %v", left)
			}
		})
	}
}

func TestFaults_ServeAnswers500AndLogsTheCause(t *testing.T) {
	for fault, handler := range faults {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			t.Run(fault+"/"+method, func(t *testing.T) {
				t.Parallel()
				var log strings.Builder
				f := newFaulty(t)
				logger := bucket.WithLogger(slog.New(slog.NewTextHandler(&log, nil)))
				b := f.open(t, logger)
				if fault == "hang" {
					b = f.openShort(t, logger)
				}
				f.set(handler)
				w := httptest.NewRecorder()
				r := httptest.NewRequest(method, "/", nil)
				r.URL.Path = "a.png"
				b.ServeHTTP(w, r)
				if w.Code != 500 || w.Body.String() !=
					`{"success":false,"message":"An unexpected error occurred"}` ||
					w.Header().Get("Cache-Control") != "" {
					t.Errorf("status %d, %s, %v", w.Code, w.Body, w.Header())
				}
				if text := log.String(); !strings.Contains(text, "name=a.png") ||
					strings.Contains(text, "sesame") {
					t.Errorf("log: %s", text)
				}
			})
		}
	}
}

// A failure that passes is not seen by the caller.
// A service that has no space left says so in different ways.
func TestStore_OfAFullServiceIsErrNoSpace(t *testing.T) {
	for _, fault := range []struct {
		status int
		code   string
		isFull bool
	}{
		{507, "XMinioStorageFull", true}, {507, "", true}, {403, "QuotaExceeded", true},
		{400, "XMinioAdminBucketQuotaExceeded", true}, {403, "AccessDenied", false},
	} {
		f := newFaulty(t)
		b := f.open(t)
		f.set(refuse(fault.status, fault.code))
		for operation, err := range map[string]error{
			"Put": b.Put(t.Context(), "a.png", "image/png", []byte("x")),
			"StoreFile of a piece": b.StoreFile(t.Context(), rand.Text(),
				strings.NewReader("x")),
			"StoreFile of several": b.StoreFile(t.Context(), rand.Text(),
				strings.NewReader(strings.Repeat("x", 9<<20))),
		} {
			if err == nil || errors.Is(err, file.ErrNoSpace) != fault.isFull {
				t.Errorf("%s, %d %s: %v", operation, fault.status, fault.code, err)
			}
		}
	}
}

func TestPut_RepeatsAfterAPassingFailure(t *testing.T) {
	f := newFaulty(t)
	b := f.open(t)
	f.set(func(w http.ResponseWriter, r *http.Request) {
		f.fault.Store(nil)
		refuse(503, "SlowDown")(w, r)
	})
	if err := b.Put(t.Context(), "a.png", "image/png", []byte("x")); err != nil {
		t.Error(err)
	}
	if res := ask(b, "a.png"); res.Body.String() != "x" {
		t.Errorf("stored: %q", res.Body)
	}
}

func TestPut_EndsWithItsContext(t *testing.T) {
	f := newFaulty(t)
	b := f.open(t)
	ctx, cancel := context.WithCancel(t.Context())
	f.set(func(w http.ResponseWriter, r *http.Request) { cancel(); hang(w, r) })
	if err := b.Put(ctx, "a.png", "image/png", []byte("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// The client must not take half a file for a whole one.
func TestServe_FailureInTheMiddleBreaksTheConnection(t *testing.T) {
	half := func(after http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "10")
			w.Header().Set("Last-Modified", "Mon, 02 Jan 2006 15:04:05 GMT")
			_, _ = io.WriteString(w, "half")
			_ = http.NewResponseController(w).Flush()
			after(w, r)
		}
	}
	for fault, after := range map[string]http.HandlerFunc{"hang": hang, "reset": reset} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			var log lockedBuilder
			f := newFaulty(t)
			b := f.open(t, bucket.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
			bucket.WithTimeout(5 * time.Second)(b) // the first half must arrive in this time
			f.set(half(after))
			server := httptest.NewServer(http.StripPrefix("/media/", b))
			defer server.Close()
			res, err := http.Get(server.URL + "/media/a.png")
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			got, err := io.ReadAll(res.Body)
			if !errors.Is(err, io.ErrUnexpectedEOF) || string(got) != "half" {
				t.Errorf("got %q, %v", got, err)
			}
			server.Close() // waits for the handler
			if !strings.Contains(log.String(), "was not served") {
				t.Errorf("log: %s", log.String())
			}
		})
	}
}

// The rest of an object is requested when a client asks for a part of it. If that is refused, the
// log has the answer of the service.
func TestServe_RefusedPartIsLogged(t *testing.T) {
	var log lockedBuilder
	f := newFaulty(t)
	b := f.open(t, bucket.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	f.set(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Range") != "" {
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, "<Error><Code>AccessDenied</Code></Error>")
			return
		}
		w.Header().Set("Content-Length", "10")
		w.Header().Set("Last-Modified", "Mon, 02 Jan 2006 15:04:05 GMT")
		_, _ = io.WriteString(w, "0123456789")
	})
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.URL.Path = "a.png"
	r.Header.Set("Range", "bytes=5-")
	b.ServeHTTP(httptest.NewRecorder(), r)
	if !strings.Contains(log.String(), "status 403, code") ||
		!strings.Contains(log.String(), "AccessDenied") {
		t.Errorf("log: %s", log.String())
	}
}

type lockedBuilder struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedBuilder) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedBuilder) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// The errors of the start say what to do, and contain neither the secret nor the text of an
// answer.
func TestOpen_ErrorsSayWhatToDo(t *testing.T) {
	for code, c := range map[string]struct {
		status int
		want   string
	}{
		"InvalidAccessKeyId":           {403, "does not know the key id"},
		"SignatureDoesNotMatch":        {403, "secret of the key is wrong"},
		"AccessDenied":                 {403, "s3:ListBucket"},
		"NoSuchBucket":                 {404, `create the bucket "lectern"`},
		"AuthorizationHeaderMalformed": {400, "region"},
		"PermanentRedirect":            {301, "region"},
		"RequestTimeTooSkewed":         {403, "clock"},
		"InternalError":                {500, "try again later"},
		"SomethingElse":                {400, "check the endpoint"},
	} {
		s := newService(t, func(http.Handler) http.Handler { return refuse(c.status, code) })
		_, err := bucket.Open(t.Context(), s.address(), key, mediatest.Base)
		if err == nil || !strings.Contains(err.Error(), c.want) ||
			strings.Contains(err.Error(), "sesame") {
			t.Errorf("%s: %v", code, err)
		}
	}
}

func TestOpen_MissingBucketOfTheService(t *testing.T) {
	s := newService(t, nil)
	a := s.address()
	a.Name = "another"
	if _, err := bucket.Open(t.Context(), a, key, mediatest.Base); err == nil ||
		!strings.Contains(err.Error(), `create the bucket "another"`) {
		t.Errorf("got %v", err)
	}
}

func TestOpen_KeyMayNotWrite(t *testing.T) {
	s := newService(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodGet {
				refuse(403, "AccessDenied")(w, r)
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	if _, err := bucket.Open(t.Context(), s.address(), key, mediatest.Base); err == nil ||
		!strings.Contains(err.Error(), "s3:PutObject") {
		t.Errorf("got %v", err)
	}
}

func TestOpen_NoAnswer(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	hanging := newService(t, func(http.Handler) http.Handler { return http.HandlerFunc(hang) })
	for what, address := range map[string]string{"refused": gone.URL, "hanging": hanging.URL} {
		a := bucket.Address{Endpoint: address, Name: name}
		_, err := bucket.Open(t.Context(), a, key, mediatest.Base, bucket.WithTimeout(short))
		if err == nil || !strings.Contains(err.Error(), "check that the endpoint is right") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
