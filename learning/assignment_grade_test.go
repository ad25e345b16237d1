package learning_test

import (
	"testing"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/study"
)

// Work that was submitted before the end of the enrolment can be graded after it. The grade is kept
// as progress is, and completes the course only if the student is enrolled again.
func TestGrade_AfterTheEndOfTheEnrollment(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database, (&roomtest.Renderer{}).Option(),
			learningtest.WithPlatform(learning.WithEvents("test", &roomtest.Receiver{})))
		course := w.Publish(t, "go", roomtest.Chapter("one", "a"),
			roomtest.Essay(catalog.Assignment{}))
		ada := w.Enrolls(t, "ada", course)
		w.Learns(t, ada, course, false, "a")
		w.Drafts(t, ada, course, "Work")
		s := w.SubmitsWork(t, ada, course)
		w.End(t, true, "ada", course)

		w.Grades(t, s, learning.SubmissionGraded)
		w.WantCompleted(t, ada, course, "a", roomtest.TheEssay)
		_, err := w.Platform.Certify.GenerateCertificate(ctx(), ada, course)
		roomtest.WantFailure(t, err, study.ErrNotPurchased, "generate after the end")
		completions := func() int {
			return w.Count(t, "event_deliveries WHERE type = 'course.completed'")
		}
		if n := completions() + w.Count(t, "course_completions"); n != 0 {
			t.Errorf("%d completions after the end", n)
		}

		w.Enrolls(t, "ada", course)
		_, err = w.Platform.Certify.GenerateCertificate(ctx(), ada, course)
		roomtest.Must(t, err)
		if n := completions(); n != 1 {
			t.Errorf("%d completions of a student who is enrolled again", n)
		}
	})
}
