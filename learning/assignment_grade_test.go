package learning_test

import (
	"testing"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// Work that was submitted before the end of the enrolment can be graded after it. The grade is kept
// as progress is, and completes the course only if the student is enrolled again.
func TestGrade_AfterTheEndOfTheEnrollment(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database, (&fakeRenderer{}).option(),
			learningtest.WithPlatform(learning.WithEvents("test", &receiver{})))
		course := w.publish(t, "go", chapter("one", "a"), essay(learning.Assignment{}))
		ada := w.enrolls(t, "ada", course)
		w.learns(t, ada, course, false, "a")
		w.drafts(t, ada, course, "Work")
		s := w.submitsWork(t, ada, course)
		w.end(t, true, "ada", course)

		w.grades(t, s, learning.SubmissionGraded)
		w.wantCompleted(t, ada, course, "a", theEssay)
		_, err := w.Platform.GenerateCertificate(ctx(), ada, course)
		wantFailure(t, err, learning.ErrNotPurchased, "generate after the end")
		completions := func() int {
			return w.count(t, "event_deliveries WHERE type = 'course.completed'")
		}
		if n := completions() + w.count(t, "course_completions"); n != 0 {
			t.Errorf("%d completions after the end", n)
		}

		w.enrolls(t, "ada", course)
		_, err = w.Platform.GenerateCertificate(ctx(), ada, course)
		must(t, err)
		if n := completions(); n != 1 {
			t.Errorf("%d completions of a student who is enrolled again", n)
		}
	})
}
