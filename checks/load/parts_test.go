//go:build linux

package load

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/baseline"
	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning/sandbox"
)

const courseList = "/api/course/all"

// BenchmarkWrkList requests the list of courses. The baseline is a server that only writes the
// same bytes.
func BenchmarkWrkList(b *testing.B) {
	program := builtForWrk(b)
	for _, courses := range []int{100, 1000} {
		s := newBenchServer(b, program, enginetest.SQLite(b), func(p baseline.Pools) {
			fillUsers(b, p, 2)
			fillCourses(b, p, courses)
		})
		for _, coding := range []string{"identity", "gzip"} {
			b.Run(fmt.Sprintf("courses=%d/%s", courses, coding), func(b *testing.B) {
				ours := s.with(courseList, "Accept-Encoding: "+coding)
				compareTargets(b, map[string]float64{"identity": 0.75, "gzip": 0.6}[coding], ours,
					sameBytes(b, ours).with("/"))
			})
		}
	}
}

// BenchmarkWrkHeaders compares a bare server that writes our headers with one that writes those of
// the bytes alone. It is what a server with these headers and no work of its own reaches.
func BenchmarkWrkHeaders(b *testing.B) {
	s := newBenchServer(b, builtForWrk(b), enginetest.SQLite(b), func(p baseline.Pools) {
		fillUsers(b, p, 2)
		fillCourses(b, p, 100)
	})
	for _, answer := range []struct {
		name string
		ours target
	}{
		{"smallest", s.with("/")},
		{"courses=100/identity", s.with(courseList, "Accept-Encoding: identity")},
		{"courses=100/gzip", s.with(courseList, "Accept-Encoding: gzip")},
	} {
		b.Run(answer.name, func(b *testing.B) {
			compareTargets(b, 0, sameHeaders(b, answer.ours).with("/"),
				sameBytes(b, answer.ours).with("/"))
		})
	}
}

// BenchmarkWrkSelling requests the list of courses while twenty purchases a second complete. The
// baseline is the same server while none does.
func BenchmarkWrkSelling(b *testing.B) {
	program := builtForWrk(b)
	for _, courses := range []int{1000, 10_000} {
		wanted := map[int]float64{1000: 0.9, 10_000: 0.8}[courses]
		orders := 4 * wrkRounds * wrkSeconds(b) * salesPerSecond
		s := newBenchServer(b, program, enginetest.SQLite(b), func(p baseline.Pools) {
			fillUsers(b, p, 2)
			fillCourses(b, p, courses)
			fillOrders(b, p, orders, courses)
		})
		sales := &sales{server: s}
		for _, coding := range []string{"identity", "gzip"} {
			b.Run(fmt.Sprintf("courses=%d/%s", courses, coding), func(b *testing.B) {
				quiet := s.with(courseList, "Accept-Encoding: "+coding)
				quiet.body(b)
				selling := quiet
				selling.during = func() func() { return sales.start(b) }
				compareTargets(b, wanted, selling, quiet)
			})
		}
	}
}

const salesPerSecond = 20

// sales completes the purchases of fillOrders by webhooks of the gateway.
type sales struct {
	server benchServer
	next   int
}

// start completes purchases until stop is called.
func (s *sales) start(b *testing.B) (stop func()) {
	ended, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		every := time.NewTicker(time.Second / salesPerSecond)
		defer every.Stop()
		for {
			select {
			case <-ended:
				return
			case <-every.C:
				s.complete(b)
			}
		}
	}()
	return func() { close(ended); <-done }
}

func (s *sales) complete(b *testing.B) {
	gateway, i := s.server.box.Gateway(), s.next
	s.next++
	body, err := gateway.Event(sandbox.PaymentCapturedEvent,
		sandbox.Payment{ID: fmt.Sprintf("pay_%d", i), OrderID: fmt.Sprintf("order_%d", i),
			Amount: 199900, Currency: "INR", Status: "captured", Captured: true})
	if err != nil {
		b.Error(err)
		return
	}
	r, err := http.NewRequestWithContext(b.Context(), http.MethodPost, s.server.url+"/gateway",
		strings.NewReader(string(body)))
	if err != nil {
		b.Error(err)
		return
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Gateway-Signature", gateway.SignWebhook(body))
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		b.Error(err)
		return
	}
	res.Body.Close()
	if res.StatusCode != http.StatusOK {
		b.Errorf("a purchase is answered with %d", res.StatusCode)
	}
}

// BenchmarkWrkLog requests the smallest answer. The baseline is the same program that logs
// warnings only.
func BenchmarkWrkLog(b *testing.B) {
	program := builtForWrk(b)
	start := func(level string) target {
		return newBenchServer(b, program, enginetest.SQLite(b), func(baseline.Pools) {},
			// a quiet log does not say where it listens
			"LEARNING_LOG_LEVEL="+level, "LEARNING_ADDR="+enginetest.FreeAddress(b)).with("/")
	}
	logs, silent := start("info"), start("warn")
	b.Run("smallest", func(b *testing.B) { compareTargets(b, 0.97, logs, silent) })
}

// BenchmarkWrkSmallest requests the smallest answer. The baseline is a server that only writes
// the same bytes.
func BenchmarkWrkSmallest(b *testing.B) {
	s := newBenchServer(b, builtForWrk(b), enginetest.SQLite(b), func(baseline.Pools) {}).with("/")
	bare := sameBytes(b, s)
	b.Run("smallest", func(b *testing.B) { compareTargets(b, 0, s, bare) })
}

// BenchmarkWrkUserData requests the caller's user record. The baseline is a server with the same
// query and the same answer that does not verify a token.
func BenchmarkWrkUserData(b *testing.B) {
	program := builtForWrk(b)
	enginetest.Each(b, enginetest.Dialects, func(b *testing.B, e enginetest.Engine) {
		database := e.URL(b)
		s := newBenchServer(b, program, database, func(p baseline.Pools) {
			fillUsers(b, p, 1)
			fillEnrollments(b, p)
		})
		ours := s.with("/api/user/data", "Authorization: Bearer "+signIn(b, s.box, benchUser, ""))
		bare := startBare(b, environment{bareKind: "user", bareDatabase: database}).with("/")
		wantSameAnswer(b, ours, bare)
		b.Run("record", func(b *testing.B) { compareTargets(b, 0.8, ours, bare) })
	})
}

// BenchmarkWrkPosts requests the second page of 15 among many posts. The baseline is a server
// that reads the page with one query and does not count the posts.
func BenchmarkWrkPosts(b *testing.B) {
	program := builtForWrk(b)
	enginetest.Each(b, enginetest.Dialects, func(b *testing.B, e enginetest.Engine) {
		database := e.URL(b)
		s := newBenchServer(b, program, database, func(p baseline.Pools) {
			fillUsers(b, p, 1000)
			fillPosts100k(b, p)
		})
		ours := s.with("/api/community/posts?page=2&limit=15")
		bare := startBare(b, environment{bareKind: "posts", bareDatabase: database}).with("/")
		wantSameAnswer(b, ours, bare)
		b.Run("page", func(b *testing.B) { compareTargets(b, 0.8, ours, bare) })
	})
}
