package sqldb

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/lease"
)

// take takes the lease for a holder.
func take(t *testing.T, s *DB, holder string, length time.Duration) migrationLease {
	t.Helper()
	l := migrationLease{pool: s.pool, holder: holder, length: length}
	if err := l.prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	if held, err := l.Take(t.Context()); err != nil || !held {
		t.Fatalf("the lease was not taken: %v", err)
	}
	return l
}

func TestMigrate_OtherInstanceHoldsTheLease_WaitsUntilItExpires(t *testing.T) {
	enginetest.Each(t, enginetest.MySQLServers, func(t *testing.T, e enginetest.Engine) {
		url := e.URL(t)
		s := opened(t, url)
		dead := take(t, s, "dead", time.Minute)
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		if err := s.Migrate(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("while another holds the lease: %v", err)
		}
		if _, err := s.pool.DB.ExecContext(t.Context(),
			"UPDATE learning_migration_lease SET held_until = UTC_TIMESTAMP(6)"); err != nil {
			t.Fatal(err)
		}
		if err := s.Migrate(t.Context()); err != nil {
			t.Errorf("after the lease expired: %v", err)
		}
		if held, err := dead.Take(t.Context()); err != nil || !held {
			t.Errorf("the lease was not released: %v", err)
		}
	})
}

// Only the holder extends a lease that has not expired. When it is extended is
// the subject of the tests of package lease.
func TestMigrationLease_Held_OnlyItsHolderTakesIt(t *testing.T) {
	enginetest.Each(t, enginetest.MySQLServers, func(t *testing.T, e enginetest.Engine) {
		s := opened(t, e.URL(t))
		mine := take(t, s, "mine", time.Minute)
		other := migrationLease{pool: s.pool, holder: "other", length: time.Minute}
		for holder, l := range map[bool]migrationLease{true: mine, false: other} {
			if held, err := l.Take(t.Context()); err != nil || held != holder {
				t.Errorf("%s holds the lease: %v, %v", l.holder, held, err)
			}
		}
		other.Release(t.Context())
		if held, err := other.Take(t.Context()); err != nil || held {
			t.Errorf("another holder has released the lease: %v", err)
		}
	})
}

func TestMigrate_LeaseLost_Stops(t *testing.T) {
	enginetest.Each(t, enginetest.MySQLServers, func(t *testing.T, e enginetest.Engine) {
		s := opened(t, e.URL(t))
		l := migrationLease{pool: s.pool, holder: "mine", length: 3 * time.Second}
		if err := l.prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
		err := lease.Run(t.Context(), l, l.length, func(ctx context.Context) error {
			if _, err := s.pool.DB.ExecContext(ctx,
				"UPDATE learning_migration_lease SET holder = 'other', held_until = '2999-01-01'"); err != nil {
				return err
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(30 * time.Second):
				return errors.New("the loss of the lease was not noticed")
			}
		})
		if !errors.Is(err, lease.ErrLost) {
			t.Errorf("the migration was stopped by %v", err)
		}
	})
}
