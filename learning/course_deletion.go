package learning

import (
	"context"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

// DeleteCourse deletes a course with its content, quizzes, coupons and thumbnail, for its educator
// and admins. It returns [catalog.ErrCourseHasStudents] if a user is or was enrolled in the course,
// or if it has a purchase that is open, completed or refunded. Failed purchases stay; a late
// payment of one completes it without an enrolment and is logged. A concurrent purchase either
// prevents the deletion or gets [catalog.ErrCourseNotFound], and so does a concurrent change of a
// bundle.
//
// Errors: [core.ErrUnauthenticated], [core.ErrForbidden], [catalog.ErrCourseNotFound],
// [catalog.ErrCourseHasStudents], [bundle.ErrCourseInBundle].
func (p *Platform) DeleteCourse(ctx context.Context, actor core.Actor, courseID string) error {
	if _, err := p.Catalog.ForRooms().Editable(ctx, actor, courseID); err != nil {
		return err
	}
	var deleted catalog.Course
	err := p.base.Change(ctx, func(tx Tx, changes *core.Changes) (err error) {
		deleted, err = p.Catalog.ForRooms().BeginDeletion(ctx, p.asCatalog(tx), changes, courseID)
		if err != nil {
			return err
		}
		for _, room := range p.rooms {
			if err := room.ForgetCourse(ctx, tx, changes, courseID); err != nil {
				return err
			}
		}
		return tx.DeleteCourseTotals(ctx, courseID)
	})
	if err != nil {
		return core.Wrap("delete a course", err)
	}

	// A failure is only logged, because BeginDeletion has added the file to the list of unused
	// files, which are deleted later.
	p.Files.ForRooms().RemoveUnusedFile(ctx, deleted.Thumbnail)
	return nil
}
