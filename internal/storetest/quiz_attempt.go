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
	{"what is marked anew is kept by quiz, and moves from where it was read", quizRemarks},
	{"submitted attempts of before are marked anew", attemptsToRemark},
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

func quizRemarks(t *testing.T, f *fixture) {
	read := func(want assess.QuizRemark) {
		t.Helper()
		got, err := f.QuizRemark(t.Context(), want.CourseID, want.ChapterID)
		equal(t, got, err, want)
	}
	waiting := func(want ...assess.QuizRemark) {
		t.Helper()
		list, err := f.RemarksWaiting(t.Context(), 9)
		equal(t, list, err, want)
		wait, err := f.RemarksWait(t.Context())
		equal(t, wait, err, len(want) > 0)
	}
	set := func(r assess.QuizRemark) {
		t.Helper()
		f.do(func(ctx context.Context, tx learning.Tx) error { return tx.SetQuizRemark(ctx, r) })
	}
	move := func(want bool, from string, r assess.QuizRemark) {
		t.Helper()
		f.reports(want, func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.MoveQuizRemark(ctx, from, r)
		})
	}
	waiting()
	one := assess.QuizRemark{CourseID: "course", ChapterID: "one", Version: 2,
		Mode: assess.RemarkUp, IsWaiting: true, CreatedAt: noon}
	other := assess.QuizRemark{CourseID: "other", ChapterID: "one", Version: 7,
		Mode: assess.RemarkAll, IsWaiting: true, CreatedAt: noon.Add(-time.Hour)}
	set(one)
	set(other)
	read(one)
	waiting(other, one)
	list, err := f.RemarksWaiting(t.Context(), 1)
	equal(t, list, err, []assess.QuizRemark{other})

	// It moves from where it was, and not any more after another save.
	moved := one
	moved.After = "student"
	move(true, "", moved)
	move(false, "", moved)
	read(moved)
	one.Version, one.Mode = 3, assess.RemarkAll
	set(one)
	move(false, "student", moved)
	read(one)
	ended := one
	ended.IsWaiting = false
	move(true, "", ended)
	move(false, "", ended)
	read(ended)
	waiting(other)
	for _, id := range []string{"", "one ", "One", "\xff"} {
		got, err := f.QuizRemark(t.Context(), "course", id)
		missing(t, got, err)
	}
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.DeleteQuizRemarks(ctx, "other")
	})
	waiting()
	read(ended)
}

func attemptsToRemark(t *testing.T, f *fixture) {
	add := func(id, userID string, number int, version int64, at time.Time) assess.AttemptState {
		a := begun(id, number, time.Hour)
		a.UserID, a.Version, a.SubmittedAt = userID, version, at
		r := attempt(id, "one", 0)
		r.UserID, r.Version, r.StartedAt = userID, version, a.StartedAt
		r.Marked = []assess.MarkedQuestion{{ID: "a", Points: 3, IsRight: true}}
		f.add(a)
		if !at.IsZero() {
			f.add(r)
		}
		r.Answers, r.Recommendations = nil, ""
		return assess.AttemptState{QuizAttempt: a, Result: &r}
	}
	f.add(course("course"), quiz("one"))
	first := add("1", "student", 1, 5, noon)
	second := add("2", "student", 2, 6, noon)
	add("3", "student", 3, 7, noon)
	add("4", "student", 4, 5, time.Time{}) // open
	other := add("5", "other", 1, 5, noon)
	remark := assess.QuizRemark{CourseID: "course", ChapterID: "one", Version: 7,
		Mode: assess.RemarkUp, CreatedAt: noon}
	f.do(func(ctx context.Context, tx learning.Tx) error { return tx.SetQuizRemark(ctx, remark) })
	students := func(after string, limit int, want ...string) {
		t.Helper()
		r := remark
		r.After = after
		list, err := f.AttemptStudents(t.Context(), r, limit)
		equal(t, list, err, want)
	}
	students("", 9, "other", "student")
	students("", 1, "other")
	students("other", 9, "student")
	students("student", 9)
	list := func(userID string, after, limit int, want ...assess.AttemptState) {
		t.Helper()
		for i := range want {
			want[i].KeyVersion = 7
		}
		got, err := f.AttemptsToRemark(t.Context(), remark, userID, after, limit)
		equal(t, got, err, append([]assess.AttemptState{}, want...))
	}
	list("student", 0, 9, first, second)
	list("student", 0, 1, first)
	list("student", 1, 9, second)
	list("other", 0, 9, other)
	list("nobody", 0, 9)

	// The mark and the key are replaced.
	mark := *first.Result
	mark.Score, mark.Percentage, mark.Mastery, mark.Passed = 0, 0, assess.NeedsReview, false
	mark.Marked = []assess.MarkedQuestion{{ID: "a", Points: 3}}
	mark.Recommendations = "• Again."
	first.Questions = questions("another")
	f.do(func(ctx context.Context, tx learning.Tx) error {
		if err := tx.ReplaceQuizMark(ctx, mark); err != nil {
			return err
		}
		return tx.SetAttemptQuestions(ctx, "1", first.Questions)
	})
	read, err := f.QuizResult(t.Context(), "1")
	if err != nil || read.Recommendations != mark.Recommendations {
		t.Errorf("the recommendations are %q (%v)", read.Recommendations, err)
	}
	mark.Recommendations = ""
	first.Result = &mark
	list("student", 0, 1, first)
}
