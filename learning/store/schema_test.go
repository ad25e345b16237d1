package store

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/sqldb"
)

// shape is the part of the schema that must be equal on both engines: for each step the
// tables, their columns with type and NOT NULL, and their keys. Only lines that are marked for an
// engine, and what internal/sqldb rewrites, can make a difference.
func shape(tb testing.TB, engine Engine) map[string][]string {
	tb.Helper()
	shapes := map[string][]string{}
	for _, step := range stepsOf(tb, engine) {
		for _, statement := range step.Statements {
			statement = sqldb.Names{}.Expand(statement)
			shapes[step.Name] = append(shapes[step.Name], shapeOf(tb, statement)...)
		}
		slices.Sort(shapes[step.Name])
	}
	return shapes
}

// stepsOf returns the migrations of an engine.
func stepsOf(tb testing.TB, engine Engine) []sqldb.Step {
	tb.Helper()
	steps, err := sqldb.ReadSteps(engine, migrationFiles())
	if err != nil {
		tb.Fatal(err)
	}
	return steps
}

var (
	dropTable = regexp.MustCompile(`^DROP TABLE IF EXISTS (\w+)$`)
	// rerunnable matches statements that may be executed again; for ALTER TABLE see
	// isAlreadyApplied. An INSERT must have a condition that no row exists.
	rerunnable = regexp.MustCompile(
		`(?s)^(CREATE TABLE IF NOT EXISTS|DROP TABLE IF EXISTS|ALTER TABLE|UPDATE|INSERT .* NOT EXISTS) `)
	// severalChanges matches an ALTER TABLE that SQLite does not understand, and that has no file
	// for a tool of the host.
	severalChanges = regexp.MustCompile(`(?s)^ALTER TABLE .*(\n|, *(ADD|DROP) )`)
	createTable    = regexp.MustCompile(`(?s)^CREATE TABLE (?:IF NOT EXISTS )?(\w+) \(\n(.*)\n\)`)
	createIndex    = regexp.MustCompile(`^CREATE (UNIQUE )?INDEX (\w+) ON (\w+) \((.*)\)$`)
	inlineKey      = regexp.MustCompile(`^(UNIQUE )?KEY (\w+) \((.*)\)$`)
	alterTable     = regexp.MustCompile(`(?s)^ALTER TABLE (\w+)\s(.*)$`)
	alteration     = regexp.MustCompile(
		`ADD (COLUMN [^,]+)|ADD (UNIQUE )?KEY (\w+) \(([^)]*)\)|DROP KEY (\w+)|DROP COLUMN (\w+)`)
	dropIndex = regexp.MustCompile(`^DROP INDEX (\w+)$`)
)

func shapeOf(tb testing.TB, statement string) []string {
	tb.Helper()
	if m := createIndex.FindStringSubmatch(statement); m != nil {
		return []string{fmt.Sprintf("%s: %skey %s (%s)", m[3], m[1], m[2], m[4])}
	}
	if m := dropTable.FindStringSubmatch(statement); m != nil {
		return []string{m[1] + ": dropped"}
	}
	if m := dropIndex.FindStringSubmatch(statement); m != nil {
		return []string{"drop key " + m[1]}
	}
	if m := alterTable.FindStringSubmatch(statement); m != nil {
		return alterations(tb, m[1], m[2])
	}
	if strings.HasPrefix(statement, "UPDATE ") || strings.HasPrefix(statement, "INSERT ") {
		return []string{statement}
	}
	m := createTable.FindStringSubmatch(statement)
	if m == nil {
		tb.Fatalf("a statement that this test does not know: %s", statement)
	}
	var lines []string
	for _, line := range strings.Split(m[2], ",\n") {
		line = strings.ReplaceAll(strings.TrimSpace(line), "DATETIME(6)", "DATETIME")
		if k := inlineKey.FindStringSubmatch(line); k != nil {
			line = fmt.Sprintf("%skey %s (%s)", k[1], k[2], k[3])
		}
		lines = append(lines, m[1]+": "+line)
	}
	return lines
}

// alterations returns the parts of an ALTER TABLE in the form of the statements that SQLite
// needs for them.
func alterations(tb testing.TB, table, text string) (lines []string) {
	tb.Helper()
	for _, m := range alteration.FindAllStringSubmatch(strings.ReplaceAll(text, "DATETIME(6)",
		"DATETIME"), -1) {
		switch {
		case m[1] != "":
			lines = append(lines, table+": "+m[1])
		case m[5] != "":
			lines = append(lines, "drop key "+m[5])
		case m[6] != "":
			lines = append(lines, table+": without "+m[6])
		default:
			lines = append(lines, fmt.Sprintf("%s: %skey %s (%s)", table, m[2], m[3], m[4]))
		}
	}
	if len(lines) == 0 {
		tb.Fatalf("a change of a table that this test does not know: %s", text)
	}
	return lines
}

func TestSchema_BothEnginesHaveTheSameTables(t *testing.T) {
	lite, my := shape(t, SQLite), shape(t, MySQL)
	if diff := cmp.Diff(lite, my); diff != "" {
		t.Errorf("SQLite and MySQL differ (-SQLite +MySQL):\n%s\n"+
			"Give lines that are -- only of one engine the same tables, columns and keys as those "+
			"of the others.", diff)
	}
	for step, lines := range my {
		keys := map[string]bool{}
		for _, line := range lines {
			table, rest, _ := strings.Cut(line, ": ")
			if !strings.HasPrefix(rest, "COLUMN ") && strings.HasSuffix(rest, " NOT NULL") {
				keys[table] = keys[table] || false
			}
			if strings.HasPrefix(rest, "PRIMARY KEY") {
				keys[table] = true
			}
		}
		for table, hasKey := range keys {
			if !hasKey {
				t.Errorf("%s creates the table %s without a primary key", step, table)
			}
		}
	}
}

// A line for an engine that does not exist would be in no text.
func TestMigrations_OnlyNamesEngines(t *testing.T) {
	t.Parallel()
	files, err := fs.Glob(migrationFiles(), "*")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	marked := regexp.MustCompile(`(?m)--\s*only.*$`)
	known := regexp.MustCompile(`^-- only (sqlite|mysql|postgres)(, (mysql|postgres))?$`)
	for _, file := range files {
		text, err := fs.ReadFile(migrationFiles(), file)
		if err != nil || !strings.HasSuffix(file, ".sql") {
			t.Errorf("%s is not a migration (%v)", file, err)
		}
		for _, mark := range marked.FindAllString(string(text), -1) {
			if !known.MatchString(mark) {
				t.Errorf("%s: %q: write -- only sqlite, mysql", file, mark)
			}
		}
	}
}

// A step that was interrupted on MySQL runs again from its first statement.
func TestSchema_MySQLStatementsCanRunAgain(t *testing.T) {
	last := "0000"
	for _, step := range stepsOf(t, MySQL) {
		number, _, _ := strings.Cut(step.Name, "_")
		if len(number) != 4 || number <= last {
			t.Errorf("%s should have a number of four digits that is higher than %s", step.Name,
				last)
		}
		last = number
		for _, statement := range step.Statements {
			if !rerunnable.MatchString(statement) {
				t.Errorf("%s has a statement that cannot run again:\n%s", step.Name, statement)
			}
			if severalChanges.MatchString(statement) {
				t.Errorf("%s: write each change as an ALTER TABLE on a line of its own:\n%s",
					step.Name, statement)
			}
		}
	}
}

func TestSchema_TextIsComparedByBytes(t *testing.T) {
	enginetest.Each(t, enginetest.Servers, func(t *testing.T, e enginetest.Engine) {
		s := migrated(t, e.URL(t))
		isOther := `table_schema = DATABASE() AND collation_name <> 'utf8mb4_bin'`
		if e.Name == "PostgreSQL" {
			isOther = `table_schema = current_schema AND COALESCE(collation_name, '') <> 'C'
				AND data_type IN ('text', 'character varying')
				AND table_name <> 'learning_migrations'`
		}
		var other []string
		err := s.db.Reader().Select(&other, `
			SELECT CONCAT(table_name, '.', column_name, ' ', collation_name)
			FROM information_schema.columns
			WHERE `+isOther)
		if err != nil || len(other) > 0 {
			t.Errorf("other collations: %v (%v)", other, err)
		}
	})
}

// checksums are those of the first step as databases have recorded it. Names in it that get marks
// do not change it.
var checksums = map[string]string{
	"SQLite":     "1759d0d2fc04aa95bb1b94d1d4762e3d3b8b8ad022dfcb7a751b41ced960a22e",
	"MySQL":      "13cc9770a58b7013a51e617f2f1b5c5195f515b65692022a068275cf315874d2",
	"MariaDB":    "13cc9770a58b7013a51e617f2f1b5c5195f515b65692022a068275cf315874d2",
	"PostgreSQL": "d91d364af0c01c83e52516d5b214367abb0f752d88cd43ed9acc85386841e193",
}

func TestMigrations_ChecksumsAreThoseOfExistingDatabases(t *testing.T) {
	t.Parallel()
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		t.Parallel()
		s := migrated(t, e.URL(t))
		var sum string
		err := s.db.Reader().Get(&sum,
			"SELECT checksum FROM learning_migrations WHERE name = '0001_schema'")
		if err != nil || sum != checksums[e.Name] {
			t.Errorf("the checksum is %s, want %s (%v)", sum, checksums[e.Name], err)
		}
	})
}
