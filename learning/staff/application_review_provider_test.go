package staff_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/staff"
)

// failures are failures of the identity provider, and whether it has changed the role
// nevertheless.
var failures = map[string]struct {
	fault   sandbox.Fault
	granted bool
}{
	"refuses":                    {sandbox.Fault{Kind: sandbox.FaultStatus}, false},
	"is overloaded":              {sandbox.Fault{Kind: sandbox.FaultStatus, Status: 503}, false},
	"closes the connection":      {sandbox.Fault{Kind: sandbox.FaultDrop}, false},
	"hangs":                      {sandbox.Fault{Kind: sandbox.FaultHang}, false},
	"changes the role and fails": {sandbox.Fault{Kind: sandbox.FaultStatus, After: true}, true},
	"changes the role and closes the connection": {sandbox.Fault{Kind: sandbox.FaultDrop,
		After: true}, true},
	"changes the role and hangs": {sandbox.Fault{Kind: sandbox.FaultHang,
		After: true}, true},
}

func TestApprove_ProviderFails(t *testing.T) {
	for name, tt := range failures {
		t.Run(name, func(t *testing.T) {
			roomtest.OnEngines(t, func(t *testing.T, database string) {
				w := roomtest.New(t, database)
				boss := w.Person(t, "boss", core.Admin)
				effects := w.Sandbox.Identity().RoleCalls
				on, late := w.LateInstance(t, func() int { return effects() })
				approve := func(id string) error {
					return on.Platform.Staff.Approve(ctx(), boss, id)
				}
				reject := func(id string) error {
					return on.Platform.Staff.Reject(ctx(), boss, id, "")
				}
				fails := func(decide func(id string) error, id, userID string, role learning.Role) {
					t.Helper()
					tt.fault.On = sandbox.OpSetRole
					if tt.fault.Kind == sandbox.FaultHang {
						late.Next(1)
					}
					if tt.granted {
						effects = func() int {
							return strings.Count(string(w.ProviderRole(t,
								userID)), string(role))
						}
					}
					w.Sandbox.Identity().Faults().Next(1, tt.fault)
					if err := decide(id); err == nil || errors.As(err, new(*learning.Error)) {
						t.Errorf("unexpected error: %v", err)
					}
					w.WantPending(t, id)
					if got := w.ProviderRole(t, userID); tt.granted && got != role {
						t.Errorf("the role at the provider is %q, want %q", got, role)
					}
				}

				_, a := w.Applied(t, "ada")
				fails(approve, a.ID, "ada", core.Educator)
				if err := approve(a.ID); err != nil {
					t.Error(err)
				}
				w.WantDecided(t, a.ID, people.ApplicationApproved, core.Educator)

				_, b := w.Applied(t, "eve")
				fails(approve, b.ID, "eve", core.Educator)
				fails(reject, b.ID, "eve", core.Student)
				if err := reject(b.ID); err != nil {
					t.Error(err)
				}
				w.WantDecided(t, b.ID, people.ApplicationRejected, core.Student)
			})
		})
	}
}

// Who goes away does not stop what was begun.
func TestApprove_CallerCancels(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		caller, leave := context.WithCancel(ctx())
		on := w.Granting(t, func(_ string, err error) error { leave(); return err })
		_, a := w.Applied(t, "ada")
		if err := on.Platform.Staff.Approve(caller, w.Person(t, "boss", core.Admin), a.ID); err !=
			nil {
			t.Error(err)
		}
		w.WantDecided(t, a.ID, people.ApplicationApproved, core.Educator)
	})
}

// crashingStore is a store whose transactions fail after a simulated crash.
type crashingStore struct {
	learning.Store
	dead atomic.Bool
}

func (m *crashingStore) InTx(ctx context.Context, fn func(tx learning.Tx) error) error {
	if m.dead.Load() {
		return roomtest.ErrInjected
	}
	return m.Store.InTx(ctx, fn)
}

// A crash between the provider's answer and the commit leaves a lease. Until it expires no
// other decision is possible, because the process may only be slow.
func TestReview_AfterCrash(t *testing.T) {
	crashes := map[string]func(t *testing.T, w *roomtest.World, boss learning.Actor, id string){
		"crash during the approval": func(t *testing.T, w *roomtest.World, boss learning.Actor,
			id string) {
			store := &crashingStore{}
			on := w.Granting(t,
				func(_ string, err error) error { store.dead.Store(true); return err },
				learningtest.WithStore(
					func(s learning.Store) learning.Store { store.Store = s; return store }))
			if err := on.Platform.Staff.Approve(ctx(), boss, id); !errors.Is(err,
				roomtest.ErrInjected) {
				t.Errorf("there was no crash: %v", err)
			}
		},
		"lease of a crashed process": func(t *testing.T, w *roomtest.World, _ learning.Actor, id string) {
			a := w.Application(t, id)
			begun := a
			begun.ReviewID = "died"
			err := w.Store.InTx(ctx(), func(tx learning.Tx) error {
				_, err := tx.UpdateApplication(ctx(), a, begun)
				return errors.Join(err,
					tx.InsertLease(ctx(),
						core.Lease{Name: "application:" + id, Holder: "died",
							ExpiresAt: w.Clock.Now().Add(roomtest.Lease)}))
			})
			if err != nil {
				t.Fatal(err)
			}
			w.PutAtProvider(t, a.UserID, core.Educator)
		},
	}
	for name, crash := range crashes {
		t.Run(name, func(t *testing.T) {
			roomtest.OnEngines(t, func(t *testing.T, database string) {
				w := roomtest.New(t, database)
				boss := w.Person(t, "boss", core.Admin)
				ends := map[people.ApplicationStatus]func(id string) error{
					people.ApplicationApproved: func(id string) error {
						return w.Platform.Staff.Approve(
							ctx(), boss, id)
					},
					people.ApplicationRejected: func(id string) error {
						return w.Platform.Staff.Reject(
							ctx(), boss, id, "")
					},
				}
				for status, end := range ends {
					_, a := w.Applied(t, "to-be-"+string(status))
					crash(t, w, boss, a.ID)
					w.WantPending(t, a.ID)
					if role := w.ProviderRole(t, a.UserID); role != core.Educator {
						t.Errorf("the provider has %q", role)
					}
					w.Clock.Advance(roomtest.Lease - time.Microsecond)
					for _, early := range ends {
						roomtest.WantError(t, early(a.ID), staff.ErrBeingReviewed,
							"Application is being reviewed.")
					}
					w.WantPending(t, a.ID)
					w.Clock.Advance(time.Microsecond)
					if err := end(a.ID); err != nil {
						t.Errorf("%s: %v", status, err)
					}
					w.WantDecided(t, a.ID, status, map[people.ApplicationStatus]learning.Role{
						people.ApplicationApproved: core.Educator,
						people.ApplicationRejected: core.Student}[status])
				}
			})
		})
	}
}

// The previous role is that of before the first attempt, whatever the later attempts did, and
// wherever the role is stored.
func TestReject_RestoresPreviousRole(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		on := w.Granting(t,
			func(_ string, err error) error { return errors.Join(err, roomtest.ErrInjected) })
		boss := w.Person(t, "boss", core.Admin)
		for id, was := range map[string]learning.Role{"plain": core.Student,
			"by-token": core.Educator, "by-decision": core.Educator} {
			ada := w.Person(t, id, was)
			if id == "by-decision" {
				e := roomtest.WithRole(roomtest.Event(people.UserUpdated, 0), was)
				e.User.ID, ada.Role = id, core.Student
				w.Apply(t, e)
			}
			a, err := w.Platform.Staff.Apply(ctx(), ada, roomtest.Submitted())
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if err := on.Platform.Staff.Approve(ctx(), boss, a.ID); !errors.Is(err,
					roomtest.ErrInjected) {
					t.Errorf("the grant did not fail: %v", err)
				}
			}
			if err := w.Platform.Staff.Reject(ctx(), boss, a.ID, ""); err != nil {
				t.Error(err)
			}
			w.WantDecided(t, a.ID, people.ApplicationRejected, was)
		}
	})
}

// A lease holder whose lease was taken over cannot decide any more.
func TestReview_AfterLeaseEnded(t *testing.T) {
	onPendingApplication(t,
		func(t *testing.T, w *roomtest.World, boss learning.Actor, a people.Application) {
			late := w.Granting(t, func(_ string, err error) error {
				w.Clock.Advance(roomtest.Lease)
				return errors.Join(err, w.Platform.Staff.Reject(ctx(), boss, a.ID, "Too late"))
			})
			roomtest.WantError(t, late.Platform.Staff.Approve(ctx(), boss, a.ID),
				staff.ErrAlreadyRejected,
				"Application is already rejected.")
			w.WantDecided(t, a.ID, people.ApplicationRejected, core.Student)
		})
}
