package learning

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Token budgets count by UTC day. They are checked before a call, and the usage of the
// call is booked after it, because it is known only then. So a user's budget can be
// exceeded by two calls, and the budget of the platform by the calls that are in flight
// when it is reached; the limits of its request bound each call. The maximum that a call
// can use is reserved before the call, so that it counts even if the process dies. A call
// that ends before the provider has reported its usage is booked at that maximum.
//
// Usage is kept when its user is deleted, as purchases are: it is a sum of money and
// contains no text of the user.

// checkAIBudget returns nil while neither the budget of the user nor that of the
// platform is used up.
func (p *Platform) checkAIBudget(ctx context.Context, r Reader, userID string) error {
	now := p.now()
	spent, err := p.budgetSpent(ctx, r, userID, usageDay(now))
	if err == nil && spent {
		err = &RetryableError{ErrAIBudget, untilNextDay(now)}
	}
	return err
}

func (p *Platform) budgetSpent(ctx context.Context, r Reader, userID, day string) (bool, error) {
	if p.userBudget > 0 {
		spent, err := r.AISpentBy(ctx, userID, day, p.now())
		if err != nil || spent >= p.userBudget {
			return true, err
		}
	}
	if p.platformBudget == 0 {
		return false, nil
	}
	spent, err := r.AISpent(ctx, day, p.now())
	return spent >= p.platformBudget, err
}

// AIReservation is the maximum that an in-flight call to the AI can use. It is stored
// before the request to the provider, and deleted when the usage of the call is booked.
// If the process dies in between, the reservation counts as used once its lease has
// expired, and [System.RunTidying] books it a day later.
type AIReservation struct {
	UserID     string
	Day        string // UTC, 2006-01-02
	Holder     string // makes it unique
	Tokens     int64
	LeaseUntil time.Time
}

// MaxUsage returns an upper estimate of the usage of a call: one token for each two
// bytes of the request (most texts have three or four bytes a token), and MaxTokens for
// the answer.
func (r AIRequest) MaxUsage() AIUsage {
	u := AIUsage{Completion: int64(r.MaxTokens), Estimated: true}
	if r.MaxTokens <= 0 {
		u.Completion = maxAITokens
	}
	for _, m := range r.Messages {
		u.Prompt += int64(len(m.Content)+1)/2 + messageOverhead
	}
	if r.Schema != nil {
		u.Prompt += int64(len(r.Schema.JSON)+1)/2 + messageOverhead
	}
	return u
}

// messageOverhead is the number of tokens that a message needs in addition to its text.
const messageOverhead = 8

// newReservation returns the reservation of a request. It is not stored.
func (c *aiCall) newReservation(r AIRequest, slot Lease) AIReservation {
	u := limitAITokens(r).MaxUsage()
	return AIReservation{UserID: c.userID, Day: usageDay(c.now()), Holder: c.newID(), Tokens: u.Prompt + u.Completion, LeaseUntil: slot.ExpiresAt}
}

// usageOf returns the usage that is booked for a call: the reported one, or what was
// counted of a complete answer. If neither is known and the provider was at work, it is
// the maximum.
func usageOf(r AIRequest, reply AIReply, err error, atWork bool) AIUsage {
	isUnknown := reply.Usage.Prompt+reply.Usage.Completion <= 0
	if err != nil {
		isUnknown = atWork && (isUnknown || reply.Usage.Estimated)
	}
	if !isUnknown {
		return reply.Usage
	}
	most := r.MaxUsage()
	most.Prompt, most.Completion = max(most.Prompt, reply.Usage.Prompt), max(most.Completion, reply.Usage.Completion) // the report may sum several tries
	return most
}

func usageDay(t time.Time) string { return t.UTC().Format(time.DateOnly) }

func untilNextDay(t time.Time) time.Duration {
	return midnight(t).AddDate(0, 0, 1).Sub(t)
}

// book adds the usage of a call to the user's day, and deletes its reservations.
func (c *aiCall) book(ctx context.Context, tx Tx) error {
	for _, r := range c.reserved {
		if _, err := tx.DeleteAIReservation(ctx, r); err != nil {
			return err
		}
	}
	if c.used == (AIUsage{}) {
		return nil
	}
	c.log.DebugContext(ctx, "AI used", "user", c.userID, "prompt", c.used.Prompt, "completion", c.used.Completion, "estimated", c.used.Estimated)
	return addAIUsage(ctx, tx, c.userID, usageDay(c.now()), c.used)
}

// addAIUsage adds to the usage of a user on a day. The caller must use [Platform.inTxRetry].
func addAIUsage(ctx context.Context, tx Tx, userID, day string, u AIUsage) error {
	_, err := tx.AIUsageOf(ctx, userID, day)
	switch {
	case errors.Is(err, ErrNoRecord):
		return tx.InsertAIUsage(ctx, userID, day, u)
	case err != nil:
		return err
	}
	if there, err := tx.AddAIUsage(ctx, userID, day, u); err != nil || there {
		return err
	}
	return fmt.Errorf("the usage of %s is gone", day)
}

// bookExpiredReservations books the reservations of calls that crashed a day ago as used, and
// deletes them. The sum of a day stays the same, because an expired reservation counts as used.
func (p *Platform) bookExpiredReservations(ctx context.Context) error {
	for {
		expired, err := p.store.ExpiredAIReservations(ctx, p.now().Add(-leaseKept), leftoversPerRead)
		if err != nil {
			return err
		}
		for _, r := range expired {
			err := p.inTxRetry(ctx, func(tx Tx) error {
				isStored, err := tx.DeleteAIReservation(ctx, r)
				if err != nil || !isStored {
					return err
				}
				return addAIUsage(ctx, tx, r.UserID, r.Day, AIUsage{Prompt: r.Tokens, Estimated: true})
			})
			if err != nil {
				return err
			}
		}
		if len(expired) < leftoversPerRead {
			return nil
		}
	}
}

// add adds the usage of another request. Negative numbers count as zero.
func (u *AIUsage) add(more AIUsage) {
	u.Prompt += max(more.Prompt, 0)
	u.Completion += max(more.Completion, 0)
	u.Estimated = u.Estimated || more.Estimated
}

// aiReader reads the usage of the AI.
type aiReader interface {
	// AIUsageOf reads the usage of a user on a day.
	AIUsageOf(ctx context.Context, userID, day string) (AIUsage, error)
	// AISpentBy sums the usage of a user on a day and the user's reservations of the
	// day whose leases have expired at a time. Those are reservations of calls that did
	// not end properly.
	AISpentBy(ctx context.Context, userID, day string, at time.Time) (int64, error)
	// AISpent is AISpentBy for all users together.
	AISpent(ctx context.Context, day string, at time.Time) (int64, error)
	// ExpiredAIReservations lists at most limit reservations whose leases expired before a
	// time, the oldest first.
	ExpiredAIReservations(ctx context.Context, before time.Time, limit int) ([]AIReservation, error)
}

// aiWriter writes the usage of the AI and its reservations.
type aiWriter interface {
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
