package tutor

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/learning/core"
)

// ForgetUser deletes nothing here: chats and their messages are private lists of the export.
func (s *ForRooms) ForgetUser(
	context.Context, Tx, *core.Changes, string, time.Time,
) error {
	return nil
}

// ForgetCourse deletes nothing: chats stay with the user who asked.
func (s *ForRooms) ForgetCourse(context.Context, Tx, *core.Changes, string) error { return nil }

// TotalKinds lists none.
func (s *ForRooms) TotalKinds() []core.TotalKind { return nil }

// TidyingSteps lists the booking of what crashed calls to the AI have reserved.
func (s *ForRooms) TidyingSteps() []core.TidyingStep {
	return []core.TidyingStep{{Name: "book reservations of crashed AI calls",
		Do: s.bookExpiredCalls}}
}

// Works lists none.
func (s *ForRooms) Works() []core.Work { return nil }
