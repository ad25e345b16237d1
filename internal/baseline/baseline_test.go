package baseline

import (
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestAlternate_BothSidesRunEveryOperation(t *testing.T) {
	const n = 4*rounds + 3
	var order []string
	prepared, done := map[string]int{}, map[string]int{}
	side := func(name string) Side {
		return Side{
			Prepare: func(n int) { prepared[name] += n },
			Do:      func(n int) { order, done[name] = append(order, name), done[name]+n },
		}
	}
	ratio, perOperation := alternate(n, side("ours"), side("bare"))
	if ratio <= 0 || perOperation <= 0 {
		t.Errorf("ratio %v, %v ns an operation", ratio, perOperation)
	}
	all := map[string]int{"ours": n, "bare": n}
	if diff := cmp.Diff(all, prepared) + cmp.Diff(all, done); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"ours", "bare", "bare", "ours", "ours", "bare"},
		order[:6]); diff != "" {
		t.Error(diff)
	}
	if len(order) != 2*rounds {
		t.Errorf("%d turns, want %d", len(order), 2*rounds)
	}
}

func TestAlternate_RatioOfTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		takes := func(d time.Duration) Side {
			return Side{
				Do: func(n int) { time.Sleep(time.Duration(n) * d) }}
		}
		ratio, perOperation := alternate(2*rounds, takes(4*time.Millisecond),
			takes(time.Millisecond))
		if ratio != 0.25 || perOperation != 1e6 {
			t.Errorf("ratio %v, %v ns an operation, want 0.25 and 1e6", ratio, perOperation)
		}
	})
}

func TestMedian_IgnoresOutliers(t *testing.T) {
	for want, values := range map[float64][]float64{2: {1, 900, 2}, 3: {4, 1, 900, 2}, 7: {7}} {
		if got := median(values); got != want {
			t.Errorf("median of %v: %v, want %v", values, got, want)
		}
	}
}

func TestParallel_ClientsRunConcurrently(t *testing.T) {
	const clients = 4
	var here atomic.Int32
	all := make(chan struct{})
	Parallel(t, clients, func(int, int) error {
		if here.Add(1) == clients {
			close(all)
		}
		select {
		case <-all:
			return nil
		case <-time.After(10 * time.Second):
			return errors.New("the others did not come")
		}
	})(clients)
	if here.Load() != clients {
		t.Errorf("%d operations, want %d", here.Load(), clients)
	}
}
