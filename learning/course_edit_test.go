package learning_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/openlectern/openlectern/learning"
)

// revise replaces the content of a course, as its educator.
func (w *fixture) revise(t *testing.T, courseID string, content ...learning.Chapter) {
	t.Helper()
	w.edit(t, courseID, learning.CourseEdit{Content: content})
}

// edit edits the present version of a course, as its educator, and returns the course.
func (w *fixture) edit(t *testing.T, courseID string, e learning.CourseEdit) learning.Course {
	t.Helper()
	c, err := w.tryEdit(teacher, courseID, e)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// tryEdit edits the present version of a course.
func (w *fixture) tryEdit(actor learning.Actor, courseID string,
	e learning.CourseEdit) (learning.Course, error) {
	now, err := w.Store.Course(ctx(), courseID)
	if err != nil && !errors.Is(err, learning.ErrNoRecord) {
		return learning.Course{}, err
	}
	e.Version = now.Version
	c, err := w.Platform.EditCourse(ctx(), actor, courseID, e)
	return c.Course, err
}

// wantTotals checks the totals of a course.
func (w *fixture) wantTotals(t *testing.T, courseID string, lectures, minutes int) {
	t.Helper()
	c, err := w.Store.Course(ctx(), courseID)
	if err != nil || c.Lectures != lectures || c.Minutes != minutes {
		t.Errorf("%d lectures of %d minutes, want %d of %d (%v)", c.Lectures, c.Minutes, lectures,
			minutes, err)
	}
}

func TestEditCourse_KeepsProgress(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		course := w.publish(t, "course", chapter("1", "a", "b"), chapter("2", "c"))
		ada := w.enrolls(t, "ada", course)
		w.learns(t, ada, course, false, "a", "b")
		first := w.wantProgress(t, ada, course, false, "a", "b")

		for _, step := range []struct {
			name      string
			content   []learning.Chapter
			completed bool
			progress  []string
		}{
			{"renamed, and at other places within its chapter",
				[]learning.Chapter{renamed(chapter("1", "b", "a")), chapter("2", "c")}, false,
				[]string{"a", "b"}},
			{"moved to other chapters",
				[]learning.Chapter{chapter("2", "c", "a"), chapter("3", "b")}, false,
				[]string{"a", "b"}},
			{"what was missing is removed", []learning.Chapter{chapter("1", "a", "b")}, true,
				[]string{"a", "b"}},
			{"a lecture is added", []learning.Chapter{chapter("1", "a", "b", "d")}, false,
				[]string{"a", "b"}},
			{"a completed one is removed", []learning.Chapter{chapter("1", "b", "d")}, false,
				[]string{"b"}},
			{"all that was completed is removed", []learning.Chapter{chapter("1", "d")}, false,
				nil},
			{"as many lectures as were completed, and none of them",
				[]learning.Chapter{chapter("1", "d", "e")}, false, nil},
			{"what was completed comes back", []learning.Chapter{chapter("9", "a", "b")}, true,
				[]string{"a", "b"}},
		} {
			w.revise(t, course, step.content...)
			p := w.wantProgress(t, ada, course, step.completed, step.progress...)
			if p.ID != first.ID || !p.CreatedAt.Equal(first.CreatedAt) ||
				!p.UpdatedAt.Equal(first.UpdatedAt) {
				t.Errorf("%s: id and times are %+v, and were %+v", step.name, p, first)
			}
			if t.Failed() {
				t.Fatal(step.name)
			}
		}
		if n := w.count(t, "completed_lectures"); n != 2 {
			t.Errorf("%d rows are left of 2", n)
		}
		w.revise(t, course, chapter("1", "b", "x"))
		w.learns(t, ada, course, true, "x")
		if _, err := w.Platform.CompleteLecture(ctx(), ada, course, "a"); !errors.Is(err,
			learning.ErrInvalidLecture) {
			t.Errorf("a removed lecture was completed: %v", err)
		}
		if p := w.wantProgress(t, ada, course, true, "b",
			"x"); !p.CompletedAt.Equal(w.Clock.Now()) {
			t.Errorf("completed at %v, want %v", p.CompletedAt, w.Clock.Now())
		}
		w.revise(t, course, chapter("1", "b"))
		if p := w.wantProgress(t, ada, course, true, "b"); !p.CompletedAt.Equal(first.UpdatedAt) ||
			!p.UpdatedAt.Equal(w.Clock.Now()) {
			t.Errorf("without the latest lecture: completed at %v, want %v; updated at %v",
				p.CompletedAt, first.UpdatedAt, p.UpdatedAt)
		}
	})
}

func renamed(ch learning.Chapter) learning.Chapter {
	ch.Title = "Another"
	for i := range ch.Lectures {
		ch.Lectures[i].Title, ch.Lectures[i].URL = "Another", "https://videos.example.org/another"
	}
	return ch
}

func TestEditCourse_ComputesTotals(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		course, other := w.publish(t, "course", chapter("1", "a", "b")),
			w.publish(t, "other", chapter("1", "a"))
		w.rates(t, w.enrolls(t, "ada", course), course, 4)
		was, err := w.Store.Course(ctx(), course)
		if err != nil {
			t.Fatal(err)
		}
		changes := w.Platform.CatalogueChanges()
		revision, err := w.Platform.CatalogueRevision(ctx())
		if err != nil {
			t.Fatal(err)
		}
		w.Clock.Advance(3600e9)
		given := []learning.Chapter{chapter("2", "b", ""), chapter("3", "c")}
		given[0].Lectures[0].Minutes, given[0].Lectures[1].Minutes = 0.25, 0.25
		w.revise(t, course, given...)
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
		now, err := w.Platform.CatalogueRevision(ctx())
		if err != nil || now == revision || w.Platform.CatalogueChanges() == changes {
			t.Errorf("the revision is unchanged (%v)", err)
		}
		enrolled, err := w.Platform.EnrolledCourse(ctx(), learning.Actor{UserID: "ada"}, course)
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
		w.wantTotals(t, other, 1, 10)
	})
}

func TestEditCourse_Refusals(t *testing.T) {
	w := newFixture(t, "sqlite:"+t.TempDir()+"/learning.db")
	course, draft := w.publish(t, "course", chapter("1", "a")),
		w.publish(t, "draft", chapter("1", "a"))
	w.exec(t, "UPDATE courses SET is_published = 0 WHERE id = ?", draft)
	other, admin := w.Person(t, "other", learning.Educator), w.Person(t, "admin", learning.Admin)
	student := w.enrolls(t, "student", course)
	good := []learning.Chapter{chapter("1", "a", "b")}
	for _, c := range []struct {
		actor   learning.Actor
		course  string
		content []learning.Chapter
		want    error
	}{
		{learning.Actor{}, course, good, learning.ErrUnauthenticated},
		{student, course, good, learning.ErrForbidden},
		// the role educator was removed
		{learning.Actor{UserID: "educator", Role: learning.Student}, course, good,
			learning.ErrForbidden},
		{other, course, good, learning.ErrForbidden},
		{other, draft, good, learning.ErrForbidden},
		{other, "unknown", good, learning.ErrCourseNotFound},
		{student, draft, good, learning.ErrForbidden},
		{teacher, "unknown", good, learning.ErrCourseNotFound},
		{admin, "unknown", good, learning.ErrCourseNotFound},
		{teacher, course, []learning.Chapter{}, learning.ErrInvalidRequest},
		{teacher, course, []learning.Chapter{chapter("1")}, learning.ErrInvalidRequest},
		{teacher, course, []learning.Chapter{chapter("1", "a", "a")}, learning.ErrInvalidRequest},
		{teacher, course, []learning.Chapter{chapter("1", "a"), chapter("1", "b")},
			learning.ErrInvalidRequest},
		{teacher, course, []learning.Chapter{chapter("1", "a ")}, learning.ErrInvalidRequest},
		{teacher, course, []learning.Chapter{chapter("1", "\ta")}, learning.ErrInvalidRequest},
		{teacher, course, []learning.Chapter{chapter("1", "\xff")}, learning.ErrInvalidRequest},
		{teacher, course, []learning.Chapter{chapter("1", strings.Repeat("a", 101))},
			learning.ErrInvalidRequest},
		{teacher, course,
			[]learning.Chapter{{ID: "1", Title: "1",
				Lectures: []learning.Lecture{{ID: "a", Title: "a", Minutes: 1,
					URL: "javascript:alert(1)"}}}}, learning.ErrInvalidRequest},
	} {
		before := w.dump(t)
		if _, err := w.tryEdit(c.actor, c.course,
			learning.CourseEdit{Content: c.content}); !errors.Is(err, c.want) {
			t.Errorf("%q edits %q: %v, want %v", c.actor.UserID, c.course, err, c.want)
		}
		if diff := cmp.Diff(before, w.dump(t)); diff != "" {
			t.Errorf("rows have changed: %s", diff)
		}
	}
	for i, actor := range []learning.Actor{teacher, admin} {
		for _, id := range []string{course, draft} {
			if _, err := w.tryEdit(actor, id,
				learning.CourseEdit{Content: []learning.Chapter{chapter("1", "a",
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
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		other := w.otherInstance(t)
		course := w.publish(t, "course", chapter("1", "a"))
		ada := w.enrolls(t, "ada", course)
		errs := concurrently(2*n, func(i int) error {
			on := []*fixture{w, other}[i/2%2]
			if i%2 == 0 {
				_, err := on.Platform.CompleteLecture(ctx(), ada, course, "a")
				return err
			}
			ids := []string{"a"}
			for l := range i {
				ids = append(ids, fmt.Sprint("l", l))
			}
			for {
				_, err := on.tryEdit(teacher, course,
					learning.CourseEdit{Content: []learning.Chapter{chapter("1", ids...)}})
				if !errors.Is(err, learning.ErrCourseChanged) {
					return err
				}
			}
		})
		if diff := cmp.Diff(map[string]int{"": 2 * n}, countErrors(errs)); diff != "" {
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
		w.wantTotals(t, course, lectures, 10*lectures)
		w.wantProgress(t, ada, course, false, "a")
	})
}

func TestEditCourse_FaultAtEachStep(t *testing.T) {
	s := &scenario{
		prepare: func(t *testing.T, w faultRun) { w.publish(t, w.id, chapter("1", "a")) },
		do: func(t *testing.T, w faultRun) error {
			_, err := w.tryEdit(teacher, w.id,
				learning.CourseEdit{Content: []learning.Chapter{chapter("1", "b", "c")}})
			return err
		},
		check: func(t *testing.T, w faultRun) { w.wantTotals(t, w.id, 2, 20) },
		steps: []string{"read a course", "lock a course", "update a course",
			"update a course's content", "list the quizzes of a course"},
	}
	onEnginesRepeatedly(t, s.run)
}
