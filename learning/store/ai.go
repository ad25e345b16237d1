package store

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/internal/aigate"
)

// AIUsageOf returns ErrNoRecord if no usage of the user is stored for that day.
func (r reader) AIUsageOf(ctx context.Context, userID, day string) (aigate.Usage, error) {
	var row struct {
		Prompt     int64 `db:"prompt_tokens"`
		Completion int64 `db:"completion_tokens"`
	}
	err := r.q.Get(ctx, "read the AI usage of a user", &row,
		`SELECT prompt_tokens, completion_tokens FROM {ai_usage} WHERE day = ? AND user_id = ?`,
		day, key(userID))
	return aigate.Usage{Prompt: row.Prompt, Completion: row.Completion}, err
}

// AISpentBy returns how many tokens a user has spent on a day. It also counts the reservations
// whose leases have expired at the time at, because their calls of the AI did not store what they
// spent.
func (r reader) AISpentBy(
	ctx context.Context, userID, day string, at time.Time,
) (tokens int64, err error) {
	err = r.q.Get(ctx, "sum the AI tokens of a user", &tokens, `
		SELECT (SELECT COALESCE(SUM(prompt_tokens + completion_tokens), 0)
				FROM {ai_usage} WHERE day = ? AND user_id = ?)
			+ (SELECT COALESCE(SUM(tokens), 0)
				FROM {ai_reservations} WHERE day = ? AND user_id = ? AND lease_until <= ?)`,
		day, key(userID), day, key(userID), timestamp(at))
	return tokens, err
}

// AISpent is AISpentBy for all users together.
func (r reader) AISpent(ctx context.Context, day string, at time.Time) (tokens int64, err error) {
	err = r.q.Get(ctx, "sum the AI tokens of all users", &tokens, `
		SELECT (SELECT COALESCE(SUM(prompt_tokens + completion_tokens), 0)
				FROM {ai_usage} WHERE day = ?)
			+ (SELECT COALESCE(SUM(tokens), 0)
				FROM {ai_reservations} WHERE day = ? AND lease_until <= ?)`,
		day, day, timestamp(at))
	return tokens, err
}

// ExpiredAIReservations lists the reservations whose leases ended before a time, the oldest first.
func (r reader) ExpiredAIReservations(
	ctx context.Context, before time.Time, limit int,
) ([]aigate.Reservation, error) {
	var rows []struct {
		UserID     string    `db:"user_id"`
		Day        string    `db:"day"`
		Holder     string    `db:"holder"`
		Tokens     int64     `db:"tokens"`
		LeaseUntil timestamp `db:"lease_until"`
	}
	err := r.q.List(ctx, "list expired AI reservations", &rows, `
		SELECT user_id, day, holder, tokens, lease_until FROM {ai_reservations}
		WHERE lease_until < ? ORDER BY lease_until LIMIT ?`, timestamp(before), limit)
	list := make([]aigate.Reservation, len(rows))
	for i, row := range rows {
		list[i] = aigate.Reservation{
			UserID:     row.UserID,
			Day:        row.Day,
			Holder:     row.Holder,
			Tokens:     row.Tokens,
			LeaseUntil: row.LeaseUntil.Time(),
		}
	}
	return list, err
}

// InsertAIUsage returns ErrDuplicate if the user has a usage on that day: see AddAIUsage.
func (t *tx) InsertAIUsage(ctx context.Context, userID, day string, u aigate.Usage) error {
	return t.Insert(ctx, "insert the AI usage of a user", `
		INSERT INTO {ai_usage} (day, user_id, prompt_tokens, completion_tokens)
		VALUES (?, ?, ?, ?)`,
		day, key(userID), u.Prompt, u.Completion)
}

// AddAIUsage returns false if the user has no usage on that day, which InsertAIUsage then inserts.
func (t *tx) AddAIUsage(ctx context.Context, userID, day string, u aigate.Usage) (bool, error) {
	return t.Update(ctx, "add to the AI usage of a user", `
		UPDATE {ai_usage} SET prompt_tokens = prompt_tokens + ?,
			completion_tokens = completion_tokens + ?
		WHERE day = ? AND user_id = ?`,
		u.Prompt, u.Completion, day, key(userID))
}

// InsertAIReservation stores the tokens of a call of the AI that has not ended.
func (t *tx) InsertAIReservation(ctx context.Context, r aigate.Reservation) error {
	return t.Insert(ctx, "reserve AI tokens", `
		INSERT INTO {ai_reservations} (day, user_id, holder, tokens, lease_until)
		VALUES (?, ?, ?, ?, ?)`,
		r.Day, key(r.UserID), key(r.Holder), r.Tokens, timestamp(r.LeaseUntil))
}

// DeleteAIReservation reports whether there was such a reservation. The holder tells those of one
// user and day apart.
func (t *tx) DeleteAIReservation(ctx context.Context, r aigate.Reservation) (bool, error) {
	return t.Update(ctx, "delete an AI reservation",
		`DELETE FROM {ai_reservations} WHERE day = ? AND user_id = ? AND holder = ?`, r.Day,
		key(r.UserID), key(r.Holder))
}
