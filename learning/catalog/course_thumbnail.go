package catalog

import (
	"context"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
)

// SetThumbnail replaces the thumbnail of a course, for its educator and admins, and returns
// its name in the media store. The image must be as in [Service.AddCourse]. Of concurrent
// calls the last one wins. The version of the course grows by one. Errors:
// [core.ErrUnauthenticated], [core.ErrForbidden], [ErrCourseNotFound], [file.ErrThumbnailMissing],
// [file.ErrThumbnailRefused], [file.ErrThumbnailBusy], [file.ErrMediaNotConfigured].
func (s *Service) SetThumbnail(ctx context.Context, actor core.Actor, courseID string,
	image []byte) (name string, err error) {
	if _, err := s.ForRooms().Editable(ctx, actor, courseID); err != nil {
		return "", err
	}

	// Store the file, then let the course use it, and remove the one that it had.
	if name, err = s.files.StoreThumbnail(ctx, image); err != nil {
		return "", err
	}
	var old Course
	err = s.base.Change(ctx, func(tx Tx, changes *core.Changes) (err error) {
		old, err = s.setThumbnail(ctx, tx, changes, courseID, name)
		return err
	})
	if err != nil {
		s.files.DiscardThumbnail(ctx, name, err)
		return "", core.Wrap("set a thumbnail", err)
	}
	s.files.RemoveUnusedFile(ctx, old.Thumbnail)
	return name, nil
}

// setThumbnail sets the thumbnail of a course in a transaction, and returns the course as
// it was before, whose file the caller removes after the commit.
func (s *Service) setThumbnail(
	ctx context.Context, tx Tx, changes *core.Changes, courseID, name string,
) (Course, error) {
	// Lock the course, and read which file it has.
	if err := LockCourse(ctx, tx, courseID); err != nil {
		return Course{}, err
	}
	old, err := tx.Course(ctx, courseID)
	if err != nil {
		return Course{}, err
	}

	if err := file.ReplaceThumbnail(ctx, tx, old.Thumbnail, name, changes.Now()); err != nil {
		return Course{}, err
	}
	addCourseEditedEvent(changes, old, old) // the event does not show the thumbnail
	tx.AfterCommit(s.catalogueChanged)
	return old, tx.SetThumbnail(ctx, courseID, name, changes.Now())
}
