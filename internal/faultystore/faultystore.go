// Package faultystore makes a store fail, for tests of what happens if the database fails.
package faultystore

import (
	"context"

	"github.com/openlectern/openlectern/learning"
)

// With returns a store with the connections of s, which must be one of package store, that calls
// inject before each of its steps. If inject returns an error, the step fails with it. inject must be
// safe for concurrent use. It may wait, or use other stores.
//
// A step is a statement, with the description that its errors begin with, such as "insert
// a purchase". The other steps are "begin a transaction", "COMMIT", and "answer to COMMIT",
// which comes after the transaction has taken effect: an error there means that the answer
// is lost. Ping has no steps.
//
// Package store sets With, so that its exported API does not have it.
var With func(s learning.Store, inject func(ctx context.Context, step string) error) learning.Store
