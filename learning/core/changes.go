package core

import (
	"cmp"
	"context"

	"github.com/openlectern/openlectern/internal/outbox"
)

// Changes collects what one run of a transaction tells others: its events, its notifications of
// users, the decisions of staff that it carries out, and its changes of totals. It collects no
// events if the platform has neither targets of events nor functions of the host.
type Changes struct {
	*Env

	isSilent bool
	events   []outbox.Event // that are not stored yet
	all      []Event        // of the run
	atEnd    []func(ctx context.Context) error
	totals   []Total
	// that are not written yet
	notifications []Notification
	decisions     []Decision
	rowID         string // of the first row that changes a total
}

// Silence drops the events, notifications and decisions that are added from now on: what the
// transaction stores is no news, such as what happened in another system long ago. Totals are
// counted all the same.
func (c *Changes) Silence() { c.isSilent = true }

// Add adds an event with a subject of the given kind ("course", "purchase" or "user") and id. It
// does nothing if the platform has no use for events.
func (c *Changes) Add(t EventType, kind, id string, d EventData) {
	if c.isSilent || !c.HasEvents() {
		return
	}
	e := outbox.Event{
		ID:        c.NewID(),
		Type:      string(t),
		CreatedAt: c.Now(),
		Subject:   kind + ":" + id,
		Data:      d,
	}
	c.events = append(c.events, e)
	c.all = append(c.all, EventOf(e))
}

// Count collects changes of totals, which are written at the end of the transaction. rowID is the
// id of the row that has changed; the first one chooses the slot for all: see AddToTotals.
func (c *Changes) Count(rowID string, totals ...Total) {
	c.rowID = cmp.Or(c.rowID, rowID)
	c.totals = append(c.totals, totals...)
}

// AtEnd registers what is written at the end of the transaction, after the functions of the host
// and before the totals: sums that a room keeps in tables of its own, and whose rows many
// transactions share.
func (c *Changes) AtEnd(write func(ctx context.Context) error) {
	c.atEnd = append(c.atEnd, write)
}

// Write stores the events that were collected since it was last called, if there are targets.
// [Base.Change] calls it at the end of the transaction. A transaction that locks a row which others
// need, such as that of a course, calls it before that too, so that it holds the lock for a shorter
// time.
func (c *Changes) Write(ctx context.Context, tx Tx) error {
	events := c.events
	c.events = nil
	if len(c.Events.Targets) == 0 { // the events are for the functions of the host only
		return nil
	}
	return c.Events.Write(ctx, tx, events)
}

// writeTotals calls what AtEnd has registered, and adds the collected changes to the totals, in one
// statement.
func (c *Changes) writeTotals(ctx context.Context, tx Tx) error {
	for _, write := range c.atEnd {
		if err := write(ctx); err != nil {
			return err
		}
	}
	totals := mergeTotals(c.totals)
	if len(totals) == 0 {
		return nil
	}
	return tx.AddToTotals(ctx, c.rowID, totals)
}
