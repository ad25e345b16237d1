package assess

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

// QuizEdit is the content of a quiz that is saved by hand.
type QuizEdit struct {
	CourseID  string
	ChapterID string
	Version   *int64     // of the quiz that the editor has read; nil replaces any
	Questions []Question // missing ids are made by chance; see [Solution] for indexes of options
	Settings  QuizSettings
	// Remark is whether attempts of before are marked anew, by scheduled work.
	Remark Remark
}

// Normal returns a copy of e with normal questions. It returns [core.ErrInvalidRequest] if a
// question or a setting is not valid.
func (e QuizEdit) Normal() (QuizEdit, error) {
	count := len(e.Questions)
	err := cmp.Or(core.Require(count >= 1 && count <= MaxQuestionBank, "questions",
		fmt.Sprintf("must have 1 to %d elements", MaxQuestionBank)), e.Settings.check(count),
		core.Require(slices.Contains([]Remark{RemarkNone, RemarkUp, RemarkAll}, e.Remark), "remark",
			"must be true, false or \"all\""))
	if err != nil {
		return QuizEdit{}, err
	}
	e.Questions = slices.Clone(e.Questions)
	ids := map[string]bool{}
	for i, q := range e.Questions {
		q, err := q.Normal()
		if err == nil {
			err = core.Require(!ids[q.ID], "questionId", "must be unique within the quiz")
		}
		if err != nil {
			return QuizEdit{}, core.InField(fmt.Sprint("questions/", i), err)
		}
		e.Questions[i], ids[q.ID] = q, true
	}
	return e, nil
}

// check returns an error if the settings are not within the limits of a quiz with so many
// questions.
func (s QuizSettings) check(questions int) error {
	isReview := slices.Contains([]QuizReview{ReviewAlways, ReviewPassed, ReviewNever}, s.Review)
	return core.InField("settings", cmp.Or(
		core.Require(s.Draw >= 0 && s.Draw <= questions, "draw",
			"must not be more than the quiz has questions"),
		core.RequireBetween("minutes", s.Minutes, 0, MaxQuizMinutes),
		core.RequireBetween("attempts", s.Attempts, 0, MaxQuizAttempts),
		core.RequireBetween("passPercent", s.PassPercent, 0, 100),
		core.Require(isReview, "review", "must be always, passed or never")))
}

// EditableQuiz returns the quiz of a chapter with its solutions, for the educator of the course and
// admins. Errors: [core.ErrUnauthenticated], [core.ErrForbidden], [catalog.ErrCourseNotFound],
// [ErrQuizNotFound].
func (s *Service) EditableQuiz(ctx context.Context, actor core.Actor,
	courseID, chapterID string) (Quiz, error) {
	if _, err := s.catalog.Editable(ctx, actor, courseID); err != nil {
		return Quiz{}, err
	}
	q, err := s.store.Quiz(ctx, courseID, chapterID)
	if errors.Is(err, core.ErrNoRecord) {
		return Quiz{}, ErrQuizNotFound
	}
	return q, core.Wrap("read a quiz", err)
}

// SaveQuiz stores a quiz that is written by hand, for the educator of the course and admins, and
// returns it. The AI does not write a quiz of the chapter any more. Attempts that have begun keep
// the questions that they began with; with Remark, a question whose kind and options are the same
// gets the key that is saved. Errors: [core.ErrUnauthenticated], [core.ErrForbidden],
// [catalog.ErrCourseNotFound], [ErrChapterNotFound], [ErrQuizEdited], [core.ErrInvalidRequest].
func (s *Service) SaveQuiz(ctx context.Context, actor core.Actor, e QuizEdit) (saved Quiz,
	err error) {
	if _, err := s.catalog.Editable(ctx, actor, e.CourseID); err != nil {
		return Quiz{}, err
	}
	chapter, err := s.ForRooms().Chapter(ctx, e.CourseID, e.ChapterID)
	if err != nil {
		return Quiz{}, err
	}
	if e, err = e.Normal(); err != nil {
		return Quiz{}, err
	}
	q := Quiz{
		ID:           s.base.NewID(),
		CourseID:     e.CourseID,
		ChapterID:    e.ChapterID,
		ChapterTitle: chapter.Title,
		Version:      1,
		Questions:    e.Questions,
		Settings:     e.Settings,
		ByHand:       true,
		CreatedAt:    s.base.Now(),
		UpdatedAt:    s.base.Now(),
	}
	err = s.base.Retry(ctx, func(tx Tx) error {
		// Lock the course, so that edits come one after the other, and read the quiz.
		if err := catalog.LockCourse(ctx, tx, e.CourseID); err != nil {
			return err
		}
		content, err := catalog.ContentOf(ctx, tx, e.CourseID)
		if err == nil && !catalog.HasChapter(content, e.ChapterID) {
			err = ErrChapterNotFound
		}
		if err != nil {
			return err
		}
		old, err := tx.Quiz(ctx, e.CourseID, e.ChapterID)
		if err != nil && !errors.Is(err, core.ErrNoRecord) {
			return err
		}

		// Replace the quiz that the editor has read. The version of a quiz that is not there is 0.
		if e.Version != nil && *e.Version != old.Version {
			return ErrQuizEdited
		}
		err = tx.ReplaceQuestions(ctx, q)
		if errors.Is(err, core.ErrNoRecord) {
			err = tx.InsertQuiz(ctx, q)
		}
		if err != nil {
			return err
		}
		saved, err = tx.Quiz(ctx, e.CourseID, e.ChapterID)
		if err != nil {
			return err
		}
		return orderRemark(ctx, tx, saved, e.Remark)
	})
	return saved, core.Wrap("save a quiz", err)
}

// DeleteQuiz deletes the quiz of a chapter, for the educator of the course and admins. Its results
// stay, and so do attempts that have begun. The AI writes no quiz of the chapter any more. Errors:
// [core.ErrUnauthenticated], [core.ErrForbidden], [catalog.ErrCourseNotFound], [ErrQuizNotFound].
func (s *Service) DeleteQuiz(ctx context.Context, actor core.Actor, courseID,
	chapterID string) error {
	if _, err := s.catalog.Editable(ctx, actor, courseID); err != nil {
		return err
	}
	err := s.base.InTx(ctx, func(tx Tx) error {
		if err := catalog.LockCourse(ctx, tx, courseID); err != nil {
			return err
		}
		const byHand = true
		found, err := tx.RemoveQuiz(ctx, courseID, chapterID, byHand)
		if err == nil && !found {
			err = ErrQuizNotFound
		}
		return err
	})
	return core.Wrap("delete a quiz", err)
}

// removeQuizzesOf removes the quizzes of the chapters that a course does not have any more.
func removeQuizzesOf(
	ctx context.Context, tx Tx, courseID string, content []catalog.Chapter,
) error {
	chapterIDs, err := tx.QuizChapters(ctx, courseID)
	if err != nil {
		return err
	}
	const byHand = false // a quiz of a later chapter with the id may be by the AI
	for _, id := range chapterIDs {
		if catalog.HasChapter(content, id) {
			continue
		}
		if _, err := tx.RemoveQuiz(ctx, courseID, id, byHand); err != nil {
			return err
		}
	}
	return nil
}
