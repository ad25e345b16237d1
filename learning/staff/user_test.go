package staff_test

import (
	"errors"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/staff"
	"github.com/openlectern/openlectern/learning/study"
)

// An admin sees what concerns a user, the last of each list, and also after the user was deleted.
func TestUser_ShowsWhatConcernsTheUser(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		boss, course := w.Person(t, "boss", core.Admin), w.Course(t, "go", 499_00)
		bought := buys(t, w, "ada", course)
		w.Sell(t, course, "ben")
		application := w.Submits(t, "ada")
		roomtest.Must(t, w.Platform.Staff.Approve(ctx(), boss, application.ID))
		free := w.Course(t, "free", 0)
		for range staff.MaxUserRows {
			w.Clock.Advance(time.Minute)
			w.Grants(t, true, "ada", free)
			w.Clock.Advance(time.Minute)
			w.End(t, true, "ada", free)
		}

		d, err := w.Platform.Staff.User(ctx(), boss, "ada")
		roomtest.Must(t, err)
		if d.ID != "ada" || d.Role != core.Educator || !d.IsEducator || d.Application == nil ||
			d.Application.ID != application.ID || len(d.Purchases) != 1 ||
			d.Purchases[0].ID != bought {
			t.Errorf("%+v", d)
		}
		if len(d.Enrollments) != staff.MaxUserRows || d.Enrollments[0].CourseID != free ||
			d.Enrollments[0].Origin != study.EnrollmentGranted {
			t.Errorf("%d enrolments: %+v", len(d.Enrollments), d.Enrollments)
		}
		if len(d.Decisions) != staff.MaxUserRows ||
			d.Decisions[0].Kind != study.DecisionEnrollmentEnded {
			t.Errorf("%d decisions: %+v", len(d.Decisions), d.Decisions)
		}

		w.DeleteUser(t, "ada")
		d, err = w.Platform.Staff.User(ctx(), boss, "ada")
		roomtest.Must(t, err)
		if d.Name != core.DeletedUser || d.Email != "" || d.Role != core.Student ||
			d.Application != nil || len(d.Purchases) != 1 ||
			len(d.Decisions) != staff.MaxUserRows {
			t.Errorf("a deleted user: %+v", d)
		}
		for _, id := range []string{"", "nobody", "ada ", "\x00"} {
			if _, err := w.Platform.Staff.User(ctx(), boss, id); !errors.Is(err,
				people.ErrUserNotFound) {
				t.Errorf("%q: %v", id, err)
			}
		}
	})
}
