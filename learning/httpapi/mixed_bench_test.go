package httpapi_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/baseline"
	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// BenchmarkMixedRequests sends the requests of 64 people at once, over HTTP, who read, vote for the
// same post, reply to it and take the same course, on an idle machine and beside eight processes
// that only compute. No request may fail.
func BenchmarkMixedRequests(b *testing.B) {
	const people = 64
	enginetest.Each(b, enginetest.Dialects, func(b *testing.B, e enginetest.Engine) {
		kit := learningtest.New(b, learningtest.WithDatabase(e.URL(b)))
		handler, err := httpapi.New(kit.Platform, httpapi.WithLimiters(unlimited))
		if err != nil {
			b.Fatal(err)
		}
		site := mixedSite{url: kit.Serve(b, handler, ""), course: kit.Course(b, "go", 0),
			client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: people}}}
		b.Cleanup(site.client.CloseIdleConnections)
		for i := range people {
			who := kit.Person(b, fmt.Sprintf("person_%d", i), core.Student)
			site.tokens = append(site.tokens, kit.Token(b, who.UserID))
			if i > 0 {
				continue
			}
			post, err := kit.Platform.Community.CreatePost(b.Context(), who,
				community.NewPost{Title: "Knots", Content: "Which one holds?"})
			if err != nil {
				b.Fatal(err)
			}
			site.post = post.ID
		}
		for _, others := range []int{0, 8} {
			b.Run(fmt.Sprintf("busy=%d", others), func(b *testing.B) {
				baseline.Busy(b, others)
				var all []time.Duration
				for b.Loop() {
					all = append(all, site.atOnce(b)...)
				}
				slices.Sort(all)
				b.ReportMetric(float64(all[len(all)/2].Microseconds())/1e3, "p50-ms")
				b.ReportMetric(float64(all[len(all)-1].Microseconds())/1e3, "max-ms")
			})
		}
	})
}

// mixedSite is a served platform with people, a course and a post.
type mixedSite struct {
	url, course, post string
	client            *http.Client
	tokens            []string
}

// atOnce sends the ten requests of each person, and returns how long each took.
func (s mixedSite) atOnce(b *testing.B) []time.Duration {
	b.Helper()
	post := "/api/community/posts/" + s.post
	requests := []struct{ method, path, body string }{
		{http.MethodGet, "/api/course/all", ""},
		{http.MethodPost, post + "/upvote", ""},
		{http.MethodPost, "/api/user/purchase", `{"courseId":"` + s.course + `"}`},
		{http.MethodGet, post, ""},
		{http.MethodPost, post + "/replies", `{"content":"The bowline."}`},
		{http.MethodGet, "/api/user/data", ""},
		{http.MethodPost, post + "/upvote", ""},
		{http.MethodGet, "/api/course/" + s.course, ""},
		{http.MethodPost, post + "/upvote", ""},
		{http.MethodGet, "/api/community/posts", ""},
	}
	times := make([]time.Duration, len(s.tokens)*len(requests))
	var all sync.WaitGroup
	for person, token := range s.tokens {
		all.Go(func() {
			for i, q := range requests {
				r, err := http.NewRequestWithContext(b.Context(), q.method, s.url+q.path,
					strings.NewReader(q.body))
				if err != nil {
					b.Error(err)
					return
				}
				r.Header.Set("Authorization", "Bearer "+token)
				r.Header.Set("Content-Type", "application/json")
				began := time.Now()
				res, err := s.client.Do(r)
				if err != nil {
					b.Error(err)
					return
				}
				res.Body.Close()
				times[person*len(requests)+i] = time.Since(began)
				if res.StatusCode >= http.StatusInternalServerError {
					b.Errorf("%s %s: %s", q.method, q.path, res.Status)
				}
			}
		})
	}
	all.Wait()
	return times
}
