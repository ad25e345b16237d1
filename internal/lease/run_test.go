package lease

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

const length = 30 * time.Second

// renewable is a lease of a process on the table of all processes.
type renewable struct {
	*memory
	holder string
	takes  atomic.Int64
	// when set, instead of the table from the second time on
	take func(ctx context.Context) (bool, error)
}

func (r *renewable) Take(ctx context.Context) (bool, error) {
	if r.takes.Add(1) > 1 && r.take != nil {
		return r.take(ctx)
	}
	now := time.Now()
	l := Lease{Name: "work", Holder: r.holder, ExpiresAt: now.Add(length)}
	_, _ = r.ReleaseLease(ctx, l)
	r.mu.Lock()
	old := r.rows[l.Name]
	r.mu.Unlock()
	err := Acquire(ctx, r, old, l, now)
	if errors.Is(err, ErrHeld) || errors.Is(err, errDuplicate) {
		return false, nil
	}
	return err == nil, err
}

func (r *renewable) Release(ctx context.Context) {
	if ctx.Err() == nil {
		_, _ = r.ReleaseLease(ctx, Lease{Name: "work", Holder: r.holder})
	}
}

func (m *memory) wantFree(t *testing.T) {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.rows) != 0 {
		t.Errorf("%+v is left", m.rows)
	}
}

func TestPoll_TriesUntilDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		if err := Poll(t.Context(),
			func() (bool, error) { tries++; return tries == 5, nil }); err != nil || tries != 5 {
			t.Errorf("%v after %d tries", err, tries)
		}
		if err := Poll(t.Context(),
			func() (bool, error) { return false, errBroken }); !errors.Is(err, errBroken) {
			t.Errorf("got %v", err)
		}
	})
}

func TestPoll_EndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		begun, last := time.Now(), time.Now()
		err := Poll(ctx, func() (bool, error) {
			if pause := time.Since(last); pause > longestPause*3/2 {
				t.Errorf("paused for %v", pause)
			}
			last = time.Now()
			return false, nil
		})
		if waited := time.Since(begun); !errors.Is(err, context.DeadlineExceeded) ||
			waited != time.Minute {
			t.Errorf("%v after %v", err, waited)
		}
	})
}

func TestRun_OneHolderAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := newMemory()
		var working, most, done atomic.Int64
		for _, holder := range []string{"a", "b", "c"} {
			go func() {
				err := Run(t.Context(), &renewable{memory: table, holder: holder}, length,
					func(ctx context.Context) error {
						most.Store(max(most.Load(), working.Add(1)))
						time.Sleep(5 * length) // much longer than the lease
						working.Add(-1)
						return ctx.Err()
					})
				if err != nil {
					t.Errorf("%s: %v", holder, err)
				}
				done.Add(1)
			}()
		}
		time.Sleep(time.Hour)
		if most.Load() != 1 || done.Load() != 3 {
			t.Errorf("%d worked at a time, and %d were done", most.Load(), done.Load())
		}
		table.wantFree(t)
	})
}

// A holder that dies releases nothing: the next one waits until the lease has expired.
func TestRun_TakesOverFromADeadHolder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := newMemory(Lease{Name: "work", Holder: "dead", ExpiresAt: time.Now().Add(length)})
		begun := time.Now()
		err := Run(t.Context(), &renewable{memory: table, holder: "me"}, length,
			func(context.Context) error { return nil })
		if waited := time.Since(begun); err != nil || waited < length ||
			waited > length+2*longestPause {
			t.Errorf("%v after %v", err, waited)
		}
	})
}

func TestRun_LostLeaseEndsTheWork(t *testing.T) {
	for name, tt := range map[string]struct {
		take func(ctx context.Context) (bool, error)
		want error
	}{
		"taken_over": {func(context.Context) (bool, error) { return false, nil }, ErrLost},
		"broken":     {func(context.Context) (bool, error) { return false, errBroken }, errBroken},
		"unanswered": {func(ctx context.Context) (bool, error) {
			<-ctx.Done()
			return false,
				ctx.Err()
		}, context.DeadlineExceeded},
		"panic": {func(context.Context) (bool, error) { panic(errBroken) }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				table, begun := newMemory(), time.Now()
				err := Run(t.Context(), &renewable{memory: table, holder: "me", take: tt.take},
					length, func(ctx context.Context) error {
						<-ctx.Done()
						return ctx.Err()
					})
				if took := time.Since(begun); took >= length {
					t.Errorf("the work ended after %v; the lease lasts %v", took, length)
				}
				if err == nil || tt.want != nil && !errors.Is(err, tt.want) {
					t.Errorf("got %v, want %v", err, tt.want)
				}
			})
		})
	}
}

func TestRun_ReleasesTheLease(t *testing.T) {
	for name, work := range map[string]func(ctx context.Context, leave func()) error{
		"success": func(context.Context, func()) error { return nil },
		"error":   func(context.Context, func()) error { return errBroken },
		"panic":   func(context.Context, func()) error { panic("oops") },
		"caller_leaves": func(ctx context.Context,
			leave func()) error {
			leave()
			return ctx.Err()
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				table := newMemory()
				ctx, leave := context.WithCancel(t.Context())
				defer leave()
				var err error
				func() {
					defer func() { _ = recover() }()
					err = Run(ctx, &renewable{memory: table, holder: "me"}, length,
						func(ctx context.Context) error { return work(ctx, leave) })
				}()
				if (err != nil) != (name == "error" || name == "caller_leaves") {
					t.Errorf("got %v", err)
				}
				table.wantFree(t)
			})
		})
	}
}

func TestRun_WaitEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := newMemory(Lease{Name: "work", Holder: "other",
			ExpiresAt: time.Now().Add(time.Hour)})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := Run(ctx, &renewable{memory: table, holder: "me"}, length,
			func(context.Context) error { t.Error("it worked"); return nil })
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}
