package learning

import (
	"context"
	"errors"
	"fmt"

	"github.com/openlectern/openlectern/internal/lease"
)

// aiCall is one call of a user: a request to the provider and, if its answer is
// invalid, a second one.
type aiCall struct {
	*Platform
	userID   string
	slot     Lease // has no name before a slot is taken
	reserved []AIReservation
	used     AIUsage
	answered bool // a part of an answer was received
}

// withAI is the gate of every call to the AI: it runs do while the call has one of the
// user's slots and a reservation of tokens for its first request r. The call is left
// once, also if do panics or the caller cancels ctx. The timeout starts before the slot
// is taken, so that the call ends before its lease does.
func (p *Platform) withAI(ctx context.Context, actor Actor, r AIRequest, do func(ctx context.Context, c *aiCall) error) error {
	if err := actor.Require(); err != nil {
		return err
	}
	if p.ai == nil {
		return ErrAINotConfigured
	}
	ctx, cancel := context.WithTimeout(ctx, p.aiTimeout)
	defer cancel()
	c := &aiCall{Platform: p, userID: actor.UserID}
	defer c.leave(ctx)
	if err := c.enter(ctx, r); err != nil {
		return err
	}
	return do(ctx, c)
}

// enter takes a slot and reserves the tokens of the first request, in one transaction,
// and then checks the budgets. The previous call of the slot has booked its usage in the
// transaction that released the slot, so a budget is exceeded by at most the calls that
// were in flight when it was reached. The budgets are checked after the transaction,
// because the transaction may read an older state.
func (c *aiCall) enter(ctx context.Context, r AIRequest) error {
	err := lease.ErrHeld
	for try := 0; errors.Is(err, lease.ErrHeld) && try < maxSlotTries; try++ {
		err = c.takeSlot(ctx, r)
	}
	switch {
	case errors.Is(err, lease.ErrHeld):
		c.slot = Lease{}
		return &RetryableError{ErrAIBusy, aiBusyRetry}
	case err != nil:
		return fmt.Errorf("take a slot of the AI: %w", err)
	}
	return wrap("check the AI budget", c.checkAIBudget(ctx, c.store, c.userID))
}

// maxSlotTries is how often a call tries to take a slot that was free when it looked. At each try
// another call of the user has taken it.
const maxSlotTries = 5

// takeSlot takes the first slot of the user that is free, and stores the reservation. It returns
// [lease.ErrHeld] if none is free, or if another call has taken it meanwhile.
func (c *aiCall) takeSlot(ctx context.Context, r AIRequest) error {
	// Look for a slot outside the transaction, which begins with the lock of its row.
	slot, old := c.newLease("", c.aiTimeout), Lease{}
	for n := 0; ; n++ {
		if n == maxAICallsPerUser {
			return lease.ErrHeld
		}
		slot.Name = fmt.Sprintf("ai:%s:%d", c.userID, n)
		var err error
		if old, err = c.store.Lease(ctx, slot.Name); err != nil {
			return err
		}
		if old.Expired(c.now()) {
			break
		}
	}

	// Take it. Both are set also on error, because only the answer to COMMIT may be lost.
	c.slot, c.reserved = slot, []AIReservation{c.newReservation(r, slot)}
	err := c.store.InTx(ctx, func(tx Tx) error {
		if err := lease.Acquire(ctx, tx, old, slot, c.now()); err != nil {
			return err
		}
		return tx.InsertAIReservation(ctx, c.reserved[0])
	})
	if errors.Is(err, ErrDuplicate) {
		err = lease.ErrHeld
	}
	return err
}

// reserveMore reserves the tokens of a second request, if the call still has its slot.
func (c *aiCall) reserveMore(ctx context.Context, r AIRequest) error {
	more := c.newReservation(r, c.slot)
	c.reserved = append(c.reserved, more) // also on error, because only the answer to COMMIT may be lost
	err := c.store.InTx(ctx, func(tx Tx) error {
		if err := lease.Hold(ctx, tx, c.slot); err != nil {
			return err
		}
		return tx.InsertAIReservation(ctx, more)
	})
	return wrap("reserve tokens of the AI", err)
}

// leave books the usage of the call and releases its slot, in one transaction, also if
// ctx is done. The usage is booked even if the slot was lost. If the transaction fails,
// the reservations count once the lease has expired.
func (c *aiCall) leave(ctx context.Context) {
	if c.slot.Name == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lease.Margin)
	defer cancel()
	err := c.inTxRetry(ctx, func(tx Tx) error {
		if err := c.book(ctx, tx); err != nil {
			return err
		}
		_, err := tx.ReleaseLease(ctx, c.slot)
		return err
	})
	if err != nil {
		c.log.ErrorContext(ctx, "book the usage of the AI", "user", c.userID, "error", err)
	}
}
