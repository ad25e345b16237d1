package httpapi_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/contracttest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/tutor"
)

// twoSites returns two sites in one process, each with its own fixture and providers. The first
// one has more options.
func twoSites(t *testing.T, opts ...httpapi.Option) (a, b *site) {
	t.Helper()
	return fixtureSite(t, opts...), fixtureSite(t)
}

func TestSeveralPlatforms_CountTheirOwnLimits(t *testing.T) {
	a, b := twoSites(t,
		httpapi.WithLimits(httpapi.Limit{Name: httpapi.AdminLimit, Requests: 1, Window: time.Hour}))
	stats := func(s *site) int {
		return s.do(http.MethodGet, "/api/admin/stats", "",
			s.as("admin")...).Code
	}
	for range 2 {
		stats(a)
	}
	if status := stats(a); status != http.StatusTooManyRequests {
		t.Fatalf("the limit of the first platform is not used up: %d", status)
	}
	if status := stats(b); status != http.StatusOK {
		t.Errorf("the other platform answers %d", status)
	}
}

func TestSeveralPlatforms_HaveTheirOwnCatalogue(t *testing.T) {
	a, b := twoSites(t)
	list := func(s *site) string { return s.get("/api/course/all").Body.String() }
	list(a)
	list(b)
	a.Course(t, "course_of_a", 100)
	if got := list(a); !strings.Contains(got, "course_of_a") {
		t.Errorf("the platform with the new course answers %s", got)
	}
	if got := list(b); strings.Contains(got, "course_of_a") {
		t.Errorf("the other platform answers %s", got)
	}
}

// The sandboxes have the same users and different keys.
func TestSeveralPlatforms_AcceptTheirOwnTokens(t *testing.T) {
	a, b := twoSites(t)
	token := a.as("student")
	for range 2 { // verified tokens are cached
		if got := a.do(http.MethodGet, "/api/user/data", "", token...); got.Code != http.StatusOK {
			t.Fatalf("the platform of the token answers %d %s", got.Code, got.Body)
		}
		if got := b.do(http.MethodGet, "/api/user/data", "", token...); got.Code !=
			http.StatusUnauthorized {
			t.Errorf("the other platform answers %d %s", got.Code, got.Body)
		}
	}
}

// stoppedAI does not answer until it is released.
type stoppedAI struct {
	tutor.AI
	called, released chan struct{}
}

func (s *stoppedAI) Complete(ctx context.Context, _ tutor.AIRequest) (tutor.AIReply, error) {
	close(s.called)
	select {
	case <-s.released:
	case <-ctx.Done():
	}
	return tutor.AIReply{}, errors.New("no answer")
}

// Both platforms write the quiz of a chapter with the same ids at the same time.
func TestSeveralPlatforms_DoNotWaitForEachOthersCalls(t *testing.T) {
	const unwritten = "/api/quiz/course_go/chapter_2"
	ai := &stoppedAI{called: make(chan struct{}), released: make(chan struct{})}
	kit := learningtest.New(t, learningtest.WithPlatform(learning.WithAI(ai)))
	contracttest.Fill(t, kit.Store)
	for _, u := range contracttest.FixtureUsers {
		check(t, kit.Sandbox.Identity().PutUserQuietly(u))
	}
	a, b := newSite(t, kit), fixtureSite(t)
	signedIn := a.as("collector")
	var waiting sync.WaitGroup
	defer waiting.Wait()
	defer close(ai.released)
	waiting.Go(func() { a.do(http.MethodGet, unwritten, "", signedIn...) })
	<-ai.called
	if got := b.do(http.MethodGet, unwritten, "", b.as("collector")...); got.Code != http.StatusOK {
		t.Errorf("the other platform answers %d %s", got.Code, got.Body)
	}
}

func TestSeveralPlatforms_DescribeThemselvesConcurrently(t *testing.T) {
	row := route(http.MethodGet, "/of-a", nothing)
	a, b := twoSites(t, httpapi.WithRoutes(row), httpapi.WithPublicURL("https://a.example.org"))
	var described sync.WaitGroup
	documents := make([]string, 2)
	for i, s := range []*site{a, b} {
		described.Go(func() { documents[i] = s.get("/openapi.json").Body.String() })
	}
	described.Wait()
	for i, has := range []bool{true, false} {
		for _, text := range []string{`"/of-a"`, "https://a.example.org"} {
			if strings.Contains(documents[i], text) != has {
				t.Errorf("document %d: that it contains %s is %v, want %v", i, text, !has, has)
			}
		}
	}
}

func TestSeveralPlatforms_LogTheirOwnRequests(t *testing.T) {
	a, b := twoSites(t)
	a.get("/api/course/all")
	if got := b.Log.Count("msg=request"); got != 0 {
		t.Errorf("the other platform logged %d requests", got)
	}
	if got := a.Log.Count("msg=request"); got != 1 {
		t.Errorf("the platform logged %d requests, want 1", got)
	}
}
