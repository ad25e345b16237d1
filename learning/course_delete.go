package learning

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/learning/core"
)

// DeleteCourse deletes a course with its content, quizzes, coupons and thumbnail, for its educator
// and admins. It returns [ErrCourseHasStudents] if a user is or was enrolled in the course, or if
// it has a purchase that is open, completed or refunded. Failed purchases stay; a late payment of
// one completes it without an enrolment and is logged. A concurrent purchase either prevents the
// deletion or gets [ErrCourseNotFound].
//
// Errors: [core.ErrUnauthenticated], [core.ErrForbidden], [ErrCourseNotFound],
// [ErrCourseHasStudents].
func (p *Platform) DeleteCourse(ctx context.Context, actor core.Actor, courseID string) error {
	if _, err := p.editable(ctx, actor, courseID); err != nil {
		return err
	}
	var deleted Course
	err := p.base.Change(ctx, func(tx Tx, changes *core.Changes) (err error) {
		deleted, err = p.deleteCourse(ctx, tx, changes, courseID)
		return err
	})
	if err != nil {
		return core.Wrap("delete a course", err)
	}

	// A failure is only logged, because deleteCourse has added the file to the list of unused
	// files, which are deleted later.
	p.removeUnusedFile(ctx, deleted.Thumbnail)
	return nil
}

// deleteCourse deletes an unused course in a transaction, with its event and what belongs to it,
// and returns it. Its thumbnail is only added to the list of unused files, because a rollback could
// not restore it. Errors: [ErrCourseNotFound], [ErrCourseHasStudents].
func (p *Platform) deleteCourse(
	ctx context.Context, tx Tx, changes *core.Changes, courseID string,
) (Course, error) {
	// Lock the course. Purchases and enrolments wait until the transaction ends, because they
	// change or lock the same row.
	if err := lockCourse(ctx, tx, courseID); err != nil {
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
	now := p.base.Now()
	if c.Published {
		addCourseEvent(changes, EventCourseUnpublished, c)
	}
	changes.Count(courseID, core.Total{Kind: TotalCourses, Number: -1})
	tx.AfterCommit(p.catalogueChanged) // so that caches of the catalogue read it again
	if err := markUnused(ctx, tx, c.Thumbnail, now); err != nil {
		return Course{}, err
	}
	// Keep the title, which lists of purchases show, and the revision, so that the revision of the
	// catalogue changes.
	if err := tx.InsertDeletedCourse(ctx, p.base.NewID(), courseID, now); err != nil {
		return Course{}, err
	}

	// Its files may be used by other courses of the educator.
	if err := releaseMaterial(ctx, tx, c, content, now); err != nil {
		return Course{}, err
	}
	return c, deleteRowsOf(ctx, tx, c)
}

// deleteRowsOf deletes a course with what belongs to it alone.
func deleteRowsOf(ctx context.Context, tx Tx, c Course) error {
	// The words are those of a search, with those of the educator's name.
	err := tx.DeleteWords(ctx, CourseWords, []string{c.ID}, []string{c.Educator.ID})
	if err != nil {
		return err
	}
	if err := deletePostsOf(ctx, tx, c.ID); err != nil {
		return err
	}
	for _, remove := range []func(context.Context, string) error{
		tx.DeleteQuizzes, tx.DeleteCoupons, tx.DeleteContent, tx.DeleteCourse,
		tx.DeleteCourseTotals, tx.DeleteQuestionTotals,
	} {
		if err := remove(ctx, c.ID); err != nil {
			return err
		}
	}
	return nil
}

// markUnused adds a file to the list of unused files, to be deleted from a time on. It does nothing
// if name is "".
func markUnused(ctx context.Context, tx Tx, name string, at time.Time) error {
	if name == "" {
		return nil
	}
	return tx.InsertUnusedFile(ctx, name, at)
}

// deletePostsOf deletes the posts of a course with their replies and votes.
func deletePostsOf(ctx context.Context, tx Tx, courseID string) error {
	for {
		list, err := tx.PostPositions(ctx, PostQuery{Tab: AllPosts, CourseID: courseID}, nil, 0,
			core.PageRequest{Limit: postsPerDelete})
		if err != nil || len(list) == 0 {
			return err
		}
		ids := make([]string, len(list))
		for i, position := range list {
			ids[i] = position.ID
		}
		if err := deletePosts(ctx, tx, ids...); err != nil {
			return err
		}
	}
}
