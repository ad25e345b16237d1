package learning

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/openlectern/openlectern/internal/backoff"
)

// outbox collects the events of one run of a transaction, and its changes of totals. Without
// targets it collects no events.
type outbox struct {
	*Platform
	events []Event
	totals []Total
	rowID  string // of the first row that changes a total
}

// add adds an event with a subject of the given kind: "course", "purchase" or "user".
func (o *outbox) add(t EventType, kind, id string, d EventData) {
	if len(o.targets) > 0 {
		o.events = append(o.events, Event{ID: o.newID(), Type: t, CreatedAt: o.now(), Subject: kind + ":" + id, Data: d})
	}
}

func (o *outbox) course(t EventType, c Course) {
	o.add(t, "course", c.ID, EventData{CourseID: c.ID, CourseTitle: c.Title, EducatorID: c.Educator.ID})
}

// courseEdited adds the event of an edit. A change of a draft has none.
func (o *outbox) courseEdited(old, edited Course) {
	switch {
	case edited.Published && !old.Published:
		o.course(EventCoursePublished, edited)
	case edited.Published:
		o.course(EventCourseUpdated, edited)
	case old.Published:
		o.course(EventCourseUnpublished, edited)
	}
}

func (o *outbox) purchase(t EventType, p Purchase, title string) {
	o.add(t, "purchase", p.ID, EventData{PurchaseID: p.ID, UserID: p.UserID, CourseID: p.CourseID, CourseTitle: title,
		Amount: p.Amount, Currency: p.Currency})
}

func (o *outbox) enrollment(t EventType, e Enrollment, title string) {
	o.add(t, "user", e.UserID, EventData{UserID: e.UserID, CourseID: e.CourseID, CourseTitle: title, PurchaseID: e.PurchaseID})
}

func (o *outbox) certificate(t EventType, c Certificate) {
	o.add(t, "user", c.UserID, EventData{CertificateID: c.ID, UserID: c.UserID, CourseID: c.CourseID, CourseTitle: c.CourseTitle})
}

func (o *outbox) application(t EventType, a Application) {
	o.add(t, "user", a.UserID, EventData{ApplicationID: a.ID, UserID: a.UserID})
}

// count adds changes to the totals, at the end of the transaction. rowID is the id of the row that
// has changed.
func (o *outbox) count(rowID string, changes ...Total) {
	o.rowID = cmp.Or(o.rowID, rowID)
	o.totals = append(o.totals, changes...)
}

// countSale adds what the transition of a purchase changes in the totals of sales.
func (o *outbox) countSale(before, after Purchase) {
	o.count(after.ID, totalsChange(saleTotals(before), saleTotals(after))...)
}

// writeTotals adds the collected changes to the totals, in one statement.
func (o *outbox) writeTotals(ctx context.Context, tx Tx) error {
	changes := mergeTotals(o.totals)
	if len(changes) == 0 {
		return nil
	}
	return tx.AddToTotals(ctx, o.rowID, changes)
}

// errSeqTaken means that a concurrent transaction has written an event of the same
// subject.
var errSeqTaken = errors.New("learning: the position of an event is taken")

// write stores the collected events, with a delivery to each target. The events of a
// subject are numbered in the transaction, because clocks of instances differ. Two
// transactions that read the same last number insert the same next one, so that one of
// them gets errSeqTaken.
func (o *outbox) write(ctx context.Context, tx Tx) error {
	if len(o.events) == 0 {
		return nil
	}
	last, err := tx.LastEventSeqs(ctx, o.targetNames(), subjectsOf(o.events))
	if err != nil {
		return err
	}
	var list []EventDelivery
	for _, e := range o.events {
		last[e.Subject]++
		for _, t := range o.targets {
			list = append(list, EventDelivery{Event: e, Target: t.name, Shard: shardOf(t.name, e.Subject), Seq: last[e.Subject],
				Status: EventPending, StatusAt: e.CreatedAt})
		}
	}
	o.events = nil
	tx.AfterCommit(o.wakeDelivery)
	if err = tx.InsertEvents(ctx, list); errors.Is(err, ErrDuplicate) {
		return errSeqTaken
	}
	return err
}

// subjectsOf returns the subjects of events, each once.
func subjectsOf(events []Event) (subjects []string) {
	for _, e := range events {
		if !slices.Contains(subjects, e.Subject) {
			subjects = append(subjects, e.Subject)
		}
	}
	return subjects
}

func (p *Platform) targetNames() (names []string) {
	for _, t := range p.targets {
		names = append(names, t.name)
	}
	return names
}

// maxSeqTries limits the runs of a transaction whose events collide with those of others.
// At each collision another transaction was committed, so that the number of the
// concurrent transactions on one subject limits the runs too.
const maxSeqTries = 100

// inTxEvents runs fn in a transaction, and stores the events and the changes of totals that fn adds
// to its outbox. The totals come last: a transaction that waited for another one while it has
// changed a total would delay transactions on other rows. inTxEvents runs the transaction again if a
// concurrent one has written an event of the same subject.
func (p *Platform) inTxEvents(ctx context.Context, fn func(tx Tx, out *outbox) error) error {
	for try := 1; ; try++ {
		err := p.store.InTx(ctx, func(tx Tx) error {
			out := &outbox{Platform: p}
			if err := fn(tx, out); err != nil {
				return err
			}
			if err := out.write(ctx, tx); err != nil {
				return err
			}
			return out.writeTotals(ctx, tx)
		})
		if !errors.Is(err, errSeqTaken) || try == maxSeqTries {
			return err
		}
		if err := backoff.Sleep(ctx, time.Millisecond); err != nil {
			return fmt.Errorf("write events: %w", err)
		}
	}
}

// eventTitle returns the title of a course for an event, or "" if no events are written.
func (p *Platform) eventTitle(ctx context.Context, courseID string) (string, error) {
	if len(p.targets) == 0 {
		return "", nil
	}
	c, err := p.store.Course(ctx, courseID)
	if errors.Is(err, ErrNoRecord) {
		err = nil
	}
	return c.Title, wrap("read the course of an event", err)
}
