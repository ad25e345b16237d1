package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/core"
)

var quizAttemptTests = []test{
	{"an attempt is read as it was stored, answered and submitted once", attemptRoundTrip},
	{"attempts whose time is over are listed in the order of their ends", attemptsOver},
}

// begun returns an open attempt of "student" at quiz "one", with a value in every field.
func begun(id string, number int, ends time.Duration) assess.QuizAttempt {
	return assess.QuizAttempt{ID: id, UserID: "student", CourseID: "course", ChapterID: "one",
		CourseTitle: "Course course", ChapterTitle: "Title of one", Number: number, Version: 5,
		Questions: questions("<?>"), PassPercent: 60, Review: assess.ReviewPassed, Left: new(2),
		Answers: map[string]assess.Answer{"a": "<\u2028>", "b": []string{"x", "y"}, "c": false,
			"d": -0.5, "e": []string{}},
		StartedAt: noon, EndsAt: noon.Add(ends), SavedAt: noon.Add(time.Minute),
		Times: map[string]core.Milliseconds{"a": 2}}
}

func attemptRoundTrip(t *testing.T, f *fixture) {
	first, second := begun("1", 1, time.Hour), begun("2", 2, 0)
	second.EndsAt, second.Left, second.Answers = time.Time{}, nil, map[string]assess.Answer{}
	f.add(course("course"), quiz("one"), second, first)
	read := func(want assess.QuizAttempt) {
		t.Helper()
		got, err := f.Attempt(t.Context(), want.ID)
		equal(t, got, err, want)
	}
	read(first)
	latest, err := f.LatestAttempt(t.Context(), "student", "course", "one")
	equal(t, latest, err, second)
	f.fails(core.ErrDuplicate, func(ctx context.Context, tx learning.Tx) error {
		return tx.InsertQuizAttempt(ctx, begun("3", 2, 0))
	})
	for _, id := range []string{"", "one ", "One", "\xff"} {
		latest, err := f.LatestAttempt(t.Context(), "student", "course", id)
		missing(t, latest, err)
		latest, err = f.Attempt(t.Context(), id)
		missing(t, latest, err)
	}

	first.Answers = map[string]assess.Answer{"a": true}
	first.SavedAt = noon.Add(time.Microsecond)
	first.Times = map[string]core.Milliseconds{"a": 1 << 40, "b": 0}
	submit := func(want bool, id string) {
		t.Helper()
		f.reports(want, func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.SubmitAttempt(ctx, id, noon)
		})
	}
	f.reports(true, func(ctx context.Context, tx learning.Tx) (bool, error) {
		if err := tx.SetAnswers(ctx, first); err != nil {
			return false, err
		}
		return tx.LockAttempt(ctx, "1")
	})
	f.reports(false, func(ctx context.Context, tx learning.Tx) (bool, error) {
		return tx.LockAttempt(ctx, "3")
	})
	submit(true, "1")
	submit(false, "1")
	submit(false, "3")
	first.SubmittedAt = noon
	read(first)

	// The end of the access ends the second attempt; the first one is submitted.
	end := func(userID, courseID string) {
		f.do(func(ctx context.Context, tx learning.Tx) error {
			return tx.EndAttempts(ctx, userID, courseID, noon)
		})
	}
	end("student", "other")
	end("other", "course")
	read(second)
	end("student", "course")
	second.EndsAt = noon
	read(second)
	read(first)

	f.add(attempt("1", "one", 0), attempt("x", "one", 0), attempt("y", "two", 0))
	n, err := f.CountQuizResults(t.Context(), "student", "course", "one")
	equal(t, n, err, 2)
	result, err := f.QuizResult(t.Context(), "x")
	equal(t, result, err, attempt("x", "one", 0))
	result, err = f.QuizResult(t.Context(), "z")
	missing(t, result, err)
	f.do(func(ctx context.Context, tx learning.Tx) error { return tx.DeleteAttempts(ctx, "student") })
	latest, err = f.Attempt(t.Context(), "2")
	missing(t, latest, err)
}

func attemptsOver(t *testing.T, f *fixture) {
	submitted := begun("0", 1, 0)
	submitted.SubmittedAt = noon
	endless := begun("9", 9, 0)
	endless.EndsAt = time.Time{}
	f.add(submitted, begun("b", 2, time.Second), begun("c", 3, 0), begun("a", 4, time.Second),
		begun("d", 5, time.Minute), endless)
	over := func(after core.Position, limit int, want ...string) {
		t.Helper()
		list, err := f.AttemptsOver(t.Context(), noon.Add(time.Second), after, limit)
		var ids []string
		for _, a := range list {
			ids = append(ids, a.ID)
			if a.UserID != "student" || a.EndsAt.IsZero() {
				t.Errorf("the row %+v", a)
			}
		}
		equal(t, ids, err, want)
	}
	start := core.Position{At: time.Unix(0, 0)}
	over(start, 9, "c", "a", "b")
	over(start, 2, "c", "a")
	over(core.Position{At: noon, ID: "c"}, 9, "a", "b")
	over(core.Position{At: noon.Add(time.Second), ID: "a"}, 9, "b")
}
