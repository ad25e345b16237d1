package sqldb

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// ErrTablesTaken means that a migration would create a table or an index whose name another program
// has in the database. Nothing was changed.
var ErrTablesTaken = errors.New("the database has tables of another program")

// beginMark is the id of the row of learning_migration_lease whose holder is the name of the step
// that was begun last. The row tells the tables of a step that was interrupted, on an engine that
// cannot roll back a change of tables, from those of another program.
const beginMark = 2

// newRelation matches the beginning of a statement that creates a table, or an index with a name of
// its own beside the tables.
var newRelation = regexp.MustCompile(
	`(?m)^CREATE (?:TABLE|(?:UNIQUE )?INDEX)(?: IF NOT EXISTS)? \{(?:index )?(\w+)\}`)

// created returns the names without a prefix that a step creates.
func (s Step) created() (names []string) {
	for _, match := range newRelation.FindAllStringSubmatch(s.text, -1) {
		names = append(names, match[1])
	}
	return names
}

// checkFree returns [ErrTablesTaken] if the database has one of the names that the missing steps
// create. Names of a step that was begun are those of this program. So is each name if steps were
// recorded meanwhile: another instance may migrate at the same time.
//
// It reads the names first, then the step that was begun, and the recorded steps last, because a
// migration writes in the opposite order: begin, create, record.
func checkFree(ctx context.Context, q Querier, steps []Step) error {
	d := q.Dialect()
	var existing []string
	err := q.List(ctx, "list the tables of the database", &existing, d.listNames)
	if err != nil {
		return err
	}
	begun, err := begunStep(ctx, q)
	if err != nil {
		return err
	}
	h, err := readHistory(ctx, q)
	if err != nil && (d.transactionalDDL || !d.isMissingTable(err)) {
		return err // on the other engines a failed read would end the transaction
	}
	missing, err := missingSteps(steps, h.applied)
	if err != nil {
		return err
	}

	var taken []string
	for _, step := range missing {
		if step.Name == begun {
			continue
		}
		for _, name := range step.created() {
			name = d.Names().Prefix + name
			if slices.Contains(existing, name) && !slices.Contains(taken, name) {
				taken = append(taken, name)
			}
		}
	}
	if len(taken) == 0 {
		return nil
	}
	hint := "give this program a prefix for its tables (store.WithPrefix or " +
		"LEARNING_DATABASE_PREFIX), or a database of its own"
	if len(h.applied) > 0 { // its prefix cannot change
		hint = "rename them, or move them to another database"
	}
	const shown = 5
	more := ""
	if len(taken) > shown {
		more = fmt.Sprintf(" and %d more", len(taken)-shown)
	}
	return fmt.Errorf("%w with names that this program needs: %s%s; nothing was changed: %s",
		ErrTablesTaken, strings.Join(taken[:min(shown, len(taken))], ", "), more, hint)
}

// begunStep returns the name of the step that was begun last, and "" for none, or on an engine that
// rolls back changes of tables.
func begunStep(ctx context.Context, q Querier) (name string, err error) {
	d := q.Dialect()
	if d.transactionalDDL {
		return "", nil
	}
	err = q.Get(ctx, "read the migration that was begun", &name,
		`SELECT holder FROM {learning_migration_lease} WHERE id = ?`, beginMark)
	if errors.Is(err, d.errs.NoRow) || err != nil && d.isMissingTable(err) {
		return "", nil
	}
	return name, err
}

// begin records that a step was begun: see beginMark.
func begin(ctx context.Context, m migrator, step Step) error {
	d := m.Dialect()
	if d.transactionalDDL {
		return nil
	}
	action := "record the begin of " + step.Name
	n, err := m.Exec(ctx, action, `UPDATE {learning_migration_lease} SET holder = ?, held_until = `+
		d.now+` WHERE id = ?`, step.Name, beginMark)
	if err == nil && n == 0 { // no other program inserts it meanwhile, because it has no lease
		_, err = m.Exec(ctx, action, `INSERT INTO {learning_migration_lease}
			(id, holder, held_until) VALUES (?, ?, `+d.now+`)`, beginMark, step.Name)
	}
	return err
}

// namesOf returns the text of a query of PostgreSQL for the names in the schema of n.
func (n Names) namesOf() string {
	schema := "current_schema()"
	if n.Schema != "" {
		schema = "'" + n.Schema + "'"
	}
	// A table needs the name of a type too.
	of := "(SELECT oid FROM pg_namespace WHERE nspname = " + schema + ")"
	return "SELECT CAST(relname AS TEXT) FROM pg_class WHERE relnamespace = " + of +
		" UNION SELECT CAST(typname AS TEXT) FROM pg_type WHERE typnamespace = " + of
}

// refuseTaken returns the statements that a file of [MigrationFiles] has for MySQL before its step,
// with marks in place of names. They fail if the database has one of the names that the step
// creates, unless the file has run before, and record that it was begun in the row hostMark. It
// returns "" for the other engines, where CREATE TABLE fails and the transaction is rolled back.
func (d *Dialect) refuseTaken(step Step) (check, record string) {
	names := step.created()
	if d.transactionalDDL || len(names) == 0 {
		return "", ""
	}
	for i, name := range names {
		names[i] = "'{" + name + "}'"
	}
	// An INSERT of two rows with one key fails, and its error has the key, of at most 64
	// characters.
	check = fmt.Sprintf(`
-- Fail if another program has tables with the names of this file.
INSERT INTO {learning_migrations} (name, checksum, applied_at)
SELECT 'tables of another program: set a prefix, see docs/operations.md', '', ''
FROM (SELECT 1 UNION ALL SELECT 2) AS twice
WHERE EXISTS (SELECT 1 FROM INFORMATION_SCHEMA.TABLES
	WHERE table_schema = DATABASE() AND table_name IN (%[2]s))
AND NOT EXISTS (SELECT 1 FROM {learning_migrations}
	WHERE name = '%[1]s' OR (name = '%[3]s' AND checksum = '%[1]s'));
`, step.Name, strings.Join(names, ", "), hostMark)
	record = fmt.Sprintf(`
UPDATE {learning_migrations} SET checksum = '%s' WHERE name = '%s';
`, step.Name, hostMark)
	return check, record
}
