package learning_test

import (
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
	for page := (learning.PageRequest{Limit: 1}); ; {
		found, err := w.Platform.Users(ctx(), boss, learning.UserQuery{Search: text}, page)
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

// wordsAreComplete checks the words of all rows.
func (w *fixture) wordsAreComplete(t *testing.T) {
	t.Helper()
	for _, name := range []string{"lost words", "words of titles", "words of names",
		"words of deleted", "words of users"} {
		if n := w.count(t, invariants.Courses[name]); n != 0 {
			t.Errorf("%d rows violate the invariant %q", n, name)
		}
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
		w.addCourses(t, learning.Course{ID: "go", Title: "Go", Published: true},
			learning.Course{ID: "draft", Title: "Draft of Go"})
		w.found(t, "go", "go")
		edit := func(id string, e learning.CourseEdit) {
			t.Helper()
			c, err := w.Platform.EditableCourse(ctx(), ada, id)
			if err == nil {
				e.Version = c.Version
				_, err = w.Platform.EditCourse(ctx(), ada, id, e)
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

func TestUsers_FindsNameAndAddress(t *testing.T) {
	w := newFixture(t, "")
	for i, name := range []string{"Ana María", "Anna", "Ben"} {
		e := event(learning.UserCreated, i)
		e.User.ID = fmt.Sprint(i)
		e.User.FirstName = name
		e.User.LastName = ""
		e.User.Emails = []learning.IdentityEmail{{ID: "e",
			Address: fmt.Sprintf("user-%d@school%d.example", i, i%2)}}
		w.apply(t, e)
		w.Clock.Advance(time.Second)
	}
	for text, want := range map[string][]string{
		"an": {"1", "0"}, "ANA maria": {"0"}, "school0": {"2", "0"},
		"user-2@school0.example": {"2"}, "chool": nil, "@": nil, "ben anna": nil,
	} {
		w.foundUsers(t, text, want...)
	}
	page := learning.PageRequest{Limit: 1}
	if _, err := w.Platform.Users(ctx(), learning.Actor{UserID: "eve", Role: learning.Educator},
		learning.UserQuery{Search: "an"}, page); err != learning.ErrForbidden {
		t.Error(err)
	}
}
