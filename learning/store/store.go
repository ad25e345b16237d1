package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/openlectern/learning/learning"
)

// Store is a [learning.Store] on one database. It is safe for concurrent use, and
// any number of them, in one process or in many, may share a database.
type Store struct {
	reader
	dialect *dialect
	writer  *sqlx.DB      // where transactions run
	pool    *pool         // where everything else is read
	lease   time.Duration // of the migration lock
}

var _ learning.Store = (*Store)(nil)

// Option changes how a store is opened.
type Option func(*options)

type options struct{ conns int }

// WithConns sets how many connections to the database are open at most: 20 without
// it. On SQLite these are the reading connections, 4 or one for each processor
// without it; the writing connection is always one.
func WithConns(n int) Option { return func(o *options) { o.conns = n } }

// Open connects to the database that a URL names, and makes sure that it answers.
// It does not change the tables: see [Store.Migrate].
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
//	timeout=5s          to connect
//	readTimeout=30s     for an answer
//	writeTimeout=30s    to send a statement
//
// No error contains the password.
func Open(ctx context.Context, url string, opts ...Option) (*Store, error) {
	var o options
	for _, opt := range opts {
		opt(&o)
	}
	if o.conns < 0 {
		return nil, fmt.Errorf("open the database: %d connections: there must be one at least", o.conns)
	}
	s, err := open(url, o)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	s.lease = migrationLease
	s.reader = reader{s.pool}
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

// Ping is nil when the database answers.
func (s *Store) Ping(ctx context.Context) error {
	if err := s.pool.db.PingContext(ctx); err != nil {
		return fmt.Errorf("ping the database: %w", err)
	}
	return nil
}

// Close closes all connections. Transactions that still run fail.
func (s *Store) Close() error {
	err := s.pool.close()
	if s.writer != s.pool.db {
		err = errors.Join(err, s.writer.Close())
	}
	return err
}
