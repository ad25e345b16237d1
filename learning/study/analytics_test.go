package study_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/study"
)

// pages returns the rows of the list as lines, with the time in seconds.
func pages(a study.Analytics) (lines []string) {
	for _, p := range a.Pages {
		lines = append(lines,
			fmt.Sprintf("%s %s %ds %d", p.Page, p.Path, p.Time.Seconds(), p.Visits))
	}
	return lines
}

func courses(a study.Analytics) (lines []string) {
	for _, c := range a.Courses {
		line := fmt.Sprintf("%s %ds %d, quizzes %ds %d:", c.ID, c.Learning.Time.Seconds(),
			c.Learning.Visits, c.Quizzes.Time.Seconds(), c.Quizzes.Visits)
		for _, ch := range c.Chapters {
			line += fmt.Sprintf(" %s (%s) %ds %d", ch.ID, ch.Title, ch.Time.Seconds(), ch.Visits)
		}
		lines = append(lines, line)
	}
	return lines
}

func TestAnalytics_RoundsSums(t *testing.T) {
	for ms, want := range map[core.Milliseconds]int64{0: 0, 1: 0, 499: 0, 500: 1, 999: 1,
		1_000: 1, 1_499: 1, 1_500: 2, 2_500: 3, 1 << 62: (1<<62 + 500) / 1000} {
		if got := ms.Seconds(); got != want {
			t.Errorf("%d ms are %d s, want %d", ms, got, want)
		}
	}
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		ada := w.Person(t, "ada", core.Student)
		for range 3 { // 0.4 s a page and day: 0.8 s and 0.4 s are 1 and 0, all together 3.6 s are 4
			w.Visit(t, ada, "A", "/a", 0.2)
			w.Visit(t, ada, "A", "/a", 0.2)
			w.Visit(t, ada, "B", "/b", 0.4)
			w.Visit(t, ada, "C", "/c", 0.4)
			w.Clock.Advance(24 * time.Hour)
		}
		a := w.Analytics(t, ada)
		if diff := cmp.Diff([]string{"A /a 1s 6", "B /b 1s 3", "C /c 1s 3"}, pages(a)); diff != "" {
			t.Error(diff)
		}
		if a.Time.Seconds() != 4 || a.Visits != 12 {
			t.Errorf("%d s in %d visits", a.Time.Seconds(), a.Visits)
		}
	})
}

func TestAnalytics_ExcludedPages(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		ada, course := w.Person(t, "ada", core.Student), w.Course(t, "go", 0)
		for _, page := range []string{"Home", "Browse Courses", "Course Details", "Analytics",
			"Other", "home", "Others", "Dashboard"} {
			w.Visit(t, ada, page, "/player/"+course, 10)
		}
		a := w.Analytics(t, ada)
		if diff := cmp.Diff([]string{"Dashboard /player/go 10s 1", "Others /player/go 10s 1",
			"home /player/go 10s 1"}, pages(a)); diff != "" {
			t.Error(diff)
		}
		if a.Time != 30_000 || a.Visits != 3 || a.Week[6].Time != 30_000 {
			t.Errorf("%+v in all, %+v today", a.Spent, a.Week[6])
		}
		if diff := cmp.Diff([]string{"go 80s 8, quizzes 0s 0:"}, courses(a)); diff != "" {
			t.Errorf("the time at a course is that of its paths: %s", diff)
		}
	})
}

func TestAnalytics_Week(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		ada := w.Person(t, "ada", core.Student)
		// the last moment of the day before
		w.Clock.Set(time.Date(2026, 2, 20, 0, 0, 0, 0, time.UTC).Add(-time.Nanosecond))
		w.Visit(t, ada, "Quiz", "/a", 1000)
		w.Clock.Advance(time.Nanosecond)
		w.Visit(t, ada, "Quiz", "/a", 1)
		w.Clock.Set(time.Date(2026, 2, 23, 9, 0, 0, 0, time.UTC))
		w.Visit(t, ada, "Quiz", "/a", 2)
		w.Visit(t, ada, "Player", "/b", 2.5)
		// the clock of another server is ahead
		w.Clock.Set(time.Date(2026, 2, 27, 0, 0, 0, 0, time.UTC))
		w.Visit(t, ada, "Quiz", "/a", 9)
		w.Clock.Set(time.Date(2026, 2, 26, 23, 59, 59, 999_999_999, time.UTC))
		w.Visit(t, ada, "Quiz", "/a", 3)
		var days []string
		for _, d := range w.Analytics(t, ada).Week {
			days = append(days, fmt.Sprint(d.Day.Format(time.DateTime), " ", d.Time))
		}
		want := []string{"2026-02-20 00:00:00 1000", "2026-02-21 00:00:00 0",
			"2026-02-22 00:00:00 0", "2026-02-23 00:00:00 4500",
			"2026-02-24 00:00:00 0", "2026-02-25 00:00:00 0", "2026-02-26 00:00:00 3000"}
		if diff := cmp.Diff(want, days); diff != "" {
			t.Error(diff)
		}
	})
}

func TestAnalytics_LongestTimeFirst(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		ada := w.Person(t, "ada", core.Student)
		for _, id := range []string{"z", "a", "most"} {
			w.TwoChapters(t, id)
		}
		w.Visit(t, ada, "Quiz", "/quiz/z/one", 1)
		w.Visit(t, ada, "Quiz", "/quiz/z/two", 1)
		w.Visit(t, ada, "Player", "/player/z", 3)
		w.Visit(t, ada, "Player", "/player/a", 5)
		w.Visit(t, ada, "Quiz", "/quiz/most/one", 4)
		w.Visit(t, ada, "Quiz", "/quiz/most/two", 4.001)
		w.Clock.Advance(time.Second)
		w.Visit(t, ada, "Quiz", "/b", 1)
		a := w.Analytics(t, ada)
		if diff := cmp.Diff([]string{"most 0s 0, quizzes 8s 2: two (Two) 4s 1 one (One) 4s 1",
			"a 5s 1, quizzes 0s 0:",
			"z 3s 1, quizzes 2s 2: one (One) 1s 1 two (Two) 1s 1"}, courses(a)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"Quiz /b 11s 5", "Player /player/z 8s 2"}, pages(a)); diff !=
			"" {
			t.Error(diff)
		}
	})
}

func TestAnalytics_PageHasThePathOfItsLatestVisit(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		ada := w.Person(t, "ada", core.Student)
		visit := func(page, path string, seconds float64) {
			w.Visit(t, ada, page, path, seconds)
			w.Clock.Advance(time.Millisecond)
		}
		shows := func(want ...string) {
			t.Helper()
			if diff := cmp.Diff(want, pages(w.Analytics(t, ada))); diff != "" {
				t.Error(diff)
			}
		}
		visit("Learning", "/player/z", 5)
		visit("Learning", "/player/a", 1)
		visit("Quiz", "/quiz/a/one", 2.4)
		shows("Learning /player/a 6s 2", "Quiz /quiz/a/one 2s 1")
		visit("Learning", "/player/z", 1)
		shows("Learning /player/z 7s 3", "Quiz /quiz/a/one 2s 1")
		w.Clock.Advance(24 * time.Hour)
		visit("Learning", "/player/b", 1)
		visit("Quiz", "/quiz/a/one", 20)
		shows("Quiz /quiz/a/one 22s 2", "Learning /player/b 8s 4")
		w.Exec(t, "UPDATE time_entries SET last_visit = NULL") // as before the column existed
		shows("Quiz /quiz/a/one 22s 2", "Learning /player/b 8s 4")
	})
}

// The path comes from the browser. Time on a path of an unknown course counts for the page and
// for no course.
func TestAnalytics_UnknownCourse(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		ada := w.Person(t, "ada", core.Student)
		for _, id := range []string{"kept", "emptied", "gone"} {
			w.TwoChapters(t, id)
			w.Visit(t, ada, "Quiz", "/quiz/"+id+"/one", 1.4)
			w.Visit(t, ada, "Quiz", "/quiz/"+id+"/one?again", 1.4)
			w.Visit(t, ada, "Quiz", "/quiz/"+id+"/never", 5)
		}
		w.Visit(t, ada, "Player", "/player/never", 5)
		w.Visit(t, ada, "Player", "/player/Kept", 5)
		w.Exec(t,
			"UPDATE course_contents SET content = REPLACE(content, 'one', 'new') WHERE course_id "+
				"= 'emptied'")
		w.Exec(t, "DELETE FROM courses WHERE id = 'gone'")
		a := w.Analytics(t, ada)
		if diff := cmp.Diff([]string{"kept 0s 0, quizzes 3s 2: one (One) 3s 2"},
			courses(a)); diff != "" {
			t.Error(diff)
		}
		if len(a.Pages) != 2 || a.Time != 3*7_800+10_000 {
			t.Errorf("%d pages, %d ms", len(a.Pages), a.Time)
		}
	})
}

// Every user can send the path of a draft, so that the analytics must not show its title.
func TestAnalytics_Draft(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		w.TwoChapters(t, "go")
		ada, bob := w.Person(t, "ada", core.Student), w.Person(t, "bob", core.Student)
		// it is free
		if _, err := w.Platform.Sales.OpenOrder(ctx(), ada,
			sale.OrderRequest{CourseID: "go"}); err !=
			nil {
			t.Fatal(err)
		}
		see := func() map[string]int {
			seen := map[string]int{}
			for _, actor := range []learning.Actor{ada, bob,
				{UserID: "educator", Role: core.Educator}} {
				seen[actor.UserID] = len(w.Analytics(t, actor).Courses)
			}
			return seen
		}
		for _, id := range []string{"ada", "bob", "educator"} {
			w.Visit(t, learning.Actor{UserID: id}, "Player", "/player/go", 1)
			w.Visit(t, learning.Actor{UserID: id}, "Quiz", "/quiz/go/one", 1)
		}
		if diff := cmp.Diff(map[string]int{"ada": 1, "bob": 1, "educator": 1}, see()); diff != "" {
			t.Errorf("published: %s", diff)
		}
		w.Exec(t, "UPDATE courses SET is_published = 0")
		if diff := cmp.Diff(map[string]int{"ada": 1, "bob": 0, "educator": 1}, see()); diff != "" {
			t.Errorf("a draft: %s", diff)
		}
	})
}

func TestAnalytics_OnlyTheActorsTime(t *testing.T) {
	w := roomtest.New(t, "sqlite:"+t.TempDir()+"/learning.db")
	if _, err := w.Platform.Study.Analytics(ctx(), learning.Actor{}); !errors.Is(err,
		core.ErrUnauthenticated) {
		t.Error(err)
	}
	w.Visit(t, learning.Actor{UserID: "ada"}, "Quiz", "/a", 1)
	a := w.Analytics(t, learning.Actor{UserID: "bob"})
	if len(a.Pages)+len(a.Courses)+a.Visits != 0 || a.Time != 0 || len(a.Week) != 7 {
		t.Errorf("%+v", a)
	}
}

// A million days do not fit into a time.Duration. Later visits of a full day add nothing.
func TestAnalytics_LargeSums(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		ada := w.Person(t, "ada", core.Student)
		w.Visit(t, ada, "Quiz", "/a", 86_400)
		w.Visit(t, ada, "Quiz", "/"+strings.Repeat("b", 3), 86_400)
		w.Exec(t,
			"UPDATE time_entries SET milliseconds = milliseconds * 1000000, visits = visits * "+
				"1000000")
		w.Visit(t, ada, "Quiz", "/a", 86_400)
		a := w.Analytics(t, ada)
		if a.Time.Seconds() != 86_400*1_000_000 || a.Visits != 2_000_001 ||
			a.Week[6].Time != a.Time {
			t.Errorf("%d s in %d visits, %d ms today", a.Time.Seconds(), a.Visits, a.Week[6].Time)
		}
	})
}
