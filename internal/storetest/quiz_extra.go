package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/core"
)

var extraAttemptTests = []test{
	{"extra attempts are stored once, replaced, and deleted with the course", extraAttempts},
	{"what is left of an open attempt changes, and of no other one", attemptsLeft},
}

func extraAttempts(t *testing.T, f *fixture) {
	e := assess.ExtraAttempts{UserID: "student", CourseID: "course", ChapterID: "one", Attempts: 3,
		DecidedBy: "ada", DecidedAt: noon}
	other := e
	other.CourseID = "other"
	update := func(want bool, e assess.ExtraAttempts) {
		t.Helper()
		f.reports(want, func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.UpdateExtraAttempts(ctx, e)
		})
	}
	read := func(want int, e assess.ExtraAttempts) {
		t.Helper()
		got, err := f.ExtraAttempts(t.Context(), e.UserID, e.CourseID, e.ChapterID)
		equal(t, got, err, want)
	}
	read(0, e)
	update(false, e)
	for _, e := range []assess.ExtraAttempts{e, other} {
		f.do(func(ctx context.Context, tx learning.Tx) error {
			return tx.InsertExtraAttempts(ctx, e)
		})
	}
	f.fails(core.ErrDuplicate, func(ctx context.Context, tx learning.Tx) error {
		return tx.InsertExtraAttempts(ctx, e)
	})
	read(3, e)
	update(true, e) // the same again is no other row
	e.Attempts, e.DecidedBy, e.DecidedAt = 0, "boss", noon.Add(time.Second)
	update(true, e)
	read(0, e)
	read(3, other)
	for course, want := range map[string]map[string]int{
		"course": {"one": 0}, "other": {"one": 3}, "none": {}} {
		got, err := f.ExtraAttemptsIn(t.Context(), "student", course)
		equal(t, got, err, want)
	}
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.DeleteExtraAttempts(ctx, "other")
	})
	read(0, other)
	got, err := f.ExtraAttemptsIn(t.Context(), "student", "course")
	equal(t, got, err, map[string]int{"one": 0})
}

func attemptsLeft(t *testing.T, f *fixture) {
	submitted, open, elsewhere, unlimited := begun("1", 1, time.Hour), begun("2", 2, time.Hour),
		begun("3", 1, time.Hour), begun("4", 1, time.Hour)
	submitted.SubmittedAt = noon
	elsewhere.ChapterID, unlimited.UserID, unlimited.Left = "two", "other", nil
	f.add(course("course"), quiz("one"), submitted, open, elsewhere, unlimited)
	left := func(id string) *int {
		a, err := f.Attempt(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return a.Left
	}
	for _, step := range []struct{ more, want int }{{3, 5}, {-4, 1}, {-2, 0}, {1, 1}, {-1, 0}} {
		for _, userID := range []string{"student", "other"} {
			f.do(func(ctx context.Context, tx learning.Tx) error {
				return tx.AddToAttemptsLeft(ctx, userID, "course", "one", step.more)
			})
		}
		equal(t, *left("2"), nil, step.want)
	}
	equal(t, []int{*left("1"), *left("3")}, nil, []int{2, 2})
	equal(t, left("4"), nil, nil)
}
