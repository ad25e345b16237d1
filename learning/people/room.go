package people

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/internal/exportlist"
	"github.com/openlectern/openlectern/learning/core"
)

// ForgetUser deletes nothing: the record of the user, which becomes a tombstone, is the subject of
// the deletion itself.
func (s *ForRooms) ForgetUser(
	context.Context, Tx, *core.Changes, string, time.Time,
) error {
	return nil
}

// ForgetCourse deletes nothing: no row of the room is of a course.
func (s *ForRooms) ForgetCourse(context.Context, Tx, *core.Changes, string) error { return nil }

// ExportLists lists none.
func (s *ForRooms) ExportLists() []exportlist.List { return nil }

// TotalKinds lists the numbers of users, educators and applications.
func (s *ForRooms) TotalKinds() []core.TotalKind {
	return []core.TotalKind{TotalUsers, TotalEducators, TotalApplications}
}

// TidyingSteps lists none: nothing of the room is left over.
func (s *ForRooms) TidyingSteps() []core.TidyingStep { return nil }

// Works lists none.
func (s *ForRooms) Works() []core.Work { return nil }
