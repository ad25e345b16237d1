package study

import (
	"context"
	"slices"
	"time"

	"github.com/openlectern/openlectern/learning/core"
)

// What this file stores happened in another system. Each function runs in a transaction that has
// locked the user, and reports whether it has stored something: a repetition stores nothing.

// ImportEnrollment enrols a user in a course from e.CreatedAt on, and does nothing if the user is
// enrolled, or was and the enrolment has ended since then. title is that of the course.
func (s *ForRooms) ImportEnrollment(
	ctx context.Context, tx Tx, changes *core.Changes, e Enrollment, title string,
) (bool, error) {
	isKnown, err := tx.Enrolled(ctx, e.UserID, e.CourseID)
	if err == nil && !isKnown {
		isKnown, err = tx.EnrollmentEndedAfter(ctx, e.UserID, e.CourseID, e.CreatedAt)
	}
	if err != nil || isKnown {
		return false, err
	}
	return true, s.Enroll(ctx, tx, changes, e, title)
}

// ImportedProgress says that a user has completed a lecture, or the first lectures of a course.
type ImportedProgress struct {
	UserID    string
	CourseID  string
	LectureID string // "" for the first Percent of Lectures
	Percent   int    // from 0 to 100
	At        time.Time

	Lectures []string // all of the course, in its order
	Title    string   // of the course
}

// lectures returns the ids of the lectures that are completed. Of a percentage only whole lectures
// count.
func (p ImportedProgress) lectures() []string {
	if p.LectureID != "" {
		return []string{p.LectureID}
	}
	return p.Lectures[:len(p.Lectures)*p.Percent/100]
}

// ImportProgress stores completed lectures. If a percentage of this time was stored before, it does
// nothing, because the course may have other lectures now. With the last lecture of the course it
// stores that the course is completed.
func (s *ForRooms) ImportProgress(
	ctx context.Context, tx Tx, changes *core.Changes, p ImportedProgress,
) (stored bool, err error) {
	// Find what is completed.
	done, err := tx.CompletedLectures(ctx, p.UserID, p.CourseID)
	if err != nil {
		return false, err
	}
	isRepeated := p.LectureID == "" && slices.ContainsFunc(done,
		func(l CompletedLecture) bool { return l.At.Equal(p.At) })
	if isRepeated {
		return false, nil
	}

	// Store what is new.
	isDone := map[string]bool{}
	for _, l := range done {
		isDone[l.LectureID] = true
	}
	for _, id := range p.lectures() {
		if isDone[id] {
			continue
		}
		l := CompletedLecture{LectureID: id, At: p.At}
		AddLectureCompletedEvent(changes, p.UserID, p.CourseID, p.Title, id)
		if err := tx.InsertCompletedLecture(ctx, p.UserID, p.CourseID, l); err != nil {
			return false, err
		}
		done, stored = append(done, l), true
	}
	if !stored || !ProgressIn(p.Lectures, p.UserID, p.CourseID, done).Completed() {
		return stored, nil
	}

	// The course is completed. Without this row the next look at it would tell so, as if it had
	// happened now.
	isKnown, err := tx.CourseCompleted(ctx, p.UserID, p.CourseID)
	if err != nil || isKnown {
		return stored, err
	}
	changes.Add(EventCourseCompleted, "user", p.UserID,
		core.EventData{UserID: p.UserID, CourseID: p.CourseID, CourseTitle: p.Title})
	return stored, tx.InsertCourseCompletion(ctx, p.UserID, p.CourseID, p.At)
}
