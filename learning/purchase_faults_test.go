package learning_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// faultRun is one run of an operation with a fault in the store.
type faultRun struct {
	*fixture
	id   string // new for each run: of the person, the course, …
	step string // what broke
	lost bool   // whether it had taken effect
}

// scenario runs an operation repeatedly, with a fault at each of its steps in turn.
type scenario struct {
	prepare func(t *testing.T, w faultRun)       // before anything breaks
	do      func(t *testing.T, w faultRun) error // what breaks, and is then done again
	check   func(t *testing.T, w faultRun)       // afterwards
	steps   []string                             // that must be among those that broke
	stages  bool                                 // a part of the purchase, or the lecture, may be done and stay
	media   memoryMedia
	options []learning.Option
	leaves  []string // tables that may change though it failed
}

// run makes the operation fail at its first step, then at its second, until there are no
// more steps. A run without effect must leave no rows except a lease, and a repetition
// must succeed.
func (s *scenario) run(t *testing.T, database string) {
	store := &faultyStore{}
	s.media.files = nil
	w := newFixture(t, database, withFaultyStore(store), learningtest.WithPlatform(append(s.options, learning.WithMedia(&s.media))...))
	var steps []string
	for n := 1; ; n++ {
		run := faultRun{fixture: w, id: fmt.Sprintf("run-%d", n)}
		s.prepare(t, run)
		before := w.dump(t, s.ignored()...)
		store.failAt(n)
		err := s.do(t, run)
		run.step = store.disarm()
		if run.step == "" {
			break
		}
		run.lost = run.step == lostAnswer
		steps = append(steps, run.step)
		t.Run(fmt.Sprintf("%d %s", n, run.step), func(t *testing.T) {
			run.wantUndone(t, before, err, s.ignored())
			w.Clock.Advance(time.Minute) // past any lease
			if err := s.do(t, run); err != nil {
				t.Errorf("again: %v", err)
			}
			s.check(t, run)
		})
	}
	t.Logf("it broke at %v", steps)
	for _, step := range append(s.steps, "COMMIT", lostAnswer) {
		if !slices.Contains(steps, step) {
			t.Errorf("it was never broken at %s", step)
		}
	}
}

// ignored are the tables that may change though the use case failed.
func (s *scenario) ignored() []string {
	if s.stages {
		return []string{"purchases", "completed_lectures"}
	}
	return s.leaves
}

// wantUndone checks what a failure left behind.
func (w faultRun) wantUndone(t *testing.T, before []string, err error, ignored []string) {
	t.Helper()
	if public, ok := errors.AsType[*learning.Error](err); ok {
		t.Errorf("a broken database is answered as %v", public)
	}
	if err == nil || w.lost {
		return // it took effect
	}
	if diff := cmp.Diff(withoutClaims(before), withoutClaims(w.dump(t, ignored...))); diff != "" {
		t.Errorf("%v left something behind: %s", err, diff)
	}
}

// claimed is what a claim writes into the row of an application.
var claimed = regexp.MustCompile(` (holder|lease_until|previous_role)="[^"]*"`)

func withoutClaims(dump []string) []string {
	lines := slices.DeleteFunc(slices.Clone(dump), func(line string) bool { return strings.Contains(line, `status="created"`) })
	for i := range lines {
		lines[i] = claimed.ReplaceAllString(lines[i], "")
	}
	return lines
}

func ctx() context.Context { return context.Background() }

func TestOpeningAnOrderSurvivesABrokenDatabaseAtEachStep(t *testing.T) {
	s := &scenario{
		prepare: func(t *testing.T, w faultRun) {
			w.Course(t, w.id, 499_00)
			w.Person(t, "buyer-"+w.id, learning.Student)
		},
		do: func(t *testing.T, w faultRun) error {
			o, err := w.Platform.OpenOrder(ctx(), learning.Actor{UserID: "buyer-" + w.id}, w.id)
			if err == nil && w.count(t, "purchases WHERE id = ? AND order_id = ?", o.PurchaseID, o.OrderID) != 1 {
				t.Errorf("the answer %+v was not stored", o)
			}
			return err
		},
		check: func(t *testing.T, w faultRun) { w.wantSold(t, w.id, 0, 0, 1) },
		steps: []string{"InsertPurchase", "SetPurchaseOrder"},
	}
	onEngines(t, s.run)
}

// TestOpenOrder_DatabaseFailsOnce: whatever fails, no claim stays that the next
// attempt would have to wait for.
func TestOpenOrder_DatabaseFailsOnce(t *testing.T) {
	for _, step := range []string{"InsertPurchase", "SetPurchaseOrder", "COMMIT", lostAnswer} {
		t.Run(step, func(t *testing.T) {
			onEngines(t, func(t *testing.T, database string) {
				store := &faultyStore{}
				w := newFixture(t, database, withFaultyStore(store))
				for n := 1; ; n++ {
					course := w.Course(t, fmt.Sprint("go-", n), 499_00)
					ada := w.Person(t, fmt.Sprint("ada-", n), learning.Student)
					store.failAt(n)
					_, err := w.Platform.OpenOrder(ctx(), ada, course)
					broken := store.disarm()
					if broken == "" {
						break
					}
					if broken != step {
						continue
					}
					if err == nil {
						t.Errorf("no error though %s failed", step)
					}
					if n := w.count(t, "purchases WHERE course_id = ? AND order_id IS NULL", course); n != 0 {
						t.Errorf("a claim stays behind: %v", err)
					}
					w.order(t, ada, course) // without waiting: the clock stands still
				}
			})
		})
	}
}

// The order is at the gateway, so the error must name it.
func TestOpenOrder_OrderThatCannotBeStoredIsNamedInTheError(t *testing.T) {
	store := &faultyStore{}
	w := newFixture(t, "sqlite:"+filepath.Join(t.TempDir(), "learning.db"), withFaultyStore(store))
	course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", learning.Student)
	w.Sandbox.Gateway().OnOrder(func(sandbox.Order) { store.failAt(1) })
	_, err := w.Platform.OpenOrder(ctx(), ada, course)
	made := w.Sandbox.Gateway().Orders()
	if len(made) != 1 || err == nil || !errors.Is(err, errInjected) || !strings.Contains(err.Error(), made[0].ID) || !strings.Contains(err.Error(), made[0].Receipt) {
		t.Errorf("%v does not name %+v", err, made)
	}
	if n := w.count(t, "purchases"); n != 0 {
		t.Errorf("%d purchases stay behind", n)
	}
}

func TestTakingOverAClaimSurvivesABrokenDatabaseAtEachStep(t *testing.T) {
	s := &scenario{
		prepare: func(t *testing.T, w faultRun) {
			w.abandoned(t, w.Person(t, "buyer-"+w.id, learning.Student), w.Course(t, w.id, 499_00), 499_00)
			w.Clock.Advance(lease)
		},
		do: func(t *testing.T, w faultRun) error {
			_, err := w.Platform.OpenOrder(ctx(), learning.Actor{UserID: "buyer-" + w.id}, w.id)
			return err
		},
		check: func(t *testing.T, w faultRun) { w.wantSold(t, w.id, 0, 0, 1) },
		steps: []string{"TakeOverPurchase", "SetPurchaseOrder"},
	}
	onEngines(t, s.run)
}

func TestGivingUpAnOldPriceSurvivesABrokenDatabaseAtEachStep(t *testing.T) {
	s := &scenario{
		prepare: func(t *testing.T, w faultRun) {
			w.order(t, w.Person(t, "buyer-"+w.id, learning.Student), w.Course(t, w.id, 499_00))
			w.setPrice(t, w.id, 399_00)
		},
		do: func(t *testing.T, w faultRun) error {
			_, err := w.Platform.OpenOrder(ctx(), learning.Actor{UserID: "buyer-" + w.id}, w.id)
			return err
		},
		check:  func(t *testing.T, w faultRun) { w.wantSold(t, w.id, 0, 0, 1) },
		stages: true, // what is given up need not be taken back
		steps:  []string{"FailPurchase", "InsertPurchase", "SetPurchaseOrder"},
	}
	onEngines(t, s.run)
}

func TestCompletingAPurchaseSurvivesABrokenDatabaseAtEachStep(t *testing.T) {
	ways := map[string]func(w *fixture, buyer learning.Actor, o learning.Order) error{
		"proof": func(w *fixture, buyer learning.Actor, o learning.Order) error {
			return w.Platform.VerifyPayment(ctx(), buyer, w.proof(o.OrderID, "pay_"+o.OrderID))
		},
		"webhook": func(w *fixture, _ learning.Actor, o learning.Order) error {
			return w.Platform.CapturePayment(ctx(), capturedPayment(o, "pay_"+o.OrderID))
		},
	}
	for name, complete := range ways {
		t.Run(name, func(t *testing.T) {
			orders := map[string]learning.Order{}
			s := &scenario{
				prepare: func(t *testing.T, w faultRun) {
					orders[w.id] = w.order(t, w.Person(t, "buyer-"+w.id, learning.Student), w.Course(t, w.id, 499_00))
				},
				do: func(t *testing.T, w faultRun) error {
					return complete(w.fixture, learning.Actor{UserID: "buyer-" + w.id}, orders[w.id])
				},
				check: func(t *testing.T, w faultRun) { w.wantSold(t, w.id, 1, 1, 0); w.wantLogged(t, "double payment", 0) },
				steps: []string{"PurchasesByOrder", "CompletePurchase", "IncrementEnrollments", "InsertEnrollment"},
			}
			onEngines(t, s.run)
		})
	}
}

func TestAFreeCourseSurvivesABrokenDatabaseAtEachStep(t *testing.T) {
	s := &scenario{
		prepare: func(t *testing.T, w faultRun) { w.Course(t, w.id, 0); w.Person(t, "buyer-"+w.id, learning.Student) },
		do: func(t *testing.T, w faultRun) error {
			_, err := w.Platform.OpenOrder(ctx(), learning.Actor{UserID: "buyer-" + w.id}, w.id)
			if w.lost && errors.Is(err, learning.ErrAlreadyEnrolled) {
				return nil // as it is
			}
			return err
		},
		check: func(t *testing.T, w faultRun) { w.wantSold(t, w.id, 1, 1, 0) },
		steps: []string{"InsertPurchase", "IncrementEnrollments", "InsertEnrollment"},
	}
	onEngines(t, s.run)
}

func TestReconcilingSurvivesABrokenDatabaseAtEachStep(t *testing.T) {
	s := &scenario{
		prepare: func(t *testing.T, w faultRun) {
			w.pay(t, w.order(t, w.Person(t, "buyer-"+w.id, learning.Student), w.Course(t, w.id, 499_00)).OrderID)
			w.Clock.Advance(time.Hour)
		},
		do: func(t *testing.T, w faultRun) error {
			_, err := w.Platform.ReconcilePurchases(ctx())
			return err
		},
		check: func(t *testing.T, w faultRun) { w.wantSold(t, w.id, 1, 1, 0) },
		steps: []string{"CompletePurchase", "IncrementEnrollments", "InsertEnrollment"},
	}
	onEngines(t, s.run)
}

func TestAnIdentityEventSurvivesABrokenDatabaseAtEachStep(t *testing.T) {
	of := func(w faultRun, kind string) learning.IdentityEvent {
		e := event(kind, 5)
		e.User.ID = w.id
		return e
	}
	role := func(e learning.IdentityEvent) learning.IdentityEvent { return withRole(e, learning.Educator) }
	for name, tt := range map[string]struct {
		before, event func(w faultRun) learning.IdentityEvent
		users         string // the record that must be there afterwards
		steps         []string
	}{
		"created": {nil, func(w faultRun) learning.IdentityEvent { return role(of(w, learning.UserCreated)) },
			"name = 'Ada 5' AND deleted_at IS NULL", []string{"InsertRole", "InsertUser", "MarkCoursesChanged"}},
		"updated": {func(w faultRun) learning.IdentityEvent { return role(of(w, learning.UserCreated)) }, func(w faultRun) learning.IdentityEvent { return role(of(w, learning.UserUpdated)) },
			"name = 'Ada 5' AND deleted_at IS NULL", []string{"UpdateRole", "UpdateUser", "MarkCoursesChanged"}},
		"deleted": {func(w faultRun) learning.IdentityEvent { return role(of(w, learning.UserCreated)) }, func(w faultRun) learning.IdentityEvent { return of(w, learning.UserDeleted) },
			"name = '' AND deleted_at IS NOT NULL", []string{"DeleteApplication", "DeleteChats", "DeleteAllChatMessages", "DeleteRole", "ScrubUser", "MarkCoursesChanged"}},
		"deleted before it came": {nil, func(w faultRun) learning.IdentityEvent { return of(w, learning.UserDeleted) },
			"name = '' AND deleted_at IS NOT NULL", []string{"DeleteRole", "InsertUser"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := &scenario{
				prepare: func(t *testing.T, w faultRun) {
					if tt.before != nil {
						w.apply(t, tt.before(w))
					}
				},
				do: func(t *testing.T, w faultRun) error { return w.Platform.ApplyIdentityEvent(ctx(), tt.event(w)) },
				check: func(t *testing.T, w faultRun) {
					if n := w.count(t, "users WHERE id = ? AND "+tt.users, w.id); n != 1 {
						t.Errorf("%d records", n)
					}
				},
				steps: append(tt.steps, "AccountState"),
			}
			onEngines(t, s.run)
		})
	}
}

func TestAddingACourseSurvivesABrokenDatabaseAtEachStep(t *testing.T) {
	var s scenario
	s = scenario{
		prepare: func(*testing.T, faultRun) {},
		do: func(t *testing.T, w faultRun) error {
			_, err := w.Platform.AddCourse(ctx(), learning.Actor{UserID: "educator", Role: learning.Educator}, newCourse(w.id), learningtest.Thumbnail(t))
			if w.lost && errors.Is(err, learning.ErrDuplicate) {
				return nil // the id is that of the caller, and taken
			}
			return err
		},
		check: func(t *testing.T, w faultRun) {
			if n := w.count(t, "courses WHERE id = ?", w.id); n != 1 {
				t.Errorf("%d courses", n)
			}
			s.media.wantInUse(t, w.fixture)
		},
		steps: []string{"InsertCourse"},
	}
	onEngines(t, s.run)
}
