package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/openlectern/openlectern/internal/sqldriver"
)

// DB is a database with its pools of connections. It is safe for concurrent use.
type DB struct {
	dialect       *Dialect
	migrations    fs.FS
	writer        *sqlx.DB         // for transactions
	writing       share            // of the connections of writer
	host          *sqlx.DB         // the one pool, if it is that of the host; else nil
	connector     driver.Connector // of a connection of its own; nil on a pool of the host
	pool          *Pool            // for ordinary reads outside transactions
	anonymous     *Pool            // for reads of the class Anonymous
	urgent        *Pool            // for reads of the class Urgent
	txTimeout     time.Duration    // of one transaction with all its tries
	lockQueues    *lockQueues      // nil for SQLite
	lockWaitSlots chan struct{}    // taken by transactions that run again after a lock time-out
	lease         time.Duration    // how long the migration lease is held without an extension

	class func(ctx context.Context) Class // see Config.Class
	// see Config.ObserveTx; never nil
	observeTx func(ctx context.Context) (context.Context, func(err error, runs int))
	inject    func(ctx context.Context, step string) error // of [DB.WithFaults], or nil
	// whether the server is a node of a Galera cluster
	clustered bool
	// whether transactions insert markers
	marks bool
	// of the search for the outcome of one COMMIT
	outcomeTimeout  time.Duration
	markersPerSweep int // 0 for no sweeps
	// before a listener that has lost its connection opens another one
	listenPause time.Duration
}

// Config are the settings of a database. Class, Errors and Migrations must be set.
type Config struct {
	Conns        int // for ordinary reads; 0 for the default of the engine
	WritingConns int // for transactions, on a server; 0 for the default

	ReadTimeout time.Duration // of one read outside a transaction; 0 for the default
	TxTimeout   time.Duration // of one transaction with all its tries; 0 for the default

	// Class returns the class of a read outside a transaction.
	Class  func(ctx context.Context) Class
	Errors Errors
	// Migrations has the numbered steps: those for all engines, as rewriteLines describes them, and
	// those of one engine in the folders sqlite, mysql and postgres.
	Migrations fs.FS
	Names      Names // of the tables and indexes
	// Uncached is a text whose statements are not prepared on SQLite, because they differ in their
	// number of placeholders and would fill the cache. "" for none.
	Uncached string

	// ObserveRead and ObserveTx are called when a read or a transaction begins. The read or the
	// transaction runs with the context that they return. end is called when it has ended, with its
	// error, and for a transaction with the number of its tries. nil for none.
	ObserveRead func(ctx context.Context, action string) (inner context.Context, end func(error))
	ObserveTx   func(ctx context.Context) (inner context.Context, end func(err error, runs int))
}

// withDefaults returns c with the defaults that are the same on all engines in place of zeros. The
// numbers of connections stay 0, because each engine has defaults of its own for them. It returns
// an error if a number is negative.
func (c Config) withDefaults() (Config, error) {
	if c.Conns < 0 || c.WritingConns < 0 {
		return c, fmt.Errorf("%d and %d connections: each must be at least 1", c.Conns,
			c.WritingConns)
	}
	if c.ReadTimeout < 0 || c.TxTimeout < 0 {
		return c, fmt.Errorf("deadlines of %v and %v: they must not be negative", c.ReadTimeout,
			c.TxTimeout)
	}
	if c.ReadTimeout == 0 {
		c.ReadTimeout = defaultReadTimeout
	}
	if c.TxTimeout == 0 {
		c.TxTimeout = defaultTxTimeout
	}
	if c.ObserveRead == nil {
		c.ObserveRead = func(ctx context.Context, _ string) (context.Context, func(error)) {
			return ctx, func(error) {}
		}
	}
	if c.ObserveTx == nil {
		c.ObserveTx = func(ctx context.Context) (context.Context, func(error, int)) {
			return ctx, func(error, int) {}
		}
	}
	return c, nil
}

// Open connects to the database of a URL with a driver, and checks that the database answers. It
// does not change the tables: see [DB.Migrate].
func Open(ctx context.Context, url string, driver sqldriver.Driver, c Config) (*DB, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := c.Names.check(driver.Engine()); err != nil {
		return nil, err
	}
	db, err := open(url, driver, c)
	if err != nil {
		return nil, err
	}
	if err := firstError(db.connect(ctx), db.checkSchema(ctx)); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// open returns the database of a URL. It connects to nothing yet, but creates the file of a new
// SQLite database.
func open(url string, driver sqldriver.Driver, c Config) (*DB, error) {
	e, isKnown := engines[driver.Engine()]
	if !isKnown {
		return nil, sqldriver.ErrEngine(driver.Engine())
	}
	connectors, err := driver.Connect(url, c.Uncached)
	if err != nil {
		return nil, err
	}
	c.Conns, c.WritingConns = e.conns(c)
	return e.open(e.dialect.with(driver, c), connectors, c), nil
}

// newDB returns a database that uses writer for transactions, and for each class of reads a pool
// that it gets from open, with at most conns connections, or a share of a pool. c.Conns and
// c.WritingConns must not be 0.
func newDB(
	d *Dialect, writer *sqlx.DB, open func(conns int) (*sqlx.DB, share), c Config,
) *DB {
	reading := func(conns int) *Pool {
		pool, share := open(conns)
		return &Pool{
			DB:          pool,
			share:       share,
			session:     d.session(pool),
			dialect:     d,
			readTimeout: c.ReadTimeout,
			observe:     c.ObserveRead,
		}
	}
	// Half of the writing connections may wait for a row again after a lock time-out, so that the
	// other half serves transactions on other rows. SQLite has one connection and one slot.
	slots := max(1, c.WritingConns/2)
	var queues *lockQueues
	if d.Name != "sqlite" {
		queues = &lockQueues{rows: map[string]*lockQueue{}}
	}
	return &DB{
		lockQueues:      queues,
		dialect:         d,
		migrations:      c.Migrations,
		writer:          writer,
		class:           c.Class,
		pool:            reading(c.Conns),
		anonymous:       reading(c.otherConns()),
		urgent:          reading(c.otherConns()),
		txTimeout:       c.TxTimeout,
		observeTx:       c.ObserveTx,
		lockWaitSlots:   make(chan struct{}, slots),
		lease:           migrationLeaseLength,
		marks:           d.marksCommits,
		outcomeTimeout:  outcomeTimeout,
		markersPerSweep: markersPerSweep,
		listenPause:     listenPause,
	}
}

// otherConns returns the number of connections for anonymous reads, and for urgent ones, which are
// fewer than the ordinary ones.
func (c Config) otherConns() int { return max(4, c.Conns/2) }

// connect opens the first connections: the one for reading first, because it sets a SQLite
// file to WAL mode. Because the connections are new, even a query that reads no table reads a
// SQLite file. Then connect finds out whether the server is a node of a cluster.
func (db *DB) connect(ctx context.Context) error {
	// Another process may have a SQLite file locked at the moment.
	err := db.dialect.retryBusy(ctx, func() error {
		return firstError(db.ping(ctx, sqldriver.ProbeServer, openTimeout),
			db.writer.PingContext(ctx))
	})
	if err != nil {
		return err
	}
	return db.findNodes(ctx)
}

// Reads returns the Querier for statements outside transactions. It runs each one on the pool of
// the class that Config.Class returns for the context.
func (db *DB) Reads() Querier {
	return classed{class: db.class, ordinary: db.pool, anonymous: db.anonymous, urgent: db.urgent}
}

// Writer returns the pool of the transactions, for tests.
func (db *DB) Writer() *sqlx.DB { return db.writer }

// Reader returns the pool of the ordinary reads, for tests.
func (db *DB) Reader() *sqlx.DB { return db.pool.DB }

// Ping returns nil if the database answers a query. Its read is an urgent one. Ping returns when
// ctx is done, even if the driver does not.
func (db *DB) Ping(ctx context.Context) error {
	return db.ping(ctx, db.dialect.driver.Probe, db.pool.readTimeout)
}

// ping calls probe on the pool of the urgent reads, with a time limit. await returns at the limit,
// even if the driver does not.
func (db *DB) ping(
	ctx context.Context, probe func(context.Context, *sql.DB) error, limit time.Duration,
) error {
	ctx, cancel := db.dialect.withTimeout(ctx, limit)
	defer cancel()
	release, err := db.urgent.take(ctx, "ping the database")
	if err != nil {
		return err
	}
	defer release()
	if err := await(ctx, func() error { return probe(ctx, db.urgent.DB.DB) }); err != nil {
		return fmt.Errorf("ping the database: %w", firstError(db.dialect.contextError(ctx), err))
	}
	return nil
}

// Close closes all connections that are not in use, and the others when their transaction or read
// has ended. No new ones can begin.
// The pool of a host stays open.
func (db *DB) Close() error {
	if db.host != nil {
		return nil
	}
	return errors.Join(db.pool.close(), db.anonymous.close(), db.urgent.close(), db.writer.Close())
}
