package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/lease"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/purchase"
)

var leaseTests = []test{
	{"a lease comes back as it was stored, by exactly its name", leaseRoundTrip},
	{"a name has one lease", leaseUnique},
	{"a lease is taken over once it has expired, and not before", leaseTakeOver},
	{"expired leases are listed, the oldest first", leaseExpired},
	{"leases that have not expired are counted", leaseCount},
	{"a lease is held and released by its holder only", leaseHolder},
	{"of 20 who acquire a free lease at once, one does", raceFreeLease},
	{"of 20 who acquire an expired lease at once, one does", raceExpiredLease},
	{"a lease that is used in a transaction is not taken over before its end", raceUsedLease},
	{"a holder that lost its lease changes nothing", leaseLost},
}

// leaseOf returns a lease of the holder that expires a minute after noon.
func leaseOf(name, holder string) core.Lease {
	return core.Lease{Name: name, Holder: holder, ExpiresAt: noon.Add(time.Minute)}
}

// lease checks what is stored of a lease. The zero Lease means that there is none.
func (f *fixture) lease(name string, want core.Lease) {
	f.t.Helper()
	got, err := f.Lease(f.t.Context(), name)
	equal(f.t, got, err, want)
}

func leaseRoundTrip(t *testing.T, f *fixture) {
	longest := leaseOf(long(60)+"abc", long(10))
	longest.ExpiresAt = noon.Add(time.Microsecond)
	for _, l := range []core.Lease{leaseOf("a", "holder"), longest} {
		f.add(l)
		f.lease(l.Name, l)
	}
	// Other names, and invalid ones, have no lease.
	for _, name := range []string{"", "A", "a ", "á", "\xff", "' OR 1 = 1 --"} {
		f.lease(name, core.Lease{})
	}
	f.do(func(ctx context.Context, tx learning.Tx) error {
		got, err := tx.Lease(ctx, "a")
		equal(t, got, err, leaseOf("a", "holder"))
		return nil
	})
}

func leaseUnique(t *testing.T, f *fixture) {
	f.add(leaseOf("a", "holder"))
	f.fails(core.ErrDuplicate,
		func(ctx context.Context, tx learning.Tx) error {
			return tx.InsertLease(ctx,
				leaseOf("a", "other"))
		})
	f.lease("a", leaseOf("a", "holder"))
	f.add(leaseOf("A", "holder"), leaseOf("á", "holder"))
}

func leaseTakeOver(t *testing.T, f *fixture) {
	f.add(leaseOf("a", "holder"), leaseOf("b", "holder"))
	mine := core.Lease{Name: "a", Holder: "other", ExpiresAt: noon.Add(time.Hour)}
	take := func(at time.Time, want bool) {
		t.Helper()
		f.reports(want,
			func(ctx context.Context, tx learning.Tx) (bool, error) {
				return tx.TakeOverLease(ctx,
					mine, at)
			})
	}
	expiry := noon.Add(time.Minute)
	take(expiry.Add(-time.Microsecond), false)
	take(expiry, true)
	take(expiry, false)
	f.lease("a", mine)
	f.lease("b", leaseOf("b", "holder"))
	mine.Name = "c"
	take(expiry, false)
	f.lease("c", core.Lease{})
}

func leaseCount(t *testing.T, f *fixture) {
	f.add(leaseOf("a", "holder"), leaseOf("b", "holder"))
	for at, want := range map[time.Time]int64{leaseOf("a",
		"holder").ExpiresAt.Add(-time.Microsecond): 2, leaseOf("a", "holder").ExpiresAt: 0} {
		n, err := f.CountLeases(t.Context(), at)
		equal(t, n, err, want)
	}
}

func leaseExpired(t *testing.T, f *fixture) {
	var all []core.Lease
	for i, name := range []string{"c", "a", "b"} {
		all = append(all, core.Lease{Name: name, Holder: "holder",
			ExpiresAt: noon.Add(time.Duration(i) * time.Microsecond)})
		f.add(all[i])
	}
	for _, want := range []struct {
		before time.Time
		limit  int
		leases []core.Lease
	}{
		{before: noon, limit: 10, leases: []core.Lease{}},
		{before: noon.Add(2 * time.Microsecond), limit: 10, leases: all[:2]},
		{before: noon.Add(time.Hour), limit: 10, leases: all},
		{before: noon.Add(time.Hour), limit: 1, leases: all[:1]},
	} {
		got, err := f.ExpiredLeases(t.Context(), want.before, want.limit)
		equal(t, got, err, want.leases)
	}
}

func leaseHolder(t *testing.T, f *fixture) {
	f.add(leaseOf("a", "holder"), leaseOf("b", "holder"))
	later := core.Lease{Name: "a", Holder: "holder", ExpiresAt: noon.Add(time.Hour)}
	hold := func(l core.Lease, want bool) {
		t.Helper()
		f.reports(want,
			func(ctx context.Context, tx learning.Tx) (bool, error) { return tx.HoldLease(ctx, l) })
	}
	release := func(l core.Lease, want bool) {
		t.Helper()
		f.reports(want,
			func(ctx context.Context, tx learning.Tx) (bool, error) {
				return tx.ReleaseLease(ctx,
					l)
			})
	}
	for _, l := range []core.Lease{leaseOf("a", ""), leaseOf("a", "Holder"),
		leaseOf("c", "holder")} {
		hold(l, false)
		release(l, false)
	}
	hold(later, true)
	hold(later, true) // also if it changes no value
	f.lease("a", later)
	release(later, true)
	release(later, false)
	hold(later, false)
	f.lease("a", core.Lease{})
	f.lease("b", leaseOf("b", "holder"))
}

// acquire checks that one of 20 concurrent transactions acquires a lease, and that the lease is
// stored with its holder.
func (f *fixture) acquire(name string, now time.Time) {
	f.t.Helper()
	old, err := f.Lease(f.t.Context(), name)
	if err != nil {
		f.t.Fatal(err)
	}
	winners := make(chan core.Lease, 20)
	wins := f.race(cap(winners), func(ctx context.Context, tx learning.Tx, i int) (bool, error) {
		l := core.Lease{Name: name, Holder: fmt.Sprint("holder-", i),
			ExpiresAt: now.Add(time.Minute)}
		err := lease.Acquire(ctx, tx, old, l, now)
		if errors.Is(err, lease.ErrHeld) {
			return false, nil
		}
		tx.AfterCommit(func() { winners <- l }) // not called if err is not nil
		return err == nil, err
	})
	if wins != 1 || len(winners) != 1 {
		f.t.Fatalf("%d won", wins)
	}
	f.lease(name, <-winners)
}

func raceFreeLease(_ *testing.T, f *fixture) { f.acquire("a", noon) }

func raceExpiredLease(_ *testing.T, f *fixture) {
	f.add(leaseOf("a", "dead"))
	f.acquire("a", noon.Add(time.Minute))
}

// raceUsedLease has a holder use its lease when it has expired, while others take it
// over: either the holder has used it, or one of the others has it.
func raceUsedLease(t *testing.T, f *fixture) {
	f.add(course("course"), leaseOf("a", "holder"))
	wins := f.race(20, func(ctx context.Context, tx learning.Tx, i int) (bool, error) {
		if i == 0 {
			held, err := tx.ReleaseLease(ctx, leaseOf("a", "holder"))
			if err != nil || !held {
				return false, err
			}
			return true, tx.AddToStudentCount(ctx, "course", 1)
		}
		return tx.TakeOverLease(ctx,
			core.Lease{Name: "a", Holder: fmt.Sprint(i), ExpiresAt: noon.Add(time.Hour)},
			noon.Add(time.Minute))
	})
	l, err := f.Lease(t.Context(), "a")
	if used := f.students("course") == course("course").Students+1; wins != 1 || err != nil ||
		used != (l.Holder == "") {
		t.Errorf("%d won; used: %v; the lease is %+v (%v)", wins, used, l, err)
	}
}

// leaseLost has a holder come late to the transactions that take money, enrol a user
// and change a role.
func leaseLost(t *testing.T, f *fixture) {
	p := purchaseIn("p", purchase.Pending)
	f.add(course("course"), p, user("u"), leaseOf("a", "successor"))
	f.fails(lease.ErrLost, func(ctx context.Context, tx learning.Tx) error {
		if _, err := complete(ctx, tx, p, "payment"); err != nil {
			return err
		}
		if err := tx.InsertRole(ctx, "u",
			core.RoleAssignment{Role: core.Educator, At: noon}); err != nil {
			return err
		}
		return lease.Release(ctx, tx, leaseOf("a", "holder"))
	})
	got, err := f.Purchase(t.Context(), "p")
	equal(t, got, err, p)
	enrolled, err := f.Enrolled(t.Context(), p.UserID, "course")
	equal(t, enrolled, err, false)
	s, err := f.AccountState(t.Context(), "u")
	equal(t, s.RoleAssignment, err, core.RoleAssignment{})
	f.lease("a", leaseOf("a", "successor"))
}
