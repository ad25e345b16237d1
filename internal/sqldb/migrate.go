package sqldb

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"
)

// Step is a migration step: a file whose name is a number, an underscore and a word. It is
// applied once, and its file never changes after a release.
type Step struct {
	Name       string
	sum        string   // SHA-256 in hexadecimal
	Statements []string // with marks in place of names: see [Names]
}

// Migrate creates and changes the tables for this version of the program. A host may call
// it at every start, also in several instances at the same time: one instance migrates,
// and the others wait. On SQLite all steps are one transaction. MySQL cannot roll back a
// change of tables: after an interruption the next call of Migrate continues, and instances keep
// each other out by a lease.
//
// Migrate returns an error if a newer version of the program has migrated the database,
// or if the text of an applied step differs from the text in this program.
func (db *DB) Migrate(ctx context.Context) error {
	steps, err := ReadSteps(db.migrations)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if db.dialect.transactionalDDL {
		err = db.inTx(ctx, func(t *Tx) error {
			if err := t.lockMigrations(ctx); err != nil {
				return err
			}
			return apply(ctx, t, steps)
		})
	} else {
		err = db.migrateWithLease(ctx, steps)
	}
	if err = firstError(err, db.checkFoundRows(ctx)); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}

// lockMigrations waits until no other instance migrates, and keeps others from it until the
// transaction ends.
func (t *Tx) lockMigrations(ctx context.Context) error {
	if t.dialect.lockMigrations == "" {
		return nil
	}
	_, err := t.Exec(ctx, "lock the migrations", t.dialect.lockMigrations)
	return err
}

// Errors of [DB.CheckTables].
var (
	// ErrNoTables means that the database has no tables of this program.
	ErrNoTables = errors.New("the database has no tables of this program")
	// ErrOldTables means that an older version of the program has migrated the database.
	ErrOldTables = errors.New("the database is older than this program")
)

// CheckTables returns nil if the tables are those of this version of the program. It changes
// nothing. Errors: [ErrNoTables], [ErrOldTables], and that of [DB.Migrate] for a database that a
// newer version has migrated.
func (db *DB) CheckTables(ctx context.Context) error {
	steps, err := ReadSteps(db.migrations)
	if err != nil {
		return fmt.Errorf("check the tables: %w", err)
	}

	// Without a table of steps, or a row in it, nothing was migrated.
	applied, err := appliedSteps(ctx, db.pool)
	noTable := err != nil && db.dialect.isMissingTable(err)
	noRow := err == nil && len(applied) == 0
	if noTable || noRow {
		return fmt.Errorf("check the tables: %w", ErrNoTables)
	}

	// The applied steps must be all steps of this program.
	var missing []Step
	if err == nil {
		missing, err = missingSteps(steps, applied)
	}
	if err == nil && len(missing) > 0 {
		err = ErrOldTables
	}
	if err == nil {
		err = db.checkFoundRows(ctx)
	}
	if err != nil {
		return fmt.Errorf("check the tables: %w", err)
	}
	return nil
}

// migrator runs statements in a transaction, or outside one: a [Tx] or a [Pool].
type migrator interface {
	Querier
	Exec(ctx context.Context, action, query string, args ...any) (int64, error)
}

// apply runs the steps that are not applied, and records each in learning_migrations.
func apply(ctx context.Context, m migrator, steps []Step) error {
	unapplied, err := pending(ctx, m, steps)
	if err != nil {
		return err
	}
	for _, step := range unapplied {
		// A step that was interrupted runs again from its beginning, so that its first statements
		// may have been applied.
		for _, statement := range step.Statements {
			if _, err := m.Exec(ctx, step.Name, statement); err != nil &&
				!m.Dialect().isAlreadyApplied(err) {
				return err
			}
		}
		_, err := m.Exec(ctx, "record "+step.Name,
			`INSERT INTO {learning_migrations} (name, checksum, applied_at) VALUES (?, ?, ?)`,
			step.Name, step.sum, Timestamp(time.Now()))
		if err != nil {
			return err
		}
	}
	return nil
}

// pending returns the steps that are not applied. It creates the table of the applied steps if it
// does not exist. It returns an error if the applied steps are not the first steps of this program.
func pending(ctx context.Context, m migrator, steps []Step) ([]Step, error) {
	_, err := m.Exec(ctx, "create the list of migrations", `
		CREATE TABLE IF NOT EXISTS {learning_migrations} (
			name VARCHAR(100) NOT NULL PRIMARY KEY,
			checksum VARCHAR(64) NOT NULL,
			applied_at VARCHAR(26) NOT NULL
		)`+m.Dialect().tableOptions)
	if err != nil {
		return nil, err
	}
	applied, err := appliedSteps(ctx, m)
	if err != nil {
		return nil, err
	}
	return missingSteps(steps, applied)
}

// appliedStep is a step that a database has.
type appliedStep struct {
	Name string `db:"name"`
	Sum  string `db:"checksum"`
}

// appliedSteps lists the steps that a database has, in their order.
func appliedSteps(ctx context.Context, q Querier) (list []appliedStep, err error) {
	err = q.List(ctx, "list the migrations", &list,
		`SELECT name, checksum FROM {learning_migrations} ORDER BY name`)
	return list, err
}

// missingSteps returns the steps that are not applied. Both lists must be sorted by name, and steps
// must not be empty. It returns an error if the applied steps are not the first of steps: because
// the database is newer, because another program has made it, or because a step was changed.
func missingSteps(steps []Step, applied []appliedStep) ([]Step, error) {
	for i, a := range applied {
		switch {
		case i >= len(steps) || a.Name > steps[len(steps)-1].Name:
			return nil,
				fmt.Errorf(
					"the database is newer than this program: it has the step %s, and this "+
						"program knows steps up to %s; start the newer program",
					a.Name, steps[len(steps)-1].Name)
		case a.Name != steps[i].Name:
			return nil, fmt.Errorf("the database has the step %s where this program has %s: "+
				"another program or a version before the first release has made it",
				a.Name, steps[i].Name)
		case a.Sum != steps[i].sum:
			return nil, fmt.Errorf("the step %s was changed after it was applied to the database",
				a.Name)
		}
	}
	return steps[len(applied):], nil
}

// ReadSteps reads the migration files in the order of their numbers. It returns an error if there
// are none.
func ReadSteps(files fs.FS) ([]Step, error) {
	names, err := fs.Glob(files, "*.sql") // sorted
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, errors.New("there are no migration files")
	}
	steps := make([]Step, len(names))
	for i, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		// The checksum is that of the text without a prefix, so that all databases have the same.
		sum := sha256.Sum256([]byte(Names{}.Expand(string(text))))
		steps[i] = Step{
			Name:       strings.TrimSuffix(name, ".sql"),
			sum:        hex.EncodeToString(sum[:]),
			Statements: statements(string(text)),
		}
	}
	return steps, nil
}

// statements splits the text of a file at the semicolons that end a line, and removes them. It
// drops lines of comment. It replaces an ALTER TABLE of several changes, each on a line of its own,
// by one ALTER TABLE for each change.
func statements(text string) []string {
	var list []string
	var statement strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "--") {
			continue
		}
		statement.WriteString(line)
		body, isComplete := strings.CutSuffix(strings.TrimSpace(statement.String()), ";")
		if isComplete {
			list = append(list, separateChanges(body)...)
			statement.Reset()
		}
	}
	if rest := strings.TrimSpace(statement.String()); rest != "" { // without a semicolon
		list = append(list, separateChanges(rest)...)
	}
	return list
}

// separateChanges returns an ALTER TABLE for each line after the first of an ALTER TABLE, because
// TiDB refuses two changes of one column or index in a statement. It returns any other statement,
// and an ALTER TABLE of one line, as it is.
func separateChanges(statement string) []string {
	table, changes, found := strings.Cut(statement, "\n")
	if !found || !strings.HasPrefix(table, "ALTER TABLE ") {
		return []string{statement}
	}
	var list []string
	for change := range strings.SplitSeq(changes, ",\n") {
		list = append(list, table+" "+strings.TrimSpace(change))
	}
	return list
}
