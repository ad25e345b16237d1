package store

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestMigrate_OtherInstanceHoldsTheLease_WaitsUntilItExpires(t *testing.T) {
	on(t, servers, func(t *testing.T, e engine) {
		url := e.url(t)
		s := opened(t, url)
		dead := lease{s.pool, "dead", time.Minute}
		if err := dead.acquire(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		if err := s.Migrate(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("while another holds the lease: %v", err)
		}
		if _, err := s.pool.db.ExecContext(t.Context(), "UPDATE learning_migration_lease SET held_until = UTC_TIMESTAMP(6)"); err != nil {
			t.Fatal(err)
		}
		if err := s.Migrate(t.Context()); err != nil {
			t.Errorf("after the lease expired: %v", err)
		}
		if mine, err := dead.tryAcquire(t.Context()); err != nil || !mine {
			t.Errorf("the lease was not given back: %v", err)
		}
	})
}

func TestMigrationLease_Held_IsRenewed(t *testing.T) {
	on(t, servers, func(t *testing.T, e engine) {
		s := opened(t, e.url(t))
		l, other := lease{s.pool, "mine", 1200 * time.Millisecond}, lease{s.pool, "other", time.Minute}
		if err := l.acquire(t.Context()); err != nil {
			t.Fatal(err)
		}
		held, stop := l.renew(t.Context())
		for end := time.Now().Add(l.length * 3 / 2); time.Now().Before(end); pause(t.Context(), 50*time.Millisecond) {
			if taken, err := other.tryAcquire(t.Context()); taken || err != nil {
				t.Fatalf("the lease was taken while it was kept: %v, %v", taken, err)
			}
		}
		if held.Err() != nil {
			t.Errorf("the lease was lost: %v", context.Cause(held))
		}
		stop()
		if err := other.acquire(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestMigrate_LeaseLost_Stops(t *testing.T) {
	on(t, servers, func(t *testing.T, e engine) {
		s := opened(t, e.url(t))
		l := lease{s.pool, "mine", 150 * time.Millisecond}
		if err := l.acquire(t.Context()); err != nil {
			t.Fatal(err)
		}
		held, stop := l.renew(t.Context())
		defer stop()
		if _, err := s.pool.db.ExecContext(t.Context(), "UPDATE learning_migration_lease SET holder = 'other', held_until = '2999-01-01'"); err != nil {
			t.Fatal(err)
		}
		select {
		case <-held.Done():
		case <-time.After(10 * time.Second):
			t.Fatal("the loss of the lease was not noticed")
		}
		if got := context.Cause(held); !errors.Is(got, errLeaseLost) {
			t.Errorf("the migration was stopped by %v", got)
		}
	})
}
