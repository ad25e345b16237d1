package learning_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/exchange"
	"github.com/openlectern/openlectern/learning/tutor"
)

// bank returns a quiz with a question of each kind, whose points are 1, 2, 4, 8 and 16.
func bank(courseID string) assess.QuizEdit {
	options := []assess.Choice{{ID: "a", Text: "A"}, {ID: "b", Text: "B"}, {ID: "c", Text: "C"}}
	list := []assess.Question{
		{Kind: assess.SingleChoice, Options: options, Solution: &assess.Solution{Answer: 1.0}},
		{Kind: assess.MultipleChoice, Options: options,
			Solution: &assess.Solution{Answer: []any{"c", 0.0}}},
		{Kind: assess.TrueFalse, Solution: &assess.Solution{Answer: false}},
		{Kind: assess.NumberQuestion, Solution: &assess.Solution{Answer: 9.81, Tolerance: 0.01}},
		{Kind: assess.TextQuestion, Solution: &assess.Solution{Answer: []string{"Paris"}}},
	}
	for i := range list {
		list[i].ID, list[i].Text, list[i].Points = string(list[i].Kind), "?", 1<<i
		list[i].Solution.Explanation = "The secret reason."
	}
	return assess.QuizEdit{CourseID: courseID, ChapterID: roomtest.TheChapter, Questions: list,
		Settings: assess.DefaultQuizSettings}
}

// rightAnswers are the right ones to the questions of bank.
func rightAnswers() map[string]assess.Answer {
	return map[string]assess.Answer{"single": "b", "multiple": []string{"a", "c"},
		"true-false": false, "number": "9.80 m/s²", "text": " PARIS "}
}

// What a person has saved or deleted stays, whatever the AI is asked for.
func TestSaveQuiz_TheAIReplacesNothing(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, course := roomtest.NewWithCourse(t, database)
		ada := w.Enrolls(t, "ada", course)
		wantQuizzes := func(want bool) {
			t.Helper()
			c, err := w.Platform.Study.EnrolledCourse(ctx(), ada, course)
			if err != nil || c.Content[0].HasQuiz != want {
				t.Errorf("the chapter has a quiz: %v, want %v (%v)", !want, want, err)
			}
		}
		wantQuizzes(false)
		w.Rewrites(t, course) // by the AI
		wantQuizzes(true)
		e := bank(course)
		e.Version = new(int64(7))
		_, err := w.Platform.Assess.SaveQuiz(ctx(), roomtest.Teacher, e)
		roomtest.WantFailure(t, err, assess.ErrQuizEdited, "another version")
		e.Version = new(int64(1))
		saved := w.Saves(t, e)
		stored, err := w.Platform.Assess.EditableQuiz(ctx(), roomtest.Teacher, course,
			roomtest.TheChapter)
		if diff := cmp.Diff(saved, stored); diff != "" || err != nil || saved.Version != 2 ||
			!saved.ByHand || len(saved.Questions) != 5 {
			t.Errorf("saved %+v (%v) %s", saved, err, diff)
		}

		// The quiz cannot be taken without an attempt, and a draft is not stored.
		_, err = w.Platform.Tutor.Quiz(ctx(), ada, course, roomtest.TheChapter, nil)
		roomtest.WantFailure(t, err, assess.ErrAttemptNeeded, "read")
		_, err = w.Platform.Assess.SubmitQuiz(ctx(), ada, assess.QuizAnswers{CourseID: course,
			ChapterID: roomtest.TheChapter, Answers: make([]int, 5)})
		roomtest.WantFailure(t, err, assess.ErrAttemptNeeded, "submit")
		draft := w.Rewrites(t, course)
		if after, err := w.Platform.Assess.EditableQuiz(ctx(), roomtest.Teacher, course,
			roomtest.TheChapter); err != nil ||
			!cmp.Equal(after, stored) || len(draft.Questions) != 10 || draft.Version != 2 {
			t.Errorf("after a draft of %d questions: %+v (%v)", len(draft.Questions), after, err)
		}

		// Deleted by hand, it is not written again.
		roomtest.Must(t, w.Platform.Assess.DeleteQuiz(ctx(), roomtest.Teacher, course,
			roomtest.TheChapter))
		wantQuizzes(false)
		calls := len(w.Sandbox.AI().Calls())
		_, err = w.Platform.Tutor.Quiz(ctx(), ada, course, roomtest.TheChapter, nil)
		roomtest.WantFailure(t, err, assess.ErrQuizNotFound, "read a deleted quiz")
		if n := len(w.Sandbox.AI().Calls()); n != calls {
			t.Errorf("%d calls of the AI", n-calls)
		}
		w.Rewrites(t, course)
		roomtest.WantFailure(t, w.Platform.Assess.DeleteQuiz(ctx(), roomtest.Teacher, course,
			roomtest.TheChapter),
			assess.ErrQuizNotFound, "delete again")

		// A quiz of the form of the AI is served as that of the AI is, with the solutions after it.
		e = bank(course)
		e.Questions = e.Questions[:1]
		e.Questions[0].Options = append(e.Questions[0].Options, assess.Choice{Text: "D"})
		e.Settings.Review = assess.ReviewPassed
		e.Questions[0].Points = 0
		if q := w.Saves(t, e); q.Version != 4 {
			t.Errorf("version %d", q.Version)
		}
		q, err := w.Platform.Tutor.Quiz(ctx(), ada, course, roomtest.TheChapter, nil)
		if err != nil || len(q.Questions) != 1 || q.Questions[0].Solution != nil {
			t.Errorf("a simple quiz: %+v (%v)", q, err)
		}
		for answer, shown := range []int{0, 1} {
			if r := w.Takes(t, ada, course, []int{answer}); len(r.Questions) != shown ||
				r.Passed != (shown == 1) {
				t.Errorf("answer %d: %+v", answer, r)
			}
		}
	})
}

// A person saves while the AI writes: the quiz of the person stays, and is what the callers get.
func TestSaveQuiz_WhileTheAIWrites(t *testing.T) {
	w, course := roomtest.NewWithCourse(t, roomtest.SQLite(t))
	w.Enrolls(t, "ada", course)
	var saved assess.Quiz
	got, err := w.Platform.Tutor.Quiz(ctx(), learning.Actor{UserID: "ada"}, course,
		roomtest.TheChapter,
		func(context.Context) error {
			e := bank(course)
			e.Questions = e.Questions[:1]
			e.Questions[0].Options = append(e.Questions[0].Options, assess.Choice{Text: "D"})
			saved = w.Saves(t, e)
			return nil
		})
	if err != nil || got.ID != saved.ID || got.Version != 1 {
		t.Errorf("got %+v (%v)", got, err)
	}
}

// interruptedAI does something once before it answers with a quiz.
type interruptedAI struct {
	tutor.AI
	do func()
}

func (a *interruptedAI) Complete(context.Context, tutor.AIRequest) (tutor.AIReply, error) {
	if do := a.do; do != nil {
		a.do = nil
		do()
	}
	return tutor.AIReply{Text: roomtest.WrittenQuiz(3, 1)}, nil
}

// A person saves or deletes the quiz while the AI writes it anew: the caller gets a draft, which is
// not stored.
func TestRewriteQuiz_WhileThePersonEdits(t *testing.T) {
	model := &interruptedAI{}
	w, course := roomtest.NewWithCourse(t, roomtest.SQLite(t), learning.WithAI(model))
	w.Rewrites(t, course)
	var saved assess.Quiz
	for name, edit := range map[string]func(){
		"save": func() { saved = w.Saves(t, bank(course)) },
		"delete": func() {
			roomtest.Must(t, w.Platform.Assess.DeleteQuiz(ctx(), roomtest.Teacher, course,
				roomtest.TheChapter))
			saved = assess.Quiz{}
		},
	} {
		w.Exec(t, "DELETE FROM quizzes")
		w.Quiz(t, course, 3, 2)
		model.do = edit
		draft := w.Rewrites(t, course)
		if !draft.ByHand || len(draft.Questions) != 3 || draft.Version != saved.Version ||
			draft.ID != saved.ID {
			t.Errorf("%s: the draft is %+v", name, draft)
		}
		stored, err := w.Platform.Assess.EditableQuiz(ctx(), roomtest.Teacher, course,
			roomtest.TheChapter)
		if diff := cmp.Diff(saved, stored); diff != "" ||
			(name == "delete") != errors.Is(err, assess.ErrQuizNotFound) {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}
}

// A quiz of the AI that a person deletes is not written again.
func TestDeleteQuiz_OfTheAI(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, course := roomtest.NewWithCourse(t, database)
		ada := w.Enrolls(t, "ada", course)
		w.Rewrites(t, course)
		roomtest.Must(t, w.Platform.Assess.DeleteQuiz(ctx(), roomtest.Teacher, course,
			roomtest.TheChapter))
		_, err := w.Platform.Tutor.Quiz(ctx(), ada, course, roomtest.TheChapter, nil)
		roomtest.WantFailure(t, err, assess.ErrQuizNotFound, "read")
	})
}

// The routes of a quiz of the AI serve only what they can: any other quiz needs an attempt.
func TestQuiz_OfAnotherFormNeedsAnAttempt(t *testing.T) {
	w, course := roomtest.NewWithCourse(t, roomtest.SQLite(t))
	ada := w.Enrolls(t, "ada", course)
	for name, change := range map[string]func(*assess.QuizEdit){
		"": func(*assess.QuizEdit) {},
		"21 questions": func(e *assess.QuizEdit) {
			e.Questions = append(e.Questions, assess.NewQuestion(20, "?",
				[]string{"A", "B", "C", "D"}, 0, ""))
		},
		"draw":     func(e *assess.QuizEdit) { e.Settings.Draw = 20 },
		"shuffle":  func(e *assess.QuizEdit) { e.Settings.Shuffle = true },
		"minutes":  func(e *assess.QuizEdit) { e.Settings.Minutes = 1 },
		"attempts": func(e *assess.QuizEdit) { e.Settings.Attempts = 1 },
		"points":   func(e *assess.QuizEdit) { e.Questions[7].Points = 2 },
		"options":  func(e *assess.QuizEdit) { e.Questions[7].Options = e.Questions[7].Options[:3] },
		"kind": func(e *assess.QuizEdit) {
			e.Questions[7].Kind = assess.MultipleChoice
			e.Questions[7].Solution.Answer = []any{0.0}
		},
	} {
		e := assess.QuizEdit{CourseID: course, ChapterID: roomtest.TheChapter,
			Settings: assess.DefaultQuizSettings}
		for i := range assess.MaxQuestions {
			e.Questions = append(e.Questions, assess.NewQuestion(i, "?",
				[]string{"A", "B", "C", "D"}, 0, ""))
		}
		change(&e)
		w.Saves(t, e)
		var want error
		if name != "" {
			want = assess.ErrAttemptNeeded
		}
		_, err := w.Platform.Tutor.Quiz(ctx(), ada, course, roomtest.TheChapter, nil)
		roomtest.WantFailure(t, err, want, "read a quiz with other "+name)
		_, err = w.Platform.Assess.SubmitQuiz(ctx(), ada, assess.QuizAnswers{CourseID: course,
			ChapterID: roomtest.TheChapter, Answers: make([]int, len(e.Questions))})
		roomtest.WantFailure(t, err, want, "submit a quiz with other "+name)
	}
}

func TestSaveQuiz_RefusesInvalidSettings(t *testing.T) {
	w, course := roomtest.NewWithCourse(t, roomtest.SQLite(t))
	for name, change := range map[string]func(*assess.QuizEdit){
		"no questions": func(e *assess.QuizEdit) { e.Questions = nil },
		"same id":      func(e *assess.QuizEdit) { e.Questions[1].ID = e.Questions[0].ID },
		"501 questions": func(e *assess.QuizEdit) {
			for i := range assess.MaxQuestionBank - len(e.Questions) + 1 {
				q := e.Questions[0]
				q.ID = fmt.Sprint("q", i)
				e.Questions = append(e.Questions, q)
			}
		},
		"draw":            func(e *assess.QuizEdit) { e.Settings.Draw = 6 },
		"negative draw":   func(e *assess.QuizEdit) { e.Settings.Draw = -1 },
		"time":            func(e *assess.QuizEdit) { e.Settings.Minutes = 10_001 },
		"negative time":   func(e *assess.QuizEdit) { e.Settings.Minutes = -1 },
		"attempts":        func(e *assess.QuizEdit) { e.Settings.Attempts = 1_001 },
		"fewer than none": func(e *assess.QuizEdit) { e.Settings.Attempts = -1 },
		"pass":            func(e *assess.QuizEdit) { e.Settings.PassPercent = 101 },
		"negative pass":   func(e *assess.QuizEdit) { e.Settings.PassPercent = -1 },
		"review":          func(e *assess.QuizEdit) { e.Settings.Review = "" },
	} {
		e := bank(course)
		change(&e)
		if _, err := w.Platform.Assess.SaveQuiz(ctx(), roomtest.Teacher, e); !errors.Is(err,
			core.ErrInvalidRequest) {
			t.Errorf("%s: %v", name, err)
		}
	}
	e := bank(course)
	e.ChapterID = "none"
	_, err := w.Platform.Assess.SaveQuiz(ctx(), roomtest.Teacher, e)
	roomtest.WantFailure(t, err, assess.ErrChapterNotFound, "no such chapter")
}

// Only the educator of the course and admins edit a quiz. Others do not even learn what is wrong
// with what they send.
func TestSaveQuiz_OnlyTheEducatorAndAdmins(t *testing.T) {
	w, course := roomtest.NewWithCourse(t, roomtest.SQLite(t))
	w.Saves(t, bank(course))
	p, invalid := w.Platform, assess.QuizEdit{CourseID: course, ChapterID: "none"}
	calls := func(who learning.Actor) map[string]error {
		_, save := p.Assess.SaveQuiz(ctx(), who, invalid)
		_, read := p.Assess.EditableQuiz(ctx(), who, course, "none")
		_, export := p.Exchange.ExportQuiz(ctx(), who, course, "none")
		_, _, imported := p.Exchange.ImportQuiz(ctx(), who,
			exchange.QuizImport{CourseID: course, ChapterID: "none", Content: []byte("PK")})
		return map[string]error{"save": save, "read": read, "export": export, "import": imported,
			"delete": p.Assess.DeleteQuiz(ctx(), who, course, "none")}
	}
	for _, who := range []learning.Actor{w.Enrolls(t, "ada", course),
		w.Person(t, "other", core.Educator)} {
		for name, err := range calls(who) {
			roomtest.WantFailure(t, err, core.ErrForbidden, name+" by "+who.UserID)
		}
	}
	for name, err := range calls(learning.Actor{}) {
		roomtest.WantFailure(t, err, core.ErrUnauthenticated, name+" without a token")
	}
	for name, err := range calls(w.Person(t, "boss", core.Admin)) {
		if err == nil || errors.Is(err, core.ErrForbidden) {
			t.Errorf("%s by an admin: %v", name, err)
		}
	}
}
