package learning_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/sandbox"
)

func TestRoleAssignment_OldTokensInEveryInstance(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		other := w.OtherInstance(t)
		boss := w.Person(t, "boss", core.Admin)
		_, a := w.Applied(t, "ada")
		before := w.Token(t, "ada")
		is := func(token string, want learning.Role) {
			t.Helper()
			for _, p := range []*learning.Platform{w.Platform, other.Platform} {
				claims, err := p.People.Authenticate(ctx(), token)
				if err != nil {
					t.Fatal(err)
				}
				if actor, err := p.People.Identify(ctx(), claims); err != nil ||
					actor.Role != want {
					t.Errorf("%+v, %v, want %s", actor, err, want)
				}
			}
		}
		is(before, core.Student)
		if err := w.Platform.Staff.Approve(ctx(), boss, a.ID); err != nil {
			t.Fatal(err)
		}
		is(before, core.Educator)
		calls := w.Sandbox.Identity().Faults().Calls(sandbox.OpGetUser) +
			w.Sandbox.Identity().RoleCalls()
		w.Clock.Advance(2 * time.Second)
		after := w.Token(t, "ada") // has the role, because the provider knows it
		is(after, core.Educator)

		down := roomtest.WithRole(roomtest.Event(people.UserUpdated, 0), core.Student)
		down.User.UpdatedAt = w.Clock.Now()
		w.Apply(t, down)
		is(before, core.Student)
		is(after, core.Student)
		if n := w.Sandbox.Identity().Faults().Calls(sandbox.OpGetUser) +
			w.Sandbox.Identity().RoleCalls(); n != calls {
			t.Error("a request called the provider")
		}
	})
}

// The provider sends an event for each change of a role. It can arrive at any time, also before
// the provider's answer is stored.
func TestApprove_EventOfProviderChangesNothing(t *testing.T) {
	for when, amid := range map[string]bool{"amid": true, "after": false} {
		t.Run(when, func(t *testing.T) {
			roomtest.OnEngines(t, func(t *testing.T, database string) {
				w := roomtest.New(t, database)
				delivered := w.Deliver(t)
				var fails error
				on := w.Granting(t, func(_ string, err error) error {
					if amid {
						delivered()
					}
					return errors.Join(err, fails)
				})
				boss := w.Person(t, "boss", core.Admin)

				_, a := w.Applied(t, "ada")
				if err := on.Platform.Staff.Approve(ctx(), boss, a.ID); err != nil {
					t.Fatal(err)
				}
				delivered()
				w.WantDecided(t, a.ID, people.ApplicationApproved, core.Educator)

				// Granted, told by the event, and not stored, twice: the role from before
				// is still that from before.
				_, b := w.Applied(t, "eve")
				fails = roomtest.ErrInjected
				for range 2 {
					if err := on.Platform.Staff.Approve(ctx(), boss, b.ID); !errors.Is(err,
						roomtest.ErrInjected) {
						t.Errorf("the grant was to fail: %v", err)
					}
					delivered()
					if got := w.Decision(t, "eve").Role; got != core.Educator {
						t.Errorf("the event did not arrive: %q", got)
					}
				}
				fails = nil
				w.Clock.Advance(time.Minute)
				if err := on.Platform.Staff.Reject(ctx(), boss, b.ID, ""); err != nil {
					t.Fatal(err)
				}
				delivered()
				w.WantDecided(t, b.ID, people.ApplicationRejected, core.Student)
			})
		})
	}
}

func TestMakeAdmin_ProviderAndStore(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		w.Person(t, "ada", core.Student)
		w.PutAtProvider(t, "new", "") // a user without a record on the platform
		token := w.Token(t, "ada")
		// the provider's clock is ahead
		ahead := roomtest.WithRole(roomtest.Event(people.UserUpdated, 5), core.Student)
		w.Apply(t, ahead)
		for _, id := range []string{"ada", "new", "ada"} {
			if err := w.Platform.System().MakeAdmin(ctx(), id); err != nil {
				t.Fatal(err)
			}
			if got, d := w.ProviderRole(t, id),
				w.Decision(t, id); got != core.Admin || d.Role != core.Admin {
				t.Errorf("%s is %q at the provider and %q here", id, got, d.Role)
			}
		}
		claims, err := w.Platform.People.Authenticate(ctx(), token)
		if err != nil {
			t.Fatal(err)
		}
		if actor, err := w.Platform.People.Identify(ctx(), claims); err != nil ||
			actor.Role != core.Admin {
			t.Errorf("with the old token the user is %+v, %v", actor, err)
		}

		before := w.Dump(t)
		for _, id := range []string{"", "ada ", "nobody at the provider"} {
			if err := w.Platform.System().MakeAdmin(ctx(), id); err == nil {
				t.Errorf("%q was made an admin", id)
			}
		}
		w.Sandbox.Identity().Faults().Next(1,
			sandbox.Fault{Kind: sandbox.FaultStatus, On: sandbox.OpSetRole})
		if err := w.Platform.System().MakeAdmin(ctx(), "new"); err == nil {
			t.Error("the user is an admin, and the provider does not know it")
		}
		if diff := cmp.Diff(before, w.Dump(t)); diff != "" {
			t.Error(diff)
		}
		w.Apply(t, roomtest.Event(people.UserDeleted, 6))
		if err := w.Platform.System().MakeAdmin(ctx(), "ada"); !errors.Is(err,
			people.ErrUserNotFound) {
			t.Errorf("a deleted user: %v", err)
		}
	})
}

func TestReview_WithoutIdentityProvider(t *testing.T) {
	w := roomtest.New(t, "sqlite:"+t.TempDir()+"/learning.db",
		learningtest.WithPlatform(learning.Without("WithRoles")))
	boss := w.Person(t, "boss", core.Admin)
	_, a := w.Applied(t, "ada")
	for _, err := range []error{w.Platform.Staff.Approve(ctx(), boss, a.ID),
		w.Platform.System().MakeAdmin(ctx(), "ada")} {
		roomtest.WantError(t, err, people.ErrRolesNotConfigured,
			"Roles of the identity provider are not configured")
	}
	if n := w.Count(t, "applications WHERE holder IS NULL"); n != 1 {
		t.Errorf("the application has a lease: %v", w.Rows(t, "applications"))
	}
	if err := w.Platform.Staff.Reject(ctx(), boss, a.ID, ""); err != nil { // which needs none
		t.Error(err)
	}
}
