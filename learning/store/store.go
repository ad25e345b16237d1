package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/openlectern/openlectern/learning"
)

// Store is a [learning.Store] on one database. It is safe for concurrent use, and
// any number of them, in one process or in many, may share a database.
type Store struct {
	reader
	dialect *dialect
	writer  *sqlx.DB      // where transactions run
	pool    *pool         // where everything else is read
	txTime  time.Duration // of one transaction with all its tries
	again   chan struct{} // slots for transactions that have waited in vain for a row lock
	lease   time.Duration // of the migration lock
}

var _ learning.Store = (*Store)(nil)

// Option changes how a store is opened.
type Option func(*options)

type options struct {
	conns        int
	writingConns int
	deadlines    deadlines
}

// WithConns sets how many connections for reading are open at most. Without it, or with
// 0, there are 16 on MySQL; on SQLite one for each processor, and 4 at least.
func WithConns(n int) Option { return func(o *options) { o.conns = n } }

// WithWritingConns sets how many connections for transactions are open at most. Without
// it, or with 0, there are 32 on MySQL. On SQLite there is always one.
func WithWritingConns(n int) Option { return func(o *options) { o.writingConns = n } }

// WithDeadlines bounds every operation on the database, whatever the deadline of its
// context: a read outside a transaction, by 5 seconds without this option; and a
// transaction, by 10 seconds. Both include the wait for a connection. The time of a
// transaction is the sum of all its tries, with the pauses between them; after it,
// COMMIT has at most 5 seconds of its own to be answered on MySQL. 0 is the default.
//
// What takes longer fails with [ErrTimeout]. On MySQL its connection is closed, so that
// the server rolls the transaction back.
func WithDeadlines(read, transaction time.Duration) Option {
	return func(o *options) { o.deadlines = deadlines{read, transaction} }
}

// Open connects to the database that a URL names, and makes sure that it answers.
// It does not change the tables: see [Store.Migrate].
//
// Reads outside transactions and transactions have pools of their own, so that
// transactions that wait for row locks do not stop the reads: see [WithConns] and
// [WithWritingConns] for their sizes, and [WithDeadlines] for how long each may take.
//
//	sqlite:learning.db                        a file, relative or absolute
//	mysql://user:password@host:3306/name      MySQL and its relatives
//
// What follows "sqlite:" is the path as it is, whatever characters it has; the
// folder must exist. In a mysql URL, special characters of user and password are
// percent-encoded, the port may be left out, and these parameters are known:
//
//	tls=true            TLS with the host's certificate checked; "skip-verify" and
//	                    "preferred" are weaker; without it there is none
//	timeout=5s          to connect, until the server is ready for statements
//	readTimeout=30s     for an answer
//	writeTimeout=30s    to send a statement
//
// No error contains the password.
func Open(ctx context.Context, url string, opts ...Option) (*Store, error) {
	var o options
	for _, opt := range opts {
		opt(&o)
	}
	if o.conns < 0 || o.writingConns < 0 {
		return nil, fmt.Errorf("open the database: %d and %d connections: there must be one at least", o.conns, o.writingConns)
	}
	var err error
	if o.deadlines, err = o.deadlines.withDefaults(); err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	s, err := open(url, o)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	if err := s.connect(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open the database: %w", err), s.Close())
	}
	return s, nil
}

// connect makes the first connections, the readers' before the writer's.
func (s *Store) connect(ctx context.Context) error {
	return s.dialect.patiently(ctx, func() error { return first(s.Ping(ctx), s.writer.PingContext(ctx)) })
}

func open(url string, o options) (*Store, error) {
	scheme, rest, _ := strings.Cut(url, ":")
	switch scheme {
	case "sqlite":
		return openSQLite(rest, o)
	case "mysql":
		return openMySQL(url, o)
	default:
		return nil, errors.New(`the URL must be "sqlite:path/to.db" or "mysql://user:password@host:3306/name"`)
	}
}

// newStore is a store on two pools.
func newStore(d *dialect, writer, readers *sqlx.DB, o options) *Store {
	p := &pool{readers, d, o.deadlines.read}
	// Half of the writing connections are left to transactions that have not met a lock.
	slots := max(1, writer.Stats().MaxOpenConnections/2)
	return &Store{reader: reader{p}, dialect: d, writer: writer, pool: p, txTime: o.deadlines.tx,
		again: make(chan struct{}, slots), lease: migrationLease}
}

// Ping returns nil if the database answers a query. It returns when ctx is done, even if
// the driver does not.
func (s *Store) Ping(ctx context.Context) error {
	ctx, cancel := bounded(ctx, s.pool.readTime)
	defer cancel()
	if err := s.probe(ctx); err != nil {
		return fmt.Errorf("ping the database: %w", first(ended(ctx), err))
	}
	return nil
}

// Close closes all connections. Transactions that still run fail.
func (s *Store) Close() error {
	return errors.Join(s.pool.close(), s.writer.Close())
}
