package store

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/sqldb"
	"github.com/openlectern/openlectern/learning"
)

// size is the number of rows of a seeded store.
type size struct{ courses, users, purchases int }

// large is the size of a platform after some years.
var large = size{courses: 2_000, users: 20_000, purchases: 200_000}

// seedEnd is the time of the last purchase of a seeded store.
var seedEnd = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

// seed fills a store by statements of a thousand rows each. Of twenty purchases one
// failed, one was refunded and one is pending, and each thousandth is created.
func seed(tb testing.TB, s *Store, n size) {
	tb.Helper()
	bulk(tb, s, "users (id, name, email, image_url, created_at, changed_at, deleted_at)", n.users,
		func(i int) string {
			deleted := "NULL"
			if i%50 == 0 {
				deleted = quoted(seedEnd)
			}
			return fmt.Sprintf(
				"'user-%d', 'Name of %d', 'user-%d@example.com', 'https://img.example.com/%d', "+
					"%s, %s, %s", i, i, i, i, before(i*40), before(i), deleted)
		})
	bulk(tb, s, "roles (user_id, role, decided_at)", n.users/4, func(i int) string {
		return fmt.Sprintf("'user-%d', '%s', %s", i, []string{"student", "educator"}[i%2],
			before(i))
	})
	bulk(tb, s,
		"applications (id, user_id, professional_title, linkedin_url, status, rejection_reason, "+
			"created_at, updated_at, previous_role, expertise, bio)",
		n.users/10, func(i int) string {
			return fmt.Sprintf(
				"'application-%d', 'user-%d', 'Title', '', '%s', '', %s, %s, 'student', "+
					"'[\"Go\"]', '%s'",
				i, i*3, []string{"approved", "rejected", "pending"}[i%3], before(i*60), before(i),
				strings.Repeat("bio ", 200))
		})
	bulk(tb, s,
		"courses (id, title, thumbnail, price, discount, is_published, educator_id, rating_sum, "+
			"rating_count, lectures, minutes, students, revision, created_at, updated_at, "+
			"description)",
		n.courses, func(i int) string {
			return fmt.Sprintf(
				"'course-%d', 'Course %d', 'c.png', 49900, 1000, %d, 'user-%d', 9, 2, 12, 340, "+
					"%d, 1, %s, %s, '%s'",
				i, i, min(i%10, 1), i%(n.users/20), i*7919%n.courses, before(i*60), before(i),
				strings.Repeat("about ", 150))
		})
	status := func(i int) string {
		switch {
		case i%1000 == 3:
			return "created"
		case i%20 < 3:
			return []string{"failed", "refunded", "pending"}[i%20]
		}
		return "completed"
	}
	buyer, bought := func(i int) int { return i % n.users },
		func(i int) int { return (i/n.users*191 + i*7) % n.courses }
	bulk(tb, s,
		"purchases (id, user_id, course_id, is_open, amount, currency, status, created_at, "+
			"updated_at, completed_at)",
		n.purchases, func(i int) string {
			completed := "NULL"
			if status(i) == "completed" || status(i) == "refunded" {
				completed = before((n.purchases-i)*2 - 1)
			}
			return fmt.Sprintf(
				"'01987654-0000-7000-8000-%012d', 'user-%d', 'course-%d', NULL, %d, '%s', '%s', "+
					"%s, %s, %s",
				i, buyer(i), bought(i), 100+i%100_000, []string{"EUR", "INR"}[min((i+50)%100, 1)],
				status(i), before((n.purchases-i)*2), before(i), completed)
		})
	recount(tb, s)
	analyze(tb, s)
}

// recount corrects the totals, because rows that are inserted by statements are not counted.
func recount(tb testing.TB, s *Store) {
	tb.Helper()
	p, err := learning.New(s)
	if err == nil {
		_, err = p.System().RecountTotals(context.Background())
	}
	if err != nil {
		tb.Fatal(err)
	}
}

// bulk inserts rows in one transaction. row returns the values of a row; "" skips it.
func bulk(tb testing.TB, s *Store, into string, n int, row func(i int) string) {
	tb.Helper()
	const most = 1_000
	tx, err := s.db.Writer().Begin()
	if err != nil {
		tb.Fatal(err)
	}
	defer tx.Rollback()
	var b strings.Builder
	rows := 0
	for i := range n {
		if values := row(i); values != "" {
			fmt.Fprintf(&b, ",(%s)", values)
			rows++
		}
		if (i == n-1 || rows == most) && rows > 0 {
			if _, err := tx.Exec("INSERT INTO " + into + " VALUES " + b.String()[1:]); err != nil {
				tb.Fatalf("fill %s: %v", into, err)
			}
			b.Reset()
			rows = 0
		}
	}
	if err := tx.Commit(); err != nil {
		tb.Fatal(err)
	}
}

// analyze updates the statistics of all tables, by which an engine chooses indexes. In production
// the engine does this itself from time to time. MySQL also does it here for tables that are left
// out, at a time of its own, so that their plans would change from one run to the next.
func analyze(tb testing.TB, s *Store) {
	tb.Helper()
	statement := "ANALYZE"
	if s.engine().Name == "mysql" {
		tables := enginetest.TableNames(tb, s.db.Writer().DB)
		statement += " TABLE " + strings.Join(tables, ", ")
	}
	if _, err := s.db.Writer().Exec(statement); err != nil {
		tb.Fatal(err)
	}
}

// before returns the SQL of the time so many minutes before seedEnd.
func before(minutes int) string {
	return quoted(seedEnd.Add(-time.Duration(minutes) *
		time.Minute))
}

func quoted(t time.Time) string { return "'" + t.Format(sqldb.TimestampLayout) + "'" }
