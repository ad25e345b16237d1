package file

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/learning/core"
)

// ForgetUser deletes the uploads of the user, and the files that no course and no submission uses.
func (s *ForRooms) ForgetUser(
	ctx context.Context, tx Tx, changes *core.Changes, userID string, at time.Time,
) error {
	if err := removeUploadsOf(ctx, tx, userID, at); err != nil {
		return err
	}
	return removeUnusedFilesOf(ctx, tx, changes, userID, at)
}

// ForgetCourse does nothing: room catalog ends the uses of the files of a course, which stay.
func (s *ForRooms) ForgetCourse(context.Context, Tx, *core.Changes, string) error {
	return nil
}

// TotalKinds lists none. The totals of files have a table of their own: see [TotalFiles].
func (s *ForRooms) TotalKinds() []core.TotalKind { return nil }

// TidyingSteps lists the deletion of files that nothing uses. Files and uploads of educators come
// before the others, because they become unused files.
func (s *ForRooms) TidyingSteps() []core.TidyingStep {
	var steps []core.TidyingStep
	if s.files != nil {
		steps = append(steps,
			core.TidyingStep{Name: "give up files that no course uses", Do: s.giveUpUnusedFiles},
			core.TidyingStep{Name: "give up uploads that have expired", Do: s.giveUpUploads})
	}
	if s.files != nil || s.media != nil {
		steps = append(steps,
			core.TidyingStep{Name: "delete unused files", Do: s.deleteUnusedFiles})
	}
	return steps
}

// Works lists none.
func (s *ForRooms) Works() []core.Work { return nil }
