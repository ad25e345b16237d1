package learning_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/certify"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// A certificate asks the quizzes that are by hand when it is issued, if the course says so, and
// stays whatever the course asks later. The completion of the course means its lectures only.
func TestCertificate_AsksQuizzesByHand(t *testing.T) {
	roomtest.WithCertificatesOnEngines(t, func(t *testing.T, w *roomtest.World,
		_ *roomtest.Renderer) {
		course := w.Publish(t, "go", roomtest.Chapter(roomtest.TheChapter, "a", "b"),
			roomtest.Chapter("two", "c"))
		w.AsksQuizzes(t, course, true)
		w.Rewrites(t, course) // a quiz of the AI is not asked
		ada, bob := w.Enrolls(t, "ada", course), w.Enrolls(t, "bob", course)
		w.Learns(t, ada, course, false, "a")
		w.WantMissing(t, ada, course,
			certify.MissingPart{Kind: certify.MissingLecture, LectureID: "b",
				Title: "Lecture b"},
			certify.MissingPart{Kind: certify.MissingLecture, LectureID: "c",
				Title: "Lecture c"})
		w.Saves(t, bank(course))
		w.Learns(t, ada, course, false, "b")
		w.Learns(t, ada, course, true, "c")
		quiz := certify.MissingPart{Kind: certify.MissingQuiz, ChapterID: roomtest.TheChapter,
			Title: "Chapter " + roomtest.TheChapter}
		w.WantMissing(t, ada, course, quiz)

		// A result that has not passed, and that of another student, do not count.
		w.Attempts(t, ada, course, nil)
		w.Attempts(t, bob, course, rightAnswers())
		w.WantMissing(t, ada, course, quiz)

		// What is asked is what the course says now.
		w.AsksQuizzes(t, course, false)
		w.Completes(t, bob, course)
		w.WantMissing(t, bob, course)
		w.AsksQuizzes(t, course, true)
		w.WantMissing(t, ada, course, quiz)
		w.Attempts(t, ada, course, rightAnswers())
		e := bank(course)
		e.Settings.PassPercent = 1 // a pass of an earlier version stays
		w.Saves(t, e)
		w.WantMissing(t, ada, course)

		// The certificate stays when the course asks more. A quiz that was deleted is not asked.
		e.ChapterID = "two"
		w.Saves(t, e)
		second := certify.MissingPart{Kind: certify.MissingQuiz, ChapterID: "two",
			Title: "Chapter two"}
		w.WantMissing(t, ada, course, second)
		eve := w.Graduates(t, "eve", course)
		w.Attempts(t, eve, course, rightAnswers())
		w.WantMissing(t, eve, course, second)
		roomtest.Must(t, w.Platform.Assess.DeleteQuiz(ctx(), roomtest.Teacher, course, "two"))
		w.WantMissing(t, eve, course)
	})
}

// An attempt is submitted and the certificate is generated at once, also while the course begins to
// ask its quizzes: who has not passed then gets none, and who has passed gets one.
func TestCertificate_SubmitAndGenerateAtOnce(t *testing.T) {
	roomtest.WithCertificatesOnEngines(t, func(t *testing.T, w *roomtest.World,
		_ *roomtest.Renderer) {
		course := w.Publish(t, "go", roomtest.Chapter(roomtest.TheChapter, "a"))
		w.Saves(t, bank(course))
		w.AsksQuizzes(t, course, true)
		for round := range 6 {
			who := w.Graduates(t, fmt.Sprint("student-", round), course)
			answers, passes := rightAnswers(), round%2 == 0
			if !passes {
				answers = nil
			}
			a := w.Starts(t, who, course)
			errs := roomtest.Concurrently(4, func(i int) (err error) {
				if i == 0 {
					_, err = w.Platform.Assess.SubmitAttempt(ctx(), who, a.ID, answers)
				} else {
					_, err = w.Platform.Certify.GenerateCertificate(ctx(), who, course)
				}
				return err
			})
			roomtest.Must(t, errs[0])
			for _, err := range errs[1:] {
				if err != nil && !errors.Is(err, certify.ErrCertificateNotEarned) {
					t.Errorf("generate: %v", err)
				}
			}
			_, err := w.Platform.Certify.GenerateCertificate(ctx(), who, course)
			if passes {
				roomtest.Must(t, err)
			} else {
				roomtest.WantFailure(t, err, certify.ErrCertificateNotEarned, "generate")
			}
			if n := w.Count(t, "{certificates} WHERE user_id = ?", who.UserID); n == 1 != passes {
				t.Errorf("%d certificates of a student who passes: %v", n, passes)
			}
		}
	})
}

// A certificate that is asked for too early does not complete the course.
func TestGenerateCertificate_BeforeTheLastLecture(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t), (&roomtest.Renderer{}).Option(),
		learningtest.WithPlatform(learning.WithEvents("test", &roomtest.Receiver{})))
	course := w.Publish(t, "go", roomtest.Chapter("one", "a", "b"))
	ada := w.Enrolls(t, "ada", course)
	w.Learns(t, ada, course, false, "a")
	_, err := w.Platform.Certify.GenerateCertificate(ctx(), ada, course)
	roomtest.WantFailure(t, err, certify.ErrCertificateNotEarned, "generate")
	if n := w.Count(t, "event_deliveries WHERE type = 'course.completed'"); n != 0 {
		t.Errorf("%d events of the completion", n)
	}
}
