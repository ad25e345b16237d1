package singleflight_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/singleflight"
)

type (
	group = singleflight.Group[string, int]
	work  = singleflight.Work[int]
)

var errRefused = errors.New("refused")

// result is what a call returned.
type result struct {
	value int
	err   error
}

// call runs fn in a goroutine.
func call(fn func() (int, error)) <-chan result {
	c := make(chan result, 1)
	go func() {
		v, err := fn()
		c <- result{v, err}
	}()
	return c
}

// awaitCallers waits until the call for "key" has n callers.
func awaitCallers(t *testing.T, g *group, n int) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); g.Callers("key") != n; runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("%d callers, want %d", g.Callers("key"), n)
		}
	}
}

func wantResult(t *testing.T, c <-chan result, value int, err error) {
	t.Helper()
	if got := <-c; got.value != value || !errors.Is(got.err, err) {
		t.Errorf("got %d, %v, want %d, %v", got.value, got.err, value, err)
	}
}

// wantFree checks that the key is free: the next call does its own work.
func wantFree(t *testing.T, g *group) {
	t.Helper()
	got, err := g.Do(t.Context(), "key", func(context.Context) (int, error) { return 42, nil })
	if got != 42 || err != nil {
		t.Errorf("the next call: %d, %v", got, err)
	}
}

// held is work that returns 1 once it is released, or when its context is done.
type held struct{ begun, release chan struct{} }

func newHeld() held { return held{make(chan struct{}, 100), make(chan struct{})} }

func (h held) work(ctx context.Context) (int, error) {
	h.begun <- struct{}{}
	select {
	case <-h.release:
		return 1, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

func TestDo_ManyCallersShareOneCall(t *testing.T) {
	var g group
	h := newHeld()
	var calls []<-chan result
	for range 100 {
		calls = append(calls, call(func() (int, error) { return g.Do(t.Context(), "key", h.work) }))
	}
	awaitCallers(t, &g, 100)
	other, err := g.Do(t.Context(), "other", func(context.Context) (int, error) { return 2, nil })
	if other != 2 || err != nil {
		t.Errorf("another key: %d, %v", other, err)
	}
	close(h.release)
	for _, c := range calls {
		wantResult(t, c, 1, nil)
	}
	if n := len(h.begun); n != 1 {
		t.Errorf("the work was done %d times", n)
	}
	wantFree(t, &g)
}

func TestDo_ErrorIsThatOfAllCallersAndTheKeyIsFree(t *testing.T) {
	var g group
	release := make(chan struct{})
	fail := func(context.Context) (int, error) { <-release; return 7, errRefused }
	one, two := call(func() (int, error) { return g.Do(t.Context(), "key", fail) }),
		call(func() (int, error) { return g.Do(t.Context(), "key", fail) })
	awaitCallers(t, &g, 2)
	close(release)
	wantResult(t, one, 0, errRefused)
	wantResult(t, two, 0, errRefused)
	wantFree(t, &g)
}

func TestDo_OnlyTheLastCallerToLeaveCancelsTheWork(t *testing.T) {
	var g group
	h := newHeld()
	ended := make(chan error, 1)
	var cancels []context.CancelFunc
	var calls []<-chan result
	for range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		cancels = append(cancels, cancel)
		calls = append(calls, call(func() (int, error) {
			return g.Do(ctx, "key", func(ctx context.Context) (int, error) {
				_, err := h.work(ctx)
				ended <- err
				return 0, err
			})
		}))
	}
	awaitCallers(t, &g, 3)
	<-h.begun
	for i, cancel := range cancels { // the leader is one of the first two
		if len(ended) != 0 {
			t.Error("the work was cancelled while a caller waits")
		}
		cancel()
		wantResult(t, calls[i], 0, context.Canceled)
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the work ended with %v", err)
	}
	wantFree(t, &g)
}

func TestDo_CallAfterTheLastCallerHasLeftDoesNotWaitForTheCancelledWork(t *testing.T) {
	var g group
	begun, end := make(chan struct{}), make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	left := call(func() (int, error) {
		return g.Do(ctx, "key",
			func(context.Context) (int, error) { close(begun); <-end; return 0, nil })
	})
	<-begun
	cancel()
	wantResult(t, left, 0, context.Canceled)
	h := newHeld()
	next := call(func() (int, error) { return g.Do(t.Context(), "key", h.work) })
	<-h.begun
	close(end) // the end of the old call must not free the key of the new one
	third := call(func() (int, error) { return g.Do(t.Context(), "key", h.work) })
	awaitCallers(t, &g, 2)
	close(h.release)
	wantResult(t, next, 1, nil)
	wantResult(t, third, 1, nil)
}

func TestDo_DoneContextBeginsNothing(t *testing.T) {
	var g group
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 100 {
		_, err := g.Do(ctx, "key",
			func(context.Context) (int, error) { t.Error("begun"); return 0, nil })
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
}

func TestDo_WorkHasTheValuesOfTheLeaderAndNotItsDeadline(t *testing.T) {
	type name struct{}
	var g group
	ctx, cancel := context.WithTimeout(context.WithValue(t.Context(), name{}, "leader"), time.Hour)
	defer cancel()
	_, err := g.Do(ctx, "key", func(ctx context.Context) (int, error) {
		if _, has := ctx.Deadline(); has || ctx.Value(name{}) != "leader" {
			t.Error("another context")
		}
		return 0, nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestDo_PanicIsAnErrorOfAllCallersAndTheKeyIsFree(t *testing.T) {
	var reported atomic.Int64
	g := group{OnPanic: func(_ context.Context, p *singleflight.PanicError) {
		reported.Add(1)
		if p.Value != "oops" || len(p.Stack) == 0 {
			t.Errorf("%+v", p)
		}
		panic("also here")
	}}
	release := make(chan struct{})
	var calls []<-chan result
	for range 5 {
		calls = append(calls, call(func() (int, error) {
			return g.Do(t.Context(), "key",
				func(context.Context) (int, error) { <-release; panic("oops") })
		}))
	}
	awaitCallers(t, &g, 5)
	close(release)
	for _, c := range calls {
		got := <-c
		if p, ok := errors.AsType[*singleflight.PanicError](got.err); !ok || p.Value != "oops" ||
			got.err.Error() != "the work of a shared call panicked" {
			t.Errorf("%v", got.err)
		}
	}
	if reported.Load() != 1 {
		t.Errorf("reported %d times", reported.Load())
	}
	wantFree(t, &g)
}

func TestDo_GoexitIsAnErrorAndTheKeyIsFree(t *testing.T) {
	var g group
	_, err := g.Do(t.Context(), "key",
		func(context.Context) (int, error) { runtime.Goexit(); return 0, nil })
	if !errors.Is(err, singleflight.ErrGoexit) {
		t.Error(err)
	}
	wantFree(t, &g)
}

func TestDoAdmitted_RefusalConcernsOnlyThatCaller(t *testing.T) {
	for name, refuse := range map[string]func(ctx context.Context) error{
		"an error":         func(context.Context) error { return errRefused },
		"a panic":          func(context.Context) error { panic(errRefused) },
		"its context ends": nil,
		"an error, too": func(context.Context) error {
			return fmt.Errorf("limit: %w",
				errRefused)
		},
	} {
		t.Run(name, func(t *testing.T) {
			var g group
			ctx, leave := context.WithCancelCause(t.Context())
			entered, goOn := make(chan struct{}), make(chan struct{})
			first := call(func() (value int, err error) {
				defer func() {
					if v := recover(); v != nil {
						err = v.(error)
					}
				}()
				return g.DoAdmitted(ctx, "key", func(ctx context.Context) (work, error) {
					close(entered)
					<-goOn
					if refuse != nil {
						return nil, refuse(ctx)
					}
					<-ctx.Done()
					return nil, context.Cause(ctx)
				})
			})
			<-entered
			var admitted atomic.Int64
			var others []<-chan result
			for range 10 {
				others = append(others, call(func() (int, error) {
					return g.DoAdmitted(t.Context(), "key", func(context.Context) (work, error) {
						admitted.Add(1)
						return func(context.Context) (int, error) { return 1, nil }, nil
					})
				}))
			}
			awaitCallers(t, &g, 11)
			close(goOn)
			if refuse == nil {
				leave(errRefused)
			}
			wantResult(t, first, 0, errRefused)
			for _, c := range others {
				wantResult(t, c, 1, nil)
			}
			if admitted.Load() != 1 {
				t.Errorf("%d were asked", admitted.Load())
			}
			leave(nil)
			wantFree(t, &g)
		})
	}
}

func TestDoAdmitted_RefusedWithoutOthersFreesTheKey(t *testing.T) {
	var g group
	for range 3 {
		_, err := g.DoAdmitted(t.Context(), "key",
			func(context.Context) (work, error) { return nil, errRefused })
		if !errors.Is(err, errRefused) {
			t.Error(err)
		}
	}
	wantFree(t, &g)
}

func TestLeaderError_AnotherCallerBeginsAgain(t *testing.T) {
	var g group
	release := make(chan struct{})
	var works atomic.Int64
	do := func() (int, error) {
		return g.Do(t.Context(), "key", func(context.Context) (int, error) {
			if works.Add(1) == 1 {
				<-release
				return 0, singleflight.LeaderError(errRefused)
			}
			return 1, nil
		})
	}
	first := call(do)
	awaitCallers(t, &g, 1)
	for works.Load() == 0 {
		runtime.Gosched()
	}
	var others []<-chan result
	for range 10 {
		others = append(others, call(do))
	}
	awaitCallers(t, &g, 11)
	close(release)
	if got := <-first; got.err != errRefused {
		t.Errorf("the leader: %v", got.err)
	}
	for _, c := range others {
		wantResult(t, c, 1, nil)
	}
}

func TestStart_WorkContinuesWhenAllCallersHaveLeft(t *testing.T) {
	var g group
	h := newHeld()
	g.Start(t.Context(), "key", h.work)
	<-h.begun
	g.Start(t.Context(), "key",
		func(context.Context) (int, error) { t.Error("begun twice"); return 0, nil })
	ctx, cancel := context.WithCancel(t.Context())
	left := call(func() (int, error) { return g.Do(ctx, "key", h.work) })
	awaitCallers(t, &g, 2)
	cancel()
	wantResult(t, left, 0, context.Canceled)
	stays := call(func() (int, error) { return g.Do(t.Context(), "key", h.work) })
	awaitCallers(t, &g, 2)
	close(h.release)
	wantResult(t, stays, 1, nil)
	wantFree(t, &g)
}

// At most one uncancelled work runs for each key, whatever the callers do. Every caller
// returns, and every key is free at the end.
func TestDo_CallersThatComeLeavePanicAndAreRefusedAtOnce(t *testing.T) {
	var g singleflight.Group[int, int]
	var running [3]atomic.Pointer[context.Context]
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 1))
			for range 500 {
				someCall(t, &g, r.IntN(3), r, &running)
			}
		})
	}
	all.Wait()
	for key := range running {
		if n := g.Callers(key); n != 0 {
			t.Errorf("key %d has %d callers", key, n)
		}
	}
}

func someCall(t *testing.T, g *singleflight.Group[int, int], key int, r *rand.Rand,
	running *[3]atomic.Pointer[context.Context]) {
	defer func() { _ = recover() }()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if r.IntN(4) == 0 {
		go cancel()
	}
	refusal, ending := r.IntN(10), r.IntN(10)
	value, err := g.DoAdmitted(ctx, key, func(context.Context) (singleflight.Work[int], error) {
		switch refusal {
		case 0:
			return nil, errRefused
		case 1:
			panic(errRefused)
		}
		return func(ctx context.Context) (int, error) {
			if before := running[key].Swap(&ctx); before != nil && (*before).Err() == nil &&
				ctx.Err() == nil {
				t.Error("two at once")
			}
			defer running[key].CompareAndSwap(&ctx, nil)
			runtime.Gosched()
			switch ending {
			case 0:
				panic("oops")
			case 1:
				runtime.Goexit()
			case 2:
				return 0, singleflight.LeaderError(errRefused)
			}
			return key, nil
		}, nil
	})
	if err == nil && value != key {
		t.Errorf("key %d has the value %d", key, value)
	}
}
