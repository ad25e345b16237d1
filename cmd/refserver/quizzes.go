package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/openlectern/openlectern/learning"
)

// setQuiz stores a quiz of the demo, unless the chapter has one. No AI is asked, because
// a real one would cost tokens.
func (t *teller) setQuiz(ctx context.Context, q quiz) error {
	_, err := t.store.Quiz(ctx, q.Course, q.Chapter)
	if !errors.Is(err, learning.ErrNoRecord) {
		return err
	}
	content, err := t.store.CourseContent(ctx, q.Course)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(content, func(ch learning.Chapter) bool { return ch.ID == q.Chapter })
	if i < 0 {
		return fmt.Errorf("the course has no chapter %q", q.Chapter)
	}
	at := q.before(t.now)
	made := learning.Quiz{ID: uuid.NewString(), CourseID: q.Course, ChapterID: q.Chapter, ChapterTitle: content[i].Title,
		Version: 1, Questions: q.questions(), CreatedAt: at, UpdatedAt: at}
	return t.store.InTx(ctx, func(tx learning.Tx) error { return tx.InsertQuiz(ctx, made) })
}

func (q quiz) questions() []learning.Question {
	list := make([]learning.Question, len(q.Questions))
	for i, given := range q.Questions {
		list[i] = learning.Question{Text: given.Question, Options: given.Options,
			Solution: &learning.Solution{Correct: given.CorrectIndex, Explanation: given.Explanation}}
	}
	return list
}

// answerQuizzes submits the attempts of a student at the quizzes of a course that are
// not there yet. Attempts at one quiz are told apart by their number.
func (t *teller) answerQuizzes(ctx context.Context, s sale) error {
	made := map[string]int{} // by chapter
	for _, a := range t.Attempts {
		if a.Student != s.Student || a.Course != s.Course {
			continue
		}
		there, err := t.store.QuizResults(ctx, a.Student, a.Course, a.Chapter)
		if err != nil {
			return err
		}
		if made[a.Chapter]++; len(there) >= made[a.Chapter] {
			continue
		}
		t.clock.at = a.before(t.now)
		_, err = t.past.SubmitQuiz(ctx, learning.Actor{UserID: a.Student, Role: learning.Student},
			learning.QuizAnswers{CourseID: a.Course, ChapterID: a.Chapter, Answers: a.Answers})
		if err != nil {
			return fmt.Errorf("quiz of chapter %s: %w", a.Chapter, err)
		}
	}
	return nil
}
