package roomtest

import (
	"fmt"
	"testing"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

// Visit tracks time and fails the test on an error.
func (w *World) Visit(t *testing.T, actor core.Actor, page, path string, seconds float64) {
	t.Helper()
	if err := w.Platform.Study.TrackTime(ctx(), actor,
		study.NewTimeEntry{Page: page, Path: path, Seconds: seconds}); err != nil {
		t.Fatalf("%s at %s for %v s: %v", page, path, seconds, err)
	}
}

// Entries returns a user's entries: day, page, path, milliseconds and visits.
func (w *World) Entries(t *testing.T, userID string) map[string]string {
	t.Helper()
	rows, err := w.DB.Query(
		"SELECT SUBSTR(CAST(day AS CHAR(26)), 1, 10), page, path, milliseconds, visits FROM time_entries WHERE "+
			"user_id = ?", userID)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	got := map[string]string{}
	for rows.Next() {
		var day, page, path string
		var spent, visits int64
		if err := rows.Scan(&day, &page, &path, &spent, &visits); err != nil {
			t.Fatal(err)
		}
		got[day+" "+page+" "+path] = fmt.Sprintf("%d ms, %d", spent, visits)
	}
	return got
}
