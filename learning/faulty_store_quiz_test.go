package learning_test

import (
	"context"

	"github.com/openlectern/openlectern/learning"
)

func (r faultyReader) Quiz(ctx context.Context, courseID, chapterID string) (learning.Quiz, error) {
	return read(r.b, "Quiz", func() (learning.Quiz, error) { return r.Reader.Quiz(ctx, courseID, chapterID) })
}

func (r faultyReader) QuizResults(ctx context.Context, userID, courseID, chapterID string) ([]learning.QuizResult, error) {
	return read(r.b, "QuizResults", func() ([]learning.QuizResult, error) { return r.Reader.QuizResults(ctx, userID, courseID, chapterID) })
}

func (t *faultyTx) InsertQuiz(ctx context.Context, q learning.Quiz) error {
	return t.write("InsertQuiz", func() error { return t.tx.InsertQuiz(ctx, q) })
}

func (t *faultyTx) ReplaceQuestions(ctx context.Context, q learning.Quiz) error {
	return t.write("ReplaceQuestions", func() error { return t.tx.ReplaceQuestions(ctx, q) })
}

func (t *faultyTx) InsertQuizResult(ctx context.Context, r learning.QuizResult) error {
	return t.write("InsertQuizResult", func() error { return t.tx.InsertQuizResult(ctx, r) })
}

func (t *faultyTx) SetRecommendations(ctx context.Context, resultID, text string) error {
	return t.write("SetRecommendations", func() error { return t.tx.SetRecommendations(ctx, resultID, text) })
}
