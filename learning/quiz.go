package learning

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Quiz is the questions on one chapter of a course. A chapter has at most one, which
// the AI writes when it is first asked for. It stays when its chapter is gone.
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

// Question is one of a quiz, to be answered with one of its options.
type Question struct {
	Text     string
	Options  []string  // QuestionOptions of them
	Solution *Solution // nil where the caller may not know it
}

// Solution is what is not for those who are still to answer.
type Solution struct {
	Correct     int // index of the right option
	Explanation string
}

// Limits of a quiz (docs/api.md §12). Lengths count code points.
const (
	QuestionOptions = 4
	MaxQuestions    = 20
	MaxQuestionText = 1_000
	MaxOptionText   = 500
	MaxExplanation  = 2_000
)

// Quiz is the quiz of a chapter, for those enrolled in the course, and for the educator
// whose it is; only the latter sees the solutions. When there is none yet it is
// written: by one call to the AI, however many ask at once, and wherever. charge is
// called for whoever is about to make that call, and its error is theirs alone: those
// who wait are not charged, and one of them goes on. nil charges nobody.
//
// Errors: [ErrCourseNotFound], [ErrNotPurchased], [ErrChapterNotFound], and those of
// the AI: [ErrAINotConfigured], [ErrAIBusy], [ErrAIBudget].
func (p *Platform) Quiz(ctx context.Context, actor Actor, courseID, chapterID string, charge func() error) (Quiz, error) {
	course, owner, err := p.quizCourse(ctx, actor, courseID)
	if err != nil {
		return Quiz{}, err
	}
	q, err := p.store.Quiz(ctx, courseID, chapterID)
	if errors.Is(err, ErrNoRecord) {
		q, err = p.writeQuiz(ctx, actor, course, chapterID, 0, charge)
	}
	if err != nil {
		return Quiz{}, wrap("read a quiz", err)
	}
	if !owner {
		q.Questions = withoutSolutions(q.Questions)
	}
	return q, nil
}

// RewriteQuiz has the quiz of a chapter written anew, or for the first time, for the
// educator whose course it is. One is written at a time: who asks while it is gets the
// same. Errors: [ErrForbidden], [ErrCourseNotFound], [ErrChapterNotFound], and those of
// the AI as with [Platform.Quiz].
func (p *Platform) RewriteQuiz(ctx context.Context, actor Actor, courseID, chapterID string) (Quiz, error) {
	course, err := p.ownCourse(ctx, actor, courseID)
	if err != nil {
		return Quiz{}, err
	}
	old, err := p.store.Quiz(ctx, courseID, chapterID)
	if err != nil && !errors.Is(err, ErrNoRecord) {
		return Quiz{}, fmt.Errorf("read a quiz: %w", err)
	}
	q, err := p.writeQuiz(ctx, actor, course, chapterID, old.Version, nil)
	return q, wrap("write a quiz anew", err)
}

// quizCourse reads the course of a quiz for somebody who may see it, and tells whether
// that is the educator whose the course is.
func (p *Platform) quizCourse(ctx context.Context, actor Actor, courseID string) (c Course, owner bool, err error) {
	if c, err = p.ownCourse(ctx, actor, courseID); err == nil || !isPublic(err) {
		return c, true, err
	}
	enrolled, err := p.enrolledIn(ctx, actor, courseID)
	return enrolled.Course, false, err
}

// chapter reads a chapter of a course.
func (p *Platform) chapter(ctx context.Context, courseID, chapterID string) (Chapter, error) {
	content, err := p.store.CourseContent(ctx, courseID)
	if err != nil {
		return Chapter{}, fmt.Errorf("read the content of a course: %w", err)
	}
	i := slices.IndexFunc(content, func(ch Chapter) bool { return ch.ID == chapterID })
	if i < 0 || !validID(chapterID, 4*MaxContentID) {
		return Chapter{}, ErrChapterNotFound
	}
	return content[i], nil
}

// writeQuiz writes a quiz that is newer than a version, or waits for who does.
func (p *Platform) writeQuiz(ctx context.Context, actor Actor, course Course, chapterID string, than int64, charge func() error) (Quiz, error) {
	chapter, err := p.chapter(ctx, course.ID, chapterID)
	if err != nil {
		return Quiz{}, err
	}
	if p.ai == nil { // and nobody is charged
		return Quiz{}, ErrAINotConfigured
	}
	return findOrMake(ctx, p, "quiz:"+course.ID+":"+chapterID, storedOnce[Quiz]{
		find:   func(ctx context.Context) (Quiz, error) { return p.newerQuiz(ctx, course.ID, chapterID, than) },
		admit:  charge,
		create: func(ctx context.Context) error { return p.makeQuiz(ctx, actor, course, chapter) },
	})
}

// newerQuiz reads a quiz that is newer than a version; [ErrNoRecord] when there is none.
func (p *Platform) newerQuiz(ctx context.Context, courseID, chapterID string, than int64) (Quiz, error) {
	q, err := p.store.Quiz(ctx, courseID, chapterID)
	if err == nil && q.Version <= than {
		err = ErrNoRecord
	}
	return q, err
}

func (p *Platform) makeQuiz(ctx context.Context, actor Actor, course Course, chapter Chapter) error {
	questions, err := p.askForQuestions(ctx, actor, course, chapter)
	if err != nil {
		return err
	}
	return p.storeQuestions(ctx, Quiz{CourseID: course.ID, ChapterID: chapter.ID, ChapterTitle: chapter.Title, Questions: questions})
}

// storeQuestions gives a chapter its quiz, or its quiz the questions of q. Whoever saw
// none and was overtaken looks again, and replaces what it finds. The answer to COMMIT
// can be lost.
func (p *Platform) storeQuestions(ctx context.Context, q Quiz) error {
	q.ID, q.Version, q.CreatedAt, q.UpdatedAt = p.newID(), 1, p.now(), p.now()
	found := Quiz{}
	err := p.inTxRetry(ctx, func(tx Tx) (err error) {
		found, err = tx.Quiz(ctx, q.CourseID, q.ChapterID)
		switch {
		case errors.Is(err, ErrNoRecord):
			return tx.InsertQuiz(ctx, q)
		case err != nil:
			return err
		}
		return tx.ReplaceQuestions(ctx, q)
	})
	if err == nil {
		return nil
	}
	asked, cancel := p.provider(context.WithoutCancel(ctx))
	defer cancel()
	if kept, readErr := p.store.Quiz(asked, q.CourseID, q.ChapterID); readErr == nil && kept.Version > found.Version {
		return nil
	}
	return fmt.Errorf("store a quiz: %w", err)
}

// withoutSolutions is a copy for those who are still to answer.
func withoutSolutions(questions []Question) []Question {
	bare := make([]Question, len(questions))
	for i, q := range questions {
		bare[i] = Question{Text: q.Text, Options: q.Options}
	}
	return bare
}

// QuizReader reads quizzes.
type QuizReader interface {
	// Quiz reads the quiz of a chapter, with the title that its course has now.
	Quiz(ctx context.Context, courseID, chapterID string) (Quiz, error)
}

// QuizWriter writes quizzes.
type QuizWriter interface {
	// InsertQuiz adds one; [ErrDuplicate] when the chapter has one.
	InsertQuiz(ctx context.Context, q Quiz) error
	// ReplaceQuestions gives the quiz of a chapter the questions, chapter title and
	// update time of q, and the next version; [ErrNoRecord] when it has none.
	ReplaceQuestions(ctx context.Context, q Quiz) error
}
