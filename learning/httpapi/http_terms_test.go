package httpapi_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/study"
)

// TestTerms_AgreeWithASecondReading compares what the API shows to a student with another reading
// of the rules of access (docs/api.md §18), which looks at each lecture by itself: with random
// courses, terms, progress, times, edits of the course, and decisions of admins.
func TestTerms_AgreeWithASecondReading(t *testing.T) {
	t.Parallel()
	const histories, steps = 8, 50
	for seed := range uint64(histories) {
		kit := learningtest.New(t)
		w := &termsWorld{site: newSite(t, kit), random: rand.New(rand.NewPCG(seed, 18)),
			teacher: kit.Person(t, "teacher", core.Educator), boss: kit.Person(t, "boss", core.Admin),
			done: map[string]bool{}}
		kit.Person(t, "ada", core.Student)
		w.teach(t)
		for step := range steps {
			did := w.step(t)
			if w.check(t); t.Failed() {
				t.Fatalf("seed %d, step %d, after %s at %v", seed, step, did, w.Clock.Now())
			}
		}
	}
}

// termsWorld is a course and a student of it, as the second reading knows them.
type termsWorld struct {
	*site
	random        *rand.Rand
	teacher, boss core.Actor

	id      string
	version int64
	terms   catalog.Terms
	content []catalog.Chapter

	isEnrolled bool
	firstAt    time.Time // of the first enrolment
	expiresAt  time.Time // zero for none
	opensAll   bool
	done       map[string]bool
}

// around returns a random time of whole hours, up to 20 days from now; half of them in the past.
func (w *termsWorld) around() time.Time {
	return w.Clock.Now().Add(time.Duration(w.random.IntN(960)-480) * time.Hour)
}

// describe sets random terms and a random content.
func (w *termsWorld) describe() {
	w.terms = catalog.Terms{InOrder: w.random.IntN(2) == 0}
	if w.random.IntN(2) == 0 {
		w.terms.Days = 1 + w.random.IntN(20)
	}
	if w.random.IntN(3) == 0 {
		w.terms.Until = w.around()
	}
	w.content = nil
	for i := range 3 {
		chapter := catalog.Chapter{ID: fmt.Sprint("chapter-", i), Title: "Tides"}
		switch w.random.IntN(3) {
		case 0:
			chapter.Opens.AfterDays = 1 + w.random.IntN(10)
		case 1:
			chapter.Opens.At = w.around()
		}
		for j := range 2 {
			id := fmt.Sprintf("lecture-%d-%d", i, j)
			chapter.Lectures = append(chapter.Lectures, catalog.Lecture{ID: id, Title: "Ebb",
				Minutes: 3, URL: "https://videos.example.org/paid/" + id,
				PreviewFree: w.random.IntN(8) == 0})
		}
		w.content = append(w.content, chapter)
	}
}

// teach publishes the course.
func (w *termsWorld) teach(t *testing.T) {
	t.Helper()
	w.describe()
	id, err := w.Platform.Catalog.AddCourse(t.Context(), w.teacher, catalog.NewCourse{
		Title: "Reading the Sea", Published: true, Terms: w.terms, Content: w.content,
	}, learningtest.Thumbnail(t))
	check(t, err)
	w.id, w.version = id, 1
}

// step does something at random, and returns what it was.
func (w *termsWorld) step(t *testing.T) string {
	t.Helper()
	now := w.Clock.Now()
	hasAccess := w.isEnrolled && !w.hasExpired()
	switch w.random.IntN(8) {
	case 0, 1:
		w.Clock.Advance(time.Duration(1+w.random.IntN(72)) * time.Hour)
		return "some hours"
	case 2: // edits that let enrolments as they are
		w.describe()
		c, err := w.Platform.Catalog.EditCourse(t.Context(), w.teacher, w.id, catalog.CourseEdit{
			Version: w.version, Terms: &w.terms, Content: w.content})
		check(t, err)
		w.version = c.Course.Version
		return "an edit"
	case 3:
		if hasAccess {
			return "nothing"
		}
		grant := study.Grant{UserID: "ada", CourseID: w.id}
		if w.expiresAt = w.endOf(now); w.terms.HasEnded(now) {
			w.expiresAt = now.Add(50 * time.Hour)
			grant.ExpiresAt = w.expiresAt
		}
		_, err := w.Platform.Study.GrantEnrollment(t.Context(), w.boss, grant)
		check(t, err)
		if w.firstAt.IsZero() {
			w.firstAt = now
		}
		w.isEnrolled, w.opensAll = true, false
		return "a grant"
	case 4:
		if !w.isEnrolled || w.random.IntN(3) > 0 {
			return "nothing"
		}
		check(t, w.Platform.Study.EndEnrollment(t.Context(), w.boss, "ada", w.id))
		w.isEnrolled = false
		return "the end of the enrolment"
	case 5:
		if !w.isEnrolled {
			return "nothing"
		}
		w.decide(t)
		return "a decision"
	}
	return w.complete(t)
}

// decide changes the end of access, or whether all lectures are open, as an admin.
func (w *termsWorld) decide(t *testing.T) {
	t.Helper()
	change := study.EnrollmentChange{UserID: "ada", CourseID: w.id}
	if w.random.IntN(2) == 0 {
		w.opensAll = !w.opensAll
		change.OpenAll = &w.opensAll
	} else {
		w.expiresAt = w.around()
		if w.random.IntN(3) == 0 {
			w.expiresAt = time.Time{}
		}
		change.ExpiresAt = &w.expiresAt
	}
	_, err := w.Platform.Study.ChangeEnrollment(t.Context(), w.boss, change)
	check(t, err)
	if !w.expiresAt.IsZero() && change.ExpiresAt != nil && w.expiresAt.Before(w.Clock.Now()) {
		w.expiresAt = w.Clock.Now() // a past time ends access now
	}
}

// complete marks a lecture as completed, which is refused for one that is closed.
func (w *termsWorld) complete(t *testing.T) string {
	t.Helper()
	i, j := w.random.IntN(len(w.content)), w.random.IntN(2)
	id := w.content[i].Lectures[j].ID
	lock := w.lockOf(i, j)
	want := ""
	switch {
	case !w.isEnrolled:
		want = "Course not purchased"
	case w.hasExpired():
		want = "Your access to this course has ended"
	case lock.By != "":
		want = "This lecture is not open yet"
	}
	body := fmt.Sprintf(`{"courseId":%q,"lectureId":%q}`, w.id, id)
	w.answer(t, http.MethodPost, "/api/user/update-course-progress", body, want, nil)
	if want == "" {
		w.done[id] = true
	}
	return "completing " + id
}

// endOf returns when access ends that begins at a time, by the terms.
func (w *termsWorld) endOf(start time.Time) time.Time {
	var ends []time.Time
	if w.terms.Days > 0 {
		ends = append(ends, start.Add(time.Duration(w.terms.Days*24)*time.Hour))
	}
	if !w.terms.Until.IsZero() {
		ends = append(ends, w.terms.Until)
	}
	if len(ends) == 0 {
		return time.Time{}
	}
	return slices.MinFunc(ends, time.Time.Compare)
}

func (w *termsWorld) hasExpired() bool {
	return !w.expiresAt.IsZero() && !w.expiresAt.After(w.Clock.Now())
}

// lockOf returns why a lecture is closed to someone who has access.
func (w *termsWorld) lockOf(chapter, lecture int) (lock catalog.Lock) {
	l, opens := w.content[chapter].Lectures[lecture], w.content[chapter].Opens
	if w.opensAll || l.PreviewFree || w.done[l.ID] {
		return lock
	}
	if opens.AfterDays > 0 {
		opens.At = w.firstAt.Add(time.Duration(24*opens.AfterDays) * time.Hour)
	}
	if opens.At.After(w.Clock.Now()) {
		return catalog.Lock{By: catalog.LockedByTime, OpensAt: opens.At}
	}
	for i, ch := range w.content {
		for j, before := range ch.Lectures {
			isBefore := i < chapter || i == chapter && j < lecture
			if isBefore && w.terms.InOrder && !w.done[before.ID] {
				return catalog.Lock{By: catalog.LockedByOrder}
			}
		}
	}
	return lock
}

// answer sends a request of the student. It wants a failure with a message, or for "" a success,
// whose answer it reads into v. It returns the body.
func (w *termsWorld) answer(
	t *testing.T, method, path, body, message string, v any,
) string {
	t.Helper()
	headers := append(w.as("ada"), "Content-Type", "application/json")
	got := w.do(method, path, body, headers...)
	text := got.Body.String()
	wantStatus := http.StatusOK
	if message != "" {
		wantStatus = http.StatusForbidden
	}
	if got.Code != wantStatus || !strings.Contains(text, message) {
		t.Errorf("%s %s: %d %s, want %d %q", method, path, got.Code, text, wantStatus, message)
	} else if v != nil {
		check(t, json.Unmarshal([]byte(text), v))
	}
	return text
}

// shownLecture is a lecture as the enrolled detail shows it.
type shownLecture struct {
	ID       string           `json:"lectureId"`
	URL      string           `json:"lectureUrl"`
	IsLocked bool             `json:"isLocked"`
	OpensAt  *time.Time       `json:"opensAt"`
	LockedBy catalog.LockedBy `json:"lockedBy"`
}

// check compares what the API shows to the student with the second reading.
func (w *termsWorld) check(t *testing.T) {
	t.Helper()
	refused := ""
	switch {
	case !w.isEnrolled:
		refused = "Access denied or course not found"
	case w.hasExpired():
		refused = "Your access to this course has ended"
	}
	var shown struct {
		Course struct {
			ExpiresAt *time.Time `json:"expiresAt"`
			Content   []struct {
				Lectures []shownLecture `json:"chapterContent"`
			} `json:"courseContent"`
		} `json:"courseData"`
	}
	enrolled := w.answer(t, http.MethodGet, "/api/user/enrolled-courses/"+w.id, "", refused, &shown)
	public := w.answer(t, http.MethodGet, "/api/course/"+w.id, "", "", nil)
	list := w.answer(t, http.MethodGet, "/api/user/enrolled-courses", "", "", nil)

	if got := strings.Contains(list, w.id); got != w.isEnrolled {
		t.Errorf("the list has the course: %t", got)
	}
	if isExpired := strings.Contains(list, `"isExpired":true`); w.isEnrolled &&
		isExpired != w.hasExpired() {
		t.Errorf("the list says that access has ended: %t", isExpired)
	}
	if end := shown.Course.ExpiresAt; refused == "" && !sameTime(end, w.expiresAt) {
		t.Errorf("access ends at %v, want %v", end, w.expiresAt)
	}
	for i, ch := range w.content {
		for j, l := range ch.Lectures {
			lock := w.lockOf(i, j)
			mayRead := l.PreviewFree || refused == "" && lock.By == ""
			if !mayRead && strings.Contains(enrolled+public+list, l.URL+`"`) {
				t.Errorf("%s is shown", l.URL)
			}
			if refused != "" {
				continue
			}
			got := shown.Course.Content[i].Lectures[j]
			if got.ID != l.ID || got.IsLocked != (lock.By != "") || got.LockedBy != lock.By ||
				!sameTime(got.OpensAt, lock.OpensAt) || mayRead != (got.URL == l.URL) {
				t.Errorf("%+v, want the lock %+v", got, lock)
			}
		}
	}
}

// sameTime reports whether an answer shows a time; null is no time.
func sameTime(shown *time.Time, want time.Time) bool {
	if shown == nil {
		return want.IsZero()
	}
	return shown.Equal(want.Truncate(time.Millisecond))
}
