package learning

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
// [core.ErrUnauthenticated], [ErrAttemptNotFound], [study.ErrNotPurchased], [core.ErrInvalidRequest] as
// with [Platform.SaveAnswers].
func (p *Platform) SubmitAttempt(ctx context.Context, actor core.Actor, attemptID string,
	answers map[string]Answer) (QuizResult, error) {
	if err := actor.Require(); err != nil {
		return QuizResult{}, err
	}
	var s submission
	err := p.base.ChangeOfUser(ctx, actor.UserID, func(tx Tx, changes *core.Changes) (err error) {
		// Lock the attempt, and check the access.
		a, err := lockAttempt(ctx, tx, attemptID, actor.UserID)
		if err != nil {
			return err
		}
		isEnrolled, err := tx.Enrolled(ctx, actor.UserID, a.CourseID)
		if err == nil && !isEnrolled {
			err = study.ErrNotPurchased
		}
		if err != nil {
			return err
		}

		// Add the answers in time, and mark the attempt, unless it is marked.
		if !a.isSubmitted() && !a.isOver(p.base.Now()) {
			if err := a.merge(answers, p.base.Now()); err != nil {
				return err
			}
			if err := tx.SetAnswers(ctx, a); err != nil {
				return err
			}
		}
		s, err = p.submit(ctx, tx, changes, a)
		return err
	})
	if err != nil {
		return QuizResult{}, core.Wrap("submit an attempt", err)
	}

	// Only the caller whose transaction has marked the attempt asks the AI.
	result := s.attempt.reviewed(s.QuizResult)
	if s.isNew {
		if text := p.aiRecommendations(ctx, actor, s.attempt, s.markedQuiz); text != "" {
			result.Recommendations = text
		}
	}
	return result, nil
}

// submission is an attempt that is submitted, with its result.
type submission struct {
	markedQuiz
	attempt QuizAttempt
	isNew   bool // whether this transaction has marked it
}

// submit marks an attempt that the transaction has locked and read after that, and stores its
// result with the id of the attempt. If it is marked, submit reads the result.
func (p *Platform) submit(
	ctx context.Context, tx Tx, changes *core.Changes, a QuizAttempt,
) (s submission, err error) {
	s.attempt = a
	if a.isSubmitted() {
		s.QuizResult, err = tx.QuizResult(ctx, a.ID)
		return s, err
	}
	now := p.base.Now()
	submitted, err := tx.SubmitAttempt(ctx, a.ID, now)
	if err == nil && !submitted { // only a precaution, because the row is locked
		err = core.ErrDuplicate
	}
	if err != nil {
		return s, err
	}
	s.attempt.SubmittedAt, s.isNew = now, true
	s.markedQuiz = a.mark()
	s.CreatedAt = now
	s.StartedAt, s.Took = a.StartedAt, a.took(now)
	if !a.Review.namesWrong(s.Passed, a.Questions) {
		s.wrong = nil
	}
	s.Recommendations = a.defaultRecommendations(s.markedQuiz)
	countResult(changes, tx, s.QuizResult)
	addQuizSubmittedEvent(changes, s.QuizResult, a.CourseTitle)
	return s, tx.InsertQuizResult(ctx, s.QuizResult)
}

// textOf returns an answer as people write it, with the texts of options; "" for none.
func (q Question) textOf(given Answer) string {
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
	r.Questions = make([]AnsweredQuestion, len(a.Questions))
	for i, q := range a.Questions {
		given := a.Answers[q.ID]
		r.Questions[i] = AnsweredQuestion{Question: q, Given: given, IsRight: q.isRight(given)}
	}
	return r
}

// Attempt returns an attempt of the actor, also after the access to the course has ended. It marks
// one whose time is over. Errors: [core.ErrUnauthenticated], [ErrAttemptNotFound].
func (p *Platform) Attempt(ctx context.Context, actor core.Actor,
	attemptID string) (AttemptState, error) {
	if err := actor.Require(); err != nil {
		return AttemptState{}, err
	}
	a, err := attemptOf(ctx, p.store, attemptID, actor.UserID)
	if err == nil && !a.isSubmitted() && a.isOver(p.base.Now()) {
		if err = p.closeAttempt(ctx, actor.UserID, attemptID); err == nil {
			a, err = attemptOf(ctx, p.store, attemptID, actor.UserID)
		}
	}
	if err != nil || !a.isSubmitted() {
		return AttemptState{QuizAttempt: a.withoutSolutions()}, err
	}
	r, err := p.store.QuizResult(ctx, attemptID)
	if err != nil {
		return AttemptState{}, fmt.Errorf("read the result of an attempt: %w", err)
	}
	return AttemptState{QuizAttempt: a.withoutSolutions(), Result: new(a.reviewed(r))}, nil
}

// closeAttempt marks an attempt of a user whose time is over, by the answers that were saved. It
// does nothing if the attempt is marked, open or deleted.
func (p *Platform) closeAttempt(ctx context.Context, userID, attemptID string) error {
	err := p.base.ChangeOfUser(ctx, userID, func(tx Tx, changes *core.Changes) error {
		a, err := lockAttempt(ctx, tx, attemptID, userID)
		if errors.Is(err, ErrAttemptNotFound) || err == nil && !a.isOver(p.base.Now()) {
			return nil
		}
		if err != nil {
			return err
		}
		_, err = p.submit(ctx, tx, changes, a)
		return err
	})
	return core.Wrap("close an attempt", err)
}

// attemptsPerRead is the number of attempts to close that are read at a time.
const attemptsPerRead = 100

// closeAttempts marks the attempts whose time is over. If one cannot be marked, it continues with
// the others, and returns the first error with the number of failures.
func (p *Platform) closeAttempts(ctx context.Context) error {
	now := p.base.Now()
	after := core.Position{At: time.Unix(0, 0)} // not the zero time, which MySQL does not have
	var first error
	for failures := 0; ; {
		list, err := p.store.AttemptsOver(ctx, now, after, attemptsPerRead)
		if err != nil {
			return fmt.Errorf("list attempts whose time is over: %w", err)
		}
		for _, a := range list {
			if err := p.closeAttempt(ctx, a.UserID, a.ID); err != nil {
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
