package bundle

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/learning/core"
)

// ForgetUser deletes nothing: bundles of an educator stay, as the courses do.
func (s *ForRooms) ForgetUser(
	context.Context, Tx, *core.Changes, string, time.Time,
) error {
	return nil
}

// ForgetCourse deletes nothing. It returns [ErrCourseInBundle] if the course is in a bundle.
// Who puts a course into a bundle locks the course too, so that none is added before the
// deletion is committed.
func (s *ForRooms) ForgetCourse(
	ctx context.Context, tx Tx, _ *core.Changes, courseID string,
) error {
	isInBundle, err := tx.CourseInBundle(ctx, courseID)
	if err == nil && isInBundle {
		err = ErrCourseInBundle
	}
	return err
}

// TotalKinds lists none.
func (s *ForRooms) TotalKinds() []core.TotalKind { return nil }

// TidyingSteps lists none.
func (s *ForRooms) TidyingSteps() []core.TidyingStep { return nil }

// Works lists none.
func (s *ForRooms) Works() []core.Work { return nil }
