package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
)

// seedQuiz stores a quiz. It does not call the AI, because a real one would cost tokens.
func (sd *seeder) seedQuiz(ctx context.Context, q quiz) error {
	// A quiz repeats the title of its chapter.
	content, err := sd.tx.CourseContent(ctx, q.Course)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(content, func(ch catalog.Chapter) bool { return ch.ID == q.Chapter })
	if i < 0 {
		return fmt.Errorf("the course has no chapter %q", q.Chapter)
	}
	at := q.date(sd.now)
	made := assess.Quiz{ID: uuid.NewString(), CourseID: q.Course, ChapterID: q.Chapter,
		ChapterTitle: content[i].Title,
		Version:      1, Questions: q.questions(), CreatedAt: at, UpdatedAt: at}
	return sd.tx.InsertQuiz(ctx, made)
}

// questions converts the questions to the platform's type.
func (q quiz) questions() []assess.Question {
	list := make([]assess.Question, len(q.Questions))
	for i, given := range q.Questions {
		list[i] = assess.NewQuestion(i, given.Question, given.Options, given.CorrectIndex,
			given.Explanation)
	}
	return list
}

// seedAttempts submits the attempts of the student of a sale at the quizzes of its course.
func (sd *seeder) seedAttempts(ctx context.Context, s demoSale) error {
	for _, a := range sd.Attempts {
		if a.Student != s.Student || a.Course != s.Course {
			continue
		}
		sd.clock.at = a.date(sd.now)
		_, err := sd.past.Assess.SubmitQuiz(ctx, demoActor(a.Student),
			assess.QuizAnswers{CourseID: a.Course, ChapterID: a.Chapter, Answers: a.Answers})
		if err != nil {
			return fmt.Errorf("quiz of chapter %s: %w", a.Chapter, err)
		}
	}
	return nil
}
