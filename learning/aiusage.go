package learning

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Budgets are of UTC days. They are looked at before a call, and booked after it: what
// an answer costs is known then. So a person's can be exceeded by two calls, and the
// platform's by the calls that are under way when it is reached, two a person at most;
// each is bounded by the limits of its request.
//
// What was used stays booked when its person is deleted, as purchases do: it is a sum
// of money, and has no word of theirs in it.

// withinAIBudget is nil while neither budget is used up.
func (p *Platform) withinAIBudget(ctx context.Context, r Reader, userID string) error {
	now := p.now()
	spent, err := p.budgetSpent(ctx, r, userID, usageDay(now))
	if err == nil && spent {
		err = &Passing{ErrAIBudget, untilTomorrow(now)}
	}
	return err
}

func (p *Platform) budgetSpent(ctx context.Context, r Reader, userID, day string) (bool, error) {
	if p.personBudget > 0 {
		used, err := r.AIUsageOf(ctx, userID, day)
		if err != nil && !errors.Is(err, ErrNoRecord) {
			return false, err
		}
		if used.Prompt+used.Completion >= p.personBudget {
			return true, nil
		}
	}
	if p.platformBudget == 0 {
		return false, nil
	}
	used, err := r.AITokens(ctx, day)
	return used >= p.platformBudget, err
}

func usageDay(t time.Time) string { return t.UTC().Format(time.DateOnly) }

func untilTomorrow(t time.Time) time.Duration {
	return midnight(t).AddDate(0, 0, 1).Sub(t)
}

// book adds what a call has used to the person's day.
func (c *aiCall) book(ctx context.Context, tx Tx) error {
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
