package redislimit

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// patient is the parameter of a Redis that counts on a busy machine too.
const patient = "?timeout=1m"

func opened(tb testing.TB, url string) (*Limits, *learningtest.Log) {
	tb.Helper()
	log := &learningtest.Log{}
	l, err := Open(tb.Context(), url, WithLogger(log.Logger()))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := l.Close(); err != nil {
			tb.Error(err)
		}
	})
	return l, log
}

func limiterOf(tb testing.TB, l *Limits, limit httpapi.Limit) httpapi.Limiter {
	tb.Helper()
	counter, err := l.Limiter(limit)
	if err != nil {
		tb.Fatal(err)
	}
	return counter
}

// step is the result of Take, with the seconds until the window ends.
type step struct {
	tokens, remaining uint64
	left              int
	ok                bool
}

// do sends a command to the Redis of limits.
func do(tb testing.TB, l *Limits, command string, args ...any) any {
	tb.Helper()
	conn := l.pool.Get()
	defer conn.Close()
	answer, err := conn.Do(command, args...)
	if err != nil {
		tb.Fatal(err)
	}
	return answer
}

func take(tb testing.TB, counter httpapi.Limiter, key string) step {
	tb.Helper()
	tokens, remaining, reset, ok, err := counter.Take(tb.Context(), key)
	if err != nil {
		tb.Error(err)
	}
	return step{tokens: tokens, remaining: remaining,
		left: int(time.Until(time.Unix(0, int64(reset))).Round(time.Hour).Hours()), ok: ok}
}

func TestTake_AnswersAsInMemory(t *testing.T) {
	l, log := opened(t, enginetest.StartRedis(t).URL()+patient)
	limit := httpapi.Limit{Name: "test", Requests: 3, Window: 20 * time.Hour}
	memory, err := httpapi.NewMemoryLimiter(limit)
	if err != nil {
		t.Fatal(err)
	}
	shared := limiterOf(t, l, limit)
	for i := range 5 {
		if got, want := take(t, shared, "user:a"), take(t, memory, "user:a"); got != want {
			t.Errorf("request %d: got %+v, want %+v", i, got, want)
		}
	}
	if got := take(t, shared, "user:b"); !got.ok || got.remaining != 2 {
		t.Errorf("another caller: %+v", got)
	}
	if log.String() != "" {
		t.Errorf("it logged:\n%s", log)
	}
}

// The times are those of Redis. Windows follow each other from the first request on.
func TestTake_LaterWindows(t *testing.T) {
	l, _ := opened(t, enginetest.StartRedis(t).URL()+patient)
	limit := httpapi.Limit{Name: "test", Requests: 1, Window: 8 * time.Hour}
	shared := limiterOf(t, l, limit)
	for _, tt := range []struct {
		name string
		ago  time.Duration // when the first request was
		want step
	}{
		{"the same window", 2 * time.Hour, step{tokens: 1, remaining: 0, left: 6, ok: false}},
		{"the next window", 9 * time.Hour, step{tokens: 1, remaining: 0, left: 7, ok: true}},
		{"a window after a pause", 29 * time.Hour,
			step{tokens: 1, remaining: 0, left: 3, ok: true}},
		{"the clock was set back", -24 * time.Hour,
			step{tokens: 1, remaining: 0, left: 8, ok: false}},
	} {
		key := strings.ReplaceAll(tt.name, " ", "_")
		take(t, shared, key)
		name := fmt.Sprintf("%s%s:%d", prefix, key, limit.Window.Microseconds())
		first := time.Now().Add(-tt.ago).UnixMicro()
		do(t, l, "HSET", name, "start", first)
		if got := take(t, shared, key); got != tt.want {
			t.Errorf("%s: got %+v, want %+v", tt.name, got, tt.want)
		}
		kept := time.Duration(do(t, l, "PTTL", name).(int64)) * time.Millisecond
		if kept < limit.Window || kept > 2*limit.Window {
			t.Errorf("%s: the key is kept for %v", tt.name, kept)
		}
	}
}

func TestTake_TwoInstancesAtOnce_ShareALimit(t *testing.T) {
	url := enginetest.StartRedis(t).URL() + patient
	limit := httpapi.Limit{Name: "test", Requests: 100, Window: time.Hour}
	var granted atomic.Int64
	var all sync.WaitGroup
	for range 2 {
		l, _ := opened(t, url)
		shared := limiterOf(t, l, limit)
		for range 8 {
			all.Go(func() {
				for range 20 {
					if take(t, shared, "user:a").ok {
						granted.Add(1)
					}
				}
			})
		}
	}
	all.Wait()
	if granted.Load() != 100 {
		t.Errorf("%d requests were allowed, want 100", granted.Load())
	}
}

// A new version of a limit has counts of its own while instances of both versions run.
func TestTake_OtherWindow_CountsApart(t *testing.T) {
	l, _ := opened(t, enginetest.StartRedis(t).URL()+patient)
	for _, window := range []time.Duration{time.Hour, 2 * time.Hour} {
		if !take(t, limiterOf(t, l, httpapi.Limit{Name: "test", Requests: 1, Window: window}),
			"user:a").ok {
			t.Errorf("the first request in %v was refused", window)
		}
	}
	if got := take(t, limiterOf(t, l, httpapi.Limit{Name: "test", Requests: 5, Window: time.Hour}),
		"user:a"); !got.ok || got.remaining != 3 {
		t.Errorf("with more requests: %+v", got)
	}
}

func TestTake_CallerHasLeft_CountsInRedis(t *testing.T) {
	url := enginetest.StartRedis(t).URL() + patient
	l, log := opened(t, url)
	ctx, leave := context.WithCancel(t.Context())
	leave()
	shared := limiterOf(t, l, httpapi.Limit{Name: "test", Requests: 2, Window: time.Hour})
	if _, _, _, ok, err := shared.Take(ctx, "user:a"); !ok || err != nil {
		t.Errorf("%v %v", ok, err)
	}
	other, _ := opened(t, url)
	if got := take(t, limiterOf(t, other,
		httpapi.Limit{Name: "test", Requests: 2, Window: time.Hour}), "user:a"); got.remaining !=
		0 || log.String() != "" {
		t.Errorf("%+v; it logged:\n%s", got, log)
	}
}

// Two handlers of two instances count together, and show it in the headers.
func TestHandlers_TwoInstances_ShareALimit(t *testing.T) {
	kit, url := learningtest.New(t), enginetest.StartRedis(t).URL()+patient
	token := kit.Token(t, kit.Person(t, "student", core.Student).UserID)
	var handlers []http.Handler
	for range 2 {
		l, _ := opened(t, url)
		h, err := httpapi.New(kit.Platform, httpapi.WithLimiters(l.Limiter),
			httpapi.WithLimits(httpapi.Limit{Name: httpapi.PaymentLimit, Requests: 3,
				Window: time.Hour}))
		if err != nil {
			t.Fatal(err)
		}
		handlers = append(handlers, h)
	}
	for i, want := range []struct {
		status    int
		remaining string
	}{{404, "2"}, {404, "1"}, {404, "0"}, {429, "0"}, {429, "0"}} {
		r := httptest.NewRequest(http.MethodPost, "/api/user/purchase",
			strings.NewReader(`{"courseId":"course_none"}`))
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		handlers[i%2].ServeHTTP(w, r)
		if got := w.Header().Get("RateLimit-Remaining"); w.Code != want.status ||
			got != want.remaining {
			t.Errorf("request %d: %d with %q left; want %+v\n%s", i, w.Code, got, want, w.Body)
		}
	}
}

func TestCheckURL(t *testing.T) {
	for _, url := range []string{"redis://127.0.0.1", "redis://user:p%40ss@host:6380/3",
		"rediss://:pw@host", "redis://[::1]:6379/0?timeout=100ms"} {
		if err := CheckURL(url); err != nil {
			t.Errorf("%s: %v", url, err)
		}
	}
	for url, want := range map[string]string{
		"":                                "must be redis://",
		"127.0.0.1:6379":                  "must be redis://",
		"http://u:s3cret@h":               "must be redis://",
		"redis://u:s3cret@":               "must be redis://",
		"redis://u:s3cret@h:port":         "must be redis://",
		"redis://u:s3%cret@h":             "must be redis://",
		"redis://u:s3cret@h/0/1":          "must be redis://",
		"redis://u:s3cret@h/zero":         "must be redis://",
		"redis://u:s3cret@h?timeout=soon": `timeout="soon" is not a duration`,
		"redis://u:s3cret@h?timeout=0":    "is not a duration",
		"redis://u:s3cret@h?pool=3":       `unknown parameter "pool"`,
	} {
		if err := CheckURL(url); err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "cret") {
			t.Errorf("%q: got %v, want an error with %q and without the password", url, err, want)
		}
	}
}

func TestLimiter_UnusableLimit_ReturnsError(t *testing.T) {
	kit := learningtest.New(t)
	l, _ := opened(t, "redis://127.0.0.1:1")
	_, err := httpapi.New(kit.Platform, httpapi.WithLimiters(l.Limiter),
		httpapi.WithLimits(httpapi.Limit{Name: httpapi.PaymentLimit}))
	if err == nil || !strings.Contains(err.Error(), "needs a name") {
		t.Errorf("got %v", err)
	}
}
