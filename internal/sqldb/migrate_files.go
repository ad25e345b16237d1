package sqldb

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	"github.com/openlectern/openlectern/internal/sqldriver"
)

// hostMark is the name of the row of learning_migrations which says that a tool of the host
// migrates the database, with the files of [MigrationFiles]. It sorts after the names of all steps,
// so that a program that does not know it refuses the database as a newer one.
const hostMark = "migrated_by_host"

// refusal is the error of a file of [MigrationFiles] on a database that has steps and no hostMark.
// It has at most 64 characters, because MySQL cuts off what is longer.
const refusal = "Store.Migrate migrates this database: see docs/operations.md"

// MigrationFiles returns the steps for the tools of hosts, as package store documents it: a file
// for each, NAME.up.sql. migrations has the steps as
// [Config] has them.
//
// A file is the text of its step between statements that keep the list of steps as [DB.Migrate]
// does. Its comments that begin with "+goose" are instructions for goose. On MySQL each statement
// may run again, so that a file that was interrupted can run again from its beginning.
func MigrationFiles(
	engine sqldriver.Engine, names Names, migrations fs.FS,
) (fs.FS, error) {
	e, isKnown := engines[engine]
	if !isKnown {
		return nil, sqldriver.ErrEngine(engine)
	}
	d := &e.dialect
	if err := names.check(engine); err != nil {
		return nil, err
	}
	steps, err := d.readSteps(migrations)
	if err != nil {
		return nil, err
	}

	// An archive is the only file system in memory that the standard library has outside of its
	// packages for tests.
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	for _, step := range steps {
		file, err := w.Create(step.Name + ".up.sql")
		if err != nil {
			return nil, err
		}
		if _, err := file.Write([]byte(names.Expand(d.file(step)))); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return zip.NewReader(bytes.NewReader(archive.Bytes()), int64(archive.Len()))
}

// file returns the text of the file of a step, with marks in place of names.
func (d *Dialect) file(step Step) string {
	text := strings.TrimSuffix(strings.TrimSpace(step.text), ";") + ";"
	if !d.transactionalDDL {
		text = repeatable(text)
	}
	check, record := d.refuseTaken(step)
	return fmt.Sprintf(`-- +goose Up

-- %[1]s: a migration of Open Lectern for %[2]s

-- The list of the migrations that the database has, for Store.Migrate and Store.CheckTables.
%[3]s;
%[8]s
-- Record that Store.Migrate does not migrate this database. Fail if it has done so.
%[4]s
%[9]s
%[5]s

-- Record this migration.
INSERT INTO {learning_migrations} (name, checksum, applied_at)
SELECT '%[1]s', '%[6]s', %[7]s FROM (SELECT 1 AS one) AS one
WHERE NOT EXISTS (SELECT 1 FROM {learning_migrations} WHERE name = '%[1]s');
`, step.Name, d.Name, d.createList(), fmt.Sprintf(d.insertHostMark, hostMark, refusal, d.now),
		text, step.sum, d.now, check, record)
}

// alterTable matches an ALTER TABLE, and change its change.
var (
	alterTable = regexp.MustCompile(`(?m)^ALTER TABLE (\S+) (.*);$`)
	change     = regexp.MustCompile(`^(ADD|DROP) (?:UNIQUE )?(COLUMN|KEY) (\{index \w+\}|\w+)`)
)

// repeatable returns the text of a step for MySQL whose changes of tables take no effect if they
// were made before. MySQL has no ADD KEY IF NOT EXISTS, so that a statement is prepared or not.
func repeatable(text string) string { return alterTable.ReplaceAllStringFunc(text, ifMissing) }

// ifMissing returns statements that run an ALTER TABLE with one change, unless it was made before.
func ifMissing(statement string) string {
	alter := alterTable.FindStringSubmatch(statement)
	m := change.FindStringSubmatch(alter[2])
	if m == nil { // it can run again, as the tests of the migrations demand
		return statement
	}
	catalogue, column := "COLUMNS", "column_name"
	if m[2] == "KEY" {
		catalogue, column = "STATISTICS", "index_name"
	}
	toRun := "= 0" // rows of the catalogue
	if m[1] == "DROP" {
		toRun = "> 0"
	}
	return fmt.Sprintf(`SET @statement = (
	SELECT IF(COUNT(*) %s, '%s', 'DO 0')
	FROM INFORMATION_SCHEMA.%s
	WHERE table_schema = DATABASE() AND table_name = '%s' AND %s = '%s');
PREPARE statement FROM @statement;
EXECUTE statement;
DEALLOCATE PREPARE statement;`, toRun,
		strings.ReplaceAll(strings.TrimSuffix(statement, ";"), "'", "''"), catalogue, alter[1],
		column, m[3])
}
