package learning

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
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

// isSimple reports whether the quiz can be taken without an attempt that is stored when it begins:
// it is of the form that the AI writes, and has no settings that the server must enforce.
func (q Quiz) isSimple() bool {
	s := q.Settings
	isSimple := func(q Question) bool {
		return q.Kind == SingleChoice && len(q.Options) == QuestionOptions && q.Points == 1
	}
	return len(q.Questions) <= MaxQuestions && s.Draw == 0 && !s.Shuffle && s.Minutes == 0 &&
		s.Attempts == 0 &&
		!slices.ContainsFunc(q.Questions, func(q Question) bool { return !isSimple(q) })
}

// Quiz returns the quiz of a chapter, for students enrolled in the course and for its
// owner. Only the owner sees the solutions. If there is no quiz, one call to the AI
// writes it; concurrent callers, also those of other instances, wait for that call.
// admit, if not nil, decides whether this caller may begin the call.
//
// Errors: [core.ErrUnauthenticated], [catalog.ErrCourseNotFound], [study.ErrNotPurchased],
// [ErrChapterNotFound], [ErrQuizNotFound] if the quiz was deleted by hand, [ErrAttemptNeeded] for a
// quiz that can only be taken by [Platform.StartAttempt], those of admit, and those of the AI:
// [ErrAINotConfigured], [ErrAIBusy], [ErrAIBudget].
func (p *Platform) Quiz(ctx context.Context, actor core.Actor, courseID, chapterID string,
	admit Admission) (Quiz, error) {
	// The owner may see the quiz, or an enrolled user without the solutions. A public error says
	// that the actor is not the owner; any other is a failure.
	course, err := p.ownCourse(ctx, actor, courseID)
	isOwner := err == nil
	if !isOwner && core.IsPublic(err) {
		var enrolled study.EnrolledCourse
		enrolled, err = p.Study.ForRooms().EnrolledIn(ctx, actor, courseID)
		course = enrolled.Course
	}
	if err != nil {
		return Quiz{}, err
	}

	// Read the quiz. If there is none, write it or wait for the caller that writes it.
	q, err := p.store.Quiz(ctx, courseID, chapterID)
	if errors.Is(err, core.ErrNoRecord) {
		if err := p.refuseIfByHand(ctx, p.store, courseID, chapterID); err != nil {
			return Quiz{}, err
		}
		const anyVersion = 0 // the first is 1
		q, err = p.findOrCreateQuiz(ctx, actor, course, chapterID, anyVersion, admit)
	}
	if err != nil {
		return Quiz{}, core.Wrap("read a quiz", err)
	}
	if !q.isSimple() {
		return Quiz{}, ErrAttemptNeeded
	}
	if !isOwner {
		q.Questions = withoutSolutions(q.Questions)
	}
	return q, nil
}

// refuseIfByHand returns [ErrQuizNotFound] if the quiz of a chapter was saved or deleted by hand:
// the AI then writes none in its place.
func (p *Platform) refuseIfByHand(ctx context.Context, r Reader, courseID, chapterID string) error {
	byHand, err := r.QuizByHand(ctx, courseID, chapterID)
	if err != nil {
		return fmt.Errorf("read whether a quiz is by hand: %w", err)
	}
	if byHand {
		return ErrQuizNotFound
	}
	return nil
}

// RewriteQuiz replaces the quiz of a chapter by a new one, or writes the first one, for the owner
// of the course. Concurrent callers share one call to the AI. If the quiz was saved or deleted by
// hand, nothing is stored: the new questions are a draft, which the caller may save. Errors:
// [core.ErrUnauthenticated], [core.ErrForbidden], [catalog.ErrCourseNotFound],
// [ErrChapterNotFound], and those of the AI as with [Platform.Quiz].
func (p *Platform) RewriteQuiz(ctx context.Context, actor core.Actor,
	courseID, chapterID string) (Quiz, error) {
	course, err := p.ownCourse(ctx, actor, courseID)
	if err != nil {
		return Quiz{}, err
	}

	// Write a quiz with a later version than the present one, or the first if there is none. There
	// is no Admission: unlike with Quiz, each call needs an answer of the AI, its own or a shared
	// one, so a host can limit the calls before.
	old, err := p.store.Quiz(ctx, courseID, chapterID)
	if err != nil && !errors.Is(err, core.ErrNoRecord) {
		return Quiz{}, fmt.Errorf("read a quiz: %w", err)
	}
	byHand, err := p.store.QuizByHand(ctx, courseID, chapterID)
	if err != nil {
		return Quiz{}, fmt.Errorf("read whether a quiz is by hand: %w", err)
	}
	if byHand {
		return p.draftQuiz(ctx, actor, course, chapterID, old)
	}
	var noAdmission Admission
	q, err := p.findOrCreateQuiz(ctx, actor, course, chapterID, old.Version, noAdmission)
	switch {
	case errors.Is(err, ErrQuizNotFound): // deleted by hand meanwhile
		return p.draftQuiz(ctx, actor, course, chapterID, Quiz{})
	case err == nil && q.ByHand: // saved by hand meanwhile
		return p.draftQuiz(ctx, actor, course, chapterID, q)
	}
	return q, core.Wrap("write a quiz anew", err)
}

// draftQuiz returns the quiz of a chapter with new questions of the AI and the present settings,
// and stores nothing. old is the present quiz, or zero.
func (p *Platform) draftQuiz(ctx context.Context, actor core.Actor, course catalog.Course,
	chapterID string,
	old Quiz) (Quiz, error) {
	chapter, err := p.chapter(ctx, course.ID, chapterID)
	if err != nil {
		return Quiz{}, err
	}
	if p.ai == nil {
		return Quiz{}, ErrAINotConfigured
	}
	draft := Quiz{ID: old.ID, CourseID: course.ID, ChapterID: chapterID, CourseTitle: course.Title,
		ChapterTitle: chapter.Title, Version: old.Version, Settings: old.Settings, ByHand: true,
		CreatedAt: p.base.Now(), UpdatedAt: p.base.Now()}
	if old.ID == "" { // it was deleted, with its settings
		draft.Settings = DefaultQuizSettings
	}
	draft.Questions, err = p.askForQuestions(ctx, actor, course, chapter)
	// The draft can be saved as it is: no more questions can be drawn than it has.
	draft.Settings.Draw = min(draft.Settings.Draw, len(draft.Questions))
	return draft, core.Wrap("draft a quiz", err)
}

// chapter reads a chapter of a course. Errors: [catalog.ErrCourseNotFound], and
// [ErrChapterNotFound], also for a chapter for which no quiz can be stored.
func (p *Platform) chapter(ctx context.Context, courseID, chapterID string) (catalog.Chapter,
	error) {
	content, err := catalog.ContentOf(ctx, p.store, courseID)
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

// findOrCreateQuiz returns the quiz of a chapter with a version after the given one. If
// there is none, it writes the quiz or waits for a concurrent call, of any instance, that does.
// admit is asked before this caller writes it; nil admits everybody. Errors:
// [catalog.ErrCourseNotFound], [ErrChapterNotFound], those of admit, and those of the AI.
func (p *Platform) findOrCreateQuiz(ctx context.Context, actor core.Actor, course catalog.Course,
	chapterID string, after int64, admit Admission) (Quiz, error) {
	chapter, err := p.chapter(ctx, course.ID, chapterID)
	if err != nil {
		return Quiz{}, err
	}
	if p.ai == nil { // before admit is asked, which may count the call
		return Quiz{}, ErrAINotConfigured
	}
	return findOrCreate(ctx, p, "quiz:"+course.ID+":"+chapterID, recordSource[Quiz]{
		find: func(ctx context.Context) (Quiz, error) {
			return p.newerQuiz(ctx, course.ID, chapterID, after)
		},
		admit: admit,
		create: func(ctx context.Context) error {
			return p.createQuiz(ctx, actor, course, chapter)
		},
	})
}

// newerQuiz reads the quiz of a chapter. It returns [core.ErrNoRecord] unless its version is
// after the given one.
func (p *Platform) newerQuiz(ctx context.Context, courseID, chapterID string,
	after int64) (Quiz, error) {
	q, err := p.store.Quiz(ctx, courseID, chapterID)
	if err == nil && q.Version <= after {
		err = core.ErrNoRecord
	}
	return q, err
}

// createQuiz lets the AI write the quiz of a chapter in the name of actor, whose tokens are spent,
// and stores it.
func (p *Platform) createQuiz(ctx context.Context, actor core.Actor, course catalog.Course,
	chapter catalog.Chapter) error {
	questions, err := p.askForQuestions(ctx, actor, course, chapter)
	if err != nil {
		return err
	}
	err = p.storeQuestions(ctx,
		Quiz{CourseID: course.ID, ChapterID: chapter.ID, ChapterTitle: chapter.Title,
			Questions: questions})
	if !errors.Is(err, ErrQuizNotFound) {
		return err
	}
	// One that was saved by hand meanwhile is what the callers get.
	_, readErr := p.store.Quiz(ctx, course.ID, chapter.ID)
	if errors.Is(readErr, core.ErrNoRecord) {
		return err
	}
	return core.Wrap("read a quiz", readErr)
}

// storeQuestions inserts the quiz of a chapter, or replaces the questions of the
// existing or removed one. If a concurrent call inserts the quiz first, the transaction
// runs again and replaces it. If the chapter was removed while the AI wrote the quiz,
// storeQuestions returns [ErrChapterNotFound], and if a quiz was saved or deleted by hand,
// [ErrQuizNotFound].
func (p *Platform) storeQuestions(ctx context.Context, q Quiz) error {
	// This is the first version. A stored quiz keeps its id, and its version grows.
	q.ID = p.base.NewID()
	q.Version = 1
	q.Settings = DefaultQuizSettings
	q.CreatedAt = p.base.Now()
	q.UpdatedAt = p.base.Now()
	err := p.base.Retry(ctx, func(tx Tx) error {
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
		if err := p.refuseIfByHand(ctx, tx, q.CourseID, q.ChapterID); err != nil {
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

// quizWriter writes quizzes.
type quizWriter interface {
	// InsertQuiz adds a quiz. It returns [core.ErrDuplicate] if the chapter has one.
	InsertQuiz(ctx context.Context, q Quiz) error
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
