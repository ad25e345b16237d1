package learning

import (
	"context"

	"github.com/openlectern/openlectern/internal/lease"
)

// Lease is an exclusive right of a holder, in all instances, until it expires: to open
// an order, to review an application, to call the AI. It has a Name, a Holder, which is
// an id that differs for each lease that was ever taken, and the time ExpiresAt.
type Lease = lease.Lease

// leaseStore is a [Store] for package lease.
type leaseStore struct{ Store }

// InTx runs fn in a transaction of the store: a [Tx] has all that a lease.Tx needs.
func (s leaseStore) InTx(ctx context.Context, fn func(lease.Tx) error) error {
	return s.Store.InTx(ctx, func(tx Tx) error { return fn(tx) })
}
