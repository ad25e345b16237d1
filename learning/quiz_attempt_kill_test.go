package learning_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// answererDatabase is the variable with the URL of the database in which an answerer answers.
const answererDatabase = "LEARNING_TEST_ANSWERER_DATABASE"

// TestAnswerer is no test, but a process that TestSaveAnswers_Killed starts and kills. It saves 1,
// 2 and so on as the answer of the user "ada", and prints a line for each. It ends when its
// standard input does, so that it does not outlive the test.
func TestAnswerer(t *testing.T) {
	database := os.Getenv(answererDatabase)
	if database == "" {
		t.Skip("it is run by TestSaveAnswers_Killed")
	}
	go func() {
		_, _ = bufio.NewReader(os.Stdin).ReadByte()
		os.Exit(1)
	}()
	w := roomtest.New(t, database)
	ada := learning.Actor{UserID: "ada", Role: core.Student}
	a := w.Starts(t, ada, "go")
	for n := 1; ; n++ {
		w.AnswersOf(t, ada, a.ID, map[string]assess.Answer{"number": float64(n)})
		fmt.Println("saved", n)
	}
}

// If the server is killed, what it has saved counts, and the attempt goes on.
func TestSaveAnswers_Killed(t *testing.T) {
	t.Parallel()
	enginetest.Each(t, enginetest.Dialects, func(t *testing.T, e enginetest.Engine) {
		database := e.Reused(t)
		w := roomtest.New(t, database)
		ada := w.Enrolls(t, "ada", w.Course(t, "go", 0))
		w.Saves(t, bank("go"))
		first := w.Starts(t, ada, "go")

		last := killed(t, "TestAnswerer", 20, answererDatabase+"="+database)

		a := w.Starts(t, ada, "go")
		if saved, _ := a.Answers["number"].(float64); a.ID != first.ID || saved < float64(last) {
			t.Errorf("%v is saved in attempt %s after %d in %s", saved, a.ID, last, first.ID)
		}
		_, err := w.Platform.Assess.SubmitAttempt(t.Context(), ada, a.ID, nil)
		roomtest.Must(t, err)
		w.WantAttempts(t, 1)
	})
}

// markerDatabase is the variable with the URL of the database in which a marker marks, and
// markerMode the one that says how.
const (
	markerDatabase = "LEARNING_TEST_MARKER_DATABASE"
	markerMode     = "LEARNING_TEST_MARKER_MODE"
)

// killedAttempts is the number of attempts that a marker marks.
const killedAttempts = 60

// killingClock is a clock that kills the process when it has been read so many times more. It is
// read inside the transactions that mark attempts.
type killingClock struct {
	*learningtest.Clock
	left atomic.Int64
}

func (c *killingClock) Now() time.Time {
	if c.left.Add(-1) == 0 {
		self, _ := os.FindProcess(os.Getpid()) // it never fails on Unix
		_ = self.Kill()
	}
	return c.Clock.Now()
}

// TestMarker is no test, but a process that TestMarking_Killed starts and that kills itself. It
// submits the attempts of the users "student-0" and so on, four at a time, or closes them as
// scheduled work does.
func TestMarker(t *testing.T) {
	database := os.Getenv(markerDatabase)
	if database == "" {
		t.Skip("it is run by TestMarking_Killed")
	}
	clock := &killingClock{Clock: learningtest.NewClock(learningtest.Start)}
	w := roomtest.New(t, database, learningtest.WithPlatform(learning.Without("WithAI"),
		learning.WithClock(clock)))
	if os.Getenv(markerMode) == "close" {
		clock.Advance(time.Hour)
		clock.left.Store(killedAttempts)
		roomtest.Must(t, w.Platform.System().Tidy(ctx()))
		return
	}
	var attempts []assess.QuizAttempt
	for n := range killedAttempts {
		who := learning.Actor{UserID: fmt.Sprint("student-", n), Role: core.Student}
		attempts = append(attempts, w.Starts(t, who, "go"))
	}
	clock.left.Store(2 * killedAttempts)
	roomtest.Concurrently(4, func(worker int) error {
		for i := worker; i < len(attempts); i += 4 {
			_, err := w.Platform.Assess.SubmitAttempt(ctx(),
				learning.Actor{UserID: attempts[i].UserID},
				attempts[i].ID, map[string]assess.Answer{"true-false": false})
			roomtest.Must(t, err)
		}
		return nil
	})
}

// If the server is killed while it marks attempts, each has one mark, by what was saved or by what
// was submitted, and the totals count each once.
func TestMarking_Killed(t *testing.T) {
	t.Parallel()
	enginetest.Need(t, "kill", nil)
	enginetest.Each(t, enginetest.Dialects, func(t *testing.T, e enginetest.Engine) {
		for _, mode := range []string{"submit", "close"} {
			database := e.Reused(t)
			w := roomtest.New(t, database, learningtest.WithPlatform(learning.Without("WithAI")))
			quiz := bank(w.Course(t, "go", 0))
			quiz.Settings.Minutes = 30
			w.Saves(t, quiz)
			for n := range killedAttempts {
				who := w.Enrolls(t, fmt.Sprint("student-", n), "go")
				w.AnswersOf(t, who, w.Starts(t, who, "go").ID,
					map[string]assess.Answer{"text": "paris"})
			}

			// Kill the process inside a transaction that marks an attempt.
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestMarker$")
			cmd.Env = append(os.Environ(), markerDatabase+"="+database, markerMode+"="+mode,
				"TMPDIR="+t.TempDir())
			out, err := cmd.CombinedOutput()
			marked := w.Count(t, "quiz_results")
			if err == nil || err.Error() != "signal: killed" || marked < 5 ||
				marked > killedAttempts-5 {
				t.Errorf("%s: %d are marked (%v) %s", mode, marked, err, out)
			}
			w.WantAttempts(t, marked)

			// The next server marks the others by what was saved.
			w.Clock.Advance(time.Hour)
			roomtest.Must(t, w.Platform.System().Tidy(t.Context()))
			want := map[string]int{"score = 16": killedAttempts, "score = 20": 0}
			if mode == "submit" {
				want = map[string]int{"score = 16": killedAttempts - marked, "score = 20": marked}
			}
			for rows, count := range want {
				if n := w.Count(t, "quiz_results WHERE "+rows); n != count {
					t.Errorf("%s: %d results with %s, want %d", mode, n, rows, count)
				}
			}
			w.WantAttempts(t, killedAttempts)
		}
	})
}

// killed runs a test of this program as a process, with variables of the environment. It kills it
// when it has printed "saved" with a number of at least so many, and returns the last number.
func killed(t *testing.T, test string, number int, variables ...string) (last int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^"+test+"$")
	cmd.Env = append(append(os.Environ(), "TMPDIR="+t.TempDir()), variables...)
	_, err := cmd.StdinPipe()
	roomtest.Must(t, err)
	out, err := cmd.StdoutPipe()
	roomtest.Must(t, err)
	roomtest.Must(t, cmd.Start())
	for read := bufio.NewScanner(out); last < number && read.Scan(); {
		_, _ = fmt.Sscanf(read.Text(), "saved %d", &last)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if last < number {
		t.Errorf("the process has saved %d, want %d", last, number)
	}
	return last
}
