package sqldb

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/openlectern/openlectern/internal/sqldriver"
)

// A migration is one text, written as SQLite has it. rewriteLines returns the text for an engine,
// line by line:
//
//	SQLite                      MySQL                            PostgreSQL
//	DATETIME                    DATETIME(6)                      TIMESTAMP(6)
//	TINYINT                     TINYINT                          SMALLINT
//	TEXT                        TEXT                             TEXT COLLATE "C"
//	MEDIUMTEXT                  MEDIUMTEXT                       TEXT COLLATE "C"
//	VARCHAR(64)                 VARCHAR(64)                      VARCHAR(64) COLLATE "C"
//	AS (a + b) VIRTUAL          AS (a + b) VIRTUAL               AS (a + b) STORED
//	CREATE TABLE {a} (          CREATE TABLE IF NOT EXISTS {a} ( CREATE TABLE {a} (
//	) WITHOUT ROWID;            ) ENGINE=…;                      );
//	CREATE INDEX i ON {a} (b);  ALTER TABLE {a} ADD KEY i (b);   CREATE INDEX i ON {a} (b);
//	line -- only mysql          line                             (none)
//
// On MySQL an index on a line after the CREATE TABLE of its table becomes a KEY in it. What differs
// in another way is written on lines for each engine.
//
// A database has the checksum of the text that its engine gets. So a rewrite must not change what
// becomes of a migration that was released.

// lineRewrite replaces what a pattern matches in a line.
type lineRewrite struct {
	pattern *regexp.Regexp
	by      string
}

var (
	timeColumn     = regexp.MustCompile(`\bDATETIME\b`)
	numberColumn   = regexp.MustCompile(`\bTINYINT\b`)
	textColumn     = regexp.MustCompile(`\b(?:MEDIUM)?TEXT\b`)
	shortColumn    = regexp.MustCompile(`\bVARCHAR\(\d+\)`)
	computedColumn = regexp.MustCompile(`\) VIRTUAL([,;])$`)
	tableBegin     = regexp.MustCompile(`^CREATE TABLE (\{\w+\}) \($`)
	tableEnd       = regexp.MustCompile(`^\)(?: WITHOUT ROWID)?;$`)
	newIndex       = regexp.MustCompile(
		`^CREATE (UNIQUE )?INDEX (\{index \w+\}) ON (\{\w+\}) (\(.*\));$`)
)

// onlyMark separates a line from the names of the engines that it is for.
const onlyMark = " -- only "

// lineRewrites returns the rewrites of an engine.
func (d *Dialect) lineRewrites() []lineRewrite {
	switch sqldriver.Engine(d.Name) {
	case sqldriver.MySQL:
		return []lineRewrite{
			{timeColumn, "DATETIME(6)"},
			{tableBegin, "CREATE TABLE IF NOT EXISTS $1 ("},
			{tableEnd, ")" + d.tableOptions + ";"},
			{newIndex, "ALTER TABLE $3 ADD ${1}KEY $2 $4;"},
		}
	case sqldriver.PostgreSQL:
		return []lineRewrite{
			{timeColumn, "TIMESTAMP(6)"},
			{numberColumn, "SMALLINT"},
			{textColumn, `TEXT COLLATE "C"`},
			{shortColumn, `$0 COLLATE "C"`},
			{computedColumn, ") STORED$1"},
			{tableEnd, ");"},
		}
	}
	return nil
}

// rewriteLines returns the text of a migration as the engine needs it.
func (d *Dialect) rewriteLines(text string) string {
	// Leave out what is for other engines.
	var lines []string
	for line := range strings.Lines(text) {
		line, engines, isMarked := strings.Cut(strings.TrimSuffix(line, "\n"), onlyMark)
		if !isMarked || slices.Contains(strings.Split(engines, ", "), d.Name) {
			lines = append(lines, line)
		}
	}

	if sqldriver.Engine(d.Name) == sqldriver.MySQL {
		lines = moveIndexesIntoTables(lines)
	}

	rewrites := d.lineRewrites()
	var b strings.Builder
	for _, line := range lines {
		if !strings.HasPrefix(line, "--") {
			for _, r := range rewrites {
				line = r.pattern.ReplaceAllString(line, r.by)
			}
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// moveIndexesIntoTables replaces the lines with indexes after a CREATE TABLE by lines in it,
// because MySQL, which would change the table once for each, creates it with them in one statement.
func moveIndexesIntoTables(lines []string) []string {
	var moved []string
	table := "" // that was created last
	end := 0    // the line in moved that ends it; 0 if something other than indexes has followed
	for _, line := range lines {
		if m := newIndex.FindStringSubmatch(line); m != nil && m[3] == table && end > 0 {
			moved[end-1] += ","
			moved = slices.Insert(moved, end, "\t"+m[1]+"KEY "+m[2]+" "+m[4])
			end++
			continue
		}
		if m := tableBegin.FindStringSubmatch(line); m != nil {
			table = m[1]
		}
		end = 0
		if tableEnd.MatchString(line) {
			end = len(moved)
		}
		moved = append(moved, line)
	}
	return moved
}

// migrationTexts returns the texts of the migrations for the engine, by their names without ".sql".
func (d *Dialect) migrationTexts(migrations fs.FS) (map[string]string, error) {
	files, err := fs.Glob(migrations, "*.sql")
	if err != nil {
		return nil, err
	}
	texts := map[string]string{}
	for _, file := range files {
		text, err := fs.ReadFile(migrations, file)
		if err != nil {
			return nil, err
		}
		texts[strings.TrimSuffix(path.Base(file), ".sql")] = d.rewriteLines(string(text))
	}
	return texts, nil
}
