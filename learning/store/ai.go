package store

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/learning"
)

type aiLeaseRow struct {
	Name       string    `db:"name"`
	Place      int       `db:"place"`
	Holder     string    `db:"holder"`
	LeaseUntil timestamp `db:"lease_until"`
}

// AILeases lists the leases of a name by slot, with expired ones.
func (r reader) AILeases(ctx context.Context, name string) ([]learning.AILease, error) {
	var rows []aiLeaseRow
	err := r.q.list(ctx, "list the AI leases", &rows, `SELECT name, place, holder, lease_until FROM ai_claims WHERE name = ? ORDER BY place`, key(name))
	if err != nil {
		return nil, err
	}
	list := make([]learning.AILease, len(rows))
	for i, row := range rows {
		list[i] = learning.AILease{Name: row.Name, Slot: row.Place, Holder: row.Holder, LeaseUntil: row.LeaseUntil.time()}
	}
	return list, nil
}

// AIUsageOf reads the tokens that a user has used on a day.
func (r reader) AIUsageOf(ctx context.Context, userID, day string) (learning.AIUsage, error) {
	var row struct {
		Prompt     int64 `db:"prompt_tokens"`
		Completion int64 `db:"completion_tokens"`
	}
	err := r.q.get(ctx, "read the AI usage of a user", &row,
		`SELECT prompt_tokens, completion_tokens FROM ai_usage WHERE day = ? AND user_id = ?`, day, key(userID))
	return learning.AIUsage{Prompt: row.Prompt, Completion: row.Completion}, err
}

// AISpentBy sums the tokens that a user has used on a day, and the user's reservations of the day
// whose lease is over.
func (r reader) AISpentBy(ctx context.Context, userID, day string, at time.Time) (tokens int64, err error) {
	err = r.q.get(ctx, "sum the AI tokens of a user", &tokens, `
		SELECT (SELECT COALESCE(SUM(prompt_tokens + completion_tokens), 0) FROM ai_usage WHERE day = ? AND user_id = ?)
			+ (SELECT COALESCE(SUM(tokens), 0) FROM ai_reservations WHERE day = ? AND user_id = ? AND lease_until <= ?)`,
		day, key(userID), day, key(userID), timestamp(at))
	return tokens, err
}

// AISpent is AISpentBy for all users together.
func (r reader) AISpent(ctx context.Context, day string, at time.Time) (tokens int64, err error) {
	err = r.q.get(ctx, "sum the AI tokens of all users", &tokens, `
		SELECT (SELECT COALESCE(SUM(prompt_tokens + completion_tokens), 0) FROM ai_usage WHERE day = ?)
			+ (SELECT COALESCE(SUM(tokens), 0) FROM ai_reservations WHERE day = ? AND lease_until <= ?)`,
		day, day, timestamp(at))
	return tokens, err
}

// InsertAILease takes a free slot. It returns learning.ErrDuplicate if the slot is taken.
func (t *tx) InsertAILease(ctx context.Context, c learning.AILease) error {
	return t.insert(ctx, "insert an AI lease", `INSERT INTO ai_claims (name, place, holder, lease_until) VALUES (?, ?, ?, ?)`,
		key(c.Name), c.Slot, key(c.Holder), timestamp(c.LeaseUntil))
}

// TakeOverAILease gives a slot to the holder of c with the lease of c, if oldHolder holds it
// and its lease has expired at the given time. It reports whether it did.
func (t *tx) TakeOverAILease(ctx context.Context, c learning.AILease, oldHolder string, at time.Time) (bool, error) {
	return t.update(ctx, "take over an AI lease", `
		UPDATE ai_claims SET holder = ?, lease_until = ? WHERE name = ? AND place = ? AND holder = ? AND lease_until <= ?`,
		key(c.Holder), timestamp(c.LeaseUntil), key(c.Name), c.Slot, key(oldHolder), timestamp(at))
}

// DeleteAILease frees a slot if the holder of c holds it. It reports whether it did.
func (t *tx) DeleteAILease(ctx context.Context, c learning.AILease) (bool, error) {
	return t.update(ctx, "delete an AI lease", `DELETE FROM ai_claims WHERE name = ? AND place = ? AND holder = ?`,
		key(c.Name), c.Slot, key(c.Holder))
}

// InsertAIUsage stores the first usage of a user on a day. It returns
// learning.ErrDuplicate if it is not the first.
func (t *tx) InsertAIUsage(ctx context.Context, userID, day string, u learning.AIUsage) error {
	return t.insert(ctx, "insert the AI usage of a user", `
		INSERT INTO ai_usage (day, user_id, prompt_tokens, completion_tokens) VALUES (?, ?, ?, ?)`,
		day, key(userID), u.Prompt, u.Completion)
}

// AddAIUsage adds to the usage of a user on a day. It reports whether there is a row.
func (t *tx) AddAIUsage(ctx context.Context, userID, day string, u learning.AIUsage) (bool, error) {
	return t.update(ctx, "add to the AI usage of a user", `
		UPDATE ai_usage SET prompt_tokens = prompt_tokens + ?, completion_tokens = completion_tokens + ? WHERE day = ? AND user_id = ?`,
		u.Prompt, u.Completion, day, key(userID))
}

// InsertAIReservation stores how many tokens a call can use at most.
func (t *tx) InsertAIReservation(ctx context.Context, r learning.AIReservation) error {
	return t.insert(ctx, "reserve AI tokens", `
		INSERT INTO ai_reservations (day, user_id, holder, tokens, lease_until) VALUES (?, ?, ?, ?, ?)`,
		r.Day, key(r.UserID), key(r.Holder), r.Tokens, timestamp(r.LeaseUntil))
}

// DeleteAIReservation removes a reservation. It reports whether there was one.
func (t *tx) DeleteAIReservation(ctx context.Context, r learning.AIReservation) (bool, error) {
	return t.update(ctx, "delete an AI reservation",
		`DELETE FROM ai_reservations WHERE day = ? AND user_id = ? AND holder = ?`, r.Day, key(r.UserID), key(r.Holder))
}
