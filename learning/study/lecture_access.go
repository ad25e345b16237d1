package study

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

// The public failures of access.
var (
	ErrAccessEnded = &core.Error{Kind: core.Forbidden, Code: "access_ended",
		Message: "Your access to this course has ended"}
	ErrLectureLocked = &core.Error{Kind: core.Forbidden, Code: "lecture_locked",
		Message: "This lecture is not open yet"}
)

// Access is what an actor may read of a course now. An actor whose access has ended is an outsider
// with an enrolment.
type Access struct {
	catalog.Access
	Course     catalog.Course // zero for an outsider without an enrolment
	Enrollment Enrollment     // of the actor, also if it has expired; zero for none
}

// HasEnded reports whether the actor is enrolled, and the access has ended.
func (a Access) HasEnded() bool {
	return a.Enrollment.Exists() && a.Caller == catalog.Outsider
}

// AccessOf returns what an actor may read of a course at a time: the one place that decides it. An
// actor is an outsider of a course that does not exist. For a student of a course that is gated it
// reads the content and the progress, and for others neither.
func AccessOf(
	ctx context.Context, r AccessReader, actor core.Actor, courseID string, now time.Time,
) (a Access, err error) {
	if !actor.SignedIn() {
		return Access{}, nil
	}
	c, err := r.Course(ctx, courseID)
	if errors.Is(err, core.ErrNoRecord) {
		return Access{}, nil
	}
	if err != nil {
		return Access{}, fmt.Errorf("read a course: %w", err)
	}
	isOwner := actor.Role == core.Educator && c.Educator.ID == actor.UserID
	if isOwner || actor.Role == core.Admin {
		a.Course, a.Caller = c, catalog.Editor
		return a, nil
	}
	e, err := r.Enrollment(ctx, actor.UserID, courseID)
	switch {
	case errors.Is(err, core.ErrNoRecord):
		return Access{}, nil
	case err != nil:
		return Access{}, fmt.Errorf("read an enrolment: %w", err)
	}
	a.Course, a.Enrollment = c, e
	if e.HasExpired(now) {
		return a, nil
	}
	a.Caller = catalog.EnrolledStudent
	if !c.IsGated() || e.OpenAll {
		return a, nil
	}
	content, err := catalog.ContentOf(ctx, r, courseID)
	if err != nil {
		return Access{}, err
	}
	studied, err := r.Studied(ctx, StudiedQuery{UserID: actor.UserID, CourseID: courseID,
		Submitted: c.Terms.InOrder && HasAssignment(content)})
	if err != nil {
		return Access{}, fmt.Errorf("read what a student has done: %w", err)
	}
	a.Locks = LockedLectures(c, content, e.CountsFrom(), studied, now)
	return a, nil
}

// Studied is what a student has done in a course.
type Studied struct {
	Completed map[string]bool // by the id of the lecture
	Submitted map[string]bool // assignments that were submitted: they do not wait for their grade
	// Positions are where the student was last in lectures. No rule asks them.
	Positions map[string]core.Milliseconds
}

// StudiedQuery says what is read of what a student has done in a course: the completed lectures,
// and more.
type StudiedQuery struct {
	UserID, CourseID string
	Submitted        bool // also the submitted assignments
	Positions        bool // also the positions
}

// HasAssignment reports whether a lecture of a content is an assignment.
func HasAssignment(content []catalog.Chapter) bool {
	isAssignment := func(l catalog.Lecture) bool { return l.Assignment != nil }
	return slices.ContainsFunc(content, func(ch catalog.Chapter) bool {
		return slices.ContainsFunc(ch.Lectures, isAssignment)
	})
}

// LockedLectures returns the lectures of a course that are not open to a student at a time, whose
// lectures an admin has not opened. since is when the student was enrolled first: see
// [Enrollment.CountsFrom].
func LockedLectures(
	c catalog.Course, content []catalog.Chapter, since time.Time, p Studied, now time.Time,
) map[string]catalog.Lock {
	if !c.IsGated() {
		return nil
	}
	return locks(content, c.Terms.InOrder, since, p, now)
}

// locks returns the lectures of a content that are not open to a student at a time. The first row
// that fits decides:
//
//	lecture                                                result
//	a free preview, or completed                           open
//	its chapter opens later                                locked by time
//	inOrder, and one before it is neither completed nor    locked by order
//	  a submitted assignment
//	any other                                              open
func locks(
	content []catalog.Chapter, inOrder bool, since time.Time, p Studied, now time.Time,
) map[string]catalog.Lock {
	lectures := 0
	for _, ch := range content {
		lectures += len(ch.Lectures)
	}
	closed := make(map[string]catalog.Lock, lectures)
	isDone := true // all lectures before
	for _, ch := range content {
		opensAt := ch.Opens.Time(since)
		for _, l := range ch.Lectures {
			switch {
			case l.PreviewFree || p.Completed[l.ID]:
			case now.Before(opensAt):
				closed[l.ID] = catalog.Lock{By: catalog.LockedByTime, OpensAt: opensAt}
			case inOrder && !isDone:
				closed[l.ID] = catalog.Lock{By: catalog.LockedByOrder}
			}
			isSubmitted := l.Assignment != nil && p.Submitted[l.ID]
			isDone = isDone && (p.Completed[l.ID] || isSubmitted)
		}
	}
	return closed
}

// RequireOpen returns nil if the actor of a edits the course, or is enrolled now and the lecture
// with an id is open. "" is for no lecture. Errors: [ErrAccessEnded], [ErrNotPurchased],
// [ErrLectureLocked].
func (a Access) RequireOpen(lectureID string) error {
	switch {
	case a.Caller == catalog.Editor:
		return nil
	case a.HasEnded():
		return ErrAccessEnded
	case a.Caller == catalog.Outsider:
		return ErrNotPurchased
	}
	if _, isLocked := a.Locks[lectureID]; isLocked {
		return ErrLectureLocked
	}
	return nil
}

// RequireChapter returns nil if the lectures of a chapter are all open to the actor, as the quiz of
// the chapter is then. It does not ask whether the actor is enrolled at all. Errors:
// [ErrAccessEnded], [ErrLectureLocked].
func (s *ForRooms) RequireChapter(
	ctx context.Context, actor core.Actor, courseID, chapterID string,
) error {
	a, err := AccessOf(ctx, s.store, actor, courseID, s.base.Now())
	if err == nil && a.HasEnded() {
		err = ErrAccessEnded
	}
	if err != nil || len(a.Locks) == 0 {
		return err
	}
	content, err := catalog.ContentOf(ctx, s.store, courseID)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(content, func(ch catalog.Chapter) bool { return ch.ID == chapterID })
	if i < 0 {
		return nil
	}
	for _, l := range content[i].Lectures {
		if _, isLocked := a.Locks[l.ID]; isLocked {
			return ErrLectureLocked
		}
	}
	return nil
}

// RequireAccess returns nil if a user is enrolled in a course and the access has not ended, inside
// or outside a transaction. Errors: [ErrNotPurchased], [ErrAccessEnded].
func RequireAccess(
	ctx context.Context, r EnrolledReader, userID, courseID string, now time.Time,
) error {
	e, err := r.Enrollment(ctx, userID, courseID)
	switch {
	case errors.Is(err, core.ErrNoRecord):
		return ErrNotPurchased
	case err != nil:
		return fmt.Errorf("read an enrolment: %w", err)
	case e.HasExpired(now):
		return ErrAccessEnded
	}
	return nil
}

// AccessReader reads what an actor may read of a course.
type AccessReader interface {
	catalog.CourseReader
	catalog.ContentReader
	EnrolledReader
	gateReader
}

// gateReader reads what opens the lectures of gated courses.
type gateReader interface {
	// Studied reads what a user has done in a course.
	Studied(ctx context.Context, q StudiedQuery) (Studied, error)
}
