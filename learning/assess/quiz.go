package assess

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

// The public failures of quizzes.
var (
	ErrChapterNotFound = &core.Error{Kind: core.NotFound, Code: "chapter_not_found",
		Message: "Chapter not found"}
	ErrQuizNotFound = &core.Error{Kind: core.NotFound, Code: "quiz_not_found",
		Message: "Quiz not found"}
	ErrQuizEdited = &core.Error{Kind: core.Conflict, Code: "quiz_edited",
		Message: "The quiz has changed. Please load it again."}
)

// Quiz is the questions on one chapter of a course. A chapter has at most one quiz,
// which the AI writes at the first request, or which is written by hand. It is removed together
// with its chapter.
type Quiz struct {
	ID           string
	CourseID     string
	ChapterID    string
	CourseTitle  string
	ChapterTitle string // as it was when the questions were written
	// Version changes whenever the questions do: they are replaced all at once.
	Version   int64
	Questions []Question
	Settings  QuizSettings
	// ByHand is whether the quiz was saved by hand. The AI then does not replace it.
	ByHand    bool
	CreatedAt time.Time
	UpdatedAt time.Time
}

// QuizSettings say how a quiz is taken.
type QuizSettings struct {
	Draw        int  // how many of the questions an attempt has; 0 for all
	Shuffle     bool // whether questions and options are shown in another order in each attempt
	Minutes     int  // the time of an attempt; 0 for no end
	Attempts    int  // how many a user has; 0 for any number
	PassPercent int  // the least rounded percentage that is a pass
	Review      QuizReview
}

// QuizReview says when a student sees the solutions after an attempt.
type QuizReview string

// The values of QuizReview.
const (
	ReviewAlways QuizReview = "always"
	ReviewPassed QuizReview = "passed" // only if the attempt has passed
	ReviewNever  QuizReview = "never"
)

// Limits of [QuizSettings].
const (
	MaxQuizMinutes  = 10_000
	MaxQuizAttempts = 1_000
)

// DefaultQuizSettings are those of a quiz of the AI.
var DefaultQuizSettings = QuizSettings{PassPercent: 50, Review: ReviewNever}

// allows reports whether a student sees the solutions after an attempt.
func (r QuizReview) allows(passed bool) bool {
	return r == ReviewAlways || r == ReviewPassed && passed
}

// namesWrong reports whether a student may learn which of the questions that were given are
// answered wrong. Without the solutions that is so unless one of them has only two answers, because
// the other one is the solution then. If the others were named all the same, the score would tell
// of that one.
func (r QuizReview) namesWrong(passed bool, given []Question) bool {
	return r.allows(passed) || !slices.ContainsFunc(given, Question.hasTwoAnswers)
}

// IsSimple reports whether the quiz can be taken without an attempt that is stored when it begins:
// it is of the form that the AI writes, and has no settings that the server must enforce.
func (q Quiz) IsSimple() bool {
	s := q.Settings
	isSimple := func(q Question) bool {
		return q.Kind == SingleChoice && len(q.Options) == QuestionOptions && q.Points == 1
	}
	return len(q.Questions) <= MaxQuestions && s.Draw == 0 && !s.Shuffle && s.Minutes == 0 &&
		s.Attempts == 0 &&
		!slices.ContainsFunc(q.Questions, func(q Question) bool { return !isSimple(q) })
}

// QuizOf reads the quiz of a chapter with its solutions. It returns [core.ErrNoRecord] if there is
// none.
func (s *ForRooms) QuizOf(ctx context.Context, courseID, chapterID string) (Quiz, error) {
	return s.store.Quiz(ctx, courseID, chapterID)
}

// QuizzesOf reads the quizzes of a course with their solutions, in no order.
func (s *ForRooms) QuizzesOf(ctx context.Context, courseID string) ([]Quiz, error) {
	return s.store.Quizzes(ctx, courseID)
}

// QuizByHand reports whether the quiz of a chapter was saved or deleted by hand: the AI then writes
// none in its place.
func (s *ForRooms) QuizByHand(
	ctx context.Context, courseID, chapterID string,
) (bool, error) {
	return isByHand(ctx, s.store, courseID, chapterID)
}

// isByHand reports whether the quiz of a chapter was saved or deleted by hand.
func isByHand(ctx context.Context, r quizReader, courseID, chapterID string) (bool, error) {
	byHand, err := r.QuizByHand(ctx, courseID, chapterID)
	return byHand, core.Wrap("read whether a quiz is by hand", err)
}

// Chapter reads a chapter of a course. Errors: [catalog.ErrCourseNotFound], and
// [ErrChapterNotFound], also for a chapter for which no quiz can be stored.
func (s *ForRooms) Chapter(
	ctx context.Context, courseID, chapterID string,
) (catalog.Chapter, error) {
	content, err := catalog.ContentOf(ctx, s.store, courseID)
	if err != nil {
		return catalog.Chapter{}, err
	}

	// Chapters are stored inside the content of their course, so their ids may be such that no quiz
	// can be stored with them as a key: those that end with a space. A code point has at most 4
	// bytes.
	i := slices.IndexFunc(content, func(ch catalog.Chapter) bool { return ch.ID == chapterID })
	if i < 0 || !text.ValidID(chapterID, 4*catalog.MaxContentID) {
		return catalog.Chapter{}, ErrChapterNotFound
	}
	return content[i], nil
}

// StoreQuestions inserts the quiz of a chapter, or replaces the questions of the
// existing or removed one. If a concurrent call inserts the quiz first, the transaction
// runs again and replaces it. If the chapter was removed while the AI wrote the quiz,
// StoreQuestions returns [ErrChapterNotFound], and if a quiz was saved or deleted by hand,
// [ErrQuizNotFound].
func (s *ForRooms) StoreQuestions(ctx context.Context, q Quiz) error {
	// This is the first version. A stored quiz keeps its id, and its version grows.
	q.ID = s.base.NewID()
	q.Version = 1
	q.Settings = DefaultQuizSettings
	q.CreatedAt = s.base.Now()
	q.UpdatedAt = s.base.Now()
	err := s.base.Retry(ctx, func(tx Tx) error {
		// Lock the course: its chapter may have been removed while the AI wrote.
		if err := catalog.LockCourse(ctx, tx, q.CourseID); err != nil {
			return err
		}
		content, err := tx.CourseContent(ctx, q.CourseID)
		if err != nil {
			return err
		}
		if !catalog.HasChapter(content, q.ChapterID) {
			return ErrChapterNotFound
		}
		// A quiz that was saved by hand meanwhile stays.
		byHand, err := isByHand(ctx, tx, q.CourseID, q.ChapterID)
		if err == nil && byHand {
			err = ErrQuizNotFound
		}
		if err != nil {
			return err
		}

		// Replace a quiz that is stored, or insert the first one. If a concurrent call has inserted
		// it, Base.Retry runs this again.
		err = tx.ReplaceQuestions(ctx, q)
		if errors.Is(err, core.ErrNoRecord) {
			err = tx.InsertQuiz(ctx, q)
		}
		return err
	})
	return core.Wrap("store a quiz", err)
}

// quizReader reads quizzes.
type quizReader interface {
	// Quiz reads the quiz of a chapter, with the present title of its course.
	Quiz(ctx context.Context, courseID, chapterID string) (Quiz, error)
	// Quizzes reads the quizzes of a course, in no order, as Quiz does.
	Quizzes(ctx context.Context, courseID string) ([]Quiz, error)
	catalog.ChapterQuizReader
	// QuizByHand reports whether the quiz of a chapter was saved or deleted by hand.
	QuizByHand(ctx context.Context, courseID, chapterID string) (bool, error)
}

// InsertTx adds quizzes.
type InsertTx interface {
	// InsertQuiz adds a quiz. It returns [core.ErrDuplicate] if the chapter has one.
	InsertQuiz(ctx context.Context, q Quiz) error
}

// quizWriter writes quizzes.
type quizWriter interface {
	InsertTx
	// ReplaceQuestions gives the quiz of a chapter the questions, settings, chapter title and
	// update time of q, and the next version, also if the quiz was removed, and records whether it
	// is by hand. It returns [core.ErrNoRecord] if the chapter never had a quiz.
	ReplaceQuestions(ctx context.Context, q Quiz) error
	// RemoveQuiz removes the quiz of a chapter, and reports whether there was one. Its
	// results keep the title of the chapter, and a later quiz of the chapter has a later
	// version. byHand records that it was deleted by hand.
	RemoveQuiz(ctx context.Context, courseID, chapterID string, byHand bool) (bool, error)
	// DeleteQuizzes deletes the quizzes of a course, also removed ones.
	DeleteQuizzes(ctx context.Context, courseID string) error
}
