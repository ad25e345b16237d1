package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

// LecturePosition is where a user was last in a lecture.
type LecturePosition struct {
	UserID    string
	CourseID  string
	LectureID string
	At        core.Milliseconds // from the beginning of the lecture
	SavedAt   time.Time
	// WasOpen is whether the lecture was open to the user when the position came, in a course whose
	// lectures may not all be open.
	WasOpen bool
}

// EnrollmentKey is what identifies an [Enrollment].
type EnrollmentKey struct{ UserID, CourseID string }

// EnrolledVersion is the version of a course that a user is enrolled in.
type EnrolledVersion struct {
	catalog.CourseVersion
	IsGated bool // see [catalog.Course.IsGated]
}

// MaxPosition is the largest position in a lecture, in seconds.
const MaxPosition = 1_000_000

// maxPositionBatch is how many positions one transaction stores.
const maxPositionBatch = 64

// errGated means that a position was not stored, because it must be asked first whether its lecture
// is open to the user.
var errGated = errors.New("the lecture of a position may not be open")

// errNotEnrolled means that a position was not stored, because its user is not enrolled in its
// course or was deleted.
var errNotEnrolled = errors.New("the user of a position has no access now, or was deleted")

// SavePosition stores where the actor is in a lecture, in seconds, and that the actor has used the
// course now. Of several positions in a lecture the latest by arrival stays. Concurrent calls share
// a transaction, because a database commits fewer transactions in a second than many viewers save
// positions; each call returns after the COMMIT. Errors: [core.ErrUnauthenticated], also if the
// user is deleted during the call, [core.ErrInvalidRequest], [catalog.ErrCourseNotFound],
// [ErrNotPurchased], [catalog.ErrInvalidLecture].
func (s *Service) SavePosition(ctx context.Context, actor core.Actor, courseID, lectureID string,
	seconds float64) error {
	if err := actor.Require(); err != nil {
		return err
	}
	if err := core.RequireBetween("seconds", seconds, 0, MaxPosition); err != nil {
		return err
	}
	// An id that no row can have would fail the transaction of other callers.
	if !text.ValidID(actor.UserID, core.MaxUserID) || !text.ValidID(courseID,
		catalog.MaxCourseID) ||
		!catalog.IsContentID(lectureID) || !text.ValidID(lectureID, len(lectureID)) {
		if err := s.ForRooms().RequireEnrolled(ctx, actor, courseID); err != nil {
			return err
		}
		return catalog.ErrInvalidLecture
	}
	position := LecturePosition{
		UserID:    actor.UserID,
		CourseID:  courseID,
		LectureID: lectureID,
		At:        core.Milliseconds(math.Round(seconds * 1000)),
		SavedAt:   s.base.Now(),
	}
	err := s.positions.Do(ctx, position)
	if errors.Is(err, errGated) {
		if _, _, err := s.lecturesWith(ctx, actor, courseID, lectureID); err != nil {
			return err
		}
		position.WasOpen = true
		err = s.positions.Do(ctx, position)
	}
	if errors.Is(err, errNotEnrolled) {
		if err := s.ForRooms().RequireEnrolled(ctx, actor, courseID); err != nil {
			return err
		}
		return core.ErrUnauthenticated // the enrolments of a deleted user stay
	}
	return core.Wrap("save a position", err)
}

// savePositions stores the positions of a batch, in one transaction. Those that it refuses are left
// out of the next try. It returns the error of each: nil, errNotEnrolled,
// [catalog.ErrInvalidLecture], or that of the transaction.
func (s *Service) savePositions(ctx context.Context, list []LecturePosition) []error {
	errs := make([]error, len(list))
	for {
		// The positions that are not refused.
		var left []LecturePosition
		for i, position := range list {
			if errs[i] == nil {
				left = append(left, position)
			}
		}
		if len(left) == 0 {
			return errs
		}
		refuse, err := s.savePositionsOnce(ctx, left)
		for i, position := range list {
			switch {
			case errs[i] != nil:
			case err != nil:
				errs[i] = err
			case refuse != nil:
				errs[i] = refuse(position)
			}
		}
		if err != nil || refuse == nil {
			return errs
		}
	}
}

// errPositionRefused rolls the transaction of positions back.
var errPositionRefused = errors.New("a position is refused")

// savePositionsOnce stores positions in one transaction, or none if some are not allowed; then
// refuse returns the error of each. The UPDATE of the enrolments comes before the first read: the
// end of an enrolment and the deletion of a user change the same rows before they delete anything,
// so they come before the UPDATE, and the read shows it, or they wait until the transaction has
// committed.
func (s *Service) savePositionsOnce(
	ctx context.Context, list []LecturePosition,
) (refuse func(LecturePosition) error, err error) {
	// The latest position in each lecture, and in each course, in the order of the keys, so that
	// transactions of several platforms lock rows in the same order.
	byLecture := latestPositions(list, func(a, b LecturePosition) int {
		return cmp.Or(cmp.Compare(a.UserID, b.UserID), cmp.Compare(a.CourseID, b.CourseID),
			cmp.Compare(a.LectureID, b.LectureID))
	})
	byCourse := latestPositions(list, func(a, b LecturePosition) int {
		return cmp.Or(cmp.Compare(a.UserID, b.UserID), cmp.Compare(a.CourseID, b.CourseID))
	})

	err = s.base.InTx(ctx, func(tx Tx) error {
		refuse = nil
		if err := tx.SetLastLectures(ctx, byCourse); err != nil {
			return err
		}

		// Each user must be enrolled, and each course must have the lecture now.
		enrolled, err := tx.EnrolledVersions(ctx, byCourse, s.base.Now())
		if err != nil {
			return err
		}
		versions := map[string]catalog.CourseVersion{}
		for e, version := range enrolled {
			versions[e.CourseID] = version.CourseVersion
		}
		lectures, err := s.catalog.LectureIDs(ctx, tx, versions)
		if err != nil {
			return err
		}
		check := func(position LecturePosition) error {
			course, isEnrolled := enrolled[EnrollmentKey{position.UserID, position.CourseID}]
			switch {
			case !isEnrolled:
				return errNotEnrolled
			case course.IsGated && !position.WasOpen:
				return errGated
			case !lectures[position.CourseID][position.LectureID]:
				return catalog.ErrInvalidLecture
			}
			return nil
		}
		for _, position := range byLecture {
			if check(position) != nil {
				refuse = check
				return errPositionRefused
			}
		}
		return tx.ReplacePositions(ctx, byLecture)
	})
	if refuse != nil && errors.Is(err, errPositionRefused) {
		return refuse, nil
	}
	return nil, err
}

// latestPositions returns the last one of the positions that are equal by compare, in its order.
func latestPositions(
	list []LecturePosition, compare func(a, b LecturePosition) int,
) []LecturePosition {
	list = slices.Clone(list)
	slices.Reverse(list)
	slices.SortStableFunc(list, compare)
	return slices.CompactFunc(list, func(a, b LecturePosition) bool { return compare(a, b) == 0 })
}

// addProgress sets the number of completed lectures of the courses of a user, and removes a last
// lecture that its course has no more. It runs one query for many courses, and another one if
// their lectures are not in the cache.
func (s *Service) addProgress(ctx context.Context, userID string, list []EnrolledCourse) error {
	if len(list) == 0 {
		return nil
	}
	ids, versions := make([]string, len(list)), make(map[string]catalog.CourseVersion, len(list))
	for i, c := range list {
		ids[i], versions[c.ID] = c.ID, catalog.CourseVersion{Number: c.Version,
			UpdatedAt: c.UpdatedAt}
	}
	lectures, err := s.catalog.LectureIDs(ctx, s.store, versions)
	if err != nil {
		return err
	}
	completed, err := s.store.CompletedLecturesOf(ctx, userID, ids)
	if err != nil {
		return fmt.Errorf("read the completed lectures of courses: %w", err)
	}
	for i := range list {
		c := &list[i]
		for _, id := range completed[c.ID] {
			if lectures[c.ID][id] {
				c.CompletedLectures++
			}
		}
		if !lectures[c.ID][c.LastLectureID] {
			c.LastLectureID = ""
		}
	}
	return nil
}

// positionReader reads positions in lectures, and what their checks need.
type positionReader interface {
	// EnrolledVersions reads the versions of the courses of positions whose users have access to
	// them at a time and are not deleted. There must be one position at least, and at most one of a
	// user and a course.
	EnrolledVersions(ctx context.Context, list []LecturePosition,
		now time.Time) (map[EnrollmentKey]EnrolledVersion, error)
	CompletedInReader
}

// CompletedInReader reads the completed lectures of several courses.
type CompletedInReader interface {
	// CompletedLecturesOf reads the ids of the lectures that a user has completed in courses,
	// including removed ones, in any order, by the id of the course.
	CompletedLecturesOf(ctx context.Context, userID string,
		courseIDs []string) (map[string][]string, error)
}

// PlaceReader reads where a student is in a course, and how long the student has been there.
type PlaceReader interface {
	// Positions reads the positions of a user in the lectures of a course, including removed
	// ones, by the id of the lecture.
	Positions(ctx context.Context, userID, courseID string) (map[string]core.Milliseconds, error)
	// TimeInCourse sums up the entries of a user in a course and its quizzes.
	TimeInCourse(ctx context.Context, userID, courseID string) (core.Milliseconds, error)
}

// positionWriter writes positions in lectures.
type positionWriter interface {
	// SetLastLectures stores, for one position at least and at most one of a user and a course,
	// the lecture as the last one of the enrolment, and the time of the last of the positions as
	// that of its use. It leaves out users who are not enrolled.
	SetLastLectures(ctx context.Context, list []LecturePosition) error
	// ReplacePositions adds positions, or replaces those in the same lectures. There must be one
	// at least, and at most one of a user in a lecture.
	ReplacePositions(ctx context.Context, list []LecturePosition) error
	// ForgetLastLectures removes the last lectures of a user, with their times, from the
	// enrolments. It locks all enrolments of the user.
	ForgetLastLectures(ctx context.Context, userID string) error
}
