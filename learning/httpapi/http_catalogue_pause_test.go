package httpapi_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/openlectern/openlectern/learning"
)

// Under twenty enrolments a second, the list is made at most for a tenth of the time, no
// request waits for it, and it is as fresh as that allows.
func TestCourseList_EnrolmentsDoNotSlowItDown(t *testing.T) {
	for takes, oldest := range map[time.Duration]time.Duration{
		10 * time.Millisecond:  time.Second,
		90 * time.Millisecond:  time.Second,
		300 * time.Millisecond: 11 * 300 * time.Millisecond,
		2 * time.Second:        11 * 2 * time.Second,
	} {
		t.Run(takes.String(), func(t *testing.T) {
			s := newSlowList(t, takes)
			synctest.Test(t, func(t *testing.T) {
				const during = time.Minute
				s.students(t) // made for the first time
				s.store.lists.Store(0)
				old, slowest := s.sell(t, during)
				if old > oldest || slowest > 0 {
					t.Errorf(
						"an answer did not have an enrolment %v after it, want at most %v, and "+
							"one took %v", old, oldest, slowest)
				}
				if n := s.store.lists.Load(); time.Duration(n)*takes > during/10+takes {
					t.Errorf("the list was made %d times in %v", n, during)
				}
			})
		})
	}
}

func TestCourseList_ShowsACourseAtOnceBetweenSlowMakings(t *testing.T) {
	s := newSlowList(t, 300*time.Millisecond)
	synctest.Test(t, func(t *testing.T) {
		s.students(t)
		s.enroll(t)
		for _, id := range []string{"course_new", "course_newer"} {
			s.Course(t, id, 100_00)
			if !s.lists(id) {
				t.Errorf("%s is not listed at once", id)
			}
		}
	})
}

// A list whose making waited for a slow database is not served for long.
func TestCourseList_OneVerySlowMakingDelaysTheNextByHalfAMinute(t *testing.T) {
	s := newSlowList(t, 20*time.Second)
	synctest.Test(t, func(t *testing.T) {
		s.students(t)
		s.store.before = nil
		s.enroll(t)
		time.Sleep(30 * time.Second)
		s.students(t)
		synctest.Wait()
		if n := s.students(t); n != 1 {
			t.Errorf("the list shows %d students", n)
		}
	})
}

// slowList is a site with one course whose list takes a time to make.
type slowList struct {
	*site
	store *countingStore
}

func newSlowList(t *testing.T, takes time.Duration) slowList {
	t.Helper()
	s, store := countingSite(t)
	s.Course(t, "course_go", 100_00)
	store.before = func() error { time.Sleep(takes); return nil }
	return slowList{s, store}
}

// sell enrols twenty students a second and requests the list after each. It returns the
// longest time after an enrolment in which an answer did not have it, and the longest time of
// an answer.
func (s slowList) sell(t *testing.T, during time.Duration) (oldest, slowest time.Duration) {
	t.Helper()
	const every = time.Second / 20
	var enrolled []time.Time
	for range during / every {
		s.enroll(t)
		enrolled = append(enrolled, time.Now())
		if shown := s.students(t); shown < len(enrolled) {
			oldest = max(oldest, time.Since(enrolled[shown]))
		}
		slowest = max(slowest, time.Since(enrolled[len(enrolled)-1]))
		time.Sleep(every)
	}
	return oldest, slowest
}

// enroll adds one to the students of the course.
func (s slowList) enroll(t *testing.T) {
	t.Helper()
	check(t, s.store.InTx(t.Context(),
		func(tx learning.Tx) error { return tx.AddToStudentCount(t.Context(), "course_go", 1) }))
}

// students requests the list and returns how many students the course has there.
func (s slowList) students(t *testing.T) int {
	t.Helper()
	var answer struct {
		Courses []struct {
			Students int `json:"totalEnrolledStudents"`
		} `json:"courses"`
	}
	got := s.get(list)
	if err := json.Unmarshal(got.Body.Bytes(), &answer); err != nil || got.Code != http.StatusOK {
		t.Fatalf("the list answers %d: %v", got.Code, err)
	}
	return answer.Courses[0].Students
}
