package learning_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/tutor"
)

// tutored is a fixture with another instance, whose tutor is a scripted model.
type tutored struct {
	*roomtest.World
	asking *roomtest.World
	model  *roomtest.Scripted
}

func newTutored(t *testing.T, database string) tutored {
	t.Helper()
	w, model := roomtest.New(t, database), roomtest.Writing()
	asking := w.OtherInstance(t, learningtest.WithPlatform(learning.WithAI(model)))
	return tutored{w, asking, model}
}

// asks asks the tutor at a lecture and returns the prompt.
func (w tutored) asks(t *testing.T, who learning.Actor, courseID, lectureID string) string {
	t.Helper()
	_, err := w.asking.AsksAt(w.model, who,
		tutor.LecturePlace{CourseID: courseID, LectureID: lectureID})
	roomtest.Must(t, err)
	return w.model.Prompt()
}

// hasSolution reports whether a prompt has a solution of the quizzes below.
func hasSolution(prompt string) bool {
	return strings.Contains(prompt, "Lutetia") || strings.Contains(prompt, "secret reason")
}

// The tutor is told what was wrong in the latest result, of the chapter only, and of solutions only
// what the student may see. That a question for true or false is wrong is its solution: then the
// tutor is told the percentage only.
func TestAskTutor_AtALecture_KnowsTheLatestResult(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := newTutored(t, database)
		for name, test := range map[string]struct {
			review    assess.QuizReview
			trueFalse bool    // whether the quiz has a question for true or false
			named     [2]bool // whether wrong questions are told after a fail, after a pass
			solved    [2]bool // whether their solutions are told
		}{
			"never": {assess.ReviewNever, true, [2]bool{}, [2]bool{}},
			"never, more than two answers": {assess.ReviewNever, false, [2]bool{true, true},
				[2]bool{}},
			"passed": {assess.ReviewPassed, true, [2]bool{false, true}, [2]bool{false, true}},
			"always": {assess.ReviewAlways, true, [2]bool{true, true}, [2]bool{true, true}},
		} {
			course := w.Publish(t, name, roomtest.Chapter(roomtest.TheChapter, "a"), roomtest.Chapter("two",
				"b"))
			e := bank(course)
			for i := range e.Questions {
				e.Questions[i].Text = "Question on " + e.Questions[i].ID
			}
			e.Questions[4].Solution.Answer = []string{"Lutetia"}
			e.Settings.Review, e.Settings.PassPercent = test.review, 40
			passes, percentage := rightAnswers(), `"percentage":48`
			if !test.trueFalse {
				e.Questions = slices.Delete(e.Questions, 2, 3)
				delete(passes, "true-false")
				percentage = `"percentage":41`
			}
			w.Saves(t, e)
			ada := w.Enrolls(t, "student of "+course, course)
			if p := w.asks(t, ada, course, "a"); strings.Contains(p, "Question on") {
				t.Errorf("before any attempt: %s", p)
			}

			// The attempt that fails answers one question, and the other one all but one.
			passes["text"] = "Rome"
			for i, answers := range []map[string]assess.Answer{{"text": "Rome"}, passes} {
				w.Clock.Advance(1e9)
				w.Attempts(t, ada, course, answers)
				p := w.asks(t, ada, course, "a")
				if strings.Contains(p, "Question on text") != test.named[i] ||
					strings.Contains(p, "Question on single") != (test.named[i] && i == 0) ||
					!strings.Contains(p, []string{`"percentage":0`, percentage}[i]) {
					t.Errorf("%s, attempt %d: not what was wrong: %s", name, i, p)
				}
				if hasSolution(p) != test.solved[i] {
					t.Errorf("%s, attempt %d: the prompt has a solution: %v: %s", name, i,
						!test.solved[i], p)
				}
			}
			if p := w.asks(t, ada, course, "b"); strings.Contains(p, "Question on") {
				t.Errorf("at another chapter: %s", p)
			}

			// Nothing of the quiz while an attempt is open, not even of the result before.
			open := w.Starts(t, ada, course)
			if p := w.asks(t, ada, course, "a"); strings.Contains(p, "Question on") ||
				hasSolution(p) {
				t.Errorf("%s: while an attempt is open: %s", name, p)
			}
			_, err := w.Platform.Assess.SubmitAttempt(ctx(), ada, open.ID, passes)
			roomtest.Must(t, err)
			if p := w.asks(t, ada, course, "a"); !strings.Contains(p, percentage) {
				t.Errorf("after the attempt: %s", p)
			}
		}
	})
}

// A result of a quiz that is taken without an attempt is known as long as the quiz is the one that
// was answered. What the tutor is told is bounded.
func TestAskTutor_AtALecture_QuizWithoutAttempts(t *testing.T) {
	w := newTutored(t, roomtest.SQLite(t))
	course := w.Publish(t, "go", roomtest.Chapter(roomtest.TheChapter, "a"))
	ada := w.Enrolls(t, "ada", course)
	save := func(questions int, review assess.QuizReview) {
		t.Helper()
		e := assess.QuizEdit{CourseID: course, ChapterID: roomtest.TheChapter,
			Settings: assess.QuizSettings{PassPercent: 50, Review: review}}
		for i := range questions {
			text := fmt.Sprintf("Question on %04d%s", i, strings.Repeat("é", 400))
			e.Questions = append(e.Questions, assess.NewQuestion(i, text,
				[]string{"1", "2", "3", "Lutetia"}, 3, "The secret reason."))
		}
		w.Saves(t, e)
	}
	save(assess.MaxQuestions, assess.ReviewAlways)
	answers := make([]int, assess.MaxQuestions)
	answers[7] = 3
	w.Takes(t, ada, course, answers)
	p := w.asks(t, ada, course, "a")
	if n := strings.Count(p, "Question on"); n != assess.MaxQuestions-1 ||
		strings.Contains(p, "Question on 0007") || strings.Count(p, "é") > 300*n {
		t.Errorf("%d questions: %s", n, p)
	}
	save(assess.MaxQuestions, assess.ReviewNever)
	w.Clock.Advance(1e9)
	w.Takes(t, ada, course, answers)
	p = w.asks(t, ada, course, "a")
	if !strings.Contains(p, "Question on") || hasSolution(p) {
		t.Errorf("without a review: %s", p)
	}
	save(assess.MaxQuestions, assess.ReviewAlways) // which nobody has answered
	p = w.asks(t, ada, course, "a")
	if strings.Contains(p, "Question on") || !strings.Contains(p, "latestQuizResultOfChapter") {
		t.Errorf("of another version: %s", p)
	}
}

// At an assignment the tutor is told what it asks, within bounds.
func TestAskTutor_AtAnAssignment(t *testing.T) {
	w := newTutored(t, roomtest.SQLite(t))
	course := w.Publish(t, "go", catalog.Chapter{ID: "one", Title: "One",
		Lectures: []catalog.Lecture{{ID: "work", Title: "Work", Kind: catalog.KindAssignment,
			Assignment: &catalog.Assignment{
				Instructions: "Plan a network. " + strings.Repeat("é", catalog.MaxInstructions-100),
				Rubric: []catalog.Criterion{
					{Text: "The plan is whole. " + strings.Repeat("ü", 400), Points: 5}}}}}})
	ada := w.Enrolls(t, "ada", course)
	p := w.asks(t, ada, course, "work")
	if !strings.Contains(p, "Plan a network.") || !strings.Contains(p, "The plan is whole.") ||
		strings.Count(p, "é") > 12_000 || strings.Count(p, "ü") > 200 {
		t.Errorf("the prompt is %.3000s", p)
	}
}
