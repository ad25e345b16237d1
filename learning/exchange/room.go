package exchange

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/internal/exportlist"
	"github.com/openlectern/openlectern/learning/core"
)

// ForgetUser deletes nothing: the room has no table.
func (s *ForRooms) ForgetUser(
	context.Context, Tx, *core.Changes, string, time.Time,
) error {
	return nil
}

// ForgetCourse deletes nothing: the room has no table.
func (s *ForRooms) ForgetCourse(context.Context, Tx, *core.Changes, string) error { return nil }

// ExportLists lists none.
func (s *ForRooms) ExportLists() []exportlist.List { return nil }

// TotalKinds lists none.
func (s *ForRooms) TotalKinds() []core.TotalKind { return nil }

// TidyingSteps lists none: nothing of the room is left over.
func (s *ForRooms) TidyingSteps() []core.TidyingStep { return nil }

// Works lists none.
func (s *ForRooms) Works() []core.Work { return nil }
