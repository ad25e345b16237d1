package httpapi_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/people"
)

const list = "/api/course/all"

// countingStore is a store that counts the reads of the list, and calls before before each.
type countingStore struct {
	learning.Store
	lists  atomic.Int64
	before func() error // nil: nothing
}

func (w *countingStore) Courses(
	ctx context.Context, q catalog.CourseQuery, search core.WordSearch,
	page learning.PageRequest,
) ([]catalog.Course, error) {
	w.lists.Add(1)
	if w.before != nil {
		if err := w.before(); err != nil {
			return nil, err
		}
	}
	return w.Store.Courses(ctx, q, search, page)
}

func countingSite(t *testing.T) (*site, *countingStore) {
	t.Helper()
	w := &countingStore{}
	kit := wrapped(t, func(st learning.Store) learning.Store {
		w.Store = st
		return w
	})
	return newSite(t, kit), w
}

// lists reports whether the list shows a course.
func (s *site) lists(course string) bool {
	s.tb.Helper()
	answer := s.get(list)
	if answer.Code != http.StatusOK {
		s.tb.Fatalf("the list answers %d %s", answer.Code, answer.Body)
	}
	return strings.Contains(answer.Body.String(), `"_id":"`+course+`"`)
}

func TestCourseList_ShowsAChangeOfThisProcessAtOnce(t *testing.T) {
	s, _ := countingSite(t)
	for i := range 20 {
		id := fmt.Sprintf("course_%d", i)
		if s.lists(id) {
			t.Fatalf("%s is listed before it exists", id)
		}
		s.Course(t, id, 100_00)
		if !s.lists(id) {
			t.Fatalf("%s is not listed at once", id)
		}
	}
}

func TestCourseList_ShowsANewNameAtOnceAndAnEnrolmentWithinASecond(t *testing.T) {
	s := fixtureSite(t)
	synctest.Test(t, func(t *testing.T) {
		if got := s.get(list).Body.String(); strings.Contains(got, `"totalEnrolledStudents":4`) ||
			strings.Contains(got, "Renamed") {
			t.Fatalf("unexpected list of the fixture: %s", got)
		}
		check(t, s.Platform.System().CapturePayment(t.Context(),
			payment.Payment{ID: "pay_1", OrderID: "order_open", PurchaseID: "purchase_open",
				Amount: new(core.Money(449_10)), Currency: "INR"}))
		time.Sleep(time.Second)
		if !strings.Contains(s.get(list).Body.String(), `"totalEnrolledStudents":4`) {
			t.Error("the list does not show the enrolment after a second")
		}
		check(t, s.Platform.System().ApplyIdentityEvent(t.Context(),
			people.IdentityEvent{SentAt: s.Clock.Now(), Type: people.UserUpdated,
				User: people.IdentityUser{ID: "educator", FirstName: "Renamed"}}))
		if !strings.Contains(s.get(list).Body.String(), "Renamed") {
			t.Error("the list does not show the new name")
		}
	})
}

func TestCourseList_ShowsAChangeOfAnotherProcessWithinASecond(t *testing.T) {
	database := "sqlite:" + filepath.Join(t.TempDir(), "shared.db")
	here := newSite(t, learningtest.New(t, learningtest.WithDatabase(database)))
	there := learningtest.New(t, learningtest.WithDatabase(database),
		learningtest.WithSandbox(here.Sandbox))
	synctest.Test(t, func(t *testing.T) {
		for i := range 3 {
			id := fmt.Sprintf("course_%d", i)
			here.get(list) // cached as late as possible
			there.Course(t, id, 100_00)
			time.Sleep(time.Second)
			if !here.lists(id) {
				t.Errorf("%s is not listed after a second", id)
			}
		}
	})
}

func TestCourseList_ConcurrentRequestsMakeOneQuery(t *testing.T) {
	const clients = 100
	s, w := countingSite(t)
	s.Course(t, "course_go", 100_00)
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		w.before = func() error { <-release; return nil }
		var all sync.WaitGroup
		for range clients {
			all.Go(func() {
				if got := s.get(list); got.Code != http.StatusOK ||
					!strings.Contains(got.Body.String(), "course_go") {
					t.Errorf("the list answers %d %s", got.Code, got.Body)
				}
			})
		}
		synctest.Wait() // until all clients wait for the list
		close(release)
		all.Wait()
	})
	if n := w.lists.Load(); n != 1 {
		t.Errorf("%d queries for %d clients", n, clients)
	}
}

// If reading the list takes longer than a list stays fresh, callers must still get an answer.
func TestCourseList_SlowQueryRunsOnce(t *testing.T) {
	s, w := countingSite(t)
	s.Course(t, "course_go", 100_00)
	synctest.Test(t, func(t *testing.T) {
		// longer than a list is fresh
		w.before = func() error { time.Sleep(1200 * time.Millisecond); return nil }
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				if got := s.get(list); got.Code != http.StatusOK {
					t.Errorf("the list answers %d %s", got.Code, got.Body)
				}
			})
		}
		all.Wait()
	})
	if n := w.lists.Load(); n != 1 {
		t.Errorf("it was made %d times", n)
	}
}

// The change comes while the list is read, perhaps too late to be in it.
func TestCourseList_ChangeDuringTheQueryIsInTheNextAnswer(t *testing.T) {
	s, w := countingSite(t)
	begun, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	w.before = func() error {
		once.Do(func() { close(begun); <-release })
		return nil
	}
	var all sync.WaitGroup
	all.Go(func() { s.get(list) })
	<-begun
	s.Course(t, "course_late", 100_00)
	all.Go(func() {
		if !s.lists("course_late") {
			t.Error("a request after the change does not see it")
		}
	})
	close(release)
	all.Wait()
}

func TestCourseList_RecoversFromAFailure(t *testing.T) {
	s, w := countingSite(t)
	s.Course(t, "course_go", 100_00)
	w.before = func() error { return errors.New("the database is unavailable") }
	for range 2 {
		if got := s.get(list); got.Code != http.StatusInternalServerError {
			t.Errorf("the list answers %d", got.Code)
		}
	}
	w.before = nil
	if !s.lists("course_go") {
		t.Error("the list is still empty")
	}
}

// A caller that cancels does not affect the others.
func TestCourseList_FirstClientLeaves(t *testing.T) {
	s, w := countingSite(t)
	s.Course(t, "course_go", 100_00)
	begun, release := make(chan struct{}), make(chan struct{})
	w.before = func() error { close(begun); <-release; return nil }
	ctx, leave := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, list, nil)
		check(t, err)
		s.handler.ServeHTTP(&closedWriter{}, r)
	})
	<-begun
	leave()
	all.Go(func() {
		if !s.lists("course_go") {
			t.Error("the second client does not see the course")
		}
	})
	close(release)
	all.Wait()
	if n := w.lists.Load(); n != 1 {
		t.Errorf("it was made %d times", n)
	}
}

func TestCourseList_EntityTagMatches(t *testing.T) {
	s, _ := countingSite(t)
	s.Course(t, "course_go", 100_00)
	first := s.get(list)
	tag := first.Header().Get("ETag")
	for _, header := range []string{tag, "W/" + tag, `"other", ` + tag, "*"} {
		got := s.do(http.MethodGet, list, "", "If-None-Match", header)
		if got.Code != http.StatusNotModified || got.Body.Len() > 0 ||
			got.Header().Get("ETag") != tag || got.Header().Get("Content-Length") != "" {
			t.Errorf("with %s: %d, %d bytes, headers %v", header, got.Code, got.Body.Len(),
				got.Header())
		}
	}
	for _, header := range []string{"", `"other"`, strings.Trim(tag, `"`), strings.ToUpper(tag)} {
		if got := s.do(http.MethodGet, list, "", "If-None-Match", header); got.Code !=
			http.StatusOK || got.Body.String() != first.Body.String() {
			t.Errorf("with %q: %d", header, got.Code)
		}
	}
	s.Course(t, "course_new", 100_00)
	if got := s.do(http.MethodGet, list, "", "If-None-Match", tag); got.Code != http.StatusOK ||
		got.Header().Get("ETag") == tag {
		t.Errorf("after a change: %d, %s", got.Code, got.Header().Get("ETag"))
	}
}

func TestCourseList_GzipWhenAccepted(t *testing.T) {
	s, _ := countingSite(t)
	s.Course(t, "course_go", 100_00)
	plain := s.get(list)
	for header, zipped := range map[string]bool{
		"gzip": true, "GZIP": true, "br, gzip;q=0.5": true, "*": true, "gzip ; q=1": true,
		"": false, "identity": false, "gzip;q=0": false, "gzip;q=0.000": false, "x-gzip": false,
		"gzip;q=nonsense": false,
	} {
		got := s.do(http.MethodGet, list, "", "Accept-Encoding", header)
		if is := got.Header().Get("Content-Encoding") == "gzip"; is != zipped {
			t.Errorf("with %q: zipped is %v", header, is)
			continue
		}
		if body := unzipped(t, got.Body.Bytes(), zipped); body != plain.Body.String() {
			t.Errorf("with %q the list differs", header)
		}
		if same := got.Header().Get("ETag") == plain.Header().Get("ETag"); same == zipped {
			t.Errorf("with %q the entity tag is %s", header, got.Header().Get("ETag"))
		}
	}
}

func unzipped(t *testing.T, body []byte, zipped bool) string {
	t.Helper()
	if !zipped {
		return string(body)
	}
	z, err := gzip.NewReader(bytes.NewReader(body))
	check(t, err)
	text, err := io.ReadAll(z)
	check(t, err)
	return string(text)
}
