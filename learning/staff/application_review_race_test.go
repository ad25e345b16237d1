package staff_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/faultystore"
	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/staff"
)

// decideAtOnce approves and rejects an application with twenty concurrent calls, in turn, on
// two platforms by two admins. The scheduler often starts the first goroutines first, so
// even rounds begin with approvals, and odd ones with rejections.
func decideAtOnce(two [2]*roomtest.World, admins [2]learning.Actor, id string,
	round int) map[string]int {
	return roomtest.CountErrors(roomtest.Concurrently(20, func(i int) error {
		w, boss := two[i%2], admins[i/2%2]
		if (i/4+round)%2 == 0 {
			return w.Platform.Staff.Approve(ctx(), boss, id)
		}
		return w.Platform.Staff.Reject(ctx(), boss, id, fmt.Sprint(i))
	}))
}

// lost are the errors of the calls that do not decide.
var lost = []error{staff.ErrAlreadyApproved, staff.ErrAlreadyRejected,
	staff.ErrBeingReviewed}

func TestReview_Concurrently(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		two := [2]*roomtest.World{w, w.OtherInstance(t)}
		admins := [2]learning.Actor{w.Person(t, "boss", core.Admin),
			w.Person(t, "chief", core.Admin)}
		ended := map[people.ApplicationStatus]int{}
		for i := range 50 {
			_, a := w.Applied(t, fmt.Sprintf("ada-%d", i))
			calls := w.Sandbox.Identity().RoleCalls()
			answers := decideAtOnce(two, admins, a.ID, i)
			others := 0
			for _, err := range lost {
				others += answers[err.Error()]
			}
			if answers[""] != 1 || others != 19 {
				t.Errorf("round %d: %v", i, answers)
			}
			status, calls := w.Application(t, a.ID).Status, w.Sandbox.Identity().RoleCalls()-calls
			ended[status]++
			switch status {
			case people.ApplicationApproved:
				w.WantDecided(t, a.ID, status, core.Educator)
			case people.ApplicationRejected:
				if w.WantRejected(t, a.ID); w.Decision(t, a.UserID).Role != "" {
					t.Error("a rejection decided on a role")
				}
			}
			if want := map[people.ApplicationStatus]int{"approved": 1}[status]; calls != want {
				t.Errorf("round %d: %s after %d calls of the provider", i, status, calls)
			}
			if answers[staff.ErrAlreadyApproved.Error()] > 0 &&
				status != people.ApplicationApproved {
				t.Errorf("round %d: %s, and to others approved", i, status)
			}
		}
		t.Logf("ended as %v", ended)
		if ended[people.ApplicationApproved] == 0 || ended[people.ApplicationRejected] == 0 {
			t.Errorf("every round had the same result: %v", ended)
		}
	})
}

// The provider fails several times, before or after it changes the role. At the end the
// provider and the store must have the same role.
func TestReview_ConcurrentlyProviderFails(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		two := [2]*roomtest.World{w, w.OtherInstance(t)}
		admins := [2]learning.Actor{w.Person(t, "boss", core.Admin),
			w.Person(t, "chief", core.Admin)}
		ended := map[people.ApplicationStatus]int{}
		for i := range 25 {
			_, a := w.Applied(t, fmt.Sprintf("ada-%d", i))
			for n := range 4 {
				kind := []sandbox.FaultKind{sandbox.FaultStatus, sandbox.FaultDrop}[n%2]
				w.Sandbox.Identity().Faults().Next(1,
					sandbox.Fault{Kind: kind, On: sandbox.OpSetRole, After: (n+i)%3 != 0})
			}
			for w.Application(t, a.ID).Status == people.ApplicationPending {
				if answers := decideAtOnce(two, admins, a.ID, i); answers[""] > 1 {
					t.Errorf("round %d: %v", i, answers)
				}
			}
			w.Sandbox.Identity().Faults().Clear()
			status := w.Application(t, a.ID).Status
			if ended[status]++; status == people.ApplicationApproved {
				w.WantDecided(t, a.ID, status, core.Educator)
			} else {
				w.WantRejected(t, a.ID)
			}
		}
		t.Logf("ended as %v", ended)
	})
}

// A user who is deleted during an approval is not an educator afterwards, and has no
// application.
func TestApprove_ConcurrentDeletion(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		on := w.Granting(t, func(userID string, err error) error {
			gone := roomtest.Event(people.UserDeleted, 1)
			gone.User.ID = userID
			w.Apply(t, gone)
			return err
		})
		_, a := w.Applied(t, "ada")
		boss := w.Person(t, "boss", core.Admin)
		roomtest.WantError(t, on.Platform.Staff.Approve(ctx(), boss, a.ID),
			staff.ErrApplicationNotFound,
			"Application not found")
		if n := w.Count(t, "applications") + w.Count(t, "roles"); n != 0 {
			t.Errorf("%d rows are left", n)
		}

		for i := range 20 {
			_, a := w.Applied(t, fmt.Sprintf("eve-%d", i))
			gone := roomtest.Event(people.UserDeleted, 10+i)
			gone.User.ID = a.UserID
			errs := roomtest.Concurrently(2, func(i int) error {
				if i == 0 {
					return w.Platform.System().ApplyIdentityEvent(ctx(), gone)
				}
				if err := w.Platform.Staff.Approve(ctx(), boss, a.ID); !errors.Is(err,
					staff.ErrApplicationNotFound) {
					return err
				}
				return nil
			})
			if diff := cmp.Diff(map[string]int{"": 2}, roomtest.CountErrors(errs)); diff != "" {
				t.Error(diff)
			}
			if n := w.Count(t, "applications") + w.Count(t, "roles"); n != 0 {
				t.Fatalf("%d rows are left: %v %v", n, w.Rows(t, "applications"),
					w.Rows(t, "roles"))
			}
		}
	})
}

// The role educator is written at the provider before MakeAdmin, or after it.
func TestApprove_MadeAdminMeanwhile(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		boss := w.Person(t, "boss", core.Admin)
		for _, id := range []string{"told_before", "told_after"} {
			calls := 0
			on := w.Granting(t, func(userID string, err error) error {
				if calls++; calls == 1 {
					err = errors.Join(err, w.Platform.System().MakeAdmin(ctx(), userID))
					if id == "told_after" {
						w.PutAtProvider(t, userID, core.Educator)
					}
				}
				return err
			})
			_, a := w.Applied(t, id)
			if err := on.Platform.Staff.Approve(ctx(), boss, a.ID); err != nil {
				t.Errorf("%s: %v", id, err)
			}
			w.WantDecided(t, a.ID, people.ApplicationApproved, core.Admin)
		}
	})
}

// If the role admin cannot be written at the provider again, the application stays pending, and
// another approval completes it.
func TestApprove_MadeAdminMeanwhile_ProviderFails(t *testing.T) {
	onPendingApplication(t,
		func(t *testing.T, w *roomtest.World, boss learning.Actor, a people.Application) {
			calls := 0
			on := w.Granting(t, func(userID string, err error) error {
				switch calls++; calls {
				case 1:
					err = errors.Join(err, w.Platform.System().MakeAdmin(ctx(), userID))
					w.PutAtProvider(t, userID, core.Educator)
				case 2:
					err = roomtest.ErrInjected
					w.PutAtProvider(t, userID, core.Educator)
				}
				return err
			})
			if err := on.Platform.Staff.Approve(ctx(), boss, a.ID); !errors.Is(err,
				roomtest.ErrInjected) {
				t.Errorf("approved: %v", err)
			}
			w.WantPending(t, a.ID)
			if err := on.Platform.Staff.Approve(ctx(), boss, a.ID); err != nil {
				t.Error(err)
			}
			w.WantDecided(t, a.ID, people.ApplicationApproved, core.Admin)
		})
}

// At the provider the approval ends after MakeAdmin has written the role admin, and here before.
func TestMakeAdmin_ApprovedMeanwhile(t *testing.T) {
	onPendingApplication(t,
		func(t *testing.T, w *roomtest.World, boss learning.Actor, a people.Application) {
			approve := sync.OnceValue(func() error {
				return w.Platform.Staff.Approve(ctx(), boss, a.ID)
			})
			on := w.Granting(t,
				func(_ string, err error) error { return errors.Join(err, approve()) })
			if err := on.Platform.System().MakeAdmin(ctx(), "ada"); err != nil {
				t.Error(err)
			}
			w.WantDecided(t, a.ID, people.ApplicationApproved, core.Admin)
		})
}

// A failed approval has written the role educator at the provider after MakeAdmin.
func TestReject_MadeAdminMeanwhile(t *testing.T) {
	onPendingApplication(t,
		func(t *testing.T, w *roomtest.World, boss learning.Actor, a people.Application) {
			on := w.Granting(t, func(userID string, err error) error {
				err = errors.Join(err, w.Platform.System().MakeAdmin(ctx(), userID))
				w.PutAtProvider(t, userID, core.Educator)
				return errors.Join(err, roomtest.ErrInjected)
			})
			if err := on.Platform.Staff.Approve(ctx(), boss, a.ID); !errors.Is(err,
				roomtest.ErrInjected) {
				t.Errorf("approved: %v", err)
			}
			if err := w.Platform.Staff.Reject(ctx(), boss, a.ID, ""); err != nil {
				t.Error(err)
			}
			w.WantDecided(t, a.ID, people.ApplicationRejected, core.Admin)
		})
}

// A rejection that has read the application before the approval began has no lease.
func TestReject_ApprovalBegunMeanwhile(t *testing.T) {
	onPendingApplication(t,
		func(t *testing.T, w *roomtest.World, boss learning.Actor, a people.Application) {
			granting := make(chan struct{})
			rejected := make(chan struct{})
			approved := make(chan error, 1)
			approver := w.Granting(t, func(_ string, err error) error {
				close(granting)
				<-rejected
				return err
			})
			begin := sync.OnceFunc(func() {
				go func() { approved <- approver.Platform.Staff.Approve(ctx(), boss, a.ID) }()
				<-granting
			})
			rejecter := w.OtherInstance(t,
				learningtest.WithStore(func(s learning.Store) learning.Store {
					return faultystore.With(s, func(_ context.Context, step string) error {
						if step ==
							"begin a transaction" { // which follows the read of the application
							begin()
						}
						return nil
					})
				}))
			err := rejecter.Platform.Staff.Reject(ctx(), boss, a.ID, "")
			close(rejected)
			roomtest.WantError(t, err, staff.ErrBeingReviewed, "Application is being reviewed.")
			if err := <-approved; err != nil {
				t.Error(err)
			}
			w.WantDecided(t, a.ID, people.ApplicationApproved, core.Educator)
		})
}

// runsTwice rolls the first transaction back after it has run once, calls between, and runs it
// again, as a store does after a conflict.
type runsTwice struct {
	learning.Store
	between func()
}

func (s *runsTwice) InTx(ctx context.Context, fn func(tx learning.Tx) error) error {
	if between := s.between; between != nil {
		s.between = nil
		rolledBack := errors.New("rolled back")
		err := s.Store.InTx(ctx, func(tx learning.Tx) error {
			if err := fn(tx); err != nil {
				return err
			}
			return rolledBack
		})
		if !errors.Is(err, rolledBack) {
			return err
		}
		between()
	}
	return s.Store.InTx(ctx, fn)
}

// The first run finds an admin, whose approval grants no role. The second one finds a student.
func TestApprove_TransactionRunsAgain(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		store := &runsTwice{}
		w := roomtest.New(t, database, learningtest.WithStore(func(s learning.Store) learning.Store {
			store.Store = s
			return store
		}))
		ada, a := w.Applied(t, "ada")
		boss := w.Person(t, "boss", core.Admin)
		w.Exec(t, "INSERT INTO roles (user_id, role, decided_at) VALUES (?, 'admin', ?)",
			ada.UserID, "2026-01-31 09:00:00.000000")
		store.between = func() { w.Exec(t, "DELETE FROM roles WHERE user_id = ?", ada.UserID) }
		roomtest.Must(t, w.Platform.Staff.Approve(ctx(), boss, a.ID))
		w.WantDecided(t, a.ID, people.ApplicationApproved, core.Educator)
	})
}
