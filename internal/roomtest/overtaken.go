package roomtest

import (
	"context"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
)

// Overtaken behaves like an engine that locks no rows before COMMIT. For the first Left
// transactions, another one replaces the rating, or takes the AI slot, between the read and
// the write.
type Overtaken struct {
	learning.Store
	Left int
}

// InTx runs fn in a transaction that another one overtakes.
func (o *Overtaken) InTx(ctx context.Context, fn func(tx learning.Tx) error) error {
	return o.Store.InTx(ctx, func(tx learning.Tx) error { return fn(overtakenTx{tx, o}) })
}

type overtakenTx struct {
	learning.Tx
	by *Overtaken
}

// ReplaceRating reports that another transaction has replaced the rating.
func (t overtakenTx) ReplaceRating(ctx context.Context, r community.Rating, old int) (bool, error) {
	if t.by.Left > 0 {
		t.by.Left--
		return false, nil
	}
	return t.Tx.ReplaceRating(ctx, r, old)
}

// InsertLease fails as if another transaction had taken the slot.
func (t overtakenTx) InsertLease(ctx context.Context, l core.Lease) error {
	if t.by.Left > 0 {
		t.by.Left--
		return core.ErrDuplicate
	}
	return t.Tx.InsertLease(ctx, l)
}
