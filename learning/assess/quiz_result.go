package assess

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/internal/paging"
	"github.com/openlectern/openlectern/learning/core"
)

// The totals of attempts.
const (
	// Attempts at quizzes, and the sum of their percentages, by course and chapter.
	TotalNeedsReview core.TotalKind = "attempts needs_review"
	TotalOnTrack     core.TotalKind = "attempts on_track"
	TotalMastered    core.TotalKind = "attempts mastered"
	// Attempts that were stored when they began, and the sum of their milliseconds, by course and
	// chapter.
	TotalAttemptTime core.TotalKind = "attempt time"
)

// EventQuizSubmitted is the event of a new result.
const EventQuizSubmitted core.EventType = "quiz.submitted"

// QuizResult is one attempt of a student at a quiz. It is kept when the quiz is
// replaced, and when the user is deleted: it then counts in the totals of the educator
// without naming the user.
type QuizResult struct {
	ID              string
	UserID          string
	CourseID        string
	ChapterID       string
	Version         int64 // of the quiz that was marked
	Answers         []int // the chosen option of each question; none of a [QuizAttempt]
	Score           int   // the points of the right answers
	Total           int   // of all questions
	Percentage      int   // rounded
	Mastery         Mastery
	Passed          bool   // whether Percentage reached that of the quiz
	Recommendations string // plain lines that begin with "• "; never empty
	CreatedAt       time.Time
	StartedAt       time.Time         // of a [QuizAttempt]; else zero
	Took            core.Milliseconds // from StartedAt to the submission, or to the end if that was before
	// Marked are the marks of the questions. Results that the platform returns have none.
	Marked []MarkedQuestion
	// Questions are those that were answered, with their solutions, if the student may see them
	// after this attempt, in the answer to it; else nil.
	Questions []AnsweredQuestion
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
	// Passed is nil for a quiz that was not saved by hand.
	Passed    *bool
	CreatedAt time.Time
	IsAttempt bool // whether ID is that of a [QuizAttempt]
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
func (i QuizInsight) AveragePercentage() int { return core.Ratio(i.Percentages, i.Attempts) }

// QuizProgress sums up the results of a user at the quiz of a chapter.
type QuizProgress struct {
	ChapterID string
	Attempts  int
	Best      int  // the greatest percentage
	Passed    bool // whether one has passed
	LastAt    time.Time
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
// Errors: [core.ErrUnauthenticated], [catalog.ErrCourseNotFound], [study.ErrNotPurchased],
// [ErrQuizNotFound], [ErrAttemptNeeded], [ErrQuizChanged], [ErrAnswerCount],
// [core.ErrInvalidRequest] for an answer that is no option.
func (s *Service) SubmitQuiz(ctx context.Context, actor core.Actor, a QuizAnswers) (QuizResult,
	error) {
	// Mark the answers.
	// only the check is needed
	if _, err := s.study.EnrolledIn(ctx, actor, a.CourseID); err != nil {
		return QuizResult{}, err
	}
	if err := s.study.RequireChapter(ctx, actor, a.CourseID, a.ChapterID); err != nil {
		return QuizResult{}, err
	}
	quiz, err := s.store.Quiz(ctx, a.CourseID, a.ChapterID)
	if errors.Is(err, core.ErrNoRecord) {
		return QuizResult{}, ErrQuizNotFound
	}
	if err != nil {
		return QuizResult{}, fmt.Errorf("read a quiz: %w", err)
	}
	if !quiz.IsSimple() {
		return QuizResult{}, ErrAttemptNeeded
	}
	attempt, err := quiz.answered(a)
	if err != nil {
		return QuizResult{}, err
	}
	marked := attempt.mark()

	// Store the result, with recommendations that need no AI.
	marked.ID = s.base.NewID()
	marked.UserID = actor.UserID
	marked.Answers = a.Answers
	marked.CreatedAt = s.base.Now()
	marked.Recommendations = attempt.defaultRecommendations(marked)
	if err := s.storeResult(ctx, marked.QuizResult, quiz.CourseTitle); err != nil {
		return QuizResult{}, err
	}

	// Replace them by those of the AI, if it makes some.
	result := attempt.reviewed(marked.QuizResult)
	if text := s.recommend(ctx, actor, attempt, marked); text != "" {
		result.Recommendations = text
	}
	return result, nil
}

// removeAnswersOf removes the answers of a user. The marks stay, with what can be recommended
// without the answers.
func removeAnswersOf(ctx context.Context, tx Tx, userID string) error {
	if err := tx.DeleteAttempts(ctx, userID); err != nil {
		return err
	}
	return tx.ForgetQuizAnswers(ctx, userID, forgottenRecommendations)
}

// storeResult stores an attempt with its event, and counts it in the totals of its quiz. title is
// that of the course. Error: [core.ErrUnauthenticated] if the user was deleted.
func (s *Service) storeResult(ctx context.Context, r QuizResult, title string) error {
	err := s.base.ChangeOfUndeleted(ctx, r.UserID, func(tx Tx, changes *core.Changes) error {
		countResult(changes, tx, r)
		addQuizSubmittedEvent(changes, r, title)
		return tx.InsertQuizResult(ctx, r)
	})
	return core.Wrap("store a quiz result", err)
}

// QuizResults lists the actor's attempts at the quiz of a chapter, the newest first.
func (s *Service) QuizResults(ctx context.Context, actor core.Actor,
	courseID, chapterID string) ([]QuizResult, error) {
	if err := actor.Require(); err != nil {
		return nil, err
	}
	list, err := s.store.QuizResults(ctx, actor.UserID, courseID, chapterID)
	if err != nil {
		return nil, core.Wrap("list the results of a quiz", err)
	}
	for i := range list {
		list[i].Recommendations = readableRecommendations(list[i].Recommendations)
	}
	return list, nil
}

// QuizMarks returns a page of the actor's attempts at all quizzes, the newest first. Errors:
// [core.ErrUnauthenticated], [core.ErrInvalidRequest].
func (s *Service) QuizMarks(
	ctx context.Context, actor core.Actor, page core.PageRequest,
) (core.Page[QuizMark], error) {
	if err := actor.Require(); err != nil {
		return core.Page[QuizMark]{}, err
	}
	read := func(ctx context.Context, page core.PageRequest) ([]QuizMark, error) {
		return s.store.QuizMarks(ctx, actor.UserID, page)
	}
	return paging.ReadPage(ctx, "list the quiz results of a user", page, read,
		func(m QuizMark) core.Position { return core.Position{At: m.CreatedAt, ID: m.ID} })
}

// QuizMarksOf lists the attempts of a user at all quizzes, the newest first.
func (s *ForRooms) QuizMarksOf(ctx context.Context, userID string) ([]QuizMark, error) {
	return s.store.QuizMarks(ctx, userID, core.PageRequest{}) // the zero page is the whole list
}

// CourseQuizMarks lists the actor's attempts at the quizzes of a course, the newest
// first.
func (s *Service) CourseQuizMarks(ctx context.Context, actor core.Actor,
	courseID string) ([]QuizMark, error) {
	if err := actor.Require(); err != nil {
		return nil, err
	}
	list, err := s.store.CourseQuizMarks(ctx, actor.UserID, courseID)
	return list, core.Wrap("list the quiz results of a course", err)
}

// QuizInsights sums up the attempts at the quizzes of the actor's courses, those with
// the most attempts first. Errors: [core.ErrUnauthenticated], [core.ErrForbidden].
func (s *Service) QuizInsights(ctx context.Context, actor core.Actor) ([]QuizInsight, error) {
	if err := actor.RequireRole(core.Educator); err != nil {
		return nil, err
	}
	list, err := s.store.QuizInsights(ctx, actor.UserID)
	return list, core.Wrap("sum up the quizzes of an educator", err)
}

// QuizProgress sums up the results of a user at each quiz of a course, by the id of the chapter.
func (s *ForRooms) QuizProgress(
	ctx context.Context, userID, courseID string,
) ([]QuizProgress, error) {
	return s.store.QuizProgress(ctx, userID, courseID)
}

// quizResultReader reads attempts at quizzes. Its lists begin with the newest attempt;
// of attempts of the same time, with the one with the greatest id.
type quizResultReader interface {
	// QuizResults lists a user's attempts at the quiz of a chapter.
	QuizResults(ctx context.Context, userID, courseID, chapterID string) ([]QuizResult, error)
	// LatestQuizResult reads a user's newest attempt at the quiz of a chapter. It returns
	// [core.ErrNoRecord] if there is none.
	LatestQuizResult(ctx context.Context, userID, courseID, chapterID string) (QuizResult, error)
	// QuizMarks lists a page of a user's attempts at all quizzes. The zero page is the whole list.
	QuizMarks(ctx context.Context, userID string, page core.PageRequest) ([]QuizMark, error)
	// CourseQuizMarks lists a user's attempts at the quizzes of a course.
	CourseQuizMarks(ctx context.Context, userID, courseID string) ([]QuizMark, error)
	// QuizInsights sums up the attempts at each quiz of an educator's courses. Quizzes
	// without attempts are left out. Those with the most attempts come first, in the
	// order of course and chapter on a tie.
	QuizInsights(ctx context.Context, educatorID string) ([]QuizInsight, error)
	// StudentResults lists a page of the results of the quiz of a chapter with their students.
	StudentResults(ctx context.Context, courseID, chapterID string,
		page core.PageRequest) ([]StudentResult, error)
	// QuizProgress sums up the results of a user at each quiz of a course, by the id of the
	// chapter.
	QuizProgress(ctx context.Context, userID, courseID string) ([]QuizProgress, error)
	// QuizSums sums up the attempts at the quiz of a chapter.
	QuizSums(ctx context.Context, courseID, chapterID string) (QuizSums, error)
}

// quizResultWriter writes attempts at quizzes.
type quizResultWriter interface {
	// InsertQuizResult adds an attempt.
	InsertQuizResult(ctx context.Context, r QuizResult) error
	// SetRecommendations replaces the recommendations of an attempt. It returns
	// [core.ErrNoRecord] if there is no such attempt.
	SetRecommendations(ctx context.Context, resultID, text string) error
	// ForgetQuizAnswers removes the answers from the results of a user, and replaces the
	// recommendations by a text.
	ForgetQuizAnswers(ctx context.Context, userID, recommendations string) error
}

// addQuizSubmittedEvent adds the event of a new result. title is that of its course.
func addQuizSubmittedEvent(changes *core.Changes, r QuizResult, title string) {
	changes.Add(EventQuizSubmitted, "user", r.UserID,
		core.EventData{UserID: r.UserID, CourseID: r.CourseID, CourseTitle: title,
			ChapterID: r.ChapterID, ResultID: r.ID})
}

// countResult adds a new result to the totals of its quiz and of its questions.
func countResult(changes *core.Changes, tx Tx, r QuizResult) {
	changes.Count(r.ID, attemptTotals(r)...)
	changes.AtEnd(func(ctx context.Context) error {
		if list := r.QuestionTotals(); len(list) > 0 {
			return tx.AddToQuestionTotals(ctx, r.ID, list)
		}
		return nil
	})
}

// attemptTotals returns what an attempt adds to the totals of its quiz: to that of its mastery, and
// to that of the time if it is known.
func attemptTotals(r QuizResult) []core.Total {
	kinds := map[Mastery]core.TotalKind{NeedsReview: TotalNeedsReview, OnTrack: TotalOnTrack,
		Mastered: TotalMastered}
	kind := kinds[r.Mastery]
	list := []core.Total{{Kind: kind, CourseID: r.CourseID, Part: r.ChapterID, Number: 1,
		Amount: int64(r.Percentage)}}
	if !r.StartedAt.IsZero() {
		list = append(list, core.Total{Kind: TotalAttemptTime, CourseID: r.CourseID,
			Part:   r.ChapterID,
			Number: 1, Amount: int64(r.Took)})
	}
	return list
}
