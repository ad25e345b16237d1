package migrations

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/golang-migrate/migrate/v4"
	"github.com/golang-migrate/migrate/v4/database"
	migratemysql "github.com/golang-migrate/migrate/v4/database/mysql"
	migratepgx "github.com/golang-migrate/migrate/v4/database/pgx/v5"
	migratesqlite "github.com/golang-migrate/migrate/v4/database/sqlite"
	"github.com/golang-migrate/migrate/v4/source/iofs"
	"github.com/pressly/goose/v3"

	"github.com/openlectern/openlectern/learning/store"
)

// versions is the name of the tables in which the tools keep their versions.
const versions = "lectern_versions"

// tool is a migration tool, used as docs/operations.md says.
type tool interface {
	// up runs the files that were not run yet.
	up(ctx context.Context, h host, files fs.FS) error
	// setVersion makes the tool take the files up to a version as run, and as not interrupted.
	setVersion(ctx context.Context, h host, files fs.FS, version int) error
}

var tools = map[string]tool{"goose": gooseTool{}, "golang-migrate": migrateTool{}}

// host is the database of a host.
type host struct {
	engine store.Engine
	driver string
	dsn    string
}

// hostOf returns the host of a URL of an engine.
func hostOf(t *testing.T, rawURL string) host {
	t.Helper()
	if file, isFile := strings.CutPrefix(rawURL, "sqlite:"); isFile {
		return host{engine: store.SQLite, driver: "sqlite", dsn: file}
	}
	u, err := url.Parse(rawURL)
	if err != nil {
		t.Fatal(err)
	}
	if u.Scheme == "postgres" {
		return host{engine: store.PostgreSQL, driver: "pgx", dsn: rawURL}
	}
	c := mysql.NewConfig()
	c.User, c.Net, c.Addr, c.DBName = u.User.Username(), "tcp", u.Host, strings.Trim(u.Path, "/")
	c.ParseTime = true
	c.MultiStatements = true
	return host{engine: store.MySQL, driver: "mysql", dsn: c.FormatDSN()}
}

// exec runs a statement.
func (h host) exec(ctx context.Context, statement string) error {
	db, err := sql.Open(h.driver, h.dsn)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, statement)
	return errors.Join(err, db.Close())
}

// tables lists the tables, on PostgreSQL those of the schema of the connections.
func (h host) tables(t *testing.T) []string {
	t.Helper()
	return h.list(t, map[store.Engine]string{
		store.SQLite: "SELECT name FROM sqlite_schema WHERE type = 'table' " +
			"AND name <> 'sqlite_sequence'",
		store.MySQL: "SELECT table_name FROM information_schema.tables " +
			"WHERE table_schema = DATABASE()",
		store.PostgreSQL: "SELECT table_name FROM information_schema.tables " +
			"WHERE table_schema = current_schema",
	}[h.engine])
}

// schema lists the columns and indexes of the tables that the files make.
func (h host) schema(t *testing.T) (lines []string) {
	t.Helper()
	const others = "('" + versions + "', 'learning_migration_lease', 'sqlite_sequence')"
	queries := map[store.Engine][]string{
		store.SQLite: {`SELECT sql FROM sqlite_schema
			WHERE sql IS NOT NULL AND tbl_name NOT IN ` + others},
		store.MySQL: {
			`SELECT CONCAT_WS(' ', table_name, table_collation, row_format, engine)
				FROM information_schema.tables
				WHERE table_schema = DATABASE() AND table_name NOT IN ` + others,
			`SELECT CONCAT_WS(' ', table_name, ordinal_position, column_name, column_type,
					collation_name, is_nullable, column_default, extra, generation_expression)
				FROM information_schema.columns
				WHERE table_schema = DATABASE() AND table_name NOT IN ` + others,
			`SELECT CONCAT_WS(' ', table_name, index_name, non_unique, seq_in_index, column_name,
					sub_part)
				FROM information_schema.statistics
				WHERE table_schema = DATABASE() AND table_name NOT IN ` + others},
		store.PostgreSQL: {
			`SELECT CONCAT_WS(' ', table_name, ordinal_position, column_name, data_type,
					character_maximum_length, datetime_precision, collation_name, is_nullable,
					column_default, generation_expression)
				FROM information_schema.columns
				WHERE table_schema = current_schema AND table_name NOT IN ` + others,
			`SELECT indexdef FROM pg_indexes
				WHERE schemaname = current_schema AND tablename NOT IN ` + others},
	}
	for _, query := range queries[h.engine] {
		lines = append(lines, h.list(t, query)...)
	}
	slices.Sort(lines)
	return lines
}

// list returns the texts that a query reads.
func (h host) list(t *testing.T, query string) (texts []string) {
	t.Helper()
	db, err := sql.Open(h.driver, h.dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return texts
}

type gooseTool struct{}

func (gooseTool) up(ctx context.Context, h host, files fs.FS) error {
	db, err := sql.Open(h.driver, h.dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	dialect := map[store.Engine]goose.Dialect{
		store.SQLite:     goose.DialectSQLite3,
		store.MySQL:      goose.DialectMySQL,
		store.PostgreSQL: goose.DialectPostgres,
	}[h.engine]
	p, err := goose.NewProvider(dialect, db, files, goose.WithTableName(versions))
	if err != nil {
		return err
	}
	_, err = p.Up(ctx)
	return err
}

// setVersion inserts a row for each version. The tool has none for a file that was interrupted, and
// no command for this.
func (g gooseTool) setVersion(ctx context.Context, h host, files fs.FS, version int) error {
	for v := range version {
		err := h.exec(ctx, fmt.Sprintf("INSERT INTO %s (version_id, is_applied) VALUES (%d, TRUE)",
			versions, v+1))
		if err != nil {
			return err
		}
	}
	return nil
}

type migrateTool struct{}

func (m migrateTool) up(_ context.Context, h host, files fs.FS) error {
	return m.with(h, files, func(m *migrate.Migrate) error { return m.Up() })
}

func (m migrateTool) setVersion(_ context.Context, h host, files fs.FS, version int) error {
	if version == 0 {
		version = database.NilVersion
	}
	return m.with(h, files, func(m *migrate.Migrate) error { return m.Force(version) })
}

// with calls do with the tool on a database.
func (migrateTool) with(h host, files fs.FS, do func(*migrate.Migrate) error) error {
	source, err := iofs.New(files, ".")
	if err != nil {
		return err
	}
	db, err := sql.Open(h.driver, h.dsn)
	if err != nil {
		return err
	}
	var target database.Driver
	switch h.engine {
	case store.SQLite:
		target, err = migratesqlite.WithInstance(db,
			&migratesqlite.Config{MigrationsTable: versions})
	case store.MySQL:
		target, err = migratemysql.WithInstance(db, &migratemysql.Config{MigrationsTable: versions})
	case store.PostgreSQL:
		target, err = migratepgx.WithInstance(db, &migratepgx.Config{MigrationsTable: versions})
	}
	if err != nil {
		return errors.Join(err, db.Close())
	}
	m, err := migrate.NewWithInstance("files", source, string(h.engine), target)
	if err != nil {
		return errors.Join(err, target.Close())
	}
	err = do(m)
	if errors.Is(err, migrate.ErrNoChange) {
		err = nil
	}
	errSource, errTarget := m.Close()
	return errors.Join(err, errSource, errTarget)
}
