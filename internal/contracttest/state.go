package contracttest

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/sqldb"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// Snapshot is everything that a request could have changed: each row of each
// table, each order at the gateway, each role at the identity provider and each
// file in the media folder, with its fields, by name.
type Snapshot map[string]map[string]string

// schema is the tables of the platform.
type schema map[string]table

// table has the columns that are written, in which those that the engine computes are missing.
type table struct {
	key, columns []string          // key: the primary key
	unset        map[string]string // what a new row has in a column that no statement sets
}

// housekeeping is the prefix of the store's own tables.
const housekeeping = "learning_"

// readSchema finds the tables in a SQLite database, and the columns of each; they are the same on
// all engines.
func readSchema(tb testing.TB, file string) schema {
	tb.Helper()
	db := OpenSQL(tb, "sqlite", "file:"+file)
	found := schema{}
	for _, row := range query(tb, db,
		`SELECT m.name AS t, p.name AS c, p.pk > 0 AS is_key, p.dflt_value AS initial
		FROM sqlite_master m, pragma_table_info(m.name) p
		WHERE m.type = 'table' ORDER BY m.name, p.pk, p.cid`) {
		if strings.HasPrefix(row["t"], housekeeping) {
			continue
		}
		t, known := found[row["t"]]
		if !known {
			t.unset = map[string]string{}
		}
		t.columns = append(t.columns, row["c"])
		t.unset[row["c"]] = show(strings.Trim(row["initial"], "'"))
		if row["is_key"] == "1" {
			t.key = append(t.key, row["c"])
		}
		found[row["t"]] = t
	}
	return found
}

// OpenSQL opens a database that is closed when the test ends.
func OpenSQL(tb testing.TB, driver, dsn string) *sql.DB {
	tb.Helper()
	db, err := sql.Open(driver, dsn)
	check(tb, err)
	tb.Cleanup(func() { check(tb, db.Close()) })
	return db
}

// clear deletes every row of the tables.
func (s schema) clear(tb testing.TB, db *sql.DB, names sqldb.Names) {
	tb.Helper()
	for table := range s {
		execute(tb, db, names.Expand("DELETE FROM {"+table+"}"))
	}
}

// Prepare returns statements that select all rows, one for each table, by its name without a
// prefix. They are closed when the test ends.
func (s schema) Prepare(
	tb testing.TB, db *sql.DB, names sqldb.Names,
) map[string]*sql.Stmt {
	tb.Helper()
	all := map[string]*sql.Stmt{}
	for table, t := range s {
		statement, err := db.PrepareContext(context.Background(),
			"SELECT "+strings.Join(t.columns, ", ")+names.Expand(" FROM {"+table+"}"))
		check(tb, err)
		tb.Cleanup(func() { check(tb, statement.Close()) })
		all[table] = statement
	}
	return all
}

// Rows returns a snapshot of all tables. A row is named by its table and its key, and has the other
// columns.
func (s schema) Rows(tb testing.TB, selects map[string]*sql.Stmt) Snapshot {
	tb.Helper()
	all := Snapshot{}
	for table, t := range s {
		rows, err := selects[table].QueryContext(context.Background())
		check(tb, err)
		for _, row := range texts(tb, rows) {
			name := table
			for _, column := range t.key {
				name += " " + row[column]
				delete(row, column)
			}
			all[name] = row
		}
	}
	return all
}

// query returns all rows of a query, each with its values by column.
func query(tb testing.TB, db *sql.DB, text string) []map[string]string {
	tb.Helper()
	rows, err := db.QueryContext(context.Background(), text)
	check(tb, err)
	return texts(tb, rows)
}

// texts returns all rows, each with its values by column, and closes them.
func texts(tb testing.TB, rows *sql.Rows) []map[string]string {
	tb.Helper()
	defer rows.Close()
	columns, err := rows.Columns()
	check(tb, err)
	var all []map[string]string
	for rows.Next() {
		values, pointers := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			pointers[i] = &values[i]
		}
		check(tb, rows.Scan(pointers...))
		row := map[string]string{}
		for i, column := range columns {
			row[column] = show(values[i])
		}
		all = append(all, row)
	}
	check(tb, rows.Err())
	return all
}

// show formats a value in the same way for every driver. SQLite returns some times as texts.
func show(v any) string {
	var text string
	switch v := v.(type) {
	case nil:
		return "NULL"
	case time.Time:
		return v.UTC().Format("2006-01-02T15:04:05.000Z")
	case []byte:
		text = string(v)
	default:
		text = fmt.Sprint(v)
	}
	const stored = "2006-01-02 15:04:05.000000"
	if len(text) == len(stored) {
		if at, err := time.Parse(stored, text); err == nil {
			return show(at)
		}
	}
	if text == "" {
		return `""`
	}
	return strings.TrimSuffix(text, "\n")
}

// Orders adds the gateway's orders to a snapshot.
func (all Snapshot) Orders(sb *sandbox.Sandbox) {
	for _, o := range sb.Gateway().Orders() {
		notes := slices.Sorted(maps.Keys(o.Notes))
		for i, name := range notes {
			notes[i] = name + ":" + o.Notes[name]
		}
		all["gateway "+o.ID] = map[string]string{"amount": fmt.Sprint(o.Amount),
			"currency": o.Currency, "receipt": o.Receipt, "notes": strings.Join(notes, ", ")}
	}
}

// Roles adds the roles at the identity provider to a snapshot.
func (all Snapshot) Roles(sb *sandbox.Sandbox) {
	for _, u := range sb.Identity().Users() {
		all["identity "+u.ID] = map[string]string{"role": show(u.Role)}
	}
}

// Media adds the files of a folder to a snapshot, each with the kind of its content, such as a PDF.
func (all Snapshot) Media(tb testing.TB, dir string) {
	tb.Helper()
	check(tb, fs.WalkDir(os.DirFS(dir), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			all["media "+path] = map[string]string{"is": kindOfFile(tb, dir, path)}
		}
		return err
	}))
}

// derived matches the names of rows that follow from those of other tables, and whose keys depend
// on random ids. The changes of a case leave them out; see checkTotals.
var derived = regexp.MustCompile(`^(question_totals|file_totals|totals) `)

// changes lists the differences between two snapshots: "+" with the fields of a new row, "~" with
// the fields that have changed, "-" without fields. It returns "" if there are none. Of a new row
// it leaves out NULL and defaults, so that a new column does not change the cases of other nouns.
func (s schema) changes(before, after Snapshot) string {
	var lines []string
	for name, row := range after {
		if derived.MatchString(name) {
			continue
		}
		old, known := before[name]
		if !known {
			table, _, _ := strings.Cut(name, " ")
			lines = append(lines, "+ "+name+s[table].fields(row))
		} else if changed := compare(old, row); changed != "" {
			lines = append(lines, "~ "+name+changed)
		}
	}
	for name := range before {
		if _, kept := after[name]; !kept && !derived.MatchString(name) {
			lines = append(lines, "- "+name)
		}
	}
	// By name, without the sign and the blank before it.
	sort.Slice(lines, func(i, j int) bool { return lines[i][2:] < lines[j][2:] })
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// fields returns a line for each field of a new row that a statement has set, in the order of the
// columns' names. What is no row of a table has all its fields.
func (t table) fields(row map[string]string) string {
	text := ""
	for _, column := range slices.Sorted(maps.Keys(row)) {
		if unset, isColumn := t.unset[column]; isColumn && row[column] == unset {
			continue
		}
		text += "\n    " + column + ": " + row[column]
	}
	return text
}

// compare returns a line for each field that differs between two rows with one name, or "".
func compare(old, row map[string]string) string {
	text := ""
	for _, column := range slices.Sorted(maps.Keys(row)) {
		if old[column] != row[column] {
			text += "\n    " + column + ": " + old[column] + " -> " + row[column]
		}
	}
	return text
}
