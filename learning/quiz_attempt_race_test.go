package learning_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/learningtest"
)

func TestQuizAttempt_ConcurrentSessionsShareOneAttemptAndOneMark(t *testing.T) {
	onAllEngines(t, func(t *testing.T, database string) {
		r := &roomtest.Receiver{}
		w, course := roomtest.NewWithCourse(t, database, learning.WithEvents("test", r))
		two := w.OtherInstance(t, learningtest.WithPlatform(learning.WithEvents("test", r)))
		e := bank(course)
		e.Settings.Attempts, e.Settings.Shuffle = 3, true
		w.Saves(t, e)
		// The record of one of them has not arrived.
		ada, unknown := w.Enrolls(t, "ada", course), w.Enrolls(t, "unknown", course)
		w.Exec(t, "DELETE FROM users WHERE id = 'unknown'")
		w.Recount(t)
		for _, who := range []learning.Actor{ada, unknown} {
			const sessions = 50
			attempts := make([]assess.QuizAttempt, sessions)
			on := func(i int) *learning.Platform { return []*roomtest.World{w, two}[i%2].Platform }
			errs := roomtest.Concurrently(sessions, func(i int) (err error) {
				attempts[i], err = on(i).Assess.StartAttempt(ctx(), who, course,
					roomtest.TheChapter)
				return err
			})
			if diff := cmp.Diff(map[string]int{"": sessions}, roomtest.CountErrors(errs)); diff != "" {
				t.Fatal(diff)
			}
			for _, a := range attempts {
				if diff := cmp.Diff(attempts[0], a); diff != "" || *a.Left != 2 {
					t.Fatalf("two sessions were given other attempts: %s", diff)
				}
			}
			results := make([]assess.QuizResult, sessions)
			errs = roomtest.Concurrently(sessions, func(i int) (err error) {
				right := rightAnswers()
				if i%2 == 1 {
					right["single"] = "a"
				}
				results[i], err = on(i).Assess.SubmitAttempt(ctx(), who, attempts[i].ID, right)
				return err
			})
			if diff := cmp.Diff(map[string]int{"": sessions}, roomtest.CountErrors(errs)); diff != "" {
				t.Fatal(diff)
			}
			for _, got := range results {
				if got.Score != results[0].Score || got.ID != attempts[0].ID {
					t.Fatalf("two marks: %+v and %+v", got, results[0])
				}
			}
		}
		if n := w.Count(t, "event_deliveries WHERE type = 'quiz.submitted'"); n != 2 {
			t.Errorf("%d events", n)
		}
		w.WantAttempts(t, 2)
	})
}

// Answers that are saved while the attempt is submitted are either in its mark or refused.
func TestSaveAnswers_RaceWithTheSubmission(t *testing.T) {
	onAllEngines(t, func(t *testing.T, database string) {
		w, course := roomtest.NewWithCourse(t, database, learning.Without("WithAI"))
		w.Saves(t, bank(course))
		for round := range accessRounds {
			ada := w.Enrolls(t, fmt.Sprint("ada-", round), course)
			a := w.Starts(t, ada, course)
			ids := []string{"single", "multiple", "true-false", "number", "text"}
			errs := roomtest.Concurrently(len(ids)+1, func(i int) error {
				if i == len(ids) {
					_, err := w.Platform.Assess.SubmitAttempt(ctx(), ada, a.ID, nil)
					return err
				}
				return w.Platform.Assess.SaveAnswers(ctx(), ada, a.ID,
					map[string]assess.Answer{ids[i]: rightAnswers()[ids[i]]})
			})
			want := 0
			for i := range ids {
				switch {
				case errs[i] == nil:
					want += 1 << i
				case !errors.Is(errs[i], assess.ErrAttemptSubmitted):
					t.Error(errs[i])
				}
			}
			if r := w.OnlyResult(t, ada, course); r.Score != want {
				t.Errorf("round %d: the score is %d, and %05b was saved", round, r.Score, want)
			}
		}
		w.WantAttempts(t, accessRounds)
	})
}

// Twenty submissions at the last second, from two instances, while the clock passes the end and is
// set back: all get one mark. It counts what was saved, or the answers of a submission in time, and
// a clock that is set back opens nothing again.
func TestSubmitAttempt_AtTheLastSecondWhileTheClockMoves(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, course := roomtest.NewWithCourse(t, database)
		two := w.OtherInstance(t)
		e := bank(course)
		e.Settings.Minutes = 10
		w.Saves(t, e)
		for round := range accessRounds {
			ada := w.Enrolls(t, fmt.Sprint("ada-", round), course)
			a := w.Starts(t, ada, course)
			w.AnswersOf(t, ada, a.ID, map[string]assess.Answer{"text": "paris"})
			w.Clock.Set(a.EndsAt.Add(-time.Microsecond))
			const callers, passes = 21, 10 // the second is who moves the clock
			results := make([]assess.QuizResult, callers)
			errs := roomtest.Concurrently(callers, func(i int) (err error) {
				if i == passes {
					w.Clock.Advance(time.Microsecond)
					return nil
				}
				on := []*roomtest.World{w, two}[i%2].Platform
				results[i], err = on.Assess.SubmitAttempt(ctx(), ada, a.ID, rightAnswers())
				return err
			})
			if diff := cmp.Diff(map[string]int{"": callers}, roomtest.CountErrors(errs)); diff != "" {
				t.Fatal(diff)
			}
			w.Clock.Set(a.StartedAt)
			roomtest.WantFailure(t, w.Platform.Assess.SaveAnswers(ctx(), ada, a.ID, nil),
				assess.ErrAttemptSubmitted, "save after the clock was set back")
			want := w.OnlyResult(t, ada, course)
			if want.Score != 16 && want.Score != 31 {
				t.Errorf("the score is %d", want.Score)
			}
			for i, r := range results {
				if i != passes && r.Score != want.Score {
					t.Errorf("submission %d got %d, and the mark is %d", i, r.Score, want.Score)
				}
			}
		}
		w.WantAttempts(t, accessRounds)
	})
}
