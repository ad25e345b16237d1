package study

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

// Analytics is the time that a user spent on the platform. Lists begin with the longest
// time.
type Analytics struct {
	Spent              // in total
	Pages   []PageTime // over all days
	Week    []DayTime  // the last seven UTC days, today last
	Courses []CourseTime
}

// PageTime is the time that a user spent on one page, on all its paths.
type PageTime struct {
	Page string
	Path string // of the latest visit
	Spent
}

// DayTime is the time that a user spent in one UTC day.
type DayTime struct {
	Day  time.Time
	Time core.Milliseconds
}

// CourseTime is the time that a user spent on one course: learning time, in the player, and quiz
// time.
type CourseTime struct {
	ID        string
	Title     string
	Thumbnail string // as in [catalog.Course]
	Learning  Spent
	Quizzes   Spent // of all chapters
	Chapters  []ChapterTime
}

// ChapterTime is the time that a user spent on the quiz of one chapter.
type ChapterTime struct {
	ID    string
	Title string
	Spent
}

// TimedCourse is a course that a user has spent time on.
type TimedCourse struct {
	Course   catalog.Course    // with id, title, thumbnail, the educator's id, and whether it is published
	Enrolled bool              // whether the user is enrolled
	Content  []catalog.Chapter // nil when no time was spent on quizzes
}

// analyticsDays is how many days the figures of a week have.
const analyticsDays = 7

// isExcluded reports whether an entry is of a page that counts in no total. Totals, page statistics
// and daily statistics leave it out (docs/api.md §7). The names of pages are those that front ends
// send. Learning time and quiz time follow from the path of an entry, whatever its page: see
// [timeOfCourses].
func isExcluded(e TimeEntry) bool {
	switch e.Page {
	case "Home", "Browse Courses", "Course Details", "Analytics", "Other":
		return true
	}
	return false
}

// Analytics sums up the actor's time. Error: [core.ErrUnauthenticated].
func (s *Service) Analytics(ctx context.Context, actor core.Actor) (Analytics, error) {
	if err := actor.Require(); err != nil {
		return Analytics{}, err
	}

	// Read the sums by place and by day, and the courses that the places are in.
	places, err := s.store.TimeByPlace(ctx, actor.UserID)
	if err != nil {
		return Analytics{}, fmt.Errorf("sum up the places: %w", err)
	}
	today := core.Midnight(s.base.Now())
	days, err := s.store.TimeByDay(ctx, actor.UserID, today.AddDate(0, 0, 1-analyticsDays))
	if err != nil {
		return Analytics{}, fmt.Errorf("sum up the days: %w", err)
	}
	courses, err := s.store.TimedCourses(ctx, actor.UserID)
	if err != nil {
		return Analytics{}, fmt.Errorf("find the courses: %w", err)
	}

	// Put them together. Excluded pages are left out of the sums, but count for their courses. So
	// the courses are summed first, because DeleteFunc removes these pages from places.
	a := Analytics{Week: timeOfWeek(today, days), Courses: timeOfCourses(actor, courses, places)}
	a.Pages = timeOfPages(slices.DeleteFunc(places, isExcluded))
	for _, page := range a.Pages {
		a.Spent.add(page.Spent)
	}
	return a, nil
}

// timeOfPages sums up entries by page, and returns the pages with the longest time first. It
// changes the order of places.
func timeOfPages(places []TimeEntry) []PageTime {
	// The latest visit gives a page its path: it is the last one to set it below.
	slices.SortFunc(places, func(a, b TimeEntry) int {
		return cmp.Or(a.LastVisit.Compare(b.LastVisit), cmp.Compare(a.Path, b.Path))
	})
	byPage := map[string]PageTime{}
	for _, e := range places {
		sum := byPage[e.Page]
		sum.Page, sum.Path = e.Page, e.Path
		sum.add(e.Spent)
		byPage[e.Page] = sum
	}
	return slices.SortedFunc(maps.Values(byPage), func(a, b PageTime) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.Page, b.Page))
	})
}

// timeOfWeek returns the time of each of the seven days up to today, the oldest first, with zero
// for days without visits. today is a midnight of UTC. days may have several entries for a day.
// Those of excluded pages are left out.
func timeOfWeek(today time.Time, days []TimeEntry) []DayTime {
	week := make([]DayTime, analyticsDays)
	for i := range week {
		week[i].Day = today.AddDate(0, 0, i+1-analyticsDays)
		for _, e := range days {
			if e.Day.Equal(week[i].Day) && !isExcluded(e) {
				week[i].Time += e.Time
			}
		}
	}
	return week
}

// topic is the subject of an entry: a course, or the quiz of a chapter. chapterID is "" for a
// course.
type topic struct{ courseID, chapterID string }

// timeOfCourses returns the time of each course that the actor may see, the longest time first. It
// ignores ids that name no course or no present chapter: they come from the paths that a browser
// sends, so they may be of deleted chapters, or invented.
func timeOfCourses(actor core.Actor, courses []TimedCourse, places []TimeEntry) []CourseTime {
	// Add up the time by course and chapter.
	spent := map[topic]Spent{}
	for _, e := range places {
		sum := spent[topic{e.CourseID, e.ChapterID}]
		sum.add(e.Spent)
		spent[topic{e.CourseID, e.ChapterID}] = sum
	}

	// List the courses that the actor may see and has spent time in.
	var list []CourseTime
	for _, c := range courses {
		t := timeOfCourse(c, spent)
		hasVisits := t.Learning.Visits+t.Quizzes.Visits > 0
		if hasVisits && c.visibleTo(actor) {
			list = append(list, t)
		}
	}
	slices.SortFunc(list, func(a, b CourseTime) int {
		return cmp.Or(cmp.Compare(b.Learning.Time+b.Quizzes.Time, a.Learning.Time+a.Quizzes.Time),
			cmp.Compare(a.ID, b.ID))
	})
	return list
}

// visibleTo reports whether the actor may see the course: it is published, the actor is enrolled in
// it, or it is the actor's. The check is needed because any user can send the path of a draft.
func (c TimedCourse) visibleTo(actor core.Actor) bool {
	return c.Course.Published || c.Enrolled || c.Course.Educator.ID == actor.UserID
}

// timeOfCourse returns the time of a course and of the quizzes of its chapters, the longest first.
// Chapters whose quiz was not visited are left out.
func timeOfCourse(c TimedCourse, spent map[topic]Spent) CourseTime {
	t := CourseTime{ID: c.Course.ID, Title: c.Course.Title, Thumbnail: c.Course.Thumbnail,
		Learning: spent[topic{courseID: c.Course.ID}]}
	for _, ch := range c.Content {
		if sum := spent[topic{c.Course.ID, ch.ID}]; sum.Visits > 0 {
			t.Quizzes.add(sum)
			t.Chapters = append(t.Chapters, ChapterTime{ID: ch.ID, Title: ch.Title, Spent: sum})
		}
	}
	// Chapters with equal times stay in the order of the course.
	slices.SortStableFunc(t.Chapters,
		func(a, b ChapterTime) int { return cmp.Compare(b.Time, a.Time) })
	return t
}
