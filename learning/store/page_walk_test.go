package store

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/httpapi"
)

// Every list is read in pages, while rows are added and removed between the pages, at their edges
// too: no row that is there throughout is skipped, no row comes twice, and the last pages read no
// more rows than the first ones.
func TestPages_NoneSkippedAndNoneTwice(t *testing.T) {
	t.Parallel()
	enginetest.Each(t, enginetest.Dialects, func(t *testing.T, e enginetest.Engine) {
		t.Parallel()
		// A PostgreSQL counts the index entries of rows that an earlier test has deleted.
		url := e.URL(t)
		s := writingOnOneConn(t, url)
		fillLists(t, s, 400, false)
		endOtherConns(t, s)
		p, reading := pagePlatform(t, url)
		added := 0
		for _, rows := range listsInPages {
			for _, name := range slices.Sorted(maps.Keys(rows.lists)) {
				w := &pageWalk{rows: rows, store: s, reading: reading, added: &added, limit: 40,
					every: 1}
				w.walk(t, p, name)
			}
		}
	})
}

// walkedElsewhere are the lists in pages that listsInPages does not have, by their paths, with the
// reason.
var walkedElsewhere = map[string]string{
	"/api/community/posts": "TestPostLists_ReadRowsInTheOrderOfAnIndex, and " +
		"TestList_IsCompleteDespiteConcurrentChanges of package httpapi",
	"/api/course/{id}/reviews": "the reviews of one course; read in pages by package httpapi " +
		"(TestPages_HaveTheRowsOfTheWholeList)",
	"/api/educator/courses/{courseId}/quizzes/{chapterId}/results": "of one quiz; as above",
	"/api/educator/submissions":                                    "as above",
	"/api/user/assignments":                                        "of the courses of one user; as above",
	"/api/educator/questions":                                      "as above",
	"/api/educator/reviews":                                        "as above",
	"/api/quiz/attempts":                                           "of a student and a quiz; as above",
	"/api/user/files":                                              "of one user, who has a quota; as above",
	"/api/educator/courses/{courseId}/announcements":               "of one course; as above",
	"/api/user/announcements":                                      "of the courses of one user; as above",
	"/api/user/purchases":                                          "of one user; as above",
	"/api/bundle/all":                                              "few bundles, and read in pages by the suite of the store",
	"/api/educator/bundles":                                        "as above",
	"/api/user/notes":                                              "at most MaxNotes; as above",
	"/api/user/notifications":                                      "of one user, about MaxNotifications; as above",
}

// TestPages_WalkEachListOfTheAPI fails for a list in pages, as the API document describes it, that
// no walk reads.
func TestPages_WalkEachListOfTheAPI(t *testing.T) {
	p, _ := pagePlatform(t, enginetest.SQLite(t))
	handler, err := httpapi.New(p)
	if err != nil {
		t.Fatal(err)
	}
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/openapi.json", nil))
	var document struct {
		Paths map[string]map[string]struct {
			Parameters []struct{ Name string }
		}
	}
	if err := json.Unmarshal(answer.Body.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	var walked []string // the ends of paths
	for _, rows := range listsInPages {
		for name := range rows.lists {
			walked = append(walked, "/"+strings.Fields(name)[0])
		}
	}
	lists := map[string]bool{}
	for path, methods := range document.Paths {
		for _, operation := range methods {
			for _, parameter := range operation.Parameters {
				lists[path] = lists[path] || parameter.Name == "cursor"
			}
		}
		isWalked := slices.ContainsFunc(walked,
			func(end string) bool { return strings.HasSuffix(path, end) })
		if lists[path] && isWalked == (walkedElsewhere[path] != "") {
			t.Errorf("%s is answered in pages: add it either to listsInPages in "+
				"learning/store/page_lists_test.go or, with a reason, to walkedElsewhere in "+
				"page_walk_test.go", path)
		}
	}
	if len(lists) < 10 {
		t.Errorf("the API document has %d paths: %.200s", len(lists), answer.Body)
	}
	for path := range walkedElsewhere {
		if !lists[path] {
			t.Errorf("%s is no list in pages: remove it from walkedElsewhere in "+
				"learning/store/page_walk_test.go", path)
		}
	}
}

// The same as TestPages_NoneSkippedAndNoneTwice with very many rows, in `make verify`.
func TestPages_VeryMany_NoneSkippedAndNoneTwice(t *testing.T) {
	enginetest.Need(t, "walk", nil)
	enginetest.Each(t, enginetest.Dialects, func(t *testing.T, e enginetest.Engine) {
		url := e.URL(t)
		s := writingOnOneConn(t, url)
		fillLists(t, s, 100_000, true)
		endOtherConns(t, s)
		p, reading := pagePlatform(t, url)
		added := 0
		for _, rows := range listsInPages {
			if rows.large {
				w := &pageWalk{rows: rows, store: s, reading: reading, added: &added, limit: 100,
					every: 10}
				w.walk(t, p, slices.Sorted(maps.Keys(rows.lists))[0])
			}
		}
	})
}

// writingOnOneConn returns a store that writes on one connection, so that flushCounters reaches it.
func writingOnOneConn(tb testing.TB, url string) *Store {
	tb.Helper()
	s := migrated(tb, url)
	s.db.Writer().SetMaxOpenConns(1)
	return s
}

// endOtherConns ends the connections to a PostgreSQL that filling the tables has left, but the one
// that writes. One that is idle adds what it has read to the statistics after ten seconds, to the
// counters of some page, and one that ends does so at once.
func endOtherConns(tb testing.TB, s *Store) {
	tb.Helper()
	if s.engine().Name != "postgres" {
		return
	}
	if _, err := s.db.Writer().ExecContext(tb.Context(), `
		SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
		WHERE datname = current_database() AND backend_type = 'client backend'
			AND pid <> pg_backend_pid()`); err != nil {
		tb.Fatal(err)
	}
}

// pagePlatform returns a platform on a database, whose store has one connection for reading, so
// that the rows that it reads can be counted.
func pagePlatform(tb testing.TB, url string) (*learning.Platform, *Store) {
	tb.Helper()
	s := opened(tb, url, WithConns(1))
	p, err := learning.New(s)
	if err != nil {
		tb.Fatal(err)
	}
	if s.engine().Name == "postgres" {
		// It scans, hashes and sorts small tables because that takes less time than an index, and
		// changes its mind when it counts them again.
		if _, err := s.db.Reader().ExecContext(tb.Context(), `
			SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off;
			SET enable_sort = off; SET enable_bitmapscan = off; SET enable_material = off`); err != nil {
			tb.Fatal(err)
		}
	}
	return p, s
}

// pageWalk reads a list page by page.
type pageWalk struct {
	rows    pagedRows
	store   *Store // for changes
	reading *Store
	added   *int // rows by all walks
	limit   int
	every   int // pages between two changes

	random  *rand.Rand
	there   []pagedKey // before the first page
	removed map[string]bool
	seen    map[string]bool
	reads   []int // of each page after which rows are changed
}

// pagedKey is the key of a row.
type pagedKey struct{ A, B string }

func (k pagedKey) String() string { return strings.TrimSpace(k.A + " " + k.B) }

// placed returns the part of the key that has the place of the row.
func (k pagedKey) placed() string {
	if k.A == listedReader.UserID {
		return k.B
	}
	return k.A
}

func (w *pageWalk) start(t *testing.T) {
	t.Helper()
	if err := w.store.db.Writer().SelectContext(t.Context(), &w.there, w.rows.keys); err != nil {
		t.Fatal(err)
	}
	w.removed, w.seen = map[string]bool{}, map[string]bool{}
	w.random = rand.New(rand.NewPCG(1, 2))
	w.flushCounters(t)
}

const flushStatement = "SELECT pg_stat_force_next_flush()"

// flushCounters adds to the statistics what the writing connection has read. A PostgreSQL counts by
// table and not by connection, and a connection otherwise adds its counters some seconds later, to
// those of another page.
func (w *pageWalk) flushCounters(t *testing.T) {
	t.Helper()
	if w.store.engine().Name == "postgres" {
		w.exec(t, flushStatement)
	}
}

// walk reads all pages of a list, and changes rows after some.
func (w *pageWalk) walk(t *testing.T, p *learning.Platform, name string) {
	t.Helper()
	w.start(t)
	page, number := learning.PageRequest{Limit: w.limit}, 0
	for more := true; more; more = !page.After.IsZero() {
		before := w.rowsRead(t, number)
		keys, next, err := w.rows.lists[name](t.Context(), p, page)
		if err != nil {
			t.Fatalf("%s: page %d: %v", name, number, err)
		}
		if number%w.every == 0 {
			w.reads = append(w.reads, w.rowsRead(t, number)-before)
			w.change(t, keys)
		}
		w.see(t, name, keys)
		page.After = next
		number++
	}
	skipped := slices.DeleteFunc(slices.Clone(w.there),
		func(k pagedKey) bool { return w.seen[k.String()] || w.removed[k.String()] })
	if len(skipped) > 0 {
		t.Errorf("%s: %d of %d rows were skipped, the first is %s", name, len(skipped),
			len(w.there), skipped[0])
	}
	w.wantEvenReads(t, name, number)
}

// see records the rows of a page.
func (w *pageWalk) see(t *testing.T, name string, keys []string) {
	t.Helper()
	for _, key := range keys {
		if w.seen[key] {
			t.Errorf("%s: %s comes twice", name, key)
		}
		w.seen[key] = true
	}
}

// change removes and adds rows: some anywhere, and some at the end of the page with the given keys.
func (w *pageWalk) change(t *testing.T, keys []string) {
	t.Helper()
	if len(keys) == 0 { // the rows of the last page were removed
		return
	}
	last := keys[len(keys)-1]
	places := make([]int, 4)
	var victims []pagedKey
	for i := range places {
		k := w.there[w.random.IntN(len(w.there))]
		places[i] = placeOf(t, k.placed())
		victims = append(victims, k)
	}
	if len(w.reads)%3 != 0 {
		victims = append(victims, keyOf(last))
	}
	w.remove(t, victims)
	edge := placeOf(t, keyOf(last).placed())
	w.add(t, append(places[:2], edge-1, edge, edge, edge+1)...)
	w.flushCounters(t)
}

func keyOf(text string) pagedKey {
	a, b, _ := strings.Cut(text, " ")
	return pagedKey{a, b}
}

func (w *pageWalk) remove(t *testing.T, keys []pagedKey) {
	t.Helper()
	var a, b []string
	for _, k := range keys {
		if !w.removed[k.String()] {
			a, b = append(a, "'"+k.A+"'"), append(b, "'"+k.B+"'")
		}
		w.removed[k.String()] = true
	}
	for _, statement := range w.rows.remove {
		w.exec(t, fmt.Sprintf(statement+"%.0[1]s%.0[2]s", strings.Join(a, ", "),
			strings.Join(b, ", ")))
	}
	if w.rows.keeps {
		clear(w.removed)
	}
}

// add adds rows at places.
func (w *pageWalk) add(t *testing.T, places ...int) {
	t.Helper()
	for _, table := range w.rows.tables {
		var values []string
		for i, place := range places {
			place = max(place, 0)
			values = append(values,
				"("+table.values(fmt.Sprintf("-%06d-%s%d", place, "ab"[i%2:][:1], *w.added+i),
					place)+")")
		}
		w.exec(t, "INSERT INTO "+table.into+" VALUES "+strings.Join(values, ", "))
	}
	*w.added += len(places)
}

func (w *pageWalk) exec(t *testing.T, statement string) {
	t.Helper()
	if _, err := w.store.db.Writer().ExecContext(t.Context(), statement); err != nil {
		t.Fatalf("%.200s: %v", statement, err)
	}
}

// rowsRead returns how many rows the connection for reading has read from tables and indexes. It is
// 0 on SQLite, which does not count them, and for a page that is not measured.
func (w *pageWalk) rowsRead(t *testing.T, page int) (n int) {
	t.Helper()
	if page%w.every != 0 || w.reading.engine().Name == "sqlite" {
		return 0
	}
	if w.reading.engine().Name == "postgres" {
		// A connection adds its counters to the statistics when a statement ends that asked for it,
		// so the next statement is the first that sees them.
		reader := w.reading.db.Reader()
		if _, err := reader.ExecContext(t.Context(), flushStatement); err != nil {
			t.Fatal(err)
		}
		if err := reader.GetContext(t.Context(), &n, `
			SELECT (SELECT SUM(seq_tup_read) FROM pg_stat_user_tables)
				+ (SELECT SUM(idx_tup_read) FROM pg_stat_user_indexes)`); err != nil {
			t.Fatal(err)
		}
		return n
	}
	var counters []struct {
		Name  string `db:"Variable_name"`
		Value int    `db:"Value"`
	}
	if err := w.reading.db.Reader().SelectContext(t.Context(), &counters,
		`SHOW SESSION STATUS LIKE 'Handler_read%'`); err != nil {
		t.Fatal(err)
	}
	for _, c := range counters {
		n += c.Value
	}
	return n
}

// wantEvenReads fails if a page has read many more rows than one of the first pages.
func (w *pageWalk) wantEvenReads(t *testing.T, name string, pages int) {
	t.Helper()
	first, most := slices.Max(w.reads[:min(3, len(w.reads))]), slices.Max(w.reads)
	t.Logf("%s: %d rows on %d pages; %d rows read for the first page, %d for the last, %d at most",
		name, len(w.seen), pages, w.reads[0], w.reads[len(w.reads)-1], most)
	if most > 2*first+w.limit {
		t.Errorf("%s: a page has read %d rows, the first ones %d", name, most, first)
	}
}
