package staff_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/staff"
)

// figures are the operations that return sums and lists, by name.
func figures(p *learning.Platform, actor learning.Actor) map[string]func() error {
	return map[string]func() error{
		"Stats":  func() error { _, err := p.Staff.Stats(ctx(), actor); return err },
		"Charts": func() error { _, err := p.Staff.Charts(ctx(), actor); return err },
		"CourseReports": func() error {
			return failure(p.Staff.CourseReports(ctx(), actor,
				roomtest.WholeList))
		},
		"Purchases": func() error {
			return failure(p.Staff.Purchases(ctx(), actor, staff.PurchaseQuery{},
				roomtest.WholeList))
		},
		"Users": func() error {
			return failure(p.People.Users(ctx(), actor, people.UserQuery{},
				roomtest.WholeList))
		},
		"Applications": func() error {
			return failure(p.Staff.Applications(ctx(), actor, "",
				roomtest.WholeList))
		},
		"TaughtCourses": func() error {
			return failure(p.Staff.TaughtCourses(ctx(), actor,
				roomtest.WholeList))
		},
		"TaughtStudents": func() error {
			return failure(p.Staff.TaughtStudents(ctx(), actor, staff.StudentQuery{},
				roomtest.WholeList))
		},
		"AllTaughtStudents": func() error {
			_, err := roomtest.OrderedRows(p.Staff.AllTaughtStudents(ctx(), actor))
			return err
		},
		"Dashboard": func() error {
			d, err := p.Staff.Dashboard(ctx(), actor)
			_, err = roomtest.OrderedRows(d.Students, err)
			return err
		},
		"ApplicationOf": func() error { _, err := p.Staff.ApplicationOf(ctx(), actor); return err },
	}
}

// failure returns the error of a page.
func failure[Row any](_ learning.Page[Row], err error) error { return err }

// taught are the figures for educators.
var taught = map[string]bool{
	"TaughtCourses": true, "TaughtStudents": true, "AllTaughtStudents": true, "Dashboard": true,
}

func TestReports_RequireRole(t *testing.T) {
	w := roomtest.New(t, "sqlite:"+t.TempDir()+"/learning.db")
	for _, role := range []learning.Role{"", core.Student, core.Educator, core.Admin} {
		actor := learning.Actor{UserID: "ada", Role: role}
		if role == "" {
			actor.UserID = ""
		}
		for name, ask := range figures(w.Platform, actor) {
			var want error
			switch needs := map[bool]learning.Role{true: core.Educator,
				false: core.Admin}[taught[name]]; {
			case role == "":
				want = core.ErrUnauthenticated
			case name != "ApplicationOf" && role != needs:
				want = core.ErrForbidden
			}
			if err := ask(); !errors.Is(err, want) {
				t.Errorf("%s for %q: %v, want %v", name, role, err, want)
			}
		}
	}
}

// Students are read by course. fill makes no courses that count students.
func TestReports_FixedNumberOfQueries(t *testing.T) {
	steps := &roomtest.FaultyStore{}
	w := roomtest.New(t, roomtest.SQLite(t), roomtest.WithFaultyStore(steps))
	want := map[string]int{
		"Stats": 2, "Charts": 4, "CourseReports": 2, "Purchases": 1, "Users": 1, "Applications": 1,
		"TaughtCourses": 1, "TaughtStudents": 1, "AllTaughtStudents": 1, "Dashboard": 4,
		"ApplicationOf": 1,
	}
	for rows := range 3 {
		w.Fill(t, rows*rows*75) // 0, 75, 300
		for _, role := range []learning.Role{core.Educator, core.Admin} {
			for name, ask := range figures(w.Platform, learning.Actor{UserID: "ada", Role: role}) {
				if taught[name] != (role == core.Educator) {
					continue
				}
				before := steps.Count()
				if err := ask(); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				isEmpty := name == "CourseReports" && rows == 0 // there is nothing to sum up
				if n := steps.Count() - before; n != want[name] && !isEmpty {
					t.Errorf("%s takes %d queries, want %d", name, n, want[name])
				}
			}
		}
	}
}

func TestStats_Totals(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		check := func(want staff.Stats) {
			t.Helper()
			if want.ByCurrency == nil { // only in that of the platform
				want.ByCurrency = []staff.Revenue{{Currency: "INR", Amount: want.Revenue}}
			}
			got, err := w.Platform.Staff.Stats(ctx(), roomtest.Boss)
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%v %s", err, diff)
			}
		}
		check(staff.Stats{})
		// their educator has the role in the token only
		course, free := w.Course(t, "paid", 19_99), w.Course(t, "free", 0)
		for i := range 3 {
			w.Sell(t, course, fmt.Sprintf("buyer-%d", i))
		}
		if _, err := w.Platform.Sales.OpenOrder(ctx(), learning.Actor{UserID: "buyer-0"},
			sale.OrderRequest{CourseID: free}); err != nil {
			t.Fatal(err)
		}
		w.Order(t, w.Person(t, "begun", core.Student), course)
		_, a := w.Applied(t, "ada")
		w.Applied(t, "eve")
		check(staff.Stats{Students: 7, Courses: 2, PendingApplications: 2, Revenue: 59_97,
			Enrollments: 4})
		if err := w.Platform.Staff.Approve(ctx(), roomtest.Boss, a.ID); err != nil {
			t.Fatal(err)
		}
		check(staff.Stats{Students: 7, Courses: 2, Educators: 1, PendingApplications: 1,
			Revenue: 59_97, Enrollments: 4})
		for i, id := range []string{"ada", "eve", "buyer-0"} {
			gone := roomtest.Event(people.UserDeleted, i)
			gone.User.ID = id
			w.Apply(t, gone)
		}
		// purchases and enrolments stay
		check(staff.Stats{Students: 4, Courses: 2, Revenue: 59_97, Enrollments: 4})
		w.Exec(t, "UPDATE purchases SET status = 'refunded' WHERE user_id = 'buyer-1'")
		w.Recount(t)
		check(staff.Stats{Students: 4, Courses: 2, Revenue: 39_98, Enrollments: 4})
		other := w.OtherInstance(t, learningtest.WithPlatform(learning.WithCurrency("EUR")))
		other.Sell(t, course, "buyer-3")
		check(staff.Stats{Students: 5, Courses: 2, Revenue: 39_98, Enrollments: 5,
			ByCurrency: []staff.Revenue{{Currency: "EUR", Amount: 19_99},
				{Currency: "INR", Amount: 39_98}}})
		if s, err := other.Platform.Staff.Stats(ctx(), roomtest.Boss); err != nil ||
			s.Revenue != 19_99 {
			t.Errorf("in euro: %v, %v", s.Revenue, err)
		}
	})
}

func TestCharts_WeekIsSevenUTCDays(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course := w.Course(t, "go", 1_00)
		today := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC) // the week began in February
		var sold int
		at := func(when time.Time, price core.Money) {
			t.Helper()
			w.Clock.Set(when)
			w.SetPrice(t, course, price)
			sold++
			w.Sell(t, course, fmt.Sprintf("buyer-%d", sold))
		}
		at(today.AddDate(0, 0, -6).Add(-time.Microsecond), 9_999_99) // before the week
		at(today.AddDate(0, 0, -6), 1_01)
		at(today.AddDate(0, 0, -1).Add(-time.Microsecond), 2_02)
		at(today.AddDate(0, 0, -1), 3_03)
		at(today.Add(-time.Microsecond).In(time.FixedZone("IST", 19_800)), 4_04)
		at(today, 5_05)
		at(today.Add(24*time.Hour-time.Microsecond), 6_06)
		want := []core.Money{1_01, 0, 0, 0, 2_02, 7_07, 11_11}
		check := func(now, last time.Time) {
			t.Helper()
			w.Clock.Set(now)
			charts, err := w.Platform.Staff.Charts(ctx(), roomtest.Boss)
			if err != nil || len(charts.Week) != 7 {
				t.Fatalf("%d days, %v", len(charts.Week), err)
			}
			var got []core.Money
			for i, day := range charts.Week {
				if got = append(got, day.Revenue); !day.Day.Equal(last.AddDate(0, 0, i-6)) {
					t.Errorf("day %d is %v", i, day.Day)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("at %v: %s", now, diff)
			}
		}
		check(today.Add(24*time.Hour-time.Microsecond), today)
		// the day before in that time zone
		check(today.Add(time.Hour).In(time.FixedZone("BRT", -10_800)), today)
		want = append(want[1:], 0)
		check(today.Add(24*time.Hour), today.Add(24*time.Hour))
		// the clock of another instance is ahead: rows of the future do not count
		w.Clock.Set(today.AddDate(0, 0, -30))
		if charts, err := w.Platform.Staff.Charts(ctx(), roomtest.Boss); err != nil ||
			charts.Week[6].Revenue != 0 {
			t.Errorf("%+v, %v", charts.Week, err)
		}
	})
}

func TestCharts_AtMostSixCourses(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		for i := range 8 {
			w.Exec(t, "UPDATE courses SET students = ? WHERE id = ?", i,
				w.Course(t, fmt.Sprint(i), 499_00))
		}
		charts, err := w.Platform.Staff.Charts(ctx(), roomtest.Boss)
		var want []staff.TopCourse
		for i := 7; i > 1; i-- {
			want = append(want, staff.TopCourse{Title: fmt.Sprintf("Course %d", i), Students: i})
		}
		if diff := cmp.Diff(want, charts.TopCourses); diff != "" || err != nil {
			t.Errorf("%v %s", err, diff)
		}
	})
}
