package learning_test

import (
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
)

// onAI is a scenario with the AI: its leases expire within the minute that a scenario
// waits, and its usage stays booked.
func onAI(s *scenario) *scenario {
	s.options = append(s.options, learning.WithAITimeout(10*time.Second))
	s.leaves = append(s.leaves, "leases", "ai_usage")
	return s
}

// A quiz is one row, so that it is stored completely or not at all. It is also stored if the
// read after the write fails.
func TestQuiz_FaultAtEachStep(t *testing.T) {
	first := onAI(&scenario{
		leaves:  []string{"quizzes"},
		prepare: func(t *testing.T, w faultRun) { w.Course(t, w.id, 0) },
		do: func(t *testing.T, w faultRun) error {
			q, err := w.Platform.Quiz(ctx(), teacher, w.id, theChapter, nil)
			if err == nil && (q.Version != 1 ||
				w.count(t, "quizzes WHERE course_id = ? AND id = ?", w.id, q.ID) != 1) {
				t.Errorf("the answer, version %d, was not stored", q.Version)
			}
			return err
		},
		check: func(t *testing.T, w faultRun) {
			if n := w.count(t, "quizzes WHERE course_id = ?", w.id); n != 1 {
				t.Errorf("%d quizzes", n)
			}
		},
		steps: []string{"read a course", "read a quiz", "read a lease", "insert a lease",
			"insert a quiz", "add to the AI usage of a user", "release a lease"},
	})
	onEnginesRepeatedly(t, first.run)
}

func TestRewriteQuiz_FaultAtEachStep(t *testing.T) {
	anew := onAI(&scenario{
		leaves:  []string{"quizzes"},
		prepare: func(t *testing.T, w faultRun) { w.rewrites(t, w.Course(t, w.id, 0)) },
		do: func(t *testing.T, w faultRun) error {
			q, err := w.Platform.RewriteQuiz(ctx(), teacher, w.id, theChapter)
			if err == nil && (q.Version < 2 ||
				w.count(t, "quizzes WHERE course_id = ? AND version = ?", w.id, q.Version) != 1) {
				t.Errorf("the answer, version %d, was not stored", q.Version)
			}
			return err
		},
		check: func(t *testing.T, w faultRun) {
			if n := w.count(t, "quizzes WHERE course_id = ? AND version >= 2", w.id); n != 1 {
				t.Errorf("%d quizzes", n)
			}
		},
		steps: []string{"read a course", "read a quiz", "replace the questions of a quiz",
			"release a lease"},
	})
	onEnginesRepeatedly(t, anew.run)
}

// If recommendations cannot be stored, the attempt keeps those that it was stored with.
func TestSubmitQuiz_FaultAtEachStep(t *testing.T) {
	attempt := onAI(&scenario{
		prepare: func(t *testing.T, w faultRun) { w.rewrites(t, w.enrollsAs(t, w.id)) },
		do: func(t *testing.T, w faultRun) error {
			before := w.count(t, "quiz_results WHERE course_id = ?", w.id)
			r, err := w.Platform.SubmitQuiz(ctx(), learning.Actor{UserID: "student-" + w.id},
				learning.QuizAnswers{
					CourseID: w.id, ChapterID: theChapter, Answers: answers(10, 0, 4)})
			kept := w.count(t, "quiz_results WHERE course_id = ?", w.id) - before
			if (err == nil) != (kept == 1) || kept > 1 {
				t.Errorf("%d attempts are stored: %v", kept, err)
			}
			if err == nil && (r.Recommendations == "" ||
				w.count(t, "quiz_results WHERE id = ? AND recommendations <> ''", r.ID) != 1) {
				t.Error("there are no recommendations")
			}
			return err
		},
		check: func(*testing.T, faultRun) {},
		steps: []string{"read a course of a student", "read a quiz", "insert a quiz result",
			"store recommendations"},
	})
	onEnginesRepeatedly(t, attempt.run)
}

// enrollsAs publishes a free course and enrols a new student.
func (w faultRun) enrollsAs(t *testing.T, courseID string) string {
	t.Helper()
	w.Course(t, courseID, 0)
	w.enrolls(t, "student-"+courseID, courseID)
	return courseID
}
