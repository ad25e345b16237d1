package catalog

import (
	"cmp"
	"slices"
	"time"

	"github.com/openlectern/openlectern/learning/core"
)

// Assignment is what a lecture of the kind assignment asks of its students (docs/api.md §19).
type Assignment struct {
	Instructions string      // Markdown
	Rubric       []Criterion // may be empty
	DueAfterDays *int        // in days of 24 hours from the enrolment; nil for none
	DueAt        time.Time   // zero for none; an assignment has at most one of the two
	LateDays     int         // how many days after the due time work is taken, as late
	Attempts     int         // how often a student may submit; 0 for no limit
	Files        bool        // whether a submission may have files
}

// Criterion is a line of the rubric of an assignment.
type Criterion struct {
	Text   string
	Points int // the most that a grader can give
}

// Limits of an assignment (docs/api.md §19). Lengths count code points.
const (
	MaxInstructions    = 20_000
	MaxCriteria        = 50
	MaxCriterion       = 500
	MaxCriterionPoints = 1_000
	MaxDueDays         = 3_650
	MaxLateDays        = 3_650
	MaxSubmissions     = 1_000 // that an assignment can allow a student
)

// normal returns a copy of the assignment of a request as it is stored, and an error if it is not
// valid.
func (a Assignment) normal() (*Assignment, error) {
	a.Rubric = slices.Clone(a.Rubric)
	if !a.DueAt.IsZero() {
		a.DueAt = a.DueAt.UTC().Truncate(time.Millisecond) // as answers show it
	}
	criterion := func(c Criterion) error {
		return cmp.Or(core.RequireText("criterion", c.Text, 1, MaxCriterion),
			core.RequireBetween("points", c.Points, 1, MaxCriterionPoints))
	}
	err := cmp.Or(core.RequireText("instructions", a.Instructions, 0, MaxInstructions),
		core.RequireAtMost("rubric", a.Rubric, MaxCriteria),
		core.EachIn("rubric", a.Rubric, criterion),
		core.Require(core.IsStorableTime(a.DueAt), "dueAt", core.StorableTimeRule),
		core.RequireBetween("lateDays", a.LateDays, 0, MaxLateDays),
		core.RequireBetween("attempts", a.Attempts, 0, MaxSubmissions))
	if err == nil && a.DueAfterDays != nil {
		err = cmp.Or(core.RequireBetween("dueAfterDays", *a.DueAfterDays, 0, MaxDueDays),
			core.Require(a.DueAt.IsZero(), "dueAfterDays", "must not be sent together with dueAt"))
	}
	return &a, err
}

// equal reports whether two assignments are the same. Either may be nil.
func (a *Assignment) equal(b *Assignment) bool {
	if a == nil || b == nil {
		return a == b
	}
	hasSameDue := a.DueAt.Equal(b.DueAt) && (a.DueAfterDays == nil) == (b.DueAfterDays == nil) &&
		(a.DueAfterDays == nil || *a.DueAfterDays == *b.DueAfterDays)
	return a.Instructions == b.Instructions && slices.Equal(a.Rubric, b.Rubric) && hasSameDue &&
		a.LateDays == b.LateDays && a.Attempts == b.Attempts && a.Files == b.Files
}

// Due returns when work is late, and from when on none is taken, for a student who was enrolled at
// a time. Both are zero if there is no due time.
func (a Assignment) Due(enrolledAt time.Time) (dueAt, closesAt time.Time) {
	dueAt = a.DueAt
	if a.DueAfterDays != nil {
		dueAt = enrolledAt.Add(time.Duration(*a.DueAfterDays) * 24 * time.Hour)
	}
	if dueAt.IsZero() {
		return dueAt, dueAt
	}
	return dueAt, dueAt.Add(time.Duration(a.LateDays) * 24 * time.Hour)
}
