package sqldb

import (
	"context"
	"database/sql"

	"modernc.org/sqlite"
)

// probe is a query that fails if the database does not answer.
type probe func(ctx context.Context, db *sql.DB) error

// await returns the result of f, or the error of ctx if that is done first. f then continues in its
// goroutine, because a driver may not return when its context is done.
func await(ctx context.Context, f func() error) error {
	result := make(chan error, 1)
	go func() { result <- f() }()
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// probeServer runs a query that reads no table.
func probeServer(ctx context.Context, db *sql.DB) error {
	var one int
	return db.QueryRowContext(ctx, "SELECT 1").Scan(&one)
}

// probeFile reads the schema of a SQLite file on a connection of its own, because one
// that is open may answer from its cache when the file is gone or damaged. It does not
// create the file.
func probeFile(ctx context.Context, open *sql.DB) error {
	var file string
	if err := open.QueryRowContext(ctx,
		"SELECT file FROM pragma_database_list WHERE name = 'main'").Scan(&file); err != nil {
		return err
	}
	c, err := sqlite.NewConnector(sqliteDSN(file, "busy_timeout(1000)", "query_only(1)") +
		"&mode=rw") // which does not create the file, unlike the default
	if err != nil {
		return err
	}
	db := sql.OpenDB(c)
	defer db.Close()
	var tables int
	return db.QueryRowContext(ctx, "SELECT COUNT(*) FROM sqlite_schema").Scan(&tables)
}
