package tutor_test

import (
	"testing"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
)

// A quiz is one row, so that it is stored completely or not at all. It is also stored if the
// read after the write fails.
func TestQuiz_FaultAtEachStep(t *testing.T) {
	first := roomtest.OnAI(&roomtest.Scenario{
		Leaves:  []string{"quizzes"},
		Prepare: func(t *testing.T, w roomtest.FaultRun) { w.Course(t, w.ID, 0) },
		Do: func(t *testing.T, w roomtest.FaultRun) error {
			q, err := w.Platform.Tutor.Quiz(ctx(), roomtest.Teacher, w.ID, roomtest.TheChapter, nil)
			if err == nil && (q.Version != 1 ||
				w.Count(t, "quizzes WHERE course_id = ? AND id = ?", w.ID, q.ID) != 1) {
				t.Errorf("the answer, version %d, was not stored", q.Version)
			}
			return err
		},
		Check: func(t *testing.T, w roomtest.FaultRun) {
			if n := w.Count(t, "quizzes WHERE course_id = ?", w.ID); n != 1 {
				t.Errorf("%d quizzes", n)
			}
		},
		Steps: []string{"read a course", "read a quiz", "read a lease", "insert a lease",
			"insert a quiz", "add to the AI usage of a user", "release a lease"},
	})
	roomtest.OnEnginesRepeatedly(t, first.Run)
}

func TestRewriteQuiz_FaultAtEachStep(t *testing.T) {
	anew := roomtest.OnAI(&roomtest.Scenario{
		Leaves:  []string{"quizzes"},
		Prepare: func(t *testing.T, w roomtest.FaultRun) { w.Rewrites(t, w.Course(t, w.ID, 0)) },
		Do: func(t *testing.T, w roomtest.FaultRun) error {
			q, err := w.Platform.Tutor.RewriteQuiz(ctx(), roomtest.Teacher, w.ID,
				roomtest.TheChapter)
			if err == nil && (q.Version < 2 ||
				w.Count(t, "quizzes WHERE course_id = ? AND version = ?", w.ID, q.Version) != 1) {
				t.Errorf("the answer, version %d, was not stored", q.Version)
			}
			return err
		},
		Check: func(t *testing.T, w roomtest.FaultRun) {
			if n := w.Count(t, "quizzes WHERE course_id = ? AND version >= 2", w.ID); n != 1 {
				t.Errorf("%d quizzes", n)
			}
		},
		Steps: []string{"read a course", "read a quiz", "replace the questions of a quiz",
			"release a lease"},
	})
	roomtest.OnEnginesRepeatedly(t, anew.Run)
}

// If recommendations cannot be stored, the attempt keeps those that it was stored with.
func TestSubmitQuiz_FaultAtEachStep(t *testing.T) {
	attempt := roomtest.OnAI(&roomtest.Scenario{
		Prepare: func(t *testing.T, w roomtest.FaultRun) { w.Rewrites(t, w.EnrollsAs(t, w.ID)) },
		Do: func(t *testing.T, w roomtest.FaultRun) error {
			before := w.Count(t, "quiz_results WHERE course_id = ?", w.ID)
			r, err := w.Platform.Assess.SubmitQuiz(ctx(), learning.Actor{UserID: "student-" + w.ID},
				assess.QuizAnswers{
					CourseID: w.ID, ChapterID: roomtest.TheChapter, Answers: roomtest.SomeRight(10,
						0, 4)})
			kept := w.Count(t, "quiz_results WHERE course_id = ?", w.ID) - before
			if (err == nil) != (kept == 1) || kept > 1 {
				t.Errorf("%d attempts are stored: %v", kept, err)
			}
			if err == nil && (r.Recommendations == "" ||
				w.Count(t, "quiz_results WHERE id = ? AND recommendations <> ''", r.ID) != 1) {
				t.Error("there are no recommendations")
			}
			return err
		},
		Check: func(*testing.T, roomtest.FaultRun) {},
		Steps: []string{"read a course of a student", "read a quiz", "insert a quiz result",
			"store recommendations"},
	})
	roomtest.OnEnginesRepeatedly(t, attempt.Run)
}
