package roomtest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/invariants"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
)

// Found checks what a search for courses finds.
func (w *World) Found(t *testing.T, text string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, w.Search(t, text)); diff != "" {
		t.Errorf("%q (-want +found):\n%s", text, diff)
	}
}

// FoundUsers checks what a search for users finds, in pages of one.
func (w *World) FoundUsers(t *testing.T, text string, want ...string) {
	t.Helper()
	var ids []string
	for page := (core.PageRequest{Limit: 1}); ; {
		found, err := w.Platform.People.Users(ctx(), Boss, people.UserQuery{Search: text}, page)
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range found.Rows {
			ids = append(ids, u.ID)
		}
		if page.After = found.Next; found.Next.IsZero() {
			break
		}
	}
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Errorf("%q (-want +found):\n%s", text, diff)
	}
}

// WordsAreComplete checks the words of all rows.
func (w *World) WordsAreComplete(t *testing.T) {
	t.Helper()
	for _, name := range []string{"lost words", "words of titles", "words of names",
		"words of deleted", "words of users"} {
		if n := w.Count(t, invariants.Courses[name]); n != 0 {
			t.Errorf("%d rows violate the invariant %q", n, name)
		}
	}
}

// AwaitLockWait returns when a transaction on PostgreSQL waits for the lock of another one, or when
// done has a value.
func (w *World) AwaitLockWait(t *testing.T, done chan error) {
	t.Helper()
	for len(done) == 0 {
		if w.Count(t, `pg_stat_activity WHERE datname = current_database()
			AND wait_event_type = 'Lock'`) > 0 {
			return
		}
	}
}

// Search returns the ids of the courses that a search finds, in pages of two.
func (w *World) Search(t *testing.T, text string) (ids []string) {
	t.Helper()
	page := core.PageRequest{Limit: 2}
	for {
		found, err := w.Platform.Catalog.Catalogue(ctx(), catalog.CourseQuery{Search: text}, page)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range found.Rows {
			ids = append(ids, c.ID)
		}
		if page.After = found.Next; found.Next.IsZero() {
			return ids
		}
	}
}

// AddCourses stores courses of the educator ada, one a second.
func (w *World) AddCourses(t *testing.T, list ...catalog.Course) {
	t.Helper()
	err := w.Store.InTx(ctx(), func(tx learning.Tx) error {
		for i, c := range list {
			c.Educator.ID, c.CreatedAt = "ada", w.Clock.Now().Add(time.Duration(i)*time.Second)
			if err := tx.InsertCourse(ctx(), c, nil); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
