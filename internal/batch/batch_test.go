package batch

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/singleflight"
)

var errOdd = errors.New("odd")

// oddFails returns errOdd for each odd item.
func oddFails(items []int) []error {
	errs := make([]error, len(items))
	for i, item := range items {
		if item%2 == 1 {
			errs[i] = errOdd
		}
	}
	return errs
}

func TestDo_CallsDuringABatchAreTheNextOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var batches [][]int
		release := make(chan struct{})
		g := New(4, func(_ context.Context, items []int) []error {
			batches = append(batches, append([]int{}, items...))
			<-release
			return oddFails(items)
		}, nil)
		errs := make([]error, 8)
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() { errs[i] = g.Do(t.Context(), i) })
			synctest.Wait() // the calls come one after the other
		}
		close(release)
		all.Wait()
		want := [][]int{{0}, {1, 2, 3, 4}, {5, 6, 7}}
		if diff := cmp.Diff(want, batches); diff != "" {
			t.Error(diff)
		}
		for i, err := range errs {
			if wantErr := oddFails([]int{i})[0]; !errors.Is(err, wantErr) {
				t.Errorf("item %d: %v, want %v", i, err, wantErr)
			}
		}
	})
}

func TestDo_OneBatchAtATime(t *testing.T) {
	var mu sync.Mutex
	running, stored := 0, map[int]int{}
	g := New(8, func(_ context.Context, items []int) []error {
		mu.Lock()
		running++
		if running > 1 {
			t.Error("two batches run at the same time")
		}
		for _, item := range items {
			stored[item]++
		}
		mu.Unlock()
		defer func() { mu.Lock(); running--; mu.Unlock() }()
		return oddFails(items)
	}, nil)
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			if err := g.Do(t.Context(), i); !errors.Is(err, oddFails([]int{i})[0]) {
				t.Errorf("item %d: %v", i, err)
			}
		})
	}
	all.Wait()
	if len(stored) != 200 {
		t.Errorf("%d items were executed, want 200", len(stored))
	}
	for item, n := range stored {
		if n != 1 {
			t.Errorf("item %d was executed %d times", item, n)
		}
	}
}

func TestDo_CallerThatLeavesDoesNotStopTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var done []int
		g := New(4, func(ctx context.Context, items []int) []error {
			<-release
			if ctx.Err() == nil {
				done = append(done, items...)
			}
			return make([]error, len(items))
		}, nil)
		first, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() { _ = g.Do(t.Context(), 0) })
		synctest.Wait()
		all.Go(func() {
			if err := g.Do(first, 1); !errors.Is(err, context.Canceled) {
				t.Errorf("the caller that left: %v", err)
			}
		})
		synctest.Wait()
		all.Go(func() {
			if err := g.Do(t.Context(), 2); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		cancel()
		synctest.Wait()
		close(release)
		all.Wait()
		if diff := cmp.Diff([]int{0, 1, 2}, done); diff != "" {
			t.Error(diff)
		}
	})
}

func TestDo_PanicIsTheErrorOfItsBatchOnly(t *testing.T) {
	panics := 0
	g := New(4, func(_ context.Context, items []int) []error {
		if items[0] == 7 {
			panic(fmt.Sprint("item ", items[0]))
		}
		return make([]error, len(items))
	}, func(context.Context, *singleflight.PanicError) { panics++ })
	if _, isPanic := errors.AsType[*singleflight.PanicError](g.Do(t.Context(), 7)); !isPanic {
		t.Error("the caller of the batch did not get the panic")
	}
	if err := g.Do(t.Context(), 8); err != nil || panics != 1 {
		t.Errorf("the next batch: %v; %d panics were reported", err, panics)
	}
}
