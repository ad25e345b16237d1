package learning

import (
	"context"
	"errors"
	"slices"
	"time"
)

// AILease is somebody's leave to ask the AI, across all instances: one of the places
// of a name. Whoever holds it gives it back; its lease ends that of one who cannot.
type AILease struct {
	Name       string // what for: the calls of a person, or something that is made once
	Place      int    // from 0
	Holder     string
	LeaseUntil time.Time
}

// errLeased: others have all the places.
var errLeased = errors.New("learning: claimed by somebody else")

// takeAILease takes one of so many places of a name; errLeased when none is free.
func (p *Platform) takeAILease(ctx context.Context, name string, places int) (claim AILease, err error) {
	err = p.inTxRetry(ctx, func(tx Tx) (err error) {
		claim, err = p.takeSlot(ctx, tx, name, places)
		return err
	})
	if errors.Is(err, ErrDuplicate) { // somebody was faster each time, and has it
		err = errLeased
	}
	return claim, err
}

// takeSlot takes the first place that is free. It is to be run by [Platform.inTxRetry].
func (p *Platform) takeSlot(ctx context.Context, tx Tx, name string, places int) (AILease, error) {
	taken, err := tx.AILeases(ctx, name)
	if err != nil {
		return AILease{}, err
	}
	now := p.now()
	place, before, ok := freeSlot(taken, places, now)
	if !ok {
		return AILease{}, errLeased
	}
	mine := AILease{Name: name, Place: place, Holder: p.newID(), LeaseUntil: now.Add(p.aiTimeout + leaseMargin)}
	if before == "" {
		return mine, tx.InsertAILease(ctx, mine)
	}
	won, err := tx.TakeOverAILease(ctx, mine, before, now)
	if err == nil && !won {
		err = ErrDuplicate // somebody else took it over: look again
	}
	return mine, err
}

// freeSlot finds a place that nobody has, or whose lease is over: then it says who had
// it before.
func freeSlot(taken []AILease, places int, now time.Time) (place int, before string, ok bool) {
	for place := range places {
		i := slices.IndexFunc(taken, func(c AILease) bool { return c.Place == place })
		if i < 0 {
			return place, "", true
		}
		if !now.Before(taken[i].LeaseUntil) {
			return place, taken[i].Holder, true
		}
	}
	return 0, "", false
}

// releaseAI gives a claim back, whatever became of the caller, in one transaction with
// what else is to be stored then. Should that fail, the lease ends the claim.
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
		p.log.ErrorContext(ctx, "give a claim on the AI back", "claim", c.Name, "error", err)
	}
}

// AIReader reads who is asking the AI, and what it has cost.
type AIReader interface {
	// AILeases lists the claims of one name, by place, expired ones too.
	AILeases(ctx context.Context, name string) ([]AILease, error)
	// AIUsageOf reads what a person has used up on a day.
	AIUsageOf(ctx context.Context, userID, day string) (AIUsage, error)
	// AISpentBy sums what a person has used up on a day, and the person's reservations of
	// the day whose lease is over at a time: those calls did not end in order.
	AISpentBy(ctx context.Context, userID, day string, at time.Time) (int64, error)
	// AISpent is AISpentBy for all people together.
	AISpent(ctx context.Context, day string, at time.Time) (int64, error)
}

// AIWriter writes claims on the AI, and what it has cost.
type AIWriter interface {
	// InsertAILease takes a place that nobody has; [ErrDuplicate] when somebody does.
	InsertAILease(ctx context.Context, c AILease) error
	// TakeOverAILease gives a claim that had expired at a time to the holder of c, with
	// the lease of c, when it is still the old holder's.
	TakeOverAILease(ctx context.Context, c AILease, oldHolder string, at time.Time) (bool, error)
	// DeleteAILease gives a place back, when it is still the holder's of c.
	DeleteAILease(ctx context.Context, c AILease) (bool, error)
	// InsertAIUsage stores the first usage of a person on a day; [ErrDuplicate] when it
	// is not the first.
	InsertAIUsage(ctx context.Context, userID, day string, u AIUsage) error
	// AddAIUsage adds to it, and tells whether there was any.
	AddAIUsage(ctx context.Context, userID, day string, u AIUsage) (bool, error)
	// InsertAIReservation adds one.
	InsertAIReservation(ctx context.Context, r AIReservation) error
	// DeleteAIReservation removes one; it tells whether there was one.
	DeleteAIReservation(ctx context.Context, r AIReservation) (bool, error)
}
