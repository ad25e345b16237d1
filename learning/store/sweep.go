package store

import (
	"context"

	"github.com/openlectern/openlectern/learning/core"
)

type sweepRow struct {
	Name      string    `db:"name"`
	StartedAt timestamp `db:"started_at"`
	AfterAt   timestamp `db:"after_at"`
	AfterID   string    `db:"after_id"`
}

// Sweep returns ErrNoRecord if no sweep of the name was ever begun.
func (r reader) Sweep(ctx context.Context, name string) (core.Sweep, error) {
	var row sweepRow
	err := r.q.Get(ctx, "read a sweep", &row,
		`SELECT name, started_at, after_at, after_id FROM {sweeps} WHERE name = ?`, key(name))
	if err != nil {
		return core.Sweep{}, err
	}
	return core.Sweep{
		Name:      row.Name,
		StartedAt: row.StartedAt.Time(),
		After:     core.Position{At: row.AfterAt.Time(), ID: row.AfterID},
	}, nil
}

// InsertSweep returns ErrDuplicate if there is a sweep of the name.
func (t *tx) InsertSweep(ctx context.Context, s core.Sweep) error {
	return t.Insert(ctx, "insert a sweep",
		`INSERT INTO {sweeps} (name, started_at, after_at, after_id) VALUES (?, ?, ?, ?)`,
		key(s.Name), timestamp(s.StartedAt), timestamp(s.After.At), key(s.After.ID))
}

// MoveSweep replaces the start and the position by those of s. It changes nothing, and returns
// false, if they are no longer those of from.
func (t *tx) MoveSweep(ctx context.Context, from, s core.Sweep) (bool, error) {
	return t.Update(ctx, "move a sweep", `
		UPDATE {sweeps} SET started_at = ?, after_at = ?, after_id = ?
		WHERE name = ? AND started_at = ? AND after_at = ? AND after_id = ?`,
		timestamp(s.StartedAt), timestamp(s.After.At), storedKey(s.After.ID),
		key(from.Name), timestamp(from.StartedAt), timestamp(from.After.At), key(from.After.ID))
}
