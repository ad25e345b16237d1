// Package aigate admits calls to the AI: so many of a user at once, and as long as neither the
// user nor the platform has used up the tokens of the day.
//
// Budgets count by UTC day. They are checked before a call, and the usage of the
// call is booked after it, because it is known only then. So a user's budget can be
// exceeded by two calls, and the budget of the platform by the calls that are in flight
// when it is reached; the limits of its request bound each call. The maximum that a call
// can use is reserved before the call, so that it counts even if the process dies. A call
// that ends before the provider has reported its usage is booked at that maximum.
//
// Usage is kept when its user is deleted, as purchases are: it is a sum of money and
// contains no text of the user.
package aigate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/internal/lease"
	"github.com/openlectern/openlectern/internal/record"
)

const (
	maxCallsPerUser = 2 // concurrent calls of one user

	// maxSlotTries is how often a call tries to take a slot that was free when it looked. At each
	// try another call of the user has taken it.
	maxSlotTries = 5

	// expiredPerRead is the number of expired reservations that are read at a time.
	expiredPerRead = 100
)

// ErrBusy means that the user has as many calls at once as are allowed.
var ErrBusy = errors.New("the user has too many calls to the AI at once")

// BudgetError means that the budget of the user or that of the platform is used up.
type BudgetError struct {
	After time.Duration // until the next day
}

// Error returns the text of the error.
func (*BudgetError) Error() string { return "the AI budget of the day is used up" }

// Gate admits the calls of an instance. Its fields must not change when it is in use. It is safe
// for concurrent use.
type Gate struct {
	Store          Store
	Leases         *lease.Leases
	Timeout        time.Duration // of one call, with all its requests
	UserBudget     int64         // tokens a day; 0 for no limit
	PlatformBudget int64         // of all users together; 0 for no limit
}

// Usage is the number of tokens that a call has used.
type Usage struct {
	Prompt     int64 // read
	Completion int64 // written
	Estimated  bool  // computed from lengths
}

// Reservation is the maximum that an in-flight call to the AI can use. It is stored
// before the request to the provider, and deleted when the usage of the call is booked.
// If the process dies in between, the reservation counts as used once its lease has
// expired, and [Gate.BookExpired] books it later.
type Reservation struct {
	UserID     string
	Day        string // UTC, 2006-01-02
	Holder     string // makes it unique
	Tokens     int64
	LeaseUntil time.Time
}

// Call is one call of a user: a request to the provider and, if its answer is
// invalid, a second one. It is not safe for concurrent use.
type Call struct {
	gate     *Gate
	userID   string
	slot     lease.Lease   // has no name before a slot is taken
	reserved []Reservation // one for each request; also those that may not be stored
	used     Usage         // of all requests
}

// Do runs work while the call has one of the user's slots and a reservation of tokens for its first
// request. When work has returned or panicked, it books what the call has used and releases the
// slot, also if the caller has cancelled ctx. The timeout starts before the slot is taken, so that
// the call ends before its lease does. Errors besides those of work: [ErrBusy], [*BudgetError].
func (g *Gate) Do(
	ctx context.Context, userID string, tokens int64, work func(context.Context, *Call) error,
) error {
	ctx, cancel := context.WithTimeout(ctx, g.Timeout)
	defer cancel()
	c := &Call{gate: g, userID: userID}
	defer c.leave(ctx) // also after an error of enter, which may have taken a slot
	if err := c.enter(ctx, tokens); err != nil {
		return err
	}
	return work(ctx, c)
}

// enter takes a slot and reserves the tokens of the first request, in one transaction, and then
// checks the budgets. The previous call of the slot has booked its usage in the transaction that
// released the slot, so a budget is exceeded by at most the calls that were in flight when it was
// reached. The budgets are checked after the transaction, because the transaction may read an older
// state. Errors: [ErrBusy], [*BudgetError].
func (c *Call) enter(ctx context.Context, tokens int64) error {
	// Take a slot. Another call may take the free slot first; then look for another one.
	err := lease.ErrHeld // begins the loop
	for try := 0; errors.Is(err, lease.ErrHeld) && try < maxSlotTries; try++ {
		err = c.takeSlot(ctx, tokens)
	}
	switch {
	case errors.Is(err, lease.ErrHeld):
		c.slot = lease.Lease{} // so that leave does nothing
		return ErrBusy
	case err != nil:
		return fmt.Errorf("take a slot of the AI: %w", err)
	}

	// Check the budgets. leave deletes the reservation and releases the slot if one is used up.
	now := c.gate.Leases.Now()
	usedUp, err := c.gate.usedUp(ctx, c.userID, now)
	switch {
	case err != nil:
		return fmt.Errorf("check the AI budget: %w", err)
	case usedUp:
		nextDay := now.Truncate(24*time.Hour).AddDate(0, 0, 1) // at midnight UTC
		return &BudgetError{After: nextDay.Sub(now)}
	}
	return nil
}

// takeSlot takes the first slot of the user that is free, and stores the reservation. It sets
// c.slot and c.reserved if it has found a free slot, also if it returns an error. It returns
// [lease.ErrHeld] if none is free, or if another call has taken the slot meanwhile.
func (c *Call) takeSlot(ctx context.Context, tokens int64) error {
	// Look for a slot outside the transaction, which begins with the lock of its row.
	leases := c.gate.Leases
	slot := leases.New("", c.gate.Timeout) // gets its name below
	var old lease.Lease                    // the lease of the slot that another call had
	for n := 0; ; n++ {
		if n == maxCallsPerUser {
			return lease.ErrHeld
		}
		slot.Name = fmt.Sprintf("ai:%s:%d", c.userID, n)
		var err error
		if old, err = leases.Store.Lease(ctx, slot.Name); err != nil {
			return err
		}
		if old.Expired(leases.Now()) {
			break
		}
	}

	// Take it. c.slot and c.reserved are set also on error, so that leave deletes what may be
	// stored, because only the answer to COMMIT may be lost.
	c.slot = slot
	c.reserved = []Reservation{c.newReservation(tokens)}
	err := c.gate.Store.InTx(ctx, func(tx Tx) error {
		if err := lease.Acquire(ctx, tx, old, slot, leases.Now()); err != nil {
			return err
		}
		return tx.InsertAIReservation(ctx, c.reserved[0])
	})
	if errors.Is(err, record.ErrDuplicate) { // another call has inserted the lease first
		err = lease.ErrHeld
	}
	return err
}

// newReservation returns a reservation of tokens for a request of the call, which expires with its
// slot. It is not stored.
func (c *Call) newReservation(tokens int64) Reservation {
	return Reservation{
		UserID:     c.userID,
		Day:        dayOf(c.gate.Leases.Now()),
		Holder:     c.gate.Leases.NewID(),
		Tokens:     tokens,
		LeaseUntil: c.slot.ExpiresAt,
	}
}

// Reserve reserves the tokens of a second request. Its error matches [lease.ErrLost] if the call
// has lost its slot.
func (c *Call) Reserve(ctx context.Context, tokens int64) error {
	more := c.newReservation(tokens)
	// Also on error, so that leave deletes it, because only the answer to COMMIT may be lost.
	c.reserved = append(c.reserved, more)
	err := c.gate.Store.InTx(ctx, func(tx Tx) error {
		if err := lease.Hold(ctx, tx, c.slot); err != nil {
			return err
		}
		return tx.InsertAIReservation(ctx, more)
	})
	if err != nil {
		return fmt.Errorf("reserve tokens of the AI: %w", err)
	}
	return nil
}

// Use adds the usage of a request, which is booked when the call ends. Negative numbers count as
// zero.
func (c *Call) Use(u Usage) {
	c.used.Prompt += max(u.Prompt, 0)
	c.used.Completion += max(u.Completion, 0)
	c.used.Estimated = c.used.Estimated || u.Estimated
}

// leave books the usage of the call, deletes its reservations and releases its slot, in one
// transaction, also if ctx is done. It does nothing if the call has no slot. The usage is booked
// even if the slot was lost. If the transaction fails, the reservations count once the lease has
// expired.
func (c *Call) leave(ctx context.Context) {
	if c.slot.Name == "" {
		return
	}
	// The provider has counted the tokens, also of a call whose caller does not wait any more.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lease.Margin)
	defer cancel()

	// Two calls of the user may both insert the first usage of the day: one of them runs again, and
	// adds to it. A reservation may be missing, because it was not stored, and so may the lease,
	// because another call has taken over the slot.
	log := c.gate.Leases.Log.With("user", c.userID)
	err := record.RetryDuplicate(ctx, func() error {
		return c.gate.Store.InTx(ctx, func(tx Tx) error {
			for _, r := range c.reserved {
				if _, err := tx.DeleteAIReservation(ctx, r); err != nil {
					return err
				}
			}
			if c.used != (Usage{}) {
				today := dayOf(c.gate.Leases.Now())
				if err := addUsage(ctx, tx, c.userID, today, c.used); err != nil {
					return err
				}
			}
			_, err := tx.ReleaseLease(ctx, c.slot)
			return err
		})
	})
	switch {
	case err != nil:
		log.ErrorContext(ctx, "book the usage of the AI", "error", err)
	case c.used != (Usage{}):
		log.DebugContext(ctx, "AI used", "prompt", c.used.Prompt, "completion", c.used.Completion,
			"estimated", c.used.Estimated)
	}
}

// usedUp reports whether the budget of the user or that of the platform is used up on the day of
// now.
func (g *Gate) usedUp(ctx context.Context, userID string, now time.Time) (bool, error) {
	if g.UserBudget > 0 {
		used, err := g.Store.AISpentBy(ctx, userID, dayOf(now), now)
		if err != nil {
			return false, err
		}
		if used >= g.UserBudget {
			return true, nil
		}
	}
	if g.PlatformBudget == 0 { // no limit
		return false, nil
	}
	used, err := g.Store.AISpent(ctx, dayOf(now), now) // 0 after an error
	return used >= g.PlatformBudget, err
}

// BookExpired books the reservations of crashed calls that expired before a time as used, and
// deletes them. The sum of a day stays the same, because an expired reservation counts as used. It
// reads and books expiredPerRead at a time, until there are no more.
func (g *Gate) BookExpired(ctx context.Context, before time.Time) error {
	for {
		expired, err := g.Store.ExpiredAIReservations(ctx, before, expiredPerRead)
		if err != nil {
			return err
		}
		for _, r := range expired {
			err := record.RetryDuplicate(ctx, func() error {
				return g.Store.InTx(ctx, func(tx Tx) error {
					isStored, err := tx.DeleteAIReservation(ctx, r)
					if err != nil {
						return err
					}
					if !isStored { // its call or another instance has booked it
						return nil
					}
					return addUsage(ctx, tx, r.UserID, r.Day,
						Usage{Prompt: r.Tokens, Estimated: true})
				})
			})
			if err != nil {
				return err
			}
		}
		if len(expired) < expiredPerRead {
			return nil
		}
	}
}

// addUsage adds to the usage of a user on a day, which it inserts if there is none. It returns
// [record.ErrDuplicate] if another transaction has inserted it meanwhile: the caller must use
// [record.RetryDuplicate].
func addUsage(ctx context.Context, tx Tx, userID, day string, u Usage) error {
	_, err := tx.AIUsageOf(ctx, userID, day)
	switch {
	case errors.Is(err, record.ErrNone):
		return tx.InsertAIUsage(ctx, userID, day, u)
	case err != nil:
		return err
	}
	found, err := tx.AddAIUsage(ctx, userID, day, u)
	if err != nil {
		return err
	}
	if !found { // nothing deletes usage
		return fmt.Errorf("the usage of %s is gone", day)
	}
	return nil
}

// dayOf returns the day of a budget, in UTC, such as "2006-01-02".
func dayOf(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// Reader reads the usage of the AI.
type Reader interface {
	// AIUsageOf reads the usage of a user on a day.
	AIUsageOf(ctx context.Context, userID, day string) (Usage, error)
	// AISpentBy sums the usage of a user on a day and the user's reservations of the
	// day whose leases have expired at a time. Those are reservations of calls that did
	// not end properly.
	AISpentBy(ctx context.Context, userID, day string, at time.Time) (int64, error)
	// AISpent is AISpentBy for all users together.
	AISpent(ctx context.Context, day string, at time.Time) (int64, error)
	// ExpiredAIReservations lists at most limit reservations whose leases expired before a
	// time, the oldest first.
	ExpiredAIReservations(ctx context.Context, before time.Time, limit int) ([]Reservation, error)
}

// Writer writes the usage of the AI and its reservations.
type Writer interface {
	// InsertAIUsage stores the first usage of a user on a day. It returns
	// [record.ErrDuplicate] if there is one.
	InsertAIUsage(ctx context.Context, userID, day string, u Usage) error
	// AddAIUsage adds to the usage of a user on a day. It reports false if there is
	// none.
	AddAIUsage(ctx context.Context, userID, day string, u Usage) (bool, error)
	// InsertAIReservation adds a reservation.
	InsertAIReservation(ctx context.Context, r Reservation) error
	// DeleteAIReservation removes a reservation. It reports whether there was one.
	DeleteAIReservation(ctx context.Context, r Reservation) (bool, error)
}

// Tx is a transaction that changes the usage of the AI.
type Tx interface {
	Reader
	Writer
	lease.Table
}

// Store stores the usage of the AI.
type Store interface {
	Reader
	// InTx runs fn in a transaction, more than once if another transaction is in its way.
	InTx(ctx context.Context, fn func(Tx) error) error
}
