//go:build linux

package load

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/baseline"
	"github.com/openlectern/openlectern/internal/enginetest"
)

const (
	// streamedRows is how many rows the long lists have.
	streamedRows = 200_000
	// streamedCourses is how many courses the enrolments and purchases are of.
	streamedCourses = 100
)

// streamedLists are the paths of the long lists, with the user who reads each.
var streamedLists = []struct{ path, userID string }{
	{"admin/purchases", "chief"},
	{"admin/users", "chief"},
	{"educator/dashboard", "teacher"},
	{"educator/enrolled-students", "teacher"},
}

// BenchmarkStreamedLists reads the long lists of the program, in a process of its own. The
// figures are the time, the growth of the resident memory since before the first list
// (rss-MB, limit 30), the time of the first byte as a fraction of the whole time
// (first-byte, limit 0.1), and rows per second.
func BenchmarkStreamedLists(b *testing.B) {
	program := built(b)
	enginetest.Each(b, enginetest.Dialects, func(b *testing.B, e enginetest.Engine) {
		s := newStreamer(b, program, e.URL(b))
		for _, list := range streamedLists {
			b.Run(list.path, func(b *testing.B) { s.bench(b, list.path, list.userID) })
		}
	})
}

// streamer is a running program with long lists.
type streamer struct {
	url    string
	tokens map[string]string // of the users who read the lists
	pid    int
	idle   float64 // resident memory before the first list, in megabytes
}

func newStreamer(b *testing.B, program, database string) streamer {
	b.Helper()
	migrated(b, database)
	fillLists(b, baseline.Open(b, database), streamedRows)
	box := providers(b)
	tokens := map[string]string{
		"chief":   signIn(b, box, "chief", "admin"),
		"teacher": signIn(b, box, "teacher", "educator"),
	}
	started := startBuilt(b, program, configured(b, box, database))
	s := streamer{url: started.url, tokens: tokens, pid: started.pid}
	_ = s.ask(b, http.MethodHead, "admin/users", "chief").Close() // connects, and fetches the keys
	s.forgetPeak(b)
	s.idle = s.memory(b, "VmRSS")
	return s
}

// fillLists creates users, purchases and enrolments, each a second after the one before.
func fillLists(b *testing.B, p baseline.Pools, rows int) {
	b.Helper()
	at := func(i int) string {
		return time.Date(2026, 1, 1, 0, 0, i, 0, time.UTC).Format("'2006-01-02 15:04:05.000000'")
	}
	p.Insert(b,
		"courses (id, title, thumbnail, price, discount, is_published, educator_id, rating_sum, "+
			"rating_count, lectures, minutes, students, revision, created_at, updated_at, "+
			"description)", streamedCourses,
		func(i int) string {
			return fmt.Sprintf(
				"'course_%d', 'Reading the Night Sky, part %d', '', 49900, 0, 1, 'teacher', 0, 0, "+
					"1, 10, %d, 1, %s, %s, ''",
				i, i, rows/streamedCourses, at(i), at(i))
		})
	p.Insert(b, "enrollments (user_id, course_id, purchase_id, created_at)", rows,
		func(i int) string {
			return fmt.Sprintf("'person_%d', 'course_%d', '018f4b6a-7c2e-7f3a-9d51-%012d', %s", i,
				i%streamedCourses, i, at(i))
		})
	p.Insert(b, "users (id, name, email, image_url, created_at, changed_at)", rows,
		func(i int) string {
			return fmt.Sprintf(
				"'person_%d', 'Person %d', 'person.%d@example.com', "+
					"'https://images.example.org/%d.png', %s, %s", i, i, i, i, at(i), at(i))
		})
	p.Insert(b,
		"purchases (id, user_id, course_id, amount, currency, order_id, payment_id, status, "+
			"created_at, updated_at, completed_at)", rows, func(i int) string {
			return fmt.Sprintf(
				"'018f4b6a-7c2e-7f3a-9d51-%012d', 'person_%d', 'course_%d', %d, 'INR', "+
					"'order_%d', 'pay_%d', 'completed', %s, %s, %s", i, i, i%streamedCourses, 100+i,
				i, i, at(i), at(i), at(i))
		})
}

func (s streamer) bench(b *testing.B, list, userID string) {
	var shares []float64
	for b.Loop() {
		first, all := s.read(b, list, userID)
		shares = append(shares, first.Seconds()/all.Seconds())
	}
	b.ReportMetric(s.memory(b, "VmHWM")-s.idle, "rss-MB")
	b.ReportMetric(slices.Max(shares), "first-byte")
	b.ReportMetric(streamedRows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

// ask requests a list.
func (s streamer) ask(b *testing.B, method, list, userID string) io.ReadCloser {
	b.Helper()
	r, err := http.NewRequestWithContext(b.Context(), method, s.url+"/api/"+list, nil)
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.tokens[userID])
	answer, err := http.DefaultClient.Do(r)
	if err != nil || answer.StatusCode != http.StatusOK {
		b.Fatalf("%s: %v, %v", list, answer, err)
	}
	return answer.Body
}

// read reads a list, and returns the times of its first and its last byte.
func (s streamer) read(b *testing.B, list, userID string) (first, all time.Duration) {
	b.Helper()
	start := time.Now()
	body := s.ask(b, http.MethodGet, list, userID)
	defer body.Close()
	if _, err := io.ReadFull(body, make([]byte, 1)); err != nil {
		b.Fatal(err)
	}
	first = time.Since(start)
	rest := &rowCounter{}
	if _, err := io.Copy(rest, body); err != nil || rest.rows != streamedRows {
		b.Fatalf("%s: %d rows, %v", list, rest.rows, err)
	}
	return first, time.Since(start)
}

// rowCounter counts the rows of a list, each of which ends its line.
type rowCounter struct{ rows int }

func (c *rowCounter) Write(data []byte) (int, error) {
	c.rows += bytes.Count(data, []byte{'\n'})
	return len(data), nil
}

// memory returns a figure of the program's memory, in megabytes.
func (s streamer) memory(b *testing.B, name string) float64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.pid))
	if err != nil {
		b.Fatal(err)
	}
	found := regexp.MustCompile(name + `:\s+(\d+) kB`).FindSubmatch(text)
	if found == nil {
		b.Fatalf("no %s in:\n%s", name, text)
	}
	kilobytes, err := strconv.ParseFloat(string(found[1]), 64)
	if err != nil {
		b.Fatal(err)
	}
	return kilobytes / 1024
}

// forgetPeak resets VmHWM.
func (s streamer) forgetPeak(b *testing.B) {
	b.Helper()
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", s.pid), []byte("5"), 0); err != nil {
		b.Fatal(err)
	}
}
