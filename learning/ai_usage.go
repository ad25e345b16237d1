package learning

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Budgets are of UTC days. They are checked before a call, and its usage is booked after
// it, because the cost of an answer is known then. So a person's budget can be exceeded
// by two calls, and the platform's by the calls that are under way when it is reached, two
// a person at most; each is bounded by the limits of its request. What a call can use at
// most is reserved before it, so that it counts even if the process dies. A call that
// ends before the provider has said its usage is booked at that bound.
//
// What was used stays booked when its person is deleted, as purchases do: it is a sum
// of money, and has no word of theirs in it.

// withinAIBudget is nil while neither budget is used up.
func (p *Platform) withinAIBudget(ctx context.Context, r Reader, userID string) error {
	now := p.now()
	spent, err := p.budgetSpent(ctx, r, userID, usageDay(now))
	if err == nil && spent {
		err = &RetryableError{ErrAIBudget, untilTomorrow(now)}
	}
	return err
}

func (p *Platform) budgetSpent(ctx context.Context, r Reader, userID, day string) (bool, error) {
	if p.personBudget > 0 {
		spent, err := r.AISpentBy(ctx, userID, day, p.now())
		if err != nil || spent >= p.personBudget {
			return true, err
		}
	}
	if p.platformBudget == 0 {
		return false, nil
	}
	spent, err := r.AISpent(ctx, day, p.now())
	return spent >= p.platformBudget, err
}

// AIReservation is what a call to the AI that is under way can use at most. It is stored
// before the provider is asked, and deleted when the usage of the call is booked. If the
// process dies between the two, it counts as used once its lease is over.
type AIReservation struct {
	UserID     string
	Day        string // UTC, 2006-01-02
	Holder     string // makes it unique
	Tokens     int64
	LeaseUntil time.Time
}

// MaxUsage is an upper estimate of what a call can use: one token for each two bytes of
// the request (most texts have three or four), and MaxTokens for the answer.
func (r AIRequest) MaxUsage() AIUsage {
	u := AIUsage{Completion: int64(r.MaxTokens), Estimated: true}
	if r.MaxTokens <= 0 {
		u.Completion = maxAITokens
	}
	for _, m := range r.Messages {
		u.Prompt += int64(len(m.Content)+1)/2 + tokensOfMessage
	}
	if r.Schema != nil {
		u.Prompt += int64(len(r.Schema.JSON)+1)/2 + tokensOfMessage
	}
	return u
}

// tokensOfMessage is what a message takes beside its text.
const tokensOfMessage = 8

// reserve stores what a request can use at most, before the provider is asked.
func (c *aiCall) reserve(ctx context.Context, r AIRequest) error {
	u := r.MaxUsage()
	reservation := AIReservation{UserID: c.userID, Day: usageDay(c.now()), Holder: c.newID(), Tokens: u.Prompt + u.Completion, LeaseUntil: c.leaseUntil}
	c.reserved = append(c.reserved, reservation) // also if the COMMIT is not answered, because it may be stored then
	if err := c.store.InTx(ctx, func(tx Tx) error { return tx.InsertAIReservation(ctx, reservation) }); err != nil {
		return fmt.Errorf("reserve tokens of the AI: %w", err)
	}
	return nil
}

// usageOf is what a call is booked at: what the provider said or what was counted of a
// whole answer; else, if the provider was at work, the most that it can have used.
func usageOf(r AIRequest, reply AIReply, err error, atWork bool) AIUsage {
	isUnknown := reply.Usage.Prompt+reply.Usage.Completion <= 0
	if err != nil {
		isUnknown = atWork && (isUnknown || reply.Usage.Estimated)
	}
	if !isUnknown {
		return reply.Usage
	}
	most := r.MaxUsage()
	most.Prompt, most.Completion = max(most.Prompt, reply.Usage.Prompt), max(most.Completion, reply.Usage.Completion) // of several tries
	return most
}

func usageDay(t time.Time) string { return t.UTC().Format(time.DateOnly) }

func untilTomorrow(t time.Time) time.Duration {
	return midnight(t).AddDate(0, 0, 1).Sub(t)
}

// book adds what a call has used to the person's day, in place of its reservations.
func (c *aiCall) book(ctx context.Context, tx Tx) error {
	for _, r := range c.reserved {
		if _, err := tx.DeleteAIReservation(ctx, r); err != nil {
			return err
		}
	}
	if c.used == (AIUsage{}) {
		return nil
	}
	day := usageDay(c.now())
	c.log.DebugContext(ctx, "AI used", "user", c.userID, "prompt", c.used.Prompt, "completion", c.used.Completion, "estimated", c.used.Estimated)
	_, err := tx.AIUsageOf(ctx, c.userID, day)
	switch {
	case errors.Is(err, ErrNoRecord):
		return tx.InsertAIUsage(ctx, c.userID, day, c.used)
	case err != nil:
		return err
	}
	if there, err := tx.AddAIUsage(ctx, c.userID, day, c.used); err != nil || there {
		return err
	}
	return fmt.Errorf("the usage of %s is gone", day)
}

// add counts another answer. Nobody gets tokens back.
func (u *AIUsage) add(more AIUsage) {
	u.Prompt += max(more.Prompt, 0)
	u.Completion += max(more.Completion, 0)
	u.Estimated = u.Estimated || more.Estimated
}
