package enginetest

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"
)

// keptTable records the migrations of the store. Its rows stay, so that a test migrates in no time.
const keptTable = "learning_migrations"

// reuse returns the URL of a database without rows. It has the tables of the test that had it
// before, or none if it is new. When the test ends, reuse deletes its rows, and another test may
// get the database.
func (s *shared) reuse(tb testing.TB) string {
	tb.Helper()
	s.start(tb)
	name := s.takeIdle()
	if name == "" {
		name = s.server.nextName()
		if err := s.server.create(name); err != nil {
			tb.Fatal(err)
		}
	}
	tb.Cleanup(func() {
		if err := s.server.clear(name); err != nil {
			tb.Errorf("clear the database of a test: %v", err)
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.idle = append(s.idle, name)
	})
	return s.server.url(name)
}

// takeIdle returns the name of a database that no test uses, or "".
func (s *shared) takeIdle() (name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.idle); n > 0 {
		name, s.idle = s.idle[n-1], s.idle[:n-1]
	}
	return name
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
