package store

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/baseline"
	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

type seedClock struct{}

func (seedClock) Now() time.Time { return seedEnd }

// seedTime inserts 100,000 entries of the student with so many paths, and as many of other
// users. One path in five is the player of a course, and one in five a quiz.
func seedTime(tb testing.TB, s *Store, places int) {
	tb.Helper()
	const entries = 100_000
	spend := func(userID string, i int) string {
		e := study.TimeEntry{UserID: userID,
			Day: seedEnd.Truncate(24*time.Hour).AddDate(0, 0, -i/places), Page: "Browsing",
			Path: fmt.Sprintf("/pages/%d", i%places)}
		switch i % places % 5 {
		case 1:
			e.Page, e.CourseID = "Course Player", fmt.Sprintf("course-%d", i%places%50)
			e.Path = fmt.Sprintf("/player/%s?from=%d", e.CourseID, i%places)
		case 2:
			e.Page = "Quiz"
			e.CourseID = fmt.Sprintf("course-%d", i%places%50)
			e.ChapterID = fmt.Sprintf("chapter-%d", i%places%7)
			e.Path = fmt.Sprintf("/quiz/%s/%s?from=%d", e.CourseID, e.ChapterID, i%places)
		}
		return fmt.Sprintf("'%s', '%s', %s, '%s', '%s', '%s', '%s', %d, %d", e.UserID, placeKey(e),
			quoted(e.Day), e.Page, e.Path, e.CourseID, e.ChapterID, 1_000+i%90_000, 1+i%3)
	}
	const columns = "time_entries (user_id, place, day, page, path, course_id, chapter_id, " +
		"milliseconds, visits)"
	bulk(tb, s, columns, entries, func(i int) string { return spend("student", i) })
	bulk(tb, s, columns, entries,
		func(i int) string { return spend(fmt.Sprintf("user-%d", i%500), i) })
	bulk(tb, s, "course_contents (course_id, content)", 50, func(i int) string {
		content := make([]catalog.Chapter, 7)
		for ch := range content {
			content[ch] = catalog.Chapter{ID: fmt.Sprintf("chapter-%d", ch),
				Title:    fmt.Sprintf("Chapter %d", ch),
				Lectures: make([]catalog.Lecture, 10)}
		}
		text, err := formatContent(content)
		if err != nil {
			tb.Fatal(err)
		}
		return fmt.Sprintf("'course-%d', '%s'", i, text)
	})
	analyze(tb, s)
}

// BenchmarkAnalytics computes the analytics of a user with 100,000 time entries. The baseline
// is one sum over them. places=300 is like some years of learning; with places=100000 every
// entry has another path.
func BenchmarkAnalytics(b *testing.B) {
	enginetest.Each(b, enginetest.All, func(b *testing.B, e enginetest.Engine) {
		for _, places := range []int{300, 100_000} {
			b.Run(fmt.Sprint("places=", places), func(b *testing.B) {
				url := e.URL(b)
				s := migrated(b, url)
				seed(b, s, size{courses: 500, users: 2_000, purchases: 2_000})
				seedTime(b, s, places)
				p, err := learning.New(s, learning.WithClock(seedClock{}))
				if err != nil {
					b.Fatal(err)
				}
				ours := func(ctx context.Context) error {
					a, err := p.Study.Analytics(ctx,
						learning.Actor{UserID: "student", Role: core.Student})
					if err == nil && (len(a.Pages) != 3 || len(a.Courses) == 0 ||
						a.Week[6].Time == 0) {
						return fmt.Errorf("%d pages, %d courses, %d ms today", len(a.Pages),
							len(a.Courses), a.Week[6].Time)
					}
					return err
				}
				var page, path string
				baseline.Run(b, aThird, repeat(b, ours),
					repeat(b, query(b, baseline.Open(b, url),
						[]any{&page, &path, new(int64), new(int64)},
						`SELECT page, path, SUM(milliseconds), SUM(visits) FROM time_entries WHERE user_id = ? GROUP BY page, path`, "student")))
			})
		}
	})
}
