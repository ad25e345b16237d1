package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

// placeKey returns a hash of a page and a path, because together they are longer than a
// key of MySQL may be.
func placeKey(e study.TimeEntry) string {
	// The page is quoted, so that different pairs have different texts.
	sum := sha256.Sum256(fmt.Appendf(nil, "%q%s", e.Page, e.Path))
	const size = 16 // bytes, which are the 32 hexadecimal digits of the column
	return hex.EncodeToString(sum[:size])
}

// HasTimeDay reports whether InsertTimeDay was called for the day of the user.
func (r reader) HasTimeDay(
	ctx context.Context, userID string, day time.Time,
) (found bool, err error) {
	err = r.q.Get(ctx, "look for a day", &found,
		`SELECT COUNT(*) FROM {time_days} WHERE user_id = ? AND day = ?`,
		key(userID), timestamp(day))
	return found, err
}

// TimeDayOf sums up the day of e, and reports whether the place of e is known on it.
func (r reader) TimeDayOf(ctx context.Context, e study.TimeEntry) (study.TimeDay, error) {
	var row struct {
		Places int               `db:"places"`
		Known  bool              `db:"known"`
		Time   core.Milliseconds `db:"spent"`
	}
	err := r.q.Get(ctx, "sum up a day", &row, `
		SELECT COUNT(*) AS places, COALESCE(MAX(CASE WHEN place = ? THEN 1 ELSE 0 END), 0) AS known,
			COALESCE(SUM(milliseconds), 0) AS spent
		FROM {time_entries} WHERE user_id = ? AND day = ?`,
		placeKey(e), key(e.UserID), timestamp(e.Day))
	return study.TimeDay{Places: row.Places, Known: row.Known, Time: row.Time}, err
}

// InsertTimeDay returns ErrDuplicate if the day of the user has a row. The row exists for
// LockTimeDay.
func (t *tx) InsertTimeDay(ctx context.Context, userID string, day time.Time) error {
	return t.Insert(ctx, "insert a day",
		`INSERT INTO {time_days} (user_id, day, writes) VALUES (?, ?, 1)`, key(userID),
		timestamp(day))
}

// LockTimeDay changes the row, so that a Galera cluster notices two transactions that lock it. It
// reports whether there is such a day.
func (t *tx) LockTimeDay(ctx context.Context, userID string, day time.Time) (bool, error) {
	return t.Update(ctx, "lock a day",
		`UPDATE {time_days} SET writes = writes + 1 WHERE user_id = ? AND day = ?`, key(userID),
		timestamp(day))
}

func (t *tx) DeleteTimeDays(ctx context.Context, userID string) error {
	_, err := t.Exec(ctx, "delete the days of a user", `DELETE FROM {time_days} WHERE user_id = ?`,
		key(userID))
	return err
}

// InsertTimeEntry returns ErrDuplicate if there is an entry of the same user, place and day.
func (t *tx) InsertTimeEntry(ctx context.Context, e study.TimeEntry) error {
	return t.Insert(ctx, "insert a time entry", `
		INSERT INTO {time_entries} (user_id, place, day, page, path, course_id, chapter_id,
			last_visit, milliseconds, visits)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		key(e.UserID), placeKey(e), timestamp(e.Day), e.Page, e.Path, key(e.CourseID), e.ChapterID,
		optional(e.LastVisit), e.Time, e.Visits)
}

// AddTime adds the time and the visits of e to the entry of the same user, place and day, and
// replaces its last visit. It returns false if there is no such entry.
func (t *tx) AddTime(ctx context.Context, e study.TimeEntry) (bool, error) {
	return t.Update(ctx, "add to a time entry", `
		UPDATE {time_entries}
		SET last_visit = ?, milliseconds = milliseconds + ?, visits = visits + ?
		WHERE user_id = ? AND place = ? AND day = ?`,
		optional(e.LastVisit), e.Time, e.Visits, key(e.UserID), placeKey(e), timestamp(e.Day))
}
