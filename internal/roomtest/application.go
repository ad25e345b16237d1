package roomtest

import (
	"context"
	"errors"
	"net/http/httptest"
	"testing"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/identity"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/staff"
)

// WantRejected checks that a rejected user is not an educator, here and at the provider.
func (w *World) WantRejected(t *testing.T, id string) {
	t.Helper()
	a := w.Application(t, id)
	if a.Status != people.ApplicationRejected || a.ReviewID != "" {
		t.Errorf("the application is %+v", a)
	}
	if here, there := w.Decision(t, a.UserID).Role,
		w.ProviderRole(t, a.UserID); here == core.Educator || there == core.Educator {
		t.Errorf("rejected, and %q here and %q at the provider", here, there)
	}
}

// Deliver sends the provider's events to the platform until the test ends. It returns a
// function that waits for pending events.
func (w *World) Deliver(t *testing.T) (wait func()) {
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
		soon, cancel := context.WithTimeout(ctx(), Bound)
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

// PutAtProvider adds a user with a role at the provider, without a record on the platform.
func (w *World) PutAtProvider(t *testing.T, id string, role core.Role) {
	t.Helper()
	Must(t, w.Sandbox.Identity().PutUserQuietly(sandbox.User{ID: id, Role: string(role)}))
}

// ProviderRole returns a user's role at the identity provider.
func (w *World) ProviderRole(t *testing.T, userID string) core.Role {
	t.Helper()
	u, ok := w.Sandbox.Identity().User(userID)
	if !ok {
		t.Fatalf("the provider does not know %s", userID)
	}
	return core.Role(u.Role)
}

// Decision returns the last assignment of a role to a user.
func (w *World) Decision(t *testing.T, userID string) core.RoleAssignment {
	t.Helper()
	s, err := w.Store.AccountState(ctx(), userID)
	if err != nil {
		t.Fatal(err)
	}
	return s.RoleAssignment
}

// WantDecided checks that an application is decided and has no lease, and that the provider
// and the store have the same role of the user.
func (w *World) WantDecided(t *testing.T, id string, status people.ApplicationStatus,
	role core.Role) {
	t.Helper()
	a := w.Application(t, id)
	if a.Status != status || a.ReviewID != "" ||
		w.Count(t, "leases WHERE name = ?", "application:"+id) != 0 {
		t.Errorf("the application is %+v, want %s", a, status)
	}
	if got := w.ProviderRole(t, a.UserID); got != role {
		t.Errorf("the role at the provider is %q, want %q", got, role)
	}
	if got := w.Decision(t, a.UserID).Role; got != role {
		t.Errorf("the role that was decided is %q, want %q", got, role)
	}
}

// WantPending checks that an application is pending, also for its author.
func (w *World) WantPending(t *testing.T, id string) {
	t.Helper()
	a := w.Application(t, id)
	own, err := w.Platform.Staff.ApplicationOf(ctx(), core.Actor{UserID: a.UserID})
	if err != nil || own == nil || own.Status != people.ApplicationPending {
		t.Errorf("the application is %+v, %v", own, err)
	}
	if role := w.Decision(t, a.UserID).Role; role == core.Educator {
		t.Error("the author is an educator")
	}
}

// asks is a [people.RoleGranter] that does something once the provider has
// answered.
type asks struct {
	people.RoleGranter
	then func(userID string, err error) error
}

func (g *asks) GrantRole(ctx context.Context, userID string, role core.Role) error {
	return g.then(userID, g.RoleGranter.GrantRole(ctx, userID, role))
}

// Granting returns another platform that calls a function after the provider's answer and
// before it is stored.
func (w *World) Granting(t *testing.T, then func(userID string, err error) error,
	opts ...learningtest.Option) *World {
	t.Helper()
	c := w.Sandbox.Config()
	client, err := identity.NewClient(c.URL, c.IdentityAPIKey)
	if err != nil {
		t.Fatal(err)
	}
	return w.OtherInstance(t,
		append(opts, learningtest.WithPlatform(learning.WithRoles(&asks{client, then})))...)
}

// Submits stores the application of a user without a record.
func (w *World) Submits(t *testing.T, id string) people.Application {
	t.Helper()
	a, err := w.Platform.Staff.Apply(ctx(), core.Actor{UserID: id, Role: core.Student},
		Submitted())
	if err != nil {
		t.Fatal(err)
	}
	return a.Application
}

// Application is one as the store has it.
func (w *World) Application(t *testing.T, id string) people.Application {
	t.Helper()
	a, err := w.Store.Application(ctx(), id)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Submitted returns a valid application.
func Submitted() staff.NewApplication {
	return staff.NewApplication{ProfessionalTitle: "Engineer", Bio: "Ten years of Go.",
		Expertise: []string{"Go", "SQL"}, LinkedinURL: new("https://example.com/ada")}
}

// Applied creates a user with an application.
func (w *World) Applied(t *testing.T, id string) (core.Actor, people.Application) {
	t.Helper()
	ada := w.Person(t, id, core.Student)
	a, err := w.Platform.Staff.Apply(ctx(), ada, Submitted())
	if err != nil || a.IsAgain {
		t.Fatalf("apply: again %v, %v", a.IsAgain, err)
	}
	return ada, a.Application
}

// WantError checks that an error is public and has this message.
func WantError(t *testing.T, err error, want *core.Error, message string) {
	t.Helper()
	if !errors.Is(err, want) || want.Message != message {
		t.Errorf("got %v, want %q", err, message)
	}
}
