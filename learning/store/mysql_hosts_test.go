package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-sql-driver/mysql"
)

// fakeHost is a host whose connections a test scripts. It is safe for concurrent use, apart from
// changes of its fields.
type fakeHost struct {
	driver.Connector
	err      error         // of the connection
	silent   bool          // whether it never answers
	readOnly string        // the value of the variable; "" for "0"
	ready    func() error  // the error of each statement; nil for none
	delay    time.Duration // before it answers
	count    int
	closed   int
	mu       sync.Mutex
}

func (h *fakeHost) Connect(ctx context.Context) (driver.Conn, error) {
	h.mu.Lock()
	h.count++
	h.mu.Unlock()
	if h.silent {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	time.Sleep(h.delay)
	if h.err != nil {
		return nil, h.err
	}
	return &fakeConn{host: h}, nil
}

// connections returns how many connections were tried, and forgets them.
func (h *fakeHost) connections() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := h.count
	h.count = 0
	return n
}

type fakeConn struct {
	mysqlConn
	host *fakeHost
}

func (c *fakeConn) IsValid() bool                      { return true }
func (c *fakeConn) ResetSession(context.Context) error { return nil }

func (c *fakeConn) Close() error {
	c.host.mu.Lock()
	defer c.host.mu.Unlock()
	c.host.closed++
	return nil
}

func (c *fakeConn) ExecContext(context.Context, string, []driver.NamedValue) (driver.Result, error) {
	if c.host.ready != nil {
		return nil, c.host.ready()
	}
	return driver.RowsAffected(1), nil
}

func (c *fakeConn) QueryContext(context.Context, string, []driver.NamedValue) (driver.Rows, error) {
	if c.host.ready != nil {
		return nil, c.host.ready()
	}
	return &fakeRows{value: c.host.readOnly}, nil
}

// fakeRows is one row with one value.
type fakeRows struct{ value string }

func (r *fakeRows) Columns() []string { return []string{"value"} }
func (r *fakeRows) Close() error      { return nil }
func (r *fakeRows) Next(dest []driver.Value) error {
	dest[0] = []byte(r.value)
	if r.value == "" {
		dest[0] = int64(0)
	}
	return nil
}

func fakeHosts(all ...*fakeHost) *mysqlHosts {
	h := &mysqlHosts{timeout: time.Duration(len(all)) * 2 * time.Second}
	for i, host := range all {
		h.all, h.names = append(h.all, host), append(h.names, fmt.Sprintf("host%d", i))
	}
	return h
}

// hostOf returns the host of a connection.
func hostOf(tb testing.TB, h *mysqlHosts) *fakeHost {
	tb.Helper()
	conn, err := h.Connect(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	return conn.(*hostConn).mysqlConn.(*fakeConn).host
}

var (
	errRefused  = errors.New("connection refused")
	errNotReady = &mysql.MySQLError{Number: 1047, Message: "WSREP has not yet prepared node for application use"}
)

// A host that cannot be used costs one try, and the next connections go to the host that worked.
func TestHosts_LostHost_IsTriedOnce(t *testing.T) {
	for name, lost := range map[string]*fakeHost{
		"refused":       {err: errRefused},
		"silent":        {silent: true},
		"not_ready":     {ready: func() error { return errNotReady }},
		"shutting_down": {err: &mysql.MySQLError{Number: 1053}},
		"read_only":     {readOnly: "1"},
		"read_only_on":  {readOnly: "ON"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				second, third := &fakeHost{}, &fakeHost{}
				hosts, began := fakeHosts(lost, second, third), time.Now()
				for range 5 {
					if got := hostOf(t, hosts); got != second {
						t.Fatalf("connected to %+v", got)
					}
				}
				if tried := lost.connections(); tried != 1 || third.connections() != 0 {
					t.Errorf("the lost host was tried %d times", tried)
				}
				if moves := (&Store{hosts: hosts}).HostMoves(); moves != 1 {
					t.Errorf("%d moves are counted", moves)
				}
				if took := time.Since(began); took > 2*time.Second {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}

func TestHosts_HostsThatAnswerAreKept(t *testing.T) {
	for name, first := range map[string]*fakeHost{
		"writable":            {},
		"off":                 {readOnly: "OFF"},
		"without_the_setting": {ready: func() error { return &mysql.MySQLError{Number: 1193} }},
	} {
		if got := hostOf(t, fakeHosts(first, &fakeHost{})); got != first {
			t.Errorf("%s: connected to %+v", name, got)
		}
	}
}

// A wrong password is the same on every host, and must not close the connections of others.
func TestHosts_HostRefusesTheUser_ReturnsItsError(t *testing.T) {
	second := &fakeHost{}
	hosts := fakeHosts(&fakeHost{err: &mysql.MySQLError{Number: 1045, Message: "Access denied"}}, second)
	if _, err := hosts.Connect(t.Context()); err == nil || !strings.Contains(err.Error(), "host0: ") || second.connections() != 0 || hosts.moves.Load() != 0 {
		t.Errorf("%v; %d moves", err, hosts.moves.Load())
	}
}

func TestHosts_NoHostAnswers_ErrorNamesEach(t *testing.T) {
	first, second := &fakeHost{err: errRefused}, &fakeHost{err: errRefused}
	hosts := fakeHosts(first, second)
	_, err := hosts.Connect(t.Context())
	if want := "host0: connection refused; host1: connection refused"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	second.err = nil
	if got := hostOf(t, hosts); got != second {
		t.Errorf("connected to %+v", got)
	}
}

// While a cluster changes its writable host, readers still read.
func TestHosts_AllReadOnly_ReturnsAConnection(t *testing.T) {
	first, second := &fakeHost{readOnly: "1"}, &fakeHost{readOnly: "1"}
	hosts := fakeHosts(first, second, &fakeHost{err: errRefused})
	conn, err := hosts.Connect(t.Context())
	if err != nil || first.closed+second.closed != 1 {
		t.Fatalf("%v; %d connections were closed", err, first.closed+second.closed)
	}
	if conn.(driver.Validator).IsValid() {
		t.Error("the connection to a read-only host is kept")
	}
	first.readOnly = "0"
	if got := hostOf(t, hosts); got != first {
		t.Errorf("connected to %+v", got)
	}
}

func TestHosts_StatementIsRefused_ConnectionsMove(t *testing.T) {
	for _, number := range []uint16{1047, 1053, 1290, 1836} {
		first, second := &fakeHost{}, &fakeHost{}
		hosts := fakeHosts(first, second)
		var conns []*hostConn
		for range 2 {
			conn, err := hosts.Connect(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			conns = append(conns, conn.(*hostConn))
		}
		if _, err := conns[0].ExecContext(t.Context(), "UPDATE", nil); err != nil || !conns[1].IsValid() {
			t.Fatalf("before: %v", err)
		}
		first.ready = func() error { return &mysql.MySQLError{Number: number} }
		for _, c := range conns { // both see it, and it counts once
			if _, err := c.ExecContext(t.Context(), "UPDATE", nil); !mysqlDialect.isConnectionLost(err) {
				t.Errorf("%d: got %v", number, err)
			}
			if c.IsValid() || !errors.Is(c.ResetSession(t.Context()), driver.ErrBadConn) {
				t.Errorf("%d: the connection is kept", number)
			}
		}
		if got := hostOf(t, hosts); got != second || hosts.moves.Load() != 1 {
			t.Errorf("%d: %d moves", number, hosts.moves.Load())
		}
	}
}

func TestHosts_OtherErrorsOfStatements_ConnectionsStay(t *testing.T) {
	hosts := fakeHosts(&fakeHost{}, &fakeHost{})
	conn, err := hosts.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := conn.(*hostConn)
	c.mysqlConn.(*fakeConn).host.ready = func() error { return &mysql.MySQLError{Number: 1213} }
	if _, err := c.QueryContext(t.Context(), "SELECT", nil); err == nil || !c.IsValid() {
		t.Errorf("%v; the connection is valid: %v", err, c.IsValid())
	}
}

// All callers wait for the same host at the same time; it is lost once for all.
func TestHosts_ManyCallersAtOnce_MoveOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lost, second, began := &fakeHost{silent: true}, &fakeHost{delay: time.Millisecond}, time.Now()
		hosts := fakeHosts(lost, second, &fakeHost{})
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				if got := hostOf(t, hosts); got != second {
					t.Errorf("connected to %+v", got)
				}
			})
		}
		all.Wait()
		if took := time.Since(began); hosts.moves.Load() != 1 || took > 3*time.Second {
			t.Errorf("%d moves in %v", hosts.moves.Load(), took)
		}
	})
}

func TestHosts_CallerLeaves(t *testing.T) {
	for name, tt := range map[string]struct {
		after time.Duration
		moves uint64
	}{"at_once": {impatience / 10, 0}, "after_a_while": {impatience + time.Millisecond, 1}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				hosts := fakeHosts(&fakeHost{silent: true}, &fakeHost{})
				ctx, cancel := context.WithTimeout(t.Context(), tt.after)
				defer cancel()
				if _, err := hosts.Connect(ctx); !errors.Is(err, context.DeadlineExceeded) || hosts.moves.Load() != tt.moves {
					t.Errorf("%v; %d moves", err, hosts.moves.Load())
				}
			})
		})
	}
}

func TestMySQLConfigs_OneForEachHost(t *testing.T) {
	all, err := mysqlConfigs("mysql://u:p,%40@a.example.com:3307,b.example.com,[::1]:3309/db?timeout=3s")
	if err != nil || len(all) != 3 {
		t.Fatalf("%d hosts: %v", len(all), err)
	}
	for i, want := range []string{"a.example.com:3307", "b.example.com:3306", "[::1]:3309"} {
		if c := all[i]; c.Addr != want || c.User != "u" || c.Passwd != "p,@" || c.DBName != "db" || c.Timeout != 3*time.Second {
			t.Errorf("got %+v, want %s", c, want)
		}
	}
}
