package sqldb

import (
	"context"
	"database/sql"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/enginetest"
)

// hearing counts what a database hears until the test ends.
func hearing(tb testing.TB, s *DB) *atomic.Int64 {
	tb.Helper()
	var heard atomic.Int64
	tb.Cleanup(s.Hear(func() { heard.Add(1) }))
	return &heard
}

// signal sends one until holds is true: it is sent to nobody before the others listen.
func signal(tb testing.TB, s *DB, holds func() bool) {
	tb.Helper()
	eventually(tb, func() bool {
		if err := s.Signal(tb.Context()); err != nil {
			tb.Fatal(err)
		}
		return holds()
	})
}

func TestSignal_IsHeardByThoseOnTheSameTables(t *testing.T) {
	url := enginetest.PostgreSQL(t)
	sender, same := opened(t, url), opened(t, url)
	other := opened(t, url, withNames(Names{Prefix: "lectern_"}))
	inSchema := opened(t, url, withNames(Names{Schema: "public"}))
	heard, heardInSchema, heardByOther := hearing(t, same), hearing(t, inSchema), hearing(t, other)

	// Each hears once when it begins to listen.
	for _, n := range []*atomic.Int64{heard, heardInSchema, heardByOther} {
		eventually(t, func() bool { return n.Load() == 1 })
	}
	signal(t, sender, func() bool { return heard.Load() > 1 && heardInSchema.Load() > 1 })
	if n := heardByOther.Load(); n != 1 {
		t.Errorf("tables of another prefix hear %d times, want once", n)
	}
}

// What was sent while a connection was lost is not known, so that it counts as heard.
func TestHear_ConnectionLost_ListensAgain(t *testing.T) {
	url := enginetest.PostgreSQL(t)
	sender, s := opened(t, url), opened(t, url)
	s.listenPause = time.Millisecond
	heard := hearing(t, s)
	eventually(t, func() bool { return heard.Load() == 1 })
	_, err := sender.writer.Exec("SELECT pg_terminate_backend(pid) FROM pg_stat_activity " +
		"WHERE datname = current_database() AND query LIKE 'LISTEN%'")
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, func() bool { return heard.Load() >= 2 })
}

// Fifty platforms of a host need one connection to hear, and none when they have stopped.
func TestHear_PoolOfTheHost_ListensOnOneConnection(t *testing.T) {
	url := enginetest.PostgreSQL(t)
	pool := enginetest.HostPool(t, url)
	var stops []func()
	for _, prefix := range []string{"a_", "b_", "c_"} {
		s := onHost(t, pool, url, withNames(Names{Prefix: prefix}))
		var n atomic.Int64
		stops = append(stops, s.Hear(func() { n.Add(1) }))
		signal(t, s, func() bool { return n.Load() > 1 })
	}
	if n := pool.Stats().InUse; n != 1 {
		t.Errorf("%d connections are in use, want 1", n)
	}
	for _, stop := range stops {
		stop()
	}
	if n := pool.Stats().InUse; n != 0 {
		t.Errorf("%d connections are in use after the end, want none", n)
	}
	if len(listeners.byPool) != 0 {
		t.Error("a listener is left")
	}
}

func TestHear_WithoutSignals_TakesNoConnection(t *testing.T) {
	small := func(t *testing.T, url string) *sql.DB {
		pool := enginetest.HostPool(t, url)
		pool.SetMaxOpenConns(minListeningConns - 1)
		return pool
	}
	t.Run("small pool", func(t *testing.T) {
		url := enginetest.PostgreSQL(t)
		pool := small(t, url)
		hearing(t, onHost(t, pool, url))
		if n := pool.Stats().InUse; n != 0 {
			t.Errorf("%d connections are in use", n)
		}
	})
	t.Run("pooler", func(t *testing.T) {
		enginetest.NeedPgBouncer(t)
		s := migrated(t, enginetest.PgBouncer(t, enginetest.PostgreSQL(t)))
		hearing(t, s)
		<-listeners.byPool[s.writer.DB].ended
		if n := sessions(t, s, "query LIKE 'LISTEN%'"); n != 0 {
			t.Errorf("%d connections listen", n)
		}
	})
	t.Run("MySQL", func(t *testing.T) { hearsNothing(t, enginetest.MariaDB(t)) })
	t.Run("SQLite", func(t *testing.T) { hearsNothing(t, enginetest.SQLite(t)) })
}

// hearsNothing checks that a signal does nothing on an engine.
func hearsNothing(t *testing.T, url string) {
	s := opened(t, url)
	heard := hearing(t, s)
	if err := s.Signal(context.Background()); err != nil {
		t.Error(err)
	}
	if n := heard.Load(); n != 0 || len(listeners.byPool) != 0 {
		t.Errorf("hears %d times, %d listeners", n, len(listeners.byPool))
	}
}
