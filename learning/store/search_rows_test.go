package store

import (
	"database/sql/driver"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"modernc.org/sqlite"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
)

// searchedRows is the number of courses, all of one educator, and of users.
const searchedRows = 8_000

// mostRead returns how many rows and index entries a page of a search may read. It counts 4,000
// entries of words and 2,000 courses of the educator, finds the end of the scan among 2,000 rows,
// scans these, and finds words in them. MySQL and MariaDB also count the attempts to find a word
// and the ends of ranges.
func mostRead(e enginetest.Engine) int {
	if e.Name == "SQLite" {
		return 12_000
	}
	return 25_000
}

// searchedWords returns the words of the row at a place: "even" or "odd", which never meet, "third"
// of each third row, and "seldom" of each thousandth.
func searchedWords(place int) []string {
	words := []string{[]string{"even", "odd"}[place%2]}
	if place%3 == 0 {
		words = append(words, "third")
	}
	if place%1000 == 7 {
		words = append(words, "seldom")
	}
	return words
}

// A page of a search reads a bounded number of rows, whatever is searched for. All pages together
// have each row that has the words once.
func TestSearch_ReadsABoundedNumberOfRows(t *testing.T) {
	t.Parallel()
	enginetest.Each(t, enginetest.AllRepeated, func(t *testing.T, e enginetest.Engine) {
		t.Parallel()
		url := e.URL(t)
		fillSearched(t, migrated(t, url))
		if e.Name == "SQLite" {
			countRows(t, url)
		}
		p, reading := pagePlatform(t, url)
		if e.Name == "SQLite" { // a view has no index to name
			reading.engine().ForceIndex = func(string) string { return "" }
		}
		sorts := []catalog.CourseSort{catalog.NewestCourses, catalog.PopularCourses}
		educators := []string{"", "teacher"}
		if enginetest.Samples(t) {
			sorts, educators = sorts[1:], educators[:1]
		}
		third := core.Metadata{"third": ""}
		for _, search := range []struct {
			text     string
			metadata core.Metadata
			want     func(place int) bool
		}{
			{"", third, func(place int) bool { return place%3 == 0 }},
			{"even", third, func(place int) bool { return place%6 == 0 }},
			{"", core.Metadata{"seldom": "", "odd": ""},
				func(place int) bool { return place%1000 == 7 }},
			{"", core.Metadata{"even": "", "odd": "", "third": ""}, func(int) bool { return false }},
			{"even odd", nil, func(int) bool { return false }},
			{"odd even third", nil, func(int) bool { return false }},
			{"even third", nil, func(place int) bool { return place%6 == 0 }},
			{"third", nil, func(place int) bool { return place%3 == 0 }},
			{"seldom odd", nil, func(place int) bool { return place%1000 == 7 }},
			{"seldom even", nil, func(int) bool { return false }},
			{"", nil, func(int) bool { return true }},
		} {
			for _, sort := range sorts {
				for _, educator := range educators {
					q := catalog.CourseQuery{Search: search.text, Metadata: search.metadata,
						Sort: sort, EducatorID: educator}
					w := &searchWalk{engine: e, reading: reading,
						name: fmt.Sprintf("courses %+v", q)}
					w.walk(t, p, search.want, catalogue(q))
				}
			}
			if search.metadata != nil { // users are not searched by it
				continue
			}
			w := &searchWalk{engine: e, reading: reading,
				name: fmt.Sprintf("users %q", search.text)}
			w.walk(t, p, search.want,
				selected(people.UserQuery{Search: search.text}, users,
					func(u people.UserReport) string { return u.ID }))
		}
	})
}

// fillSearched inserts courses of a teacher, and users.
func fillSearched(tb testing.TB, s *Store) {
	tb.Helper()
	courses := courseTable("course", "teacher")
	bulk(tb, s, courses.into, searchedRows,
		func(i int) string { return courses.values(fmt.Sprintf("-%06d", i), i) })
	bulk(tb, s, userTable.into, searchedRows,
		func(i int) string { return userTable.values(fmt.Sprintf("-%06d", i), i) })
	for list, prefix := range map[core.WordList]string{catalog.CourseWords: "course",
		catalog.CoursePairs: "course", people.UserWords: "user"} {
		const most = 3
		bulk(tb, s, "search_words (person_id, list, row_id, word)", most*searchedRows,
			func(i int) string {
				words := searchedWords(i / most)
				if i%most >= len(words) {
					return ""
				}
				word := words[i%most]
				if list == catalog.CoursePairs {
					word = core.Metadata{word: ""}.SearchWords()[0]
				}
				return fmt.Sprintf("'', %d, '%s-%06d', '%s'", list, prefix, i/most, word)
			})
	}
	analyze(tb, s)
}

// sqliteRows counts the rows that SQLite reads from the tables of countRows.
var sqliteRows atomic.Int64

// registerCount adds the function count_row to connections that are opened later.
var registerCount = sync.OnceFunc(func() {
	sqlite.MustRegisterScalarFunction("count_row", 0,
		func(*sqlite.FunctionContext, []driver.Value) (driver.Value, error) {
			sqliteRows.Add(1)
			return int64(1), nil
		})
})

// countRows puts views in place of the tables that a search reads, which call count_row for each
// row. SQLite reads a view of this form as its table, by the same indexes.
func countRows(tb testing.TB, url string) {
	tb.Helper()
	registerCount()
	s := opened(tb, url)
	for _, table := range []string{"courses", "search_words"} {
		for _, statement := range []string{
			`ALTER TABLE %[1]s RENAME TO %[1]s_counted`,
			`CREATE VIEW %[1]s AS SELECT * FROM %[1]s_counted WHERE count_row() = 1`,
		} {
			if _, err := s.db.Writer().ExecContext(tb.Context(),
				fmt.Sprintf(statement, table)); err != nil {
				tb.Fatal(err)
			}
		}
	}
}

// searchWalk reads all pages of a search.
type searchWalk struct {
	engine  enginetest.Engine
	reading *Store
	name    string
}

func (w *searchWalk) walk(t *testing.T, p *learning.Platform, want func(place int) bool,
	read pageReader) {
	t.Helper()
	var found []int
	pages, most := 0, 0
	page := learning.PageRequest{Limit: 100}
	for more := true; more; more = !page.After.IsZero() {
		before := w.rowsRead(t)
		keys, next, err := read(t.Context(), p, page)
		if err != nil {
			t.Fatalf("%s: %v", w.name, err)
		}
		most = max(most, w.rowsRead(t)-before)
		for _, key := range keys {
			found = append(found, placeOf(t, key))
		}
		page.After = next
		if pages++; pages > searchedRows {
			t.Fatalf("%s: the pages do not end", w.name)
		}
	}
	slices.Sort(found)
	var all []int
	for place := range searchedRows {
		if want(place) {
			all = append(all, place)
		}
	}
	if !slices.Equal(found, all) {
		t.Errorf("%s: the pages have %d rows, want %d", w.name, len(found), len(all))
	}
	if wanted := mostRead(w.engine); most > wanted {
		t.Errorf("%s: a page has read %d rows and index entries, want at most %d", w.name, most,
			wanted)
	}
	t.Logf("%s: %d rows on %d pages, at most %d read for one", w.name, len(found), pages, most)
}

func (w *searchWalk) rowsRead(t *testing.T) int {
	t.Helper()
	if w.engine.Name == "SQLite" {
		return int(sqliteRows.Load())
	}
	return (&pageWalk{reading: w.reading, every: 1}).rowsRead(t, 0)
}
