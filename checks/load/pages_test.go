//go:build linux

package load

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"testing"

	"github.com/openlectern/openlectern/internal/baseline"
	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning/catalog"
)

// BenchmarkWrkPages requests pages of 100 courses of a list of a million, or of as many as
// BENCH_COURSES says: without a search, with a word of a hundred courses, and with words of all
// courses. The baseline is the same program with a list of a thousand.
func BenchmarkWrkPages(b *testing.B) {
	program := builtForWrk(b)
	most := 1_000_000
	if text := os.Getenv("BENCH_COURSES"); text != "" {
		most = int(number(b, []byte(text)))
	}
	enginetest.Each(b, enginetest.Dialects, func(b *testing.B, e enginetest.Engine) {
		few, many := searchedServer(b, program, e.URL(b), 1000),
			searchedServer(b, program, e.URL(b), most)
		for _, page := range []struct{ name, query string }{
			{"newest", "sort=newest"},
			{"popular", "sort=popular"},
			{"rare word", "q=rarely"},
			{"word of all", "q=often"},
			{"two words of all", "q=often+always"},
		} {
			path := courseList + "?limit=100&" + page.query
			b.Run(page.name,
				func(b *testing.B) { compareTargets(b, 0.9, many.with(path), few.with(path)) })
		}
		b.Run("middle", func(b *testing.B) {
			compareTargets(b, 0.9, many.with(middlePage(b, many.target, most)),
				few.with(middlePage(b, few.target, 1000)))
		})
	})
}

// searchedServer starts the program with courses that have two words, and a hundred of which have a
// third one.
func searchedServer(b *testing.B, program, database string, courses int) benchServer {
	b.Helper()
	return newBenchServer(b, program, database, func(p baseline.Pools) {
		fillUsers(b, p, 2)
		fillCourses(b, p, courses)
		// every step-th course
		for word, step := range map[string]int{"often": 1, "always": 1, "rarely": courses / 100} {
			p.Insert(b, "search_words (person_id, list, row_id, word)", courses/step,
				func(i int) string {
					return fmt.Sprintf("'', %d, '%s', '%s'", catalog.CourseWords,
						benchCourse(i*step),
						word)
				})
		}
	})
}

// middlePage reads half of a list and returns the path of its next page.
func middlePage(b *testing.B, s target, courses int) (path string) {
	b.Helper()
	path = courseList + "?limit=100"
	for range courses / 200 {
		var page struct{ NextCursor string }
		text, _ := s.with(path).body(b)
		if err := json.Unmarshal(text, &page); err != nil || page.NextCursor == "" {
			b.Fatalf("a page without a next one: %v", err)
		}
		path = courseList + "?limit=100&cursor=" + url.QueryEscape(page.NextCursor)
	}
	return path
}
