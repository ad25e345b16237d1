package httpapi

import (
	"fmt"
	"testing"
	"time"
)

// clockedLimiter returns a limiter of three requests a minute, and a function that moves its clock.
func clockedLimiter(t *testing.T) (*memoryLimiter, func(time.Duration)) {
	t.Helper()
	made, err := NewMemoryLimiter(Limit{Requests: 3, Window: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	m, now := made.(*memoryLimiter), time.Unix(1_700_000_000, 0)
	m.now = func() time.Time { return now }
	return m, func(d time.Duration) { now = now.Add(d) }
}

func TestMemoryLimiter_WindowBeginsWithTheFirstRequest(t *testing.T) {
	m, wait := clockedLimiter(t)
	start := m.now()
	for i, step := range []struct {
		after     time.Duration
		remaining uint64
		ok        bool
		reset     time.Duration // after the start
	}{
		{0, 2, true, time.Minute},
		{50 * time.Second, 1, true, time.Minute},
		{9 * time.Second, 0, true, time.Minute},
		{999 * time.Millisecond, 0, false, time.Minute},
		{time.Millisecond, 2, true, 2 * time.Minute},
		{10 * time.Minute, 2, true, 12 * time.Minute},
	} {
		wait(step.after)
		tokens, remaining, reset, ok, err := m.Take(t.Context(), "ada")
		want := uint64(start.Add(step.reset).UnixNano())
		if tokens != 3 || remaining != step.remaining || ok != step.ok || reset != want ||
			err != nil {
			t.Errorf("step %d: %d of %d, ok %v, reset %d after the start, %v", i, remaining,
				tokens, ok, (int64(reset)-start.UnixNano())/1e9, err)
		}
	}
}

// No caller gets a token early, at whatever moments the generations change.
func TestMemoryLimiter_NoCallerHasMoreThanTheLimitInAWindow(t *testing.T) {
	m, wait := clockedLimiter(t)
	const callers, step = 7, 3 * time.Second
	taken := map[string][]time.Time{}
	for i := range 2000 {
		wait(step)
		key := fmt.Sprint(i * i % callers)
		if _, _, _, ok, _ := m.Take(t.Context(), key); ok {
			taken[key] = append(taken[key], m.now())
		}
	}
	for key, times := range taken {
		begin, n := times[0], 0
		for _, at := range times {
			if at.Sub(begin) >= m.limit.Window {
				begin, n = at, 0
			}
			if n++; n > 3 {
				t.Fatalf("caller %s has a fourth token %v after the first", key, at.Sub(begin))
			}
		}
	}
}

func TestMemoryLimiter_ForgetsCallersWhoseWindowHasEnded(t *testing.T) {
	m, wait := clockedLimiter(t)
	for i := range 1000 {
		_, _, _, _, _ = m.Take(t.Context(), fmt.Sprint(i))
	}
	for range 3 {
		wait(time.Minute)
		_, _, _, _, _ = m.Take(t.Context(), "ada")
	}
	if n := len(m.current) + len(m.previous); n > 2 {
		t.Errorf("%d windows are kept, of one caller", n)
	}
}

func BenchmarkMemoryLimiter(b *testing.B) {
	m, err := NewMemoryLimiter(Limit{Requests: 3, Window: time.Minute})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		_, _, _, _, _ = m.Take(b.Context(), "user:ada")
	}
}
