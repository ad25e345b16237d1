package learning

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Quiz is the questions on one chapter of a course. A chapter has at most one quiz,
// which the AI writes at the first request. It is removed together with its chapter.
type Quiz struct {
	ID           string
	CourseID     string
	ChapterID    string
	CourseTitle  string
	ChapterTitle string // as it was when the questions were written
	// Version changes whenever the questions do: they are replaced all at once.
	Version   int64
	Questions []Question
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Quiz returns the quiz of a chapter, for students enrolled in the course and for its
// owner. Only the owner sees the solutions. If there is no quiz, one call to the AI
// writes it; concurrent callers, also those of other instances, wait for that call.
// admit, if not nil, decides whether this caller may begin the call.
//
// Errors: [ErrUnauthenticated], [ErrCourseNotFound], [ErrNotPurchased], [ErrChapterNotFound],
// those of admit, and those of the AI: [ErrAINotConfigured], [ErrAIBusy], [ErrAIBudget].
func (p *Platform) Quiz(ctx context.Context, actor Actor, courseID, chapterID string,
	admit Admission) (Quiz, error) {
	// The owner may see the quiz, or an enrolled user without the solutions. A public error says
	// that the actor is not the owner; any other is a failure.
	course, err := p.ownCourse(ctx, actor, courseID)
	isOwner := err == nil
	if !isOwner && isPublic(err) {
		var enrolled EnrolledCourse
		enrolled, err = p.enrolledIn(ctx, actor, courseID)
		course = enrolled.Course
	}
	if err != nil {
		return Quiz{}, err
	}

	// Read the quiz. If there is none, write it or wait for the caller that writes it.
	q, err := p.store.Quiz(ctx, courseID, chapterID)
	if errors.Is(err, ErrNoRecord) {
		const anyVersion = 0 // the first is 1
		q, err = p.findOrCreateQuiz(ctx, actor, course, chapterID, anyVersion, admit)
	}
	if err != nil {
		return Quiz{}, wrap("read a quiz", err)
	}
	if !isOwner {
		q.Questions = withoutSolutions(q.Questions)
	}
	return q, nil
}

// RewriteQuiz replaces the quiz of a chapter by a new one, or writes the first one, for
// the owner of the course. Concurrent callers share one call to the AI. Errors:
// [ErrUnauthenticated], [ErrForbidden], [ErrCourseNotFound], [ErrChapterNotFound], and those of the
// AI as with [Platform.Quiz].
func (p *Platform) RewriteQuiz(ctx context.Context, actor Actor,
	courseID, chapterID string) (Quiz, error) {
	course, err := p.ownCourse(ctx, actor, courseID)
	if err != nil {
		return Quiz{}, err
	}

	// Write a quiz with a later version than the present one, or the first if there is none. There
	// is no Admission: unlike with Quiz, each call needs an answer of the AI, its own or a shared
	// one, so a host can limit the calls before.
	old, err := p.store.Quiz(ctx, courseID, chapterID)
	if err != nil && !errors.Is(err, ErrNoRecord) {
		return Quiz{}, fmt.Errorf("read a quiz: %w", err)
	}
	var noAdmission Admission
	q, err := p.findOrCreateQuiz(ctx, actor, course, chapterID, old.Version, noAdmission)
	return q, wrap("write a quiz anew", err)
}

// chapter reads a chapter of a course. Errors: [ErrCourseNotFound], and [ErrChapterNotFound], also
// for a chapter for which no quiz can be stored.
func (p *Platform) chapter(ctx context.Context, courseID, chapterID string) (Chapter, error) {
	content, err := courseContent(ctx, p.store, courseID)
	if err != nil {
		return Chapter{}, err
	}

	// Chapters are stored inside the content of their course, so their ids may be such that no quiz
	// can be stored with them as a key: those that end with a space. A code point has at most 4
	// bytes.
	i := slices.IndexFunc(content, func(ch Chapter) bool { return ch.ID == chapterID })
	if i < 0 || !validID(chapterID, 4*MaxContentID) {
		return Chapter{}, ErrChapterNotFound
	}
	return content[i], nil
}

// findOrCreateQuiz returns the quiz of a chapter with a version after the given one. If
// there is none, it writes the quiz or waits for a concurrent call, of any instance, that does.
// admit is asked before this caller writes it; nil admits everybody. Errors: [ErrCourseNotFound],
// [ErrChapterNotFound], those of admit, and those of the AI.
func (p *Platform) findOrCreateQuiz(ctx context.Context, actor Actor, course Course,
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

// newerQuiz reads the quiz of a chapter. It returns [ErrNoRecord] unless its version is
// after the given one.
func (p *Platform) newerQuiz(ctx context.Context, courseID, chapterID string,
	after int64) (Quiz, error) {
	q, err := p.store.Quiz(ctx, courseID, chapterID)
	if err == nil && q.Version <= after {
		err = ErrNoRecord
	}
	return q, err
}

// createQuiz lets the AI write the quiz of a chapter in the name of actor, whose tokens are spent,
// and stores it.
func (p *Platform) createQuiz(ctx context.Context, actor Actor, course Course,
	chapter Chapter) error {
	questions, err := p.askForQuestions(ctx, actor, course, chapter)
	if err != nil {
		return err
	}
	return p.storeQuestions(ctx,
		Quiz{CourseID: course.ID, ChapterID: chapter.ID, ChapterTitle: chapter.Title,
			Questions: questions})
}

// storeQuestions inserts the quiz of a chapter, or replaces the questions of the
// existing or removed one. If a concurrent call inserts the quiz first, the transaction
// runs again and replaces it. If the chapter was removed while the AI wrote the quiz,
// storeQuestions returns [ErrChapterNotFound].
func (p *Platform) storeQuestions(ctx context.Context, q Quiz) error {
	// This is the first version. A stored quiz keeps its id, and its version grows.
	q.ID = p.newID()
	q.Version = 1
	q.CreatedAt = p.now()
	q.UpdatedAt = p.now()
	err := p.inTxRetry(ctx, func(tx Tx) error {
		// Lock the course: its chapter may have been removed while the AI wrote.
		if err := lockCourse(ctx, tx, q.CourseID); err != nil {
			return err
		}
		content, err := tx.CourseContent(ctx, q.CourseID)
		if err != nil {
			return err
		}
		if !hasChapter(content, q.ChapterID) {
			return ErrChapterNotFound
		}

		// Replace a quiz that is stored, or insert the first one. If a concurrent call has inserted
		// it, inTxRetry runs this again.
		err = tx.ReplaceQuestions(ctx, q)
		if errors.Is(err, ErrNoRecord) {
			err = tx.InsertQuiz(ctx, q)
		}
		return err
	})
	return wrap("store a quiz", err)
}

// quizReader reads quizzes.
type quizReader interface {
	// Quiz reads the quiz of a chapter, with the present title of its course.
	Quiz(ctx context.Context, courseID, chapterID string) (Quiz, error)
	// QuizChapters lists the ids of the chapters of a course that have a quiz.
	QuizChapters(ctx context.Context, courseID string) ([]string, error)
}

// quizWriter writes quizzes.
type quizWriter interface {
	// InsertQuiz adds a quiz. It returns [ErrDuplicate] if the chapter has one.
	InsertQuiz(ctx context.Context, q Quiz) error
	// ReplaceQuestions gives the quiz of a chapter the questions, chapter title and
	// update time of q, and the next version, also if the quiz was removed. It returns
	// [ErrNoRecord] if the chapter never had a quiz.
	ReplaceQuestions(ctx context.Context, q Quiz) error
	// RemoveQuiz removes the quiz of a chapter, and reports whether there was one. Its
	// results keep the title of the chapter, and a later quiz of the chapter has a later
	// version.
	RemoveQuiz(ctx context.Context, courseID, chapterID string) (bool, error)
	// DeleteQuizzes deletes the quizzes of a course, also removed ones.
	DeleteQuizzes(ctx context.Context, courseID string) error
}
