package community_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/study"
)

func TestRate_ReplacesTheRatingAndUpdatesTheMean(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course, other := w.Publish(t, "course", roomtest.Chapter("1", "a")),
			w.Publish(t, "other", roomtest.Chapter("1", "a"))
		ada, bob := w.Enrolls(t, "ada", course), w.Enrolls(t, "bob", course)
		w.Order(t, ada, other)
		for _, step := range []struct {
			actor learning.Actor
			stars int
			want  catalog.Ratings
		}{
			{ada, 5, catalog.Ratings{Sum: 5, Count: 1}},
			{bob, 2, catalog.Ratings{Sum: 7, Count: 2}},
			{ada, 1, catalog.Ratings{Sum: 3, Count: 2}},
			{ada, 1, catalog.Ratings{Sum: 3, Count: 2}},
			{bob, 5, catalog.Ratings{Sum: 6, Count: 2}},
		} {
			w.Rates(t, step.actor, course, step.stars)
			w.WantRatings(t, course, step.want)
		}
		w.WantRatings(t, other, catalog.Ratings{})
		list, err := roomtest.PageRows(w.Platform.Study.EnrolledCourses(ctx(), ada,
			roomtest.WholeList))
		if err != nil || len(list) != 2 || list[0].Stars != 1 || list[0].Ratings.Average() != 3 ||
			list[1].Stars != 0 {
			t.Errorf("the courses of ada are %+v (%v)", list, err)
		}
	})
}

func TestRate_ChangesTheCatalogueOfEveryInstance(t *testing.T) {
	w := roomtest.New(t, "sqlite:"+t.TempDir()+"/learning.db")
	course := w.Publish(t, "course", roomtest.Chapter("1", "a"))
	ada := w.Enrolls(t, "ada", course)
	changes, revision := w.Platform.Catalog.CatalogueChanges(), w.Revision(t)
	for _, stars := range []int{3, 4} {
		w.Rates(t, ada, course, stars)
		now := w.Revision(t)
		if now == revision {
			t.Errorf("after a rating of %d stars the revision is unchanged", stars)
		}
		revision = now
	}
	w.Rates(t, ada, course, 4)
	if w.Revision(t) != revision {
		t.Error("repeating a rating changed the revision")
	}
	if w.Platform.Catalog.CatalogueChanges() != changes {
		t.Error("a rating is counted as a change of a course")
	}
}

// One user rates a course concurrently, in two processes, while other users rate it. The sum
// must be that of the rows.
func TestRate_ConcurrentCallsAreExact(t *testing.T) {
	const people, each = 4, 15
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		other := w.OtherInstance(t)
		course, quiet := w.Publish(t, "course", roomtest.Chapter("1", "a")),
			w.Publish(t, "quiet", roomtest.Chapter("1", "a"))
		var students []learning.Actor
		for i := range people {
			students = append(students, w.Enrolls(t, fmt.Sprint("student-", i), course))
			w.Order(t, students[i], quiet)
		}
		for round := range 3 { // the first round inserts, the others replace
			errs := roomtest.Concurrently(people*each, func(i int) error {
				on := []*roomtest.World{w, other}[i/people%2]
				if i%7 == 6 {
					return on.Platform.Community.Rate(ctx(), students[i%people], quiet,
						1+i%community.MaxStars)
				}
				return on.Platform.Community.Rate(ctx(), students[i%people], course,
					1+(i/people+round)%community.MaxStars)
			})
			if diff := cmp.Diff(map[string]int{"": people * each}, roomtest.CountErrors(errs)); diff != "" {
				t.Error(diff)
			}
			for _, id := range []string{course, quiet} {
				want := catalog.Ratings{Count: w.Count(t, "ratings WHERE course_id = ?", id)}
				for i := range people {
					r, err := w.Store.Rating(ctx(), students[i].UserID, id)
					if err != nil {
						t.Fatal(err)
					}
					want.Sum += r.Stars
				}
				w.WantRatings(t, id, want)
			}
		}
	})
}

func TestRate_ConcurrentReplacementCountsOnce(t *testing.T) {
	o := &roomtest.Overtaken{}
	w := roomtest.New(t, "sqlite:"+t.TempDir()+"/learning.db",
		learningtest.WithStore(func(s learning.Store) learning.Store {
			o.Store = s
			return o
		}))
	course := w.Publish(t, "course", roomtest.Chapter("1", "a"))
	ada := w.Enrolls(t, "ada", course)
	w.Rates(t, ada, course, 2)
	o.Left = 1 << 20
	if err := w.Platform.Community.Rate(ctx(), ada, course, 5); err == nil {
		t.Error("no error for a rating that was not stored")
	}
	w.WantRatings(t, course, catalog.Ratings{Sum: 2, Count: 1})
	o.Left = 1
	w.Rates(t, ada, course, 5)
	w.WantRatings(t, course, catalog.Ratings{Sum: 5, Count: 1})
}

func TestRate_RequiresEnrolmentAndOneToFiveStars(t *testing.T) {
	w := roomtest.New(t, "sqlite:"+t.TempDir()+"/learning.db")
	course, draft := w.Publish(t, "course", roomtest.Chapter("1", "a")),
		w.Publish(t, "draft", roomtest.Chapter("1", "a"))
	ada, bob := w.Enrolls(t, "ada", course), w.Person(t, "bob", core.Student)
	w.Exec(t, "UPDATE courses SET is_published = 0 WHERE id = ?", draft)
	for _, c := range []struct {
		actor  learning.Actor
		course string
		stars  int
		want   error
	}{
		{learning.Actor{}, course, 5, core.ErrUnauthenticated},
		{bob, course, 5, study.ErrNotPurchased},
		{learning.Actor{UserID: "educator", Role: core.Educator}, course, 5,
			study.ErrNotPurchased},
		{bob, draft, 5, catalog.ErrCourseNotFound},
		{ada, "unknown", 5, catalog.ErrCourseNotFound},
		{ada, course, 0, core.ErrInvalidRequest},
		{ada, course, 6, core.ErrInvalidRequest},
		{ada, course, -1 << 62, core.ErrInvalidRequest},
	} {
		if err := w.Platform.Community.Rate(ctx(), c.actor, c.course, c.stars); !errors.Is(err,
			c.want) {
			t.Errorf("%q gives %d to %q: %v, want %v", c.actor.UserID, c.stars, c.course, err,
				c.want)
		}
	}
	w.WantRatings(t, course, catalog.Ratings{})
}

func TestRate_FaultAtEachStep(t *testing.T) {
	for name, old := range map[string]int{"the first": 0, "another": 2} {
		t.Run(name, func(t *testing.T) {
			told := map[string]error{}
			s := &roomtest.Scenario{
				Prepare: func(t *testing.T, w roomtest.FaultRun) {
					ada := w.Enrolls(t, "ada-"+w.ID, w.Publish(t, w.ID, roomtest.Chapter("1", "a")))
					if old > 0 {
						w.Rates(t, ada, w.ID, old)
					}
				},
				Do: func(t *testing.T, w roomtest.FaultRun) error {
					err := w.Platform.Community.Rate(ctx(), learning.Actor{UserID: "ada-" + w.ID},
						w.ID, 5)
					if _, again := told[w.Database+w.ID]; !again {
						told[w.Database+w.ID] = err
					}
					return err
				},
				Check: func(t *testing.T, w roomtest.FaultRun) {
					w.WantRatings(t, w.ID, catalog.Ratings{Sum: 5, Count: 1})
					if err := told[w.Database+w.ID]; w.Lost && err != nil {
						t.Errorf("the operation took effect, and its error is %v", err)
					}
				},
				Steps: []string{"read a course of a student", "mark a course as changed",
					"read a rating",
					map[bool]string{true: "replace a rating", false: "insert a rating"}[old > 0],
					"count a rating"},
			}
			roomtest.OnEnginesRepeatedly(t, s.Run)
		})
	}
}
