package enginetest

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"testing"
	"time"
)

// keptTable records the migrations of the store. Its rows stay, so that a test migrates in no time.
const keptTable = "learning_migrations"

// reused are the databases of one server that tests use one after the other.
type reused struct {
	mu   sync.Mutex
	idle []string // the names of those that no test uses
}

// take returns the URL of a database without rows. It has the tables of the test that had it
// before, or none if it is new. When the test ends, take deletes its rows, and another test may get
// the database.
func (r *reused) take(tb testing.TB, s *instance) string {
	tb.Helper()
	name := r.takeIdle()
	if name == "" {
		name = s.nextName()
		if err := s.create(name); err != nil {
			tb.Fatal(err)
		}
	}
	tb.Cleanup(func() {
		if err := s.clear(name); err != nil {
			tb.Errorf("clear the database of a test: %v", err)
			return
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.idle = append(r.idle, name)
	})
	return s.url(name)
}

// takeIdle returns the name of a database that no test uses, or "".
func (r *reused) takeIdle() (name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(r.idle); n > 0 {
		name, r.idle = r.idle[n-1], r.idle[:n-1]
	}
	return name
}

// reuse returns the URL of a database of the shared server that was perhaps used before.
func (s *shared) reuse(tb testing.TB) string {
	tb.Helper()
	s.start(tb)
	return s.reused.take(tb, s.server)
}

// clear deletes all rows of a database except those of keptTable. Before that it waits until no
// connection uses the database, and returns an error if one stays open.
func (s *instance) clear(database string) error {
	ctx, cancel := context.WithTimeout(context.Background(), statementTimeout)
	defer cancel()
	if err := s.awaitNoConnection(ctx, database); err != nil {
		return err
	}
	return s.program.family.clear(ctx, s, database)
}

// awaitNoConnection waits until no connection uses a database. A server ends the transaction of a
// connection some time after the client has closed it. information_schema.innodb_trx would say
// more, but a server does not refresh it while it is read again and again. The query is repeated on
// an error, because MySQL cannot list the statements of other tests if they contain an emoji.
func (s *instance) awaitNoConnection(ctx context.Context, database string) error {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		open, err := texts(ctx, s.admin, s.program.family.connectionsQuery, database)
		if err == nil && len(open) == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(errors.New("a connection is still open"), err)
		case <-tick.C:
		}
	}
}

// texts returns the values of a query with one column.
func texts(
	ctx context.Context, db *sql.DB, query string, args ...any,
) (values []string, err error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var value string
		if err := rows.Scan(&value); err != nil {
			return nil, err
		}
		values = append(values, value)
	}
	return values, rows.Err()
}
