package study

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/learning/core"
)

// ForgetUser deletes the days, positions and notes of the user. Enrolments stay, without the texts
// of admins and the metadata.
func (s *ForRooms) ForgetUser(
	ctx context.Context, tx Tx, _ *core.Changes, userID string, _ time.Time,
) error {
	// The days before the time entries, and the enrolments before the positions, in the order in
	// which addVisit and savePositionsOnce lock them: both are private lists.
	for _, forget := range []func(context.Context, string) error{
		tx.DeleteTimeDays, tx.ForgetLastLectures, tx.DeleteNotes, tx.ForgetEnrollmentReasons,
		tx.ForgetPastEnrollmentReasons,
	} {
		if err := forget(ctx, userID); err != nil {
			return err
		}
	}
	return nil
}

// ForgetCourse deletes nothing: a course that had students is not deleted.
func (s *ForRooms) ForgetCourse(context.Context, Tx, *core.Changes, string) error { return nil }

// TotalKinds lists the number of enrolments.
func (s *ForRooms) TotalKinds() []core.TotalKind {
	return []core.TotalKind{TotalEnrollments}
}

// TidyingSteps lists the end of access that is due.
func (s *ForRooms) TidyingSteps() []core.TidyingStep {
	return []core.TidyingStep{{Name: "end the access of enrolments",
		Do: (*Service)(s).endAccess}}
}

// Works lists none.
func (s *ForRooms) Works() []core.Work { return nil }
