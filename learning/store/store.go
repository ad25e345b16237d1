package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/openlectern/openlectern/internal/faultystore"
	"github.com/openlectern/openlectern/internal/nilarg"
	"github.com/openlectern/openlectern/internal/sqldb"
	"github.com/openlectern/openlectern/internal/sqldriver"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
)

// Store is a [learning.Store] on one database. It is safe for concurrent use. Any number
// of stores, in one process or in many, may use the same database.
type Store struct {
	reader
	db       *sqldb.DB
	observer core.Observer // nil for none
}

// reader implements [learning.Reader], so that each statement that reads is written once, for
// reads inside and outside transactions. The interfaces of package learning document the methods of
// reader and tx.
type reader struct{ q sqldb.Querier }

// tx is one run of a transaction.
type tx struct {
	reader
	*sqldb.Tx
	observer core.Observer // nil for none
}

var (
	_ learning.Store = (*Store)(nil)
	_ learning.Tx    = (*tx)(nil)
)

//go:embed migrations
var migrations embed.FS

// migrationFiles returns the migrations.
func migrationFiles() fs.FS {
	sub, err := fs.Sub(migrations, "migrations")
	if err != nil {
		panic(err) // cannot happen: the name is a constant
	}
	return sub
}

// ErrTimeout is the error of a read or a transaction that did not end within its
// deadline: see [WithDeadlines]. It matches [core.ErrBusy] and [context.DeadlineExceeded].
var ErrTimeout = sqldb.NewTimeout("store: the database did not answer in time", core.ErrBusy)

// Errors of [Store.CheckTables].
var (
	// ErrNoTables means that the database has no tables of this program.
	ErrNoTables = sqldb.ErrNoTables
	// ErrTablesTaken means that tables of another program have names that a migration needs.
	ErrTablesTaken = sqldb.ErrTablesTaken
	// ErrOldTables means that an older version of the program has migrated the database.
	ErrOldTables = sqldb.ErrOldTables
)

// Engine names an engine.
type Engine = sqldriver.Engine

// The engines. MySQL is also MariaDB.
const (
	SQLite     = sqldriver.SQLite
	MySQL      = sqldriver.MySQL
	PostgreSQL = sqldriver.PostgreSQL
)

// Option changes how a store is opened.
type Option func(*options)

type options struct {
	nilOptions nilarg.Options

	sqldb.Config
	observer core.Observer
}

// WithPrefix gives the name of each table, index and constraint a prefix, such as "lectern_", so
// that they can be in a database beside other tables. prefix is a small letter and up to 19 small
// letters, digits and underscores. Every program that uses the tables must give the same one.
func WithPrefix(prefix string) Option { return func(o *options) { o.Names.Prefix = prefix } }

// WithSchema puts the tables into a schema of PostgreSQL, which must exist. By default they are in
// that of the connection: the first that search_path names. On other engines it is an error.
func WithSchema(schema string) Option { return func(o *options) { o.Names.Schema = schema } }

// WithConns sets how many connections for reading are open at most for signed-in users and for
// the work of the server. The default, also for 0, is 8 on a server, and on SQLite the number of
// processors but at least 4. There are half as many, but at least 4, for anonymous callers, and
// as many for webhooks, payments and health checks: see [core.ReadClass].
func WithConns(n int) Option { return func(o *options) { o.Conns = n } }

// WithWritingConns sets how many connections for transactions are open at most. The
// default on a server, also for 0, is 32. On SQLite there is always one.
func WithWritingConns(n int) Option { return func(o *options) { o.WritingConns = n } }

// WithDeadlines bounds every operation on the database, in addition to the deadline of its
// context. read bounds a read outside a transaction; the default, also for 0, is 5 seconds.
// transaction bounds a transaction; the default is 10 seconds. Both include the wait for a
// connection. The time of a transaction includes all its tries and the pauses between
// them. On a server, COMMIT has 5 more seconds to be answered.
//
// An operation that takes longer returns [ErrTimeout]. On a server its connection is closed,
// so that the server rolls the transaction back.
func WithDeadlines(read, transaction time.Duration) Option {
	return func(o *options) { o.ReadTimeout, o.TxTimeout = read, transaction }
}

// WithObserver sets the observer of reads, transactions and leases. By default nothing is
// observed.
func WithObserver(observer core.Observer) Option {
	return func(o *options) {
		o.observer = nilarg.Given(&o.nilOptions, "WithObserver", observer)
	}
}

// Open connects to the database of a URL, and checks that the database answers. It does
// not change the tables: see [Store.Migrate]. It is for the packages of the engines, which have the
// drivers: a program calls Open of package sqlite, mysql or postgres, or of package engines, which
// chooses among them by the URL.
//
// Reads outside transactions and transactions use separate pools of connections, so that
// transactions that wait for row locks do not stop the reads. The reads have a pool for each
// [core.ReadClass]. [WithConns] and [WithWritingConns] set the sizes of the pools, and
// [WithDeadlines] the time-outs.
//
// Errors never contain the password of the URL.
func Open(
	ctx context.Context, driver sqldriver.Driver, url string, opts ...Option,
) (*Store, error) {
	o, err := newOptions(driver, opts)
	if err != nil {
		return nil, err
	}
	db, err := sqldb.Open(ctx, url, driver, o.Config)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	return newStore(db, o.observer), nil
}

// New returns a store on a pool of connections that the host has, beside the host's tables if
// [WithPrefix] or [WithSchema] is given. It does not change the tables: see [Store.Migrate]. It is
// for the packages of the engines: a program calls New of package sqlite, mysql, postgres or
// engines.
//
// The pool must be opened with the driver of the engine, or with one that wraps it and returns its
// errors. New checks the settings of the pool that the statements rely on, and returns an error
// that says what to set. The packages of the engines list them. The store sets nothing on the
// connections beyond the end of a transaction of its own.
//
// Transactions and the reads of each [core.ReadClass] use a share of the pool each:
// [WithConns] and [WithWritingConns] set how many connections at most. If the pool allows fewer in
// all, the shares are cut down. It must allow 4. The host's own statements wait if the shares and
// they need more than the pool allows.
//
// The time-outs of [WithDeadlines] bound the wait for a locked row.
//
// [Store.Close] leaves the pool open. Close the store before the pool.
func New(db *sql.DB, driver sqldriver.Driver, opts ...Option) (*Store, error) {
	o, err := newOptions(driver, opts)
	if err != nil {
		return nil, err
	}
	d, err := sqldb.New(db, driver, o.Config)
	if err != nil {
		return nil, fmt.Errorf("use the database of the host: %w", err)
	}
	return newStore(d, o.observer), nil
}

// newOptions returns the options of a store: the configuration of package sqldb, with the errors of
// package learning. It returns an error if driver, an option, or the argument of one, is nil.
func newOptions(driver sqldriver.Driver, opts []Option) (options, error) {
	if nilarg.Is(driver) {
		return options{}, errors.New("store: the driver is nil: call Open or New of package sqlite, " +
			"mysql or postgres")
	}
	o := options{Config: sqldb.Config{
		Class:      classOf,
		Migrations: migrationFiles(),
		// The conditions of a search have as many placeholders as there are words.
		Uncached: "search_words",
		Errors: sqldb.Errors{
			NoRow:          core.ErrNoRecord,
			Duplicate:      core.ErrDuplicate,
			Busy:           core.ErrBusy,
			Timeout:        ErrTimeout,
			UnknownOutcome: core.ErrUnknownOutcome,
		},
	}}
	err := nilarg.Apply("store", &o, opts)
	if err == nil {
		err = o.nilOptions.Err("store")
	}
	if err == nil && o.observer != nil {
		o.ObserveRead, o.ObserveTx = observeRead(o.observer), observeTx(o.observer)
	}
	return o, err
}

// newStore returns a store that reads and writes with db. observer is nil for none.
func newStore(db *sqldb.DB, observer core.Observer) *Store {
	return &Store{reader: reader{db.Reads()}, db: db, observer: observer}
}

// classOf returns the class of the reads with ctx.
func classOf(ctx context.Context) sqldb.Class {
	switch core.ReadClassOf(ctx) {
	case core.AnonymousReads:
		return sqldb.Anonymous
	case core.UrgentReads:
		return sqldb.Urgent
	default:
		return sqldb.Ordinary
	}
}

// CheckPrefix returns the error of a prefix that [WithPrefix] does not accept.
func CheckPrefix(prefix string) error { return sqldb.CheckPrefix(prefix) }

// InTx runs fn in one transaction: see [learning.Store]. If the transaction conflicts
// with another one (deadlock, lock time-out, busy file, conflict at COMMIT), or if the
// connection is lost before COMMIT, InTx runs all of it again: at most 8 times, or 24 times
// while servers end it because of conflicts. If ctx or the time that [WithDeadlines] gives to
// all tries together ends first, InTx returns the error of ctx or [ErrTimeout]. The error of a
// transaction that was given up because of others matches [core.ErrBusy].
//
// On MySQL a statement waits at most one second for a row that another transaction has
// locked. A transaction whose wait timed out runs again only while fewer than half of
// the writing connections run such transactions, so that many transactions on one locked
// row leave connections to transactions on other rows.
//
// fn must use its tx, and no other method of the store, because SQLite has a single
// writing connection and fn is using it. After a statement has failed, every other
// statement of the transaction returns the same error, and so does InTx, even if fn
// returns nil: on MySQL a deadlock ends the transaction, so that later statements would
// take effect on their own. [core.ErrNoRecord] does not count as a failure.
//
// ctx bounds the wait for a connection, the statements and the pauses. When it is done,
// the transaction is rolled back. InTx waits for a COMMIT that was sent.
func (s *Store) InTx(ctx context.Context, fn func(tx learning.Tx) error) error {
	return s.db.InTx(ctx, func(t *sqldb.Tx) error { return fn(s.newTx(t)) })
}

// newTx returns t with the statements of the store.
func (s *Store) newTx(t *sqldb.Tx) *tx {
	return &tx{reader: reader{t}, Tx: t, observer: s.observer}
}

// PoolStats returns the statistics of the connections by pool: "reading", "anonymous" and "urgent"
// for the classes of reads outside transactions (see [core.ReadClass]), and "writing" for
// transactions. A pool of the host is "host".
func (s *Store) PoolStats() map[string]sql.DBStats { return s.db.Stats() }

// Ping returns nil if the database answers a query. Its read is an urgent one. Ping returns when
// ctx is done, even if the driver does not.
func (s *Store) Ping(ctx context.Context) error { return s.db.Ping(ctx) }

// Close closes all connections, those of running transactions when these end. The pool of [New]
// stays open.
func (s *Store) Close() error { return s.db.Close() }

// Tests of this module make a store fail, and hosts see nothing of it.
func init() {
	faultystore.Register(func(s learning.Store, inject faultystore.Inject) learning.Store {
		st := s.(*Store)
		return newStore(st.db.WithFaults(inject), st.observer)
	})
}
