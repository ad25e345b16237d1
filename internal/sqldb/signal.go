package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"time"

	"github.com/openlectern/openlectern/internal/backoff"
	"github.com/openlectern/openlectern/internal/sqldriver"
)

const (
	// signalChannel is the channel of the signals of all stores in a database. A signal has the
	// schema and the prefix of its tables.
	signalChannel = "openlectern"
	// listenPause is the default of DB.listenPause.
	listenPause = 5 * time.Second
	// minListeningConns is how many connections a limited pool of the host must allow so that one
	// of them listens.
	minListeningConns = 2 * minHostConns
)

// Signal makes those that [DB.Hear] in any process look for something that was committed. On
// engines without signals it does nothing.
//
// It is for after a transaction, and not for inside: PostgreSQL commits transactions that signal
// one by one.
func (db *DB) Signal(ctx context.Context) error {
	if db.dialect.signal == "" {
		return nil
	}
	_, err := db.pool.Exec(ctx, "send a signal", db.dialect.signal)
	return err
}

// Hear calls heard at each [DB.Signal] that any process sends for the same tables, until stop is
// called, and also when it cannot know whether there was one: when a connection begins to listen.
// heard must return at once.
//
// It hears nothing on engines without signals, behind a pooler, on a pool of the host whose driver
// wraps that of the engine, and on one that allows fewer than 8 connections. Otherwise it keeps one
// connection open for all databases that hear on a pool.
func (db *DB) Hear(heard func()) (stop func()) {
	if db.dialect.signal == "" {
		return func() {}
	}
	pool := db.writer.DB
	limit := pool.Stats().MaxOpenConnections
	if db.host != nil && limit > 0 && limit < minListeningConns {
		return func() {}
	}
	e := &ear{names: db.dialect.Names(), heard: heard}
	listeners.add(pool, e, db)
	return sync.OnceFunc(func() { listeners.remove(pool, e) })
}

// listeners are the listeners of this process, one for each pool: fifty stores of one host share a
// pool, and each would need a connection of its own.
var listeners = listenerTable{byPool: map[*sql.DB]*listener{}}

type listenerTable struct {
	mu     sync.Mutex
	byPool map[*sql.DB]*listener
}

// ear is what hears the signals of tables.
type ear struct {
	names Names
	heard func()
}

// listener listens on one connection while it has ears.
type listener struct {
	mu   sync.Mutex
	ears map[*ear]bool

	stop  context.CancelFunc
	ended chan struct{}
}

// add adds an ear to the listener of a pool, and begins to listen if it is the first one. db is a
// database that uses the pool.
func (t *listenerTable) add(pool *sql.DB, e *ear, db *DB) {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.byPool[pool]
	if l == nil {
		ctx, stop := context.WithCancel(context.Background())
		l = &listener{ears: map[*ear]bool{}, stop: stop, ended: make(chan struct{})}
		t.byPool[pool] = l
		go l.run(ctx, db)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ears[e] = true
}

// remove removes an ear of the listener of a pool. If it was the last one, remove returns when the
// listener has ended.
func (t *listenerTable) remove(pool *sql.DB, e *ear) {
	t.mu.Lock()
	l := t.byPool[pool]
	l.mu.Lock()
	delete(l.ears, e)
	isLast := len(l.ears) == 0
	l.mu.Unlock()
	if isLast {
		delete(t.byPool, pool)
	}
	t.mu.Unlock()
	if isLast {
		l.stop()
		<-l.ended
	}
}

// run listens until ctx is done or the connection turns out to have no signals.
func (l *listener) run(ctx context.Context, db *DB) {
	defer close(l.ended)
	defer l.stop()
	pool := db.writer.DB
	if db.connector != nil { // so that the connection is not one of those for transactions
		pool = sql.OpenDB(db.connector)
		defer pool.Close()
	}
	for {
		err := l.listen(ctx, pool, db.dialect.driver)
		if errors.Is(err, sqldriver.ErrNoListener) || backoff.Sleep(ctx, db.listenPause) != nil {
			return
		}
	}
}

// listen listens on one connection until ctx is done or the connection is lost.
func (l *listener) listen(ctx context.Context, pool *sql.DB, driver sqldriver.Driver) error {
	conn, err := pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	all := func() { l.hear(func(Names) bool { return true }) }
	return driver.Listen(ctx, conn, signalChannel, all, func(space string) {
		l.hear(func(n Names) bool { return n.isLockSpace(space) })
	})
}

// hear calls the ears whose tables are among those of a signal.
func (l *listener) hear(isOf func(Names) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for e := range l.ears {
		if isOf(e.names) {
			e.heard()
		}
	}
}
