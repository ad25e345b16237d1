package sqldb

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/enginetest"
)

func TestStore_ServerRestarted_WorksAgain(t *testing.T) {
	t.Run("MariaDB", func(t *testing.T) { testServerRestarted(t, enginetest.StartMariaDB(t)) })
	t.Run("PostgreSQL", func(t *testing.T) {
		testServerRestarted(t, enginetest.StartPostgreSQL(t))
	})
}

func testServerRestarted(t *testing.T, server *enginetest.Server) {
	t.Helper()
	s := migrated(t, server.URL("learning"))
	addCourses(t, s, "a")
	fill(t, s)
	for _, end := range []func(){server.Stop, server.Kill} {
		end()
		if _, err := course(t.Context(), s, "a"); err == nil {
			t.Error("a read without a server returned no error")
		}
		if err := s.Ping(t.Context()); err == nil {
			t.Error("Ping without a server returned no error")
		}
		if err := s.InTx(t.Context(),
			func(tx *Tx) error { return increment(t.Context(), tx, "a") }); err == nil {
			t.Error("a transaction without a server returned no error")
		}
		server.Start()
		if _, err := course(t.Context(), s, "a"); err != nil {
			t.Errorf("the first read: %v", err)
		}
		fill(t, s)
	}
	fill(t, s)
	server.Kill()
	server.Start()
	if err := s.InTx(t.Context(),
		func(tx *Tx) error { return increment(t.Context(), tx, "a") }); err != nil {
		t.Errorf("the first transaction: %v", err)
	}
	if got := students(t, s, "a"); got != 1 {
		t.Errorf("counted %d students, want 1", got)
	}
}

// fill opens every connection of the pool.
func fill(tb testing.TB, s *DB) {
	tb.Helper()
	for range s.pool.DB.Stats().MaxOpenConnections {
		conn, err := s.pool.DB.Connx(context.Background())
		if err != nil {
			tb.Fatal(err)
		}
		defer conn.Close()
		if err := conn.PingContext(context.Background()); err != nil {
			tb.Fatal(err)
		}
	}
}

func TestInTx_ConnectionLostBeforeCommit_RunsAgain(t *testing.T) {
	enginetest.Each(t, enginetest.Servers, func(t *testing.T, e enginetest.Engine) {
		for _, at := range []string{"begin", "INSERT INTO users"} {
			p := newProxy(t, e.URL(t))
			s := migrated(t, p.url)
			if at == "begin" {
				at = s.dialect.begin
			}
			runs, hooks := 0, 0
			p.cutBefore(at)
			err := s.InTx(t.Context(), func(tx *Tx) error {
				runs++
				tx.AfterCommit(func() { hooks++ })
				return insert(t.Context(), tx, at[:5])
			})
			if want := 1 + strings.Count(at, "INSERT"); err != nil || runs != want || hooks != 1 ||
				p.cuts() != 1 {
				t.Errorf("lost at %s: ran %d times, want %d; %d hooks; %d cuts; %v", at, runs, want,
					hooks, p.cuts(), err)
			}
		}
	})
}

func TestRead_ConnectionLost_RunsAgain(t *testing.T) {
	enginetest.Each(t, enginetest.Servers, func(t *testing.T, e enginetest.Engine) {
		p := newProxy(t, e.URL(t))
		s := migrated(t, p.url)
		addCourses(t, s, "a")
		p.cutBefore("SELECT id")
		if list, err := courses(t.Context(), s); err != nil || len(list) != 1 || p.cuts() != 1 {
			t.Errorf("read %d courses after %d cuts: %v", len(list), p.cuts(), err)
		}
	})
}

func TestInTx_ConnectionLostAtCommit_TakesEffectOnce(t *testing.T) {
	enginetest.Each(t, enginetest.Servers, func(t *testing.T, e enginetest.Engine) {
		for name, cut := range map[string]func(p *proxy, text string){"before": (*proxy).cutBefore,
			"after": (*proxy).cutBehind} {
			t.Run(name, func(t *testing.T) {
				p := newProxy(t, e.URL(t))
				s := migrated(t, p.url)
				addCourses(t, s, "a")
				commit := "COMMIT"
				if e.Name == "PostgreSQL" {
					commit += "\x00" // unlike READ COMMITTED
				}
				cut(p, commit)
				runs, hooks := 0, 0
				err := s.InTx(t.Context(), func(tx *Tx) error {
					runs++
					tx.AfterCommit(func() { hooks++ })
					return increment(t.Context(), tx, "a")
				})
				// A server that has received COMMIT may still find the connection closed and roll
				// back.
				if err != nil || p.cuts() != 1 || hooks != 1 || (name == "before" && runs != 2) ||
					runs > 2 {
					t.Errorf("ran %d times, %d hooks, %d cuts: %v", runs, hooks, p.cuts(), err)
				}
				if got := students(t, s, "a"); got != 1 {
					t.Errorf("counted %d students, want 1", got)
				}
			})
		}
	})
}

// eventually waits for a condition.
func eventually(tb testing.TB, holds func() bool) {
	tb.Helper()
	for end := time.Now().Add(30 * time.Second); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			tb.Fatal("it did not come to be")
		}
	}
}
