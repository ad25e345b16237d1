package store

import (
	"context"
	"fmt"
	"io/fs"
	"slices"

	"github.com/openlectern/openlectern/internal/sqldb"
)

// Migrations returns the migrations as SQL files for the migration tool of a host, such as goose or
// golang-migrate, in place of [Store.Migrate]. They are called 0001_schema.up.sql and so on. prefix
// begins the names of the tables and indexes, as with [WithPrefix]; it may be "". Of the options
// only [WithSchema] has an effect.
//
// A file also records, in the table learning_migrations, that its migration was applied, and that
// [Store.Migrate] does not migrate this database. Then Migrate only checks the tables, as
// [Store.CheckTables] does. On a database that Migrate has migrated, a file fails and changes
// nothing. The tool needs a table of versions that no other migrations of the host use.
//
// On SQLite and PostgreSQL the tool must run each file in a transaction, as goose and
// golang-migrate do by default. MySQL cannot roll back a change of tables: a file that was
// interrupted there can run again from its beginning. golang-migrate needs the parameter
// multiStatements=true of the driver there.
//
// There are no files that undo a migration, because they would delete data. The version before runs
// on the tables of this version; to go back further, restore a backup. docs/operations.md has the
// commands of the tools.
func Migrations(engine Engine, prefix string, opts ...Option) (fs.FS, error) {
	var o options
	for _, opt := range append(slices.Clone(opts), WithPrefix(prefix)) {
		opt(&o)
	}
	files, err := sqldb.MigrationFiles(engine, o.Names, migrationFiles())
	if err != nil {
		return nil, fmt.Errorf("migrations for a tool: %w", err)
	}
	return files, nil
}

// Migrate creates and changes the tables for this version of the program. A host may call
// it at every start, also in several instances at the same time: one instance migrates,
// and the others wait. On SQLite all steps are one transaction. MySQL cannot roll back a
// change of tables: after an interruption the next call of Migrate continues. If the tables are
// those of this version, Migrate needs no right to create tables.
//
// Migrate returns an error if a newer version of the program has migrated the database,
// or if the text of an applied step differs from the text in this program. It returns
// [ErrTablesTaken], and changes nothing, if a table or view of another program has a name that a
// missing migration needs: give a prefix of your own ([WithPrefix]). It does not change a
// database that the files of [Migrations] have made, and returns [ErrOldTables] if a step is
// missing there.
func (s *Store) Migrate(ctx context.Context) error { return s.db.Migrate(ctx) }

// CheckTables returns nil if the tables are those of this version of the program. It changes
// nothing. Errors: [ErrNoTables], [ErrOldTables], and that of [Store.Migrate] for a database that a
// newer version has migrated.
func (s *Store) CheckTables(ctx context.Context) error { return s.db.CheckTables(ctx) }

// MissingMigrations returns the names of the migrations that the database lacks, in their order,
// such as 0001_schema: all of them if it has no tables. The file of [Migrations] has the name with
// the ending .up.sql. It changes nothing. Its error is that of [Store.Migrate] for a database that
// a newer version has migrated.
func (s *Store) MissingMigrations(ctx context.Context) ([]string, error) {
	return s.db.MissingSteps(ctx)
}
