// Package baseline benchmarks an operation beside its baseline ("bare"): the least code
// that does the same.
//
// The two sides take turns in short rounds, and each goes first in every other round, so
// that other load on the machine slows both; the figure is the median of the rounds. A
// benchmark reports and does not fail, because figures depend on the machine.
package baseline

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// rounds is how many turns each side gets, when there are that many operations.
const rounds = 41

// Side is one of the two that are compared.
type Side struct {
	Prepare func(n int) // makes ready what n operations need, unmeasured; may be nil
	Do      func(n int) // does n operations
}

// Run does b.N operations on each side. Time and allocations are those of ours,
// as in any benchmark; beside them stand bare-ns/op, of-bare (operations a second
// of ours for each of bare: 1 is as fast, 0.5 is half as fast) and wanted, the
// least that of-bare should be.
func Run(b *testing.B, wanted float64, ours, bare Side) {
	b.Helper()
	b.ReportAllocs()
	b.StopTimer()
	b.ResetTimer()
	measured := Side{ours.Prepare, func(n int) {
		b.StartTimer()
		ours.Do(n)
		b.StopTimer()
	}}
	ratio, perOperation := alternate(b.N, measured, bare)
	b.ReportMetric(ratio, "of-bare")
	b.ReportMetric(perOperation, "bare-ns/op")
	b.ReportMetric(wanted, "wanted")
}

// alternate gives the sides their turns, n operations in all for each, and
// returns the median ratio, and what an operation of bare takes, in nanoseconds.
func alternate(n int, ours, bare Side) (ratio, perOperation float64) {
	var ratios, bares []float64
	turns := min(rounds, n)
	for turn := range turns {
		part := n*(turn+1)/turns - n*turn/turns
		var us, it float64
		if turn%2 == 0 {
			us, it = took(ours, part), took(bare, part)
		} else {
			it, us = took(bare, part), took(ours, part)
		}
		ratios, bares = append(ratios, it/us), append(bares, it/float64(part))
	}
	return median(ratios), median(bares)
}

// took is how many nanoseconds n operations take.
func took(s Side, n int) float64 {
	if s.Prepare != nil {
		s.Prepare(n)
	}
	start := time.Now()
	s.Do(n)
	return float64(max(time.Since(start), 1))
}

func median(values []float64) float64 {
	slices.Sort(values)
	middle := len(values) / 2
	if len(values)%2 == 1 {
		return values[middle]
	}
	return (values[middle-1] + values[middle]) / 2
}

// Parallel makes a [Side.Do] of clients that work at the same time. Each operation
// is told its client, from 0, and its number among the n, from 0. The first error
// of a client fails the benchmark and is the client's last operation.
func Parallel(tb testing.TB, clients int, do func(client, i int) error) func(n int) {
	return func(n int) {
		var next atomic.Int64
		var all sync.WaitGroup
		for client := range clients {
			all.Go(func() {
				for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
					if err := do(client, i); err != nil {
						tb.Error(err)
						return
					}
				}
			})
		}
		all.Wait()
	}
}
