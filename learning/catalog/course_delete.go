package catalog

import (
	"context"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
)

// BeginDeletion locks a course that is to be deleted and returns it, if nothing uses it. It adds
// the event of the deletion, ends the uses of the files of the course, and keeps its title. The
// caller deletes its rows in the same transaction. The thumbnail is only added to the list of
// unused files, because a rollback could not restore it. Errors: [ErrCourseNotFound],
// [ErrCourseHasStudents].
func (s *ForRooms) BeginDeletion(
	ctx context.Context, tx Tx, changes *core.Changes, courseID string,
) (Course, error) {
	// Lock the course. Purchases and enrolments wait until the transaction ends, because they
	// change or lock the same row.
	if err := LockCourse(ctx, tx, courseID); err != nil {
		return Course{}, err
	}

	// Read the state, and decide.
	c, err := tx.Course(ctx, courseID)
	if err != nil {
		return Course{}, err
	}
	inUse, err := tx.CourseInUse(ctx, courseID)
	if err == nil && inUse {
		err = ErrCourseHasStudents
	}
	if err != nil {
		return Course{}, err
	}

	content, err := tx.CourseContent(ctx, courseID)
	if err != nil {
		return Course{}, err
	}

	// Collect the event and the change of the number of courses. Both are stored at the end of the
	// transaction.
	now := s.base.Now()
	if c.Published {
		addCourseEvent(changes, EventCourseUnpublished, c)
	}
	changes.Count(courseID, core.Total{Kind: TotalCourses, Number: -1})
	tx.AfterCommit((*Service)(s).catalogueChanged) // so that caches of the catalogue read it again
	if err := file.MarkUnused(ctx, tx, c.Thumbnail, now); err != nil {
		return Course{}, err
	}
	// Keep the title, which lists of purchases show, and the revision, so that the revision of the
	// catalogue changes.
	if err := tx.InsertDeletedCourse(ctx, s.base.NewID(), courseID, now); err != nil {
		return Course{}, err
	}

	// Its files may be used by other courses of the educator.
	if err := releaseMaterial(ctx, tx, c, content, now); err != nil {
		return Course{}, err
	}
	// The words are those of a search, with those of the educator's name.
	if err := tx.DeleteWords(ctx, CoursePairs, []string{courseID}, nil); err != nil {
		return Course{}, err
	}
	return c, tx.DeleteWords(ctx, CourseWords, []string{courseID}, []string{c.Educator.ID})
}
