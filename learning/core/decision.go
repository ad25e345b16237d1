package core

import (
	"context"
	"time"
)

// DecisionKind says what a [Decision] has decided. The rooms declare those of their nouns.
type DecisionKind string

// Decision is what a member of the staff has decided about a user, or about what a user has written
// or bought. A room adds it to the [Changes] of the transaction that carries it out. Decisions stay
// for good, so that admins see who has decided what.
type Decision struct {
	ID        string
	Kind      DecisionKind
	ActorID   string // who has decided; "" for the host itself
	UserID    string // whom it concerns; "" for nobody
	Reason    string // may be ""; it is removed with the user and with the course
	CreatedAt time.Time
	DecisionIDs
}

// DecisionIDs are the ids of what a [Decision] is about. Those that it is not about are "".
type DecisionIDs struct {
	CourseID      string
	ChapterID     string
	PurchaseID    string
	RefundID      string
	ApplicationID string
	PostID        string
	ReplyID       string
	ReviewID      string
	ReportID      string
}

// decisionTx is what the envelope needs to write decisions.
type decisionTx interface {
	InsertDecision(ctx context.Context, d Decision) error
}

// Decide adds a decision. It sets its id and its time. Changes that are silent have none, because
// what is imported was decided elsewhere: see Silence.
func (c *Changes) Decide(d Decision) {
	if c.isSilent {
		return
	}
	d.ID, d.CreatedAt = c.NewID(), c.Now()
	c.decisions = append(c.decisions, d)
}

// writeDecisions writes the collected decisions. A reason about a user who was deleted is left out,
// because the deletion has removed the earlier ones.
func (c *Changes) writeDecisions(ctx context.Context, tx Tx) error {
	for _, d := range c.decisions {
		if d.Reason != "" && d.UserID != "" {
			state, err := tx.AccountState(ctx, d.UserID)
			if err != nil {
				return err
			}
			if state.Deleted {
				d.Reason = ""
			}
		}
		if err := tx.InsertDecision(ctx, d); err != nil {
			return err
		}
	}
	c.decisions = nil
	return nil
}
