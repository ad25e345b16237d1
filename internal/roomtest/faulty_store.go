package roomtest

import (
	"context"
	"errors"
	"sync"

	"github.com/openlectern/openlectern/internal/faultystore"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// ErrInjected is the error of a step that a FaultyStore lets fail.
var ErrInjected = errors.New("broken on purpose")

// LostAnswer is the step of a COMMIT that takes effect and is not answered.
const LostAnswer = "answer to COMMIT"

// FaultyStore makes the store of a kit fail once, at a chosen step. The steps and their
// names are those of [faultystore.With].
type FaultyStore struct {
	mu     sync.Mutex
	left   int    // steps until one fails; 0 if none will
	only   string // the only step that counts; "" for all
	failed string // the step that failed; "" if none has
	steps  int    // all steps up to now

	BeforeCommit, AfterFault func() // called then, unless nil
}

// WithFaultyStore makes a kit use a faultyStore.
func WithFaultyStore(f *FaultyStore) learningtest.Option {
	return learningtest.WithStore(func(s learning.Store) learning.Store {
		return faultystore.With(s,
			f.step)
	})
}

// FailAt makes the n-th step from now fail.
func (f *FaultyStore) FailAt(n int) { f.Arm(n, "") }

// FailOn makes the next step with a name fail.
func (f *FaultyStore) FailOn(step string) { f.Arm(1, step) }

// Arm makes the n-th step from now fail, of the steps with a name unless it is "".
func (f *FaultyStore) Arm(n int, only string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.left = n
	f.only = only
	f.failed = ""
}

// Disarm cancels a pending fault. It returns the step that failed, or "".
func (f *FaultyStore) Disarm() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.left = 0
	return f.failed
}

// Count returns how many steps there were up to now.
func (f *FaultyStore) Count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.steps
}

func (f *FaultyStore) step(_ context.Context, name string) error {
	if name == "COMMIT" && f.BeforeCommit != nil {
		f.BeforeCommit()
	}
	if !f.fails(name) {
		return nil
	}
	if f.AfterFault != nil {
		f.AfterFault()
	}
	return ErrInjected
}

func (f *FaultyStore) fails(name string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.steps++
	if f.left == 0 || (f.only != "" && f.only != name) {
		return false
	}
	if f.left--; f.left > 0 {
		return false
	}
	f.failed = name
	return true
}
