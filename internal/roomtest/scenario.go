package roomtest

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// FaultRun is one run of an operation with a fault in the store.
type FaultRun struct {
	*World
	ID   string // new in each run, for the user, the course and other records
	Step string // the step that failed
	Lost bool   // whether the step took effect and only its answer was lost
}

// Scenario runs an operation repeatedly, with a fault at each of its steps in turn.
type Scenario struct {
	Prepare func(t *testing.T, w FaultRun)       // runs before the fault
	Do      func(t *testing.T, w FaultRun) error // runs with the fault, and then again without it
	Check   func(t *testing.T, w FaultRun)       // runs at the end
	Steps   []string                             // steps at which a fault must have happened
	// whether a part of the operation may take effect and stay
	Stages  bool
	Media   MemoryMedia
	Options []learning.Option
	Leaves  []string // tables that may change although the operation failed
}

// Run makes the operation fail at its first step, then at its second, until there are no
// more steps. A run without effect must leave no rows except a lease, and a repetition
// must succeed. A plain go test takes the steps at which a fault must have happened, the first of
// each name.
func (s *Scenario) Run(t *testing.T, database string) {
	s.RunIn(t, In(t, database))
}

// RunIn is Run in a world of a provider: see [AtTillsRepeatedly].
func (s *Scenario) RunIn(t *testing.T, newWorld NewWorld) {
	store := &FaultyStore{}
	s.Media.Files = nil
	w := newWorld(WithFaultyStore(store),
		learningtest.WithPlatform(append(s.Options, learning.WithMedia(&s.Media))...))
	wanted := append(slices.Clone(s.Steps), "COMMIT", LostAnswer)
	onlyWanted := enginetest.Samples(t)
	var steps []string
	for n := 1; !onlyWanted || n <= len(wanted); n++ {
		run := FaultRun{World: w, ID: fmt.Sprintf("run-%d", n)}
		s.Prepare(t, run)
		before := w.Dump(t, s.ignored()...)
		if onlyWanted {
			store.FailOn(wanted[n-1])
		} else {
			store.FailAt(n)
		}
		err := s.Do(t, run)
		run.Step = store.Disarm()
		if run.Step == "" {
			break
		}
		run.Lost = run.Step == LostAnswer
		steps = append(steps, run.Step)
		t.Run(fmt.Sprintf("%d %s", n, run.Step), func(t *testing.T) {
			run.wantUndone(t, before, err, s.ignored())
			w.Clock.Advance(time.Minute) // after every lease has expired
			if err := s.Do(t, run); err != nil {
				t.Errorf("repetition: %v", err)
			}
			s.Check(t, run)
		})
	}
	t.Logf("it broke at %v", steps)
	for _, step := range wanted {
		if !slices.Contains(steps, step) {
			t.Errorf("there was no fault at %s", step)
		}
	}
}

// ignored returns the tables that may change although the operation failed.
func (s *Scenario) ignored() []string {
	if s.Stages {
		return append([]string{"purchases", "completed_lectures"}, s.Leaves...)
	}
	return s.Leaves
}

// wantUndone checks that a failed operation has left no changes.
func (w FaultRun) wantUndone(t *testing.T, before []string, err error, ignored []string) {
	t.Helper()
	if public, ok := errors.AsType[*core.Error](err); ok {
		t.Errorf("the error of a failing database is %v", public)
	}
	if w.Lost && errors.Is(err, ErrInjected) {
		t.Errorf("the transaction took effect, and the error is %v", err)
	}
	if err == nil || w.Lost {
		return
	}
	if diff := cmp.Diff(withoutLeases(before), withoutLeases(w.Dump(t, ignored...))); diff != "" {
		t.Errorf("after %v the rows differ: %s", err, diff)
	}
}
