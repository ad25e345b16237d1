// Package faultystore makes a store fail, for tests of what happens if the database fails. Package
// store registers how, so that its own page has nothing of it.
package faultystore

import (
	"context"

	"github.com/openlectern/openlectern/learning"
)

// Inject is called before each step of a store. If it returns an error, the step fails with it. It
// must be safe for concurrent use. It may wait, or use other stores.
//
// A step is a statement, with the description that its errors begin with, such as "insert
// a purchase". The other steps are "begin a transaction", "COMMIT", and "answer to COMMIT",
// which comes after the transaction has taken effect: an error there means that the answer
// is lost. Ping has no steps.
type Inject = func(ctx context.Context, step string) error

// faulty is what [Register] has set.
var faulty func(s learning.Store, inject Inject) learning.Store

// Register sets the function that returns a failing store with the connections of a store. Package
// store calls it when the program starts.
func Register(f func(s learning.Store, inject Inject) learning.Store) { faulty = f }

// With returns a store with the connections of s whose steps fail as inject says. It panics if s
// is not a store of package store.
func With(s learning.Store, inject Inject) learning.Store { return faulty(s, inject) }
