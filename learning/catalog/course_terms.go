package catalog

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/core"
)

// ErrCourseEnded is the failure of a purchase or a grant of a course whose terms have ended.
var ErrCourseEnded = &core.Error{Kind: core.Conflict, Code: "course_ended",
	Message: "This course has ended"}

// Limits of [Terms] (docs/api.md §18).
const (
	MaxTermDays = 3_650
	MaxRequires = 10
	// maxRequired is how many courses may be required in all, those that the required ones require
	// in turn and the course itself included.
	maxRequired = 200
)

// Terms are the terms of a course.
type Terms struct {
	Certificate CertificateTerms
	// Days is how many days of 24 hours access lasts from the enrolment on; 0 for no end.
	Days int
	// Until is when access ends at the latest, and the sale of the course; zero for no end.
	Until time.Time
	// InOrder is whether a lecture opens when all before it are completed.
	InOrder bool
	// Requires are the ids of the courses that must be completed before this one is bought.
	Requires []string
}

// CertificateTerms say what a certificate asks beside all lectures.
type CertificateTerms struct {
	Quizzes     bool // all quizzes that are written by hand are passed
	Assignments bool // all assignments are graded
}

// IsZero reports whether there are no terms.
func (t Terms) IsZero() bool { return reflect.DeepEqual(t, Terms{}) }

// EndOf returns when access ends that begins at a time; zero for no end.
func (t Terms) EndOf(start time.Time) time.Time {
	end := t.Until
	if t.Days > 0 {
		after := start.Add(time.Duration(t.Days) * 24 * time.Hour)
		if end.IsZero() || after.Before(end) {
			end = after
		}
	}
	return end
}

// HasEnded reports whether the course is not sold any more.
func (t Terms) HasEnded(now time.Time) bool { return !t.Until.IsZero() && !now.Before(t.Until) }

// normal returns the terms as they are stored, with the required courses sorted, each once, or
// [core.ErrInvalidRequest] if they exceed a limit then. It does not look at the required courses.
func (t Terms) normal() (Terms, error) {
	t.Until = t.Until.UTC().Truncate(time.Microsecond)
	if t.Requires = slices.Clone(t.Requires); len(t.Requires) == 0 {
		t.Requires = nil // none has one form only, because terms are compared deeply
	}
	slices.Sort(t.Requires)
	t.Requires = slices.Compact(t.Requires)
	isNoID := func(id string) bool { return !text.ValidID(id, MaxCourseID) }
	err := cmp.Or(core.RequireBetween("days", t.Days, 0, MaxTermDays),
		core.Require(core.IsStorableTime(t.Until), "until", core.StorableTimeRule),
		core.RequireAtMost("requires", t.Requires, MaxRequires),
		core.Require(!slices.ContainsFunc(t.Requires, isNoID), "requires",
			"must have ids of courses"))
	return t, core.InField("terms", err)
}

// Opening says when a chapter opens for a student: some days after the first enrolment, or at a
// time. The zero Opening is open from the beginning.
type Opening struct {
	AfterDays int       // of 24 hours
	At        time.Time // zero for none; then AfterDays counts
}

// IsZero reports whether the chapter is open from the beginning.
func (o Opening) IsZero() bool { return o.AfterDays == 0 && o.At.IsZero() }

// Time returns when the chapter opens for a student who was first enrolled at a time.
func (o Opening) Time(enrolledAt time.Time) time.Time {
	switch {
	case !o.At.IsZero():
		return o.At
	case o.AfterDays > 0:
		return enrolledAt.Add(time.Duration(o.AfterDays) * 24 * time.Hour)
	}
	return time.Time{}
}

// normal returns the opening as it is stored, or [core.ErrInvalidRequest].
func (o Opening) normal() (Opening, error) {
	if !o.At.IsZero() {
		o.At = o.At.UTC().Truncate(time.Microsecond)
	}
	isOne := o.AfterDays == 0 || o.At.IsZero()
	err := cmp.Or(core.RequireBetween("afterDays", o.AfterDays, 0, MaxTermDays),
		core.Require(isOne, "at", "must be left out where there is afterDays"),
		core.Require(core.IsStorableTime(o.At), "at", core.StorableTimeRule))
	return o, core.InField("opens", err)
}

// hasOpenings reports whether a chapter opens later than the course.
func hasOpenings(content []Chapter) bool {
	return slices.ContainsFunc(content, func(ch Chapter) bool { return !ch.Opens.IsZero() })
}

// IsGated reports whether some lectures of the course may not be open to each student: then what is
// open depends on the progress and the clock. IsGated does not look at the end of access.
func (c Course) IsGated() bool { return c.Terms.InOrder || c.HasOpenings }

// checkRequires returns [core.ErrInvalidRequest] unless the courses that an edited course requires
// exist, belong to its educator or are chosen by an admin, and do not require it in turn. It must
// run in the transaction that stores the course, after its lock, and after that of the requirements
// if another course may require this one.
func checkRequires(
	ctx context.Context, r CourseReader, actor core.Actor, courseID string, requires []string,
) error {
	refuse := func(reason string) error {
		return core.InField("terms", core.InvalidField("requires", reason))
	}
	seen := map[string]bool{courseID: true}
	for _, id := range requires {
		seen[id] = true
	}
	if slices.Contains(requires, courseID) {
		return refuse("must not name the course itself")
	}

	// Read one level of required courses after the other. Each course is read once.
	for level, isFirst := requires, true; len(level) > 0; isFirst = false {
		courses, err := r.CoursesByID(ctx, level)
		if err != nil {
			return fmt.Errorf("read the required courses: %w", err)
		}
		if isFirst && len(courses) < len(level) {
			return refuse("must name courses that exist")
		}
		level = nil
		if len(seen) > maxRequired {
			return refuse(fmt.Sprintf("must not make more than %d courses depend on each other",
				maxRequired))
		}
		for _, c := range courses {
			isOther := actor.Role != core.Admin && c.Educator.ID != actor.UserID
			if isFirst && isOther {
				return refuse("must name your own courses")
			}
			if slices.Contains(c.Terms.Requires, courseID) {
				return refuse("must not require each other in a circle")
			}
			for _, id := range c.Terms.Requires {
				if !seen[id] {
					seen[id], level = true, append(level, id)
				}
			}
		}
	}
	return nil
}

// Required returns the courses of ids that are published, in the order of the ids. Others are not
// asked for.
func (s *ForRooms) Required(ctx context.Context, ids []string) ([]Course, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	courses, err := s.store.CoursesByID(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("read the required courses: %w", err)
	}
	courses = slices.DeleteFunc(courses, func(c Course) bool { return !c.Published })
	slices.SortFunc(courses, func(a, b Course) int {
		return cmp.Compare(slices.Index(ids, a.ID), slices.Index(ids, b.ID))
	})
	return courses, nil
}
