package learning

import (
	"context"
	"errors"
	"fmt"
)

// reviseContent replaces the chapters and lectures of a course. Only its educator and
// admins may call it. content is the whole new content, with the URLs, as in
// [NewCourse]. Lectures are identified by their ids: a lecture keeps its progress if
// it is renamed or moved to another chapter, and a lecture without an id is new.
// Errors: [ErrForbidden],
// [ErrCourseNotFound], [ErrInvalidRequest].
func (p *Platform) reviseContent(ctx context.Context, actor Actor, courseID string, content []Chapter) error {
	if err := p.mayRevise(ctx, actor, courseID); err != nil {
		return err
	}
	before, err := p.store.CourseContent(ctx, courseID)
	if err != nil {
		return fmt.Errorf("read the content of a course: %w", err)
	}
	if content, err = normalContent(content, before, p.newID); err != nil {
		return err
	}
	revised := Course{ID: courseID, UpdatedAt: p.now()}
	revised.Lectures, revised.Minutes = totals(content)
	err = p.store.InTx(ctx, func(tx Tx) error {
		tx.AfterCommit(p.catalogueChanged)
		// The totals come first because their row is the lock of the course: it keeps
		// totals and content consistent when two revisions run concurrently.
		if err := tx.UpdateTotals(ctx, revised); err != nil {
			return err
		}
		return tx.UpdateContent(ctx, courseID, content)
	})
	if err != nil {
		return fmt.Errorf("revise a course: %w", err)
	}
	return nil
}

// mayRevise returns an error unless the actor may change the course.
func (p *Platform) mayRevise(ctx context.Context, actor Actor, courseID string) error {
	if actor.RequireRole(Admin) != nil {
		_, err := p.ownCourse(ctx, actor, courseID)
		return err
	}
	_, err := p.store.Course(ctx, courseID)
	if errors.Is(err, ErrNoRecord) {
		return ErrCourseNotFound
	}
	return wrap("read a course", err)
}
