package learning

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// QuizResult is one attempt of a student at a quiz. It is kept when the quiz is
// replaced, and when the user is deleted: it then counts in the totals of the educator
// without naming the user.
type QuizResult struct {
	ID              string
	UserID          string
	CourseID        string
	ChapterID       string
	Version         int64 // of the quiz that was marked
	Answers         []int // the chosen option of each question
	Score           int   // how many are right
	Total           int   // of how many
	Percentage      int   // rounded
	Mastery         Mastery
	Recommendations string // plain lines that begin with "• "; never empty
	CreatedAt       time.Time
}

// QuizMark is an attempt as lists show it.
type QuizMark struct {
	ID           string // of the attempt
	CourseID     string
	ChapterID    string
	CourseTitle  string
	ChapterTitle string
	Percentage   int
	Mastery      Mastery
	CreatedAt    time.Time
}

// Mastery is the group of an attempt, by its percentage.
type Mastery string

// The groups, by the rounded percentage.
const (
	NeedsReview Mastery = "needs_review" // up to 40
	OnTrack     Mastery = "on_track"     // up to 75
	Mastered    Mastery = "mastered"
)

// MasteryOf returns the group of a rounded percentage.
func MasteryOf(percentage int) Mastery {
	switch {
	case percentage <= 40:
		return NeedsReview
	case percentage <= 75:
		return OnTrack
	default:
		return Mastered
	}
}

// QuizInsight sums up the attempts at one quiz.
type QuizInsight struct {
	CourseID     string
	ChapterID    string
	CourseTitle  string
	ChapterTitle string
	Attempts     int
	Percentages  int // the sum of those of all attempts
	NeedsReview  int // number of attempts in this group, as the next two fields
	OnTrack      int
	Mastered     int
}

// AveragePercentage returns the mean of all attempts, rounded half away from zero.
func (i QuizInsight) AveragePercentage() int { return ratio(i.Percentages, i.Attempts) }

// ratio returns n/of, rounded half away from zero. n must not be negative.
func ratio(n, of int) int {
	if of <= 0 {
		return 0
	}
	return (2*n + of) / (2 * of)
}

// QuizAnswers are the answers of a student to a quiz.
type QuizAnswers struct {
	CourseID  string
	ChapterID string
	Answers   []int  // the index of an option for each question
	Version   *int64 // of the quiz that was answered; nil for the present one
}

// SubmitQuiz marks the actor's answers and stores them as an attempt. Each call stores
// another attempt. The attempt is stored before the AI is asked for recommendations. If
// the AI makes none, the result has recommendations that are made without it.
//
// Errors: [ErrCourseNotFound], [ErrNotPurchased], [ErrQuizNotFound], [ErrQuizChanged],
// [ErrAnswerCount], [ErrInvalidRequest] for an answer that is no option.
func (p *Platform) SubmitQuiz(ctx context.Context, actor Actor, a QuizAnswers) (QuizResult, error) {
	if _, err := p.enrolledIn(ctx, actor, a.CourseID); err != nil {
		return QuizResult{}, err
	}
	quiz, err := p.store.Quiz(ctx, a.CourseID, a.ChapterID)
	if errors.Is(err, ErrNoRecord) {
		return QuizResult{}, ErrQuizNotFound
	}
	if err != nil {
		return QuizResult{}, fmt.Errorf("read a quiz: %w", err)
	}
	marked, err := quiz.mark(a)
	if err != nil {
		return QuizResult{}, err
	}
	result := marked.QuizResult
	result.ID, result.UserID, result.CreatedAt = p.newID(), actor.UserID, p.now()
	result.Recommendations = quiz.defaultRecommendations(marked.wrong)
	if err := p.storeResult(ctx, result); err != nil {
		return QuizResult{}, err
	}
	if text := p.aiRecommendations(ctx, actor, quiz, result, marked.wrong); text != "" {
		result.Recommendations = text
	}
	return result, nil
}

// markedQuiz is a result without its identity, and the answers that it counts as wrong.
type markedQuiz struct {
	QuizResult
	wrong []wrongAnswer
}

// mark compares answers with the solutions of a quiz. q must have been read with its
// version in one query.
func (q Quiz) mark(a QuizAnswers) (markedQuiz, error) {
	switch {
	case a.Version != nil && *a.Version != q.Version:
		return markedQuiz{}, ErrQuizChanged
	case len(a.Answers) != len(q.Questions):
		return markedQuiz{}, ErrAnswerCount
	}
	m := markedQuiz{QuizResult: QuizResult{
		CourseID: q.CourseID, ChapterID: q.ChapterID, Version: q.Version,
		Answers: a.Answers, Total: len(q.Questions),
	}}
	for i, answer := range a.Answers {
		if answer < 0 || answer >= QuestionOptions {
			return markedQuiz{}, ErrInvalidRequest
		}
		question := q.Questions[i]
		if answer != question.Solution.Correct {
			m.wrong = append(m.wrong, wrongAnswer{
				Question: question.Text, Chosen: question.Options[answer],
			})
		}
	}
	m.Score = m.Total - len(m.wrong)
	m.Percentage = ratio(100*m.Score, m.Total)
	m.Mastery = MasteryOf(m.Percentage)
	return m, nil
}

// storeResult stores an attempt, and counts it.
func (p *Platform) storeResult(ctx context.Context, r QuizResult) error {
	err := p.inTxEvents(ctx, func(tx Tx, out *outbox) error {
		out.count(r.ID, attemptTotals(r)...)
		return tx.InsertQuizResult(ctx, r)
	})
	return wrap("store a quiz result", err)
}

// QuizResults lists the actor's attempts at the quiz of a chapter, the newest first.
func (p *Platform) QuizResults(ctx context.Context, actor Actor, courseID, chapterID string) ([]QuizResult, error) {
	if err := actor.Require(); err != nil {
		return nil, err
	}
	list, err := p.store.QuizResults(ctx, actor.UserID, courseID, chapterID)
	for i := range list {
		list[i].Recommendations = readableRecommendations(list[i].Recommendations)
	}
	return list, wrap("list the results of a quiz", err)
}

// QuizMarks lists the actor's attempts at all quizzes, the newest first.
func (p *Platform) QuizMarks(actor Actor) (*List[QuizMark], error) {
	if err := actor.Require(); err != nil {
		return nil, err
	}
	return pagedList("list the quiz results of a user", inPages(p.quizMarksOf(actor.UserID)),
		func(m *QuizMark) Position { return Position{At: m.CreatedAt, ID: m.ID} }), nil
}

// QuizMarksPage returns a page of [Platform.QuizMarks], and the position after which the next
// one begins, zero at the end. Errors: [ErrUnauthenticated], [ErrInvalidRequest].
func (p *Platform) QuizMarksPage(ctx context.Context, actor Actor, page Page) ([]QuizMark, Position, error) {
	if err := actor.Require(); err != nil {
		return nil, Position{}, err
	}
	return readPage(ctx, "list the quiz results of a user", page, p.quizMarksOf(actor.UserID),
		func(m QuizMark) Position { return Position{At: m.CreatedAt, ID: m.ID} })
}

func (p *Platform) quizMarksOf(userID string) func(context.Context, Page) ([]QuizMark, error) {
	return func(ctx context.Context, page Page) ([]QuizMark, error) {
		return p.store.QuizMarks(ctx, userID, page)
	}
}

// CourseQuizMarks lists the actor's attempts at the quizzes of a course, the newest
// first.
func (p *Platform) CourseQuizMarks(ctx context.Context, actor Actor, courseID string) ([]QuizMark, error) {
	if err := actor.Require(); err != nil {
		return nil, err
	}
	list, err := p.store.CourseQuizMarks(ctx, actor.UserID, courseID)
	return list, wrap("list the quiz results of a course", err)
}

// QuizInsights sums up the attempts at the quizzes of the actor's courses, those with
// the most attempts first. Errors: [ErrUnauthenticated], [ErrForbidden].
func (p *Platform) QuizInsights(ctx context.Context, actor Actor) ([]QuizInsight, error) {
	if err := actor.RequireRole(Educator); err != nil {
		return nil, err
	}
	list, err := p.store.QuizInsights(ctx, actor.UserID)
	return list, wrap("sum up the quizzes of an educator", err)
}

// quizResultReader reads attempts at quizzes. Its lists begin with the newest attempt;
// of attempts of the same time, with the one with the greatest id.
type quizResultReader interface {
	// QuizResults lists a user's attempts at the quiz of a chapter.
	QuizResults(ctx context.Context, userID, courseID, chapterID string) ([]QuizResult, error)
	// QuizMarks lists a user's attempts at all quizzes: a page, or all for the zero page.
	QuizMarks(ctx context.Context, userID string, page Page) ([]QuizMark, error)
	// CourseQuizMarks lists a user's attempts at the quizzes of a course.
	CourseQuizMarks(ctx context.Context, userID, courseID string) ([]QuizMark, error)
	// QuizInsights sums up the attempts at each quiz of an educator's courses. Quizzes
	// without attempts are left out. Those with the most attempts come first, in the
	// order of course and chapter on a tie.
	QuizInsights(ctx context.Context, educatorID string) ([]QuizInsight, error)
}

// quizResultWriter writes attempts at quizzes.
type quizResultWriter interface {
	// InsertQuizResult adds an attempt.
	InsertQuizResult(ctx context.Context, r QuizResult) error
	// SetRecommendations replaces the recommendations of an attempt. It returns
	// [ErrNoRecord] if there is no such attempt.
	SetRecommendations(ctx context.Context, resultID, text string) error
}
