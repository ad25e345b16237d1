package store

import (
	"context"
	"strings"
	"time"

	"github.com/openlectern/openlectern/internal/eventjson"
	"github.com/openlectern/openlectern/internal/outbox"
	"github.com/openlectern/openlectern/learning/core"
)

type eventRow struct {
	ID        string        `db:"id"`
	Target    string        `db:"target"`
	Shard     string        `db:"shard"`
	Subject   string        `db:"subject"`
	Seq       int64         `db:"seq"`
	Type      string        `db:"type"`
	Data      []byte        `db:"data"`
	CreatedAt timestamp     `db:"created_at"`
	Status    outbox.Status `db:"status"`
	StatusAt  timestamp     `db:"status_at"`
	Attempts  int           `db:"attempts"`
	LastError string        `db:"last_error"`
}

const selectEvents = `
	SELECT id, target, shard, subject, seq, type, data, created_at, status, status_at, attempts,
		last_error
	FROM {event_deliveries}`

// delivery returns the delivery of the row, or an error if the text of its data is damaged.
func (r *eventRow) delivery() (outbox.Delivery, error) {
	data, err := eventjson.UnmarshalData(r.Data)
	return outbox.Delivery{
		Event: outbox.Event{
			ID:        r.ID,
			Type:      r.Type,
			CreatedAt: r.CreatedAt.Time(),
			Subject:   r.Subject,
			Data:      data,
		},
		Target:    r.Target,
		Shard:     r.Shard,
		Seq:       r.Seq,
		Status:    r.Status,
		StatusAt:  r.StatusAt.Time(),
		Attempts:  r.Attempts,
		LastError: r.LastError,
	}, err
}

// events lists deliveries. clauses follow the table, and may begin with a hint.
func (r reader) events(
	ctx context.Context, action, clauses string, args ...any,
) ([]outbox.Delivery, error) {
	var rows []eventRow
	if err := r.q.List(ctx, action, &rows, selectEvents+clauses, args...); err != nil {
		return nil, err
	}
	list := make([]outbox.Delivery, len(rows))
	for i := range rows {
		var err error
		if list[i], err = rows[i].delivery(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// keys returns ids as arguments of a condition.
func keys(ids []string) []any {
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = key(id)
	}
	return args
}

// LastEventSeqs reads the highest position of each subject at any of the targets. A subject without
// events is not in the map. There must be a target and a subject at least.
func (r reader) LastEventSeqs(
	ctx context.Context, targets, subjects []string,
) (map[string]int64, error) {
	var rows []struct {
		Subject string `db:"subject"`
		Seq     int64  `db:"seq"`
	}
	var args []any
	for _, target := range targets {
		for _, subject := range subjects {
			args = append(args, key(target), key(subject))
		}
	}
	err := r.q.List(ctx, "read the positions of events", &rows,
		unionAll(len(targets)*len(subjects), `
		SELECT subject, seq FROM (
			SELECT subject, seq FROM {event_deliveries}
			WHERE target = ? AND subject = ? ORDER BY seq DESC LIMIT 1
		) AS last_event`), args...)
	last := map[string]int64{}
	for _, row := range rows {
		last[row.Subject] = max(last[row.Subject], row.Seq)
	}
	return last, err
}

// unionAll returns a query for the rows of n queries with the same text, at least one. Each has
// arguments of its own.
func unionAll(n int, query string) string {
	return query + strings.Repeat(` UNION ALL `+query, n-1)
}

// FirstPending reads the first due time of each shard. There must be one shard at least.
func (r reader) FirstPending(
	ctx context.Context, shards []string,
) ([]outbox.ShardDue, error) {
	var args []any
	for _, shard := range shards {
		args = append(args, key(shard))
	}
	var rows []struct {
		Shard string    `db:"shard"`
		At    timestamp `db:"status_at"`
	}
	err := r.q.List(ctx, "list the shards of pending events", &rows, unionAll(len(shards), `
		SELECT shard, status_at FROM (
			SELECT shard, status_at FROM {event_deliveries}
			WHERE shard = ? AND status = 'pending' ORDER BY status_at LIMIT 1
		) AS first_event`), args...)
	due := make([]outbox.ShardDue, len(rows))
	for i, row := range rows {
		due[i] = outbox.ShardDue{Shard: row.Shard, At: row.At.Time()}
	}
	return due, err
}

// byDueTime is the order of due deliveries. The deliveries of one subject and time are equal
// in it, because the first of them is enough to find the subject.
var byDueTime = order{columns: []string{"status_at", "subject"}}

// DueEvents lists a page of the due deliveries of a shard. after is the last one of the previous
// page, or zero. A delivery of the page has only the subject, the position, the time and the
// attempts, which tell the subjects that are due, and whether they have failed before. A page may
// skip further deliveries of the same subject and time.
func (r reader) DueEvents(
	ctx context.Context, shard string, at time.Time, after outbox.Delivery, limit int,
) ([]outbox.Delivery, error) {
	var rows []eventRow
	var f filter
	f.add(`shard = ?`, key(shard))
	f.add(`status = 'pending'`)
	f.add(`status_at <= ?`, timestamp(at))
	d := r.engine()
	tail, pageLimit := d.addPage(&f, byDueTime, core.PageRequest{
		After: core.Position{At: after.StatusAt, ID: after.Subject},
		Limit: limit,
	})
	err := r.q.List(ctx, "list due events", &rows, `
		SELECT subject, seq, status_at, attempts
		FROM {event_deliveries}`+d.ForceIndex("event_deliveries_due")+f.where()+tail,
		append(f.args, pageLimit)...)
	list := make([]outbox.Delivery, len(rows))
	for i, row := range rows {
		list[i] = outbox.Delivery{
			Event:    outbox.Event{Subject: row.Subject},
			Seq:      row.Seq,
			StatusAt: row.StatusAt.Time(),
			Attempts: row.Attempts,
		}
	}
	return list, err
}

// UndeliveredEvents lists the first deliveries of a subject to a target that are not delivered, in
// their order.
func (r reader) UndeliveredEvents(
	ctx context.Context, target, subject string, limit int,
) ([]outbox.Delivery, error) {
	hint := r.engine().ForceIndex("event_deliveries_order")
	return r.events(ctx, "list the undelivered events of a subject", hint+`
		WHERE target = ? AND subject = ? AND status <> 'delivered' ORDER BY seq LIMIT ?`,
		key(target), key(subject), limit)
}

// maxEventRanges is how many ranges one statement reads.
const maxEventRanges = 16

// UndeliveredEventsIn lists the deliveries to a target in some ranges of subjects that are not
// delivered, in no order. There must be one range at least, and at most maxEventRanges.
func (r reader) UndeliveredEventsIn(
	ctx context.Context, target string, ranges []outbox.Range,
) ([]outbox.Delivery, error) {
	// SQLite prepares two texts only: for one range, and for all. Where there are fewer, the last
	// range is repeated.
	n := 1
	if len(ranges) > 1 {
		n = maxEventRanges
	}
	var args []any
	for i := range n {
		events := ranges[min(i, len(ranges)-1)]
		args = append(args, key(target), key(events.Subject), events.From, events.To)
	}

	// The target is in each range, because SQLite would otherwise read all of its deliveries.
	const in = `target = ? AND subject = ? AND seq BETWEEN ? AND ?`
	return r.events(ctx, "list undelivered events",
		r.engine().ForceIndex("event_deliveries_order")+`
		WHERE (`+in+strings.Repeat(` OR `+in, n-1)+`) AND status <> 'delivered'`, args...)
}

// LastPendingEvents returns the positions of the pending deliveries at the end of a subject: those
// after the last one that is not pending. If there are none, from is above to.
func (r reader) LastPendingEvents(
	ctx context.Context, target, subject string,
) (from, to int64, err error) {
	var row struct {
		Before int64 `db:"before_them"`
		Last   int64 `db:"last_seq"`
	}
	err = r.q.Get(ctx, "find the last pending events", &row, `
		SELECT
			COALESCE((SELECT seq FROM {event_deliveries} WHERE target = ? AND subject = ?
				AND status <> 'pending' ORDER BY seq DESC LIMIT 1), 0) AS before_them,
			COALESCE((SELECT MAX(seq) FROM {event_deliveries} WHERE target = ? AND subject = ?), 0)
				AS last_seq`,
		key(target), key(subject), key(target), key(subject))
	return row.Before + 1, row.Last, err // 1 and 0 without any deliveries
}

// CountUndeliveredEvents counts the deliveries in the shards by status. A status without deliveries
// is left out.
func (r reader) CountUndeliveredEvents(
	ctx context.Context, shards []string,
) ([]outbox.Count, error) {
	var rows []struct {
		Status outbox.Status `db:"status"`
		Number int64         `db:"number"`
		Oldest timestamp     `db:"oldest"`
	}
	err := r.q.List(ctx, "count undelivered events", &rows, `
		SELECT status, COUNT(*) AS number, MIN(created_at) AS oldest FROM {event_deliveries}
		WHERE shard IN (`+placeholders(len(shards))+
		`) AND status IN ('pending', 'blocked', 'failed') GROUP BY status`, keys(shards)...)
	list := make([]outbox.Count, len(rows))
	for i, row := range rows {
		list[i] = outbox.Count{Status: row.Status, Number: row.Number, Oldest: row.Oldest.Time()}
	}
	return list, err
}

// EventDeliveries lists the deliveries that fulfil all conditions of q, sorted by the id of the
// event. What is "" in q is no condition.
func (r reader) EventDeliveries(ctx context.Context, q outbox.Query) ([]outbox.Delivery, error) {
	var f filter
	for _, c := range []struct{ condition, value string }{
		{`id = ?`, q.ID}, {`id > ?`, q.After}, {`target = ?`, q.Target},
		{`status = ?`, string(q.Status)},
	} {
		if c.value != "" {
			f.add(c.condition, key(c.value))
		}
	}
	return r.events(ctx, "list events", f.where()+` ORDER BY id, target LIMIT ?`,
		append(f.args, q.Limit)...)
}

// OldestEvent returns the time at which the n-th delivery of a shard with a status has got that
// status. n counts from 1, in the order of these times. OldestEvent returns ErrNoRecord if there
// are fewer than n.
func (r reader) OldestEvent(
	ctx context.Context, shard string, status outbox.Status, n int,
) (time.Time, error) {
	var at timestamp
	err := r.q.Get(ctx, "find old events", &at, `
		SELECT status_at FROM {event_deliveries}
		WHERE shard = ? AND status = ? ORDER BY status_at LIMIT 1 OFFSET ?`,
		key(shard), string(status), n-1)
	return at.Time(), err
}

// NextEventTarget returns the first target that follows after in the order of the names and has
// events. It returns ErrNoRecord if there is none.
func (r reader) NextEventTarget(ctx context.Context, after string) (target string, err error) {
	err = r.q.Get(ctx, "find targets of events", &target, `
		SELECT target FROM {event_deliveries}`+r.engine().ForceIndex("event_deliveries_order")+`
		WHERE target > ? ORDER BY target LIMIT 1`, key(after))
	return target, err
}

// HasEventsAfter reports whether a delivery has got its status after a time, or is due after it.
// The condition names all statuses, because in the index the status comes before the time.
func (r reader) HasEventsAfter(
	ctx context.Context, shards []string, at time.Time,
) (bool, error) {
	var found []string // the shard of one such delivery, or nothing
	err := r.q.List(ctx, "find recent events", &found, `
		SELECT shard FROM {event_deliveries}
		WHERE shard IN (`+placeholders(len(shards))+`)
			AND status IN ('pending', 'blocked', 'failed', 'delivered') AND status_at > ? LIMIT 1`,
		append(keys(shards), timestamp(at))...)
	return len(found) > 0, err
}

// InsertEvents inserts all deliveries in one statement. The list must not be empty.
func (t *tx) InsertEvents(ctx context.Context, list []outbox.Delivery) error {
	var args []any
	for _, d := range list {
		eventData, _ := d.Data.(core.EventData) // zero for an event without data
		data, err := eventjson.MarshalData(eventData)
		if err != nil {
			return err
		}
		args = append(args, key(d.ID), key(d.Target), key(d.Shard), key(d.Subject), d.Seq, d.Type,
			string(data),
			timestamp(d.CreatedAt), string(d.Status), timestamp(d.StatusAt), d.Attempts,
			d.LastError)
	}
	const oneRow = `, (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	rows := strings.TrimPrefix(strings.Repeat(oneRow, len(list)), `, `)
	return t.InsertAll(ctx, "insert events", `
		INSERT INTO {event_deliveries} (id, target, shard, subject, seq, type, data, created_at,
			status, status_at, attempts, last_error)
		VALUES `+rows, args...)
}

// SetEventStatus stores the status, its time, the attempts and the last error of after. It changes
// nothing, and returns false, if the status or the attempts are no longer those of before.
func (t *tx) SetEventStatus(
	ctx context.Context, before, after outbox.Delivery,
) (bool, error) {
	return t.Update(ctx, "set the status of an event", `
		UPDATE {event_deliveries} SET status = ?, status_at = ?, attempts = ?, last_error = ?
		WHERE id = ? AND target = ? AND status = ? AND attempts = ?`,
		string(after.Status), timestamp(after.StatusAt), after.Attempts, after.LastError,
		key(before.ID), key(before.Target), string(before.Status), before.Attempts)
}

// SetEventsDelivered marks pending and blocked deliveries as delivered, and counts one more attempt
// of each. There must be one id at least, and at most idBatchSize: batchArgs repeats the last one.
func (t *tx) SetEventsDelivered(
	ctx context.Context, target string, ids []string, at time.Time,
) error {
	_, err := t.Exec(ctx, "set the status of delivered events", `
		UPDATE {event_deliveries}
		SET status = 'delivered', status_at = ?, attempts = attempts + 1, last_error = ''
		WHERE target = ? AND id IN (`+placeholders(idBatchSize)+`)
			AND status IN ('pending', 'blocked')`,
		append([]any{timestamp(at), key(target)}, batchArgs(ids)...)...)
	return err
}

// UnblockEvents makes blocked deliveries pending, so that they are due at a time. There must be one
// id at least, and at most idBatchSize.
func (t *tx) UnblockEvents(ctx context.Context, target string, ids []string, at time.Time) error {
	_, err := t.Exec(ctx, "unblock events", `
		UPDATE {event_deliveries} SET status = 'pending', status_at = ?
		WHERE target = ? AND id IN (`+placeholders(idBatchSize)+`) AND status = 'blocked'`,
		append([]any{timestamp(at), key(target)}, batchArgs(ids)...)...)
	return err
}

// BlockEvents blocks the pending deliveries of a subject from one position to another, inclusive.
// at is the time since which they are blocked.
func (t *tx) BlockEvents(
	ctx context.Context, target, subject string, from, to int64, at time.Time,
) error {
	_, err := t.Exec(ctx, "block events", `
		UPDATE {event_deliveries} SET status = 'blocked', status_at = ?
		WHERE target = ? AND subject = ? AND seq BETWEEN ? AND ? AND status = 'pending'`,
		timestamp(at), key(target), key(subject), from, to)
	return err
}

// DeleteEvents deletes the deliveries of a shard that have had a status since the time until, or
// longer. It reports whether there were any.
func (t *tx) DeleteEvents(
	ctx context.Context, shard string, status outbox.Status, until time.Time,
) (bool, error) {
	return t.Update(ctx, "delete events", `
		DELETE FROM {event_deliveries} WHERE shard = ? AND status = ? AND status_at <= ?`,
		key(shard), string(status), timestamp(until))
}

// SignalEvents implements [outbox.Signals]. Only PostgreSQL has signals.
func (s *Store) SignalEvents(ctx context.Context) error { return s.db.Signal(ctx) }

// HearEvents implements [outbox.Signals].
func (s *Store) HearEvents(heard func()) (stop func()) { return s.db.Hear(heard) }
