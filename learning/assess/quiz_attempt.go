package assess

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

// The public failures of attempts.
var (
	ErrQuizChanged = &core.Error{Kind: core.Conflict, Code: "quiz_changed",
		Message: "The quiz has changed. Please start again."}
	ErrAttemptNeeded = &core.Error{Kind: core.Conflict, Code: "attempt_needed",
		Message: "Please start an attempt"}
	ErrAttemptNotFound = &core.Error{Kind: core.NotFound, Code: "attempt_not_found",
		Message: "Attempt not found"}
	ErrNoAttempts = &core.Error{Kind: core.Conflict, Code: "no_attempts",
		Message: "No attempts left"}
	ErrTimeOver = &core.Error{Kind: core.Conflict, Code: "time_over", Message: "The time is over"}
	// An attempt that was submitted takes no answers.
	ErrAttemptSubmitted = &core.Error{Kind: core.Conflict, Code: "attempt_submitted",
		Message: "This attempt has been submitted"}
	ErrAnswerCount = &core.Error{Kind: core.Invalid, Code: "answer_count",
		Message: "Answer count does not match question count"}
)

// QuizAttempt is what a student was given when an attempt at a quiz began, and what was answered.
// Its questions, time and rules stay, whatever becomes of the quiz. A user has at most one open
// attempt at the quiz of a chapter.
type QuizAttempt struct {
	ID           string
	UserID       string
	CourseID     string
	ChapterID    string
	CourseTitle  string // the present one
	ChapterTitle string // that of the quiz
	Number       int    // 1 for the first of the user at the quiz of the chapter
	Version      int64  // of the quiz
	// KeyVersion is the version of the quiz before which attempts are marked anew; 0 for none.
	KeyVersion int64
	Questions  []Question        // in the order in which they are shown
	Answers    map[string]Answer // that were saved, by the id of the question
	SavedAt    time.Time         // when answers were saved last; zero for never
	// Times are how long questions took until they had an answer, by their ids: the time from the
	// save before to the one with the first answer, shared among the questions that this one
	// answered.
	Times       map[string]core.Milliseconds
	PassPercent int
	Review      QuizReview
	// Left is how many attempts the user had left after the start, with the extra ones of now while
	// it is open; nil for no limit.
	Left        *int
	StartedAt   time.Time
	EndsAt      time.Time // from then on answers do not count; zero for no end
	SubmittedAt time.Time // zero while it is open
}

// isOver reports whether the time of the attempt is over.
func (a QuizAttempt) isOver(now time.Time) bool {
	return !a.EndsAt.IsZero() && !now.Before(a.EndsAt)
}

// isSubmitted reports whether the attempt is marked.
func (a QuizAttempt) isSubmitted() bool { return !a.SubmittedAt.IsZero() }

// withoutSolutions returns what a student may see of the attempt.
func (a QuizAttempt) withoutSolutions() QuizAttempt {
	a.Questions = WithoutSolutions(a.Questions)
	return a
}

// errAttemptOver means that the time of an attempt is over, and that it was not submitted.
var errAttemptOver = errors.New("the time of the attempt is over")

// StartAttempt begins an attempt at the quiz of a chapter, or returns the open one of the actor.
// The server draws the questions, orders them, and counts the attempts and the time. Errors:
// [core.ErrUnauthenticated], [catalog.ErrCourseNotFound], [study.ErrNotPurchased],
// [ErrQuizNotFound], [ErrNoAttempts].
func (s *Service) StartAttempt(ctx context.Context, actor core.Actor,
	courseID, chapterID string) (a QuizAttempt, err error) {
	if err := s.study.RequireEnrolled(ctx, actor, courseID); err != nil {
		return QuizAttempt{}, err
	}
	if err := s.study.RequireChapter(ctx, actor, courseID, chapterID); err != nil {
		return QuizAttempt{}, err
	}
	for {
		err = s.base.ChangeOfUser(ctx, actor.UserID, func(tx Tx, _ *core.Changes) error {
			a, err = s.startAttempt(ctx, tx, actor.UserID, courseID, chapterID)
			return err
		})
		if !errors.Is(err, errAttemptOver) {
			return a.withoutSolutions(), core.Wrap("start an attempt", err)
		}
		// Mark the attempt whose time is over, in a transaction of its own: it counts, also if
		// there is no other attempt left.
		if err := s.closeAttempt(ctx, actor.UserID, a.ID); err != nil {
			return QuizAttempt{}, err
		}
	}
}

// startAttempt is StartAttempt in a transaction that has locked the user:
//
//	latest attempt          quiz     attempts of the user   then
//	open                    any      any                    it is returned
//	open, its time is over  any      any                    errAttemptOver, with the attempt
//	submitted or none       none     any                    ErrQuizNotFound
//	submitted or none       without limit, or fewer         a new one is stored
//	submitted or none       as many as its limit, or more   ErrNoAttempts
//
// The extra attempts of the user are added to the limit.
func (s *Service) startAttempt(
	ctx context.Context, tx Tx, userID, courseID, chapterID string,
) (QuizAttempt, error) {
	// The user must be enrolled and not deleted. Both change under the same lock.
	if err := mayAttempt(ctx, tx, userID, courseID, s.base.Now()); err != nil {
		return QuizAttempt{}, err
	}

	// Return the open attempt.
	latest, err := tx.LatestAttempt(ctx, userID, courseID, chapterID)
	if err != nil && !errors.Is(err, core.ErrNoRecord) {
		return QuizAttempt{}, err
	}
	isOpen := err == nil && !latest.isSubmitted()
	switch {
	case isOpen && latest.isOver(s.base.Now()):
		return latest, errAttemptOver
	case isOpen:
		return latest, nil
	}

	// A quiz may have a limit of attempts.
	quiz, err := tx.Quiz(ctx, courseID, chapterID)
	if errors.Is(err, core.ErrNoRecord) {
		return QuizAttempt{}, ErrQuizNotFound
	}
	if err != nil {
		return QuizAttempt{}, err
	}
	left, err := quiz.attemptsLeft(ctx, tx, userID, 1)
	if err == nil && left != nil && *left < 0 {
		err = ErrNoAttempts
	}
	if err != nil {
		return QuizAttempt{}, err
	}

	// Store what the student is given.
	now := s.base.Now()
	a := QuizAttempt{
		ID:           s.base.NewID(),
		UserID:       userID,
		CourseID:     courseID,
		ChapterID:    chapterID,
		CourseTitle:  quiz.CourseTitle,
		ChapterTitle: quiz.ChapterTitle,
		Number:       latest.Number + 1,
		Version:      quiz.Version,
		Questions:    quiz.drawn(),
		Answers:      map[string]Answer{},
		PassPercent:  quiz.Settings.PassPercent,
		Review:       quiz.Settings.Review,
		Left:         left,
		StartedAt:    now,
	}
	if minutes := quiz.Settings.Minutes; minutes > 0 {
		a.EndsAt = now.Add(time.Duration(minutes) * time.Minute)
	}
	return a, tx.InsertQuizAttempt(ctx, a)
}

// attemptsLeft returns how many more attempts a user may begin at a quiz: nil if there is no limit,
// and less than 0 if there are more than the limit with the extra attempts of the user. It counts
// the results, also those of answers that were sent without a start, and open more: an attempt that
// is open, or about to begin.
func (q Quiz) attemptsLeft(
	ctx context.Context, r Reader, userID string, open int,
) (*int, error) {
	limit := q.Settings.Attempts
	if limit == 0 {
		return nil, nil
	}
	used, err := r.CountQuizResults(ctx, userID, q.CourseID, q.ChapterID)
	if err != nil {
		return nil, fmt.Errorf("count attempts: %w", err)
	}
	extra, err := r.ExtraAttempts(ctx, userID, q.CourseID, q.ChapterID)
	if err != nil {
		return nil, err
	}
	return new(limit + extra - used - open), nil
}

// mayAttempt returns nil if a user is enrolled in a course and not deleted, and else
// [study.ErrNotPurchased], [study.ErrAccessEnded] or [core.ErrUnauthenticated].
func mayAttempt(ctx context.Context, tx Tx, userID, courseID string, now time.Time) error {
	if err := study.RequireAccess(ctx, tx, userID, courseID, now); err != nil {
		return err
	}
	return core.RequireUndeleted(ctx, tx, userID)
}

// drawn returns the questions of a new attempt, as the settings of the quiz say: those that are
// drawn by chance, in the order of the quiz or in one by chance, with their options.
func (q Quiz) drawn() []Question {
	order := rand.Perm(len(q.Questions))
	if draw := q.Settings.Draw; draw > 0 {
		order = order[:min(draw, len(order))]
	}
	if !q.Settings.Shuffle {
		chosen := make([]bool, len(q.Questions))
		for _, i := range order {
			chosen[i] = true
		}
		order = order[:0]
		for i, isChosen := range chosen {
			if isChosen {
				order = append(order, i)
			}
		}
	}
	list := make([]Question, len(order))
	for i, from := range order {
		list[i] = q.Questions[from]
		if !q.Settings.Shuffle || len(list[i].Options) == 0 {
			continue
		}
		list[i] = list[i].withoutPlaceIDs()
		options := list[i].Options
		list[i].Options = make([]Choice, len(options))
		for j, option := range rand.Perm(len(options)) {
			list[i].Options[j] = options[option]
		}
	}
	return list
}

// SaveAnswers saves answers of an open attempt of the actor, by the id of the question. Answers to
// other questions stay as they are saved, and nil removes one. Errors: [core.ErrUnauthenticated],
// [ErrAttemptNotFound], [study.ErrNotPurchased], [ErrTimeOver], [ErrAttemptSubmitted],
// [core.ErrInvalidRequest] if a question is not of the attempt, or cannot be answered so.
func (s *Service) SaveAnswers(ctx context.Context, actor core.Actor, attemptID string,
	answers map[string]Answer) error {
	if err := actor.Require(); err != nil {
		return err
	}
	err := s.base.InTx(ctx, func(tx Tx) error {
		// Lock the attempt before the first read, so that a submission comes before or after.
		a, err := lockAttempt(ctx, tx, attemptID, actor.UserID)
		if err != nil {
			return err
		}
		err = study.RequireAccess(ctx, tx, actor.UserID, a.CourseID, s.base.Now())
		if err != nil {
			return err
		}
		switch {
		case a.isOver(s.base.Now()):
			return ErrTimeOver
		case a.isSubmitted():
			return ErrAttemptSubmitted
		}
		if err := a.merge(answers, s.base.Now()); err != nil {
			return err
		}
		return tx.SetAnswers(ctx, a)
	})
	return core.Wrap("save answers", err)
}

// lockAttempt locks an attempt of a user until the end of the transaction, and reads it after that.
// It returns [ErrAttemptNotFound] if there is none, or if it is another user's.
func lockAttempt(ctx context.Context, tx Tx, id, userID string) (QuizAttempt, error) {
	found, err := tx.LockAttempt(ctx, id)
	if err != nil {
		return QuizAttempt{}, err
	}
	if !found {
		return QuizAttempt{}, ErrAttemptNotFound
	}
	return attemptOf(ctx, tx, id, userID)
}

// attemptOf reads an attempt of a user. Error: [ErrAttemptNotFound].
func attemptOf(ctx context.Context, r Reader, id, userID string) (QuizAttempt, error) {
	a, err := r.Attempt(ctx, id)
	if errors.Is(err, core.ErrNoRecord) || err == nil && a.UserID != userID {
		return QuizAttempt{}, ErrAttemptNotFound
	}
	return a, core.Wrap("read an attempt", err)
}

// merge adds answers, which are saved now, to those of the attempt; nil removes one. It returns
// [core.ErrInvalidRequest] if a question is not of the attempt, or cannot be answered so.
func (a *QuizAttempt) merge(answers map[string]Answer, now time.Time) error {
	questions := make(map[string]Question, len(a.Questions))
	for _, q := range a.Questions {
		questions[q.ID] = q
	}
	a.Answers = maps.Clone(a.Answers)
	var first []string // questions that have not had an answer before
	for _, id := range slices.Sorted(maps.Keys(answers)) {
		answer := answers[id]
		q, isGiven := questions[id]
		switch {
		case !isGiven:
			return core.InvalidField("answers", "must name questions of the attempt only")
		case answer != nil && !q.IsAnswer(answer):
			return core.InvalidField("answers/"+id, "must be an answer to a question of its kind")
		case answer == nil:
			delete(a.Answers, id)
		default:
			_, isTimed := a.Times[id]
			if _, isAnswered := a.Answers[id]; !isTimed && !isAnswered {
				first = append(first, id)
			}
			a.Answers[id] = answer
		}
	}

	// Share the time since the save before among the questions that are answered now.
	since := a.StartedAt
	if !a.SavedAt.IsZero() {
		since = a.SavedAt
	}
	times := maps.Clone(a.Times)
	for _, id := range first {
		if times == nil {
			times = map[string]core.Milliseconds{}
		}
		times[id] = millisecondsBetween(since, now) / core.Milliseconds(len(first))
	}
	a.Times, a.SavedAt = times, now
	return nil
}

// took returns how long an attempt took that is submitted now, which may be after its end.
func (a QuizAttempt) took(now time.Time) core.Milliseconds {
	if a.isOver(now) {
		now = a.EndsAt
	}
	return millisecondsBetween(a.StartedAt, now)
}

// millisecondsBetween returns the time from a start to an end, or 0 if a clock has moved back
// meanwhile.
func millisecondsBetween(start, end time.Time) core.Milliseconds {
	return core.Milliseconds(max(0, end.Sub(start).Milliseconds()))
}

// attemptReader reads attempts at quizzes.
type attemptReader interface {
	// Attempt reads an attempt, with the present title of its course.
	Attempt(ctx context.Context, id string) (QuizAttempt, error)
	// LatestAttempt reads the attempt of a user at the quiz of a chapter with the greatest number.
	LatestAttempt(ctx context.Context, userID, courseID, chapterID string) (QuizAttempt, error)
	// AttemptsOver lists at most limit attempts that are open and whose time was over at a time,
	// after a position, in the order of their ends and ids. They have the fields ID, UserID and
	// EndsAt only.
	AttemptsOver(ctx context.Context, at time.Time, after core.Position,
		limit int) ([]QuizAttempt, error)
	// CountQuizResults counts the results of a user at the quiz of a chapter.
	CountQuizResults(ctx context.Context, userID, courseID, chapterID string) (int, error)
	// QuizAttempts lists a page of the results of a user at the quiz of a chapter, the newest
	// first, with the fields that [Service.QuizAttempts] returns.
	QuizAttempts(ctx context.Context, userID, courseID, chapterID string,
		page core.PageRequest) ([]AttemptState, error)
	// QuizResult reads a result.
	QuizResult(ctx context.Context, id string) (QuizResult, error)
}

// attemptWriter writes attempts at quizzes.
type attemptWriter interface {
	// InsertQuizAttempt adds an attempt. It returns [core.ErrDuplicate] if the user has one with
	// its number at the quiz of the chapter.
	InsertQuizAttempt(ctx context.Context, a QuizAttempt) error
	// LockAttempt locks an attempt until the end of the transaction, and reports whether there is
	// one.
	LockAttempt(ctx context.Context, id string) (bool, error)
	// SetAnswers replaces the fields Answers, Times and SavedAt of an attempt.
	SetAnswers(ctx context.Context, a QuizAttempt) error
	// SubmitAttempt stores when an open attempt was submitted. It returns false if it is not open.
	SubmitAttempt(ctx context.Context, id string, at time.Time) (bool, error)
	// EndAttempts sets the end of the open attempts of a user in a course that have none.
	EndAttempts(ctx context.Context, userID, courseID string, at time.Time) error
	// DeleteAttempts deletes the attempts of a user. Their results stay.
	DeleteAttempts(ctx context.Context, userID string) error
}
