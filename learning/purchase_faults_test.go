package learning_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// leaseColumns are what the holder of a lease writes into the row of an application.
var leaseColumns = regexp.MustCompile(` (holder|lease_until|previous_role)="[^"]*"`)

// withoutLeases returns the rows that are not leases, without created purchases.
func withoutLeases(dump []string) []string {
	lines := slices.DeleteFunc(slices.Clone(dump), func(line string) bool {
		return strings.HasPrefix(line, "leases ") || strings.Contains(line, `status="created"`)
	})
	for i := range lines {
		lines[i] = leaseColumns.ReplaceAllString(lines[i], "")
	}
	return lines
}

func TestOpenOrder_FaultAtEachStep(t *testing.T) {
	s := &scenario{
		prepare: func(t *testing.T, w faultRun) {
			w.Course(t, w.id, 499_00)
			w.Person(t, "buyer-"+w.id, learning.Student)
		},
		do: func(t *testing.T, w faultRun) error {
			o, err := w.Platform.OpenOrder(ctx(), learning.Actor{UserID: "buyer-" + w.id},
				learning.OrderRequest{CourseID: w.id})
			if err == nil && w.count(t, "purchases WHERE id = ? AND order_id = ?", o.PurchaseID,
				o.OrderID) != 1 {
				t.Errorf("the order %+v was returned and not stored", o)
			}
			return err
		},
		check: func(t *testing.T, w faultRun) { w.wantSold(t, w.id, 0, 0, 1) },
		steps: []string{"insert a purchase", "insert a lease", "release a lease",
			"update a purchase"},
	}
	onEnginesRepeatedly(t, s.run)
}

// A failure must not leave a lease, because the next attempt would wait for it.
func TestOpenOrder_DatabaseFailsOnce(t *testing.T) {
	for _, step := range []string{"insert a purchase", "update a purchase", "COMMIT", lostAnswer} {
		t.Run(step, func(t *testing.T) {
			onEngines(t, func(t *testing.T, database string) {
				store := &faultyStore{}
				w := newFixture(t, database, withFaultyStore(store))
				for n := 1; ; n++ {
					course := w.Course(t, fmt.Sprint("go-", n), 499_00)
					ada := w.Person(t, fmt.Sprint("ada-", n), learning.Student)
					store.failAt(n)
					_, err := w.Platform.OpenOrder(ctx(), ada,
						learning.OrderRequest{CourseID: course})
					broken := store.disarm()
					if broken == "" {
						break
					}
					if broken != step {
						continue
					}
					if (err == nil) != (step == lostAnswer) {
						t.Errorf("the error is %v although %s failed", err, step)
					}
					if n := w.count(t, "purchases WHERE course_id = ? AND order_id IS NULL",
						course); n != 0 {
						t.Errorf("the lease is left: %v", err)
					}
					w.order(t, ada, course) // must not wait, because the clock does not advance
				}
			})
		})
	}
}

// The error must contain the ids, because the order exists at the gateway.
func TestOpenOrder_ErrorNamesAnOrderThatCannotBeStored(t *testing.T) {
	store := &faultyStore{}
	w := newFixture(t, "sqlite:"+filepath.Join(t.TempDir(), "learning.db"), withFaultyStore(store))
	course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", learning.Student)
	w.Sandbox.Gateway().OnOrder(func(sandbox.Order) { store.failOn("update a purchase") })
	_, err := w.Platform.OpenOrder(ctx(), ada, learning.OrderRequest{CourseID: course})
	made := w.Sandbox.Gateway().Orders()
	if len(made) != 1 || err == nil || !errors.Is(err, errInjected) ||
		!strings.Contains(err.Error(), made[0].ID) ||
		!strings.Contains(err.Error(), made[0].Receipt) {
		t.Errorf("the error %v lacks the ids of %+v", err, made)
	}
	if n := w.count(t, "purchases"); n != 0 {
		t.Errorf("%d purchases are left", n)
	}
}

func TestOpenOrder_TakeOverFaultAtEachStep(t *testing.T) {
	s := &scenario{
		prepare: func(t *testing.T, w faultRun) {
			w.abandoned(t, w.Person(t, "buyer-"+w.id, learning.Student), w.Course(t, w.id, 499_00),
				499_00)
			w.Clock.Advance(lease)
		},
		do: func(t *testing.T, w faultRun) error {
			_, err := w.Platform.OpenOrder(ctx(), learning.Actor{UserID: "buyer-" + w.id},
				learning.OrderRequest{CourseID: w.id})
			return err
		},
		check: func(t *testing.T, w faultRun) { w.wantSold(t, w.id, 0, 0, 1) },
		steps: []string{"lock a user", "read a lease", "take over a lease", "update a purchase",
			"release a lease"},
	}
	onEnginesRepeatedly(t, s.run)
}

func TestOpenOrder_PriceChangedFaultAtEachStep(t *testing.T) {
	s := &scenario{
		prepare: func(t *testing.T, w faultRun) {
			w.order(t, w.Person(t, "buyer-"+w.id, learning.Student), w.Course(t, w.id, 499_00))
			w.setPrice(t, w.id, 399_00)
		},
		do: func(t *testing.T, w faultRun) error {
			_, err := w.Platform.OpenOrder(ctx(), learning.Actor{UserID: "buyer-" + w.id},
				learning.OrderRequest{CourseID: w.id})
			return err
		},
		check:  func(t *testing.T, w faultRun) { w.wantSold(t, w.id, 0, 0, 1) },
		stages: true, // what is given up need not be taken back
		steps:  []string{"lock a user", "update a purchase", "insert a purchase"},
	}
	onEnginesRepeatedly(t, s.run)
}

func TestCompletePurchase_FaultAtEachStep(t *testing.T) {
	ways := map[string]func(w *fixture, buyer learning.Actor, o learning.Order) error{
		"proof": func(w *fixture, buyer learning.Actor, o learning.Order) error {
			return w.Platform.VerifyPayment(ctx(), buyer, w.proof(o.OrderID, "pay_"+o.OrderID))
		},
		"webhook": func(w *fixture, _ learning.Actor, o learning.Order) error {
			return w.Platform.System().CapturePayment(ctx(), capturedPayment(o, "pay_"+o.OrderID))
		},
	}
	for name, complete := range ways {
		t.Run(name, func(t *testing.T) {
			orders := map[string]learning.Order{}
			s := &scenario{
				prepare: func(t *testing.T, w faultRun) {
					orders[w.id] = w.order(t, w.Person(t, "buyer-"+w.id, learning.Student),
						w.Course(t, w.id, 499_00))
				},
				do: func(t *testing.T, w faultRun) error {
					return complete(w.fixture, learning.Actor{UserID: "buyer-" + w.id},
						orders[w.id])
				},
				check: func(t *testing.T, w faultRun) {
					w.wantSold(t, w.id, 1, 1,
						0)
					w.wantLogged(t, "double payment", 0)
				},
				steps: []string{"list the purchases of an order", "lock a user",
					"read the state of a purchase", "update a purchase", "count an enrolment",
					"insert an enrolment"},
			}
			onEnginesRepeatedly(t, s.run)
		})
	}
}

func TestFreeCourse_FaultAtEachStep(t *testing.T) {
	s := &scenario{
		prepare: func(t *testing.T, w faultRun) {
			w.Course(t, w.id, 0)
			w.Person(t, "buyer-"+w.id,
				learning.Student)
		},
		do: func(t *testing.T, w faultRun) error {
			_, err := w.Platform.OpenOrder(ctx(), learning.Actor{UserID: "buyer-" + w.id},
				learning.OrderRequest{CourseID: w.id})
			if w.lost && errors.Is(err, learning.ErrAlreadyEnrolled) {
				return nil // the student is enrolled by an earlier try
			}
			return err
		},
		check: func(t *testing.T, w faultRun) { w.wantSold(t, w.id, 1, 1, 0) },
		steps: []string{"insert a purchase", "count an enrolment", "insert an enrolment"},
	}
	onEnginesRepeatedly(t, s.run)
}

func TestReconcile_FaultAtEachStep(t *testing.T) {
	s := &scenario{
		prepare: func(t *testing.T, w faultRun) {
			w.pay(t, w.order(t, w.Person(t, "buyer-"+w.id, learning.Student),
				w.Course(t, w.id, 499_00)).OrderID)
			w.Clock.Advance(time.Hour)
		},
		do: func(t *testing.T, w faultRun) error {
			_, err := w.Platform.System().ReconcilePurchases(ctx())
			return err
		},
		check: func(t *testing.T, w faultRun) { w.wantSold(t, w.id, 1, 1, 0) },
		steps: []string{"lock a user", "read the state of a purchase", "update a purchase",
			"count an enrolment", "insert an enrolment"},
		leaves: []string{"sweeps"},
	}
	onEnginesRepeatedly(t, s.run)
}

func TestApplyIdentityEvent_FaultAtEachStep(t *testing.T) {
	of := func(w faultRun, kind string) learning.IdentityEvent {
		e := event(kind, 5)
		e.User.ID = w.id
		return e
	}
	role := func(e learning.IdentityEvent) learning.IdentityEvent {
		return withRole(e,
			learning.Educator)
	}
	for name, tt := range map[string]struct {
		before, event func(w faultRun) learning.IdentityEvent
		users         string // selects the record that must exist at the end
		steps         []string
	}{
		"created": {nil,
			func(w faultRun) learning.IdentityEvent { return role(of(w, learning.UserCreated)) },
			"name = 'Ada 5' AND deleted_at IS NULL",
			[]string{"insert a role", "insert a user", "mark an educator's courses as changed"}},
		"updated": {func(w faultRun) learning.IdentityEvent {
			return role(of(w,
				learning.UserCreated))
		}, func(w faultRun) learning.IdentityEvent { return role(of(w, learning.UserUpdated)) },
			"name = 'Ada 5' AND deleted_at IS NULL",
			[]string{"update a role", "update a user", "mark an educator's courses as changed"}},
		"deleted": {func(w faultRun) learning.IdentityEvent {
			return role(of(w,
				learning.UserCreated))
		}, func(w faultRun) learning.IdentityEvent { return of(w, learning.UserDeleted) },
			"name = '' AND deleted_at IS NOT NULL",
			[]string{"delete an application", "delete the chats of a user",
				"delete the chatMessages of a user", "delete a role", "scrub a user",
				"mark an educator's courses as changed"}},
		"deleted before it came": {nil,
			func(w faultRun) learning.IdentityEvent { return of(w, learning.UserDeleted) },
			"name = '' AND deleted_at IS NOT NULL", []string{"delete a role", "insert a user"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := &scenario{
				prepare: func(t *testing.T, w faultRun) {
					if tt.before != nil {
						w.apply(t, tt.before(w))
					}
				},
				do: func(t *testing.T, w faultRun) error {
					return w.Platform.System().ApplyIdentityEvent(ctx(), tt.event(w))
				},
				check: func(t *testing.T, w faultRun) {
					if n := w.count(t, "users WHERE id = ? AND "+tt.users, w.id); n != 1 {
						t.Errorf("%d records", n)
					}
				},
				steps: append(tt.steps, "read the account state of a user"),
			}
			onEnginesRepeatedly(t, s.run)
		})
	}
}

func TestAddCourse_FaultAtEachStep(t *testing.T) {
	var s scenario
	s = scenario{
		prepare: func(*testing.T, faultRun) {},
		do: func(t *testing.T, w faultRun) error {
			_, err := w.Platform.AddCourse(ctx(),
				learning.Actor{UserID: "educator", Role: learning.Educator}, newCourse(w.id),
				learningtest.Thumbnail(t))
			if w.lost && errors.Is(err, learning.ErrDuplicate) {
				return nil // an earlier try has stored the course under the caller's id
			}
			return err
		},
		check: func(t *testing.T, w faultRun) {
			if n := w.count(t, "courses WHERE id = ?", w.id); n != 1 {
				t.Errorf("%d courses", n)
			}
			s.media.wantInUse(t, w.fixture)
		},
		steps: []string{"insert a course"},
	}
	onEnginesRepeatedly(t, s.run)
}
