package catalog_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

func TestEditCourse_KeepsProgress(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course := w.Publish(t, "course", roomtest.Chapter("1", "a", "b"), roomtest.Chapter("2", "c"))
		ada := w.Enrolls(t, "ada", course)
		w.Learns(t, ada, course, false, "a", "b")
		first := w.WantProgress(t, ada, course, false, "a", "b")

		for _, step := range []struct {
			name      string
			content   []catalog.Chapter
			completed bool
			progress  []string
		}{
			{"renamed, and at other places within its chapter",
				[]catalog.Chapter{renamed(roomtest.Chapter("1", "b", "a")), roomtest.Chapter("2",
					"c")}, false,
				[]string{"a", "b"}},
			{"moved to other chapters",
				[]catalog.Chapter{roomtest.Chapter("2", "c", "a"), roomtest.Chapter("3",
					"b")}, false,
				[]string{"a", "b"}},
			{"what was missing is removed", []catalog.Chapter{roomtest.Chapter("1", "a", "b")},
				true,
				[]string{"a", "b"}},
			{"a lecture is added", []catalog.Chapter{roomtest.Chapter("1", "a", "b", "d")}, false,
				[]string{"a", "b"}},
			{"a completed one is removed", []catalog.Chapter{roomtest.Chapter("1", "b", "d")},
				false,
				[]string{"b"}},
			{"all that was completed is removed", []catalog.Chapter{roomtest.Chapter("1", "d")},
				false,
				nil},
			{"as many lectures as were completed, and none of them",
				[]catalog.Chapter{roomtest.Chapter("1", "d", "e")}, false, nil},
			{"what was completed comes back", []catalog.Chapter{roomtest.Chapter("9", "a", "b")},
				true,
				[]string{"a", "b"}},
		} {
			w.Revise(t, course, step.content...)
			p := w.WantProgress(t, ada, course, step.completed, step.progress...)
			if p.ID != first.ID || !p.CreatedAt.Equal(first.CreatedAt) ||
				!p.UpdatedAt.Equal(first.UpdatedAt) {
				t.Errorf("%s: id and times are %+v, and were %+v", step.name, p, first)
			}
			if t.Failed() {
				t.Fatal(step.name)
			}
		}
		if n := w.Count(t, "completed_lectures"); n != 2 {
			t.Errorf("%d rows are left of 2", n)
		}
		w.Revise(t, course, roomtest.Chapter("1", "b", "x"))
		w.Learns(t, ada, course, true, "x")
		if _, err := w.Platform.Study.CompleteLecture(ctx(), ada, course, "a"); !errors.Is(err,
			catalog.ErrInvalidLecture) {
			t.Errorf("a removed lecture was completed: %v", err)
		}
		if p := w.WantProgress(t, ada, course, true, "b",
			"x"); !p.CompletedAt.Equal(w.Clock.Now()) {
			t.Errorf("completed at %v, want %v", p.CompletedAt, w.Clock.Now())
		}
		w.Revise(t, course, roomtest.Chapter("1", "b"))
		if p := w.WantProgress(t, ada, course, true, "b"); !p.CompletedAt.Equal(first.UpdatedAt) ||
			!p.UpdatedAt.Equal(w.Clock.Now()) {
			t.Errorf("without the latest lecture: completed at %v, want %v; updated at %v",
				p.CompletedAt, first.UpdatedAt, p.UpdatedAt)
		}
	})
}

func renamed(ch catalog.Chapter) catalog.Chapter {
	ch.Title = "Another"
	for i := range ch.Lectures {
		ch.Lectures[i].Title, ch.Lectures[i].URL = "Another", "https://videos.example.org/another"
	}
	return ch
}

func TestEditCourse_ComputesTotals(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course, other := w.Publish(t, "course", roomtest.Chapter("1", "a", "b")),
			w.Publish(t, "other", roomtest.Chapter("1", "a"))
		w.Rates(t, w.Enrolls(t, "ada", course), course, 4)
		was, err := w.Store.Course(ctx(), course)
		if err != nil {
			t.Fatal(err)
		}
		changes := w.Platform.Catalog.CatalogueChanges()
		revision, err := w.Platform.Catalog.CatalogueRevision(ctx())
		if err != nil {
			t.Fatal(err)
		}
		w.Clock.Advance(3600e9)
		given := []catalog.Chapter{roomtest.Chapter("2", "b", ""), roomtest.Chapter("3", "c")}
		given[0].Lectures[0].Minutes, given[0].Lectures[1].Minutes = 0.25, 0.25
		w.Revise(t, course, given...)
		if given[0].Order != 0 || given[0].Lectures[1].ID != "" {
			t.Error("the argument was changed")
		}

		want := was
		want.Lectures = 3
		want.Minutes = 11
		want.Version = 2
		want.UpdatedAt = w.Clock.Now()
		got, err := w.Store.Course(ctx(), course)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s (%v)", diff, err)
		}
		now, err := w.Platform.Catalog.CatalogueRevision(ctx())
		if err != nil || now == revision || w.Platform.Catalog.CatalogueChanges() == changes {
			t.Errorf("the revision is unchanged (%v)", err)
		}
		enrolled, err := w.Platform.Study.EnrolledCourse(ctx(), learning.Actor{UserID: "ada"},
			course)
		if err != nil {
			t.Fatal(err)
		}
		made := enrolled.Content[0].Lectures[1].ID
		given[0].Order = 1
		given[0].Lectures[0].Order = 1
		given[0].Lectures[1].Order = 2
		given[0].Lectures[1].ID = made
		given[1].Order, given[1].Lectures[0].Order = 2, 1
		diff := cmp.Diff(given, enrolled.Content, cmpopts.EquateEmpty())
		if diff != "" || made == "" {
			t.Error(diff)
		}
		w.WantTotals(t, other, 1, 10)
	})
}

func TestEditCourse_Refusals(t *testing.T) {
	w := roomtest.New(t, "sqlite:"+t.TempDir()+"/learning.db")
	course, draft := w.Publish(t, "course", roomtest.Chapter("1", "a")),
		w.Publish(t, "draft", roomtest.Chapter("1", "a"))
	w.Exec(t, "UPDATE courses SET is_published = 0 WHERE id = ?", draft)
	other, admin := w.Person(t, "other", core.Educator), w.Person(t, "admin", core.Admin)
	student := w.Enrolls(t, "student", course)
	good := []catalog.Chapter{roomtest.Chapter("1", "a", "b")}
	for _, c := range []struct {
		actor   learning.Actor
		course  string
		content []catalog.Chapter
		want    error
	}{
		{learning.Actor{}, course, good, core.ErrUnauthenticated},
		{student, course, good, core.ErrForbidden},
		// the role educator was removed
		{learning.Actor{UserID: "educator", Role: core.Student}, course, good,
			core.ErrForbidden},
		{other, course, good, core.ErrForbidden},
		{other, draft, good, core.ErrForbidden},
		{other, "unknown", good, catalog.ErrCourseNotFound},
		{student, draft, good, core.ErrForbidden},
		{roomtest.Teacher, "unknown", good, catalog.ErrCourseNotFound},
		{admin, "unknown", good, catalog.ErrCourseNotFound},
		{roomtest.Teacher, course, []catalog.Chapter{}, core.ErrInvalidRequest},
		{roomtest.Teacher, course, []catalog.Chapter{roomtest.Chapter("1")},
			core.ErrInvalidRequest},
		{roomtest.Teacher, course, []catalog.Chapter{roomtest.Chapter("1", "a", "a")},
			core.ErrInvalidRequest},
		{roomtest.Teacher, course, []catalog.Chapter{roomtest.Chapter("1", "a"),
			roomtest.Chapter("1",
				"b")},
			core.ErrInvalidRequest},
		{roomtest.Teacher, course, []catalog.Chapter{roomtest.Chapter("1", "a ")},
			core.ErrInvalidRequest},
		{roomtest.Teacher, course, []catalog.Chapter{roomtest.Chapter("1", "\ta")},
			core.ErrInvalidRequest},
		{roomtest.Teacher, course, []catalog.Chapter{roomtest.Chapter("1", "\xff")},
			core.ErrInvalidRequest},
		{roomtest.Teacher, course, []catalog.Chapter{roomtest.Chapter("1", strings.Repeat("a",
			101))},
			core.ErrInvalidRequest},
		{roomtest.Teacher, course,
			[]catalog.Chapter{{ID: "1", Title: "1",
				Lectures: []catalog.Lecture{{ID: "a", Title: "a", Minutes: 1,
					URL: "javascript:alert(1)"}}}}, core.ErrInvalidRequest},
	} {
		before := w.Dump(t)
		if _, err := w.TryEdit(c.actor, c.course,
			catalog.CourseEdit{Content: c.content}); !errors.Is(err, c.want) {
			t.Errorf("%q edits %q: %v, want %v", c.actor.UserID, c.course, err, c.want)
		}
		if diff := cmp.Diff(before, w.Dump(t)); diff != "" {
			t.Errorf("rows have changed: %s", diff)
		}
	}
	for i, actor := range []learning.Actor{roomtest.Teacher, admin} {
		for _, id := range []string{course, draft} {
			if _, err := w.TryEdit(actor, id,
				catalog.CourseEdit{Content: []catalog.Chapter{roomtest.Chapter("1", "a",
					fmt.Sprint(i))}}); err != nil {
				t.Errorf("%q edits %q: %v", actor.UserID, id, err)
			}
		}
	}
}

// Edits and completions run concurrently: totals and content belong to the same version,
// each edit of a stale version is refused, and no progress is lost.
func TestEditCourse_BesideProgressAtOnce(t *testing.T) {
	const n = 12
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		other := w.OtherInstance(t)
		course := w.Publish(t, "course", roomtest.Chapter("1", "a"))
		ada := w.Enrolls(t, "ada", course)
		errs := roomtest.Concurrently(2*n, func(i int) error {
			on := []*roomtest.World{w, other}[i/2%2]
			if i%2 == 0 {
				_, err := on.Platform.Study.CompleteLecture(ctx(), ada, course, "a")
				return err
			}
			ids := []string{"a"}
			for l := range i {
				ids = append(ids, fmt.Sprint("l", l))
			}
			for {
				_, err := on.TryEdit(roomtest.Teacher, course,
					catalog.CourseEdit{Content: []catalog.Chapter{roomtest.Chapter("1", ids...)}})
				if !errors.Is(err, catalog.ErrCourseChanged) {
					return err
				}
			}
		})
		if diff := cmp.Diff(map[string]int{"": 2 * n}, roomtest.CountErrors(errs)); diff != "" {
			t.Error(diff)
		}
		content, err := w.Store.CourseContent(ctx(), course)
		if err != nil {
			t.Fatal(err)
		}
		lectures := len(content[0].Lectures)
		if c, err := w.Store.Course(ctx(), course); err != nil || c.Version != n+1 {
			t.Errorf("version %d after %d edits (%v)", c.Version, n, err)
		}
		w.WantTotals(t, course, lectures, 10*lectures)
		w.WantProgress(t, ada, course, false, "a")
	})
}

func TestEditCourse_FaultAtEachStep(t *testing.T) {
	s := &roomtest.Scenario{
		Prepare: func(t *testing.T, w roomtest.FaultRun) {
			w.Publish(t, w.ID, roomtest.Chapter("1",
				"a"))
		},
		Do: func(t *testing.T, w roomtest.FaultRun) error {
			_, err := w.TryEdit(roomtest.Teacher, w.ID,
				catalog.CourseEdit{Content: []catalog.Chapter{roomtest.Chapter("1", "b", "c")}})
			return err
		},
		Check: func(t *testing.T, w roomtest.FaultRun) { w.WantTotals(t, w.ID, 2, 20) },
		Steps: []string{"read a course", "lock a course", "update a course",
			"update a course's content", "list the quizzes of a course"},
	}
	roomtest.OnEnginesRepeatedly(t, s.Run)
}
