package learning_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/identity"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// providerRole returns a user's role at the identity provider.
func (w *fixture) providerRole(t *testing.T, userID string) learning.Role {
	t.Helper()
	u, ok := w.Sandbox.Identity().User(userID)
	if !ok {
		t.Fatalf("the provider does not know %s", userID)
	}
	return learning.Role(u.Role)
}

func (w *fixture) decision(t *testing.T, userID string) learning.RoleAssignment {
	t.Helper()
	s, err := w.Store.AccountState(ctx(), userID)
	if err != nil {
		t.Fatal(err)
	}
	return s.RoleAssignment
}

// wantDecided checks that an application is decided and has no lease, and that the provider
// and the store have the same role of the user.
func (w *fixture) wantDecided(t *testing.T, id string, status learning.ApplicationStatus,
	role learning.Role) {
	t.Helper()
	a := w.application(t, id)
	if a.Status != status || a.ReviewID != "" ||
		w.count(t, "leases WHERE name = ?", "application:"+id) != 0 {
		t.Errorf("the application is %+v, want %s", a, status)
	}
	if got := w.providerRole(t, a.UserID); got != role {
		t.Errorf("the role at the provider is %q, want %q", got, role)
	}
	if got := w.decision(t, a.UserID).Role; got != role {
		t.Errorf("the role that was decided is %q, want %q", got, role)
	}
}

// wantPending checks that an application is pending, also for its author.
func (w *fixture) wantPending(t *testing.T, id string) {
	t.Helper()
	a := w.application(t, id)
	own, err := w.Platform.ApplicationOf(ctx(), learning.Actor{UserID: a.UserID})
	if err != nil || own == nil || own.Status != learning.ApplicationPending {
		t.Errorf("the application is %+v, %v", own, err)
	}
	if role := w.decision(t, a.UserID).Role; role == learning.Educator {
		t.Error("the author is an educator")
	}
}

// asks is a [learning.RoleGranter] that does something once the provider has
// answered.
type asks struct {
	learning.RoleGranter
	then func(userID string, err error) error
}

func (g *asks) GrantRole(ctx context.Context, userID string, role learning.Role) error {
	return g.then(userID, g.RoleGranter.GrantRole(ctx, userID, role))
}

// granting returns another platform that calls a function after the provider's answer and
// before it is stored.
func (w *fixture) granting(t *testing.T, then func(userID string, err error) error,
	opts ...learningtest.Option) *fixture {
	t.Helper()
	c := w.Sandbox.Config()
	client, err := identity.NewClient(c.URL, c.IdentityAPIKey)
	if err != nil {
		t.Fatal(err)
	}
	return w.otherInstance(t,
		append(opts, learningtest.WithPlatform(learning.WithRoles(&asks{client, then})))...)
}

func TestReview_Roles(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		boss := w.Person(t, "boss", learning.Admin)
		approve := func(id string) error { return w.Platform.Approve(ctx(), boss, id) }
		reject := func(id string) error { return w.Platform.Reject(ctx(), boss, id, "Because 🎓") }

		_, good := w.applied(t, "good")
		w.Clock.Advance(time.Minute)
		if err := approve(good.ID); err != nil {
			t.Fatal(err)
		}
		w.wantDecided(t, good.ID, learning.ApplicationApproved, learning.Educator)
		if d := w.decision(t, "good"); !d.At.Equal(w.Clock.Now()) ||
			!w.application(t, good.ID).UpdatedAt.Equal(w.Clock.Now()) {
			t.Errorf("decided at %v", d.At)
		}

		put(t, w, "bad", "") // the provider has no role of the user
		bad := w.submits(t, "bad")
		calls := w.Sandbox.Identity().RoleCalls()
		if err := reject(bad.ID); err != nil {
			t.Fatal(err)
		}
		w.wantDecided(t, bad.ID, learning.ApplicationRejected, "")
		if got := w.application(t, bad.ID).RejectionReason; got != "Because 🎓" {
			t.Errorf("the reason is %q", got)
		}
		if n := w.Sandbox.Identity().RoleCalls() - calls; n != 0 {
			t.Errorf("the provider was asked %d times", n)
		}

		wantError(t, approve(good.ID), learning.ErrAlreadyApproved,
			"Application is already approved.")
		wantError(t, reject(good.ID), learning.ErrAlreadyApproved,
			"Application is already approved.")
		wantError(t, approve(bad.ID), learning.ErrAlreadyRejected,
			"Application is already rejected.")
		wantError(t, reject(bad.ID), learning.ErrAlreadyRejected,
			"Application is already rejected.")
		for _, id := range []string{"", "nobody", bad.ID + " "} {
			wantError(t, approve(id), learning.ErrApplicationNotFound, "Application not found")
			wantError(t, reject(id), learning.ErrApplicationNotFound, "Application not found")
		}
		if w.submits(t, "bad"); w.application(t, bad.ID).RejectionReason != "" {
			t.Error("the repeated application has the reason of the rejection")
		}
		if err := approve(bad.ID); err != nil {
			t.Error(err)
		}
		w.wantDecided(t, bad.ID, learning.ApplicationApproved, learning.Educator)
	})
}

// put creates a user with a role at the provider, without a record on the platform.
func put(t *testing.T, w *fixture, id string, role learning.Role) {
	t.Helper()
	if err := w.Sandbox.Identity().PutUserQuietly(sandbox.User{ID: id, Role: string(role)}); err !=
		nil {
		t.Fatal(err)
	}
}

// submits stores the application of a user without a record.
func (w *fixture) submits(t *testing.T, id string) learning.Application {
	t.Helper()
	a, err := w.Platform.Apply(ctx(), learning.Actor{UserID: id, Role: learning.Student},
		submitted())
	if err != nil {
		t.Fatal(err)
	}
	return a.Application
}

func TestReview_RequiresAdmin(t *testing.T) {
	w := newFixture(t, "sqlite:"+t.TempDir()+"/learning.db")
	ada, a := w.applied(t, "ada")
	for want, actor := range map[error]learning.Actor{
		learning.ErrUnauthenticated: {Role: learning.Admin},
		learning.ErrForbidden:       ada,
	} {
		for _, err := range []error{
			w.Platform.Approve(ctx(), actor, a.ID), w.Platform.Reject(ctx(), actor, a.ID, ""),
			w.Platform.Approve(ctx(), actor, "nobody"),
			w.Platform.Reject(ctx(), actor, a.ID, string(make([]byte, 2_000))),
		} {
			if !errors.Is(err, want) {
				t.Errorf("%+v: %v", actor, err)
			}
		}
	}
	if err := w.Platform.Approve(ctx(), learning.Actor{UserID: "educator", Role: learning.Educator},
		a.ID); !errors.Is(err, learning.ErrForbidden) {
		t.Error(err)
	}
	w.wantPending(t, a.ID)
}

func TestReject_ReasonLimit(t *testing.T) {
	w := newFixture(t, "sqlite:"+t.TempDir()+"/learning.db")
	boss := w.Person(t, "boss", learning.Admin)
	_, a := w.applied(t, "ada")
	long := ""
	for range learning.MaxRejectionReason {
		long += "🎓"
	}
	if err := w.Platform.Reject(ctx(), boss, a.ID, long+"!"); !errors.Is(err,
		learning.ErrInvalidRequest) {
		t.Error(err)
	}
	w.wantPending(t, a.ID)
	if err := w.Platform.Reject(ctx(), boss, a.ID, long); err != nil ||
		w.application(t, a.ID).RejectionReason != long {
		t.Error(err)
	}
}

func TestReview_OwnApplication(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		boss := w.Person(t, "boss", learning.Admin)
		own, err := w.Platform.Apply(ctx(), boss, submitted())
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range []error{w.Platform.Approve(ctx(), boss, own.ID),
			w.Platform.Reject(ctx(), boss, own.ID, "")} {
			wantError(t, err, learning.ErrOwnApplication,
				"You cannot decide on your own application.")
		}
		w.wantPending(t, own.ID)
	})
}

// One user is an admin by the token only, the other became an admin after applying.
func TestReview_ApplicationOfAnAdmin(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		chief, boss := w.Person(t, "chief", learning.Admin), w.Person(t, "boss", learning.Admin)
		decide := map[learning.ApplicationStatus]func(id string) error{
			learning.ApplicationApproved: func(id string) error {
				return w.Platform.Approve(ctx(),
					chief, id)
			},
			learning.ApplicationRejected: func(id string) error {
				return w.Platform.Reject(ctx(),
					chief, id, "")
			},
		}
		byToken, err := w.Platform.Apply(ctx(), boss, submitted())
		if err != nil {
			t.Fatal(err)
		}
		for status, to := range decide {
			_, a := w.applied(t, "later-"+string(status))
			e := withRole(event(learning.UserUpdated, 1), learning.Admin)
			e.User.ID = a.UserID
			w.apply(t, e)
			put(t, w, a.UserID, learning.Admin)
			if err := to(a.ID); err != nil {
				t.Errorf("%s: %v", status, err)
			}
			w.wantDecided(t, a.ID, status, learning.Admin)
		}
		if err := decide[learning.ApplicationApproved](byToken.ID); err != nil {
			t.Error(err)
		}
		if a, role := w.application(t, byToken.ID),
			w.providerRole(t, "boss"); a.Status != learning.ApplicationApproved ||
			role != learning.Admin {
			t.Errorf("the application is %s, the role at the provider %s", a.Status, role)
		}
		if d := w.decision(t, "boss"); d != (learning.RoleAssignment{}) {
			t.Errorf("the role here was changed: %+v", d)
		}
	})
}
