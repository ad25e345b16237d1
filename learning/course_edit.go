package learning

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// CourseEdit is a change of a course. What is nil stays as it is.
type CourseEdit struct {
	Version     int64 // of the course that the editor has read: see [Course]
	Title       *string
	Description *string
	Price       *Money
	Discount    *Percent
	Published   *bool
	// Content is the whole new content, as in [NewCourse]. Chapters and lectures are
	// identified by their ids.
	Content []Chapter
}

// EditableCourse returns a course, published or not, with the URLs of all lectures, for
// its educator and admins. Errors: [ErrUnauthenticated], [ErrForbidden],
// [ErrCourseNotFound].
func (p *Platform) EditableCourse(ctx context.Context, actor Actor, courseID string) (Course, []Chapter, error) {
	c, err := p.editable(ctx, actor, courseID)
	if err != nil {
		return Course{}, nil, err
	}
	// The content is read after the version: if the course changes between the two, the
	// version is too old, so that an edit of this content is refused.
	content, err := courseContent(ctx, p.store, courseID)
	return c, content, err
}

// EditCourse changes a course, for its educator and admins, and returns it. Of two
// concurrent edits of one version, one gets [ErrCourseChanged]. An edit that changes
// nothing leaves version and update time as they are.
//
// A lecture keeps its progress if it is renamed or moved to another chapter. A removed
// lecture is not counted any more, and is counted again if its id comes back. The quiz of a
// removed chapter is removed, and its results stay. Who is enrolled in an unpublished course
// keeps the access, and an open order can still be paid.
//
// Errors: [ErrUnauthenticated], [ErrForbidden], [ErrCourseNotFound], [ErrCourseChanged],
// [ErrInvalidRequest].
func (p *Platform) EditCourse(ctx context.Context, actor Actor, courseID string, e CourseEdit) (c Course, content []Chapter, err error) {
	if _, err := p.editable(ctx, actor, courseID); err != nil {
		return Course{}, nil, err
	}
	err = p.inTxEvents(ctx, func(tx Tx, out *outbox) (err error) {
		c, content, err = e.run(ctx, tx, out, courseID)
		return err
	})
	if err != nil {
		return Course{}, nil, wrap("edit a course", err)
	}
	return c, content, nil
}

// editable returns a course that the actor may edit.
func (p *Platform) editable(ctx context.Context, actor Actor, courseID string) (Course, error) {
	if err := actor.RequireRole(Educator, Admin); err != nil {
		return Course{}, err
	}
	c, err := p.store.Course(ctx, courseID)
	switch {
	case errors.Is(err, ErrNoRecord):
		return Course{}, ErrCourseNotFound
	case err != nil:
		return Course{}, fmt.Errorf("read a course: %w", err)
	case actor.Role != Admin && c.Educator.ID != actor.UserID:
		return Course{}, ErrForbidden
	}
	return c, nil
}

// courseContent reads the content of a course. It returns [ErrCourseNotFound] if the
// course was deleted.
func courseContent(ctx context.Context, r Reader, courseID string) ([]Chapter, error) {
	content, err := r.CourseContent(ctx, courseID)
	if errors.Is(err, ErrNoRecord) {
		return nil, ErrCourseNotFound
	}
	return content, wrap("read the content of a course", err)
}

// lockCourse locks a course until the end of the transaction. It must come before the
// first read of the transaction, because a database that reads from a snapshot would
// return the state before the lock. It returns [ErrCourseNotFound] if there is no course.
func lockCourse(ctx context.Context, tx Tx, courseID string) error {
	found, err := tx.LockCourse(ctx, courseID)
	if err == nil && !found {
		err = ErrCourseNotFound
	}
	return err
}

// run applies the edit in a transaction. The lock keeps course, content and quizzes
// consistent.
func (e CourseEdit) run(ctx context.Context, tx Tx, out *outbox, courseID string) (Course, []Chapter, error) {
	if err := lockCourse(ctx, tx, courseID); err != nil {
		return Course{}, nil, err
	}
	old, err := tx.Course(ctx, courseID)
	if err != nil {
		return Course{}, nil, err
	}
	before, err := tx.CourseContent(ctx, courseID)
	if err != nil {
		return Course{}, nil, err
	}
	if old.Version != e.Version {
		return Course{}, nil, ErrCourseChanged
	}
	edited, content, err := e.apply(old, before, out.newID)
	if err != nil {
		return Course{}, nil, err
	}
	if edited == old && sameContent(content, before) {
		return old, before, nil
	}
	edited.UpdatedAt = out.now()
	if edited, err = storeEdit(ctx, tx, out, old, edited); err != nil {
		return Course{}, nil, err
	}
	if e.Content == nil {
		return edited, content, nil
	}
	return edited, content, storeContent(ctx, tx, courseID, content)
}

// apply returns the edited course and its content.
func (e CourseEdit) apply(c Course, content []Chapter, newID func() string) (Course, []Chapter, error) {
	set(&c.Title, e.Title)
	set(&c.Description, e.Description)
	set(&c.Price, e.Price)
	set(&c.Discount, e.Discount)
	set(&c.Published, e.Published)
	if !(NewCourse{Title: c.Title, Description: c.Description, Price: c.Price, Discount: c.Discount}).valid() {
		return Course{}, nil, ErrInvalidRequest
	}
	if e.Content == nil {
		return c, content, nil
	}
	content, err := normalContent(e.Content, content, newID)
	c.Lectures, c.Minutes = totals(content)
	return c, content, err
}

// set sets *field to *value if there is a value.
func set[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}

func sameContent(a, b []Chapter) bool {
	return slices.EqualFunc(a, b, func(a, b Chapter) bool {
		return a.ID == b.ID && a.Order == b.Order && a.Title == b.Title && slices.Equal(a.Lectures, b.Lectures)
	})
}

// storeEdit overwrites a course, with the event of the change, and returns it with its new
// version.
func storeEdit(ctx context.Context, tx Tx, out *outbox, old, edited Course) (Course, error) {
	updated, err := tx.UpdateCourse(ctx, edited)
	if err != nil {
		return Course{}, err
	}
	if !updated {
		return Course{}, ErrCourseChanged
	}
	edited.Version++
	out.courseEdited(old, edited)
	tx.AfterCommit(out.catalogueChanged)
	return edited, replaceCourseWords(ctx, tx, []RowWords{edited.SearchWords()}, []string{edited.Educator.ID})
}

// storeContent overwrites the content of a course, and removes the quizzes of chapters
// that it does not have any more.
func storeContent(ctx context.Context, tx Tx, courseID string, content []Chapter) error {
	if err := tx.UpdateContent(ctx, courseID, content); err != nil {
		return err
	}
	quizzes, err := tx.QuizChapters(ctx, courseID)
	if err != nil {
		return err
	}
	for _, id := range quizzes {
		if hasChapter(content, id) {
			continue
		}
		if _, err := tx.RemoveQuiz(ctx, courseID, id); err != nil {
			return err
		}
	}
	return nil
}

func hasChapter(content []Chapter, id string) bool {
	return slices.ContainsFunc(content, func(ch Chapter) bool { return ch.ID == id })
}
