package staff_test

import (
	"errors"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/staff"
)

func TestReview_Roles(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		boss := w.Person(t, "boss", core.Admin)
		approve := func(id string) error { return w.Platform.Staff.Approve(ctx(), boss, id) }
		reject := func(id string) error {
			return w.Platform.Staff.Reject(ctx(), boss, id, "Because 🎓")
		}

		_, good := w.Applied(t, "good")
		w.Clock.Advance(time.Minute)
		if err := approve(good.ID); err != nil {
			t.Fatal(err)
		}
		w.WantDecided(t, good.ID, people.ApplicationApproved, core.Educator)
		if d := w.Decision(t, "good"); !d.At.Equal(w.Clock.Now()) ||
			!w.Application(t, good.ID).UpdatedAt.Equal(w.Clock.Now()) {
			t.Errorf("decided at %v", d.At)
		}

		w.PutAtProvider(t, "bad", "") // the provider has no role of the user
		bad := w.Submits(t, "bad")
		calls := w.Sandbox.Identity().RoleCalls()
		if err := reject(bad.ID); err != nil {
			t.Fatal(err)
		}
		w.WantDecided(t, bad.ID, people.ApplicationRejected, "")
		if got := w.Application(t, bad.ID).RejectionReason; got != "Because 🎓" {
			t.Errorf("the reason is %q", got)
		}
		if n := w.Sandbox.Identity().RoleCalls() - calls; n != 0 {
			t.Errorf("the provider was asked %d times", n)
		}

		roomtest.WantError(t, approve(good.ID), staff.ErrAlreadyApproved,
			"Application is already approved.")
		roomtest.WantError(t, reject(good.ID), staff.ErrAlreadyApproved,
			"Application is already approved.")
		roomtest.WantError(t, approve(bad.ID), staff.ErrAlreadyRejected,
			"Application is already rejected.")
		roomtest.WantError(t, reject(bad.ID), staff.ErrAlreadyRejected,
			"Application is already rejected.")
		for _, id := range []string{"", "nobody", bad.ID + " "} {
			roomtest.WantError(t, approve(id), staff.ErrApplicationNotFound,
				"Application not found")
			roomtest.WantError(t, reject(id), staff.ErrApplicationNotFound, "Application not found")
		}
		if w.Submits(t, "bad"); w.Application(t, bad.ID).RejectionReason != "" {
			t.Error("the repeated application has the reason of the rejection")
		}
		if err := approve(bad.ID); err != nil {
			t.Error(err)
		}
		w.WantDecided(t, bad.ID, people.ApplicationApproved, core.Educator)
	})
}

func TestReview_RequiresAdmin(t *testing.T) {
	w := roomtest.New(t, "sqlite:"+t.TempDir()+"/learning.db")
	ada, a := w.Applied(t, "ada")
	for want, actor := range map[error]learning.Actor{
		core.ErrUnauthenticated: {Role: core.Admin},
		core.ErrForbidden:       ada,
	} {
		for _, err := range []error{
			w.Platform.Staff.Approve(ctx(), actor, a.ID), w.Platform.Staff.Reject(ctx(), actor,
				a.ID, ""),
			w.Platform.Staff.Approve(ctx(), actor, "nobody"),
			w.Platform.Staff.Reject(ctx(), actor, a.ID, string(make([]byte, 2_000))),
		} {
			if !errors.Is(err, want) {
				t.Errorf("%+v: %v", actor, err)
			}
		}
	}
	if err := w.Platform.Staff.Approve(ctx(),
		learning.Actor{UserID: "educator", Role: core.Educator},
		a.ID); !errors.Is(err, core.ErrForbidden) {
		t.Error(err)
	}
	w.WantPending(t, a.ID)
}

func TestReject_ReasonLimit(t *testing.T) {
	w := roomtest.New(t, "sqlite:"+t.TempDir()+"/learning.db")
	boss := w.Person(t, "boss", core.Admin)
	_, a := w.Applied(t, "ada")
	long := ""
	for range staff.MaxRejectionReason {
		long += "🎓"
	}
	if err := w.Platform.Staff.Reject(ctx(), boss, a.ID, long+"!"); !errors.Is(err,
		core.ErrInvalidRequest) {
		t.Error(err)
	}
	w.WantPending(t, a.ID)
	if err := w.Platform.Staff.Reject(ctx(), boss, a.ID, long); err != nil ||
		w.Application(t, a.ID).RejectionReason != long {
		t.Error(err)
	}
}

func TestReview_OwnApplication(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		boss := w.Person(t, "boss", core.Admin)
		own, err := w.Platform.Staff.Apply(ctx(), boss, roomtest.Submitted())
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range []error{w.Platform.Staff.Approve(ctx(), boss, own.ID),
			w.Platform.Staff.Reject(ctx(), boss, own.ID, "")} {
			roomtest.WantError(t, err, staff.ErrOwnApplication,
				"You cannot decide on your own application.")
		}
		w.WantPending(t, own.ID)
	})
}

// One user is an admin by the token only, the other became an admin after applying.
func TestReview_ApplicationOfAnAdmin(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		chief, boss := w.Person(t, "chief", core.Admin), w.Person(t, "boss", core.Admin)
		decide := map[people.ApplicationStatus]func(id string) error{
			people.ApplicationApproved: func(id string) error {
				return w.Platform.Staff.Approve(ctx(),
					chief, id)
			},
			people.ApplicationRejected: func(id string) error {
				return w.Platform.Staff.Reject(ctx(),
					chief, id, "")
			},
		}
		byToken, err := w.Platform.Staff.Apply(ctx(), boss, roomtest.Submitted())
		if err != nil {
			t.Fatal(err)
		}
		for status, to := range decide {
			_, a := w.Applied(t, "later-"+string(status))
			e := roomtest.WithRole(roomtest.Event(people.UserUpdated, 1), core.Admin)
			e.User.ID = a.UserID
			w.Apply(t, e)
			w.PutAtProvider(t, a.UserID, core.Admin)
			if err := to(a.ID); err != nil {
				t.Errorf("%s: %v", status, err)
			}
			w.WantDecided(t, a.ID, status, core.Admin)
		}
		if err := decide[people.ApplicationApproved](byToken.ID); err != nil {
			t.Error(err)
		}
		if a, role := w.Application(t, byToken.ID),
			w.ProviderRole(t, "boss"); a.Status != people.ApplicationApproved ||
			role != core.Admin {
			t.Errorf("the application is %s, the role at the provider %s", a.Status, role)
		}
		if d := w.Decision(t, "boss"); d != (core.RoleAssignment{}) {
			t.Errorf("the role here was changed: %+v", d)
		}
	})
}
