package lease

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"
)

var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

var (
	errDuplicate = errors.New("duplicate")
	errBroken    = errors.New("broken")
)

// memory is a table of leases. Its methods are atomic each, as statements are.
type memory struct {
	mu     sync.Mutex
	rows   map[string]Lease
	broken bool
}

func newMemory(rows ...Lease) *memory {
	m := &memory{rows: map[string]Lease{}}
	for _, l := range rows {
		m.rows[l.Name] = l
	}
	return m
}

func (m *memory) InsertLease(_ context.Context, l Lease) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.broken {
		return errBroken
	}
	if _, ok := m.rows[l.Name]; ok {
		return errDuplicate
	}
	m.rows[l.Name] = l
	return nil
}

func (m *memory) TakeOverLease(_ context.Context, l Lease, now time.Time) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.broken {
		return false, errBroken
	}
	old, ok := m.rows[l.Name]
	if !ok || !old.Expired(now) {
		return false, nil
	}
	m.rows[l.Name] = l
	return true, nil
}

func (m *memory) HoldLease(_ context.Context, l Lease) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.rows[l.Name].Holder != l.Holder {
		return false, nil
	}
	m.rows[l.Name] = l
	return true, nil
}

func (m *memory) ReleaseLease(_ context.Context, l Lease) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.broken {
		return false, errBroken
	}
	if m.rows[l.Name].Holder != l.Holder {
		return false, nil
	}
	delete(m.rows, l.Name)
	return true, nil
}

func mine(now time.Time) Lease { return New("work", "me", now, 10*time.Second) }

func TestLease_ExpiresAfterTheWorkAndTheMargin(t *testing.T) {
	l := mine(noon)
	end := noon.Add(10*time.Second + Margin)
	if l.Expired(end.Add(-time.Nanosecond)) || !l.Expired(end) || !(Lease{}).Expired(noon) {
		t.Errorf("%+v does not expire at %v", l, end)
	}
}

func TestAcquire(t *testing.T) {
	other, later := Lease{Name: "work", Holder: "other", ExpiresAt: noon},
		Lease{Name: "work", Holder: "other", ExpiresAt: noon.Add(time.Hour)}
	for name, tt := range map[string]struct {
		old   Lease // as it was read
		table *memory
		now   time.Time
		want  error
	}{
		"free": {Lease{}, newMemory(), noon, nil},
		"another_name": {Lease{},
			newMemory(Lease{Name: "more work", Holder: "other", ExpiresAt: noon.Add(time.Hour)}),
			noon, nil},
		"held":                {other, newMemory(other), noon.Add(-time.Nanosecond), ErrHeld},
		"expired":             {other, newMemory(other), noon, nil},
		"held_by_itself":      {mine(noon), newMemory(mine(noon)), noon, ErrHeld},
		"inserted_since":      {Lease{}, newMemory(later), noon, errDuplicate},
		"taken_over_since":    {other, newMemory(later), noon, ErrHeld},
		"released_since":      {other, newMemory(), noon, ErrHeld},
		"the_statement_fails": {other, &memory{broken: true}, noon, errBroken},
		"the_insertion_fails": {Lease{}, &memory{broken: true}, noon, errBroken},
	} {
		t.Run(name, func(t *testing.T) {
			l := Lease{Name: "work", Holder: "me", ExpiresAt: tt.now.Add(time.Minute)}
			before := tt.table.rows["work"]
			err := Acquire(t.Context(), tt.table, tt.old, l, tt.now)
			if !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
			got, want := tt.table.rows["work"], before
			if tt.want == nil {
				want = l
			}
			if got != want {
				t.Errorf("stored %+v, want %+v", got, want)
			}
		})
	}
}

// Twenty holders race for a free lease and for an expired one.
func TestAcquire_RaceHasOneWinner(t *testing.T) {
	for name, table := range map[string]*memory{"free": newMemory(),
		"expired": newMemory(Lease{Name: "work", Holder: "old", ExpiresAt: noon})} {
		t.Run(name, func(t *testing.T) {
			old := table.rows["work"]
			var all sync.WaitGroup
			won := make(chan string, 20)
			for i := range cap(won) {
				all.Go(func() {
					l := New("work", fmt.Sprint(i), noon, time.Minute)
					if Acquire(t.Context(), table, old, l, noon) == nil {
						won <- l.Holder
					}
				})
			}
			all.Wait()
			if len(won) != 1 || table.rows["work"].Holder != <-won {
				t.Errorf("%d won; the table has %+v", len(won), table.rows)
			}
		})
	}
}

func TestHold(t *testing.T) {
	table := newMemory(mine(noon))
	if err := Hold(t.Context(), table, Lease{Name: "work", Holder: "other"}); !errors.Is(err,
		ErrLost) {
		t.Errorf("another holder: %v", err)
	}
	later := mine(noon.Add(time.Hour))
	if err := Hold(t.Context(), table, later); err != nil || table.rows["work"] != later {
		t.Errorf("%v; the lease is %+v", err, table.rows)
	}
}

func TestRelease(t *testing.T) {
	table := newMemory(mine(noon))
	if err := Release(t.Context(), table, Lease{Name: "work", Holder: "other"}); !errors.Is(err,
		ErrLost) {
		t.Errorf("another holder: %v", err)
	}
	if err := Release(t.Context(), table, mine(noon)); err != nil || len(table.rows) != 0 {
		t.Errorf("%v; %+v is left", err, table.rows)
	}
	if err := Release(t.Context(), table, mine(noon)); !errors.Is(err, ErrLost) {
		t.Errorf("again: %v", err)
	}
	table.broken = true
	if err := Release(t.Context(), table, mine(noon)); !errors.Is(err, errBroken) {
		t.Errorf("got %v", err)
	}
}
