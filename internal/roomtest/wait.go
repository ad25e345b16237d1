package roomtest

import (
	"context"
	"runtime"
	"testing"
	"time"
)

// WaitFor waits until the sandbox has seen n calls.
func WaitFor(t *testing.T, wait func(context.Context, int) error, n int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := wait(ctx, n); err != nil {
		t.Fatal(err)
	}
}

// Await waits until a condition holds.
func Await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(Bound); !holds(); runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// WantGoroutines waits until no more goroutines run than before.
func WantGoroutines(t *testing.T, before int) {
	t.Helper()
	for end := time.Now().Add(Bound); runtime.NumGoroutine() > before+4; {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before,
				stacks[:runtime.Stack(stacks, true)])
		}
		runtime.Gosched()
	}
}

// Recovered calls f and returns the value with which it panics, or nil.
func Recovered(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}
