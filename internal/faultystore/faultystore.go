// Package faultystore makes a store fail, for tests of what happens if the database fails.
package faultystore

import (
	"context"

	"github.com/openlectern/openlectern/learning"
)

// Faults makes steps of a store fail. Only this module can name the type, so only its tests can
// call the method of the store that takes one.
type Faults struct {
	// Inject is called before each step. If it returns an error, the step fails with it. It must
	// be safe for concurrent use. It may wait, or use other stores.
	//
	// A step is a statement, with the description that its errors begin with, such as "insert
	// a purchase". The other steps are "begin a transaction", "COMMIT", and "answer to COMMIT",
	// which comes after the transaction has taken effect: an error there means that the answer
	// is lost. Ping has no steps.
	Inject func(ctx context.Context, step string) error
}

// With returns a store with the connections of s whose steps fail as [Faults] says. It panics if s
// is not a store of package store.
func With(s learning.Store, inject func(ctx context.Context, step string) error) learning.Store {
	return s.(interface{ WithFaults(Faults) learning.Store }).WithFaults(Faults{Inject: inject})
}
