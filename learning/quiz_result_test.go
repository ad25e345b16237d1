package learning_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/study"
	"github.com/openlectern/openlectern/learning/tutor"
)

func TestMasteryOf(t *testing.T) {
	for percentage, want := range map[int]assess.Mastery{
		0: assess.NeedsReview, 40: assess.NeedsReview, 41: assess.OnTrack,
		75: assess.OnTrack, 76: assess.Mastered, 100: assess.Mastered,
	} {
		if got := assess.MasteryOf(percentage); got != want {
			t.Errorf("%d %% is %s, want %s", percentage, got, want)
		}
	}
}

func TestQuizInsight_AverageRoundsHalfAwayFromZero(t *testing.T) {
	for _, c := range []struct{ sum, attempts, want int }{{0, 0, 0}, {0, 3, 0}, {1, 2, 1},
		{149, 2, 75}, {151, 2, 76}, {200, 3, 67}, {100, 3, 33}, {100, 1, 100}} {
		if got := (assess.QuizInsight{Percentages: c.sum,
			Attempts: c.attempts}).AveragePercentage(); got != c.want {
			t.Errorf("%d over %d attempts are %d, want %d", c.sum, c.attempts, got, c.want)
		}
	}
}

var answers = roomtest.SomeRight

func TestSubmitQuiz_RoundsThePercentage(t *testing.T) {
	w, course := roomtest.NewWithCourse(t, roomtest.SQLite(t), learning.Without("WithAI"))
	ada := w.Enrolls(t, "ada", course)
	for _, c := range []struct {
		right, total, percentage int
		mastery                  assess.Mastery
	}{
		{0, 1, 0, assess.NeedsReview}, {1, 8, 13, assess.NeedsReview},
		{3, 8, 38, assess.NeedsReview}, {2, 5, 40, assess.NeedsReview},
		{7, 17, 41, assess.OnTrack}, {5, 8, 63, assess.OnTrack}, {3, 4, 75, assess.OnTrack},
		{13, 17, 76, assess.Mastered}, {20, 20, 100, assess.Mastered},
	} {
		w.Exec(t, "DELETE FROM quizzes")
		w.Quiz(t, course, c.total, 2)
		r := w.Takes(t, ada, course, answers(c.total, c.right, 2))
		if r.Score != c.right || r.Total != c.total || r.Percentage != c.percentage ||
			r.Mastery != c.mastery {
			t.Errorf("%d of %d: %+v", c.right, c.total, r)
		}
	}
}

// Every version has another right option, and the students answer the version that they have
// read. The score therefore shows whether an attempt was marked against another version.
func TestSubmitQuiz_ConcurrentRewrite(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		const versions, students, total = 12, 6, 5
		one, course := roomtest.NewWithCourse(t, database)
		alone := learningtest.WithPlatform(learning.Without("WithAI")) // without the AI
		two, three := one.OtherInstance(t, alone), one.OtherInstance(t, alone)
		for v := 1; v <= versions; v++ {
			one.Sandbox.AI().Answer(roomtest.WrittenQuiz(total, v%assess.QuestionOptions))
			if v == 1 {
				one.Rewrites(t, course)
			}
		}
		actors := make([]learning.Actor, students)
		for i := range actors {
			actors[i] = one.Enrolls(t, fmt.Sprint("student-", i), course)
		}
		stop := make(chan struct{})
		var all sync.WaitGroup
		var mu sync.Mutex
		accepted, changed := 0, 0
		for i, who := range actors {
			all.Go(func() {
				p := []*roomtest.World{two, three}[i%2]
				for {
					select {
					case <-stop:
						return
					default:
					}
					seen, err := p.Platform.Tutor.Quiz(ctx(), who, course, roomtest.TheChapter, nil)
					if err != nil {
						t.Error(err)
						return
					}
					a := assess.QuizAnswers{CourseID: course, ChapterID: roomtest.TheChapter,
						Answers: answers(total, total, int(seen.Version)%assess.QuestionOptions)}
					// the other answers have no version and are marked against the current one
					if i >= 2 {
						a.Version = &seen.Version
					}
					r, err := p.Platform.Assess.SubmitQuiz(ctx(), who, a)
					mu.Lock()
					switch {
					case errors.Is(err, assess.ErrQuizChanged) && a.Version != nil:
						changed++
					case err != nil:
						t.Error(err)
					case a.Version != nil && r.Version != seen.Version:
						t.Errorf("marked against version %d after version %d was shown", r.Version,
							seen.Version)
					default:
						accepted++
					}
					mu.Unlock()
				}
			})
		}
		for range versions - 1 {
			one.Rewrites(t, course)
		}
		close(stop)
		all.Wait()
		one.WantConsistent(t, actors, course)
		t.Logf("%d attempts, and %d that were refused", accepted, changed)
	})
}

// If the AI is slow, fails, is busy, has no budget or is not configured, the attempt is stored
// and has recommendations.
func TestSubmitQuiz_StoresTheAttemptBeforeTheAICall(t *testing.T) {
	w, course := roomtest.NewWithCourse(t, roomtest.SQLite(t))
	ada := w.Enrolls(t, "ada", course)
	w.Quiz(t, course, 3, 2)
	before := runtime.NumGoroutine()
	release := make(chan struct{})
	w.Sandbox.AI().Faults().Next(1, sandbox.Fault{Kind: sandbox.FaultHang, Release: release})
	done := make(chan assess.QuizResult, 1)
	go func() {
		r, err := w.Platform.Assess.SubmitQuiz(ctx(), ada,
			assess.QuizAnswers{CourseID: course, ChapterID: roomtest.TheChapter,
				Answers: answers(3, 1, 2)})
		if err != nil {
			t.Error(err)
		}
		done <- r
	}()
	roomtest.WaitFor(t, w.Sandbox.AI().WaitCalls, 1)
	plain := w.OnlyResult(t, ada, course)
	if !strings.Contains(plain.Recommendations, "Question 1") ||
		strings.Contains(plain.Recommendations, "Question 0") {
		t.Errorf("during the AI call the recommendations are %q", plain.Recommendations)
	}
	close(release)
	r := <-done
	if kept := w.OnlyResult(t, ada, course); !strings.Contains(r.Recommendations, "[Sandbox]") ||
		kept.Recommendations != r.Recommendations {
		t.Errorf("answered %q, kept %q", r.Recommendations, kept.Recommendations)
	}
	for _, kind := range []sandbox.FaultKind{sandbox.FaultStatus, sandbox.FaultNonsense,
		sandbox.FaultEmpty, sandbox.FaultDrop, sandbox.FaultCut, sandbox.FaultBreak} {
		w.Sandbox.AI().Faults().Next(-1, sandbox.Fault{Kind: kind, Status: 400})
		w.Exec(t, "DELETE FROM quiz_results")
		if r := w.Takes(t, ada, course, answers(3, 1, 2)); r.Recommendations !=
			plain.Recommendations || w.OnlyResult(t, ada, course).Recommendations !=
			plain.Recommendations {
			t.Errorf("%s: %q", kind, r.Recommendations)
		}
		w.Sandbox.AI().Faults().Clear()
	}
	w.Sandbox.AI().Answer(strings.Repeat("x", 8_001))
	if r := w.Takes(t, ada, course, answers(3, 1, 2)); r.Recommendations != plain.Recommendations {
		t.Errorf("after a long AI answer: %d bytes", len(r.Recommendations))
	}
	roomtest.WantGoroutines(t, before)
}

// Clients print the lines as they are.
func TestRecommendations_AreLinesOfPlainTextWhateverFormTheAIUses(t *testing.T) {
	w, course := roomtest.NewWithCourse(t, roomtest.SQLite(t))
	ada := w.Enrolls(t, "ada", course)
	w.Quiz(t, course, 3, 2)
	for name, answer := range map[string]string{
		"as asked": "• Read chapter 1.\n• Try again.",
		"Markdown": "## Advice\n\nHere is what helps:\n\n- **Read** [chapter 1](x).\n* " +
			"Try _again_.",
		"numbers": "1. Read chapter 1\\.\n\n2) Try again.",
		"JSON":    `["Read chapter 1.","Try again."]`,
		"an object, fenced": "```json\n{\"recommendations\":[\"Read chapter 1.\",\"Try " +
			"again.\"]}\n```",
		"no markers at all":  "Read chapter 1.\r\nTry again.\r\n",
		"marks inside marks": "• **Read** `chapter 1`.\n• - Try again.",
	} {
		t.Run(name, func(t *testing.T) {
			w.Exec(t, "DELETE FROM quiz_results")
			w.Sandbox.AI().Answer(answer)
			r := w.Takes(t, ada, course, answers(3, 1, 2))
			if want := "• Read chapter 1.\n• Try again."; r.Recommendations != want ||
				w.OnlyResult(t, ada, course).Recommendations != want {
				t.Errorf("got %q", r.Recommendations)
			}
		})
	}
	w.Exec(t, "DELETE FROM quiz_results")
	w.Sandbox.AI().Answer("***\n```\n```")
	if r := w.Takes(t, ada, course, answers(3, 1, 2)); !strings.HasPrefix(r.Recommendations,
		"• Go over the chapter") {
		t.Errorf("of an answer without a text: %q", r.Recommendations)
	}
	w.Exec(t, "UPDATE quiz_results SET recommendations = ?",
		"Go over it:\n\n- \\# What\n- **Why**?")
	if got := w.OnlyResult(t, ada, course).Recommendations; got != "• # What\n• Why?" {
		t.Errorf("of a result that was stored as Markdown: %q", got)
	}
}

// adviser records the request for recommendations.
type adviser struct {
	tutor.AI
	asked tutor.AIRequest
	left  time.Duration
}

func (a *adviser) Complete(ctx context.Context, r tutor.AIRequest) (tutor.AIReply, error) {
	end, _ := ctx.Deadline()
	a.asked, a.left = r, time.Until(end)
	return tutor.AIReply{Text: "Read on."}, nil
}

// The student waits for the mark during the call.
func TestRecommendations_LimitsOfLengthAndTime(t *testing.T) {
	a := &adviser{}
	w, course := roomtest.NewWithCourse(t, roomtest.SQLite(t), learning.WithAI(a),
		learning.WithAITimeout(time.Hour))
	ada := w.Enrolls(t, "ada", course)
	w.Quiz(t, course, 3, 2)
	if r := w.Takes(t, ada, course, answers(3, 1, 2)); r.Recommendations != "• Read on." ||
		a.left > 20*time.Second || a.asked.MaxTokens != 1000 {
		t.Errorf("%q, asked with %v and %d tokens left", r.Recommendations, a.left,
			a.asked.MaxTokens)
	}
}

func TestQuiz_SolutionsAreHidden(t *testing.T) {
	w, course := roomtest.NewWithCourse(t, roomtest.SQLite(t))
	ada := w.Enrolls(t, "ada", course)
	w.Quiz(t, course, 3, 2)
	// every role may be enrolled in a course
	for _, role := range []learning.Role{core.Student, core.Educator, core.Admin} {
		shown, err := w.Platform.Tutor.Quiz(ctx(), learning.Actor{UserID: ada.UserID, Role: role},
			course,
			roomtest.TheChapter, nil)
		if err != nil || slices.ContainsFunc(shown.Questions,
			func(q assess.Question) bool { return q.Solution != nil }) {
			t.Errorf("an enrolled %s is shown %+v (%v)", role, shown.Questions, err)
		}
	}
	whole, err := w.Platform.Tutor.Quiz(ctx(), roomtest.Teacher, course, roomtest.TheChapter, nil)
	if err != nil || whole.Questions[0].Solution == nil ||
		whole.Questions[0].Solution.Answer != "o3" {
		t.Errorf("the owner is shown %+v (%v)", whole.Questions, err)
	}
	w.Takes(t, ada, course, answers(3, 0, 2))
	calls := w.Sandbox.AI().Calls()
	for _, m := range calls[len(calls)-1].Messages {
		if strings.Contains(m.Content, "secret reason") ||
			strings.Contains(m.Content, "correctIndex") || strings.Contains(m.Content, `"C"`) {
			t.Errorf("the prompt contains a solution: %s", m.Content)
		}
	}
	demoted := learning.Actor{UserID: roomtest.Teacher.UserID, Role: core.Student}
	if _, err := w.Platform.Tutor.Quiz(ctx(), demoted, course, roomtest.TheChapter,
		nil); !errors.Is(err,
		study.ErrNotPurchased) {
		t.Errorf("a former educator: %v", err)
	}
}

func TestRecommendations_WithoutAIKeepTexts(t *testing.T) {
	w, course := roomtest.NewWithCourse(t, roomtest.SQLite(t), learning.Without("WithAI"))
	ada := w.Enrolls(t, "ada", course)
	w.Quiz(t, course, 1, 2)
	w.Exec(t,
		`UPDATE quizzes SET chapter_title = '<script> & *all*', questions = '[{"text":"# What\n- is [x](javascript:y) `+"`z`"+`?","options":["a","b","c","d"],"correct":2}]'`)
	got := w.Takes(t, ada, course, []int{0}).Recommendations
	want := "• Go over the chapter “<script> & *all*” again.\n• Think again about this question: " +
		"# What - is [x](javascript:y) `z`?"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestQuizResults_DeletedUser(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, course := roomtest.NewWithCourse(t, database, learning.Without("WithAI"))
		ada, bob := w.Enrolls(t, "ada", course), w.Enrolls(t, "bob", course)
		w.Quiz(t, course, 2, 2)
		w.Takes(t, ada, course, answers(2, 2, 2))
		w.Takes(t, bob, course, answers(2, 1, 2))
		w.Apply(t, roomtest.Event(people.UserDeleted, 2)) // of Ada
		list, err := w.Platform.Assess.QuizInsights(ctx(), roomtest.Teacher)
		want := []assess.QuizInsight{{CourseID: course, ChapterID: roomtest.TheChapter,
			CourseTitle: "Course go", ChapterTitle: "Chapter", Attempts: 2, Percentages: 150,
			OnTrack: 1, Mastered: 1}}
		if diff := cmp.Diff(want, list); diff != "" || err != nil {
			t.Errorf("%v %s", err, diff)
		}
		for _, row := range w.Rows(t, "quiz_results") {
			if strings.Contains(row, "@example.com") {
				t.Errorf("an e-mail address is stored: %s", row)
			}
		}

		// What the student has answered goes, also in recommendations.
		for who, want := range map[learning.Actor]assess.QuizResult{
			ada: {Answers: []int{}, Recommendations: "• Go over the chapter again."},
			bob: {Answers: answers(2, 1, 2), Recommendations: "• Go over the chapter “Chapter” " +
				"again.\n• Think again about this question: Question 1"},
		} {
			r := w.OnlyResult(t, who, course)
			got := assess.QuizResult{Answers: r.Answers, Recommendations: r.Recommendations}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("of %s: %s", who.UserID, diff)
			}
		}
	})
}

// Recommendations of the AI, which may quote what the student has answered, are not stored if the
// student is deleted meanwhile.
func TestSubmitAttempt_StudentIsDeletedMeanwhile(t *testing.T) {
	model := &interruptedAI{}
	w, course := roomtest.NewWithCourse(t, roomtest.SQLite(t), learning.WithAI(model))
	ada := w.Enrolls(t, "ada", course)
	w.Saves(t, bank(course))
	model.do = func() { w.Apply(t, roomtest.Event(people.UserDeleted, 2)) }
	w.Attempts(t, ada, course, map[string]assess.Answer{"text": "I am Ada"})
	if r := w.OnlyResult(t, ada, course); r.Recommendations != "• Go over the chapter again." {
		t.Errorf("the recommendations are %q", r.Recommendations)
	}
}

// Texts of users are data in every prompt: no system message contains them, and no text can end
// the data.
func TestPrompts_TextsOfEducatorsAreData(t *testing.T) {
	for i, attack := range roomtest.Attacks {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			w := roomtest.New(t, roomtest.SQLite(t))
			w.Person(t, "educator", core.Educator)
			mark := fmt.Sprintf("typed-%d", i)
			course := w.PublishTyped(t, mark+attack)
			ada := w.Enrolls(t, "ada", course)
			q := w.Rewrites(t, course)
			w.Takes(t, ada, course, answers(len(q.Questions), 0, 4))
			if calls := w.Sandbox.AI().Calls(); len(calls) != 2 {
				t.Fatalf("%d calls, want 2", len(calls))
			}
			for _, call := range w.Sandbox.AI().Calls() {
				roomtest.WantData(t, call, mark)
			}
		})
	}
}
