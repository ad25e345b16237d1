package catalog_test

import (
	"context"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/faultystore"
	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/people"
)

// An educator is renamed when a transaction has stored a published course and copied the words of
// the old name, and has not been committed. Afterwards a search finds the course by the new name
// only. The test is for PostgreSQL, because a statement there locks no rows that it only reads, and
// waits for no rows that it does not see yet.
func TestCatalogue_EducatorRenamedBesideItsCourseRace(t *testing.T) {
	t.Parallel()
	isTrue := true
	for name, publish := range map[string]func(w *roomtest.World, actor learning.Actor) (string,
		error){
		"AddCourse": func(w *roomtest.World, actor learning.Actor) (string, error) {
			return w.Platform.Catalog.AddCourse(ctx(), actor, roomtest.NewCourse("course"),
				learningtest.Thumbnail(t))
		},
		"EditCourse": func(w *roomtest.World, actor learning.Actor) (string, error) {
			_, err := w.Platform.Catalog.EditCourse(ctx(), actor, "draft",
				catalog.CourseEdit{Version: 1, Published: &isTrue})
			return "draft", err
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := roomtest.New(t, enginetest.PostgreSQL(t))
			educator := w.Person(t, "ada", core.Educator)
			name := func(minute int, name string) people.IdentityEvent {
				e := roomtest.Event(people.UserUpdated, minute)
				e.User.FirstName = name
				return e
			}
			w.Apply(t, name(1, "Byron"))
			w.AddCourses(t, catalog.Course{ID: "draft", Title: "Draft", Version: 1})

			// Before the COMMIT, rename the educator until that is done, or waits for a lock.
			renamed := make(chan error, 1)
			rename := sync.OnceFunc(func() {
				go func() {
					renamed <- w.Platform.System().ApplyIdentityEvent(ctx(),
						name(2, "Lovelace"))
				}()
				w.AwaitLockWait(t, renamed)
			})
			hasWords := false
			publisher := w.OtherInstance(t,
				learningtest.WithStore(func(s learning.Store) learning.Store {
					return faultystore.With(s, func(_ context.Context, step string) error {
						switch step {
						case "insert words of educators":
							hasWords = true
						case "COMMIT":
							if hasWords { // an earlier transaction stores the picture
								rename()
							}
						}
						return nil
					})
				}))
			course, err := publish(publisher, educator)
			if err != nil {
				t.Fatal(err)
			}
			if err := <-renamed; err != nil {
				t.Fatal(err)
			}
			got := map[string][]string{}
			for _, text := range []string{"byron", "lovelace"} {
				got[text] = w.Search(t, text)
			}
			want := map[string][]string{"byron": nil, "lovelace": {course}}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
