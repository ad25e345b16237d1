package assess

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/openlectern/openlectern/internal/paging"
	"github.com/openlectern/openlectern/learning/core"
)

// QuizAttempts is what a student sees of a quiz before an attempt and after it, without questions.
type QuizAttempts struct {
	// Quiz is nil if the chapter has none, and if the student is not enrolled any more.
	Quiz *QuizOutline
	// Left is how many attempts the student can still begin. It is nil for no limit, and without
	// Quiz.
	Left *int
	// List has the open attempt first, and then those with a result, the newest first. A result
	// that was stored without a start has no StartedAt.
	List core.Page[AttemptState]
}

// QuizOutline is what the next attempt at a quiz will be.
type QuizOutline struct {
	ChapterTitle string
	Questions    int          // that an attempt has
	Points       int          // that an attempt has; 0 if that depends on the questions that are drawn
	Settings     QuizSettings // the present ones
	// NeedsAttempt is whether the quiz can only be taken by [Service.StartAttempt].
	NeedsAttempt bool
}

// outline returns what an attempt at the quiz is.
func (q Quiz) outline() *QuizOutline {
	o := &QuizOutline{ChapterTitle: q.ChapterTitle, Questions: len(q.Questions),
		Settings: q.Settings, NeedsAttempt: !q.IsSimple()}
	if draw := q.Settings.Draw; draw > 0 {
		o.Questions = min(draw, o.Questions)
	}
	isAlike := true // all questions have the same points
	for _, question := range q.Questions {
		o.Points += question.Points
		isAlike = isAlike && question.Points == q.Questions[0].Points
	}
	if o.Questions < len(q.Questions) {
		o.Points = 0
		if isAlike {
			o.Points = o.Questions * q.Questions[0].Points
		}
	}
	return o
}

// QuizAttempts returns what the quiz of a chapter is, how many attempts at it the actor has left,
// and a page of those that the actor has begun or finished. Own attempts stay readable when the
// access to the course has ended. It marks an attempt whose time is over, and begins none. The rows
// have the fields ID, StartedAt, EndsAt, SubmittedAt and Result only, and results have neither
// answers nor recommendations. Errors: [core.ErrUnauthenticated], [catalog.ErrCourseNotFound],
// [study.ErrNotPurchased], [core.ErrInvalidRequest] if page has no valid limit.
func (s *Service) QuizAttempts(
	ctx context.Context, actor core.Actor, courseID, chapterID string, page core.PageRequest,
) (out QuizAttempts, err error) {
	if err := actor.Require(); err != nil {
		return QuizAttempts{}, err
	}
	denial := s.study.RequireEnrolled(ctx, actor, courseID)
	if denial != nil && !core.IsPublic(denial) {
		return QuizAttempts{}, denial
	}

	// List the attempts. The open one comes first, and all results have an earlier position.
	open, err := s.openAttempt(ctx, actor.UserID, courseID, chapterID)
	if err != nil {
		return QuizAttempts{}, core.Wrap("read the open attempt", err)
	}
	read := func(ctx context.Context, page core.PageRequest) ([]AttemptState, error) {
		list, err := s.store.QuizAttempts(ctx, actor.UserID, courseID, chapterID, page)
		isMarked := func(a AttemptState) bool { return a.ID == open.ID } // meanwhile
		if open.ID == "" || !page.After.IsZero() || slices.ContainsFunc(list, isMarked) {
			return list, err
		}
		list = slices.Insert(list, 0, AttemptState{QuizAttempt: open})
		return list[:min(len(list), page.Limit)], err
	}
	afterResults := s.base.Now().Add(time.Second)
	out.List, err = paging.ReadPage(ctx, "list attempts", page, read,
		func(a AttemptState) core.Position {
			if a.Result == nil {
				return core.Position{At: afterResults, ID: a.ID}
			}
			return core.Position{At: a.SubmittedAt, ID: a.ID}
		})
	if err != nil {
		return QuizAttempts{}, err
	}
	if denial != nil {
		if len(out.List.Rows) == 0 {
			return QuizAttempts{}, denial
		}
		return out, nil
	}

	// Describe the quiz.
	quiz, err := s.store.Quiz(ctx, courseID, chapterID)
	if errors.Is(err, core.ErrNoRecord) {
		return out, nil
	}
	if err != nil {
		return QuizAttempts{}, core.Wrap("read a quiz", err)
	}
	out.Quiz = quiz.outline()
	out.Left, err = s.attemptsLeft(ctx, quiz, actor.UserID, open)
	return out, core.Wrap("list attempts", err)
}

// attemptsLeft returns how many attempts at a quiz a user has left beside the open one, which may
// be zero, or nil without a limit. The limit may have been changed to less than there are attempts.
func (s *Service) attemptsLeft(
	ctx context.Context, quiz Quiz, userID string, open QuizAttempt,
) (*int, error) {
	begun := 0
	if open.ID != "" {
		begun = 1
	}
	left, err := quiz.attemptsLeft(ctx, s.store, userID, begun)
	if left != nil {
		*left = max(0, *left)
	}
	return left, err
}

// openAttempt returns the open attempt of a user at the quiz of a chapter, without its questions
// and answers, or the zero attempt. It marks an attempt whose time is over.
func (s *Service) openAttempt(
	ctx context.Context, userID, courseID, chapterID string,
) (QuizAttempt, error) {
	a, err := s.store.LatestAttempt(ctx, userID, courseID, chapterID)
	switch {
	case errors.Is(err, core.ErrNoRecord):
		return QuizAttempt{}, nil
	case err != nil || a.isSubmitted():
		return QuizAttempt{}, err
	case a.isOver(s.base.Now()):
		return QuizAttempt{}, s.closeAttempt(ctx, userID, a.ID)
	}
	return QuizAttempt{ID: a.ID, StartedAt: a.StartedAt, EndsAt: a.EndsAt}, nil
}
