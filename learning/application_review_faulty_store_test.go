package learning_test

import (
	"errors"
	"testing"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/sandbox"
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
			s := &scenario{
				prepare: func(t *testing.T, w faultRun) {
					w.Person(t, w.id, learning.Student)
					if again {
						boss := w.Person(t, "boss", learning.Admin)
						if err := w.Platform.Reject(ctx(), boss, w.submits(t, w.id).ID,
							"Too short"); err != nil {
							t.Fatal(err)
						}
					}
				},
				do: func(t *testing.T, w faultRun) error {
					return done.do(w.database+w.id, learning.ErrApplicationPending, func() error {
						a, err := w.Platform.Apply(ctx(),
							learning.Actor{UserID: w.id, Role: learning.Student}, submitted())
						if err == nil &&
							(a.IsAgain != again ||
								w.count(t, "applications WHERE id = ? AND status = 'pending'",
									a.ID) != 1) {
							t.Errorf("the answer %+v was not stored", a)
						}
						return err
					})
				},
				check: func(t *testing.T, w faultRun) {
					if n := w.count(t,
						"applications WHERE user_id = ? AND status = 'pending' AND "+
							"rejection_reason = ''", w.id); n != 1 {
						t.Errorf("%d applications", n)
					}
				},
				steps: []string{"read a user's application", write,
					"read the account state of a user"},
			}
			onEngines(t, s.run)
		})
	}
}

// decision is a decision during which the database fails.
type decision struct {
	begun    bool // whether an approval was begun before and the provider did not answer
	fails    bool // whether the provider does not answer the first attempt
	decide   func(w faultRun, id string) error
	conflict error
	status   learning.ApplicationStatus
	role     learning.Role
	steps    []string
}

func approveAsBoss(w faultRun, id string) error { return w.Platform.Approve(ctx(), boss, id) }

func rejectAsBoss(w faultRun, id string) error {
	return w.Platform.Reject(ctx(), boss, id,
		"Because")
}

// unanswered is a grant that takes effect and whose answer is lost.
var unanswered = sandbox.Fault{Kind: sandbox.FaultDrop, On: sandbox.OpSetRole, After: true}

var decisions = map[string]decision{
	"approve": {begun: false, fails: false, decide: approveAsBoss,
		conflict: learning.ErrAlreadyApproved, status: learning.ApplicationApproved,
		role: learning.Educator,
		steps: []string{"read an application", "read the account state of a user",
			"update an application", "insert a role"}},
	"approve after a failed approval": {begun: true, fails: false, decide: approveAsBoss,
		conflict: learning.ErrAlreadyApproved, status: learning.ApplicationApproved,
		role: learning.Educator,
		steps: []string{"read an application", "read the account state of a user",
			"update an application", "insert a role"}},
	"approve while the provider fails": {begun: false, fails: true, decide: approveAsBoss,
		conflict: learning.ErrAlreadyApproved, status: learning.ApplicationApproved,
		role:  learning.Educator,
		steps: []string{"update an application", "release a lease"}},
	"reject": {begun: false, fails: false, decide: rejectAsBoss,
		conflict: learning.ErrAlreadyRejected, status: learning.ApplicationRejected,
		role: learning.Student,
		steps: []string{"read an application", "read the account state of a user",
			"update an application"}},
	"reject after a failed approval": {begun: true, fails: false, decide: rejectAsBoss,
		conflict: learning.ErrAlreadyRejected, status: learning.ApplicationRejected,
		role: learning.Student,
		steps: []string{"update an application",
			"insert a role"}},
}

func TestReview_FaultyStore(t *testing.T) {
	for name, tt := range decisions {
		t.Run(name, func(t *testing.T) {
			done, ids := once{}, map[string]string{}
			s := &scenario{
				prepare: func(t *testing.T, w faultRun) {
					w.Person(t, "boss", learning.Admin)
					_, a := w.applied(t, w.id)
					ids[w.id] = a.ID
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
				do: func(t *testing.T, w faultRun) error {
					defer w.Sandbox.Identity().Faults().Clear()
					return done.do(w.database+w.id, tt.conflict,
						func() error { return tt.decide(w, ids[w.id]) })
				},
				check: func(t *testing.T, w faultRun) {
					a := w.application(t, ids[w.id])
					here, there := w.decision(t, w.id).Role, w.providerRole(t, w.id)
					if a.Status != tt.status || a.ReviewID != "" || there != tt.role ||
						(here != tt.role &&
							(tt.begun || tt.status == learning.ApplicationApproved)) {
						t.Errorf("%+v, and the role is %q here and %q at the provider", a, here,
							there)
					}
				},
				steps: tt.steps,
			}
			onEngines(t, s.run)
		})
	}
}

func TestMakeAdmin_FaultyStore(t *testing.T) {
	s := &scenario{
		prepare: func(t *testing.T, w faultRun) { w.Person(t, w.id, learning.Student) },
		do: func(t *testing.T, w faultRun) error {
			return w.Platform.System().MakeAdmin(ctx(),
				w.id)
		},
		check: func(t *testing.T, w faultRun) {
			if here, there := w.decision(t, w.id).Role,
				w.providerRole(t, w.id); here != learning.Admin || there != learning.Admin {
				t.Errorf("%q here and %q at the provider", here, there)
			}
		},
		steps: []string{"read the account state of a user", "insert a role"},
	}
	onEngines(t, s.run)
}
