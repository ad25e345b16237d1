//go:build linux

package load

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/baseline"
	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning/catalog"
)

const (
	// searchedCourses is how many courses there are. Half of them have one word, and the others
	// another one, so that a search for both never finds a course.
	searchedCourses = 100_000
	// searchClients is how many connections search at the same time, without a token.
	searchClients = 16
	// bystanderPause is the time between two requests of a bystander.
	bystanderPause = 20 * time.Millisecond
	// wantedSlowest is the time, in milliseconds, within which bystanders should be answered.
	wantedSlowest = 100
)

// BenchmarkSearchAttack sends the program searches for two frequent words that never meet, on
// many anonymous connections without a pause, and measures bystanders meanwhile: a visitor of a
// course page, a signed-in user, a load balancer, and the gateway with its webhooks. Each sends
// requests one after another. "idle" is the same without the searches.
func BenchmarkSearchAttack(b *testing.B) {
	program := built(b)
	enginetest.Each(b, enginetest.Dialects, func(b *testing.B, e enginetest.Engine) {
		time := time.Duration(wrkSeconds(b)*wrkRounds) * time.Second
		s := attackedServer(b, program, e.URL(b), 2*int(time/bystanderPause)+100)
		b.Run("idle", func(b *testing.B) { s.bench(b, time, 0) })
		b.Run("attacked", func(b *testing.B) { s.bench(b, time, searchClients) })
	})
}

// attacked is a server, and what its bystanders need.
type attacked struct {
	benchServer
	token string
	sales *sales
}

func attackedServer(b *testing.B, program, database string, orders int) *attacked {
	b.Helper()
	s := newBenchServer(b, program, database, func(p baseline.Pools) {
		fillUsers(b, p, 2)
		fillEnrollments(b, p)
		fillCourses(b, p, searchedCourses)
		p.Insert(b, "search_words (person_id, list, row_id, word)", searchedCourses,
			func(i int) string {
				word := []string{"even", "odd"}[i%2]
				return fmt.Sprintf("'', %d, '%s', '%s'", catalog.CourseWords, benchCourse(i), word)
			})
		p.Insert(b, "course_contents (course_id, content)", 100, func(i int) string {
			return fmt.Sprintf("'%s', '[]'", benchCourse(i))
		})
		fillOrders(b, p, orders, 100)
	})
	token := signIn(b, s.box, benchUser, "")
	return &attacked{benchServer: s, token: token, sales: &sales{server: s}}
}

// bench measures the bystanders while so many clients search.
func (s *attacked) bench(b *testing.B, during time.Duration, clients int) {
	bystanders := []*timed{
		{name: "course", request: s.getting("/api/course/"+benchCourse(7), "")},
		{name: "user", request: s.getting("/api/user/data", s.token)},
		{name: "readyz", request: s.getting("/readyz", "")},
		{name: "webhook", request: func(b *testing.B) { s.sales.complete(b) }},
	}
	var searches, refused atomic.Int64
	for b.Loop() {
		ended := make(chan struct{})
		var all sync.WaitGroup
		for range clients {
			all.Go(func() { s.search(b, ended, &searches, &refused) })
		}
		for _, y := range bystanders {
			all.Go(func() { y.run(b, ended) })
		}
		time.Sleep(during) // the duration of the load
		close(ended)
		all.Wait()
	}
	for _, y := range bystanders {
		slices.Sort(y.took)
		b.ReportMetric(y.at(0.5), y.name+"-p50-ms")
		b.ReportMetric(y.at(0.99), y.name+"-p99-ms")
		b.ReportMetric(y.at(1), y.name+"-max-ms")
	}
	b.ReportMetric(float64(searches.Load())/b.Elapsed().Seconds(), "searches/s")
	b.ReportMetric(float64(refused.Load())/b.Elapsed().Seconds(), "refused/s")
	b.ReportMetric(wantedSlowest, "wanted-ms")
}

// getting returns a request that must succeed.
func (s *attacked) getting(path, token string) func(*testing.B) {
	return func(b *testing.B) {
		if status, text := s.get(b, path, token); status != http.StatusOK {
			b.Errorf("%s: %d %.200s", path, status, text)
		}
	}
}

// search reads the pages of a search, again and again.
func (s *attacked) search(b *testing.B, ended chan struct{}, searches, refused *atomic.Int64) {
	const path = courseList + "?limit=100&q=even+odd"
	next := ""
	for {
		select {
		case <-ended:
			return
		default:
		}
		status, text := s.get(b, path+"&cursor="+url.QueryEscape(next), "")
		var page struct {
			Courses    []json.RawMessage
			NextCursor string
		}
		switch err := json.Unmarshal(text, &page); {
		case status == http.StatusServiceUnavailable:
			refused.Add(1)
		case status != http.StatusOK || err != nil || len(page.Courses) != 0:
			b.Errorf("a search: %d %.200s", status, text)
			return
		default:
			searches.Add(1)
			next = page.NextCursor
		}
	}
}

// attackers has a connection for each client.
var attackers = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2 * searchClients}}

func (s *attacked) get(b *testing.B, path, token string) (status int, text []byte) {
	r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, s.url+path, nil)
	if err != nil {
		b.Error(err)
		return 0, nil
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := attackers.Do(r)
	if err != nil {
		b.Error(err)
		return 0, nil
	}
	defer res.Body.Close()
	if text, err = io.ReadAll(res.Body); err != nil {
		b.Error(err)
	}
	return res.StatusCode, text
}

// timed is a bystander, and how long its requests took.
type timed struct {
	name    string
	request func(*testing.B)
	took    []time.Duration
}

func (y *timed) run(b *testing.B, ended chan struct{}) {
	every := time.NewTicker(bystanderPause)
	defer every.Stop()
	for {
		select {
		case <-ended:
			return
		case <-every.C:
			start := time.Now()
			y.request(b)
			y.took = append(y.took, time.Since(start))
		}
	}
}

// at returns a quantile of the times, which are sorted, in milliseconds.
func (y *timed) at(quantile float64) float64 {
	if len(y.took) == 0 {
		return 0
	}
	return float64(y.took[int(quantile*float64(len(y.took)-1))].Microseconds()) / 1000
}
