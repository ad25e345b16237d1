package staff_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/staff"
)

func TestEducator_SeesOnlyOwnCoursesAndStudents(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		ada := w.Person(t, "ada", core.Educator)
		eve := w.Person(t, "eve", core.Educator)
		idle := w.Person(t, "idle", core.Educator)
		w.Teach(t, ada, "go", 19_99, true)
		w.Teach(t, eve, "sql", 499_00, true)
		w.Clock.Advance(time.Minute)
		w.Teach(t, ada, "draft", 99_00, false)
		for i := range 3 {
			w.Clock.Advance(time.Minute)
			w.Sell(t, "go", fmt.Sprintf("buyer-%d", i))
		}
		w.Sell(t, "sql", "buyer-0")
		w.Order(t, w.Person(t, "begun", core.Student), "go")
		gone := roomtest.Event(people.UserDeleted, 1)
		gone.User.ID, gone.SentAt = "buyer-1", w.Clock.Now()
		w.Apply(t, gone)

		courses := func(actor learning.Actor) (got []string) {
			t.Helper()
			list, err := roomtest.PageRows(w.Platform.Staff.TaughtCourses(ctx(), actor,
				roomtest.WholeList))
			if err != nil {
				t.Error(err)
			}
			for _, c := range list {
				got = append(got,
					fmt.Sprintf("%s %s %v %d", c.ID, c.Price, c.Published, c.Students))
			}
			return got
		}
		for _, tt := range []struct {
			actor   learning.Actor
			courses []string
			earned  core.Money
			learn   []string
		}{
			{ada, []string{"draft 99 false 0", "go 19.99 true 3"}, 59_97,
				[]string{"buyer-0 buyer-0", "buyer-1 Deleted user", "buyer-2 buyer-2"}},
			{eve, []string{"sql 499 true 1"}, 499_00, []string{"buyer-0 buyer-0"}},
			{idle, nil, 0, nil},
		} {
			if diff := cmp.Diff(tt.courses, courses(tt.actor)); diff != "" {
				t.Errorf("%s: %s", tt.actor.UserID, diff)
			}
			students, err := roomtest.OrderedRows(w.Platform.Staff.AllTaughtStudents(ctx(),
				tt.actor))
			var learn []string
			for _, s := range students {
				learn = append(learn, s.Student.ID+" "+s.Student.Name)
			}
			if diff := cmp.Diff(tt.learn, learn); diff != "" || err != nil {
				t.Errorf("%s: %v %s", tt.actor.UserID, err, diff)
			}
			slices.Reverse(students)
			d, err := w.Platform.Staff.Dashboard(ctx(), tt.actor)
			if err != nil || d.Earnings != tt.earned || d.Courses != len(tt.courses) {
				t.Errorf("%s: %v %+v", tt.actor.UserID, err, d)
				continue
			}
			newest, err := roomtest.OrderedRows(d.Students, nil)
			if diff := cmp.Diff(students, newest); diff != "" || err != nil {
				t.Errorf("%s: %v %s", tt.actor.UserID, err, diff)
			}
		}
	})
}

func TestEnrolledStudents_TimeOfEnrolment(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		ada := w.Person(t, "ada", core.Educator)
		w.Teach(t, ada, "go", 19_99, true)
		o := w.Order(t, w.Person(t, "buyer", core.Student), "go")
		w.Clock.Advance(time.Hour) // the payment is later than the order
		if err := w.Platform.System().CapturePayment(ctx(), roomtest.CapturedPayment(o, "pay_1")); err !=
			nil {
			t.Fatal(err)
		}
		list, err := roomtest.OrderedRows(w.Platform.Staff.AllTaughtStudents(ctx(), ada))
		want := []staff.TaughtStudent{{CourseID: "go", CourseTitle: roomtest.NewCourse("go").Title,
			Version:  catalog.CourseVersion{Number: 1, UpdatedAt: learningtest.Start},
			Lectures: 2, Student: core.Person{ID: "buyer", Name: "buyer"},
			EnrolledAt: w.Clock.Now()}}
		if diff := cmp.Diff(want, list); diff != "" || err != nil {
			t.Errorf("%v %s", err, diff)
		}
	})
}
