package learning_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// teach adds a course of an educator, published or as a draft.
func (w *fixture) teach(t *testing.T, educator learning.Actor, id string, price learning.Money,
	published bool) {
	t.Helper()
	n := newCourse(id)
	n.Price = price
	n.Discount = 0
	n.Published = published
	if _, err := w.Platform.AddCourse(ctx(), educator, n, learningtest.Thumbnail(t)); err != nil {
		t.Fatal(err)
	}
}

func TestEducator_SeesOnlyOwnCoursesAndStudents(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		ada := w.Person(t, "ada", learning.Educator)
		eve := w.Person(t, "eve", learning.Educator)
		idle := w.Person(t, "idle", learning.Educator)
		w.teach(t, ada, "go", 19_99, true)
		w.teach(t, eve, "sql", 499_00, true)
		w.Clock.Advance(time.Minute)
		w.teach(t, ada, "draft", 99_00, false)
		for i := range 3 {
			w.Clock.Advance(time.Minute)
			w.sell(t, "go", fmt.Sprintf("buyer-%d", i))
		}
		w.sell(t, "sql", "buyer-0")
		w.order(t, w.Person(t, "begun", learning.Student), "go")
		gone := event(learning.UserDeleted, 1)
		gone.User.ID, gone.SentAt = "buyer-1", w.Clock.Now()
		w.apply(t, gone)

		courses := func(actor learning.Actor) (got []string) {
			t.Helper()
			list, err := pageRows(w.Platform.TaughtCourses(ctx(), actor, wholeList))
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
			earned  learning.Money
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
			students, err := orderedRows(w.Platform.AllTaughtStudents(ctx(), tt.actor))
			var learn []string
			for _, s := range students {
				learn = append(learn, s.Student.ID+" "+s.Student.Name)
			}
			if diff := cmp.Diff(tt.learn, learn); diff != "" || err != nil {
				t.Errorf("%s: %v %s", tt.actor.UserID, err, diff)
			}
			slices.Reverse(students)
			d, err := w.Platform.Dashboard(ctx(), tt.actor)
			if err != nil || d.Earnings != tt.earned || d.Courses != len(tt.courses) {
				t.Errorf("%s: %v %+v", tt.actor.UserID, err, d)
				continue
			}
			newest, err := orderedRows(d.Students, nil)
			if diff := cmp.Diff(students, newest); diff != "" || err != nil {
				t.Errorf("%s: %v %s", tt.actor.UserID, err, diff)
			}
		}
	})
}

func TestEnrolledStudents_TimeOfEnrolment(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		ada := w.Person(t, "ada", learning.Educator)
		w.teach(t, ada, "go", 19_99, true)
		o := w.order(t, w.Person(t, "buyer", learning.Student), "go")
		w.Clock.Advance(time.Hour) // the payment is later than the order
		if err := w.Platform.System().CapturePayment(ctx(), capturedPayment(o, "pay_1")); err !=
			nil {
			t.Fatal(err)
		}
		list, err := orderedRows(w.Platform.AllTaughtStudents(ctx(), ada))
		want := []learning.TaughtStudent{{CourseID: "go", CourseTitle: newCourse("go").Title,
			Student: learning.Person{ID: "buyer", Name: "buyer"}, EnrolledAt: w.Clock.Now()}}
		if diff := cmp.Diff(want, list); diff != "" || err != nil {
			t.Errorf("%v %s", err, diff)
		}
	})
}
