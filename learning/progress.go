package learning

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
)

// CompletedLecture says when somebody completed a lecture of a course.
type CompletedLecture struct {
	LectureID string
	At        time.Time
}

// Progress is how far somebody is in a course as the course is now. What is stored
// is the completed lectures alone; all else follows from them and the content, so
// that a course can be restructured at any time: the progress of lectures that
// remain stays, that of lectures that are gone is not counted, and counts again
// when they come back.
type Progress struct {
	ID       string // made of the two below
	UserID   string
	CourseID string
	// Lectures are the completed ones that the course has now, in the order in which
	// they were completed.
	Lectures []string
	// CompletedAt is when the last of the course's lectures was completed; zero while
	// any is left.
	CompletedAt time.Time
	CreatedAt   time.Time // when the first lecture was completed, whether the course still has it or not
	UpdatedAt   time.Time // when the latest was
}

// Completed tells whether every lecture that the course has now is completed.
func (p Progress) Completed() bool { return !p.CompletedAt.IsZero() }

// progressIn counts completed lectures, which are in their order, against those of
// the course, by id. A course without lectures is never completed.
func progressIn(lectures []string, userID, courseID string, done []CompletedLecture) Progress {
	p := Progress{ID: progressID(userID, courseID), UserID: userID, CourseID: courseID, Lectures: []string{}}
	if len(done) == 0 {
		return p
	}
	p.CreatedAt, p.UpdatedAt = done[0].At, done[len(done)-1].At
	left, last := map[string]bool{}, time.Time{}
	for _, id := range lectures {
		left[id] = true
	}
	for _, l := range done {
		if left[l.LectureID] {
			delete(left, l.LectureID)
			p.Lectures, last = append(p.Lectures, l.LectureID), l.At
		}
	}
	if len(left) == 0 {
		p.CompletedAt = last
	}
	return p
}

// progressID is the same for a person and a course at all times.
func progressID(userID, courseID string) string {
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte("progress of "+strconv.Quote(userID)+" in "+strconv.Quote(courseID))).String()
}

// progress reads how far somebody is in a course.
func (p *Platform) progress(ctx context.Context, r Reader, userID, courseID string) (Progress, error) {
	done, err := r.CompletedLectures(ctx, userID, courseID)
	if err != nil {
		return Progress{}, fmt.Errorf("read the completed lectures: %w", err)
	}
	lectures, err := r.LectureIDs(ctx, courseID)
	if err != nil && !errors.Is(err, ErrNoRecord) {
		return Progress{}, fmt.Errorf("read the lectures of a course: %w", err)
	}
	return progressIn(lectures, userID, courseID, done), nil
}

// Progress is how far the actor is in a course; nil when no lecture was ever
// completed, as in a course that the actor does not have or that does not exist.
func (p *Platform) Progress(ctx context.Context, actor Actor, courseID string) (*Progress, error) {
	if err := actor.Require(); err != nil {
		return nil, err
	}
	progress, err := p.progress(ctx, p.store, actor.UserID, courseID)
	if err != nil || progress.CreatedAt.IsZero() {
		return nil, err
	}
	return &progress, nil
}

// CompleteLecture notes that the actor has completed a lecture, and tells whether
// that completes the course. Doing so again changes nothing. Errors:
// [ErrCourseNotFound], [ErrNotPurchased], [ErrInvalidLecture].
func (p *Platform) CompleteLecture(ctx context.Context, actor Actor, courseID, lectureID string) (completed bool, err error) {
	if err := p.requireEnrolled(ctx, actor, courseID); err != nil {
		return false, err
	}
	lectures, err := p.store.LectureIDs(ctx, courseID)
	if err != nil {
		return false, fmt.Errorf("read the lectures of a course: %w", err)
	}
	if !slices.Contains(lectures, lectureID) {
		return false, ErrInvalidLecture
	}
	if err := p.storeCompleted(ctx, actor.UserID, courseID, CompletedLecture{lectureID, p.now()}); err != nil {
		return false, err
	}
	return p.completes(ctx, actor.UserID, courseID, lectures)
}

// completes tells whether a course that has just had these lectures is completed.
// It reads after the commit, so that of two who complete the last two lectures at
// once one is told; and the lectures again where they seem to be all, since some
// may have been added meanwhile.
func (p *Platform) completes(ctx context.Context, userID, courseID string, lectures []string) (bool, error) {
	done, err := p.store.CompletedLectures(ctx, userID, courseID)
	if err != nil {
		return false, fmt.Errorf("read the completed lectures: %w", err)
	}
	if !progressIn(lectures, userID, courseID, done).Completed() {
		return false, nil
	}
	progress, err := p.progress(ctx, p.store, userID, courseID)
	return progress.Completed(), err
}

// storeCompleted stores a completed lecture, unless it is.
func (p *Platform) storeCompleted(ctx context.Context, userID, courseID string, l CompletedLecture) error {
	err := p.store.InTx(ctx, func(tx Tx) error { return tx.InsertCompletedLecture(ctx, userID, courseID, l) })
	if err == nil || errors.Is(err, ErrDuplicate) {
		return nil
	}
	// The answer to COMMIT can be lost.
	asked, cancel := p.provider(context.WithoutCancel(ctx))
	defer cancel()
	done, readErr := p.store.CompletedLectures(asked, userID, courseID)
	if readErr == nil && slices.ContainsFunc(done, func(d CompletedLecture) bool { return d.LectureID == l.LectureID }) {
		return nil
	}
	return fmt.Errorf("complete a lecture: %w", err)
}

// ProgressReader reads what people have completed.
type ProgressReader interface {
	// CompletedLectures lists the lectures of a course that a person has completed,
	// also those that the course has no more, in the order of time, by id on a tie.
	CompletedLectures(ctx context.Context, userID, courseID string) ([]CompletedLecture, error)
	// CompletedByCourse lists them for all courses, by the id of the course.
	CompletedByCourse(ctx context.Context, userID string) (map[string][]CompletedLecture, error)
	// BegunLectureIDs reads the ids alone of the lectures, in order, of each course in
	// which a person has completed any, by the id of the course.
	BegunLectureIDs(ctx context.Context, userID string) (map[string][]string, error)
}

// ProgressWriter writes what people have completed.
type ProgressWriter interface {
	// InsertCompletedLecture adds one; [ErrDuplicate] when it is completed.
	InsertCompletedLecture(ctx context.Context, userID, courseID string, l CompletedLecture) error
}
