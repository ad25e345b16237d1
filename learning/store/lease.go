package store

import (
	"context"
	"errors"
	"time"

	"github.com/openlectern/openlectern/learning/core"
)

type leaseRow struct {
	Name      string    `db:"name"`
	Holder    string    `db:"holder"`
	ExpiresAt timestamp `db:"expires_at"`
}

func (r leaseRow) lease() core.Lease {
	return core.Lease{Name: r.Name, Holder: r.Holder, ExpiresAt: r.ExpiresAt.Time()}
}

// Lease returns a lease, or the zero Lease if it has no row.
func (r reader) Lease(ctx context.Context, name string) (core.Lease, error) {
	var row leaseRow
	err := r.q.Get(ctx, "read a lease", &row,
		`SELECT name, holder, expires_at FROM {leases} WHERE name = ?`, key(name))
	if errors.Is(err, core.ErrNoRecord) {
		err = nil // row is still zero: nobody has the lease
	}
	return row.lease(), err
}

// ExpiredLeases lists leases that expired before a time, the oldest first.
func (r reader) ExpiredLeases(
	ctx context.Context, before time.Time, limit int,
) ([]core.Lease, error) {
	var rows []leaseRow
	err := r.q.List(ctx, "list expired leases", &rows, `
		SELECT name, holder, expires_at FROM {leases}
		WHERE expires_at < ?
		ORDER BY expires_at LIMIT ?`,
		timestamp(before), limit)
	list := make([]core.Lease, len(rows))
	for i, row := range rows {
		list[i] = row.lease()
	}
	return list, err
}

// CountLeases counts the leases that have not expired at the time after.
func (r reader) CountLeases(ctx context.Context, after time.Time) (n int64, err error) {
	err = r.q.Get(ctx, "count leases", &n, `SELECT COUNT(*) FROM {leases} WHERE expires_at > ?`,
		timestamp(after))
	return n, err
}

// InsertLease takes a lease that has no row. It returns ErrDuplicate if it has one. leaseChanged
// reports the change to the observer after the commit.
func (t *tx) InsertLease(ctx context.Context, l core.Lease) error {
	err := t.Insert(ctx, "insert a lease",
		`INSERT INTO {leases} (name, holder, expires_at) VALUES (?, ?, ?)`,
		key(l.Name), key(l.Holder), timestamp(l.ExpiresAt))
	if err == nil {
		t.leaseChanged(ctx, l.Name, leaseTaken)
	}
	return err
}

// TakeOverLease sets the holder and the end of a lease that has expired at the time at. It returns
// false if the lease has not expired, or has no row.
func (t *tx) TakeOverLease(ctx context.Context, l core.Lease, at time.Time) (bool, error) {
	took, err := t.Update(ctx, "take over a lease",
		`UPDATE {leases} SET holder = ?, expires_at = ? WHERE name = ? AND expires_at <= ?`,
		storedKey(l.Holder), timestamp(l.ExpiresAt), key(l.Name), timestamp(at))
	if took {
		t.leaseChanged(ctx, l.Name, leaseTakenOver)
	}
	return took, err
}

// HoldLease sets the end of a lease that its holder still has. It returns false if the lease is
// lost. The loss of a lease is observed at once, even if the transaction is rolled back, because it
// has happened before.
func (t *tx) HoldLease(ctx context.Context, l core.Lease) (bool, error) {
	held, err := t.Update(ctx, "hold a lease",
		`UPDATE {leases} SET expires_at = ? WHERE name = ? AND holder = ?`,
		timestamp(l.ExpiresAt), key(l.Name), key(l.Holder))
	if err == nil && !held {
		t.observeLease(ctx, l.Name, leaseLost)
	}
	return held, err
}

// ReleaseLease deletes a lease that its holder still has. It returns false if the lease is lost,
// which is observed as in HoldLease.
func (t *tx) ReleaseLease(ctx context.Context, l core.Lease) (bool, error) {
	held, err := t.Update(ctx, "release a lease",
		`DELETE FROM {leases} WHERE name = ? AND holder = ?`, key(l.Name), key(l.Holder))
	switch {
	case held:
		t.leaseChanged(ctx, l.Name, leaseReleased)
	case err == nil:
		t.observeLease(ctx, l.Name, leaseLost)
	}
	return held, err
}
