package study

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

// The events of progress.
const (
	EventCourseCompleted  core.EventType = "course.completed"
	EventLectureCompleted core.EventType = "lecture.completed"
)

// CompletedLecture is a lecture that a user has completed, with the time.
type CompletedLecture struct {
	LectureID string
	At        time.Time
}

// Progress is the progress of a user in a course, relative to its current content. Only
// the completed lectures are stored, so that a course can be revised at any time: removed
// lectures are not counted, and are counted again if they are added again.
type Progress struct {
	ID       string // computed from UserID and CourseID
	UserID   string
	CourseID string
	// Lectures are the ids of the completed lectures that the course has now, in the
	// order of completion.
	Lectures []string
	// CompletedAt is when the last lecture of the course was completed. It is zero if a
	// lecture is not completed.
	CompletedAt time.Time
	// when the first lecture was completed, whether the course still has it or not
	CreatedAt time.Time
	UpdatedAt time.Time // when the latest lecture was completed
}

// Completed reports whether every lecture that the course has now is completed.
func (p Progress) Completed() bool { return !p.CompletedAt.IsZero() }

// ProgressIn returns the progress in a course with the given lecture ids. done must be
// ordered by time. A course without lectures is never completed.
func ProgressIn(lectures []string, userID, courseID string, done []CompletedLecture) Progress {
	p := Progress{ID: progressID(userID, courseID), UserID: userID, CourseID: courseID,
		Lectures: []string{}}
	if len(done) == 0 {
		return p
	}
	p.CreatedAt, p.UpdatedAt = done[0].At, done[len(done)-1].At

	// Collect the completed lectures that the course has now. last is the time of the latest of
	// them, and left are those that are not completed.
	left := map[string]bool{}
	var last time.Time
	for _, id := range lectures {
		left[id] = true
	}
	for _, l := range done {
		if left[l.LectureID] {
			delete(left, l.LectureID)
			p.Lectures = append(p.Lectures, l.LectureID)
			last = l.At
		}
	}
	if len(left) == 0 {
		p.CompletedAt = last // zero for a course without lectures
	}
	return p
}

// progressID returns the id of the progress of a user in a course. It never changes. The ids are
// quoted, so that two pairs of ids never give the same text.
func progressID(userID, courseID string) string {
	return uuid.NewSHA1(uuid.NameSpaceOID,
		[]byte("progress of "+strconv.Quote(userID)+" in "+strconv.Quote(courseID))).String()
}

// CompletedReader reads which lectures are completed.
type CompletedReader interface {
	// CompletedLectures lists the lectures of a course that a user has completed, including
	// lectures that were removed from the course, by time and id.
	CompletedLectures(ctx context.Context, userID, courseID string) ([]CompletedLecture, error)
}

// ProgressReader reads what a [Progress] is computed from.
type ProgressReader interface {
	CompletedReader
	catalog.LectureIDReader
}

// ProgressOf reads the progress of a user in a course, inside or outside a transaction.
func ProgressOf(
	ctx context.Context, r ProgressReader, userID, courseID string,
) (Progress, error) {
	done, err := r.CompletedLectures(ctx, userID, courseID)
	if err != nil {
		return Progress{}, fmt.Errorf("read the completed lectures: %w", err)
	}
	lectures, err := r.LectureIDs(ctx, courseID)
	if err != nil && !errors.Is(err, core.ErrNoRecord) { // a deleted course has no lectures
		return Progress{}, fmt.Errorf("read the lectures of a course: %w", err)
	}
	return ProgressIn(lectures, userID, courseID, done), nil
}

// Progress returns the progress of the actor in a course. It returns nil if the actor has
// completed no lecture of it, also if the course does not exist.
func (s *Service) Progress(ctx context.Context, actor core.Actor, courseID string) (*Progress,
	error) {
	if err := actor.Require(); err != nil {
		return nil, err
	}
	progress, err := ProgressOf(ctx, s.store, actor.UserID, courseID)
	if err != nil {
		return nil, err
	}
	hasBegun := !progress.CreatedAt.IsZero() // it is the time of the first completed lecture
	if !hasBegun {
		return nil, nil
	}
	return &progress, nil
}

// CompleteLecture stores that the actor has completed a lecture and used the course now, and
// reports whether the course is completed. A repeated call changes nothing. Errors:
// [core.ErrUnauthenticated], [catalog.ErrCourseNotFound], [ErrNotPurchased],
// [catalog.ErrInvalidLecture].
func (s *Service) CompleteLecture(ctx context.Context, actor core.Actor,
	courseID, lectureID string) (completed bool, err error) {
	lectures, err := s.completable(ctx, actor, courseID, lectureID)
	if err != nil {
		return false, err
	}

	// Store it. Whether the course is completed is read after COMMIT, so that of two concurrent
	// calls that complete the last two lectures at least one sees both.
	if err := s.storeCompleted(ctx, actor.UserID, courseID,
		CompletedLecture{lectureID, s.base.Now()}); err != nil {
		return false, err
	}
	completed, err = s.completes(ctx, actor.UserID, courseID, lectures)
	if err != nil {
		return false, err
	}
	if !completed {
		return false, nil
	}
	// The event of the completion is stored once, however often a completed lecture is repeated.
	return true, s.ForRooms().StoreCompletion(ctx, actor.UserID, courseID)
}

// UncompleteLecture removes the mark that the actor has completed a lecture, and reports whether
// the course is completed, which a concurrent call of CompleteLecture may cause. A repeated call
// changes nothing. A certificate that was issued stays, and [EventCourseCompleted] is not written
// again when the lecture is completed again. Errors: those of [Service.CompleteLecture].
func (s *Service) UncompleteLecture(ctx context.Context, actor core.Actor,
	courseID, lectureID string) (completed bool, err error) {
	lectures, err := s.completable(ctx, actor, courseID, lectureID)
	if err != nil {
		return false, err
	}
	err = s.base.InTx(ctx, func(tx Tx) error {
		return tx.DeleteCompletedLecture(ctx, actor.UserID, courseID, lectureID)
	})
	if err != nil {
		return false, core.Wrap("uncomplete a lecture", err)
	}
	return s.completes(ctx, actor.UserID, courseID, lectures)
}

// completable returns the ids of the lectures of a course that the actor is enrolled in and that
// has the given lecture, which must not be an assignment: that is completed by its grade. Errors:
// those of [Service.CompleteLecture].
func (s *Service) completable(ctx context.Context, actor core.Actor,
	courseID, lectureID string) ([]string, error) {
	lectures, kind, err := s.lecturesWith(ctx, actor, courseID, lectureID)
	if err == nil && kind == catalog.KindAssignment {
		err = catalog.ErrInvalidLecture
	}
	return lectures, err
}

// lecturesWith returns the ids of the lectures of a course that the actor is enrolled in and that
// has the given lecture, which is open to the actor, and the kind of that. Errors: those of
// [Service.CompleteLecture].
func (s *Service) lecturesWith(ctx context.Context, actor core.Actor,
	courseID, lectureID string) ([]string, catalog.LectureKind, error) {
	if err := s.ForRooms().RequireEnrolled(ctx, actor, courseID); err != nil {
		return nil, "", err
	}
	lectures, kinds, err := s.store.LectureKinds(ctx, courseID)
	if err != nil {
		return nil, "", fmt.Errorf("read the lectures of a course: %w", err)
	}
	i := slices.Index(lectures, lectureID)
	if i < 0 {
		return nil, "", catalog.ErrInvalidLecture
	}
	access, err := AccessOf(ctx, s.store, core.Actor{UserID: actor.UserID}, courseID, s.base.Now())
	if err != nil {
		return nil, "", err
	}
	return lectures, kinds[i], access.RequireOpen(lectureID)
}

// StoreCompletion stores that a user has completed a course, with its event, unless it is
// stored already or the user is not enrolled. It follows the transaction of the last lecture,
// because that does not see the lectures that concurrent transactions complete. If the process
// ends between the two, or if the enrolment ended before the last lecture was graded, the next
// call for the course stores it. If nothing gets events, it does nothing.
func (s *ForRooms) StoreCompletion(ctx context.Context, userID, courseID string) error {
	if !s.base.HasEvents() {
		return nil
	}
	title, err := s.catalog.EventTitle(ctx, courseID)
	if err != nil {
		return err
	}
	err = s.base.Change(ctx, func(tx Tx, changes *core.Changes) error {
		// The lock comes first, so that the end of the enrolment comes before or after.
		if err := core.LockUser(ctx, tx, userID); err != nil {
			return err
		}
		isEnrolled, err := tx.Enrolled(ctx, userID, courseID)
		if err != nil || !isEnrolled {
			return err
		}
		changes.Add(EventCourseCompleted, "user", userID,
			core.EventData{UserID: userID, CourseID: courseID, CourseTitle: title})
		return tx.InsertCourseCompletion(ctx, userID, courseID, s.base.Now())
	})
	if errors.Is(err, core.ErrDuplicate) { // the completion is stored already, with its event
		return nil
	}
	return core.Wrap("store the completion of a course", err)
}

// completes reports whether a user has completed a course. It must be called after the
// commit, so that of two concurrent calls that complete the last two lectures at least
// one reports true. lectures are those that the course had before. If all of them are
// completed, it reads the lectures of the course again, because an educator may have
// added some.
func (s *Service) completes(ctx context.Context, userID, courseID string,
	lectures []string) (bool, error) {
	// Most calls do not complete the course, and end here.
	done, err := s.store.CompletedLectures(ctx, userID, courseID)
	if err != nil {
		return false, fmt.Errorf("read the completed lectures: %w", err)
	}
	if !ProgressIn(lectures, userID, courseID, done).Completed() {
		return false, nil
	}

	// Look at the lectures that the course has now.
	progress, err := ProgressOf(ctx, s.store, userID, courseID)
	return progress.Completed(), err
}

// storeCompleted stores a completed lecture with its event, unless it is stored already. The UPDATE
// of the enrolment comes before the first read, for the reason of savePositionsOnce: the deletion
// of a user comes before or after. Error: [core.ErrUnauthenticated] if the user was deleted.
func (s *Service) storeCompleted(ctx context.Context, userID, courseID string,
	l CompletedLecture) error {
	title, err := s.catalog.EventTitle(ctx, courseID)
	if err != nil {
		return err
	}
	err = s.base.Change(ctx, func(tx Tx, changes *core.Changes) error {
		if !s.base.HasEvents() {
			// If the COMMIT is not answered, the transaction runs again without asking whether it
			// took effect: a second run finds the row of the first one, which is success below. If
			// the mark was removed meanwhile, the second run stores it again, as if this call came
			// later.
			tx.Repeatable()
		}
		if err := tx.SetLastActivity(ctx, userID, courseID, l.At); err != nil {
			return err
		}
		if err := core.RequireUndeleted(ctx, tx, userID); err != nil {
			return err
		}
		AddLectureCompletedEvent(changes, userID, courseID, title, l.LectureID)
		return tx.InsertCompletedLecture(ctx, userID, courseID, l)
	})
	if errors.Is(err, core.ErrDuplicate) {
		return nil
	}
	return core.Wrap("complete a lecture", err)
}

// CompletionsReader reads the completed lectures of many students.
type CompletionsReader interface {
	// CompletionsOf reads the ids of the lectures that students have completed in courses,
	// including removed ones, in any order. Students who have completed none are left out.
	CompletionsOf(ctx context.Context, list []EnrollmentKey) (map[EnrollmentKey][]string, error)
}

// progressReader reads completed lectures.
type progressReader interface {
	ProgressReader
	// CourseCompleted reports whether the completion of a course is stored.
	CourseCompleted(ctx context.Context, userID, courseID string) (bool, error)
	// CompletedByCourse lists the completed lectures of all courses, by the id of the course.
	CompletedByCourse(ctx context.Context, userID string) (map[string][]CompletedLecture, error)
	// BegunLectureIDs reads the ids of the lectures, in order, of each course in which a
	// user has completed a lecture. The keys are the ids of the courses.
	BegunLectureIDs(ctx context.Context, userID string) (map[string][]string, error)
}

// CompletionTx writes that lectures are completed.
type CompletionTx interface {
	// InsertCompletedLecture adds a completed lecture. It returns [core.ErrDuplicate] if it is
	// completed already.
	InsertCompletedLecture(ctx context.Context, userID, courseID string, l CompletedLecture) error
	// DeleteCompletedLecture deletes a completed lecture, if there is one.
	DeleteCompletedLecture(ctx context.Context, userID, courseID, lectureID string) error
}

// progressWriter writes completed lectures.
type progressWriter interface {
	CompletionTx
	// SetLastActivity stores that a user has used a course at a time, unless there is a later one.
	// It does nothing if the user is not enrolled.
	SetLastActivity(ctx context.Context, userID, courseID string, at time.Time) error
	// InsertCourseCompletion adds the completion of a course. It returns [core.ErrDuplicate] if
	// there is one.
	InsertCourseCompletion(ctx context.Context, userID, courseID string, at time.Time) error
}

// AddLectureCompletedEvent adds the event of a lecture that was completed. title is that of its
// course.
func AddLectureCompletedEvent(changes *core.Changes, userID, courseID, title, lectureID string) {
	changes.Add(EventLectureCompleted, "user", userID, core.EventData{UserID: userID,
		CourseID:    courseID,
		CourseTitle: title, LectureID: lectureID})
}
