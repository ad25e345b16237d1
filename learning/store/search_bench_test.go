package store

import (
	"fmt"
	"testing"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
)

// BenchmarkSearch reads a page of 100 courses that a text selects, of more and more courses:
// "rarely" is a word of 100 of them, "often" and "always" are words of all. A million courses are
// left out with -short, because to fill them takes minutes.
func BenchmarkSearch(b *testing.B) {
	for _, courses := range []int{1_000, 100_000, 1_000_000} {
		if courses == 1_000_000 && testing.Short() {
			continue
		}
		b.Run(fmt.Sprint(courses), func(b *testing.B) {
			benchEngines(b, func(b *testing.B, s *Store) {
				seed(b, s, size{courses: courses, users: 1_000})
				seedSearched(b, s, courses)
				p, err := learning.New(s)
				if err != nil {
					b.Fatal(err)
				}
				for _, text := range []string{"", "rarely", "often", "often rarely",
					"often always"} {
					for _, sort := range []catalog.CourseSort{catalog.NewestCourses,
						catalog.PopularCourses} {
						b.Run(fmt.Sprintf("%q/%s", text, sort), func(b *testing.B) {
							benchSearch(b, p, catalog.CourseQuery{Search: text, Sort: sort})
						})
					}
				}
			})
		})
	}
}

func benchSearch(b *testing.B, p *learning.Platform, q catalog.CourseQuery) {
	for b.Loop() {
		page, err := p.Catalog.Catalogue(b.Context(), q, learning.PageRequest{Limit: 100})
		if err != nil || len(page.Rows) < 80 {
			b.Fatal(len(page.Rows), err)
		}
	}
}

// seedSearched gives all seeded courses two words, and a hundred of them a third one.
func seedSearched(tb testing.TB, s *Store, courses int) {
	tb.Helper()
	words := []string{"often", "always", "rarely"}
	bulk(tb, s, "search_words (person_id, list, row_id, word)", courses*len(words),
		func(i int) string {
			course, word := i/len(words), words[i%len(words)]
			if word == "rarely" && course%(courses/100) != 1 { // course-0 is a draft
				return ""
			}
			return fmt.Sprintf("'', %d, 'course-%d', '%s'", catalog.CourseWords, course, word)
		})
	analyze(tb, s)
}
