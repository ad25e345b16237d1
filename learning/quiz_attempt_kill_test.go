package learning_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning"
)

// answererDatabase is the variable with the URL of the database in which an answerer answers.
const answererDatabase = "LEARNING_TEST_ANSWERER_DATABASE"

// TestAnswerer is no test, but a process that TestSaveAnswers_Killed starts and kills. It saves 1, 2
// and so on as the answer of the user "ada", and prints a line for each. It ends when its standard
// input does, so that it does not outlive the test.
func TestAnswerer(t *testing.T) {
	database := os.Getenv(answererDatabase)
	if database == "" {
		t.Skip("it is run by TestSaveAnswers_Killed")
	}
	go func() {
		_, _ = bufio.NewReader(os.Stdin).ReadByte()
		os.Exit(1)
	}()
	w := newFixture(t, database)
	ada := learning.Actor{UserID: "ada", Role: learning.Student}
	a := w.starts(t, ada, "go")
	for n := 1; ; n++ {
		w.answersOf(t, ada, a.ID, map[string]learning.Answer{"number": float64(n)})
		fmt.Println("saved", n)
	}
}

// If the server is killed, what it has saved counts, and the attempt goes on.
func TestSaveAnswers_Killed(t *testing.T) {
	t.Parallel()
	enginetest.Each(t, enginetest.Dialects, func(t *testing.T, e enginetest.Engine) {
		database := e.Reused(t)
		w := newFixture(t, database)
		ada := w.enrolls(t, "ada", w.Course(t, "go", 0))
		w.saves(t, bank("go"))
		first := w.starts(t, ada, "go")

		// Kill the process while it saves.
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestAnswerer$")
		cmd.Env = append(os.Environ(), answererDatabase+"="+database, "TMPDIR="+t.TempDir())
		_, err := cmd.StdinPipe()
		must(t, err)
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		last, lines := 0, bufio.NewScanner(out)
		for last < 20 && lines.Scan() {
			_, _ = fmt.Sscanf(lines.Text(), "saved %d", &last)
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()

		a := w.starts(t, ada, "go")
		if saved, _ := a.Answers["number"].(float64); last < 20 || a.ID != first.ID ||
			saved < float64(last) {
			t.Errorf("%v is saved in attempt %s after %d in %s", saved, a.ID, last, first.ID)
		}
		_, err = w.Platform.SubmitAttempt(t.Context(), ada, a.ID, nil)
		must(t, err)
		w.wantAttempts(t, 1)
	})
}
