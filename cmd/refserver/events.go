package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/openlectern/openlectern/internal/eventjson"
	"github.com/openlectern/openlectern/learning"
)

type eventsCommand struct {
	List      eventsListCommand      `cmd:"" help:"List events and their state, the oldest first."`
	Show      eventsShowCommand      `cmd:"" help:"Print an event and the state of its deliveries."`
	Redeliver eventsRedeliverCommand `cmd:"" help:"Deliver failed or waiting events at once."`
}

// onSystem checks the settings that it needs, and calls do with the System of a platform on their
// database. It does not migrate the database, and closes it afterwards.
func (p *program) onSystem(ctx context.Context, do func(learning.System) error) error {
	if err := p.check((*Settings).checkDatabase, (*Settings).checkEvents); err != nil {
		return err
	}
	st, err := p.openStore(ctx)
	if err != nil {
		return err
	}
	defer st.Close()
	platform, err := p.newPlatform(st)
	if err != nil {
		return err
	}
	return do(platform.System())
}

type eventsListCommand struct {
	State  string `enum:",pending,blocked,failed,delivered" default:"" placeholder:"STATE" help:"Only those that are pending, blocked (by an earlier event of the same subject that is not delivered), failed or delivered."`
	Target string `placeholder:"TARGET" help:"webhook or log; default that of the settings."`
}

// Run prints one line for each event.
func (c eventsListCommand) Run(ctx context.Context, p *program) error {
	return p.onSystem(ctx, func(system learning.System) error {
		q := learning.EventQuery{Target: cmp.Or(c.Target, p.targetName()),
			Status: learning.EventStatus(c.State)}
		n, err := printEvents(ctx, p.stdout, system, q)
		if err == nil && n == 0 {
			_, err = fmt.Fprintf(p.stdout,
				"There are no%s events for the target %s. Events are written while %s is set, and "+
					"in development.\n",
				spaced(c.State), q.Target, variable("events-url"))
		}
		return err
	})
}

// spaced returns a word with a space before it; "" for "".
func spaced(word string) string {
	if word == "" {
		return ""
	}
	return " " + word
}

// printEvents prints the deliveries of a query, page by page until one is empty, and returns how
// many it has printed, also with an error. The query must have a target.
func printEvents(ctx context.Context, out io.Writer, system learning.System,
	q learning.EventQuery) (n int, err error) {
	for {
		page, err := system.EventDeliveries(ctx, q)
		if err != nil {
			return n, err
		}
		if len(page) == 0 {
			return n, nil
		}
		for _, d := range page {
			n++
			if _, err := fmt.Fprintf(out, "%s  %s  %-9s  %-21s  %s%s\n", d.ID, utcTime(d.CreatedAt),
				d.Status, d.Type, d.Subject, failure(d)); err != nil {
				return n, err
			}
		}
		// Continue after the last event of this page.
		q.After = page[len(page)-1].ID
	}
}

// failure describes the failed attempts of a delivery; "" if there was none, or if the event is
// delivered now.
func failure(d learning.EventDelivery) string {
	if d.Attempts == 0 || d.Status == learning.EventDelivered {
		return ""
	}
	text := fmt.Sprintf("  (attempts: %d; %s", d.Attempts, d.LastError)
	if d.Status == learning.EventPending {
		text += "; next " + utcTime(d.StatusAt)
	}
	return text + ")"
}

// utcTime returns a time as the commands of events print it.
func utcTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }

type eventsShowCommand struct {
	ID string `arg:"" name:"id" help:"Id of the event."`
}

// Run prints an event in JSON, and one line for each delivery.
func (c eventsShowCommand) Run(ctx context.Context, p *program) error {
	return p.onSystem(ctx, func(system learning.System) error {
		deliveries, err := p.findEvent(ctx, system, c.ID)
		if err != nil {
			return err
		}
		// The body is the one that receivers get.
		text, err := eventjson.Marshal(deliveries[0].Event)
		if err != nil {
			return err
		}
		var out bytes.Buffer
		if err := json.Indent(&out, text, "", "  "); err != nil {
			return err
		}
		out.WriteString("\n")
		// An event has a delivery for each target.
		for _, d := range deliveries {
			fmt.Fprintf(&out, "%s: %s, %s%s\n", d.Target, d.Status, utcTime(d.StatusAt), failure(d))
		}
		_, err = out.WriteTo(p.stdout)
		return err
	})
}

// findEvent returns the deliveries of an event, one for each target that it was written for. It
// returns an error if there is none.
func (p *program) findEvent(
	ctx context.Context, system learning.System, id string,
) ([]learning.EventDelivery, error) {
	deliveries, err := system.EventDeliveries(ctx, learning.EventQuery{ID: id})
	if err != nil {
		return nil, err
	}
	if len(deliveries) == 0 {
		return nil, fmt.Errorf("there is no event %q in this database: %s events list shows "+
			"their ids; delivered events are kept for 30 days", id, p.name)
	}
	return deliveries, nil
}

type eventsRedeliverCommand struct {
	IDs     []string `arg:"" optional:"" name:"id" help:"Ids of failed or waiting events."`
	Failed  bool     `help:"All events that failed at every attempt."`
	Pending bool     `help:"All events that wait for their next attempt."`
}

// Run makes events due. A running server delivers them.
func (c eventsRedeliverCommand) Run(ctx context.Context, p *program) error {
	bySelection := c.Failed || c.Pending
	byID := len(c.IDs) > 0
	if bySelection == byID { // both, or neither
		return errors.New("events redeliver needs ids of events, or --failed for all that " +
			"failed, or --pending for all that wait for their next attempt")
	}
	return p.onSystem(ctx, func(system learning.System) error {
		n, err := c.redeliver(ctx, p, system)
		switch {
		case n > 0: // also with an error, which is one of other events
			fmt.Fprintf(p.stdout,
				"Due now: %d. The later events of their subjects follow. A running server "+
					"delivers them.\n", n)
		case err == nil:
			fmt.Fprintln(p.stdout, "There are no such events.")
		}
		return err
	})
}

// redeliver makes the events of the flags and arguments due, and returns their number, also with an
// error: if one of them fails, it continues with the others, and returns all errors joined.
func (c eventsRedeliverCommand) redeliver(
	ctx context.Context, p *program, system learning.System,
) (n int, err error) {
	// The flags select by state, the arguments by id. No query has a target, so that it selects the
	// deliveries to all of them.
	var queries []learning.EventQuery
	if c.Failed {
		queries = append(queries, learning.EventQuery{Status: learning.EventFailed})
	}
	if c.Pending {
		queries = append(queries, learning.EventQuery{Status: learning.EventPending})
	}
	for _, id := range c.IDs {
		queries = append(queries, learning.EventQuery{ID: id})
	}
	var wrong []error
	for _, q := range queries {
		more, err := system.RedeliverEvents(ctx, q)
		n += more
		// Say why an event that was named is not due.
		if err == nil && more == 0 && q.ID != "" {
			err = p.notRedelivered(ctx, system, q.ID)
		}
		wrong = append(wrong, err)
	}
	return n, errors.Join(wrong...)
}

// notRedelivered returns an error that says why an event was not made due. If the event has several
// targets, it looks at the delivery to the first one only.
func (p *program) notRedelivered(ctx context.Context, system learning.System, id string) error {
	deliveries, err := p.findEvent(ctx, system, id)
	if err != nil {
		return err
	}
	d := deliveries[0]
	switch d.Status {
	case learning.EventPending:
		return fmt.Errorf("the event %s is due already: a running server delivers it when the "+
			"events before it are delivered", id)
	case learning.EventBlocked:
		return fmt.Errorf("the event %s is blocked: redeliver the first event of %s that is not "+
			"delivered, and it follows", id, d.Subject)
	}
	return fmt.Errorf(
		"the event %s is %s: only events that have failed or wait are redelivered", id, d.Status)
}
