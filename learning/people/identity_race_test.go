package people_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/faultystore"
	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/people"
)

// raceRounds is how often two calls are run at once. On MariaDB every third round left a role
// before the record was locked.
const raceRounds = 20

// eventOf returns an event of another user than ada.
func eventOf(userID, kind string, minute int) people.IdentityEvent {
	e := roomtest.Event(kind, minute)
	e.User.ID = userID
	return e
}

func TestDeletedUser_RoleChangedAtOnce_HasNoRole(t *testing.T) {
	changes := map[string]func(w *roomtest.World, userID string) error{
		"user.updated": func(w *roomtest.World, userID string) error {
			return w.Platform.System().ApplyIdentityEvent(ctx(),
				roomtest.WithRole(eventOf(userID, people.UserUpdated, 5), core.Educator))
		},
		"MakeAdmin": func(w *roomtest.World, userID string) error {
			if err := w.Platform.System().MakeAdmin(ctx(), userID); !errors.Is(err,
				people.ErrUserNotFound) {
				return err
			}
			return nil
		},
	}
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		two := [2]*roomtest.World{w, w.Granting(t, func(string, error) error { return nil })}
		for name, change := range changes {
			for _, known := range []bool{true, false} {
				left := 0
				for i := range raceRounds {
					id := fmt.Sprint(name, known, i)
					if known {
						w.Apply(t, eventOf(id, people.UserCreated, 1))
					}
					for _, err := range roomtest.Concurrently(2, func(i int) error {
						if i == 0 {
							return two[0].Platform.System().ApplyIdentityEvent(ctx(),
								eventOf(id, people.UserDeleted, 5))
						}
						return change(two[1], id)
					}) {
						if err != nil {
							t.Error(err)
						}
					}
					left += w.Count(t, "roles WHERE user_id = ?", id)
				}
				if left > 0 {
					t.Errorf("%s, record known: %v: after %d of %d deletions a role is left", name,
						known, left, raceRounds)
				}
			}
		}
	})
}

// An approval has read that the applicant is a student when MakeAdmin begins. MakeAdmin must wait
// for it, or the approval must see its result. SQLite runs one transaction at a time.
func TestMakeAdmin_DuringApproval_StaysAdmin(t *testing.T) {
	w := roomtest.New(t, enginetest.MariaDB(t))
	_, a := w.Applied(t, "ada")
	w.Apply(t, roomtest.WithRole(roomtest.Event(people.UserUpdated, 0), core.Student))
	boss := w.Person(t, "boss", core.Admin)
	waits, done := make(chan struct{}), make(chan error, 1)
	withHooks := func(onLock, onRole func()) *roomtest.World {
		before := map[string]func(){"lock a user": onLock, "update a role": onRole}
		return w.OtherInstance(t, learningtest.WithStore(func(s learning.Store) learning.Store {
			return faultystore.With(s, func(_ context.Context, step string) error {
				if do := before[step]; do != nil {
					do()
				}
				return nil
			})
		}))
	}
	maker := withHooks(sync.OnceFunc(func() { close(waits) }), func() {})
	approver := withHooks(func() {}, sync.OnceFunc(func() {
		go func() { done <- maker.Platform.System().MakeAdmin(ctx(), "ada") }()
		select {
		case <-waits:
		case err := <-done:
			done <- err
		}
	}))
	if err := approver.Platform.Staff.Approve(ctx(), boss, a.ID); err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if role := w.Decision(t, "ada").Role; role != core.Admin {
		t.Errorf("the role is %s, want admin", role)
	}
}
