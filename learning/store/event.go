package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/openlectern/openlectern/internal/eventjson"
	"github.com/openlectern/openlectern/learning"
)

type eventRow struct {
	ID        string               `db:"id"`
	Target    string               `db:"target"`
	Shard     string               `db:"shard"`
	Subject   string               `db:"subject"`
	Seq       int64                `db:"seq"`
	Type      learning.EventType   `db:"type"`
	Data      []byte               `db:"data"`
	CreatedAt timestamp            `db:"created_at"`
	Status    learning.EventStatus `db:"status"`
	StatusAt  timestamp            `db:"status_at"`
	Attempts  int                  `db:"attempts"`
	LastError string               `db:"last_error"`
}

const selectEvents = `
	SELECT id, target, shard, subject, seq, type, data, created_at, status, status_at, attempts, last_error
	FROM event_deliveries`

func (r *eventRow) delivery() (learning.EventDelivery, error) {
	data, err := eventjson.UnmarshalData(r.Data)
	return learning.EventDelivery{
		Event:  learning.Event{ID: r.ID, Type: r.Type, CreatedAt: r.CreatedAt.time(), Subject: r.Subject, Data: data},
		Target: r.Target, Shard: r.Shard, Seq: r.Seq, Status: r.Status, StatusAt: r.StatusAt.time(),
		Attempts: r.Attempts, LastError: r.LastError,
	}, err
}

func (r reader) events(ctx context.Context, action, query string, args ...any) ([]learning.EventDelivery, error) {
	var rows []eventRow
	if err := r.q.list(ctx, action, &rows, selectEvents+query, args...); err != nil {
		return nil, err
	}
	list := make([]learning.EventDelivery, len(rows))
	for i := range rows {
		var err error
		if list[i], err = rows[i].delivery(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// keys returns ids as arguments.
func keys(ids []string) []any {
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = key(id)
	}
	return args
}

// LastEventSeqs reads the highest position of each of the subjects at any of the targets.
func (r reader) LastEventSeqs(ctx context.Context, targets, subjects []string) (map[string]int64, error) {
	var rows []struct {
		Subject string `db:"subject"`
		Seq     int64  `db:"seq"`
	}
	err := r.q.list(ctx, "read the positions of events", &rows, `
		SELECT subject, MAX(seq) AS seq FROM event_deliveries
		WHERE target IN (`+placeholders(len(targets))+`) AND subject IN (`+placeholders(len(subjects))+`)
		GROUP BY target, subject`, slices.Concat(keys(targets), keys(subjects))...)
	last := map[string]int64{}
	for _, row := range rows {
		last[row.Subject] = max(last[row.Subject], row.Seq)
	}
	return last, err
}

// DueEventShards lists those of the shards that have a due delivery.
func (r reader) DueEventShards(ctx context.Context, shards []string, at time.Time) (due []string, err error) {
	err = r.q.list(ctx, "list the shards of due events", &due, `
		SELECT DISTINCT shard FROM event_deliveries WHERE shard IN (`+placeholders(len(shards))+`) AND status = 'pending' AND status_at <= ?`,
		append(keys(shards), timestamp(at))...)
	return due, err
}

// DueEventSubjects lists subjects of a shard that have a due delivery, the longest due
// first, at most limit.
func (r reader) DueEventSubjects(ctx context.Context, shard string, at time.Time, limit int) (due []string, err error) {
	err = r.q.list(ctx, "list the subjects of due events", &due, `
		SELECT subject FROM event_deliveries WHERE shard = ? AND status = 'pending' AND status_at <= ?
		GROUP BY subject ORDER BY MIN(status_at), subject LIMIT ?`, key(shard), timestamp(at), limit)
	return due, err
}

// UndeliveredEvents lists the deliveries of a subject to a target that are not delivered,
// by position, at most limit.
func (r reader) UndeliveredEvents(ctx context.Context, target, subject string, limit int) ([]learning.EventDelivery, error) {
	return r.events(ctx, "list undelivered events", ` WHERE target = ? AND subject = ? AND status <> 'delivered' ORDER BY seq LIMIT ?`,
		key(target), key(subject), limit)
}

// CountUndeliveredEvents counts the deliveries of the shards by status, without those that are
// delivered.
func (r reader) CountUndeliveredEvents(ctx context.Context, shards []string) ([]learning.EventCount, error) {
	var rows []struct {
		Status learning.EventStatus `db:"status"`
		Number int64                `db:"number"`
		Oldest timestamp            `db:"oldest"`
	}
	err := r.q.list(ctx, "count undelivered events", &rows, `
		SELECT status, COUNT(*) AS number, MIN(created_at) AS oldest FROM event_deliveries
		WHERE shard IN (`+placeholders(len(shards))+`) AND status IN ('pending', 'blocked', 'failed') GROUP BY status`, keys(shards)...)
	list := make([]learning.EventCount, len(rows))
	for i, row := range rows {
		list[i] = learning.EventCount{Status: row.Status, Number: row.Number, Oldest: row.Oldest.time()}
	}
	return list, err
}

// EventDeliveries lists deliveries by the id of the event and the target.
func (r reader) EventDeliveries(ctx context.Context, q learning.EventQuery) ([]learning.EventDelivery, error) {
	var f filter
	for _, c := range []struct{ condition, value string }{
		{`id = ?`, q.ID}, {`id > ?`, q.After}, {`target = ?`, q.Target}, {`status = ?`, string(q.Status)},
	} {
		if c.value != "" {
			f.add(c.condition, key(c.value))
		}
	}
	return r.events(ctx, "list events", f.where()+` ORDER BY id, target LIMIT ?`, append(f.args, q.Limit)...)
}

// OldestDelivered returns the time of the n-th delivered event of a shard, the oldest
// first.
func (r reader) OldestDelivered(ctx context.Context, shard string, n int) (time.Time, error) {
	var at timestamp
	err := r.q.get(ctx, "find old events", &at, `
		SELECT status_at FROM event_deliveries WHERE shard = ? AND status = 'delivered' ORDER BY status_at LIMIT 1 OFFSET ?`, key(shard), n-1)
	return at.time(), err
}

// InsertEvents adds deliveries in one statement. It returns learning.ErrDuplicate if a
// position is taken.
func (t *tx) InsertEvents(ctx context.Context, list []learning.EventDelivery) error {
	var args []any
	for _, d := range list {
		data, err := eventjson.MarshalData(d.Data)
		if err != nil {
			return err
		}
		args = append(args, key(d.ID), key(d.Target), key(d.Shard), key(d.Subject), d.Seq, string(d.Type), string(data),
			timestamp(d.CreatedAt), string(d.Status), timestamp(d.StatusAt), d.Attempts, d.LastError)
	}
	return t.insert(ctx, "insert events", `
		INSERT INTO event_deliveries (id, target, shard, subject, seq, type, data, created_at, status, status_at, attempts, last_error)
		VALUES `+strings.Repeat(`, (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, len(list))[2:], args...)
}

// SetEventStatus sets the state of a delivery to that of d, if its status is the given one.
func (t *tx) SetEventStatus(ctx context.Context, d learning.EventDelivery, was learning.EventStatus) (bool, error) {
	return t.update(ctx, "set the status of an event", `
		UPDATE event_deliveries SET status = ?, status_at = ?, attempts = ?, last_error = ? WHERE id = ? AND target = ? AND status = ?`,
		string(d.Status), timestamp(d.StatusAt), d.Attempts, d.LastError, key(d.ID), key(d.Target), string(was))
}

// SetWaitingEvents sets the status and its time of the pending and blocked deliveries of
// the subject and target of d.
func (t *tx) SetWaitingEvents(ctx context.Context, d learning.EventDelivery) error {
	_, err := t.exec(ctx, "set the status of waiting events", `
		UPDATE event_deliveries SET status = ?, status_at = ? WHERE target = ? AND subject = ? AND status IN ('pending', 'blocked')`,
		string(d.Status), timestamp(d.StatusAt), key(d.Target), key(d.Subject))
	return err
}

// DeleteDeliveredEvents deletes the events of a shard that were delivered at the given
// time or before. It reports whether there were any.
func (t *tx) DeleteDeliveredEvents(ctx context.Context, shard string, until time.Time) (bool, error) {
	return t.update(ctx, "delete delivered events", `DELETE FROM event_deliveries WHERE shard = ? AND status = 'delivered' AND status_at <= ?`,
		key(shard), timestamp(until))
}
