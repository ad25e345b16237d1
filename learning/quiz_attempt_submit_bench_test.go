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
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/study"
)

// BenchmarkSubmitAttempt begins and submits an attempt of ten questions; each client is another
// student, so that what they wait for are the totals of the quiz.
func BenchmarkSubmitAttempt(b *testing.B) {
	enginetest.Each(b, enginetest.Dialects, func(b *testing.B, e enginetest.Engine) {
		s := learningtest.New(b, learningtest.WithDatabase(e.URL(b)),
			learningtest.WithPlatform(learning.Without("WithAI")))
		course := s.Course(b, "bench", 0)
		if _, err := s.Platform.Assess.SaveQuiz(b.Context(), roomtest.Teacher,
			tenQuestions(course)); err != nil {
			b.Fatal(err)
		}
		for _, clients := range []int{1, 64} {
			for client := range clients {
				actor := s.Person(b, person(client), core.Student)
				_, err := s.Platform.Sales.OpenOrder(b.Context(), actor,
					sale.OrderRequest{CourseID: course})
				if err != nil && err != study.ErrAlreadyEnrolled {
					b.Fatal(err)
				}
			}
			submit := func(client, i int) error {
				actor := learning.Actor{UserID: person(client), Role: core.Student}
				a, err := s.Platform.Assess.StartAttempt(b.Context(), actor, course,
					roomtest.TheChapter)
				if err != nil {
					return err
				}
				given := map[string]assess.Answer{}
				for j, q := range a.Questions {
					given[q.ID] = fmt.Sprint("o", 1+(i+j)%4)
				}
				_, err = s.Platform.Assess.SubmitAttempt(b.Context(), actor, a.ID, given)
				return err
			}
			b.Run(fmt.Sprintf("clients=%d", clients), func(b *testing.B) {
				baseline.Parallel(b, clients, submit)(b.N)
			})
		}
	})
}
