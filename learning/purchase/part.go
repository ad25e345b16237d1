package purchase

import (
	"time"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/study"
)

// Part is a line with what its course and its buyer have now. A purchase of a single course has one
// part, whose line has the id of the purchase.
type Part struct {
	Line
	CourseTitle   string           // that of its last deletion if the course was deleted
	CourseDeleted bool             // whether there is no such course any more
	CourseTerms   catalog.Terms    // at present; zero for a deleted course
	Enrollment    study.Enrollment // of the user in the course; zero if there is none
}

// Terms returns the terms that a payment at a time gives: those of the order or, if they have
// ended, the present ones.
func (p Part) Terms(at time.Time) catalog.Terms {
	kept := catalog.Terms{Days: p.TermDays, Until: p.TermUntil}
	if kept.HasEnded(at) {
		return p.CourseTerms
	}
	return kept
}

// HasEnded reports whether the course is not sold any more, by the terms of the order and by the
// present ones. A deleted course has not ended.
func (p Part) HasEnded(at time.Time) bool {
	return !p.CourseDeleted && p.Terms(at).HasEnded(at)
}

// IsEnrolled reports whether a payment gives no enrolment, because the user has one that cannot be
// renewed.
func (p Part) IsEnrolled(at time.Time) bool {
	return p.Enrollment.Exists() && !p.Enrollment.CanRenew(at)
}

// LinesOf returns the lines of parts.
func LinesOf(parts []Part) []Line {
	lines := make([]Line, len(parts))
	for i, part := range parts {
		lines[i] = part.Line
	}
	return lines
}

// EndOf returns the end of the access that a payment gives with terms from a time on, or from the
// end of the enrolment e on, which it renews.
func EndOf(terms catalog.Terms, e study.Enrollment, at time.Time) time.Time {
	if e.Exists() && !e.HasExpired(at) && !e.ExpiresAt.IsZero() {
		at = e.ExpiresAt
	}
	return terms.EndOf(at)
}
