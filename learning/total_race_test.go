package learning_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/staff"
)

// All that changes an account happens at the same time, also before and after there is a record.
func TestTotals_ConcurrentChangesOfAccounts(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		two := [2]*roomtest.World{w, w.OtherInstance(t)}
		refusals := []error{nil, staff.ErrApplicationPending, staff.ErrApplicationApproved,
			staff.ErrAlreadyApproved, staff.ErrAlreadyRejected,
			staff.ErrApplicationNotFound, staff.ErrBeingReviewed, people.ErrUserNotFound,
			core.ErrUnauthenticated}
		for round := range 15 {
			who := roomtest.Student(fmt.Sprintf("user-%d", round))
			if err := w.Sandbox.Identity().PutUserQuietly(sandbox.User{ID: who.UserID}); err !=
				nil {
				t.Fatal(err)
			}
			if round%3 > 0 { // else the user has applied before there is a record
				w.Person(t, who.UserID, core.Student)
			}
			_, a, err := two[round%2].NewApplication(who)
			if err != nil {
				t.Fatal(err)
			}
			tell := func(p *learning.Platform, e people.IdentityEvent) error {
				e.User.ID = who.UserID
				return p.System().ApplyIdentityEvent(ctx(), e)
			}
			steps := []func(p *learning.Platform) error{
				func(p *learning.Platform) error {
					return tell(p, roomtest.Event(people.UserCreated,
						1))
				},
				func(p *learning.Platform) error {
					return tell(p, roomtest.WithRole(roomtest.Event(people.UserUpdated, 2),
						core.Educator))
				},
				func(p *learning.Platform) error {
					return p.Staff.Approve(ctx(), roomtest.Boss, a.ID)
				},
				func(p *learning.Platform) error {
					return p.Staff.Reject(ctx(), roomtest.Boss, a.ID, "")
				},
				func(p *learning.Platform) error {
					_, err := p.Staff.Apply(ctx(), who,
						roomtest.Submitted())
					return err
				},
				func(p *learning.Platform) error {
					return tell(p, roomtest.WithRole(roomtest.Event(people.UserUpdated, 3),
						core.Student))
				},
			}
			if round%2 == 0 {
				steps = append(steps,
					func(p *learning.Platform) error {
						return tell(p,
							roomtest.Event(people.UserDeleted, 2))
					},
					func(p *learning.Platform) error {
						return p.System().MakeAdmin(ctx(),
							who.UserID)
					})
			}
			errs := roomtest.Concurrently(len(steps), func(i int) error {
				err := steps[i](two[i%2].Platform)
				if slices.ContainsFunc(refusals,
					func(refusal error) bool { return errors.Is(err, refusal) }) {
					return nil
				}
				return err
			})
			if diff := cmp.Diff(map[string]int{"": len(steps)}, roomtest.CountErrors(errs)); diff != "" {
				t.Error(diff)
			}
			w.WantRightTotals(t)
		}
	})
}
