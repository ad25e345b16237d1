package learning_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/staff"
	"github.com/openlectern/openlectern/learning/study"
)

// What a student has done in a course is on one page, without what only readers of a lecture get.
func TestStudentProgress(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, course := roomtest.NewWithCourse(t, database, learning.Without("WithAI"))
		ada := w.Enrolls(t, "ada", course)
		read := func() staff.StudentProgress {
			t.Helper()
			p, err := w.Platform.Staff.StudentProgress(ctx(), roomtest.Teacher, course, "ada")
			roomtest.Must(t, err)
			return p
		}
		begun := read()
		if done, all := begun.CompletedLectures(); done != 0 || all != 1 ||
			!begun.LastActiveAt.IsZero() || begun.Certificate != nil || len(begun.Quizzes) != 0 ||
			begun.Content[0].HasQuiz || !begun.EnrolledAt.Equal(w.Clock.Now()) {
			t.Errorf("at the beginning: %+v", begun)
		}

		w.Saves(t, bank(course))
		for _, right := range []map[string]assess.Answer{rightAnswers(), {}} {
			_, err := w.Platform.Assess.SubmitAttempt(ctx(), ada, w.Starts(t, ada, course).ID,
				right)
			roomtest.Must(t, err)
		}
		roomtest.Must(t, w.Platform.Study.SavePosition(ctx(), ada, course, "lecture", 12.5))
		_, err := w.Platform.Study.CompleteLecture(ctx(), ada, course, "lecture")
		roomtest.Must(t, err)
		roomtest.Must(t, w.Platform.Study.TrackTime(ctx(), ada,
			study.NewTimeEntry{Page: "Course Player",
				Path: "/player/" + course, Seconds: 90}))
		_, err = w.Platform.Certify.GenerateCertificate(ctx(), ada, course)
		roomtest.Must(t, err)
		p := read()
		if done, all := p.CompletedLectures(); done != 1 || all != 1 || p.Spent != 90_000 ||
			p.Positions["lecture"] != 12_500 || p.LastActiveAt.IsZero() || p.Certificate == nil ||
			!p.Content[0].HasQuiz || p.Content[0].Lectures[0].URL != "" {
			t.Errorf("the progress is %+v", p)
		}
		want := map[string]assess.QuizProgress{roomtest.TheChapter: {ChapterID: roomtest.TheChapter,
			Attempts: 2,
			Best:     100, Passed: true, LastAt: w.Clock.Now()}}
		if diff := cmp.Diff(want, p.Quizzes); diff != "" {
			t.Error(diff)
		}

		// Only the educator and admins read it, of enrolled users.
		boss := w.Person(t, "boss", core.Admin)
		_, err = w.Platform.System().RevokeCertificate(ctx(), p.Certificate.ID, "Error")
		roomtest.Must(t, err)
		if p, err = w.Platform.Staff.StudentProgress(ctx(), boss, course, "ada"); err != nil ||
			p.Certificate != nil {
			t.Errorf("after the certificate was revoked: %+v (%v)", p, err)
		}
		for _, who := range []learning.Actor{ada, w.Person(t, "other", core.Educator)} {
			_, err := w.Platform.Staff.StudentProgress(ctx(), who, course, "ada")
			roomtest.WantFailure(t, err, core.ErrForbidden, "read")
		}
		_, err = w.Platform.Staff.StudentProgress(ctx(), roomtest.Teacher, course, "nobody")
		roomtest.WantFailure(t, err, study.ErrEnrollmentNotFound, "a user who is not enrolled")
	})
}
