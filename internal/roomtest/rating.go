package roomtest

import (
	"testing"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

// Rates gives a course stars.
func (w *World) Rates(t *testing.T, student core.Actor, courseID string, stars int) {
	t.Helper()
	if err := w.Platform.Community.Rate(ctx(), student, courseID, stars); err != nil {
		t.Fatal(err)
	}
}

// WantRatings checks the sum and the number of a course's ratings, in the row of the course
// and computed from the rows of the ratings.
func (w *World) WantRatings(t *testing.T, courseID string, want catalog.Ratings) {
	t.Helper()
	var row, made catalog.Ratings
	if err := w.DB.QueryRow("SELECT rating_sum, rating_count FROM courses WHERE id = ?",
		courseID).Scan(&row.Sum, &row.Count); err != nil {
		t.Fatal(err)
	}
	if err := w.DB.QueryRow(
		"SELECT COALESCE(SUM(stars), 0), COUNT(*) FROM ratings WHERE course_id = ?",
		courseID).Scan(&made.Sum, &made.Count); err != nil {
		t.Fatal(err)
	}
	if row != want || made != want {
		t.Errorf("the course counts %+v, its ratings are %+v, want %+v", row, made, want)
	}
}
