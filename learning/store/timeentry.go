package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/openlectern/openlectern/learning"
)

// place stands for a page and a path in keys. Together they are longer than a key
// of MySQL may be.
func place(e learning.TimeEntry) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q%s", e.Page, e.Path)) // quoted, so that one does not run into the other
	return hex.EncodeToString(sum[:16])
}

// PlacesOfDay counts the entries of a person on a day, and tells whether that of
// the page and path of e is among them.
func (r reader) PlacesOfDay(ctx context.Context, e learning.TimeEntry) (places int, known bool, err error) {
	var row struct {
		Places int  `db:"places"`
		Known  bool `db:"known"`
	}
	err = r.q.get(ctx, "count the places of a day", &row, `
		SELECT COUNT(*) AS places, COALESCE(MAX(CASE WHEN place = ? THEN 1 ELSE 0 END), 0) AS known
		FROM time_entries WHERE user_id = ? AND day = ?`, place(e), key(e.UserID), stamp(e.Day))
	return row.Places, row.Known, err
}

// InsertTimeEntry adds one; learning.ErrDuplicate when there is one of the same
// person, day, page and path.
func (t *tx) InsertTimeEntry(ctx context.Context, e learning.TimeEntry) error {
	return t.insert(ctx, "insert a time entry", `
		INSERT INTO time_entries (user_id, place, day, page, path, course_id, chapter_id, last_visit, milliseconds, visits)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		key(e.UserID), place(e), stamp(e.Day), e.Page, e.Path, key(e.CourseID), e.ChapterID, optional(e.LastVisit), e.Time, e.Visits)
}

// AddTime adds what was spent in e to the entry of the same person, day, page and
// path, and stores its last visit; it tells whether there is one.
func (t *tx) AddTime(ctx context.Context, e learning.TimeEntry) (bool, error) {
	return t.update(ctx, "add to a time entry", `
		UPDATE time_entries SET last_visit = ?, milliseconds = milliseconds + ?, visits = visits + ? WHERE user_id = ? AND place = ? AND day = ?`,
		optional(e.LastVisit), e.Time, e.Visits, key(e.UserID), place(e), stamp(e.Day))
}

// DeleteTimeEntries removes all entries of a person.
func (t *tx) DeleteTimeEntries(ctx context.Context, userID string) error {
	_, err := t.exec(ctx, "delete time entries", `DELETE FROM time_entries WHERE user_id = ?`, key(userID))
	return err
}
