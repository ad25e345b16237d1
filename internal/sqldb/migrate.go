package sqldb

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/openlectern/openlectern/internal/sqldriver"
)

// Step is a migration step: a file whose name is a number, an underscore and a word. It is
// applied once, and its file never changes after a release.
type Step struct {
	Name       string
	text       string   // with marks in place of names: see [Names]
	sum        string   // SHA-256 in hexadecimal
	Statements []string // of text
}

// Migrate creates and changes the tables for this version of the program. A host may call
// it at every start, also in several instances at the same time: one instance migrates,
// and the others wait. On SQLite all steps are one transaction. MySQL cannot roll back a
// change of tables: after an interruption the next call of Migrate continues, and instances keep
// each other out by a lease.
//
// Migrate returns an error if a newer version of the program has migrated the database,
// or if the text of an applied step differs from the text in this program, and [ErrTablesTaken] if
// a table of another program has a name that a step creates. It changes nothing in a
// database that a tool of the host migrates, and returns [ErrOldTables] if that lacks a step.
func (db *DB) Migrate(ctx context.Context) error {
	err := db.migrate(ctx)
	if err == nil {
		err = db.checkFoundRows(ctx)
	}
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}

func (db *DB) migrate(ctx context.Context) error {
	steps, err := db.dialect.readSteps(db.migrations)
	if err != nil {
		return err
	}

	// Most starts find all steps applied. They need no lock, and no right to create tables.
	h, err := db.history(ctx)
	if err != nil {
		return err
	}
	if missing, err := h.toApply(steps); err != nil || len(missing) == 0 {
		return err
	}

	// Change nothing if another program has tables with the names of this one. Where a transaction
	// undoes changes of tables, apply finds that out.
	if !db.dialect.transactionalDDL {
		if err := checkFree(ctx, db.pool, steps); err != nil {
			return err
		}
	}

	// Another instance may apply the steps at the same time: apply reads again which are missing.
	if !db.dialect.transactionalDDL {
		return db.migrateWithLease(ctx, steps)
	}
	return db.inTx(ctx, func(t *Tx) error {
		if err := t.lockMigrations(ctx); err != nil {
			return err
		}
		return apply(ctx, t, steps)
	})
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
	h, missing, err := db.missing(ctx)
	switch {
	case err != nil:
		// returned below
	case h.isEmpty():
		err = fmt.Errorf("%w: call Store.Migrate, or run the files of store.Migrations with your "+
			"migration tool, or give the prefix that the tables have", ErrNoTables)
	case len(missing) > 0:
		err = h.errOld(missing)
	default:
		err = db.checkFoundRows(ctx)
	}
	if err != nil {
		return fmt.Errorf("check the tables: %w", err)
	}
	return nil
}

// MissingSteps returns the names of the steps that the database lacks, in their order. It changes
// nothing. Its error is that of [DB.Migrate] for a database that a newer version has migrated.
func (db *DB) MissingSteps(ctx context.Context) (names []string, err error) {
	_, missing, err := db.missing(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the missing migrations: %w", err)
	}
	for _, step := range missing {
		names = append(names, step.Name)
	}
	return names, nil
}

// missing returns what the database has, and the steps that it lacks.
func (db *DB) missing(ctx context.Context) (h history, missing []Step, err error) {
	steps, err := db.dialect.readSteps(db.migrations)
	if err != nil {
		return history{}, nil, err
	}
	h, err = db.history(ctx)
	if err != nil {
		return history{}, nil, err
	}
	missing, err = missingSteps(steps, h.applied)
	return h, missing, err
}

// history reads the table of the applied steps. It changes nothing: a database without the table
// has no steps.
func (db *DB) history(ctx context.Context) (history, error) {
	h, err := readHistory(ctx, db.pool)
	if err != nil && db.dialect.isMissingTable(err) {
		return history{}, nil
	}
	return h, err
}

// migrator runs statements in a transaction, or outside one: a [Tx] or a [Pool].
type migrator interface {
	Querier
	Exec(ctx context.Context, action, query string, args ...any) (int64, error)
}

// apply runs the steps that are not applied, and records each in learning_migrations.
func apply(ctx context.Context, m migrator, steps []Step) error {
	unapplied, err := pending(ctx, m, steps)
	if err == nil && len(unapplied) > 0 {
		err = checkFree(ctx, m, steps)
	}
	if err != nil {
		return err
	}
	for _, step := range unapplied {
		if err := begin(ctx, m, step); err != nil {
			return err
		}
		// A step that was interrupted runs again from its beginning, so that its first statements
		// may have been applied.
		for _, statement := range step.Statements {
			if _, err := m.Exec(ctx, step.Name, statement); err != nil &&
				m.Dialect().failure(err) != sqldriver.AlreadyApplied {
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
	if _, err := m.Exec(ctx, "create the list of migrations", m.Dialect().createList()); err != nil {
		return nil, err
	}
	h, err := readHistory(ctx, m)
	if err != nil {
		return nil, err
	}
	return h.toApply(steps)
}

// createList returns the statement that creates the table of the applied steps, if it does not
// exist.
func (d *Dialect) createList() string {
	return `CREATE TABLE IF NOT EXISTS {learning_migrations} (
	name VARCHAR(100) NOT NULL PRIMARY KEY,
	checksum VARCHAR(64) NOT NULL,
	applied_at VARCHAR(26) NOT NULL
)` + d.tableOptions
}

// history is what the table of the applied steps has.
type history struct {
	applied []appliedStep // in their order
	byHost  bool          // whether a tool of the host applies them
}

// appliedStep is a step that a database has.
type appliedStep struct {
	Name string `db:"name"`
	Sum  string `db:"checksum"`
}

// readHistory reads the table of the applied steps.
func readHistory(ctx context.Context, q Querier) (h history, err error) {
	err = q.List(ctx, "list the migrations", &h.applied,
		`SELECT name, checksum FROM {learning_migrations} ORDER BY name`)
	if last := len(h.applied) - 1; last >= 0 && h.applied[last].Name == hostMark {
		h.applied, h.byHost = h.applied[:last], true
	}
	return h, err
}

// isEmpty reports whether no step was applied, and none was begun by a tool of the host.
func (h history) isEmpty() bool { return len(h.applied) == 0 && !h.byHost }

// toApply returns the steps that this program is to apply. It returns an error if the applied steps
// are not the first of steps, or if a tool of the host is to apply some.
func (h history) toApply(steps []Step) ([]Step, error) {
	missing, err := missingSteps(steps, h.applied)
	if err != nil || len(missing) == 0 {
		return nil, err
	}
	if h.byHost {
		return nil, h.errOld(missing)
	}
	return missing, nil
}

// errOld returns the error of a database without some steps. It matches [ErrOldTables].
func (h history) errOld(missing []Step) error {
	names := make([]string, len(missing))
	for i, step := range missing {
		names[i] = step.Name
	}
	hint := "call Store.Migrate"
	if h.byHost {
		hint = "run your migration tool with the files of store.Migrations"
	}
	return fmt.Errorf("%w, it lacks %s: %s", ErrOldTables, strings.Join(names, ", "), hint)
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

// ReadSteps reads the migrations of an engine, as [Config] has them, in the order of their numbers.
// It returns an error if there are none.
func ReadSteps(engine sqldriver.Engine, migrations fs.FS) ([]Step, error) {
	e, isKnown := engines[engine]
	if !isKnown {
		return nil, sqldriver.ErrEngine(engine)
	}
	return e.dialect.readSteps(migrations)
}

// readSteps is [ReadSteps]. Names begin with numbers of four digits, so that their order is that of
// the numbers.
func (d *Dialect) readSteps(migrations fs.FS) ([]Step, error) {
	texts, err := d.migrationTexts(migrations)
	if err != nil {
		return nil, err
	}
	if len(texts) == 0 {
		return nil, errors.New("there are no migration files")
	}
	var steps []Step
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		text := texts[name]
		// The checksum is that of the text without a prefix, so that all databases have the same.
		sum := sha256.Sum256([]byte(Names{}.Expand(text)))
		steps = append(steps, Step{
			Name:       name,
			text:       text,
			sum:        hex.EncodeToString(sum[:]),
			Statements: statements(text),
		})
	}
	return steps, nil
}

// statements splits the text of a file at the semicolons that end a line, and removes them. It
// drops lines of comment.
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
			list = append(list, body)
			statement.Reset()
		}
	}
	if rest := strings.TrimSpace(statement.String()); rest != "" { // without a semicolon
		list = append(list, rest)
	}
	return list
}
