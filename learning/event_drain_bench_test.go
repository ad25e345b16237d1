package learning_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/baseline"
	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/outbox"
	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/webhook"
)

// backlogSize is how many pending events BenchmarkDrainEvents delivers.
func backlogSize(b *testing.B) int {
	size, err := strconv.Atoi(os.Getenv("BENCH_EVENTS"))
	if err != nil && os.Getenv("BENCH_EVENTS") != "" {
		b.Fatal(err)
	}
	if size == 0 {
		size = 100_000
	}
	return size
}

// BenchmarkDrainEvents delivers a backlog of pending events as webhooks to a receiver in this
// process, until none is left. Bare is a client that posts the same signed requests to the
// same receiver with the same number of concurrent calls, and stores nothing: it is the speed
// of the receiver. The operation is one event.
func BenchmarkDrainEvents(b *testing.B) {
	for _, e := range enginetest.Dialects {
		for _, c := range []struct {
			subjects int           // 0 for one for each event
			answer   time.Duration // until the receiver answers
			attempts int           // that have failed
			calls    int           // concurrent calls that the number of subjects allows
		}{
			{subjects: 0, answer: 0, calls: 32},
			{subjects: 0, answer: 0, attempts: 1, calls: 32},
			{subjects: 0, answer: 20 * time.Millisecond, calls: 32},
			{subjects: 1000, answer: 0, calls: 32},
			{subjects: 1, answer: 0, calls: 1},
		} {
			name := fmt.Sprintf("%s/subjects=%d/attempts=%d/answer=%v", e.Name, c.subjects,
				c.attempts, c.answer)
			name = strings.Replace(name, "subjects=0", "subjects=all", 1)
			b.Run(name, func(b *testing.B) {
				url := e.URL(b)
				r := newBenchReceiver(b, c.answer)
				sender, err := webhook.NewSender(r.URL,
					[]string{"whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"})
				if err != nil {
					b.Fatal(err)
				}
				k := learningtest.New(b, learningtest.WithDatabase(url),
					learningtest.WithPlatform(learning.WithEvents("test", sender),
						learning.WithClock(systemTime{})))
				size := backlogSize(b)
				list := backlog(size, c.subjects, c.attempts)
				bare := baseline.Parallel(b, c.calls, func(_, i int) error {
					e := list[i].Event
					return sender.HandleEvent(b.Context(), learning.Event{
						ID:        e.ID,
						Type:      purchase.EventCompleted,
						CreatedAt: e.CreatedAt,
						Subject:   e.Subject,
						Data:      e.Data.(core.EventData),
					})
				})
				var ours, bareTime time.Duration
				b.ResetTimer()
				for range b.N {
					b.StopTimer()
					roomtest.InsertEvents(b, k, list)
					bareTime += elapsed(func() { bare(size / 2) })
					r.received.Store(0)
					b.StartTimer()
					ours += elapsed(func() {
						if n, err := k.Platform.System().DeliverEvents(b.Context()); err != nil ||
							n != size {
							b.Fatalf("%d of %d events were delivered: %v", n, size, err)
						}
					})
					b.StopTimer()
					if n := r.received.Load(); n != int64(size) {
						b.Errorf("the receiver got %d requests for %d events", n, size)
					}
					bareTime += elapsed(func() { bare(size - size/2) })
				}
				events := float64(b.N * size)
				b.ReportMetric(float64(ours)/events, "ns/op")
				b.ReportMetric(float64(bareTime)/events, "bare-ns/op")
				b.ReportMetric(float64(bareTime)/float64(ours), "of-bare")
				b.ReportMetric(0, "wanted")
			})
		}
	}
}

// systemTime is the clock of the machine.
type systemTime struct{}

func (systemTime) Now() time.Time { return time.Now() }

func elapsed(do func()) time.Duration {
	start := time.Now()
	do()
	return time.Since(start)
}

// benchReceiver is a server that reads webhooks and answers after a time.
type benchReceiver struct {
	*httptest.Server
	received atomic.Int64
}

func newBenchReceiver(tb testing.TB, answer time.Duration) *benchReceiver {
	r := &benchReceiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		_, _ = io.Copy(io.Discard, req.Body)
		r.received.Add(1)
		time.Sleep(answer)
	}))
	tb.Cleanup(r.Close)
	return r
}

// backlog returns n pending events of a number of subjects, or each of its own if that is 0.
// They were written one after the other within the last minutes. attempts is how often each
// was tried.
func backlog(n, subjects, attempts int) []outbox.Delivery {
	start := time.Now().Add(-time.Duration(n) * time.Millisecond).UTC().Truncate(time.Microsecond)
	if subjects == 0 {
		subjects = n
	}
	list := make([]outbox.Delivery, n)
	for i := range list {
		subject := fmt.Sprintf("purchase:019cec5e-79ff-7000-8000-%012d", i%subjects)
		at := start.Add(time.Duration(i) * time.Millisecond)
		list[i] = outbox.Delivery{
			Event: outbox.Event{
				ID:        fmt.Sprintf("019cec5e-7a00-7000-8000-%012d", i),
				Type:      string(purchase.EventCompleted),
				CreatedAt: at,
				Subject:   subject,
				Data: core.EventData{PurchaseID: subject[9:], UserID: "user_ada",
					CourseID:    "course-go",
					CourseTitle: "Go", Amount: 1699, Currency: "INR"},
			},
			Target:   "test",
			Shard:    outbox.ShardOf("test", subject),
			Seq:      int64(i/subjects + 1),
			Status:   learning.EventPending,
			StatusAt: at,
			Attempts: attempts,
		}
	}
	return list
}
