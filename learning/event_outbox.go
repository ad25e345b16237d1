package learning

import (
	"cmp"
	"context"
	"errors"
	"time"

	eventbox "github.com/openlectern/openlectern/internal/outbox"
)

// outbox collects the events of one run of a transaction, and its changes of totals. Without
// targets it collects no events.
type outbox struct {
	box              *eventbox.Outbox
	newID            func() string
	now              func() time.Time
	catalogueChanged func() // for [Tx.AfterCommit]

	events []eventbox.Event
	totals []Total
	rowID  string // of the first row that changes a total
}

// add adds an event with a subject of the given kind: "course", "purchase" or "user".
func (o *outbox) add(t EventType, kind, id string, d EventData) {
	if len(o.box.Targets) > 0 {
		o.events = append(o.events, eventbox.Event{
			ID:        o.newID(),
			Type:      string(t),
			CreatedAt: o.now(),
			Subject:   kind + ":" + id,
			Data:      d,
		})
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

// write stores the collected events. A transaction that locks a row which others need calls it
// before that.
func (o *outbox) write(ctx context.Context, tx Tx) error {
	events := o.events
	o.events = nil
	return o.box.Write(ctx, tx, events)
}

// inTxEvents runs fn in a transaction, and stores the events and the changes of totals that fn adds
// to its outbox. The totals come last: a transaction that waited for another one while it has
// changed a total would delay transactions on other rows. inTxEvents runs the transaction again if a
// concurrent one has written an event of the same subject.
func (p *Platform) inTxEvents(ctx context.Context, fn func(tx Tx, out *outbox) error) error {
	return eventbox.Retry(ctx, func() error {
		return p.store.InTx(ctx, func(tx Tx) error {
			out := &outbox{
				box:              p.events,
				newID:            p.newID,
				now:              p.now,
				catalogueChanged: p.catalogueChanged,
			}
			if err := fn(tx, out); err != nil {
				return err
			}
			if err := out.write(ctx, tx); err != nil {
				return err
			}
			return out.writeTotals(ctx, tx)
		})
	})
}

// hasEvents reports whether events are written.
func (p *Platform) hasEvents() bool { return len(p.events.Targets) > 0 }

// eventTitle returns the title of a course for an event, or "" if no events are written.
func (p *Platform) eventTitle(ctx context.Context, courseID string) (string, error) {
	if !p.hasEvents() {
		return "", nil
	}
	c, err := p.store.Course(ctx, courseID)
	if errors.Is(err, ErrNoRecord) {
		err = nil
	}
	return c.Title, wrap("read the course of an event", err)
}
