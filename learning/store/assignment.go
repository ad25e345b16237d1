package store

import (
	"time"

	"github.com/openlectern/openlectern/learning/catalog"
)

// assignmentJSON is the stored form of an assignment, in the content of its course.
type assignmentJSON struct {
	Instructions string          `json:"instructions,omitempty"`
	Rubric       []criterionJSON `json:"rubric,omitempty"`
	DueAfterDays *int            `json:"due_after_days,omitempty"`
	DueAt        time.Time       `json:"due_at,omitzero"`
	LateDays     int             `json:"late_days,omitempty"`
	Attempts     int             `json:"attempts,omitempty"`
	Files        bool            `json:"files,omitempty"`
}

type criterionJSON struct {
	Text   string `json:"text"`
	Points int    `json:"points"`
}

// formatAssignment returns the stored form of an assignment; nil for none.
func formatAssignment(a *catalog.Assignment) *assignmentJSON {
	if a == nil {
		return nil
	}
	return &assignmentJSON{Instructions: a.Instructions, Rubric: formatRubric(a.Rubric),
		DueAfterDays: a.DueAfterDays, DueAt: a.DueAt.UTC(), LateDays: a.LateDays,
		Attempts: a.Attempts, Files: a.Files}
}

// assignment is the reverse of formatAssignment.
func (stored *assignmentJSON) assignment() *catalog.Assignment {
	if stored == nil {
		return nil
	}
	a := &catalog.Assignment{Instructions: stored.Instructions, DueAfterDays: stored.DueAfterDays,
		DueAt: stored.DueAt, LateDays: stored.LateDays, Attempts: stored.Attempts,
		Files: stored.Files}
	for _, c := range stored.Rubric {
		a.Rubric = append(a.Rubric, catalog.Criterion(c))
	}
	return a
}

func formatRubric(rubric []catalog.Criterion) (stored []criterionJSON) {
	for _, c := range rubric {
		stored = append(stored, criterionJSON(c))
	}
	return stored
}
