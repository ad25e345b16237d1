package learning_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/baseline"
	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
)

// BenchmarkHotRow lets 60 users vote for one post at once, on an idle machine and beside eight
// processes that compute, so that what a lock of one row costs each of those that wait is seen. It
// fails if a vote fails.
func BenchmarkHotRow(b *testing.B) {
	const voters = 60
	enginetest.Each(b, enginetest.Dialects, func(b *testing.B, e enginetest.Engine) {
		s := newShop(b, e.URL(b))
		for i := range voters {
			s.Person(b, person(i), core.Student)
		}
		post, err := s.Platform.Community.CreatePost(b.Context(),
			learning.Actor{UserID: person(0), Role: core.Student},
			community.NewPost{Title: "Knots", Content: "Which one holds?"})
		if err != nil {
			b.Fatal(err)
		}
		vote := func(voter int) error {
			_, err := s.Platform.Community.TogglePostVote(b.Context(),
				learning.Actor{UserID: person(voter), Role: core.Student}, post.ID)
			return err
		}
		for _, others := range []int{0, 8} {
			b.Run(fmt.Sprintf("busy=%d", others), func(b *testing.B) {
				baseline.Busy(b, others)
				var all []time.Duration
				for b.Loop() {
					all = append(all, atOnce(b, voters, vote)...)
				}
				slices.Sort(all)
				b.ReportMetric(float64(all[len(all)/2].Microseconds())/1e3, "p50-ms")
				b.ReportMetric(float64(all[len(all)-1].Microseconds())/1e3, "max-ms")
			})
		}
	})
}

// atOnce calls do once for each of n callers at the same time, and returns how long each took.
func atOnce(b *testing.B, n int, do func(caller int) error) []time.Duration {
	b.Helper()
	times := make([]time.Duration, n)
	start := make(chan struct{})
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			<-start
			began := time.Now()
			if err := do(i); err != nil {
				b.Errorf("caller %d: %v", i, err)
			}
			times[i] = time.Since(began)
		})
	}
	close(start)
	all.Wait()
	return times
}
