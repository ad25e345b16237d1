package learning_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/study"
)

func TestOpenOrder_FaultAtEachStep(t *testing.T) {
	s := &roomtest.Scenario{
		Prepare: func(t *testing.T, w roomtest.FaultRun) {
			w.Course(t, w.ID, 499_00)
			w.Person(t, "buyer-"+w.ID, core.Student)
		},
		Do: func(t *testing.T, w roomtest.FaultRun) error {
			o, err := w.Platform.Sales.OpenOrder(ctx(), learning.Actor{UserID: "buyer-" + w.ID},
				sale.OrderRequest{CourseID: w.ID})
			if err == nil && w.Count(t, "purchases WHERE id = ? AND order_id = ?", o.PurchaseID,
				o.OrderID) != 1 {
				t.Errorf("the order %+v was returned and not stored", o)
			}
			return err
		},
		Check: func(t *testing.T, w roomtest.FaultRun) { w.WantSold(t, w.ID, 0, 0, 1) },
		Steps: []string{"insert a purchase", "insert a lease", "release a lease",
			"update a purchase"},
	}
	roomtest.AtTillsRepeatedly(t, s.RunIn)
}

// A failure must not leave a lease, because the next attempt would wait for it.
func TestOpenOrder_DatabaseFailsOnce(t *testing.T) {
	for _, step := range []string{"insert a purchase", "update a purchase", "COMMIT",
		roomtest.LostAnswer} {
		t.Run(step, func(t *testing.T) {
			roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
				store := &roomtest.FaultyStore{}
				w := newWorld(roomtest.WithFaultyStore(store))
				for n := 1; ; n++ {
					course := w.Course(t, fmt.Sprint("go-", n), 499_00)
					ada := w.Person(t, fmt.Sprint("ada-", n), core.Student)
					store.FailAt(n)
					_, err := w.Platform.Sales.OpenOrder(ctx(), ada,
						sale.OrderRequest{CourseID: course})
					broken := store.Disarm()
					if broken == "" {
						break
					}
					if broken != step {
						continue
					}
					if (err == nil) != (step == roomtest.LostAnswer) {
						t.Errorf("the error is %v although %s failed", err, step)
					}
					if n := w.Count(t, "purchases WHERE course_id = ? AND order_id IS NULL",
						course); n != 0 {
						t.Errorf("the lease is left: %v", err)
					}
					w.Order(t, ada, course) // must not wait, because the clock does not advance
				}
			})
		})
	}
}

// The error must contain the ids, because the order exists at the gateway.
func TestOpenOrder_ErrorNamesAnOrderThatCannotBeStored(t *testing.T) {
	store := &roomtest.FaultyStore{}
	w := roomtest.New(t, "sqlite:"+filepath.Join(t.TempDir(), "learning.db"),
		roomtest.WithFaultyStore(store))
	course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", core.Student)
	w.Sandbox.Gateway().OnOrder(func(sandbox.Order) { store.FailOn("update a purchase") })
	_, err := w.Platform.Sales.OpenOrder(ctx(), ada, sale.OrderRequest{CourseID: course})
	made := w.Sandbox.Gateway().Orders()
	if len(made) != 1 || err == nil || !errors.Is(err, roomtest.ErrInjected) ||
		!strings.Contains(err.Error(), made[0].ID) ||
		!strings.Contains(err.Error(), made[0].Receipt) {
		t.Errorf("the error %v lacks the ids of %+v", err, made)
	}
	if n := w.Count(t, "purchases"); n != 0 {
		t.Errorf("%d purchases are left", n)
	}
}

func TestOpenOrder_TakeOverFaultAtEachStep(t *testing.T) {
	s := &roomtest.Scenario{
		Prepare: func(t *testing.T, w roomtest.FaultRun) {
			w.Abandoned(t, w.Person(t, "buyer-"+w.ID, core.Student), w.Course(t, w.ID, 499_00),
				499_00)
			w.Clock.Advance(roomtest.Lease)
		},
		Do: func(t *testing.T, w roomtest.FaultRun) error {
			_, err := w.Platform.Sales.OpenOrder(ctx(), learning.Actor{UserID: "buyer-" + w.ID},
				sale.OrderRequest{CourseID: w.ID})
			return err
		},
		Check: func(t *testing.T, w roomtest.FaultRun) { w.WantSold(t, w.ID, 0, 0, 1) },
		Steps: []string{"lock a user", "read a lease", "take over a lease", "update a purchase",
			"release a lease"},
	}
	roomtest.AtTillsRepeatedly(t, s.RunIn)
}

func TestOpenOrder_PriceChangedFaultAtEachStep(t *testing.T) {
	s := &roomtest.Scenario{
		Prepare: func(t *testing.T, w roomtest.FaultRun) {
			w.Order(t, w.Person(t, "buyer-"+w.ID, core.Student), w.Course(t, w.ID, 499_00))
			w.SetPrice(t, w.ID, 399_00)
		},
		Do: func(t *testing.T, w roomtest.FaultRun) error {
			_, err := w.Platform.Sales.OpenOrder(ctx(), learning.Actor{UserID: "buyer-" + w.ID},
				sale.OrderRequest{CourseID: w.ID})
			return err
		},
		Check:  func(t *testing.T, w roomtest.FaultRun) { w.WantSold(t, w.ID, 0, 0, 1) },
		Stages: true, // what is given up need not be taken back
		Steps:  []string{"lock a user", "update a purchase", "insert a purchase"},
	}
	roomtest.AtTillsRepeatedly(t, s.RunIn)
}

func TestCompletePurchase_FaultAtEachStep(t *testing.T) {
	ways := map[string]func(w *roomtest.World, buyer learning.Actor, paid roomtest.Paid) error{
		"proof": func(w *roomtest.World, buyer learning.Actor, paid roomtest.Paid) error {
			return w.Platform.Sales.VerifyPayment(ctx(), buyer, w.Proof(paid.OrderID, paid.ID))
		},
		"webhook": func(w *roomtest.World, _ learning.Actor, paid roomtest.Paid) error {
			return w.Report(paid)
		},
	}
	for name, complete := range ways {
		t.Run(name, func(t *testing.T) {
			payments := map[string]roomtest.Paid{}
			s := &roomtest.Scenario{
				Prepare: func(t *testing.T, w roomtest.FaultRun) {
					payments[w.ID] = w.Pay(t, w.Order(t, w.Person(t, "buyer-"+w.ID, core.Student),
						w.Course(t, w.ID, 499_00)).OrderID)
				},
				Do: func(t *testing.T, w roomtest.FaultRun) error {
					return complete(w.World, learning.Actor{UserID: "buyer-" + w.ID},
						payments[w.ID])
				},
				Check: func(t *testing.T, w roomtest.FaultRun) {
					w.WantSold(t, w.ID, 1, 1,
						0)
					w.WantLogged(t, "double payment", 0)
				},
				Steps: []string{"list the purchases of an order", "lock a user",
					"read the state of a purchase", "update a purchase", "count an enrolment",
					"insert an enrolment"},
			}
			roomtest.AtTillsRepeatedly(t, s.RunIn)
		})
	}
}

func TestFreeCourse_FaultAtEachStep(t *testing.T) {
	s := &roomtest.Scenario{
		Prepare: func(t *testing.T, w roomtest.FaultRun) {
			w.Course(t, w.ID, 0)
			w.Person(t, "buyer-"+w.ID,
				core.Student)
		},
		Do: func(t *testing.T, w roomtest.FaultRun) error {
			_, err := w.Platform.Sales.OpenOrder(ctx(), learning.Actor{UserID: "buyer-" + w.ID},
				sale.OrderRequest{CourseID: w.ID})
			if w.Lost && errors.Is(err, study.ErrAlreadyEnrolled) {
				return nil // the student is enrolled by an earlier try
			}
			return err
		},
		Check: func(t *testing.T, w roomtest.FaultRun) { w.WantSold(t, w.ID, 1, 1, 0) },
		Steps: []string{"insert a purchase", "count an enrolment", "insert an enrolment"},
	}
	roomtest.OnEnginesRepeatedly(t, s.Run)
}

func TestReconcile_FaultAtEachStep(t *testing.T) {
	s := &roomtest.Scenario{
		Prepare: func(t *testing.T, w roomtest.FaultRun) {
			w.Pay(t, w.Order(t, w.Person(t, "buyer-"+w.ID, core.Student),
				w.Course(t, w.ID, 499_00)).OrderID)
			w.Clock.Advance(time.Hour)
		},
		Do: func(t *testing.T, w roomtest.FaultRun) error {
			_, err := w.Platform.System().ReconcilePurchases(ctx())
			return err
		},
		Check: func(t *testing.T, w roomtest.FaultRun) { w.WantSold(t, w.ID, 1, 1, 0) },
		Steps: []string{"lock a user", "read the state of a purchase", "update a purchase",
			"count an enrolment", "insert an enrolment"},
		Leaves: []string{"sweeps"},
	}
	roomtest.AtTillsRepeatedly(t, s.RunIn)
}

func TestApplyIdentityEvent_FaultAtEachStep(t *testing.T) {
	of := func(w roomtest.FaultRun, kind string) people.IdentityEvent {
		e := roomtest.Event(kind, 5)
		e.User.ID = w.ID
		return e
	}
	role := func(e people.IdentityEvent) people.IdentityEvent {
		return roomtest.WithRole(e,
			core.Educator)
	}
	for name, tt := range map[string]struct {
		before, event func(w roomtest.FaultRun) people.IdentityEvent
		users         string // selects the record that must exist at the end
		steps         []string
	}{
		"created": {nil,
			func(w roomtest.FaultRun) people.IdentityEvent {
				return role(of(w,
					people.UserCreated))
			},
			"name = 'Ada 5' AND deleted_at IS NULL",
			[]string{"insert a role", "insert a user", "mark an educator's courses as changed"}},
		"updated": {func(w roomtest.FaultRun) people.IdentityEvent {
			return role(of(w,
				people.UserCreated))
		}, func(w roomtest.FaultRun) people.IdentityEvent {
			return role(of(w,
				people.UserUpdated))
		},
			"name = 'Ada 5' AND deleted_at IS NULL",
			[]string{"update a role", "update a user", "mark an educator's courses as changed"}},
		"deleted": {func(w roomtest.FaultRun) people.IdentityEvent {
			return role(of(w,
				people.UserCreated))
		}, func(w roomtest.FaultRun) people.IdentityEvent { return of(w, people.UserDeleted) },
			"name = '' AND deleted_at IS NOT NULL",
			[]string{"delete an application", "delete the chats of a user",
				"delete the chatMessages of a user", "delete a role", "scrub a user",
				"mark an educator's courses as changed"}},
		"deleted before it came": {nil,
			func(w roomtest.FaultRun) people.IdentityEvent { return of(w, people.UserDeleted) },
			"name = '' AND deleted_at IS NOT NULL", []string{"delete a role", "insert a user"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := &roomtest.Scenario{
				Prepare: func(t *testing.T, w roomtest.FaultRun) {
					if tt.before != nil {
						w.Apply(t, tt.before(w))
					}
				},
				Do: func(t *testing.T, w roomtest.FaultRun) error {
					return w.Platform.System().ApplyIdentityEvent(ctx(), tt.event(w))
				},
				Check: func(t *testing.T, w roomtest.FaultRun) {
					if n := w.Count(t, "users WHERE id = ? AND "+tt.users, w.ID); n != 1 {
						t.Errorf("%d records", n)
					}
				},
				Steps: append(tt.steps, "read the account state of a user"),
			}
			roomtest.OnEnginesRepeatedly(t, s.Run)
		})
	}
}

func TestAddCourse_FaultAtEachStep(t *testing.T) {
	var s roomtest.Scenario
	s = roomtest.Scenario{
		Prepare: func(*testing.T, roomtest.FaultRun) {},
		Do: func(t *testing.T, w roomtest.FaultRun) error {
			_, err := w.Platform.Catalog.AddCourse(ctx(),
				learning.Actor{UserID: "educator", Role: core.Educator}, roomtest.NewCourse(w.ID),
				learningtest.Thumbnail(t))
			if w.Lost && errors.Is(err, core.ErrDuplicate) {
				return nil // an earlier try has stored the course under the caller's id
			}
			return err
		},
		Check: func(t *testing.T, w roomtest.FaultRun) {
			if n := w.Count(t, "courses WHERE id = ?", w.ID); n != 1 {
				t.Errorf("%d courses", n)
			}
			s.Media.WantInUse(t, w.World)
		},
		Steps: []string{"insert a course"},
	}
	roomtest.OnEnginesRepeatedly(t, s.Run)
}
