package learning_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/sandbox"
)

func TestCourseReports_Revenue(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		sold, unsold := w.Course(t, "sold", 19_99), ""
		w.Clock.Advance(time.Hour)
		unsold = w.Course(t, "unsold", 499_00)
		for i := range 3 {
			w.sell(t, sold, fmt.Sprintf("buyer-%d", i))
		}
		w.order(t, w.Person(t, "begun", learning.Student), unsold)
		list, err := rowsOf(w.Platform.CourseReports(boss))
		if err != nil || len(list) != 2 {
			t.Fatalf("%+v, %v", list, err)
		}
		if got := list[0]; got.ID != unsold || got.Revenue != 0 || got.Purchases != 0 || got.Students != 0 {
			t.Errorf("the newest is %+v", got)
		}
		if got := list[1]; got.ID != sold || got.Revenue != 59_97 || got.Purchases != 3 || got.Students != 3 || got.Price != 19_99 ||
			got.Educator.Name != "educator" || got.EducatorEmail != "educator@example.com" {
			t.Errorf("the oldest is %+v", got)
		}
		gone := event(learning.UserDeleted, 1)
		gone.User.ID, gone.SentAt = "educator", w.Clock.Now()
		w.apply(t, gone)
		if list, err = rowsOf(w.Platform.CourseReports(boss)); err != nil || list[1].Educator.Name != "Deleted user" || list[1].EducatorEmail != "" {
			t.Errorf("%+v, %v", list, err)
		}
	})
}

func TestPurchaseReports_LeaveOutPurchasesWithoutAnOrder(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		course := w.Course(t, "go", 499_00)
		paid := w.sell(t, course, "ada")
		w.Clock.Advance(time.Second)
		begun := w.order(t, w.Person(t, "eve", learning.Student), course)
		w.Clock.Advance(time.Second)
		w.abandoned(t, w.Person(t, "zoe", learning.Student), course, 499_00)
		w.apply(t, event(learning.UserDeleted, 1)) // ada
		for status, want := range map[learning.PurchaseStatus][]string{"": {begun.PurchaseID, paid.PurchaseID}, learning.PurchaseCompleted: {paid.PurchaseID},
			learning.PurchasePending: {begun.PurchaseID}, learning.PurchaseCreated: nil, learning.PurchaseFailed: nil} {
			var got []string
			list, err := w.Platform.Purchases(boss, status)
			if err != nil {
				t.Fatal(err)
			}
			err = list.Each(ctx(), func(p learning.PurchaseReport) error {
				if got = append(got, p.ID); p.CourseTitle != "Course go" || p.Amount != 499_00 || p.Currency != "INR" || p.UserID == "" {
					t.Errorf("%+v", p)
				}
				return nil
			})
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%q: %v %s", status, err, diff)
			}
		}
	})
}

func TestUserReports_Figures(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		course := w.Course(t, "go", 499_00)
		w.Clock.Advance(time.Second)
		w.sell(t, course, "buyer")
		w.Clock.Advance(time.Second)
		_, a := w.applied(t, "ada")
		if err := w.Platform.Approve(ctx(), boss, a.ID); err != nil {
			t.Fatal(err)
		}
		w.Clock.Advance(time.Second)
		w.Person(t, "gone", learning.Student)
		gone := event(learning.UserDeleted, 1)
		gone.User.ID = "gone"
		w.apply(t, gone)
		report := func() (got []string) {
			t.Helper()
			list, err := w.Platform.Users(boss)
			if err != nil {
				t.Fatal(err)
			}
			err = list.Each(ctx(), func(u learning.UserReport) error {
				got = append(got, fmt.Sprintf("%s %s %s: learns %d, teaches %d, %s %v", u.ID, u.Name, u.Email, u.Enrollments, u.CoursesCreated, u.Role, u.IsEducator))
				return nil
			})
			if err != nil {
				t.Error(err)
			}
			return got
		}
		want := []string{
			"ada ada ada@example.com: learns 0, teaches 0, educator true",
			"buyer buyer buyer@example.com: learns 1, teaches 0, student false",
			"educator educator educator@example.com: learns 0, teaches 1, student false", // the role is in the token only
		}
		if diff := cmp.Diff(want, report()); diff != "" {
			t.Error(diff)
		}
		e := withRole(event(learning.UserUpdated, 1), learning.Student)
		e.User.FirstName = "Ada"
		w.apply(t, e)
		if got := report()[0]; got != "ada Ada ada-1@example.com: learns 0, teaches 0, student true" { // the application is still approved
			t.Error(got)
		}
	})
}

// usersOf returns the ids of the users that a query selects.
func (w *fixture) usersOf(t *testing.T, q learning.UserQuery) (ids []string) {
	t.Helper()
	list, next, err := w.Platform.UsersPage(ctx(), boss, q, learning.Page{Limit: 10})
	if err != nil || !next.IsZero() {
		t.Errorf("%+v: next %v, %v", q, next, err)
	}
	for _, u := range list {
		ids = append(ids, u.ID)
	}
	return ids
}

func TestUsersPage_OfARole(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		// The record of ada arrives after her approval.
		if err := w.Sandbox.Identity().PutUserQuietly(sandbox.User{ID: "ada"}); err != nil {
			t.Fatal(err)
		}
		ada := learning.Actor{UserID: "ada", Role: learning.Student}
		a, err := w.Platform.Apply(ctx(), ada, submitted())
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Platform.Approve(ctx(), boss, a.ID); err != nil {
			t.Fatal(err)
		}
		w.apply(t, event(learning.UserCreated, 0))
		for i, role := range []learning.Role{learning.Student, learning.Educator, learning.Admin, "", learning.Educator} {
			w.Clock.Advance(time.Second)
			e := event(learning.UserCreated, 1)
			if e.User.ID = fmt.Sprintf("user-%d", i); role != "" {
				e = withRole(e, role)
			}
			w.apply(t, e)
		}
		for role, want := range map[learning.Role][]string{
			learning.Educator: {"user-4", "user-1", "ada"},
			learning.Admin:    {"user-2"},
			learning.Student:  {"user-3", "user-0"},
			"":                {"user-4", "user-3", "user-2", "user-1", "user-0", "ada"},
		} {
			if diff := cmp.Diff(want, w.usersOf(t, learning.UserQuery{Role: role})); diff != "" {
				t.Errorf("%q: %s", role, diff)
			}
		}
		search := learning.UserQuery{Role: learning.Educator, Search: "ada-0"}
		if diff := cmp.Diff([]string{"ada"}, w.usersOf(t, search)); diff != "" {
			t.Error(diff)
		}
		w.apply(t, withRole(event(learning.UserUpdated, 60), learning.Student))
		educators := w.usersOf(t, learning.UserQuery{Role: learning.Educator})
		if diff := cmp.Diff([]string{"user-4", "user-1"}, educators); diff != "" {
			t.Errorf("after ada has another role: %s", diff)
		}
		q := learning.UserQuery{Role: "teacher"}
		if _, _, err := w.Platform.UsersPage(ctx(), boss, q, learning.Page{Limit: 10}); !errors.Is(err, learning.ErrInvalidRequest) {
			t.Errorf("an unknown role: %v", err)
		}
	})
}

func TestReports_EndWithTheErrorOfTheReaderOrItsContext(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		w.fill(t, 50)
		for name, each := range map[string]func(ctx context.Context, fn func() error) error{
			"Purchases": func(ctx context.Context, fn func() error) error {
				list, err := w.Platform.Purchases(boss, "")
				return errors.Join(err, list.Each(ctx, func(learning.PurchaseReport) error { return fn() }))
			},
			"Users": func(ctx context.Context, fn func() error) error {
				list, err := w.Platform.Users(boss)
				return errors.Join(err, list.Each(ctx, func(learning.UserReport) error { return fn() }))
			},
		} {
			rows := 0
			count := func(then func() error) func() error {
				rows = 0
				return func() error { rows++; return then() }
			}
			if err := each(ctx(), count(func() error { return errInjected })); !errors.Is(err, errInjected) || rows != 1 {
				t.Errorf("%s: %d rows, %v", name, rows, err)
			}
			some, cancel := context.WithCancel(ctx())
			if err := each(some, count(func() error { cancel(); return nil })); !errors.Is(err, context.Canceled) || rows != 1 {
				t.Errorf("%s: %d rows, %v", name, rows, err)
			}
			if err := each(ctx(), count(func() error { return nil })); err != nil || rows != 50 {
				t.Errorf("%s: %d rows, %v", name, rows, err)
			}
		}
	})
}
