package sqldb

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// A migration for all engines is written as SQLite has it. rewriteLines returns its text for one of
// them, line by line:
//
//	SQLite                      MySQL                            PostgreSQL
//	DATETIME                    DATETIME(6)                      TIMESTAMP(6)
//	TINYINT                     TINYINT                          SMALLINT
//	MEDIUMTEXT                  MEDIUMTEXT                       TEXT COLLATE "C"
//	VARCHAR(64)                 VARCHAR(64)                      VARCHAR(64) COLLATE "C"
//	CREATE TABLE {a} (          CREATE TABLE IF NOT EXISTS {a} ( CREATE TABLE {a} (
//	) WITHOUT ROWID;            ) ENGINE=…;                      );
//	CREATE INDEX i ON {a} (b);  ALTER TABLE {a} ADD KEY i (b);   CREATE INDEX i ON {a} (b);
//	… AS (a + b);               … AS (a + b);                    … GENERATED ALWAYS AS (a + b) STORED;
//	line -- only mysql          line                             (none)
//
// A migration that differs more has a file for each engine.

// lineRewrite replaces what a pattern matches in a line.
type lineRewrite struct {
	pattern *regexp.Regexp
	by      string
}

var (
	timeColumn     = regexp.MustCompile(`\bDATETIME\b`)
	numberColumn   = regexp.MustCompile(`\bTINYINT\b`)
	textColumn     = regexp.MustCompile(`\bMEDIUMTEXT\b`)
	shortColumn    = regexp.MustCompile(`\bVARCHAR\(\d+\)`)
	computedColumn = regexp.MustCompile(` AS (\(.*\));$`)
	tableBegin     = regexp.MustCompile(`^CREATE TABLE (\{\w+\}) \($`)
	tableEnd       = regexp.MustCompile(`^\)(?: WITHOUT ROWID)?;$`)
	newIndex       = regexp.MustCompile(
		`^CREATE (UNIQUE )?INDEX (\{index \w+\}) ON (\{\w+\}) (\(.*\));$`)
	onlyMark = regexp.MustCompile(`^(.*\S) -- only (\w+(?:, \w+)*)$`)
)

// lineRewrites returns the rewrites of an engine.
func (d *Dialect) lineRewrites() []lineRewrite {
	switch d.Name {
	case mysqlDialect.Name:
		return []lineRewrite{
			{timeColumn, "DATETIME(6)"},
			{tableBegin, "CREATE TABLE IF NOT EXISTS $1 ("},
			{tableEnd, ")" + d.tableOptions + ";"},
			{newIndex, "ALTER TABLE $3 ADD ${1}KEY $2 $4;"},
		}
	case postgresDialect.Name:
		return []lineRewrite{
			{timeColumn, "TIMESTAMP(6)"},
			{numberColumn, "SMALLINT"},
			{textColumn, `TEXT COLLATE "C"`},
			{shortColumn, `$0 COLLATE "C"`},
			{computedColumn, " GENERATED ALWAYS AS $1 STORED;"},
			{tableEnd, ");"},
		}
	}
	return nil
}

// rewriteLines returns the text of a migration for all engines as this one needs it.
func (d *Dialect) rewriteLines(text string) string {
	rewrites := d.lineRewrites()
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "--") {
			b.WriteString(line + "\n")
			continue
		}
		if m := onlyMark.FindStringSubmatch(line); m != nil {
			if !slices.Contains(strings.Split(m[2], ", "), d.Name) {
				continue
			}
			line = m[1]
		}
		for _, r := range rewrites {
			line = r.pattern.ReplaceAllString(line, r.by)
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// migrationTexts returns the texts of the migrations for the engine, by their names without
// ".sql": those for all engines, and those in its folder.
func (d *Dialect) migrationTexts(migrations fs.FS) (map[string]string, error) {
	texts := map[string]string{}
	for _, pattern := range []string{"*.sql", d.Name + "/*.sql"} {
		files, err := fs.Glob(migrations, pattern)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			text, err := fs.ReadFile(migrations, file)
			if err != nil {
				return nil, err
			}
			name := strings.TrimSuffix(path.Base(file), ".sql")
			if _, twice := texts[name]; twice {
				return nil, fmt.Errorf("the migration %s is for all engines, and for %s", name,
					d.Name)
			}
			if texts[name] = string(text); path.Dir(file) == "." {
				texts[name] = d.rewriteLines(string(text))
			}
		}
	}
	return texts, nil
}
