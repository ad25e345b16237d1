package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/openlectern/openlectern/learning"
)

// seedQuiz stores a quiz unless the chapter has one. It does not call the AI, because a
// real one would cost tokens.
func (sd *seeder) seedQuiz(ctx context.Context, q quiz) error {
	_, err := sd.store.Quiz(ctx, q.Course, q.Chapter)
	if !errors.Is(err, learning.ErrNoRecord) {
		return err
	}
	content, err := sd.store.CourseContent(ctx, q.Course)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(content, func(ch learning.Chapter) bool { return ch.ID == q.Chapter })
	if i < 0 {
		return fmt.Errorf("the course has no chapter %q", q.Chapter)
	}
	at := q.date(sd.now)
	made := learning.Quiz{ID: uuid.NewString(), CourseID: q.Course, ChapterID: q.Chapter, ChapterTitle: content[i].Title,
		Version: 1, Questions: q.questions(), CreatedAt: at, UpdatedAt: at}
	return sd.store.InTx(ctx, func(tx learning.Tx) error { return tx.InsertQuiz(ctx, made) })
}

func (q quiz) questions() []learning.Question {
	list := make([]learning.Question, len(q.Questions))
	for i, given := range q.Questions {
		list[i] = learning.Question{Text: given.Question, Options: given.Options,
			Solution: &learning.Solution{Correct: given.CorrectIndex, Explanation: given.Explanation}}
	}
	return list
}

// seedAttempts submits the attempts of a student at the quizzes of a course that do not
// exist yet. Attempts at one quiz are identified by their number.
func (sd *seeder) seedAttempts(ctx context.Context, s sale) error {
	made := map[string]int{} // by chapter
	for _, a := range sd.Attempts {
		if a.Student != s.Student || a.Course != s.Course {
			continue
		}
		existing, err := sd.store.QuizResults(ctx, a.Student, a.Course, a.Chapter)
		if err != nil {
			return err
		}
		if made[a.Chapter]++; len(existing) >= made[a.Chapter] {
			continue
		}
		sd.clock.at = a.date(sd.now)
		_, err = sd.past.SubmitQuiz(ctx, learning.Actor{UserID: a.Student, Role: learning.Student},
			learning.QuizAnswers{CourseID: a.Course, ChapterID: a.Chapter, Answers: a.Answers})
		if err != nil {
			return fmt.Errorf("quiz of chapter %s: %w", a.Chapter, err)
		}
	}
	return nil
}
