package tutor_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/ai"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/sandbox"
)

func TestQuiz_ConcurrentCallersShareOneAICall(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		const students = 100
		one, course := roomtest.NewWithCourse(t, database)
		two := one.OtherInstance(t)
		actors := make([]learning.Actor, students)
		for i := range actors {
			actors[i] = one.Enrolls(t, fmt.Sprint("student-", i), course)
		}
		release := make(chan struct{})
		one.Sandbox.AI().Faults().Next(-1, sandbox.Fault{Kind: sandbox.FaultHang, Release: release})
		go func() {
			roomtest.WaitFor(t, one.Sandbox.AI().WaitCalls, 1)
			close(release)
		}()
		var charged atomic.Int64
		quizzes := make([]assess.Quiz, students)
		errs := roomtest.Concurrently(students, func(i int) (err error) {
			quizzes[i], err = []*roomtest.World{one, two}[i%2].Platform.Tutor.Quiz(ctx(), actors[i],
				course,
				roomtest.TheChapter, func(context.Context) error { charged.Add(1); return nil })
			return err
		})
		if diff := cmp.Diff(map[string]int{"": students}, roomtest.CountErrors(errs)); diff != "" {
			t.Fatal(diff)
		}
		for _, q := range quizzes {
			if diff := cmp.Diff(quizzes[0], q); diff != "" || q.Version != 1 ||
				len(q.Questions) == 0 {
				t.Fatalf("version %d, %d questions %s", q.Version, len(q.Questions), diff)
			}
		}
		if calls := len(one.Sandbox.AI().Calls()); calls != 1 || charged.Load() != 1 ||
			one.Count(t, "quizzes") != 1 || one.Count(t, "ai_usage") != 1 {
			t.Errorf("%d calls, %d admitted, %d quizzes, %d users with usage", calls,
				charged.Load(), one.Count(t, "quizzes"), one.Count(t, "ai_usage"))
		}
		if n := one.Count(t, "leases"); n != 0 {
			t.Errorf("%d leases are left", n)
		}
	})
}

func TestQuiz_LeaderLeavesAndOthersGetTheQuiz(t *testing.T) {
	w, course := roomtest.NewWithCourse(t, roomtest.SQLite(t))
	before := runtime.NumGoroutine()
	release := make(chan struct{})
	w.Sandbox.AI().Faults().Next(1, sandbox.Fault{Kind: sandbox.FaultHang, Release: release})
	leaving, leave := context.WithCancel(ctx())
	first, second := make(chan error, 1), make(chan error, 1)
	ask := func(ctx context.Context, who string, done chan error) {
		student := w.Enrolls(t, who, course)
		_, err := w.Platform.Tutor.Quiz(ctx, student, course, roomtest.TheChapter, nil)
		done <- err
	}
	go ask(leaving, "ada", first)
	roomtest.WaitFor(t, w.Sandbox.AI().WaitCalls, 1)
	go ask(ctx(), "bob", second)
	waitForCallers(t, w, "quiz:go:chapter", 2)
	leave()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	close(release)
	if err := <-second; err != nil || len(w.Sandbox.AI().Calls()) != 1 {
		t.Errorf("%v after %d calls", err, len(w.Sandbox.AI().Calls()))
	}
	roomtest.WantGoroutines(t, before)
}

func TestRewriteQuiz_ConcurrentCallsShareOneQuiz(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		one, course := roomtest.NewWithCourse(t, database)
		two := one.OtherInstance(t)
		old := one.Rewrites(t, course)
		release := make(chan struct{})
		one.Sandbox.AI().Faults().Next(1, sandbox.Fault{Kind: sandbox.FaultHang, Release: release})
		versions, errs := make([]int64, 4), make([]error, 4)
		var looked, all sync.WaitGroup
		looked.Add(len(versions))
		for i := range versions {
			all.Go(func() {
				looked.Done()
				q, err := []*roomtest.World{one, two}[i%2].Platform.Tutor.RewriteQuiz(ctx(),
					roomtest.Teacher, course,
					roomtest.TheChapter)
				versions[i], errs[i] = q.Version, err
			})
		}
		looked.Wait()
		waitForCallers(t, one, "quiz:go:chapter", 2)
		waitForCallers(t, two, "quiz:go:chapter", 2)
		close(release)
		all.Wait()
		for i := range versions {
			if versions[i] != old.Version+1 || errs[i] != nil {
				t.Errorf("%d has version %d (%v) after %d", i, versions[i], errs[i], old.Version)
			}
		}
		if again := one.Rewrites(t, course); again.Version != old.Version+2 || again.ID != old.ID ||
			len(one.Sandbox.AI().Calls()) != 3 {
			t.Errorf("version %d after %d calls", again.Version, len(one.Sandbox.AI().Calls()))
		}
	})
}

func TestQuiz_AIErrorIsSharedAndNotStored(t *testing.T) {
	w, course := roomtest.NewWithCourse(t, roomtest.SQLite(t))
	student := w.Enrolls(t, "ada", course)
	before, clean := runtime.NumGoroutine(), w.Dump(t, "ai_usage")
	release := make(chan struct{})
	w.Sandbox.AI().Faults().Next(1, sandbox.Fault{Kind: sandbox.FaultHang, Release: release})
	w.Sandbox.AI().Answer("")
	errs := make(chan error, 10)
	for range cap(errs) {
		go func() {
			_, err := w.Platform.Tutor.Quiz(ctx(), student, course, roomtest.TheChapter, nil)
			errs <- err
		}()
	}
	waitForCallers(t, w, "quiz:go:chapter", cap(errs))
	close(release)
	for range cap(errs) {
		if err := <-errs; err == nil || isPublic(err) {
			t.Errorf("got %v", err)
		}
	}
	if diff := cmp.Diff(clean, w.Dump(t, "ai_usage")); diff != "" {
		t.Error(diff)
	}
	roomtest.WantGoroutines(t, before)
	if _, err := w.Platform.Tutor.Quiz(ctx(), student, course, roomtest.TheChapter,
		nil); err != nil {
		t.Errorf("the next call: %v", err)
	}
}

func isPublic(err error) bool {
	_, public := errors.AsType[*learning.Error](err)
	return public
}

// with returns a quiz with a change of its second question.
func with(set func(question map[string]any)) string {
	var quiz map[string][]map[string]any
	_ = json.Unmarshal([]byte(roomtest.WrittenQuiz(3, 1)), &quiz) // it was encoded here
	set(quiz["questions"][1])
	text, _ := json.Marshal(quiz)
	return string(text)
}

func field(name string, value any) string {
	return with(func(q map[string]any) { q[name] = value })
}

// badQuizzes are invalid answers. The AI is asked once more to correct each of them.
var badQuizzes = map[string]string{
	"nothing but blanks":   " \n\t",
	"prose":                "I would rather not.",
	"prose before":         "Here is the quiz:\n" + roomtest.WrittenQuiz(3, 1),
	"prose behind":         roomtest.WrittenQuiz(3, 1) + "\nHave fun!",
	"prose around a fence": "Sure!\n```json\n" + roomtest.WrittenQuiz(3, 1) + "\n```\nEnjoy.",
	"two quizzes":          roomtest.WrittenQuiz(3, 1) + roomtest.WrittenQuiz(3, 1),
	"a list":               "[" + roomtest.WrittenQuiz(3, 1) + "]",
	"the questions alone": strings.TrimSuffix(strings.TrimPrefix(roomtest.WrittenQuiz(3, 1),
		`{"questions":`), "}"),
	"cut off":      roomtest.WrittenQuiz(3, 1)[:len(roomtest.WrittenQuiz(3, 1))/2],
	"null":         "null",
	"no questions": `{"questions":[]}`,
	"21 questions": roomtest.WrittenQuiz(assess.MaxQuestions+1, 1),
	"another field": strings.Replace(roomtest.WrittenQuiz(3, 1), "{",
		`{"note":"x",`, 1),
	"the questions twice": `{"questions":[],` +
		strings.TrimPrefix(roomtest.WrittenQuiz(3, 1), "{"),
	"another field in a question":   field("answer", "B"),
	"an index that is too large":    field("correctIndex", 4),
	"an index below zero":           field("correctIndex", -1),
	"a boolean as the index":        field("correctIndex", true),
	"text as the index":             field("correctIndex", "1"),
	"a fraction as the index":       field("correctIndex", 1.5),
	"no index":                      with(func(q map[string]any) { delete(q, "correctIndex") }),
	"null as the index":             field("correctIndex", nil),
	"three options":                 field("options", []string{"A", "B", "C"}),
	"five options":                  field("options", []string{"A", "B", "C", "D", "E"}),
	"the same option twice":         field("options", []string{"A", "B", "B", "D"}),
	"the same option but for blank": field("options", []string{"A", "B", " B\n", "D"}),
	"a blank option":                field("options", []string{"A", "B", " ", "D"}),
	"an option that is no text":     field("options", []any{"A", "B", 3, "D"}),
	"an option that is too long": field("options",
		[]string{"A", "B", strings.Repeat("🎓", assess.MaxOptionText+1), "D"}),
	"a blank question": field("question", "  "),
	"no question":      with(func(q map[string]any) { delete(q, "question") }),
	"a question that is too long": field("question",
		strings.Repeat("🎓", assess.MaxQuestionText+1)),
	"a blank explanation": field("explanation", "\u00a0"),
	"no explanation":      with(func(q map[string]any) { delete(q, "explanation") }),
	"an explanation too long": field("explanation",
		strings.Repeat("🎓", assess.MaxExplanation+1)),
}

func TestQuiz_InvalidAnswerIsRepeatedOnce(t *testing.T) {
	w, course := roomtest.NewWithCourse(t, roomtest.SQLite(t))
	box := w.Sandbox.AI()
	good := w.Rewrites(t, course)
	for name, bad := range badQuizzes {
		t.Run(name, func(t *testing.T) {
			calls, clean := len(box.Calls()), w.Dump(t, "ai_usage")
			box.Answer(bad, bad)
			if _, err := w.Platform.Tutor.RewriteQuiz(ctx(), roomtest.Teacher, course,
				roomtest.TheChapter); err == nil ||
				isPublic(err) {
				t.Errorf("got %v", err)
			}
			if n := len(box.Calls()) - calls; n != 2 && bad != badQuizzes["nothing but blanks"] {
				t.Errorf("%d calls, want 2", n)
			}
			if diff := cmp.Diff(clean, w.Dump(t, "ai_usage")); diff != "" {
				t.Errorf("something is stored: %s", diff)
			}
			box.Answer(bad, roomtest.WrittenQuiz(2, 3))
			q, err := w.Platform.Tutor.RewriteQuiz(ctx(), roomtest.Teacher, course,
				roomtest.TheChapter)
			if err != nil || q.Version != good.Version+1 || len(q.Questions) != 2 {
				t.Fatalf("then a good one: version %d after %d, %v", q.Version, good.Version, err)
			}
			good = q
		})
	}
}

func TestQuiz_ValidAnswerIsUnchanged(t *testing.T) {
	w, course := roomtest.NewWithCourse(t, roomtest.SQLite(t))
	for name, answer := range map[string]string{
		"fewer than were asked for": roomtest.WrittenQuiz(1, 0),
		"the most":                  roomtest.WrittenQuiz(assess.MaxQuestions, 3),
		"a fence":                   "```json\n" + roomtest.WrittenQuiz(3, 1) + "\n```",
		"a fence without a name":    "\n```\n" + roomtest.WrittenQuiz(3, 1) + "\n```\n",
		"the longest texts": with(func(q map[string]any) {
			q["question"], q["explanation"] = strings.Repeat("🎓", assess.MaxQuestionText),
				strings.Repeat("🎓", assess.MaxExplanation)
			q["options"] = []string{"A", "B", "C", strings.Repeat("🎓", assess.MaxOptionText)}
		}),
		"an index with a point": strings.Replace(roomtest.WrittenQuiz(3, 1), `"correctIndex":1`,
			`"correctIndex":1.0`, 1),
		"options that differ by case": field("options", []string{"a", "A", "ä", "Ä"}),
	} {
		calls := len(w.Sandbox.AI().Calls())
		w.Sandbox.AI().Answer(answer)
		if q := w.Rewrites(t, course); len(q.Questions) == 0 ||
			len(w.Sandbox.AI().Calls()) != calls+1 {
			t.Errorf("%s: %d questions after %d calls", name, len(q.Questions),
				len(w.Sandbox.AI().Calls())-calls)
		}
	}
}

// Invalid answers that the sandbox does not send.
func TestQuiz_FailedAnswerStoresNothing(t *testing.T) {
	long := field("explanation", strings.Repeat("x", 10<<20))
	for name, serve := range noAnswers(roomtest.WrittenQuiz(3, 1), long) {
		t.Run(name, func(t *testing.T) {
			w, course := roomtest.NewWithCourse(t, roomtest.SQLite(t), answeredBy(t, serve)...)
			clean := w.Dump(t, "ai_usage")
			if _, err := w.Platform.Tutor.RewriteQuiz(ctx(), roomtest.Teacher, course,
				roomtest.TheChapter); err == nil ||
				isPublic(err) {
				t.Errorf("got %v", err)
			}
			if diff := cmp.Diff(clean, w.Dump(t, "ai_usage")); diff != "" {
				t.Errorf("something is stored: %s", diff)
			}
		})
	}
}

// noAnswers returns the bytes of invalid answers, made from a valid one and from a valid one of
// 10 MB.
func noAnswers(right, long string) map[string]http.HandlerFunc {
	const whole = `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":%s}}]}`
	says := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, whole, text) }
	}
	quoted := func(text string) string { return strconv.Quote(text) } // of ASCII, so it is JSON too
	return map[string]http.HandlerFunc{
		"10 MB":             says(quoted(strings.Repeat("x", 10<<20))),
		"10 MB of the form": says(quoted(long)),
		"not UTF-8":         says(strings.Replace(quoted(right), ".", ".\xff", 1)),
		"cut off": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			fmt.Fprint(w, whole[:20])
		},
		"one without end": func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := fmt.Fprint(w, strings.Repeat(" ", 4096)); err != nil {
					return
				}
			}
		},
		"silence": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	}
}

// answeredBy replaces the AI by a provider of the test.
func answeredBy(t *testing.T, serve http.HandlerFunc) []learning.Option {
	t.Helper()
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body json.RawMessage
		_ = json.NewDecoder(r.Body).Decode(&body) // so that the server notices a closed connection
		w.Header().Set("Content-Type", "application/json")
		serve(w, r)
	}))
	t.Cleanup(provider.Close)
	model, err := ai.New(provider.URL, "key", "model", ai.WithRetries(0))
	if err != nil {
		t.Fatal(err)
	}
	return []learning.Option{learning.WithAI(model), learning.WithAITimeout(2 * time.Second)}
}

// waitForCallers waits until so many callers wait for the named call.
func waitForCallers(t *testing.T, w *roomtest.World, name string, n int) {
	t.Helper()
	end := time.Now().Add(20 * time.Second)
	for ; w.Platform.Tutor.Callers(name) != n; runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("%d wait for %s, want %d", w.Platform.Tutor.Callers(name), name, n)
		}
	}
}
