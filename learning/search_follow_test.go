package learning_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
)

// withName returns an event that gives ada a name.
func withName(first string, n int) people.IdentityEvent {
	e := roomtest.Event(people.UserUpdated, n)
	e.User.FirstName = first
	return e
}

func TestSearch_FollowsChanges(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		ada := w.Person(t, "ada", core.Educator)
		w.AddCourses(t, catalog.Course{ID: "go", Title: "Go", Published: true},
			catalog.Course{ID: "draft", Title: "Draft of Go"})
		w.Found(t, "go", "go")
		edit := func(id string, e catalog.CourseEdit) {
			t.Helper()
			c, err := w.Platform.Catalog.EditableCourse(ctx(), ada, id)
			if err == nil {
				e.Version = c.Version
				_, err = w.Platform.Catalog.EditCourse(ctx(), ada, id, e)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		edit("go", catalog.CourseEdit{Title: new("Rust"), Description: new("Ownership")})
		w.Found(t, "go")
		w.Found(t, "own rust", "go")
		edit("draft", catalog.CourseEdit{Published: new(true)})
		w.Found(t, "ada go", "draft")
		edit("go", catalog.CourseEdit{Published: new(false)})
		w.Found(t, "rust")
		edit("go", catalog.CourseEdit{Published: new(true)})
		w.WordsAreComplete(t)

		w.Apply(t, withName("Countess", 1))
		w.Found(t, "ada")
		w.Found(t, "countess", "go", "draft")
		w.FoundUsers(t, "countess", "ada")
		w.WordsAreComplete(t)
		if err := w.Platform.DeleteCourse(ctx(), ada, "go"); err != nil {
			t.Fatal(err)
		}
		w.Found(t, "countess", "draft")
		w.Apply(t, roomtest.Event(people.UserDeleted, 2))
		w.Found(t, "countess")
		w.Found(t, "draft", "draft")
		w.FoundUsers(t, "countess")
		w.WordsAreComplete(t)
	})
}

func TestUsers_FindsNameAndAddress(t *testing.T) {
	w := roomtest.New(t, "")
	for i, name := range []string{"Ana María", "Anna", "Ben"} {
		e := roomtest.Event(people.UserCreated, i)
		e.User.ID = fmt.Sprint(i)
		e.User.FirstName = name
		e.User.LastName = ""
		e.User.Emails = []people.IdentityEmail{{ID: "e",
			Address: fmt.Sprintf("user-%d@school%d.example", i, i%2)}}
		w.Apply(t, e)
		w.Clock.Advance(time.Second)
	}
	for text, want := range map[string][]string{
		"an": {"1", "0"}, "ANA maria": {"0"}, "school0": {"2", "0"},
		"user-2@school0.example": {"2"}, "chool": nil, "@": nil, "ben anna": nil,
	} {
		w.FoundUsers(t, text, want...)
	}
	page := learning.PageRequest{Limit: 1}
	if _, err := w.Platform.People.Users(ctx(), learning.Actor{UserID: "eve", Role: core.Educator},
		people.UserQuery{Search: "an"}, page); err != core.ErrForbidden {
		t.Error(err)
	}
}
