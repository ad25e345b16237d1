package store

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/learning"
)

type aiClaimRow struct {
	Name       string    `db:"name"`
	Place      int       `db:"place"`
	Holder     string    `db:"holder"`
	LeaseUntil timestamp `db:"lease_until"`
}

// AILeases lists the claims of one name, by place, expired ones too.
func (r reader) AILeases(ctx context.Context, name string) ([]learning.AILease, error) {
	var rows []aiClaimRow
	err := r.q.list(ctx, "list the claims on the AI", &rows, `SELECT name, place, holder, lease_until FROM ai_claims WHERE name = ? ORDER BY place`, key(name))
	if err != nil {
		return nil, err
	}
	list := make([]learning.AILease, len(rows))
	for i, row := range rows {
		list[i] = learning.AILease{Name: row.Name, Place: row.Place, Holder: row.Holder, LeaseUntil: row.LeaseUntil.time()}
	}
	return list, nil
}

// AIUsageOf reads what a person has used up on a day.
func (r reader) AIUsageOf(ctx context.Context, userID, day string) (learning.AIUsage, error) {
	var row struct {
		Prompt     int64 `db:"prompt_tokens"`
		Completion int64 `db:"completion_tokens"`
	}
	err := r.q.get(ctx, "read what somebody has used of the AI", &row,
		`SELECT prompt_tokens, completion_tokens FROM ai_usage WHERE day = ? AND user_id = ?`, day, key(userID))
	return learning.AIUsage{Prompt: row.Prompt, Completion: row.Completion}, err
}

// AISpentBy sums what a person has used on a day, and the person's reservations of the
// day whose lease is over.
func (r reader) AISpentBy(ctx context.Context, userID, day string, at time.Time) (tokens int64, err error) {
	err = r.q.get(ctx, "sum what somebody has spent on the AI", &tokens, `
		SELECT (SELECT COALESCE(SUM(prompt_tokens + completion_tokens), 0) FROM ai_usage WHERE day = ? AND user_id = ?)
			+ (SELECT COALESCE(SUM(tokens), 0) FROM ai_reservations WHERE day = ? AND user_id = ? AND lease_until <= ?)`,
		day, key(userID), day, key(userID), timestamp(at))
	return tokens, err
}

// AISpent is AISpentBy for all people together.
func (r reader) AISpent(ctx context.Context, day string, at time.Time) (tokens int64, err error) {
	err = r.q.get(ctx, "sum what was spent on the AI", &tokens, `
		SELECT (SELECT COALESCE(SUM(prompt_tokens + completion_tokens), 0) FROM ai_usage WHERE day = ?)
			+ (SELECT COALESCE(SUM(tokens), 0) FROM ai_reservations WHERE day = ? AND lease_until <= ?)`,
		day, day, timestamp(at))
	return tokens, err
}

// InsertAILease takes a place that nobody has; learning.ErrDuplicate when somebody
// does.
func (t *tx) InsertAILease(ctx context.Context, c learning.AILease) error {
	return t.insert(ctx, "claim the AI", `INSERT INTO ai_claims (name, place, holder, lease_until) VALUES (?, ?, ?, ?)`,
		key(c.Name), c.Place, key(c.Holder), timestamp(c.LeaseUntil))
}

// TakeOverAILease gives a claim that had expired at a time to the holder of c, with
// the lease of c, when it is still the old holder's.
func (t *tx) TakeOverAILease(ctx context.Context, c learning.AILease, oldHolder string, at time.Time) (bool, error) {
	return t.update(ctx, "take over a claim on the AI", `
		UPDATE ai_claims SET holder = ?, lease_until = ? WHERE name = ? AND place = ? AND holder = ? AND lease_until <= ?`,
		key(c.Holder), timestamp(c.LeaseUntil), key(c.Name), c.Place, key(oldHolder), timestamp(at))
}

// DeleteAILease gives a place back, when it is still the holder's of c.
func (t *tx) DeleteAILease(ctx context.Context, c learning.AILease) (bool, error) {
	return t.update(ctx, "end a claim on the AI", `DELETE FROM ai_claims WHERE name = ? AND place = ? AND holder = ?`,
		key(c.Name), c.Place, key(c.Holder))
}

// InsertAIUsage stores the first usage of a person on a day; learning.ErrDuplicate
// when it is not the first.
func (t *tx) InsertAIUsage(ctx context.Context, userID, day string, u learning.AIUsage) error {
	return t.insert(ctx, "store what somebody has used of the AI", `
		INSERT INTO ai_usage (day, user_id, prompt_tokens, completion_tokens) VALUES (?, ?, ?, ?)`,
		day, key(userID), u.Prompt, u.Completion)
}

// AddAIUsage adds to it, and tells whether there was any.
func (t *tx) AddAIUsage(ctx context.Context, userID, day string, u learning.AIUsage) (bool, error) {
	return t.update(ctx, "add to what somebody has used of the AI", `
		UPDATE ai_usage SET prompt_tokens = prompt_tokens + ?, completion_tokens = completion_tokens + ? WHERE day = ? AND user_id = ?`,
		u.Prompt, u.Completion, day, key(userID))
}

// InsertAIReservation stores what a call can use at most.
func (t *tx) InsertAIReservation(ctx context.Context, r learning.AIReservation) error {
	return t.insert(ctx, "reserve tokens of the AI", `
		INSERT INTO ai_reservations (day, user_id, holder, tokens, lease_until) VALUES (?, ?, ?, ?, ?)`,
		r.Day, key(r.UserID), key(r.Holder), r.Tokens, timestamp(r.LeaseUntil))
}

// DeleteAIReservation removes a reservation; it tells whether there was one.
func (t *tx) DeleteAIReservation(ctx context.Context, r learning.AIReservation) (bool, error) {
	return t.update(ctx, "end a reservation of tokens of the AI",
		`DELETE FROM ai_reservations WHERE day = ? AND user_id = ? AND holder = ?`, r.Day, key(r.UserID), key(r.Holder))
}
