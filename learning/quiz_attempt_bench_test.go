package learning_test

import (
	"fmt"
	"testing"

	"github.com/openlectern/openlectern/internal/baseline"
	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/study"
)

// BenchmarkSaveAnswers saves an answer of an attempt of ten questions; each client is another
// student. The baseline is a bare UPDATE of the answers between BEGIN and COMMIT, without any
// check. Ours also locks and reads the attempt, and checks the access, the time and the answer.
func BenchmarkSaveAnswers(b *testing.B) {
	enginetest.Each(b, enginetest.Dialects, func(b *testing.B, e enginetest.Engine) {
		s := newShop(b, e.URL(b))
		course := s.Course(b, "bench", 0)
		if _, err := s.Platform.Assess.SaveQuiz(b.Context(), roomtest.Teacher,
			tenQuestions(course)); err != nil {
			b.Fatal(err)
		}
		for _, clients := range []int{1, 64, 1000} {
			b.Run(fmt.Sprintf("clients=%d", clients),
				func(b *testing.B) { s.compareAnswers(b, course, clients) })
		}
	})
}

// tenQuestions returns a quiz of ten questions with the ids q1 to q10.
func tenQuestions(course string) assess.QuizEdit {
	edit := assess.QuizEdit{CourseID: course, ChapterID: roomtest.TheChapter,
		Settings: assess.DefaultQuizSettings}
	for i := range 10 {
		q := assess.NewQuestion(i, fmt.Sprint("What is ", i, "?"),
			[]string{"One", "Two", "Three", "Four"}, i%4, "Because.")
		edit.Questions = append(edit.Questions, q)
	}
	return edit
}

func (s *shop) compareAnswers(b *testing.B, course string, clients int) {
	attempts := make([]string, clients)
	for client := range clients {
		actor := s.Person(b, person(client), core.Student)
		_, err := s.Platform.Sales.OpenOrder(b.Context(), actor,
			sale.OrderRequest{CourseID: course})
		if err != nil && err != study.ErrAlreadyEnrolled {
			b.Fatal(err)
		}
		a, err := s.Platform.Assess.StartAttempt(b.Context(), actor, course, roomtest.TheChapter)
		if err != nil {
			b.Fatal(err)
		}
		attempts[client] = a.ID
	}
	save := func(client, i int) error {
		return s.Platform.Assess.SaveAnswers(b.Context(),
			learning.Actor{UserID: person(client), Role: core.Student}, attempts[client],
			map[string]assess.Answer{fmt.Sprint("q", 1+i%10): fmt.Sprint("o", 1+i%4)})
	}
	update := s.pools.Writing(b, `UPDATE quiz_attempts SET answers = ? WHERE id = ?`)
	bare := func(client, i int) error {
		tx, err := s.pools.Write.BeginTx(b.Context(), nil)
		if err != nil {
			return err
		}
		defer tx.Rollback()
		if _, err := update(b.Context(), tx, fmt.Sprintf(`{"q%d":"o%d"}`, 1+i%10, 1+i%4),
			attempts[client]); err != nil {
			return err
		}
		return tx.Commit()
	}
	const floor = 0.2
	baseline.Run(b, floor, baseline.Side{Do: baseline.Parallel(b, clients, save)},
		baseline.Side{Do: baseline.Parallel(b, clients, bare)})
}
