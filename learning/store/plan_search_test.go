package store

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/staff"
)

// seedWords gives all courses and users of a seeded store the words "often" and "always" and 20
// others, and each hundredth the word "rarely".
func seedWords(tb testing.TB, s *Store, n size) {
	tb.Helper()
	for list, table := range map[core.WordList]struct {
		id   string
		rows int
	}{
		catalog.CourseWords: {"course", n.courses},
		catalog.CoursePairs: {"course", n.courses},
		people.UserWords:    {"user", n.users},
		people.NameWords:    {"user", n.users},
	} {
		const words = 23
		bulk(tb, s, "search_words (person_id, list, row_id, word)", table.rows*words,
			func(i int) string {
				row, word := i/words, fmt.Sprintf("word%d", i*7919%1000)
				switch i % words {
				case 0:
					word = "often"
				case 1:
					word = "always"
				case 2:
					if word = "rarely"; row%100 > 0 {
						return ""
					}
				}
				return fmt.Sprintf("'', %d, '%s-%d', '%s'", list, table.id, row, word)
			})
	}
}

// seedEnrollments enrols each tenth of 20,000 users in course-1, and the others in the other
// courses.
func seedEnrollments(tb testing.TB, s *Store, n size) {
	tb.Helper()
	bulk(tb, s, "enrollments (user_id, course_id, purchase_id, created_at)", 20_000,
		func(i int) string {
			course := 1
			if i%10 > 0 {
				course = 2 + i%(n.courses-2)
			}
			return fmt.Sprintf("'user-%d', 'course-%d', 'p', %s", i, course, before(i))
		})
}

var (
	frequent = core.WordSearch{Also: []string{"often", "always"}}
	rare     = core.WordSearch{Rare: "rarely", Also: []string{"often"}}

	frequentPairs = core.WordSearch{Pairs: []string{"often", "always"}, Also: []string{"often"}}
	rarePair      = core.WordSearch{Rare: "rarely", RarePair: true, Pairs: []string{"often"}}
)

// searchPlans are the statements of searches. Each reads search_words by the named parts of its
// keys: in the order of the list with a look at each row, or the entries of a word first.
var searchPlans = map[string]struct {
	method func(ctx context.Context, tx learning.Tx)
	reads  []string // of the plan
	sorts  bool
}{
	"courses with frequent words": {searchPage(catalog.CourseQuery{}, frequent),
		[]string{"courses_by_publication", "PRIMARY"}, false},
	"the cheap courses with frequent words": {
		searchPage(catalog.CourseQuery{Sort: catalog.CheapCourses}, frequent),
		[]string{"courses_by_price", "PRIMARY"}, false},
	"courses with a rare word": {searchPage(catalog.CourseQuery{}, rare),
		[]string{"search_words_by_word", "PRIMARY"}, true},
	"the popular courses with a rare word": {
		searchPage(catalog.CourseQuery{Sort: catalog.PopularCourses}, rare),
		[]string{"search_words_by_word", "PRIMARY"}, true},
	"courses with frequent metadata": {searchPage(catalog.CourseQuery{}, frequentPairs),
		[]string{"courses_by_publication", "PRIMARY"}, false},
	"the popular courses with frequent metadata": {
		searchPage(catalog.CourseQuery{Sort: catalog.PopularCourses}, frequentPairs),
		[]string{"courses_by_students", "PRIMARY"}, false},
	"courses of an educator with frequent metadata": {
		searchPage(catalog.CourseQuery{EducatorID: "educator-1"}, frequentPairs),
		[]string{"courses_of_educator", "PRIMARY"}, false},
	"courses with rare metadata": {searchPage(catalog.CourseQuery{}, rarePair),
		[]string{"search_words_by_word", "PRIMARY"}, true},
	"users with frequent words": {func(ctx context.Context, tx learning.Tx) {
		_, _ = tx.UserReports(ctx, frequent, "", nextPage)
	}, []string{"users_by_creation", "PRIMARY"}, false},
	"users with a rare word": {func(ctx context.Context, tx learning.Tx) {
		_, _ = tx.UserReports(ctx, rare, "", nextPage)
	}, []string{"search_words_by_word", "PRIMARY"}, true},
	"purchases of buyers with frequent words": {func(ctx context.Context, tx learning.Tx) {
		_, _ = tx.PurchaseReports(ctx, staff.PurchaseSelection{Words: frequent}, nextPage)
	}, []string{"purchases_by_creation", "PRIMARY"}, false},
	"purchases of a course of buyers with frequent words": {
		func(ctx context.Context, tx learning.Tx) {
			_, _ = tx.PurchaseReports(ctx, staff.PurchaseSelection{Words: frequent,
				Query: staff.PurchaseQuery{CourseID: "course-1"}}, nextPage)
		}, []string{"purchases_of_course", "PRIMARY"}, false},
	"purchases of buyers with a rare word": {func(ctx context.Context, tx learning.Tx) {
		_, _ = tx.PurchaseReports(ctx, staff.PurchaseSelection{Words: rare}, nextPage)
	}, []string{"search_words_by_word", "purchases_of_user"}, true},
	"students of a course with frequent words": {
		studentPage(staff.StudentsByEnrollment, frequent),
		[]string{"enrollments_by_course", "PRIMARY"}, false},
	"the active students of a course with frequent words": {
		studentPage(staff.StudentsActive, frequent),
		[]string{"enrollments_of_course_by_activity", "PRIMARY"}, false},
	"students of a course with a rare word": {studentPage(staff.StudentsByEnrollment, rare),
		[]string{"search_words_by_word", "PRIMARY"}, true},
	"count": {func(ctx context.Context, tx learning.Tx) {
		_, _ = tx.CountWords(ctx, catalog.CourseWords, []string{"rarely", "often"}, 100)
	}, []string{"search_words_by_word"}, false},
}

func searchPage(q catalog.CourseQuery,
	s core.WordSearch) func(ctx context.Context, tx learning.Tx) {
	return func(ctx context.Context, tx learning.Tx) { _, _ = tx.Courses(ctx, q, s, nextPage) }
}

func studentPage(
	sort staff.StudentSort, words core.WordSearch,
) func(ctx context.Context, tx learning.Tx) {
	selected := staff.StudentSelection{EducatorID: "user-1", CourseID: "course-1", Sort: sort,
		Words: words}
	return func(ctx context.Context, tx learning.Tx) { _, _ = tx.StudentsIn(ctx, selected, nextPage) }
}

func TestSearch_PlansReadNoOtherRows(t *testing.T) {
	t.Parallel()
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		t.Parallel()
		s := migrated(t, e.URL(t))
		n := size{courses: 300, users: 300, purchases: 20_000}
		seed(t, s, n)
		seedWords(t, s, n)
		seedEnrollments(t, s, n)
		analyze(t, s)
		for name, search := range searchPlans {
			statements := recordStatements(t, s, search.method)
			statements = withoutLines(t, e, s, name, statements)
			if len(statements) != 1 {
				t.Errorf("%s: %d statements, want 1", name, len(statements))
				continue
			}
			list := plan(t, e, s, statements[0])
			if e.Name == "PostgreSQL" && search.sorts {
				// PostgreSQL sorts even where it would rather not: no index has the order.
				list = postgresPlan(t, s, statements[0], "seqscan", "hashjoin", "mergejoin", "sort")
			}
			steps := strings.Join(list, "\n\t")
			t.Logf("%s:\n\t%s", name, steps)
			for _, part := range search.reads {
				if e.Name == "PostgreSQL" && part == "enrollments_by_course" {
					part = "enrollments_of_course" // it has the user too
				}
				if !strings.Contains(steps, part) &&
					(part != "PRIMARY" || !usesPrimaryKey(steps)) {
					t.Errorf("%s does not use %s", name, part)
				}
			}
			if scanned := scans(t, e, s, statements[0]); len(scanned) > 0 {
				t.Errorf("%s reads whole tables: %s", name, scanned)
			}
			if sorts(steps) != search.sorts {
				t.Errorf("%s sorts rows: %t, want %t", name, sorts(steps), search.sorts)
			}
		}
	})
}

// usesPrimaryKey reports whether a plan of SQLite or PostgreSQL uses the index of a primary key.
func usesPrimaryKey(steps string) bool {
	return strings.Contains(steps, "sqlite_autoindex_") || strings.Contains(steps, "_pkey ")
}
