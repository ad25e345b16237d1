package learning_test

import (
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
)

// onAI is a scenario with the AI: its claims end by their lease, which is over within
// the minute that a scenario waits, and what it has used is used.
func onAI(s *scenario) *scenario {
	s.options = append(s.options, learning.WithAITimeout(10*time.Second))
	s.leaves = append(s.leaves, "ai_claims", "ai_usage")
	return s
}

// A quiz is one row, so there is none that is written half. When it cannot be read
// afterwards, it is there all the same.
func TestQuiz_FaultAtEachStep(t *testing.T) {
	first := onAI(&scenario{
		leaves:  []string{"quizzes"},
		prepare: func(t *testing.T, w faultRun) { w.Course(t, w.id, 0) },
		do: func(t *testing.T, w faultRun) error {
			q, err := w.Platform.Quiz(ctx(), teacher, w.id, theChapter, nil)
			if err == nil && (q.Version != 1 || w.count(t, "quizzes WHERE course_id = ? AND id = ?", w.id, q.ID) != 1) {
				t.Errorf("the answer, version %d, was not stored", q.Version)
			}
			return err
		},
		check: func(t *testing.T, w faultRun) {
			if n := w.count(t, "quizzes WHERE course_id = ?", w.id); n != 1 {
				t.Errorf("%d quizzes", n)
			}
		},
		steps: []string{"Course", "Quiz", "AILeases", "InsertAILease", "InsertQuiz", "AddAIUsage", "DeleteAILease"},
	})
	onEngines(t, first.run)
}

func TestRewriteQuiz_FaultAtEachStep(t *testing.T) {
	anew := onAI(&scenario{
		leaves:  []string{"quizzes"},
		prepare: func(t *testing.T, w faultRun) { w.rewrites(t, w.Course(t, w.id, 0)) },
		do: func(t *testing.T, w faultRun) error {
			q, err := w.Platform.RewriteQuiz(ctx(), teacher, w.id, theChapter)
			if err == nil && (q.Version < 2 || w.count(t, "quizzes WHERE course_id = ? AND version = ?", w.id, q.Version) != 1) {
				t.Errorf("the answer, version %d, was not stored", q.Version)
			}
			return err
		},
		check: func(t *testing.T, w faultRun) {
			if n := w.count(t, "quizzes WHERE course_id = ? AND version >= 2", w.id); n != 1 {
				t.Errorf("%d quizzes", n)
			}
		},
		steps: []string{"Course", "Quiz", "ReplaceQuestions", "DeleteAILease"},
	})
	onEngines(t, anew.run)
}

// An attempt whose recommendations cannot be stored is kept with its own.
func TestSubmitQuiz_FaultAtEachStep(t *testing.T) {
	attempt := onAI(&scenario{
		prepare: func(t *testing.T, w faultRun) { w.rewrites(t, w.enrollsAs(t, w.id)) },
		do: func(t *testing.T, w faultRun) error {
			before := w.count(t, "quiz_results WHERE course_id = ?", w.id)
			r, err := w.Platform.SubmitQuiz(ctx(), learning.Actor{UserID: "student-" + w.id}, learning.QuizAnswers{
				CourseID: w.id, ChapterID: theChapter, Answers: answers(10, 0, 4)})
			kept := w.count(t, "quiz_results WHERE course_id = ?", w.id) - before
			if (err == nil) != (kept == 1) || kept > 1 {
				t.Errorf("%d attempts are kept: %v", kept, err)
			}
			if err == nil && (r.Recommendations == "" || w.count(t, "quiz_results WHERE id = ? AND recommendations <> ''", r.ID) != 1) {
				t.Error("there are no recommendations")
			}
			return err
		},
		check: func(*testing.T, faultRun) {},
		steps: []string{"EnrolledCourse", "Quiz", "InsertQuizResult", "SetRecommendations"},
	})
	onEngines(t, attempt.run)
}

// enrollsAs brings out a free course, and enrols a student of its own.
func (w faultRun) enrollsAs(t *testing.T, courseID string) string {
	t.Helper()
	w.Course(t, courseID, 0)
	w.enrolls(t, "student-"+courseID, courseID)
	return courseID
}
