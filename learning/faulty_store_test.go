package learning_test

import (
	"context"
	"errors"
	"sync"

	"github.com/openlectern/openlectern/internal/faultystore"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/learningtest"
)

var errInjected = errors.New("broken on purpose")

// lostAnswer is the step of a COMMIT that takes effect and is not answered.
const lostAnswer = "answer to COMMIT"

// faultyStore makes the store of a kit fail once, at a chosen step. The steps and their
// names are those of [faultystore.With].
type faultyStore struct {
	mu     sync.Mutex
	left   int    // steps until one fails; 0 if none will
	only   string // the only step that counts; "" for all
	failed string // the step that failed; "" if none has
	steps  int    // all steps up to now

	beforeCommit, afterFault func() // called then, unless nil
}

// withFaultyStore makes a kit use a faultyStore.
func withFaultyStore(f *faultyStore) learningtest.Option {
	return learningtest.WithStore(func(s learning.Store) learning.Store {
		return faultystore.With(s,
			f.step)
	})
}

// failAt makes the n-th step from now fail.
func (f *faultyStore) failAt(n int) { f.arm(n, "") }

// failOn makes the next step with a name fail.
func (f *faultyStore) failOn(step string) { f.arm(1, step) }

func (f *faultyStore) arm(n int, only string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.left = n
	f.only = only
	f.failed = ""
}

// disarm cancels a pending fault. It returns the step that failed, or "".
func (f *faultyStore) disarm() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.left = 0
	return f.failed
}

// count returns how many steps there were up to now.
func (f *faultyStore) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.steps
}

func (f *faultyStore) step(_ context.Context, name string) error {
	if name == "COMMIT" && f.beforeCommit != nil {
		f.beforeCommit()
	}
	if !f.fails(name) {
		return nil
	}
	if f.afterFault != nil {
		f.afterFault()
	}
	return errInjected
}

func (f *faultyStore) fails(name string) bool {
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
