package staff_test

import (
	"errors"
	"testing"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/staff"
)

// once does what must be answered as done when it is: what was answered as a failure
// and is there all the same would be a conflict when it is done again.
type once map[string]bool

func (o once) do(id string, conflict error, act func() error) error {
	err := act()
	if o[id] && errors.Is(err, conflict) {
		return nil
	}
	o[id] = o[id] || err == nil
	return err
}

func TestApply_FaultyStore(t *testing.T) {
	for name, again := range map[string]bool{"first": false, "again": true} {
		t.Run(name, func(t *testing.T) {
			done := once{}
			write := map[bool]string{false: "insert an application",
				true: "update an application"}[again]
			s := &roomtest.Scenario{
				Prepare: func(t *testing.T, w roomtest.FaultRun) {
					w.Person(t, w.ID, core.Student)
					if again {
						boss := w.Person(t, "boss", core.Admin)
						if err := w.Platform.Staff.Reject(ctx(), boss, w.Submits(t, w.ID).ID,
							"Too short"); err != nil {
							t.Fatal(err)
						}
					}
				},
				Do: func(t *testing.T, w roomtest.FaultRun) error {
					return done.do(w.Database+w.ID, staff.ErrApplicationPending, func() error {
						a, err := w.Platform.Staff.Apply(ctx(),
							learning.Actor{UserID: w.ID, Role: core.Student}, roomtest.Submitted())
						if err == nil &&
							(a.IsAgain != again ||
								w.Count(t, "applications WHERE id = ? AND status = 'pending'",
									a.ID) != 1) {
							t.Errorf("the answer %+v was not stored", a)
						}
						return err
					})
				},
				Check: func(t *testing.T, w roomtest.FaultRun) {
					if n := w.Count(t,
						"applications WHERE user_id = ? AND status = 'pending' AND "+
							"rejection_reason = ''", w.ID); n != 1 {
						t.Errorf("%d applications", n)
					}
				},
				Steps: []string{"read a user's application", write,
					"read the account state of a user"},
			}
			roomtest.OnEngines(t, s.Run)
		})
	}
}

// decision is a decision during which the database fails.
type decision struct {
	begun    bool // whether an approval was begun before and the provider did not answer
	fails    bool // whether the provider does not answer the first attempt
	decide   func(w roomtest.FaultRun, id string) error
	conflict error
	status   people.ApplicationStatus
	role     learning.Role
	steps    []string
}

func approveAsBoss(w roomtest.FaultRun, id string) error {
	return w.Platform.Staff.Approve(ctx(), roomtest.Boss, id)
}

func rejectAsBoss(w roomtest.FaultRun, id string) error {
	return w.Platform.Staff.Reject(ctx(), roomtest.Boss, id,
		"Because")
}

// unanswered is a grant that takes effect and whose answer is lost.
var unanswered = sandbox.Fault{Kind: sandbox.FaultDrop, On: sandbox.OpSetRole, After: true}

var decisions = map[string]decision{
	"approve": {begun: false, fails: false, decide: approveAsBoss,
		conflict: staff.ErrAlreadyApproved, status: people.ApplicationApproved,
		role: core.Educator,
		steps: []string{"read an application", "read the account state of a user",
			"update an application", "insert a role"}},
	"approve after a failed approval": {begun: true, fails: false, decide: approveAsBoss,
		conflict: staff.ErrAlreadyApproved, status: people.ApplicationApproved,
		role: core.Educator,
		steps: []string{"read an application", "read the account state of a user",
			"update an application", "insert a role"}},
	"approve while the provider fails": {begun: false, fails: true, decide: approveAsBoss,
		conflict: staff.ErrAlreadyApproved, status: people.ApplicationApproved,
		role:  core.Educator,
		steps: []string{"update an application", "release a lease"}},
	"reject": {begun: false, fails: false, decide: rejectAsBoss,
		conflict: staff.ErrAlreadyRejected, status: people.ApplicationRejected,
		role: core.Student,
		steps: []string{"read an application", "read the account state of a user",
			"update an application"}},
	"reject after a failed approval": {begun: true, fails: false, decide: rejectAsBoss,
		conflict: staff.ErrAlreadyRejected, status: people.ApplicationRejected,
		role: core.Student,
		steps: []string{"update an application",
			"insert a role"}},
}

func TestReview_FaultyStore(t *testing.T) {
	for name, tt := range decisions {
		t.Run(name, func(t *testing.T) {
			done, ids := once{}, map[string]string{}
			s := &roomtest.Scenario{
				Prepare: func(t *testing.T, w roomtest.FaultRun) {
					w.Person(t, "boss", core.Admin)
					_, a := w.Applied(t, w.ID)
					ids[w.ID] = a.ID
					faults := w.Sandbox.Identity().Faults()
					faults.Clear()
					if tt.begun {
						faults.Next(1, unanswered)
						if err := approveAsBoss(w, a.ID); err == nil {
							t.Error("the provider answered")
						}
					}
					if tt.fails {
						faults.Next(1, unanswered)
					}
				},
				Do: func(t *testing.T, w roomtest.FaultRun) error {
					defer w.Sandbox.Identity().Faults().Clear()
					return done.do(w.Database+w.ID, tt.conflict,
						func() error { return tt.decide(w, ids[w.ID]) })
				},
				Check: func(t *testing.T, w roomtest.FaultRun) {
					a := w.Application(t, ids[w.ID])
					here, there := w.Decision(t, w.ID).Role, w.ProviderRole(t, w.ID)
					if a.Status != tt.status || a.ReviewID != "" || there != tt.role ||
						(here != tt.role &&
							(tt.begun || tt.status == people.ApplicationApproved)) {
						t.Errorf("%+v, and the role is %q here and %q at the provider", a, here,
							there)
					}
				},
				Steps: tt.steps,
			}
			roomtest.OnEngines(t, s.Run)
		})
	}
}

func TestMakeAdmin_FaultyStore(t *testing.T) {
	s := &roomtest.Scenario{
		Prepare: func(t *testing.T, w roomtest.FaultRun) { w.Person(t, w.ID, core.Student) },
		Do: func(t *testing.T, w roomtest.FaultRun) error {
			return w.Platform.System().MakeAdmin(ctx(),
				w.ID)
		},
		Check: func(t *testing.T, w roomtest.FaultRun) {
			if here, there := w.Decision(t, w.ID).Role,
				w.ProviderRole(t, w.ID); here != core.Admin || there != core.Admin {
				t.Errorf("%q here and %q at the provider", here, there)
			}
		},
		Steps: []string{"read the account state of a user", "insert a role"},
	}
	roomtest.OnEngines(t, s.Run)
}
