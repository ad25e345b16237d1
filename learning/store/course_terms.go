package store

import (
	"context"
	"database/sql/driver"
	"slices"
	"time"

	"github.com/openlectern/openlectern/learning/catalog"
)

// storedTerms is the column of a course's terms: JSON, or NULL for none. What a certificate asks
// has columns of its own.
type storedTerms struct {
	Days        int        `json:"days,omitempty"`
	Until       *time.Time `json:"until,omitempty"`
	InOrder     bool       `json:"in_order,omitempty"`
	Requires    []string   `json:"requires,omitempty"`
	HasOpenings bool       `json:"has_openings,omitempty"`
}

// termsOf returns what is stored for the terms of a course.
func termsOf(c catalog.Course) storedTerms {
	t := storedTerms{Days: c.Terms.Days, InOrder: c.Terms.InOrder, Requires: c.Terms.Requires,
		HasOpenings: c.HasOpenings}
	if !c.Terms.Until.IsZero() {
		t.Until = &c.Terms.Until
	}
	return t
}

// terms returns the terms of a course.
func (t storedTerms) terms(certificate catalog.CertificateTerms) catalog.Terms {
	terms := catalog.Terms{Certificate: certificate, Days: t.Days, InOrder: t.InOrder,
		Requires: t.Requires}
	if t.Until != nil {
		terms.Until = *t.Until
	}
	return terms
}

// Value implements [driver.Valuer].
func (t storedTerms) Value() (driver.Value, error) {
	isNone := t.Days == 0 && t.Until == nil && !t.InOrder && len(t.Requires) == 0 && !t.HasOpenings
	if isNone {
		return nil, nil
	}
	return formatJSON("terms", t)
}

// Scan implements [database/sql.Scanner].
func (t *storedTerms) Scan(value any) error {
	*t = storedTerms{} // a scan of the row before may have set it
	return parseJSON("terms", value, t)
}

// openingJSON is when a chapter opens, as a part of the content of its course.
type openingJSON struct {
	AfterDays int        `json:"after_days,omitempty"`
	At        *time.Time `json:"at,omitempty"`
}

func formatOpening(o catalog.Opening) *openingJSON {
	switch {
	case o.IsZero():
		return nil
	case o.At.IsZero():
		return &openingJSON{AfterDays: o.AfterDays}
	}
	return &openingJSON{At: &o.At}
}

func (stored *openingJSON) opening() catalog.Opening {
	if stored == nil {
		return catalog.Opening{}
	}
	o := catalog.Opening{AfterDays: stored.AfterDays}
	if stored.At != nil {
		o.At = *stored.At
	}
	return o
}

// CoursesByID reads courses in batches, by their ids.
func (r reader) CoursesByID(ctx context.Context, ids []string) ([]catalog.Course, error) {
	var list []catalog.Course
	for batch := range slices.Chunk(ids, idBatchSize) {
		courses, err := r.coursesFrom(ctx, "read courses by their ids", ` FROM {courses} c`,
			` WHERE c.id IN (`+placeholders(idBatchSize)+`)`, batchArgs(batch)...)
		if err != nil {
			return nil, err
		}
		list = append(list, courses...)
	}
	return list, nil
}
