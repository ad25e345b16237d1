package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// frozenConn is a connection that does not answer statements before their time-out.
type frozenConn struct {
	fakeConn
	answersPings bool
}

func (c *frozenConn) QueryContext(ctx context.Context, _ string, _ []driver.NamedValue) (driver.Rows, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (c *frozenConn) Ping(ctx context.Context) error {
	if c.answersPings {
		return nil
	}
	<-ctx.Done()
	return ctx.Err()
}

// A statement that gets no answer is no proof that its host is lost, because it may be slow. The
// next use of a connection to that host asks it.
func TestHosts_StatementGetsNoAnswer_HostIsAsked(t *testing.T) {
	for name, tt := range map[string]struct {
		answers  bool
		timeout  time.Duration // of the statement
		hosts    int
		wantErr  error
		moves    uint64
		asksLess time.Duration // how long asking may take
	}{
		"frozen":         {false, 5 * time.Second, 2, driver.ErrBadConn, 1, 3 * time.Second},
		"slow_statement": {true, 5 * time.Second, 2, nil, 0, time.Second},
		"caller_leaves":  {false, impatience / 10, 2, nil, 0, time.Second},
		"one_host":       {false, 5 * time.Second, 1, nil, 0, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				all := []*fakeHost{{}, {}}[:tt.hosts]
				hosts := fakeHosts(all...)
				c := &hostConn{&frozenConn{fakeConn{host: all[0]}, tt.answers}, hosts, 0}
				ctx, cancel := context.WithTimeout(t.Context(), tt.timeout)
				defer cancel()
				if _, err := c.QueryContext(ctx, "SELECT", nil); err == nil {
					t.Fatal("the statement was answered")
				}
				for range 2 {
					began := time.Now()
					err := c.ResetSession(t.Context())
					if took := time.Since(began); !errors.Is(err, tt.wantErr) || hosts.moves.Load() != tt.moves || took > tt.asksLess {
						t.Errorf("%v after %v, and %d moves", err, took, hosts.moves.Load())
					}
				}
			})
		})
	}
}

// A pool of open connections to a host that freezes costs one read its time-out, and not a read for
// each connection.
func TestStore_HostFreezes_PoolLeavesIt(t *testing.T) {
	t.Parallel()
	url, servers, _ := twoServers(t)
	s := opened(t, url, WithDeadlines(2*impatience, 30*time.Second))
	fill(t, s)
	servers[0].Freeze()
	t.Cleanup(servers[0].Thaw)
	failed := 0
	for range s.pool.db.Stats().OpenConnections {
		if _, err := s.Course(t.Context(), "a"); err == nil {
			break
		}
		failed++
	}
	if failed < 1 || failed > 2 { // the second one may end while its host is asked
		t.Errorf("%d reads failed one after the other", failed)
	}
	if err := addStudent(s, func() {}); err != nil {
		t.Errorf("a transaction: %v", err)
	}
}
