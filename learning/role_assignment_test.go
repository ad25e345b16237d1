package learning_test

import (
	"context"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// roleOf returns ada's role with an admin's token that was issued at a time. For the zero time
// the token has no time.
func (w *fixture) roleOf(t *testing.T, issued time.Time) learning.Role {
	t.Helper()
	a, err := w.Platform.Identify(context.Background(),
		learning.Claims{UserID: "ada", Role: learning.Admin, IssuedAt: issued})
	if err != nil {
		t.Fatal(err)
	}
	return a.Role
}

func TestRoleAssignment_LatestWins(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		for _, step := range []struct {
			name  string
			event learning.IdentityEvent
			want  learning.Role
		}{
			{"nothing decided: the token", event(learning.UserCreated, 0), learning.Admin},
			{"decided", withRole(event(learning.UserUpdated, 10), learning.Educator),
				learning.Educator},
			{"an event without metadata", event(learning.UserUpdated, 20), learning.Educator},
			{"an earlier decision", withRole(event(learning.UserUpdated, 5), learning.Student),
				learning.Educator},
			{"a later one", withRole(event(learning.UserUpdated, 30), learning.Student),
				learning.Student},
			{"one of the same time, arriving last",
				withRole(event(learning.UserCreated, 30), learning.Educator), learning.Educator},
		} {
			w.apply(t, step.event)
			if got := w.roleOf(t, time.Time{}); got != step.want {
				t.Errorf("%s: %s, want %s", step.name, got, step.want)
			}
		}
	})
}

// An event can be older than the record and newer than the role.
func TestRoleAssignment_OrderedSeparatelyFromRecord(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		w.apply(t, event(learning.UserCreated, 10),
			withRole(event(learning.UserUpdated, 5), learning.Educator))
		if got := w.ada(t); got != knownAs(10) {
			t.Errorf("the record is %q", got)
		}
		if got := w.roleOf(t, time.Time{}); got != learning.Educator {
			t.Errorf("the role is %s", got)
		}
	})
}

func TestRoleAssignment_TimeOfEvent(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		early, late := withRole(event(learning.UserUpdated, 10), learning.Educator),
			withRole(event(learning.UserUpdated, 20), learning.Student)
		early.User.UpdatedAt, late.User.UpdatedAt = time.Time{}, time.Time{}
		w.apply(t, late, early)
		if got := w.roleOf(t, time.Time{}); got != learning.Student {
			t.Errorf("the role is %s", got)
		}
	})
}

func TestRoleAssignment_LaterToken(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		decided := learningtest.Start.Add(500 * time.Millisecond)
		e := withRole(event(learning.UserUpdated, 0), learning.Student)
		e.User.UpdatedAt = decided
		w.apply(t, e)
		for name, tt := range map[string]struct {
			issued time.Time
			want   learning.Role
		}{
			"before":             {learningtest.Start.Add(-time.Second), learning.Student},
			"in the same second": {learningtest.Start, learning.Student},
			"in the next second": {learningtest.Start.Add(time.Second), learning.Admin},
			"it does not say":    {time.Time{}, learning.Student},
		} {
			if got := w.roleOf(t, tt.issued); got != tt.want {
				t.Errorf("%s: %s, want %s", name, got, tt.want)
			}
		}
	})
}

func TestIdentify_DeletedUser(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		w.apply(t, withRole(event(learning.UserCreated, 1), learning.Admin),
			event(learning.UserDeleted, 2),
			withRole(event(learning.UserUpdated, 3), learning.Admin))
		for _, issued := range []time.Time{{}, learningtest.Start.Add(time.Hour)} {
			a, err := w.Platform.Identify(context.Background(),
				learning.Claims{UserID: "ada", Role: learning.Admin, IssuedAt: issued})
			if err != nil || a != (learning.Actor{}) {
				t.Errorf("the actor is %+v, %v", a, err)
			}
		}
		if n := w.count(t, "roles"); n != 0 {
			t.Errorf("%d roles are left", n)
		}
	})
}
