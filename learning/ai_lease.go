package learning

import (
	"context"
	"errors"
	"slices"
	"time"
)

// AILease is the right to call the AI, in all instances: one of the slots of a name.
// Its holder releases it. If the holder cannot, because its process died, it ends at
// LeaseUntil.
type AILease struct {
	Name       string // the calls of a user, or a record that is created once
	Slot       int    // from 0
	Holder     string
	LeaseUntil time.Time
}

// errNoFreeSlot means that all slots of a name have a holder.
var errNoFreeSlot = errors.New("learning: no slot is free")

// takeAILease takes one of the slots of a name. It returns errNoFreeSlot if all of them
// have a holder.
func (p *Platform) takeAILease(ctx context.Context, name string, slots int) (lease AILease, err error) {
	err = p.inTxRetry(ctx, func(tx Tx) (err error) {
		lease, err = p.takeFreeSlot(ctx, tx, name, slots)
		return err
	})
	if errors.Is(err, ErrDuplicate) { // another call took the slot at each try
		err = errNoFreeSlot
	}
	return lease, err
}

// takeFreeSlot takes the first free slot. It must run inside [Platform.inTxAgain].
func (p *Platform) takeFreeSlot(ctx context.Context, tx Tx, name string, slots int) (AILease, error) {
	taken, err := tx.AILeases(ctx, name)
	if err != nil {
		return AILease{}, err
	}
	now := p.now()
	slot, oldHolder, ok := freeSlot(taken, slots, now)
	if !ok {
		return AILease{}, errNoFreeSlot
	}
	lease := AILease{Name: name, Slot: slot, Holder: p.newID(), LeaseUntil: now.Add(p.aiTimeout + leaseMargin)}
	if oldHolder == "" {
		return lease, tx.InsertAILease(ctx, lease)
	}
	won, err := tx.TakeOverAILease(ctx, lease, oldHolder, now)
	if err == nil && !won {
		err = ErrDuplicate // another call took it over: try again
	}
	return lease, err
}

// freeSlot returns the first slot that has no holder, or whose lease has expired. Of an
// expired lease it returns the holder, too. ok is false if there is no such slot.
func freeSlot(taken []AILease, slots int, now time.Time) (slot int, oldHolder string, ok bool) {
	for slot := range slots {
		i := slices.IndexFunc(taken, func(c AILease) bool { return c.Slot == slot })
		if i < 0 {
			return slot, "", true
		}
		if !now.Before(taken[i].LeaseUntil) {
			return slot, taken[i].Holder, true
		}
	}
	return 0, "", false
}

// releaseAI releases a lease, also if ctx is done. It calls and in the same
// transaction. If the transaction fails, the lease ends when it expires.
func (p *Platform) releaseAI(ctx context.Context, c AILease, and func(ctx context.Context, tx Tx) error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaseMargin)
	defer cancel()
	err := p.inTxRetry(ctx, func(tx Tx) error {
		if err := and(ctx, tx); err != nil {
			return err
		}
		_, err := tx.DeleteAILease(ctx, c)
		return err
	})
	if err != nil {
		p.log.ErrorContext(ctx, "release an AI lease", "lease", c.Name, "error", err)
	}
}

// AIReader reads the leases of the AI and its usage.
type AIReader interface {
	// AILeases lists the leases of a name by slot, including expired ones.
	AILeases(ctx context.Context, name string) ([]AILease, error)
	// AIUsageOf reads the usage of a user on a day.
	AIUsageOf(ctx context.Context, userID, day string) (AIUsage, error)
	// AISpentBy sums the usage of a user on a day and the user's reservations of the
	// day whose leases have expired at a time. Those are reservations of calls that did
	// not end properly.
	AISpentBy(ctx context.Context, userID, day string, at time.Time) (int64, error)
	// AISpent is AISpentBy for all users together.
	AISpent(ctx context.Context, day string, at time.Time) (int64, error)
}

// AIWriter writes the leases of the AI and its usage.
type AIWriter interface {
	// InsertAILease takes a slot that has no holder. It returns [ErrDuplicate] if the
	// slot has one.
	InsertAILease(ctx context.Context, c AILease) error
	// TakeOverAILease gives a lease that had expired at a time to the holder of c,
	// until the LeaseUntil of c. It reports false if oldHolder does not hold it any
	// more.
	TakeOverAILease(ctx context.Context, c AILease, oldHolder string, at time.Time) (bool, error)
	// DeleteAILease releases a slot. It reports false if the holder of c does not hold
	// it any more.
	DeleteAILease(ctx context.Context, c AILease) (bool, error)
	// InsertAIUsage stores the first usage of a user on a day. It returns
	// [ErrDuplicate] if there is one.
	InsertAIUsage(ctx context.Context, userID, day string, u AIUsage) error
	// AddAIUsage adds to the usage of a user on a day. It reports false if there is
	// none.
	AddAIUsage(ctx context.Context, userID, day string, u AIUsage) (bool, error)
	// InsertAIReservation adds a reservation.
	InsertAIReservation(ctx context.Context, r AIReservation) error
	// DeleteAIReservation removes a reservation. It reports whether there was one.
	DeleteAIReservation(ctx context.Context, r AIReservation) (bool, error)
}
