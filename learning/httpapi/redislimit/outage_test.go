package redislimit

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/learningtest"
)

const (
	warning = "rate limits are not shared"
	back    = "rate limits are shared again"
)

var twice = httpapi.Limit{Name: "test", Requests: 2, Window: time.Hour}

// eventually waits for a condition.
func eventually(tb testing.TB, what string, holds func() bool) {
	tb.Helper()
	for end := time.Now().Add(time.Minute); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			tb.Fatalf("not in time: %s", what)
		}
	}
}

// awaitShared waits until Redis counts.
func (l *Limits) awaitShared(tb testing.TB) {
	tb.Helper()
	eventually(tb, "Redis counts", l.shared.Load)
}

// While Redis is away, memory continues the count of this instance. No request waits for Redis
// but those that were in progress when it went away.
func TestTake_RedisIsLost_CountsInMemory(t *testing.T) {
	for name, tt := range map[string]struct{ lose, repair func(r *enginetest.Redis) }{
		"killed": {(*enginetest.Redis).Kill, (*enginetest.Redis).Start},
		"frozen": {(*enginetest.Redis).Freeze, (*enginetest.Redis).Thaw},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := enginetest.StartRedis(t)
			// a busy machine may take longer than 50 ms
			l, log := opened(t, server.URL()+"?timeout=500ms")
			counter := limiterOf(t, l, twice)
			l.awaitShared(t)
			take(t, counter, "user:a")
			l.awaitShared(t)
			lines := log.String()
			tt.lose(server)
			began := time.Now()
			for i, want := range []bool{true, false, false} {
				if got := take(t, counter, "user:a"); got.ok != want || got.tokens != 2 ||
					got.left != 1 {
					t.Errorf("request %d without Redis: %+v", i, got)
				}
			}
			for range 1000 {
				take(t, counter, "user:b")
			}
			if took := time.Since(began); took > 20*time.Second { // a wait for each would be 500 s
				t.Errorf("1,000 requests without Redis took %v", took)
			}
			if got := strings.Count(strings.TrimPrefix(log.String(), lines), warning); got != 1 {
				t.Errorf("%d warnings:\n%s", got, log)
			}
			tt.repair(server)
			l.awaitShared(t)
			if log.Count(warning) != log.Count(back) ||
				strings.Contains(log.String(), enginetest.RedisPassword) {
				t.Errorf("the log:\n%s", log)
			}
		})
	}
}

func TestOpen_RedisIsNotThereYet_IsUsedLater(t *testing.T) {
	server := enginetest.StartRedis(t)
	server.Kill()
	l, log := opened(t, server.URL()+patient)
	if got := take(t, limiterOf(t, l, twice), "user:a"); !got.ok || got.remaining != 1 {
		t.Errorf("without Redis: %+v", got)
	}
	if log.Count(warning) != 1 || log.Count(back) != 0 {
		t.Errorf("the log:\n%s", log)
	}
	server.Start()
	l.awaitShared(t)
	if log.Count(warning) != 1 || log.Count(back) != 1 {
		t.Errorf("the log:\n%s", log)
	}
}

// What is not Redis, or does not accept the password, is a warning.
func TestOpen_WrongServer_CountsInMemory(t *testing.T) {
	web := httptest.NewServer(http.NotFoundHandler())
	defer web.Close()
	redis := enginetest.StartRedis(t)
	for name, tt := range map[string]struct{ url, reason string }{
		"another_protocol": {"redis://:s3cret@" + web.Listener.Addr().String() + patient, ""},
		"wrong_password": {strings.Replace(redis.URL(), enginetest.RedisPassword, "s3cret", 1) +
			patient, "WRONGPASS"},
		"no_password": {strings.Replace(redis.URL(), ":"+enginetest.RedisPassword+"@", "", 1) +
			patient, "NOAUTH"},
	} {
		t.Run(name, func(t *testing.T) {
			l, log := opened(t, tt.url)
			counter := limiterOf(t, l, twice)
			for i, want := range []bool{true, true, false} {
				if got := take(t, counter, "user:a"); got.ok != want {
					t.Errorf("request %d: %+v", i, got)
				}
			}
			if log.Count(warning) != 1 || log.Count(tt.reason) == 0 ||
				strings.Contains(log.String(), "s3cret") {
				t.Errorf("the log:\n%s", log)
			}
		})
	}
}

// A Redis that answers reads and refuses to write, such as a replica, does not count.
func TestTake_RedisRefuses_CountsInMemory(t *testing.T) {
	server := enginetest.StartRedis(t)
	l, log := opened(t, server.URL()+patient)
	counter := limiterOf(t, l, twice)
	do(t, l, "CONFIG", "SET", "maxmemory", "1")
	for i, want := range []bool{true, true, false} {
		if got := take(t, counter, "user:a"); got.ok != want {
			t.Errorf("request %d: %+v", i, got)
		}
	}
	if log.Count(warning) != 1 || log.Count("OOM") != 1 {
		t.Errorf("the log:\n%s", log)
	}
	do(t, l, "CONFIG", "SET", "maxmemory", "0")
	l.awaitShared(t)
}

func TestTake_FrozenRedis_WaitsForTheTimeout(t *testing.T) {
	server := enginetest.StartRedis(t)
	l, _ := opened(t, server.URL())
	l.awaitShared(t)
	server.Freeze()
	began := time.Now()
	take(t, limiterOf(t, l, twice), "user:a")
	// the client's own time-outs are longer
	if took := time.Since(began); l.timeout != 50*time.Millisecond || took > 2500*time.Millisecond {
		t.Errorf("a request waited for %v, with a time-out of %v", took, l.timeout)
	}
}

func TestClose_LimitersCountInMemory(t *testing.T) {
	log := &learningtest.Log{}
	l, err := Open(t.Context(), enginetest.StartRedis(t).URL()+patient, WithLogger(log.Logger()))
	if err != nil {
		t.Fatal(err)
	}
	counter := limiterOf(t, l, twice)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if got := take(t, counter, "user:a"); !got.ok || log.String() != "" {
		t.Errorf("%+v; it logged:\n%s", got, log)
	}
}
