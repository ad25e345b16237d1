package catalog

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/openlectern/openlectern/learning/core"
)

// CourseEdit is a change of a course. What is nil stays as it is.
type CourseEdit struct {
	Version     int64 // of the course that the editor has read: see [Course]
	Title       *string
	Description *string
	Price       *core.Money
	Discount    *core.Percent
	Published   *bool
	Terms       *Terms
	Prices      *[]Price       // all of the new ones; an empty list removes them
	Metadata    *core.Metadata // all of the new one; an empty map removes it
	// Content is the whole new content, as in [NewCourse]. Chapters and lectures are
	// identified by their ids.
	Content []Chapter
}

// EditableCourse returns a course, published or not, with the URLs of all lectures, for
// its educator and admins. Errors: [core.ErrUnauthenticated], [core.ErrForbidden],
// [ErrCourseNotFound].
func (s *Service) EditableCourse(ctx context.Context, actor core.Actor,
	courseID string) (CourseWithContent, error) {
	c, err := s.ForRooms().Editable(ctx, actor, courseID)
	if err != nil {
		return CourseWithContent{}, err
	}
	// The content is read after the version: if the course changes between the two, the
	// version is too old, so that an edit of this content is refused.
	content, err := ContentOf(ctx, s.store, courseID)
	if err == nil {
		content, err = WithQuizzes(ctx, s.store, courseID, content)
	}
	if err == nil {
		content, err = s.ForRooms().Shown(ctx, Access{Caller: Editor}, courseID, content)
	}
	return CourseWithContent{c, content}, err
}

// EditCourse changes a course, for its educator and admins, and returns it. Of two
// concurrent edits of one version, one gets [ErrCourseChanged]. An edit that changes
// nothing leaves version and update time as they are.
//
// A lecture that is sent without a kind keeps its kind, file, captions and attachments, and one
// without a text its text. Files must be those of the course's educator.
//
// A lecture keeps its progress if it is renamed or moved to another chapter. A removed
// lecture is not counted any more, and is counted again if its id comes back. The quiz of a
// removed chapter is removed, and its results stay. Enrolled users keep access to an
// unpublished course, and an open order for it can still be paid.
//
// Errors: [core.ErrUnauthenticated], [core.ErrForbidden], [ErrCourseNotFound], [ErrCourseChanged],
// [core.ErrInvalidRequest].
func (s *Service) EditCourse(ctx context.Context, actor core.Actor, courseID string,
	e CourseEdit) (edited CourseWithContent, err error) {
	// The course itself is read again in the transaction, after the lock. Its educator never
	// changes.
	c, err := s.ForRooms().Editable(ctx, actor, courseID)
	if err != nil {
		return CourseWithContent{}, err
	}
	err = s.base.Change(ctx, func(tx Tx, changes *core.Changes) (err error) {
		// Two edits at once must not make a circle of courses that require each other.
		if e.Terms != nil && len(e.Terms.Requires) > 0 {
			if err := tx.LockRequirements(ctx); err != nil {
				return err
			}
		}
		// Lock the educator, whose name is copied to the words of the course: a change of the name
		// comes before or after.
		if err := core.LockUser(ctx, tx, c.Educator.ID); err != nil {
			return err
		}
		if edited, err = s.applyEdit(ctx, tx, changes, actor, courseID, e); err != nil {
			return err
		}
		edited.Content, err = WithQuizzes(ctx, tx, courseID, edited.Content)
		return err
	})
	if err != nil {
		return CourseWithContent{}, core.Wrap("edit a course", err)
	}
	edited.Content, err = s.ForRooms().Shown(ctx, Access{Caller: Editor}, courseID, edited.Content)
	return edited, err
}

// Editable returns a course that the actor may edit: an educator their own, an admin any. Errors:
// [core.ErrUnauthenticated], [core.ErrForbidden], [ErrCourseNotFound].
func (s *ForRooms) Editable(ctx context.Context, actor core.Actor, courseID string) (Course,
	error) {
	if err := actor.RequireRole(core.Educator, core.Admin); err != nil {
		return Course{}, err
	}
	c, err := s.store.Course(ctx, courseID)
	switch {
	case errors.Is(err, core.ErrNoRecord):
		return Course{}, ErrCourseNotFound
	case err != nil:
		return Course{}, fmt.Errorf("read a course: %w", err)
	case actor.Role != core.Admin && c.Educator.ID != actor.UserID:
		return Course{}, core.ErrForbidden
	}
	return c, nil
}

// ContentOf reads the content of a course. It returns [ErrCourseNotFound] if the
// course was deleted.
func ContentOf(ctx context.Context, r ContentReader, courseID string) ([]Chapter, error) {
	content, err := r.CourseContent(ctx, courseID)
	if errors.Is(err, core.ErrNoRecord) {
		return nil, ErrCourseNotFound
	}
	return content, core.Wrap("read the content of a course", err)
}

// LockCourse locks a course until the end of the transaction. It must come before the
// first read of the transaction, because a database that reads from a snapshot would
// return the state before the lock. It returns [ErrCourseNotFound] if there is no course.
func LockCourse(ctx context.Context, tx LockTx, courseID string) error {
	found, err := tx.LockCourse(ctx, courseID)
	if err == nil && !found {
		err = ErrCourseNotFound
	}
	return err
}

// lockWithContent locks a course until the end of the transaction, and reads it with its content.
// See
// [LockCourse].
func lockWithContent(
	ctx context.Context, tx Tx, courseID string,
) (c CourseWithContent, err error) {
	if err = LockCourse(ctx, tx, courseID); err != nil {
		return c, err
	}
	if c.Course, err = tx.Course(ctx, courseID); err != nil {
		return c, err
	}
	c.Content, err = tx.CourseContent(ctx, courseID)
	return c, err
}

// applyEdit applies an edit in a transaction, and returns the edited course, or the stored one if
// nothing changes. The lock keeps course, content and quizzes consistent. On an error edited may be
// set, and must not be used. Errors: [ErrCourseNotFound], [ErrCourseChanged],
// [core.ErrInvalidRequest].
func (s *Service) applyEdit(
	ctx context.Context, tx Tx, changes *core.Changes, actor core.Actor, courseID string,
	e CourseEdit,
) (edited CourseWithContent, err error) {
	old, err := lockWithContent(ctx, tx, courseID)
	if err != nil {
		return edited, err
	}

	// Apply the edit, if the course is still the one that the editor has read.
	if old.Version != e.Version {
		return edited, ErrCourseChanged
	}
	if edited, err = e.apply(old, changes.NewID, s.embedHosts, s.prices); err != nil {
		return edited, err
	}
	if e.Terms != nil {
		err := checkRequires(ctx, tx, actor, courseID, edited.Terms.Requires)
		if err != nil {
			return edited, err
		}
	}
	// The texts are not part of the stored content.
	var texts map[string]string
	if hasMaterial(old.Content) || hasMaterial(edited.Content) {
		if texts, err = tx.LectureTexts(ctx, courseID); err != nil {
			return edited, err
		}
	}
	hasSameTexts := e.Content == nil || maps.Equal(texts, textsAfter(texts, edited.Content))
	if edited.Course.equal(old.Course) && sameContent(edited.Content, old.Content) && hasSameTexts {
		return old, nil
	}

	// Store the course with its event and its words, and then the content, unless the edit leaves
	// it as it is.
	edited.UpdatedAt = changes.Now()
	edited.Course, err = s.storeEdit(ctx, tx, changes, old.Course, edited.Course)
	if err != nil || e.Content == nil {
		return edited, err
	}
	if err := storeContent(ctx, tx, courseID, edited.Content); err != nil {
		return edited, err
	}
	if err := setCourseFiles(ctx, tx, edited.Course, old.Content, edited.Content,
		changes.Now()); err != nil {
		return edited, err
	}
	return edited, storeTexts(ctx, tx, courseID, texts, edited.Content)
}

// apply returns c after the edit, with its content and totals. newID generates the ids of chapters
// and lectures that have none. Error: [core.ErrInvalidRequest].
func (e CourseEdit) apply(
	c CourseWithContent, newID func() string, embedHosts map[string]bool, prices PriceSettings,
) (CourseWithContent, error) {
	set(&c.Title, e.Title)
	set(&c.Description, e.Description)
	set(&c.Price, e.Price)
	set(&c.Discount, e.Discount)
	set(&c.Published, e.Published)
	set(&c.Metadata, e.Metadata)
	set(&c.Prices, e.Prices)

	// The edited course follows the rules of a new one. Its content has a check of its own: the ids
	// that the stored content has stay valid.
	if err := (NewCourse{Title: c.Title, Description: c.Description, Price: c.Price,
		Discount: c.Discount, Metadata: c.Metadata}).check(); err != nil {
		return CourseWithContent{}, err
	}
	if e.Price != nil {
		if err := prices.checkPlatform(coursePriceField, c.FinalPrice()); err != nil {
			return CourseWithContent{}, err
		}
	}
	if e.Prices != nil { // those that are stored stay, also if a provider takes them no more
		if err := prices.check(coursePriceField, c.Prices); err != nil {
			return CourseWithContent{}, err
		}
	}
	if e.Terms != nil {
		terms, err := e.Terms.normal()
		if err != nil {
			return CourseWithContent{}, err
		}
		c.Terms = terms
	}
	if e.Content == nil {
		return c, nil
	}
	content, err := normalContent(e.Content, c.Content, newID, embedHosts)
	c.Content = content
	c.Lectures, c.Minutes = totals(content)
	c.HasOpenings = hasOpenings(content)
	return c, err
}

// set sets *field to *value if there is a value.
func set[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}

// sameContent reports whether the chapters and lectures are equal, in the same order. It does not
// compare texts.
func sameContent(a, b []Chapter) bool {
	return slices.EqualFunc(a, b, func(a, b Chapter) bool {
		return a.ID == b.ID && a.Order == b.Order && a.Title == b.Title && a.Opens == b.Opens &&
			slices.EqualFunc(a.Lectures, b.Lectures, Lecture.equal)
	})
}

// storeEdit overwrites a course and its words, but not its content, adds the event of the change to
// changes, and returns the course with its new version. Error: [ErrCourseChanged] if the stored
// version is not that of edited any more.
func (s *Service) storeEdit(
	ctx context.Context, tx Tx, changes *core.Changes, old, edited Course,
) (Course, error) {
	updated, err := tx.UpdateCourse(ctx, edited)
	if err != nil {
		return Course{}, err
	}
	if !updated { // only a precaution: applyEdit has compared the version, and holds the lock
		return Course{}, ErrCourseChanged
	}
	edited.Version++
	addCourseEditedEvent(changes, old, edited)
	tx.AfterCommit(s.catalogueChanged) // so that caches of the catalogue read it again
	if err := replaceCoursePairs(ctx, tx, old, edited); err != nil {
		return Course{}, err
	}
	return edited, replaceCourseWords(ctx, tx, edited)
}

// storeContent overwrites the content of a course, and lets later rooms follow.
func storeContent(ctx context.Context, tx Tx, courseID string, content []Chapter) error {
	if err := tx.UpdateContent(ctx, courseID, content); err != nil {
		return err
	}
	return tx.ContentStored(ctx, courseID, content)
}

// HasChapter reports whether a content has a chapter with an id.
func HasChapter(content []Chapter, id string) bool {
	return slices.ContainsFunc(content, func(ch Chapter) bool { return ch.ID == id })
}

// addCourseEditedEvent adds the event of an edit. A change of a draft has none.
func addCourseEditedEvent(changes *core.Changes, old, edited Course) {
	switch {
	case edited.Published && !old.Published:
		addCourseEvent(changes, EventCoursePublished, edited)
	case edited.Published:
		addCourseEvent(changes, EventCourseUpdated, edited)
	case old.Published:
		addCourseEvent(changes, EventCourseUnpublished, edited)
	}
}
