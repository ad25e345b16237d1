package staff_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/staff"
)

func TestCourseReports_Revenue(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		sold, unsold := w.Course(t, "sold", 19_99), ""
		w.Clock.Advance(time.Hour)
		unsold = w.Course(t, "unsold", 499_00)
		for i := range 3 {
			w.Sell(t, sold, fmt.Sprintf("buyer-%d", i))
		}
		w.Order(t, w.Person(t, "begun", core.Student), unsold)
		list, err := roomtest.PageRows(w.Platform.Staff.CourseReports(ctx(), roomtest.Boss,
			roomtest.WholeList))
		if err != nil || len(list) != 2 {
			t.Fatalf("%+v, %v", list, err)
		}
		if got := list[0]; got.ID != unsold || got.Revenue != 0 || got.Purchases != 0 ||
			got.Students != 0 {
			t.Errorf("the newest is %+v", got)
		}
		if got := list[1]; got.ID != sold || got.Revenue != 59_97 || got.Purchases != 3 ||
			got.Students != 3 || got.Price != 19_99 ||
			got.Educator.Name != "educator" || got.EducatorEmail != "educator@example.com" {
			t.Errorf("the oldest is %+v", got)
		}
		gone := roomtest.Event(people.UserDeleted, 1)
		gone.User.ID, gone.SentAt = "educator", w.Clock.Now()
		w.Apply(t, gone)
		if list, err = roomtest.PageRows(w.Platform.Staff.CourseReports(ctx(), roomtest.Boss,
			roomtest.WholeList)); err != nil ||
			list[1].Educator.Name != "Deleted user" || list[1].EducatorEmail != "" {
			t.Errorf("%+v, %v", list, err)
		}
	})
}

func TestPurchaseReports_LeaveOutPurchasesWithoutAnOrder(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course := w.Course(t, "go", 499_00)
		paid := w.Sell(t, course, "ada")
		w.Clock.Advance(time.Second)
		begun := w.Order(t, w.Person(t, "eve", core.Student), course)
		w.Clock.Advance(time.Second)
		w.Abandoned(t, w.Person(t, "zoe", core.Student), course, 499_00)
		w.Apply(t, roomtest.Event(people.UserDeleted, 1)) // ada
		for status, want := range map[purchase.Status][]string{"": {begun.PurchaseID,
			paid.PurchaseID}, purchase.Completed: {paid.PurchaseID},
			purchase.Pending: {begun.PurchaseID}, purchase.Created: nil,
			purchase.Failed: nil} {
			var got []string
			list, err := roomtest.PageRows(w.Platform.Staff.Purchases(ctx(), roomtest.Boss, staff.PurchaseQuery{Status: status},
				roomtest.WholeList))
			for _, p := range list {
				if got = append(got, p.ID); p.CourseTitle != "Course go" || p.Amount != 499_00 ||
					p.Currency != "INR" || p.UserID == "" {
					t.Errorf("%+v", p)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%q: %v %s", status, err, diff)
			}
		}
	})
}

func TestUserReports_Figures(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course := w.Course(t, "go", 499_00)
		w.Clock.Advance(time.Second)
		w.Sell(t, course, "buyer")
		w.Clock.Advance(time.Second)
		_, a := w.Applied(t, "ada")
		if err := w.Platform.Staff.Approve(ctx(), roomtest.Boss, a.ID); err != nil {
			t.Fatal(err)
		}
		w.Clock.Advance(time.Second)
		w.Person(t, "gone", core.Student)
		gone := roomtest.Event(people.UserDeleted, 1)
		gone.User.ID = "gone"
		w.Apply(t, gone)
		report := func() (got []string) {
			t.Helper()
			list, err := roomtest.PageRows(w.Platform.People.Users(ctx(), roomtest.Boss,
				people.UserQuery{},
				roomtest.WholeList))
			if err != nil {
				t.Fatal(err)
			}
			for _, u := range list {
				got = append(got, fmt.Sprintf("%s %s %s: learns %d, teaches %d, %s %v", u.ID,
					u.Name, u.Email, u.Enrollments, u.CoursesCreated, u.Role, u.IsEducator))
			}
			return got
		}
		want := []string{
			"ada ada ada@example.com: learns 0, teaches 0, educator true",
			"buyer buyer buyer@example.com: learns 1, teaches 0, student false",
			// the role is in the token only
			"educator educator educator@example.com: learns 0, teaches 1, student false",
		}
		if diff := cmp.Diff(want, report()); diff != "" {
			t.Error(diff)
		}
		e := roomtest.WithRole(roomtest.Event(people.UserUpdated, 1), core.Student)
		e.User.FirstName = "Ada"
		w.Apply(t, e)
		// the application is still approved
		if got := report()[0]; got !=
			"ada Ada ada-1@example.com: learns 0, teaches 0, student true" {
			t.Error(got)
		}
	})
}

func TestUsers_OfARole(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		// The record of ada arrives after her approval.
		if err := w.Sandbox.Identity().PutUserQuietly(sandbox.User{ID: "ada"}); err != nil {
			t.Fatal(err)
		}
		ada := learning.Actor{UserID: "ada", Role: core.Student}
		a, err := w.Platform.Staff.Apply(ctx(), ada, roomtest.Submitted())
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Platform.Staff.Approve(ctx(), roomtest.Boss, a.ID); err != nil {
			t.Fatal(err)
		}
		w.Apply(t, roomtest.Event(people.UserCreated, 0))
		for i, role := range []learning.Role{core.Student, core.Educator, core.Admin,
			"", core.Educator} {
			w.Clock.Advance(time.Second)
			e := roomtest.Event(people.UserCreated, 1)
			if e.User.ID = fmt.Sprintf("user-%d", i); role != "" {
				e = roomtest.WithRole(e, role)
			}
			w.Apply(t, e)
		}
		for role, want := range map[learning.Role][]string{
			core.Educator: {"user-4", "user-1", "ada"},
			core.Admin:    {"user-2"},
			core.Student:  {"user-3", "user-0"},
			"":            {"user-4", "user-3", "user-2", "user-1", "user-0", "ada"},
		} {
			if diff := cmp.Diff(want, w.UsersOf(t, people.UserQuery{Role: role})); diff != "" {
				t.Errorf("%q: %s", role, diff)
			}
		}
		search := people.UserQuery{Role: core.Educator, Search: "ada-0"}
		if diff := cmp.Diff([]string{"ada"}, w.UsersOf(t, search)); diff != "" {
			t.Error(diff)
		}
		w.Apply(t, roomtest.WithRole(roomtest.Event(people.UserUpdated, 60), core.Student))
		educators := w.UsersOf(t, people.UserQuery{Role: core.Educator})
		if diff := cmp.Diff([]string{"user-4", "user-1"}, educators); diff != "" {
			t.Errorf("after ada has another role: %s", diff)
		}
		q := people.UserQuery{Role: "teacher"}
		if _, err := w.Platform.People.Users(ctx(), roomtest.Boss, q,
			learning.PageRequest{Limit: 10}); !errors.Is(err, core.ErrInvalidRequest) {
			t.Errorf("an unknown role: %v", err)
		}
	})
}

func TestReports_EndWithTheirContext(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		const users = 450 // more than All reads at a time
		w.Fill(t, users)
		for name, all := range map[string]func(context.Context) iter.Seq2[string, error]{
			"Purchases": func(ctx context.Context) iter.Seq2[string, error] {
				return idsOf(
					func(page learning.PageRequest) (learning.Page[staff.PurchaseReport],
						error) {
						return w.Platform.Staff.Purchases(ctx, roomtest.Boss, staff.PurchaseQuery{}, page)
					}, func(p staff.PurchaseReport) string { return p.ID })
			},
			"Users": func(ctx context.Context) iter.Seq2[string, error] {
				return idsOf(func(page learning.PageRequest) (learning.Page[people.UserReport],
					error) {
					return w.Platform.People.Users(ctx, roomtest.Boss, people.UserQuery{}, page)
				}, func(u people.UserReport) string { return u.ID })
			},
		} {
			if rows, err := roomtest.RowsOf(all(ctx()), nil); err != nil || len(rows) != users {
				t.Errorf("%s: %d rows, %v", name, len(rows), err)
			}
			some, cancel := context.WithCancel(ctx())
			rows, failed := 0, error(nil)
			for _, err := range all(some) {
				cancel()
				if failed = err; err == nil {
					rows++
				}
			}
			cancel()
			if rows != 200 || !errors.Is(failed, context.Canceled) {
				t.Errorf("%s: %d rows and %v, want the rows of one part", name, rows, failed)
			}
		}
	})
}

// idsOf returns the ids of all rows of a list that read reads in pages.
func idsOf[Row any](
	read func(learning.PageRequest) (learning.Page[Row], error), id func(Row) string,
) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for row, err := range core.All(read) {
			if !yield(id(row), err) {
				return
			}
		}
	}
}
