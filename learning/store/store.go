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

// Store is a [learning.Store] on one database. It is safe for concurrent use. Any number
// of stores, in one process or in many, may use the same database.
type Store struct {
	reader
	dialect       *dialect
	writer        *sqlx.DB          // for transactions
	observer      learning.Observer // nil for none
	pool          *pool             // for ordinary reads outside transactions
	anonymous     *pool             // for reads of anonymous callers
	urgent        *pool             // for reads of webhooks, payments and health checks
	txTimeout     time.Duration     // of one transaction with all its tries
	lockWaitSlots chan struct{}     // taken by transactions that run again after a lock time-out
	lease         time.Duration     // duration of the migration lease

	inject          func(ctx context.Context, step string) error // of [Store.WithFaults], or nil
	clustered       bool                                         // whether the server is a node of a Galera cluster
	marks           bool                                         // whether transactions insert markers
	outcomeTimeout  time.Duration                                // of the search for the outcome of one COMMIT
	markersPerSweep int                                          // 0 for no sweeps
}

var _ learning.Store = (*Store)(nil)

// Option changes how a store is opened.
type Option func(*options)

type options struct {
	conns        int
	writingConns int
	deadlines    deadlines
	observer     learning.Observer
}

// WithConns sets how many connections for reading are open at most for signed-in users and for
// the work of the server. The default, also for 0, is 8 on MySQL, and on SQLite the number of
// processors but at least 4. There are half as many, but at least 4, for anonymous callers, and
// as many for webhooks, payments and health checks: see [learning.ReadClass].
func WithConns(n int) Option { return func(o *options) { o.conns = n } }

// WithWritingConns sets how many connections for transactions are open at most. The
// default on MySQL, also for 0, is 32. On SQLite there is always one.
func WithWritingConns(n int) Option { return func(o *options) { o.writingConns = n } }

// WithDeadlines bounds every operation on the database, in addition to the deadline of its
// context. read bounds a read outside a transaction; the default, also for 0, is 5 seconds.
// transaction bounds a transaction; the default is 10 seconds. Both include the wait for a
// connection. The time of a transaction includes all its tries and the pauses between
// them. On MySQL, COMMIT has 5 more seconds to be answered.
//
// An operation that takes longer returns [ErrTimeout]. On MySQL its connection is closed,
// so that the server rolls the transaction back.
func WithDeadlines(read, transaction time.Duration) Option {
	return func(o *options) { o.deadlines = deadlines{read, transaction} }
}

// WithObserver sets the observer of reads, transactions and leases. By default nothing is
// observed.
func WithObserver(observer learning.Observer) Option {
	return func(o *options) { o.observer = observer }
}

// Open connects to the database of a URL, and checks that the database answers. It does
// not change the tables: see [Store.Migrate].
//
// Reads outside transactions and transactions use separate pools of connections, so that
// transactions that wait for row locks do not stop the reads. The reads have a pool for each
// [learning.ReadClass]. [WithConns] and [WithWritingConns] set the sizes of the pools, and
// [WithDeadlines] the time-outs.
//
//	sqlite:learning.db                        a file with a relative or absolute path
//	mysql://user:password@host:3306/name      MySQL or a compatible server
//
// The text after "sqlite:" is the path, without any encoding. The folder must exist. In a
// mysql URL, special characters of user and password must be percent-encoded. The port may
// be left out. These parameters are allowed:
//
//	tls=true            TLS that verifies the certificate of the server; "skip-verify"
//	                    and "preferred" are weaker; the default is no TLS
//	timeout=5s          to connect, until the server is ready for statements
//	readTimeout=30s     for an answer
//	writeTimeout=30s    to send a statement
//
// The nodes of a cluster have one URL: the address of a proxy, such as MySQL Router or ProxySQL,
// which leads all connections to one node. If the connection of an open transaction is lost, the
// transaction runs again on a new one.
//
// Errors never contain the password.
func Open(ctx context.Context, url string, opts ...Option) (*Store, error) {
	var o options
	for _, opt := range opts {
		opt(&o)
	}
	if o.conns < 0 || o.writingConns < 0 {
		return nil, fmt.Errorf("open the database: %d and %d connections: each must be at least 1", o.conns, o.writingConns)
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

// CheckURL returns the error of a URL that [Open] does not understand, or of a SQLite file whose
// folder does not exist. It connects to no database and creates no file.
func CheckURL(url string) error {
	scheme, rest, _ := strings.Cut(url, ":")
	switch scheme {
	case "sqlite":
		_, err := sqliteFile(rest)
		return err
	case "mysql":
		_, err := newMySQLConnector(url)
		return err
	default:
		return errURL
	}
}

// errURL is the error of a URL of no known scheme.
var errURL = errors.New(`the URL must be "sqlite:path/to.db" or "mysql://user:password@host:3306/name"`)

// connect opens the first connections: the one for reading first, because it sets a SQLite
// file to WAL mode. The connections are new, so that a query on them reads the file.
func (s *Store) connect(ctx context.Context) error {
	err := s.dialect.retryBusy(ctx, func() error { return firstError(s.ping(ctx, probeServer), s.writer.PingContext(ctx)) })
	if err != nil {
		return err
	}
	return s.findNodes(ctx)
}

func open(url string, o options) (*Store, error) {
	scheme, rest, _ := strings.Cut(url, ":")
	switch scheme {
	case "sqlite":
		return openSQLite(rest, o)
	case "mysql":
		return openMySQL(url, o)
	default:
		return nil, errURL
	}
}

// newStore returns a store with a pool for transactions and pools for reading, which open returns
// with a number of connections.
func newStore(d *dialect, writer *sqlx.DB, open func(conns int) *sqlx.DB, o options) *Store {
	reading := func(conns int) *pool {
		return &pool{db: open(conns), dialect: d, readTimeout: o.deadlines.read, observer: o.observer}
	}
	others := max(4, o.conns/2)
	c := classed{
		ordinary:  reading(o.conns),
		anonymous: reading(others),
		urgent:    reading(others),
	}
	// The other half of the writing connections is for transactions without a lock time-out.
	slots := max(1, writer.Stats().MaxOpenConnections/2)
	return &Store{reader: reader{c}, dialect: d, writer: writer, pool: c.ordinary, anonymous: c.anonymous, urgent: c.urgent,
		observer: o.observer, txTimeout: o.deadlines.tx,
		lockWaitSlots: make(chan struct{}, slots), lease: migrationLeaseLength,
		marks: d.marksCommits, outcomeTimeout: outcomeTimeout, markersPerSweep: markersPerSweep}
}

// Ping returns nil if the database answers a query. Its read is an urgent one. Ping returns when
// ctx is done, even if the driver does not.
func (s *Store) Ping(ctx context.Context) error {
	if s.dialect == sqliteDialect {
		return s.ping(ctx, probeFile)
	}
	return s.ping(ctx, probeServer)
}

// ping calls probe with the time limit of a read.
func (s *Store) ping(ctx context.Context, probe probe) error {
	ctx, cancel := withTimeout(ctx, s.pool.readTimeout)
	defer cancel()
	if err := await(ctx, func() error { return probe(ctx, s.urgent.db.DB) }); err != nil {
		return fmt.Errorf("ping the database: %w", firstError(contextError(ctx), err))
	}
	return nil
}

// Close closes all connections. Running transactions fail.
func (s *Store) Close() error {
	return errors.Join(s.pool.close(), s.anonymous.close(), s.urgent.close(), s.writer.Close())
}
