package store

import (
	"context"
	"time"

	"github.com/openlectern/learning/learning"
)

type aiClaimRow struct {
	Name       string `db:"name"`
	Place      int    `db:"place"`
	Holder     string `db:"holder"`
	LeaseUntil stamp  `db:"lease_until"`
}

// AIClaims lists the claims of one name, by place, expired ones too.
func (r reader) AIClaims(ctx context.Context, name string) ([]learning.AIClaim, error) {
	var rows []aiClaimRow
	err := r.q.list(ctx, "list the claims on the AI", &rows, `SELECT name, place, holder, lease_until FROM ai_claims WHERE name = ? ORDER BY place`, key(name))
	if err != nil {
		return nil, err
	}
	list := make([]learning.AIClaim, len(rows))
	for i, row := range rows {
		list[i] = learning.AIClaim{Name: row.Name, Place: row.Place, Holder: row.Holder, LeaseUntil: row.LeaseUntil.time()}
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

// AITokens sums what everybody has used up on a day.
func (r reader) AITokens(ctx context.Context, day string) (tokens int64, err error) {
	err = r.q.get(ctx, "sum what was used of the AI", &tokens,
		`SELECT COALESCE(SUM(prompt_tokens + completion_tokens), 0) FROM ai_usage WHERE day = ?`, day)
	return tokens, err
}

// InsertAIClaim takes a place that nobody has; learning.ErrDuplicate when somebody
// does.
func (t *tx) InsertAIClaim(ctx context.Context, c learning.AIClaim) error {
	return t.insert(ctx, "claim the AI", `INSERT INTO ai_claims (name, place, holder, lease_until) VALUES (?, ?, ?, ?)`,
		key(c.Name), c.Place, key(c.Holder), stamp(c.LeaseUntil))
}

// TakeOverAIClaim gives a claim that had expired at a time to the holder of c, with
// the lease of c, when it is still the old holder's.
func (t *tx) TakeOverAIClaim(ctx context.Context, c learning.AIClaim, oldHolder string, at time.Time) (bool, error) {
	return t.update(ctx, "take over a claim on the AI", `
		UPDATE ai_claims SET holder = ?, lease_until = ? WHERE name = ? AND place = ? AND holder = ? AND lease_until <= ?`,
		key(c.Holder), stamp(c.LeaseUntil), key(c.Name), c.Place, key(oldHolder), stamp(at))
}

// DeleteAIClaim gives a place back, when it is still the holder's of c.
func (t *tx) DeleteAIClaim(ctx context.Context, c learning.AIClaim) (bool, error) {
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
