package learning_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/invariants"
	"github.com/openlectern/openlectern/learning"
)

// found checks what a search for courses finds.
func (w *fixture) found(t *testing.T, text string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, w.search(t, text)); diff != "" {
		t.Errorf("%q (-want +found):\n%s", text, diff)
	}
}

// foundUsers checks what a search for users finds, in pages of one.
func (w *fixture) foundUsers(t *testing.T, text string, want ...string) {
	t.Helper()
	var ids []string
	for page := (learning.Page{Limit: 1}); ; {
		list, next, err := w.Platform.UsersPage(ctx(), learning.Actor{UserID: "boss", Role: learning.Admin}, learning.UserQuery{Search: text}, page)
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range list {
			ids = append(ids, u.ID)
		}
		if page.After = next; next.IsZero() {
			break
		}
	}
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Errorf("%q (-want +found):\n%s", text, diff)
	}
}

// wordsAreComplete checks the words of all rows that are marked as indexed, and that all are.
func (w *fixture) wordsAreComplete(t *testing.T) {
	t.Helper()
	for _, name := range []string{"lost words", "words of titles", "words of names", "words of deleted", "words of users"} {
		if n := w.count(t, invariants.Courses[name]); n != 0 {
			t.Errorf("%d rows violate the invariant %q", n, name)
		}
	}
	if n := w.count(t, "courses WHERE words_missing = 1") + w.count(t, "users WHERE words_missing = 1"); n != 0 {
		t.Errorf("%d rows are not indexed", n)
	}
}

// withName returns an event that gives ada a name.
func withName(first string, n int) learning.IdentityEvent {
	e := event(learning.UserUpdated, n)
	e.User.FirstName = first
	return e
}

func TestSearch_FollowsChanges(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		ada := w.Person(t, "ada", learning.Educator)
		w.addCourses(t, learning.Course{ID: "go", Title: "Go", Published: true}, learning.Course{ID: "draft", Title: "Draft of Go"})
		w.found(t, "go", "go")
		edit := func(id string, e learning.CourseEdit) {
			t.Helper()
			c, _, err := w.Platform.EditableCourse(ctx(), ada, id)
			if err == nil {
				e.Version = c.Version
				_, _, err = w.Platform.EditCourse(ctx(), ada, id, e)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		edit("go", learning.CourseEdit{Title: new("Rust"), Description: new("Ownership")})
		w.found(t, "go")
		w.found(t, "own rust", "go")
		edit("draft", learning.CourseEdit{Published: new(true)})
		w.found(t, "ada go", "draft")
		edit("go", learning.CourseEdit{Published: new(false)})
		w.found(t, "rust")
		edit("go", learning.CourseEdit{Published: new(true)})
		w.wordsAreComplete(t)

		w.apply(t, withName("Countess", 1))
		w.found(t, "ada")
		w.found(t, "countess", "go", "draft")
		w.foundUsers(t, "countess", "ada")
		w.wordsAreComplete(t)
		if err := w.Platform.DeleteCourse(ctx(), ada, "go"); err != nil {
			t.Fatal(err)
		}
		w.found(t, "countess", "draft")
		w.apply(t, event(learning.UserDeleted, 2))
		w.found(t, "countess")
		w.found(t, "draft", "draft")
		w.foundUsers(t, "countess")
		w.wordsAreComplete(t)
	})
}

func TestUsersPage_FindsNameAndAddress(t *testing.T) {
	w := newFixture(t, "")
	for i, name := range []string{"Ana María", "Anna", "Ben"} {
		e := event(learning.UserCreated, i)
		e.User.ID, e.User.FirstName, e.User.LastName = fmt.Sprint(i), name, ""
		e.User.Emails = []learning.IdentityEmail{{ID: "e", Address: fmt.Sprintf("user-%d@school%d.example", i, i%2)}}
		w.apply(t, e)
		w.Clock.Advance(time.Second)
	}
	for text, want := range map[string][]string{
		"an": {"1", "0"}, "ANA maria": {"0"}, "school0": {"2", "0"}, "user-2@school0.example": {"2"}, "chool": nil, "@": nil, "ben anna": nil,
	} {
		w.foundUsers(t, text, want...)
	}
	page := learning.Page{Limit: 1}
	if _, _, err := w.Platform.UsersPage(ctx(), learning.Actor{UserID: "eve", Role: learning.Educator}, learning.UserQuery{Search: "an"}, page); err != learning.ErrForbidden {
		t.Error(err)
	}
}

// oldProgram is what a version without words does to the rows of a store.
var oldProgram = []string{
	"UPDATE courses SET title = 'Rust', version = version + 1 WHERE id = 'go'",
	"UPDATE courses SET is_published = 0, version = version + 1 WHERE id = 'food'",
	"UPDATE users SET name = 'Countess', changed_at = '2027-01-01 00:00:00.000000' WHERE id = 'ada'",
	"UPDATE users SET name = '', email = '', deleted_at = changed_at WHERE id = 'eve'",
	"INSERT INTO users (id, name, email, image_url, created_at, changed_at) VALUES ('new', 'Newcomer', '', '', '2026-01-01 00:00:00.000000', '2026-01-01 00:00:00.000000')",
}

func TestRunSearchIndex_FollowsProgramsWithoutWords(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		w.Person(t, "ada", learning.Educator)
		w.Person(t, "eve", learning.Student)
		list := []learning.Course{{ID: "go", Title: "Go", Published: true}, {ID: "food", Title: "Food", Published: true}}
		for i := range 150 { // more than are read at a time
			list = append(list, learning.Course{ID: fmt.Sprintf("c%03d", i), Title: "Old", Published: true})
		}
		w.addCourses(t, list...)
		for _, statement := range append(oldProgram, "DELETE FROM search_words WHERE row_id LIKE 'c%'", "UPDATE courses SET indexed_version = 0 WHERE id LIKE 'c%'") {
			w.exec(t, statement)
		}
		w.found(t, "old")

		ctx, stop := context.WithCancel(ctx())
		done := make(chan struct{})
		go func() { w.Platform.System().RunSearchIndex(ctx); close(done) }()
		defer func() { stop(); <-done }()
		for end := time.Now().Add(bound); w.count(t, "courses WHERE words_missing = 1")+w.count(t, "users WHERE words_missing = 1") > 0; {
			if time.Now().After(end) {
				t.Fatal("the rows are not indexed")
			}
		}
		w.wordsAreComplete(t)
		w.found(t, "rust countess", "go")
		w.found(t, "food")
		if got := w.search(t, "old countess"); len(got) != 150 {
			t.Errorf("%d courses are found", len(got))
		}
		w.found(t, "ada")
		w.foundUsers(t, "eve")
		w.foundUsers(t, "newc", "new")
	})
}
