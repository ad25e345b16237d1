// Package baseline compares the time of an operation with that of its baseline ("bare"):
// the least code that does the same.
//
// The two sides run alternately in short rounds, and each is first in every other round, so
// that other load on the machine slows both. The result is the median of the rounds. A
// benchmark reports the result and does not fail, because it depends on the machine.
package baseline

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// rounds is how many rounds there are, if there are at least as many operations.
const rounds = 41

// Side is one of the two operations that are compared.
type Side struct {
	Prepare func(n int) // prepares n operations, and is not measured; may be nil
	Do      func(n int) // does n operations
}

// Run does b.N operations on each side. Time and allocations are those of ours.
// Run also reports bare-ns/op, of-bare (the speed of ours divided by that of bare: 1 is as
// fast, 0.5 is half as fast) and wanted, which is the smallest of-bare that is acceptable. It does
// not fail below that.
func Run(b *testing.B, wanted float64, ours, bare Side) {
	b.Helper()
	b.ReportAllocs()
	b.StopTimer()
	b.ResetTimer()
	// The timer of the benchmark runs only while ours.Do does.
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

// alternate runs n operations of each side in rounds. It returns the median over the rounds of the
// speed of ours divided by that of bare, and the median time of an operation of bare in
// nanoseconds.
func alternate(n int, ours, bare Side) (ratio, perOperation float64) {
	var ratios, bares []float64
	roundCount := min(rounds, n)
	for round := range roundCount {
		// The operations of this round: those of all rounds add up to n.
		part := n*(round+1)/roundCount - n*round/roundCount
		var oursTime, bareTime float64
		if round%2 == 0 {
			oursTime, bareTime = measure(ours, part), measure(bare, part)
		} else {
			bareTime, oursTime = measure(bare, part), measure(ours, part)
		}
		ratios, bares = append(ratios, bareTime/oursTime), append(bares, bareTime/float64(part))
	}
	return median(ratios), median(bares)
}

// measure prepares and does n operations. It returns how many nanoseconds doing them took, at least
// 1, because the caller divides by it.
func measure(s Side, n int) float64 {
	if s.Prepare != nil {
		s.Prepare(n)
	}
	start := time.Now()
	s.Do(n)
	return float64(max(time.Since(start), 1))
}

// median returns the middle of the values, of which there must be one at least. It sorts them.
func median(values []float64) float64 {
	slices.Sort(values)
	middle := len(values) / 2
	if len(values)%2 == 1 {
		return values[middle]
	}
	return (values[middle-1] + values[middle]) / 2
}

// Parallel returns a [Side.Do] that runs the operations in concurrent clients. Each client takes
// the next operation that no other has taken. do gets the number of the client and that of the
// operation, both from 0. An error fails the benchmark and stops the client.
func Parallel(tb testing.TB, clients int, do func(client, i int) error) func(n int) {
	return func(n int) {
		var next atomic.Int64 // the operation that is taken next
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
