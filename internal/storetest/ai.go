package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/aigate"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
)

var aiTests = []test{
	{"usage is summed for each user and day", aiUsage},
	{"a reservation counts after its lease has expired, unless it was deleted", aiReservations},
	{"50 concurrent uses of the AI are all counted", raceAIUsage},
}

const day, nextDay = "2026-03-14", "2026-03-15"

func aiUsage(t *testing.T, f *fixture) {
	none, err := f.AIUsageOf(t.Context(), "ada", day)
	missing(t, none, err)
	sum, err := f.AISpent(t.Context(), day, noon)
	equal(t, sum, err, 0)
	add := func(user, day string, u aigate.Usage, want bool) {
		t.Helper()
		f.reports(want,
			func(ctx context.Context, tx learning.Tx) (bool, error) {
				return tx.AddAIUsage(ctx,
					user, day, u)
			})
	}
	add("ada", day, aigate.Usage{Prompt: 1}, false)
	const huge = 1 << 40
	insert := func(user, day string, u aigate.Usage) func(context.Context, learning.Tx) error {
		return func(ctx context.Context, tx learning.Tx) error {
			return tx.InsertAIUsage(ctx, user,
				day, u)
		}
	}
	f.do(insert("ada", day, aigate.Usage{Prompt: huge, Completion: 2}))
	f.do(insert("Ada", day, aigate.Usage{Prompt: 10}))
	f.do(insert("ada", nextDay, aigate.Usage{Completion: 5}))
	f.fails(core.ErrDuplicate, insert("ada", day, aigate.Usage{Prompt: 7}))
	add("ada", day, aigate.Usage{Prompt: 3, Completion: 4}, true)
	got, err := f.AIUsageOf(t.Context(), "ada", day)
	equal(t, got, err, aigate.Usage{Prompt: huge + 3, Completion: 6})
	sum, err = f.AISpent(t.Context(), day, noon)
	equal(t, sum, err, huge+3+6+10)
	sum, err = f.AISpent(t.Context(), nextDay, noon)
	equal(t, sum, err, 5)
}

func aiReservations(t *testing.T, f *fixture) {
	end := noon.Add(time.Minute)
	reserve := func(user, day, holder string, tokens int64) aigate.Reservation {
		r := aigate.Reservation{UserID: user, Day: day, Holder: holder, Tokens: tokens,
			LeaseUntil: end}
		f.do(func(ctx context.Context, tx learning.Tx) error {
			return tx.InsertAIReservation(ctx,
				r)
		})
		return r
	}
	spent := func(user, day string, at time.Time, by, all int64) {
		t.Helper()
		got, err := f.AISpentBy(t.Context(), user, day, at)
		equal(t, got, err, by)
		got, err = f.AISpent(t.Context(), day, at)
		equal(t, got, err, all)
	}
	first := reserve("ada", day, "a", 10)
	reserve("ada", day, "b", 100)
	reserve("Ada", day, "a", 1000)
	reserve("ada", nextDay, "a", 5)
	spent("ada", day, end.Add(-time.Microsecond), 0, 0)
	spent("ada", day, end, 110, 1110)
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.InsertAIUsage(ctx, "ada", day, aigate.Usage{Prompt: 3, Completion: 4})
	})
	for _, there := range []bool{true, false} {
		f.reports(there,
			func(ctx context.Context,
				tx learning.Tx) (bool, error) {
				return tx.DeleteAIReservation(ctx, first)
			})
	}
	spent("ada", day, end, 107, 1107)
	spent("bob", day, end, 0, 1107)
	list, err := f.ExpiredAIReservations(t.Context(), end, 9)
	equal(t, list, err, []aigate.Reservation{})
	late := aigate.Reservation{UserID: "eve", Day: day, Holder: "late", Tokens: 7,
		LeaseUntil: end.Add(-time.Hour)}
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.InsertAIReservation(ctx,
			late)
	})
	for limit, want := range map[int]int{1: 1, 3: 3, 9: 4} {
		list, err = f.ExpiredAIReservations(t.Context(), end.Add(time.Microsecond), limit)
		equal(t, len(list), err, want)
		equal(t, list[0], err, late)
	}
}

func raceAIUsage(t *testing.T, f *fixture) {
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.InsertAIUsage(ctx, "ada", day, aigate.Usage{})
	})
	wins := f.race(50, func(ctx context.Context, tx learning.Tx, i int) (bool, error) {
		return tx.AddAIUsage(ctx, "ada", day, aigate.Usage{Prompt: 1, Completion: int64(i)})
	})
	got, err := f.AIUsageOf(t.Context(), "ada", day)
	if want := (aigate.Usage{Prompt: 50, Completion: 49 * 50 / 2}); err != nil || wins != 50 ||
		got != want {
		t.Errorf("%d transactions succeeded: %+v, %v", wins, got, err)
	}
}
