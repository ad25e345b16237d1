package due_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/due"
)

// ownTitles lists the titles of all pages of one row each, with the states.
func ownTitles(
	t *testing.T, w *roomtest.World, who learning.Actor, q due.OwnAssignmentQuery,
) string {
	t.Helper()
	var titles []string
	page := learning.PageRequest{Limit: 1}
	for {
		list, err := w.Platform.Due.OwnAssignments(ctx(), who, q, page)
		roomtest.Must(t, err)
		for _, a := range list.Rows {
			title := strings.TrimPrefix(a.CourseTitle, "Course ")
			titles = append(titles, fmt.Sprintf("%s %s", title, a.Status))
		}
		if page.After = list.Next; list.Next.IsZero() {
			return strings.Join(titles, ", ")
		}
	}
}

func TestOwnAssignments_WhatIsToDoComesFirst(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		ada := w.Person(t, "ada", core.Student)
		rubric := []catalog.Criterion{{Text: "Content", Points: 10}, {Text: "Style", Points: 5}}
		days := func(n int) catalog.Assignment {
			return catalog.Assignment{DueAfterDays: &n, Attempts: 1, Rubric: rubric}
		}
		courses := map[string]string{}
		for title, a := range map[string]catalog.Assignment{
			"never": {Rubric: rubric}, "soon": days(3), "later": days(9), "over": days(1),
			"waits": days(4), "graded": days(4), "returned": days(2),
		} {
			courses[title] = w.Publish(t, title, roomtest.Essay(a))
			w.Enrolls(t, "ada", courses[title])
		}
		for _, title := range []string{"returned", "graded", "waits"} {
			w.Drafts(t, ada, courses[title], "work")
			w.Clock.Advance(time.Hour)
			s := w.SubmitsWork(t, ada, courses[title])
			if title != "waits" {
				w.Grades(t, s, assess.SubmissionStatus(title))
			}
		}
		w.Clock.Advance(day)
		all := due.OwnAssignmentQuery{}
		const want = "returned returned, soon open, later open, never open, over missed, " +
			"waits submitted, graded graded"
		if got := ownTitles(t, w, ada, all); got != want {
			t.Errorf("the list is %s, want %s", got, want)
		}
		for status, want := range map[due.OwnStatus]string{
			due.OwnMissed: "over missed", due.OwnReturned: "returned returned"} {
			if got := ownTitles(t, w, ada, due.OwnAssignmentQuery{Status: status}); got != want {
				t.Errorf("%s: %s", status, got)
			}
		}
		if got := ownTitles(t, w, ada,
			due.OwnAssignmentQuery{CourseID: courses["soon"]}); got != "soon open" {
			t.Errorf("of one course: %s", got)
		}
		list, err := w.Platform.Due.OwnAssignments(ctx(), ada,
			due.OwnAssignmentQuery{Status: due.OwnGraded}, learning.PageRequest{Limit: 9})
		roomtest.Must(t, err)
		a := list.Rows[0]
		if a.Points == nil || *a.Points != 15 || a.Total != 15 || a.IsLate || a.Left == nil ||
			*a.Left != 0 || a.Title != "Essay" || a.GradedAt.IsZero() {
			t.Errorf("the graded one is %+v", a)
		}

		// What the student has no access to any more is not listed, nor what others have to do.
		roomtest.Must(t, w.Platform.Study.EndEnrollment(ctx(), roomtest.Boss, "ada",
			courses["soon"]))
		if got := ownTitles(t, w, ada, all); strings.Contains(got, "soon") {
			t.Errorf("after the end: %s", got)
		}
		if got := ownTitles(t, w, w.Person(t, "eve", core.Student), all); got != "" {
			t.Errorf("of another user: %s", got)
		}
	})
}

// Nothing of an assignment is shown while its lecture is locked, and it is not missed.
func TestOwnAssignments_LockedShowsNothing(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	opens := w.Clock.Now().Add(5 * day)
	essay := roomtest.Essay(catalog.Assignment{DueAfterDays: new(1), Attempts: 1,
		Rubric: []catalog.Criterion{{Text: "Content", Points: 10}}})
	essay.Opens.At = opens
	course := w.Publish(t, "course", essay)
	ada := w.Enrolls(t, "ada", course)
	w.Clock.Advance(2 * day)
	list, err := w.Platform.Due.OwnAssignments(ctx(), ada, due.OwnAssignmentQuery{},
		learning.PageRequest{Limit: 9})
	roomtest.Must(t, err)
	want := []due.OwnAssignment{{CourseID: course, CourseTitle: "Course course",
		LectureID: roomtest.TheEssay, Title: "Essay", Status: due.OwnOpen, IsLocked: true}}
	if diff := cmp.Diff(want, list.Rows); diff != "" {
		t.Error(diff)
	}
	w.Clock.Set(opens)
	if got := ownTitles(t, w, ada, due.OwnAssignmentQuery{}); got != "course missed" {
		t.Errorf("once it is open: %s", got)
	}
}
