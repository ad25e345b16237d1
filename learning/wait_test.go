package learning_test

import (
	"context"
	"runtime"
	"testing"
	"time"
)

// waitFor waits until the sandbox has seen n calls.
func waitFor(t *testing.T, wait func(context.Context, int) error, n int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := wait(ctx, n); err != nil {
		t.Fatal(err)
	}
}

// await waits until a condition holds.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(bound); !holds(); runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// wantGoroutines waits until no more goroutines run than before.
func wantGoroutines(t *testing.T, before int) {
	t.Helper()
	for end := time.Now().Add(bound); runtime.NumGoroutine() > before+4; {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before,
				stacks[:runtime.Stack(stacks, true)])
		}
		runtime.Gosched()
	}
}
