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

// memory is a table of leases. Its methods are atomic each, as statements are. between,
// if set, runs after a read.
type memory struct {
	mu      sync.Mutex
	rows    map[string]Lease
	between func()
	broken  bool
}

func newMemory(rows ...Lease) *memory {
	m := &memory{rows: map[string]Lease{}}
	for _, l := range rows {
		m.rows[l.Name] = l
	}
	return m
}

func (m *memory) Lease(_ context.Context, name string) (Lease, error) {
	m.mu.Lock()
	l := m.rows[name]
	m.mu.Unlock()
	if m.between != nil {
		m.between()
	}
	if m.broken {
		return Lease{}, errBroken
	}
	return l, nil
}

func (m *memory) InsertLease(_ context.Context, l Lease) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.rows[l.Name]; ok {
		return errDuplicate
	}
	m.rows[l.Name] = l
	return nil
}

func (m *memory) TakeOverLease(_ context.Context, l Lease, now time.Time) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
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
	other := Lease{"work", "other", noon}
	for name, tt := range map[string]struct {
		table *memory
		now   time.Time
		want  error
	}{
		"free":           {newMemory(), noon, nil},
		"another_name":   {newMemory(Lease{"more work", "other", noon.Add(time.Hour)}), noon, nil},
		"held":           {newMemory(other), noon.Add(-time.Nanosecond), ErrHeld},
		"expired":        {newMemory(other), noon, nil},
		"read_fails":     {&memory{broken: true}, noon, errBroken},
		"held_by_itself": {newMemory(mine(noon)), noon, ErrHeld},
	} {
		t.Run(name, func(t *testing.T) {
			l := Lease{"work", "me", tt.now.Add(time.Minute)}
			err := Acquire(t.Context(), tt.table, l, tt.now)
			if !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
			if got := tt.table.rows["work"]; tt.want == nil && got != l {
				t.Errorf("stored %+v", got)
			}
		})
	}
}

func TestAcquire_OvertakenBetweenReadAndWrite(t *testing.T) {
	for name, tt := range map[string]struct {
		before Lease
		want   error
	}{
		"insert":    {Lease{}, errDuplicate}, // the caller runs its transaction again
		"take_over": {Lease{"work", "old", noon}, ErrHeld},
	} {
		t.Run(name, func(t *testing.T) {
			table := newMemory(tt.before)
			table.between = func() { table.rows["work"] = Lease{"work", "other", noon.Add(time.Hour)} }
			if err := Acquire(t.Context(), table, mine(noon), noon); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
			if got := table.rows["work"].Holder; got != "other" {
				t.Errorf("the holder is %s", got)
			}
		})
	}
}

// Twenty holders race for a free lease and for an expired one.
func TestAcquire_RaceHasOneWinner(t *testing.T) {
	for name, table := range map[string]*memory{"free": newMemory(), "expired": newMemory(Lease{"work", "old", noon})} {
		t.Run(name, func(t *testing.T) {
			var all sync.WaitGroup
			won := make(chan string, 20)
			for i := range cap(won) {
				all.Go(func() {
					l := New("work", fmt.Sprint(i), noon, time.Minute)
					if Acquire(t.Context(), table, l, noon) == nil {
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
	if err := Hold(t.Context(), table, Lease{Name: "work", Holder: "other"}); !errors.Is(err, ErrLost) {
		t.Errorf("another holder: %v", err)
	}
	later := mine(noon.Add(time.Hour))
	if err := Hold(t.Context(), table, later); err != nil || table.rows["work"] != later {
		t.Errorf("%v; the lease is %+v", err, table.rows)
	}
}

func TestRelease(t *testing.T) {
	table := newMemory(mine(noon))
	if err := Release(t.Context(), table, Lease{Name: "work", Holder: "other"}); !errors.Is(err, ErrLost) {
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
