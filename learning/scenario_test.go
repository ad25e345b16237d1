package learning_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// faultRun is one run of an operation with a fault in the store.
type faultRun struct {
	*fixture
	id   string // new in each run, for the user, the course and other records
	step string // the step that failed
	lost bool   // whether the step took effect and only its answer was lost
}

// scenario runs an operation repeatedly, with a fault at each of its steps in turn.
type scenario struct {
	prepare func(t *testing.T, w faultRun)       // runs before the fault
	do      func(t *testing.T, w faultRun) error // runs with the fault, and then again without it
	check   func(t *testing.T, w faultRun)       // runs at the end
	steps   []string                             // steps at which a fault must have happened
	// whether a part of the operation may take effect and stay
	stages  bool
	media   memoryMedia
	options []learning.Option
	leaves  []string // tables that may change although the operation failed
}

// run makes the operation fail at its first step, then at its second, until there are no
// more steps. A run without effect must leave no rows except a lease, and a repetition
// must succeed.
func (s *scenario) run(t *testing.T, database string) {
	store := &faultyStore{}
	s.media.files = nil
	w := newFixture(t, database, withFaultyStore(store),
		learningtest.WithPlatform(append(s.options, learning.WithMedia(&s.media))...))
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
			w.Clock.Advance(time.Minute) // after every lease has expired
			if err := s.do(t, run); err != nil {
				t.Errorf("repetition: %v", err)
			}
			s.check(t, run)
		})
	}
	t.Logf("it broke at %v", steps)
	for _, step := range append(s.steps, "COMMIT", lostAnswer) {
		if !slices.Contains(steps, step) {
			t.Errorf("there was no fault at %s", step)
		}
	}
}

// ignored returns the tables that may change although the operation failed.
func (s *scenario) ignored() []string {
	if s.stages {
		return []string{"purchases", "completed_lectures"}
	}
	return s.leaves
}

// wantUndone checks that a failed operation has left no changes.
func (w faultRun) wantUndone(t *testing.T, before []string, err error, ignored []string) {
	t.Helper()
	if public, ok := errors.AsType[*learning.Error](err); ok {
		t.Errorf("the error of a failing database is %v", public)
	}
	if w.lost && errors.Is(err, errInjected) {
		t.Errorf("the transaction took effect, and the error is %v", err)
	}
	if err == nil || w.lost {
		return
	}
	if diff := cmp.Diff(withoutLeases(before), withoutLeases(w.dump(t, ignored...))); diff != "" {
		t.Errorf("after %v the rows differ: %s", err, diff)
	}
}
