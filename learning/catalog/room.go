package catalog

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/learning/core"
)

// ForgetUser does nothing: courses stay.
func (s *ForRooms) ForgetUser(context.Context, Tx, *core.Changes, string, time.Time) error {
	return nil
}

// ForgetCourse deletes the content and the row of the course: see [ForRooms.BeginDeletion].
func (s *ForRooms) ForgetCourse(ctx context.Context, tx Tx, _ *core.Changes, id string) error {
	if err := tx.DeleteContent(ctx, id); err != nil {
		return err
	}
	return tx.DeleteCourse(ctx, id)
}

// TotalKinds lists the number of courses.
func (s *ForRooms) TotalKinds() []core.TotalKind { return []core.TotalKind{TotalCourses} }

// TidyingSteps lists none.
func (s *ForRooms) TidyingSteps() []core.TidyingStep { return nil }

// Works lists none.
func (s *ForRooms) Works() []core.Work { return nil }
