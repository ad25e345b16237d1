package learning_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/sandbox"
)

func TestRoleAssignment_OldTokensInEveryInstance(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		other := w.otherInstance(t)
		boss := w.Person(t, "boss", learning.Admin)
		_, a := w.applied(t, "ada")
		before := w.Token(t, "ada")
		is := func(token string, want learning.Role) {
			t.Helper()
			for _, p := range []*learning.Platform{w.Platform, other.Platform} {
				claims, err := p.Authenticate(ctx(), token)
				if err != nil {
					t.Fatal(err)
				}
				if actor, err := p.Identify(ctx(), claims); err != nil || actor.Role != want {
					t.Errorf("%+v, %v, want %s", actor, err, want)
				}
			}
		}
		is(before, learning.Student)
		if err := w.Platform.Approve(ctx(), boss, a.ID); err != nil {
			t.Fatal(err)
		}
		is(before, learning.Educator)
		calls := w.Sandbox.Identity().Faults().Calls(sandbox.OpGetUser) +
			w.Sandbox.Identity().RoleCalls()
		w.Clock.Advance(2 * time.Second)
		after := w.Token(t, "ada") // has the role, because the provider knows it
		is(after, learning.Educator)

		down := withRole(event(learning.UserUpdated, 0), learning.Student)
		down.User.UpdatedAt = w.Clock.Now()
		w.apply(t, down)
		is(before, learning.Student)
		is(after, learning.Student)
		if n := w.Sandbox.Identity().Faults().Calls(sandbox.OpGetUser) +
			w.Sandbox.Identity().RoleCalls(); n != calls {
			t.Error("a request called the provider")
		}
	})
}

// deliver sends the provider's events to the platform until the test ends. It returns a
// function that waits for pending events.
func (w *fixture) deliver(t *testing.T) (wait func()) {
	t.Helper()
	handler, err := httpapi.New(w.Platform)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	w.Sandbox.SetWebhookURL(server.URL)
	t.Cleanup(func() { w.Sandbox.SetWebhookURL("") })
	return func() {
		t.Helper()
		soon, cancel := context.WithTimeout(ctx(), bound)
		defer cancel()
		if err := w.Sandbox.Wait(soon); err != nil {
			t.Error(err)
		}
		for _, d := range w.Sandbox.Deliveries() {
			if d.State != sandbox.DeliveryDone {
				t.Errorf("not delivered: %+v", d)
			}
		}
	}
}

// The provider sends an event for each change of a role. It can arrive at any time, also before
// the provider's answer is stored.
func TestApprove_EventOfProviderChangesNothing(t *testing.T) {
	for when, amid := range map[string]bool{"amid": true, "after": false} {
		t.Run(when, func(t *testing.T) {
			onEngines(t, func(t *testing.T, database string) {
				w := newFixture(t, database)
				delivered := w.deliver(t)
				var fails error
				on := w.granting(t, func(_ string, err error) error {
					if amid {
						delivered()
					}
					return errors.Join(err, fails)
				})
				boss := w.Person(t, "boss", learning.Admin)

				_, a := w.applied(t, "ada")
				if err := on.Platform.Approve(ctx(), boss, a.ID); err != nil {
					t.Fatal(err)
				}
				delivered()
				w.wantDecided(t, a.ID, learning.ApplicationApproved, learning.Educator)

				// Granted, told by the event, and not stored, twice: the role from before
				// is still that from before.
				_, b := w.applied(t, "eve")
				fails = errInjected
				for range 2 {
					if err := on.Platform.Approve(ctx(), boss, b.ID); !errors.Is(err, errInjected) {
						t.Errorf("the grant was to fail: %v", err)
					}
					delivered()
					if got := w.decision(t, "eve").Role; got != learning.Educator {
						t.Errorf("the event did not arrive: %q", got)
					}
				}
				fails = nil
				w.Clock.Advance(time.Minute)
				if err := on.Platform.Reject(ctx(), boss, b.ID, ""); err != nil {
					t.Fatal(err)
				}
				delivered()
				w.wantDecided(t, b.ID, learning.ApplicationRejected, learning.Student)
			})
		})
	}
}

func TestMakeAdmin_ProviderAndStore(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		w.Person(t, "ada", learning.Student)
		put(t, w, "new", "") // a user without a record on the platform
		token := w.Token(t, "ada")
		// the provider's clock is ahead
		ahead := withRole(event(learning.UserUpdated, 5), learning.Student)
		w.apply(t, ahead)
		for _, id := range []string{"ada", "new", "ada"} {
			if err := w.Platform.System().MakeAdmin(ctx(), id); err != nil {
				t.Fatal(err)
			}
			if got, d := w.providerRole(t, id),
				w.decision(t, id); got != learning.Admin || d.Role != learning.Admin {
				t.Errorf("%s is %q at the provider and %q here", id, got, d.Role)
			}
		}
		claims, err := w.Platform.Authenticate(ctx(), token)
		if err != nil {
			t.Fatal(err)
		}
		if actor, err := w.Platform.Identify(ctx(), claims); err != nil ||
			actor.Role != learning.Admin {
			t.Errorf("with the old token the user is %+v, %v", actor, err)
		}

		before := w.dump(t)
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
		if diff := cmp.Diff(before, w.dump(t)); diff != "" {
			t.Error(diff)
		}
		w.apply(t, event(learning.UserDeleted, 6))
		if err := w.Platform.System().MakeAdmin(ctx(), "ada"); !errors.Is(err,
			learning.ErrUserNotFound) {
			t.Errorf("a deleted user: %v", err)
		}
	})
}

func TestReview_WithoutIdentityProvider(t *testing.T) {
	w := newFixture(t, "sqlite:"+t.TempDir()+"/learning.db",
		learningtest.WithPlatform(learning.Without("WithRoles")))
	boss := w.Person(t, "boss", learning.Admin)
	_, a := w.applied(t, "ada")
	for _, err := range []error{w.Platform.Approve(ctx(), boss, a.ID),
		w.Platform.System().MakeAdmin(ctx(), "ada")} {
		wantError(t, err, learning.ErrRolesNotConfigured,
			"Roles of the identity provider are not configured")
	}
	if n := w.count(t, "applications WHERE holder IS NULL"); n != 1 {
		t.Errorf("the application has a lease: %v", w.rows(t, "applications"))
	}
	if err := w.Platform.Reject(ctx(), boss, a.ID, ""); err != nil { // which needs none
		t.Error(err)
	}
}
