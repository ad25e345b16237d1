package learning_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// asksQuizzes lets the certificate of a course ask its quizzes, or not.
func (w *fixture) asksQuizzes(t *testing.T, courseID string, asks bool) {
	t.Helper()
	w.edit(t, courseID, learning.CourseEdit{Terms: &learning.Terms{
		Certificate: learning.CertificateTerms{Quizzes: asks}}})
}

// attempts submits an attempt of a user at the quiz of theChapter, and returns the result.
func (w *fixture) attempts(
	t *testing.T, who learning.Actor, courseID string, answers map[string]learning.Answer,
) learning.QuizResult {
	t.Helper()
	r, err := w.Platform.SubmitAttempt(ctx(), who, w.starts(t, who, courseID).ID, answers)
	must(t, err)
	return r
}

// wantMissing checks what a user misses for the certificate of a course.
func (w *fixture) wantMissing(
	t *testing.T, who learning.Actor, courseID string, want ...learning.MissingPart,
) {
	t.Helper()
	got, err := w.Platform.CheckCertificate(ctx(), who, courseID)
	if diff := cmp.Diff(append([]learning.MissingPart{}, want...), got.Missing); diff != "" ||
		err != nil || got.Earned != (len(want) == 0) {
		t.Errorf("check: %+v (%v); missing: -want +got\n%s", got, err, diff)
	}
	_, err = w.Platform.GenerateCertificate(ctx(), who, courseID)
	if len(want) > 0 && !got.Exists {
		wantFailure(t, err, learning.ErrCertificateNotEarned, "generate")
	} else {
		must(t, err)
	}
}

// A certificate asks the quizzes that are by hand when it is issued, if the course says so, and
// stays whatever the course asks later. The completion of the course means its lectures only.
func TestCertificate_AsksQuizzesByHand(t *testing.T) {
	withCertificatesOnEngines(t, func(t *testing.T, w *fixture, _ *fakeRenderer) {
		course := w.publish(t, "go", chapter(theChapter, "a", "b"), chapter("two", "c"))
		w.asksQuizzes(t, course, true)
		w.rewrites(t, course) // a quiz of the AI is not asked
		ada, bob := w.enrolls(t, "ada", course), w.enrolls(t, "bob", course)
		w.learns(t, ada, course, false, "a")
		w.wantMissing(t, ada, course,
			learning.MissingPart{Kind: learning.MissingLecture, LectureID: "b",
				Title: "Lecture b"},
			learning.MissingPart{Kind: learning.MissingLecture, LectureID: "c",
				Title: "Lecture c"})
		w.saves(t, bank(course))
		w.learns(t, ada, course, false, "b")
		w.learns(t, ada, course, true, "c")
		quiz := learning.MissingPart{Kind: learning.MissingQuiz, ChapterID: theChapter,
			Title: "Chapter " + theChapter}
		w.wantMissing(t, ada, course, quiz)

		// A result that has not passed, and that of another student, do not count.
		w.attempts(t, ada, course, nil)
		w.attempts(t, bob, course, rightAnswers())
		w.wantMissing(t, ada, course, quiz)

		// What is asked is what the course says now.
		w.asksQuizzes(t, course, false)
		w.completes(t, bob, course)
		w.wantMissing(t, bob, course)
		w.asksQuizzes(t, course, true)
		w.wantMissing(t, ada, course, quiz)
		w.attempts(t, ada, course, rightAnswers())
		e := bank(course)
		e.Settings.PassPercent = 1 // a pass of an earlier version stays
		w.saves(t, e)
		w.wantMissing(t, ada, course)

		// The certificate stays when the course asks more. A quiz that was deleted is not asked.
		e.ChapterID = "two"
		w.saves(t, e)
		second := learning.MissingPart{Kind: learning.MissingQuiz, ChapterID: "two",
			Title: "Chapter two"}
		w.wantMissing(t, ada, course, second)
		eve := w.graduates(t, "eve", course)
		w.attempts(t, eve, course, rightAnswers())
		w.wantMissing(t, eve, course, second)
		must(t, w.Platform.DeleteQuiz(ctx(), teacher, course, "two"))
		w.wantMissing(t, eve, course)
	})
}

// An attempt is submitted and the certificate is generated at once, also while the course begins to
// ask its quizzes: who has not passed then gets none, and who has passed gets one.
func TestCertificate_SubmitAndGenerateAtOnce(t *testing.T) {
	withCertificatesOnEngines(t, func(t *testing.T, w *fixture, _ *fakeRenderer) {
		course := w.publish(t, "go", chapter(theChapter, "a"))
		w.saves(t, bank(course))
		w.asksQuizzes(t, course, true)
		for round := range 6 {
			who := w.graduates(t, fmt.Sprint("student-", round), course)
			answers, passes := rightAnswers(), round%2 == 0
			if !passes {
				answers = nil
			}
			a := w.starts(t, who, course)
			errs := concurrently(4, func(i int) (err error) {
				if i == 0 {
					_, err = w.Platform.SubmitAttempt(ctx(), who, a.ID, answers)
				} else {
					_, err = w.Platform.GenerateCertificate(ctx(), who, course)
				}
				return err
			})
			must(t, errs[0])
			for _, err := range errs[1:] {
				if err != nil && !errors.Is(err, learning.ErrCertificateNotEarned) {
					t.Errorf("generate: %v", err)
				}
			}
			_, err := w.Platform.GenerateCertificate(ctx(), who, course)
			if passes {
				must(t, err)
			} else {
				wantFailure(t, err, learning.ErrCertificateNotEarned, "generate")
			}
			if n := w.count(t, "{certificates} WHERE user_id = ?", who.UserID); n == 1 != passes {
				t.Errorf("%d certificates of a student who passes: %v", n, passes)
			}
		}
	})
}

// A certificate that is asked for too early does not complete the course.
func TestGenerateCertificate_BeforeTheLastLecture(t *testing.T) {
	w := newFixture(t, sqlite(t), (&fakeRenderer{}).option(),
		learningtest.WithPlatform(learning.WithEvents("test", &receiver{})))
	course := w.publish(t, "go", chapter("one", "a", "b"))
	ada := w.enrolls(t, "ada", course)
	w.learns(t, ada, course, false, "a")
	_, err := w.Platform.GenerateCertificate(ctx(), ada, course)
	wantFailure(t, err, learning.ErrCertificateNotEarned, "generate")
	if n := w.count(t, "event_deliveries WHERE type = 'course.completed'"); n != 0 {
		t.Errorf("%d events of the completion", n)
	}
}
