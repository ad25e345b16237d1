package assess

import (
	"context"
	"errors"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

// ExtraAttempts is how many attempts at the quiz of a chapter a student has beyond the limit of the
// quiz, as an editor of the course has decided last. Like the attempts that they are added to, they
// count over all versions of the quiz and all enrolments of the student.
type ExtraAttempts struct {
	UserID    string // of the student
	CourseID  string
	ChapterID string
	Attempts  int // from 0 to [MaxExtraAttempts]
	DecidedBy string
	DecidedAt time.Time
}

// DecisionAttemptsChanged is another number of extra attempts.
const DecisionAttemptsChanged core.DecisionKind = "attempts.changed"

// MaxExtraAttempts is the largest number of extra attempts.
const MaxExtraAttempts = 10

// SetExtraAttempts sets how many attempts at a quiz a student has beyond the limit of the quiz, for
// the educator of the course and admins. It replaces what was decided before, and also changes how
// many attempts are shown as left in the open attempt of the student. DecidedBy and DecidedAt of e
// do not matter. Errors: [core.ErrUnauthenticated], [core.ErrForbidden],
// [catalog.ErrCourseNotFound], [study.ErrEnrollmentNotFound] if the student is not enrolled or was
// deleted, [ErrQuizNotFound], [core.ErrInvalidRequest] for another number of attempts.
func (s *Service) SetExtraAttempts(
	ctx context.Context, actor core.Actor, e ExtraAttempts,
) error {
	if _, err := s.catalog.Editable(ctx, actor, e.CourseID); err != nil {
		return err
	}
	err := core.RequireBetween("attempts", e.Attempts, 0, MaxExtraAttempts)
	if err != nil {
		return err
	}
	e.DecidedBy, e.DecidedAt = actor.UserID, s.base.Now()

	// Attempts begin under the same lock of the student, so that each sees the old or the new
	// number.
	err = s.base.ChangeOfUser(ctx, e.UserID, func(tx Tx, changes *core.Changes) error {
		if err := mayGetExtraAttempts(ctx, tx, e); err != nil {
			return err
		}
		return decideExtraAttempts(ctx, tx, changes, e)
	})
	return core.Wrap("set extra attempts", err)
}

// mayGetExtraAttempts returns nil if the student of e is enrolled and not deleted and the chapter
// has a quiz. Else it returns an error of [Service.SetExtraAttempts].
func mayGetExtraAttempts(ctx context.Context, tx Tx, e ExtraAttempts) error {
	isEnrolled, err := tx.Enrolled(ctx, e.UserID, e.CourseID)
	if err != nil {
		return err
	}
	account, err := tx.AccountState(ctx, e.UserID) // the enrolments of a deleted user stay
	switch {
	case err != nil:
		return err
	case !isEnrolled || account.Deleted:
		return study.ErrEnrollmentNotFound
	}
	_, err = tx.Quiz(ctx, e.CourseID, e.ChapterID)
	if errors.Is(err, core.ErrNoRecord) {
		return ErrQuizNotFound
	}
	return err
}

// decideExtraAttempts stores a decision about extra attempts in a transaction that has locked the
// student. Each such decision is stored here.
func decideExtraAttempts(
	ctx context.Context, tx Tx, changes *core.Changes, e ExtraAttempts,
) error {
	before, err := tx.ExtraAttempts(ctx, e.UserID, e.CourseID, e.ChapterID)
	if err != nil {
		return err
	}
	isStored, err := tx.UpdateExtraAttempts(ctx, e)
	if err == nil && !isStored {
		err = tx.InsertExtraAttempts(ctx, e)
	}
	if err != nil || before == e.Attempts {
		return err
	}
	changes.Decide(core.Decision{Kind: DecisionAttemptsChanged, ActorID: e.DecidedBy,
		UserID: e.UserID, DecisionIDs: core.DecisionIDs{CourseID: e.CourseID,
			ChapterID: e.ChapterID}})
	// An open attempt has stored how many attempts are left after it.
	return tx.AddToAttemptsLeft(ctx, e.UserID, e.CourseID, e.ChapterID, e.Attempts-before)
}

// ExtraAttempts returns the extra attempts of a user in a course, by the id of the chapter.
// Chapters without a decision are left out.
func (s *ForRooms) ExtraAttempts(
	ctx context.Context, userID, courseID string,
) (map[string]int, error) {
	return s.store.ExtraAttemptsIn(ctx, userID, courseID)
}

// extraAttemptReader reads extra attempts.
type extraAttemptReader interface {
	// ExtraAttempts reads how many extra attempts a user has at the quiz of a chapter; 0 without a
	// decision.
	ExtraAttempts(ctx context.Context, userID, courseID, chapterID string) (int, error)
	// ExtraAttemptsIn reads the extra attempts of a user in a course, by the id of the chapter.
	ExtraAttemptsIn(ctx context.Context, userID, courseID string) (map[string]int, error)
}

// extraAttemptWriter writes extra attempts.
type extraAttemptWriter interface {
	// UpdateExtraAttempts replaces a decision, and returns false if there is none.
	UpdateExtraAttempts(ctx context.Context, e ExtraAttempts) (bool, error)
	// InsertExtraAttempts adds a decision. It returns [core.ErrDuplicate] if there is one.
	InsertExtraAttempts(ctx context.Context, e ExtraAttempts) error
	// AddToAttemptsLeft adds a number, which may be negative, to how many attempts a user has left
	// after the open attempt at the quiz of a chapter, if there is one and the quiz had a limit.
	// The result is 0 at least.
	AddToAttemptsLeft(ctx context.Context, userID, courseID, chapterID string, more int) error
	// DeleteExtraAttempts deletes all decisions in a course.
	DeleteExtraAttempts(ctx context.Context, courseID string) error
}
