package assess

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

// AttemptState is an attempt with its result.
type AttemptState struct {
	QuizAttempt
	Result *QuizResult // nil while the attempt is open
}

// AnsweredQuestion is a question with its solution and what a student has answered.
type AnsweredQuestion struct {
	Question
	Given   Answer // nil for none
	IsRight bool
}

// SubmitAttempt marks an open attempt of the actor by the questions that were given, once, however
// often and by however many callers it is called: all get the same result. answers are saved
// before. After the end they are ignored, and those that were saved count. Errors:
// [core.ErrUnauthenticated], [ErrAttemptNotFound], [study.ErrNotPurchased],
// [core.ErrInvalidRequest] as with [Service.SaveAnswers].
func (s *Service) SubmitAttempt(ctx context.Context, actor core.Actor, attemptID string,
	answers map[string]Answer) (QuizResult, error) {
	if err := actor.Require(); err != nil {
		return QuizResult{}, err
	}
	var marked submittedAttempt
	err := s.base.ChangeOfUser(ctx, actor.UserID, func(tx Tx, changes *core.Changes) error {
		// Lock the attempt, and check the access.
		a, err := lockAttempt(ctx, tx, attemptID, actor.UserID)
		if err != nil {
			return err
		}
		err = study.RequireAccess(ctx, tx, actor.UserID, a.CourseID, s.base.Now())
		if err != nil {
			return err
		}

		// Add the answers in time, and mark the attempt, unless it is marked.
		if !a.isSubmitted() && !a.isOver(s.base.Now()) {
			if err := a.merge(answers, s.base.Now()); err != nil {
				return err
			}
			if err := tx.SetAnswers(ctx, a); err != nil {
				return err
			}
		}
		marked, err = s.submit(ctx, tx, changes, a)
		return err
	})
	if err != nil {
		return QuizResult{}, core.Wrap("submit an attempt", err)
	}

	// Only the caller whose transaction has marked the attempt asks for recommendations.
	result := marked.attempt.reviewed(marked.QuizResult)
	if marked.isNew {
		if text := s.recommend(ctx, actor, marked.attempt, marked.markedQuiz); text != "" {
			result.Recommendations = text
		}
	}
	return result, nil
}

// submittedAttempt is an attempt that is submitted, with its result.
type submittedAttempt struct {
	markedQuiz
	attempt QuizAttempt
	isNew   bool // whether this transaction has marked it
}

// submit marks an attempt that the transaction has locked and read after that, and stores its
// result with the id of the attempt. If it is marked, submit reads the result.
func (s *Service) submit(
	ctx context.Context, tx Tx, changes *core.Changes, a QuizAttempt,
) (marked submittedAttempt, err error) {
	marked.attempt = a
	if a.isSubmitted() {
		marked.QuizResult, err = tx.QuizResult(ctx, a.ID)
		return marked, err
	}
	now := s.base.Now()
	submitted, err := tx.SubmitAttempt(ctx, a.ID, now)
	if err == nil && !submitted { // only a precaution, because the row is locked
		err = core.ErrDuplicate
	}
	if err == nil {
		a, err = withPresentKey(ctx, tx, a)
	}
	if err != nil {
		return marked, err
	}
	marked.attempt = a
	marked.attempt.SubmittedAt, marked.isNew = now, true
	marked.markedQuiz = a.mark()
	marked.CreatedAt = now
	marked.StartedAt, marked.Took = a.StartedAt, a.took(now)
	if !a.Review.namesWrong(marked.Passed, a.Questions) {
		marked.wrong = nil
	}
	marked.Recommendations = a.defaultRecommendations(marked.markedQuiz)
	countResult(changes, tx, marked.QuizResult)
	addQuizSubmittedEvent(changes, marked.QuizResult, a.CourseTitle)
	return marked, tx.InsertQuizResult(ctx, marked.QuizResult)
}

// TextOf returns an answer as people write it, with the texts of options; "" for none.
func (q Question) TextOf(given Answer) string {
	if given == nil {
		return ""
	}
	ids, isSet := given.([]string)
	if !isSet {
		ids = []string{fmt.Sprint(given)}
	}
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = id
		if option := q.OptionIndex(id); option >= 0 {
			texts[i] = q.Options[option].Text
		}
	}
	return strings.Join(texts, ", ")
}

// reviewed returns a result with the solutions, if the attempt lets its student see them.
func (a QuizAttempt) reviewed(r QuizResult) QuizResult {
	r.Recommendations = readableRecommendations(r.Recommendations)
	r.Marked = nil // they say what is right
	if !a.Review.allows(r.Passed) {
		return r
	}
	return a.withQuestions(r)
}

// withQuestions returns a result with the questions of the attempt and their solutions.
func (a QuizAttempt) withQuestions(r QuizResult) QuizResult {
	r.Questions = make([]AnsweredQuestion, len(a.Questions))
	for i, q := range a.Questions {
		given := a.Answers[q.ID]
		r.Questions[i] = AnsweredQuestion{Question: q, Given: given,
			IsRight: q.IsRightAnswer(given)}
	}
	return r
}

// Attempt returns an attempt of the actor, also after the access to the course has ended. It marks
// one whose time is over. Errors: [core.ErrUnauthenticated], [ErrAttemptNotFound].
func (s *Service) Attempt(ctx context.Context, actor core.Actor,
	attemptID string) (AttemptState, error) {
	if err := actor.Require(); err != nil {
		return AttemptState{}, err
	}
	a, err := attemptOf(ctx, s.store, attemptID, actor.UserID)
	if err == nil && !a.isSubmitted() && a.isOver(s.base.Now()) {
		if err = s.closeAttempt(ctx, actor.UserID, attemptID); err == nil {
			a, err = attemptOf(ctx, s.store, attemptID, actor.UserID)
		}
	}
	if err == nil && !a.isSubmitted() { // its questions are those of a chapter that may be closed now
		err = s.study.RequireChapter(ctx, actor, a.CourseID, a.ChapterID)
	}
	switch {
	case err != nil:
		return AttemptState{}, err
	case !a.isSubmitted():
		return AttemptState{QuizAttempt: a.withoutSolutions()}, nil
	}
	r, err := s.store.QuizResult(ctx, attemptID)
	if err != nil {
		return AttemptState{}, fmt.Errorf("read the result of an attempt: %w", err)
	}
	return AttemptState{QuizAttempt: a.withoutSolutions(), Result: new(a.reviewed(r))}, nil
}

// StudentAttempt returns a submitted attempt with all solutions, for the educator of the course and
// admins. Errors: [core.ErrUnauthenticated], [core.ErrForbidden], [ErrAttemptNotFound], also for
// one that is open and for one in a course that the actor may not edit.
func (s *Service) StudentAttempt(
	ctx context.Context, actor core.Actor, attemptID string,
) (AttemptState, error) {
	if err := actor.RequireRole(core.Educator, core.Admin); err != nil {
		return AttemptState{}, err
	}
	a, err := s.store.Attempt(ctx, attemptID)
	switch {
	case errors.Is(err, core.ErrNoRecord), err == nil && !a.isSubmitted():
		return AttemptState{}, ErrAttemptNotFound
	case err != nil:
		return AttemptState{}, core.Wrap("read an attempt", err)
	}
	if _, err := s.catalog.Editable(ctx, actor, a.CourseID); core.IsPublic(err) {
		return AttemptState{}, ErrAttemptNotFound
	} else if err != nil {
		return AttemptState{}, err
	}
	r, err := s.store.QuizResult(ctx, attemptID)
	if err != nil {
		return AttemptState{}, fmt.Errorf("read the result of an attempt: %w", err)
	}
	r.Recommendations, r.Marked = readableRecommendations(r.Recommendations), nil
	return AttemptState{QuizAttempt: a.withoutSolutions(), Result: new(a.withQuestions(r))}, nil
}

// closeAttempt marks an attempt of a user whose time is over, by the answers that were saved. It
// does nothing if the attempt is marked, open or deleted.
func (s *Service) closeAttempt(ctx context.Context, userID, attemptID string) error {
	err := s.base.ChangeOfUser(ctx, userID, func(tx Tx, changes *core.Changes) error {
		a, err := lockAttempt(ctx, tx, attemptID, userID)
		if errors.Is(err, ErrAttemptNotFound) || err == nil && !a.isOver(s.base.Now()) {
			return nil
		}
		if err != nil {
			return err
		}
		_, err = s.submit(ctx, tx, changes, a)
		return err
	})
	return core.Wrap("close an attempt", err)
}

// attemptsPerRead is the number of attempts to close that are read at a time.
const attemptsPerRead = 100

// closeAttempts marks the attempts whose time is over. If one cannot be marked, it continues with
// the others, and returns the first error with the number of failures.
func (s *ForRooms) closeAttempts(ctx context.Context) error {
	now := s.base.Now()
	after := core.Position{At: time.Unix(0, 0)} // not the zero time, which MySQL does not have
	var first error
	for failures := 0; ; {
		list, err := s.store.AttemptsOver(ctx, now, after, attemptsPerRead)
		if err != nil {
			return fmt.Errorf("list attempts whose time is over: %w", err)
		}
		for _, a := range list {
			if err := (*Service)(s).closeAttempt(ctx, a.UserID, a.ID); err != nil {
				failures++
				first = cmp.Or(first, err)
			}
			after = core.Position{At: a.EndsAt, ID: a.ID}
		}
		if len(list) < attemptsPerRead || ctx.Err() != nil {
			return core.Wrap(fmt.Sprintf("mark %d attempts whose time is over; the first",
				failures), first)
		}
	}
}
