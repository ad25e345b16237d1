package learning

import (
	"context"
	"errors"
	"fmt"
)

// ReviseContent gives a course other chapters and lectures, for the educator whose
// it is, or for an admin. The whole content is given, with the URLs; what is said
// of it in [NewCourse] goes for it too. Lectures are known again by their ids:
// progress in those that remain stays, also when they are renamed or moved to
// another chapter, and a missing id makes a new lecture. Errors: [ErrForbidden],
// [ErrCourseNotFound], [ErrInvalidRequest].
func (p *Platform) ReviseContent(ctx context.Context, actor Actor, courseID string, content []Chapter) error {
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
		// The totals come first: their row is the lock that keeps them with their
		// content when two revise at once.
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

// mayRevise is nil for who may change a course.
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
