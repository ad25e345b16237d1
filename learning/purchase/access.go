package purchase

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

// PartChange is what happens to the enrolment of a part.
type PartChange struct {
	Part        // as it was before
	Others      []study.Cause
	Access      study.AccessChange
	isOfDispute bool
}

// Give enrols the buyer in the courses of parts since a time, in a transaction that has locked the
// buyer. It gives no enrolment in a course that was deleted, and none to a buyer who has one that
// cannot be renewed. The courses come in the order of their ids, so that two transactions do not
// wait for each other. Errors: those of [study.ForRooms.Enroll].
func Give(
	ctx context.Context, students *study.ForRooms, tx study.CauseTx, changes *core.Changes,
	parts []Part, since, now time.Time,
) error {
	parts = slices.Clone(parts)
	slices.SortFunc(parts, func(a, b Part) int { return cmp.Compare(a.CourseID, b.CourseID) })
	for _, part := range parts {
		if part.CourseDeleted || part.IsEnrolled(now) {
			continue
		}
		at := since
		if part.Enrollment.Exists() { // the one that is given in its place begins now
			at = now
		}
		err := students.GiveAccess(ctx, tx, changes, part.Cause(), part.Enrollment, at,
			part.CourseTitle)
		if err != nil {
			return err
		}
	}
	return nil
}

// Causes returns what gives access now to the courses of parts in which the buyer is enrolled.
func Causes(ctx context.Context, r study.CauseReader, parts []Part) ([]study.Cause, error) {
	var ids []string
	for _, part := range parts {
		if part.Enrollment.Exists() {
			ids = append(ids, part.CourseID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	return r.PayingCauses(ctx, parts[0].UserID, ids)
}

// AfterRefund returns what a refund does to the enrolments of parts, when it is counted or when a
// counted one has failed. after are the lines after it, in the same order, causes what gives access
// at a time, and keepsAccess says that an enrolment stays although its line has ended. For "without
// it" see [study.Enrollment.Without].
//
//	before  after   without it  keepsAccess  change
//	the same as after           any          AccessStays
//	ended   living  any         any          AccessIsRestored
//	living  ended   AccessEnds  yes          AccessIsKept
//	living  ended   any other   any          the same
func AfterRefund(
	parts []Part, after []Line, causes []study.Cause, keepsAccess bool, now time.Time,
) []PartChange {
	list := make([]PartChange, len(parts))
	for i, part := range parts {
		c := PartChange{Part: part, Others: part.Cause().Others(causes, now)}
		isEnded := after[i].End != Living
		switch {
		case isEnded == (part.End != Living):
			c.Access = study.AccessStays
		case !isEnded: // it was refunded before, and that refund has failed
			c.Access = study.AccessIsRestored
		default:
			c.Access = part.Enrollment.Without(part.ID, c.Others)
			if c.Access == study.AccessEnds && keepsAccess {
				c.Access = study.AccessIsKept
			}
		}
		list[i] = c
	}
	return list
}

// AfterDispute returns what a dispute does to the enrolments of parts. ends says that it ends
// access, and givesBack that it gives back what it had ended. isBundle says that the lines are
// stored, and have recorded that.
func AfterDispute(
	parts []Part, causes []study.Cause, ends, givesBack, isBundle bool, now time.Time,
) []PartChange {
	list := make([]PartChange, len(parts))
	for i, part := range parts {
		c := PartChange{Part: part, Others: part.Cause().Others(causes, now), isOfDispute: true}
		isLost := part.Enrollment.Without(part.ID, c.Others) == study.AccessEnds
		isItsEnd := !isBundle || part.DisputeEnded && part.End == Living
		switch {
		case ends && isLost:
			c.Access = study.AccessEnds
		case givesBack && isItsEnd:
			c.Access = study.AccessIsRestored
		}
		list[i] = c
	}
	return list
}

// HasChange reports whether one of the enrolments has a change.
func HasChange(list []PartChange, access study.AccessChange) bool {
	return slices.ContainsFunc(list, func(c PartChange) bool { return c.Access == access })
}

// InCourseOrder returns the changes in the order of the ids of their courses, in which they are
// stored, so that two transactions do not wait for each other.
func InCourseOrder(list []PartChange) []PartChange {
	return slices.SortedFunc(slices.Values(list),
		func(a, b PartChange) int { return cmp.Compare(a.CourseID, b.CourseID) })
}

// MarkLines records in lines whose enrolments end because of a refund or a dispute, and whose are
// given back. There are none for a purchase of one course.
func MarkLines(lines []Line, list []PartChange) []Line {
	lines = slices.Clone(lines)
	for i := range lines {
		mark := &lines[i].RefundEnded
		if list[i].isOfDispute {
			mark = &lines[i].DisputeEnded
		}
		switch list[i].Access {
		case study.AccessEnds:
			*mark = true
		case study.AccessIsRestored:
			*mark = false
		}
	}
	return lines
}

// MarkDisputesWon records in lines whose enrolments are given back that no dispute has ended them
// any more.
func MarkDisputesWon(lines []Line, list []PartChange) []Line {
	lines = slices.Clone(lines)
	for i := range lines {
		if list[i].Access == study.AccessIsRestored {
			lines[i].DisputeEnded = false
		}
	}
	return lines
}

// LeaveToDispute records in lines whose enrolments a refund, which has failed, would give back that
// a dispute has ended them, and not the refund any more.
func LeaveToDispute(lines []Line, list []PartChange) []Line {
	lines = slices.Clone(lines)
	for i := range lines {
		if list[i].Access == study.AccessIsRestored && lines[i].RefundEnded {
			lines[i].RefundEnded, lines[i].DisputeEnded = false, true
		}
	}
	return lines
}

// Revokes reports whether a certificate is revoked with the change, if the host has decided so. In
// the other cases the user still has a right to the course: a purchase or a grant.
func (c PartChange) Revokes() bool {
	return c.Access == study.AccessIsKept || c.Access == study.AccessEnds ||
		c.Access == study.AccessEnded
}

// Store stores the change. wasEnded says that what ends now had ended the enrolment, so that
// AccessIsRestored gives it back. by is the admin, "" for the provider.
func (c PartChange) Store(
	ctx context.Context, students *study.ForRooms, tx study.CauseTx, changes *core.Changes,
	wasEnded bool, by, reason string,
) error {
	switch {
	case c.Access != study.AccessIsRestored:
		return students.TakeAccess(ctx, tx, changes, c.Access, study.Loss{Enrollment: c.Enrollment,
			Others: c.Others, By: by, Reason: reason, CourseTitle: c.CourseTitle})
	case !wasEnded:
		return nil
	}
	return students.RestoreAccess(ctx, tx, changes, c.Cause(), c.Enrollment, c.CourseTitle)
}
