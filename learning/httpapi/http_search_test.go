package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"

	"github.com/openlectern/openlectern/internal/baseline"
	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/faultystore"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// Two frequent words meet in few courses only. The pages of the search have each of these once,
// although some pages have no course.
func TestSearch_EmptyPage_HasACursorThatContinuesIt(t *testing.T) {
	t.Parallel()
	const courses, every = 6_000, 5_000
	database := enginetest.SQLite(t)
	kit := learningtest.New(t, learningtest.WithDatabase(database))
	fillWords(t, baseline.Open(t, database), courses, every)
	s := newSite(t, kit)

	for _, sort := range []string{"", "&sort=newest", "&sort=popular", "&sort=rating",
		"&sort=price"} {
		found, empty := map[string]int{}, 0
		path := "/api/course/all?limit=100&q=even+odd" + sort
		for next := ""; ; {
			var page struct {
				Courses []struct {
					ID string `json:"_id"`
				}
				NextCursor *string
			}
			answer := s.do(http.MethodGet, path+"&cursor="+url.QueryEscape(next), "")
			if err := json.Unmarshal(answer.Body.Bytes(), &page); err != nil ||
				answer.Code != http.StatusOK {
				t.Fatalf("%s: %d %.200s", path, answer.Code, answer.Body)
			}
			for _, c := range page.Courses {
				found[c.ID]++
			}
			if page.NextCursor == nil {
				break
			}
			if next = *page.NextCursor; len(page.Courses) == 0 {
				empty++
			}
		}
		want := map[string]int{"course-000000": 1, "course-005000": 1}
		if fmt.Sprint(found) != fmt.Sprint(want) || empty == 0 {
			t.Errorf("%s: found %v, want %v; %d pages are empty", path, found, want, empty)
		}
	}
}

// fillWords publishes courses that have the word even or odd, and some that have both.
func fillWords(t *testing.T, p baseline.Pools, courses, every int) {
	t.Helper()
	id := func(i int) string { return fmt.Sprintf("course-%06d", i) }
	p.Insert(t,
		"courses (id, title, thumbnail, price, discount, is_published, educator_id, rating_sum, "+
			"rating_count, lectures, minutes, students, revision, created_at, "+
			"updated_at, "+
			"description)", courses, func(i int) string {
			at := fmt.Sprintf("'2026-01-01 %02d:%02d:%02d.000000'", i/3600, i/60%60, i%60)
			return fmt.Sprintf(
				"'%s', '', '', %d, 0, 1, 'teacher', %d, 10, 1, 1, %d, 1, %s, %s, ''",
				id(i), i%7, i%5, i%3, at, at)
		})
	insert := func(n, step int, word func(i int) string) {
		p.Insert(t, "search_words (person_id, list, row_id, word)", n, func(i int) string {
			return fmt.Sprintf("'', %d, '%s', '%s'", catalog.CourseWords, id(i*step), word(i*step))
		})
	}
	words := []string{"even", "odd"}
	insert(courses, 1, func(i int) string { return words[i%2] })
	insert((courses+every-1)/every, every, func(i int) string { return words[1-i%2] })
}

// The anonymous searches take all slots that anonymous callers have. Another one is told when to
// try again, and the search of a signed-in user is answered.
func TestSearch_MoreThanSlots_IsRefusedAndOthersAreNot(t *testing.T) {
	t.Parallel()
	begun, blocked := make(chan struct{}, 10), make(chan struct{})
	unblock := sync.OnceFunc(func() { close(blocked) })
	kit := learningtest.New(t, learningtest.WithStore(func(s learning.Store) learning.Store {
		return faultystore.With(s, func(ctx context.Context, step string) error {
			if step == "count words" && core.ReadClassOf(ctx) == core.AnonymousReads {
				begun <- struct{}{}
				<-blocked
			}
			return nil
		})
	}))
	s := newSite(t, kit, httpapi.WithMemoryWait(0))
	admin := kit.Person(t, "admin", core.Admin)
	var all sync.WaitGroup
	defer all.Wait()
	defer unblock()
	// Searches begin, and hold their slots, until one is refused.
	var a *httptest.ResponseRecorder
	answers := make(chan *httptest.ResponseRecorder, 10)
	for held := 0; a == nil; held++ {
		all.Go(func() { answers <- s.do(http.MethodGet, "/api/course/all?q=sea", "") })
		select {
		case <-begun:
		case a = <-answers:
			if held == 0 {
				t.Fatalf("the first search: %d %s", a.Code, a.Body)
			}
		}
	}

	want := `{"success":false,"message":"Too many searches at once. Please try again in a few seconds."}`
	if a.Code != http.StatusServiceUnavailable || a.Header().Get("Retry-After") != "2" ||
		a.Body.String() != want {
		t.Errorf("another search: %d %v %s", a.Code, a.Header(), a.Body)
	}
	token := []string{"Authorization", "Bearer " + kit.Token(t, admin.UserID)}
	for path, headers := range map[string][]string{
		"/api/course/all?q=sea":       token,
		"/api/admin/users?q=admin":    token,
		"/api/course/all?sort=newest": nil, // no search
		"/api/course/all":             nil,
	} {
		if a := s.do(http.MethodGet, path, "", headers...); a.Code != http.StatusOK {
			t.Errorf("%s: %d %s", path, a.Code, a.Body)
		}
	}
	unblock()
	all.Wait()
	close(answers)
	for a := range answers {
		if a.Code != http.StatusOK {
			t.Errorf("a search that has a slot: %d %s", a.Code, a.Body)
		}
	}
	if a := s.do(http.MethodGet, "/api/course/all?q=sea", ""); a.Code != http.StatusOK {
		t.Errorf("a search afterwards: %d %s", a.Code, a.Body)
	}
}
