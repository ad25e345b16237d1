package people_test

import (
	"context"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/people"
)

func TestRoleAssignment_LatestWins(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		for _, step := range []struct {
			name  string
			event people.IdentityEvent
			want  learning.Role
		}{
			{"nothing decided: the token", roomtest.Event(people.UserCreated, 0), core.Admin},
			{"decided", roomtest.WithRole(roomtest.Event(people.UserUpdated, 10), core.Educator),
				core.Educator},
			{"an event without metadata", roomtest.Event(people.UserUpdated, 20), core.Educator},
			{"an earlier decision", roomtest.WithRole(roomtest.Event(people.UserUpdated, 5),
				core.Student),
				core.Educator},
			{"a later one", roomtest.WithRole(roomtest.Event(people.UserUpdated, 30), core.Student),
				core.Student},
			{"one of the same time, arriving last",
				roomtest.WithRole(roomtest.Event(people.UserCreated, 30),
					core.Educator), core.Educator},
		} {
			w.Apply(t, step.event)
			if got := w.RoleOf(t, time.Time{}); got != step.want {
				t.Errorf("%s: %s, want %s", step.name, got, step.want)
			}
		}
	})
}

// An event can be older than the record and newer than the role.
func TestRoleAssignment_OrderedSeparatelyFromRecord(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		w.Apply(t, roomtest.Event(people.UserCreated, 10),
			roomtest.WithRole(roomtest.Event(people.UserUpdated, 5), core.Educator))
		if got := w.Ada(t); got != knownAs(10) {
			t.Errorf("the record is %q", got)
		}
		if got := w.RoleOf(t, time.Time{}); got != core.Educator {
			t.Errorf("the role is %s", got)
		}
	})
}

func TestRoleAssignment_TimeOfEvent(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		early, late := roomtest.WithRole(roomtest.Event(people.UserUpdated, 10), core.Educator),
			roomtest.WithRole(roomtest.Event(people.UserUpdated, 20), core.Student)
		early.User.UpdatedAt, late.User.UpdatedAt = time.Time{}, time.Time{}
		w.Apply(t, late, early)
		if got := w.RoleOf(t, time.Time{}); got != core.Student {
			t.Errorf("the role is %s", got)
		}
	})
}

func TestRoleAssignment_LaterToken(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		decided := learningtest.Start.Add(500 * time.Millisecond)
		e := roomtest.WithRole(roomtest.Event(people.UserUpdated, 0), core.Student)
		e.User.UpdatedAt = decided
		w.Apply(t, e)
		for name, tt := range map[string]struct {
			issued time.Time
			want   learning.Role
		}{
			"before":             {learningtest.Start.Add(-time.Second), core.Student},
			"in the same second": {learningtest.Start, core.Student},
			"in the next second": {learningtest.Start.Add(time.Second), core.Admin},
			"it does not say":    {time.Time{}, core.Student},
		} {
			if got := w.RoleOf(t, tt.issued); got != tt.want {
				t.Errorf("%s: %s, want %s", name, got, tt.want)
			}
		}
	})
}

func TestIdentify_DeletedUser(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		w.Apply(t, roomtest.WithRole(roomtest.Event(people.UserCreated, 1), core.Admin),
			roomtest.Event(people.UserDeleted, 2),
			roomtest.WithRole(roomtest.Event(people.UserUpdated, 3), core.Admin))
		for _, issued := range []time.Time{{}, learningtest.Start.Add(time.Hour)} {
			a, err := w.Platform.People.Identify(context.Background(),
				people.Claims{UserID: "ada", Role: core.Admin, IssuedAt: issued})
			if err != nil || a != (learning.Actor{}) {
				t.Errorf("the actor is %+v, %v", a, err)
			}
		}
		if n := w.Count(t, "roles"); n != 0 {
			t.Errorf("%d roles are left", n)
		}
	})
}
