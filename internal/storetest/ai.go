package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
)

var aiTests = []test{
	{"claims of one name are listed by place, as they were stored", aiClaims},
	{"a place is taken once, and a name in other letters is another", aiClaimUnique},
	{"a claim is taken over from its holder, not before its lease is over", aiClaimTakeOver},
	{"a claim is given back by its holder only", aiClaimDelete},
	{"usage is of a user and day, and adds up", aiUsage},
	{"a reservation is spent once its lease is over, and not when it was deleted", aiReservations},
	{"of 20 who take a place or take one over at once, one does", raceAIClaim},
	{"50 who use the AI at once are all counted", raceAIUsage},
}

func aiClaim(name string, place int) learning.AILease {
	return learning.AILease{Name: name, Slot: place, Holder: "holder", LeaseUntil: noon.Add(time.Minute)}
}

func (f *fixture) claims(name string, want ...learning.AILease) {
	f.t.Helper()
	got, err := f.AILeases(f.t.Context(), name)
	equal(f.t, got, err, want)
}

func (f *fixture) addClaims(claims ...learning.AILease) {
	f.t.Helper()
	for _, c := range claims {
		f.do(func(ctx context.Context, tx learning.Tx) error { return tx.InsertAILease(ctx, c) })
	}
}

func aiClaims(t *testing.T, f *fixture) {
	f.claims("a")
	longest := aiClaim(long(10)+long(40), 1)
	longest.Holder = long(10)
	f.addClaims(aiClaim("a", 1), aiClaim("a", 0), aiClaim("b", 0), longest)
	f.claims("a", aiClaim("a", 0), aiClaim("a", 1))
	f.claims("b", aiClaim("b", 0))
	f.claims(longest.Name, longest)
	f.claims("c")
	f.do(func(ctx context.Context, tx learning.Tx) error {
		got, err := tx.AILeases(ctx, "b")
		equal(t, got, err, []learning.AILease{aiClaim("b", 0)})
		return nil
	})
}

func aiClaimUnique(t *testing.T, f *fixture) {
	f.addClaims(aiClaim("a", 0))
	other := aiClaim("a", 0)
	other.Holder = "another"
	f.fails(learning.ErrDuplicate, func(ctx context.Context, tx learning.Tx) error { return tx.InsertAILease(ctx, other) })
	f.claims("a", aiClaim("a", 0))
	f.addClaims(aiClaim("A", 0), aiClaim("á", 0))
}

func aiClaimTakeOver(t *testing.T, f *fixture) {
	expiry := noon.Add(time.Minute)
	f.addClaims(aiClaim("a", 0), aiClaim("a", 1))
	mine := aiClaim("a", 1)
	mine.Holder, mine.LeaseUntil = "second", expiry.Add(time.Hour)
	take := func(from string, at time.Time, want bool) {
		t.Helper()
		f.moves(want, func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.TakeOverAILease(ctx, mine, from, at)
		})
	}
	take("holder", expiry.Add(-time.Microsecond), false)
	take("another", expiry, false)
	take("holder", expiry, true)
	take("holder", expiry.Add(2*time.Hour), false)
	f.claims("a", aiClaim("a", 0), mine)
}

func aiClaimDelete(t *testing.T, f *fixture) {
	f.addClaims(aiClaim("a", 0), aiClaim("a", 1))
	drop := func(c learning.AILease, want bool) {
		t.Helper()
		f.moves(want, func(ctx context.Context, tx learning.Tx) (bool, error) { return tx.DeleteAILease(ctx, c) })
	}
	other := aiClaim("a", 1)
	other.Holder = "another"
	drop(other, false)
	drop(aiClaim("b", 0), false)
	drop(aiClaim("a", 0), true)
	drop(aiClaim("a", 0), false)
	f.claims("a", aiClaim("a", 1))
	f.addClaims(aiClaim("a", 0))
}

const day, nextDay = "2026-03-14", "2026-03-15"

func aiUsage(t *testing.T, f *fixture) {
	none, err := f.AIUsageOf(t.Context(), "ada", day)
	missing(t, none, err)
	sum, err := f.AISpent(t.Context(), day, noon)
	equal(t, sum, err, 0)
	add := func(user, day string, u learning.AIUsage, want bool) {
		t.Helper()
		f.moves(want, func(ctx context.Context, tx learning.Tx) (bool, error) { return tx.AddAIUsage(ctx, user, day, u) })
	}
	add("ada", day, learning.AIUsage{Prompt: 1}, false)
	const huge = 1 << 40
	insert := func(user, day string, u learning.AIUsage) func(context.Context, learning.Tx) error {
		return func(ctx context.Context, tx learning.Tx) error { return tx.InsertAIUsage(ctx, user, day, u) }
	}
	f.do(insert("ada", day, learning.AIUsage{Prompt: huge, Completion: 2}))
	f.do(insert("Ada", day, learning.AIUsage{Prompt: 10}))
	f.do(insert("ada", nextDay, learning.AIUsage{Completion: 5}))
	f.fails(learning.ErrDuplicate, insert("ada", day, learning.AIUsage{Prompt: 7}))
	add("ada", day, learning.AIUsage{Prompt: 3, Completion: 4}, true)
	got, err := f.AIUsageOf(t.Context(), "ada", day)
	equal(t, got, err, learning.AIUsage{Prompt: huge + 3, Completion: 6})
	sum, err = f.AISpent(t.Context(), day, noon)
	equal(t, sum, err, huge+3+6+10)
	sum, err = f.AISpent(t.Context(), nextDay, noon)
	equal(t, sum, err, 5)
}

func aiReservations(t *testing.T, f *fixture) {
	end := noon.Add(time.Minute)
	reserve := func(user, day, holder string, tokens int64) learning.AIReservation {
		r := learning.AIReservation{UserID: user, Day: day, Holder: holder, Tokens: tokens, LeaseUntil: end}
		f.do(func(ctx context.Context, tx learning.Tx) error { return tx.InsertAIReservation(ctx, r) })
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
		return tx.InsertAIUsage(ctx, "ada", day, learning.AIUsage{Prompt: 3, Completion: 4})
	})
	for _, there := range []bool{true, false} {
		f.moves(there, func(ctx context.Context, tx learning.Tx) (bool, error) { return tx.DeleteAIReservation(ctx, first) })
	}
	spent("ada", day, end, 107, 1107)
	spent("bob", day, end, 0, 1107)
}

func raceAIClaim(t *testing.T, f *fixture) {
	mine := func(i int) learning.AILease {
		c := aiClaim("a", 0)
		c.Holder = fmt.Sprint(i)
		return c
	}
	wins := f.race(20, func(ctx context.Context, tx learning.Tx, i int) (bool, error) {
		return true, tx.InsertAILease(ctx, mine(i))
	})
	held, err := f.AILeases(t.Context(), "a")
	if err != nil || wins != 1 || len(held) != 1 {
		t.Fatalf("%d won; %v, %v", wins, held, err)
	}
	wins = f.race(20, func(ctx context.Context, tx learning.Tx, i int) (bool, error) {
		return tx.TakeOverAILease(ctx, mine(i+20), held[0].Holder, noon.Add(time.Hour))
	})
	if wins != 1 {
		t.Errorf("%d took it over", wins)
	}
}

func raceAIUsage(t *testing.T, f *fixture) {
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.InsertAIUsage(ctx, "ada", day, learning.AIUsage{})
	})
	wins := f.race(50, func(ctx context.Context, tx learning.Tx, i int) (bool, error) {
		return tx.AddAIUsage(ctx, "ada", day, learning.AIUsage{Prompt: 1, Completion: int64(i)})
	})
	got, err := f.AIUsageOf(t.Context(), "ada", day)
	if want := (learning.AIUsage{Prompt: 50, Completion: 49 * 50 / 2}); err != nil || wins != 50 || got != want {
		t.Errorf("%d were counted: %+v, %v", wins, got, err)
	}
}
